// Symmetries that are found by themselves, and declared ones: what they are, what they are called, what they do.
#include "tandem/steady/symmetry.hpp"

#include <set>

#include "support/example_model.hpp"
#include "support/mechanism.hpp"
#include "support/refusal.hpp"
#include "tandem/tandem.hpp"

namespace tandem::test {
namespace {

using Names = std::multiset<std::string>;

Symmetry symmetry_of(const Model& model) { return find_symmetry(model, start_state(model)); }
Names names_of(const Symmetry& symmetry) { return {symmetry.names.begin(), symmetry.names.end()}; }
Names names_of(const Model& model) { return names_of(symmetry_of(model)); }

std::string refusal(const Model& model) {
  return refusal_of([&] { symmetry_of(model); });
}

BodyDescription body(const std::string& name, const std::array<double, 3>& moments, const Vector3& position) {
  return {.name = name,
          .mass = 2.0,
          .inertia = std::array{moments[0], moments[1], moments[2], 0.0, 0.0, 0.0},
          .position = position};
}
constexpr std::array<double, 3> uneven{0.3, 0.4, 0.5}, round_about_z{0.3, 0.3, 0.5}, ball{0.4, 0.4, 0.4};

JointDescription joint(const std::string& name, Joint type, const std::string& second, const Vector3& point,
                       const Vector3& axis, const std::string& first = "world") {
  return {.name = name, .type = std::move(type), .bodies = {first, second}, .point = point, .axis = axis};
}

Model pendulum(Joint type, const Vector3& pivot) {
  Builder build;
  build.body(body("bob", uneven, pivot + Vector3(0.2, 0, -1)));
  JointDescription at{.name = "pivot", .type = std::move(type), .bodies = {"world", "bob"}, .point = pivot};
  if (at.type.index() == 0 && std::get<Joint>(at.type).traits().needs_axis) at.axis = Vector3(0, 1, 0);
  return build.joint(at).finish();
}

// Every column of the basis moves any state along the constraints and turns the accelerations with it.
void expect_unnoticed(const Model& model, const State& bodies, const Symmetry& symmetry, double tolerance) {
  Response response(model);
  response.place(bodies);
  const Eigen::VectorXd y = response.solution().y;
  Eigen::VectorXd phi, rate;
  for (Eigen::Index k = 0; k < symmetry.dimension(); ++k) {
    const GroupMotion xi = symmetry.element(k, model.bodies.size());
    const Solution& change = response.to(moved_by(model, bodies, xi));
    response.tangent().phi(phi);
    response.tangent().rate(rate);
    const std::string& name = symmetry.names[static_cast<std::size_t>(k)];
    EXPECT_TRUE(near_zero(phi, tolerance)) << name;
    EXPECT_TRUE(near_zero(rate, tolerance)) << name;
    EXPECT_TRUE(near(change.y, turned_by(model, y, xi), tolerance)) << name;
  }
}

TEST(Symmetry, OfTheBicycle) {
  const Model model = example_model("bicycle");
  const Symmetry found = symmetry_of(model);
  EXPECT_EQ(names_of(found), (Names{"time", "yaw", "x", "y", "rear_wheel.spin", "front_wheel.spin"}));
  EXPECT_TRUE(found.moves_time);
  EXPECT_EQ(found.names.front(), "time");
  Simulation simulation(model);
  advance(simulation, 0.5, 0.01);  // leaning and turning
  expect_unnoticed(model, simulation.bodies(), found, 1e-9);
}

TEST(Symmetry, OfAPendulumOnAHingeIsTimeAlone) {
  EXPECT_EQ(names_of(pendulum(Revolute{}, {0, 0, 0})), (Names{"time"}));
}

TEST(Symmetry, OfASphericalPendulumIsTheTurnAboutItsPivot) {
  const Model model = pendulum(Spherical{}, {1, 2, 0.5});
  const Symmetry found = symmetry_of(model);
  EXPECT_EQ(names_of(found), (Names{"time", "yaw about (1, 2)"}));
  expect_unnoticed(model, start_state(model), found, 1e-12);
  EXPECT_EQ(names_of(pendulum(Spherical{}, {0, 0, 0.5})), (Names{"time", "yaw"}));
}

TEST(Symmetry, OfAFreeBodyWithoutGravity) {
  const Names all{"time", "x", "y", "z", "rotation_x", "rotation_y", "yaw"};
  const auto with = [&](std::initializer_list<std::string> more) {
    Names names = all;
    names.insert(more);
    return names;
  };
  const auto floating = [](const std::array<double, 3>& moments) {
    BodyDescription rock = body("rock", moments, {0.3, -0.2, 1.0});
    rock.velocity = Vector3(1, 2, 3);
    rock.angular_velocity = Vector3(0.4, -0.5, 0.6);
    return Builder().gravity({0, 0, 0}).body(rock).finish();
  };
  EXPECT_EQ(names_of(floating(uneven)), all);
  EXPECT_EQ(names_of(floating(round_about_z)), with({"rock.spin"}));
  EXPECT_EQ(names_of(floating(ball)), with({"rock.spin_x", "rock.spin_y", "rock.spin_z"}));
}

// A throw: gravity is the same everywhere, but it has a direction.
TEST(Symmetry, OfAFreeBodyUnderGravity) {
  const Model model = Builder().body(body("rock", uneven, {0, 0, 1})).finish();
  EXPECT_EQ(names_of(model), (Names{"time", "x", "y", "z", "yaw"}));
  Model sideways = model;
  sideways.gravity = Vector3(9.81, 0, 0);
  EXPECT_EQ(names_of(sideways), (Names{"time", "x", "y", "z", "rotation_x"}));
}

TEST(Symmetry, OfAPointMassHasNoSpin) {
  Builder build;
  build.body({.name = "dot", .mass = 1.0, .point_mass = true, .position = {0.1, 0.2, 0.3}}).gravity({0, 0, 0});
  EXPECT_EQ(names_of(build.finish()), (Names{"time", "x", "y", "z", "rotation_x", "rotation_y", "yaw"}));
}

// Two wheels on fixed axles.
Builder two_wheels(const std::array<double, 3>& moments) {
  Builder build;
  build.body(body("left", moments, {0, 0, 0})).body(body("right", moments, {3, 0, 0}));
  build.joint(joint("left_axle", Revolute{}, "left", {0, 0, 0}, {0, 0, 1}));
  build.joint(joint("right_axle", Revolute{}, "right", {3, 0, 0}, {0, 0, 1}));
  return build;
}

TEST(Symmetry, OfWheelsOnAxlesIsOneSpinEach) {
  EXPECT_EQ(names_of(two_wheels(round_about_z).finish()), (Names{"time", "left.spin", "right.spin"}));
}

TEST(Symmetry, OfCoupledWheelsIsOneSpinTogether) {
  Builder build = two_wheels(round_about_z);
  build.constraint(
      {.name = "gears",
       .type = Coupler{.coordinates = {{"left_axle", ""}, {"right_axle", ""}}, .coefficients = {1.0, 2.0}}});
  const Model model = build.finish();
  const Symmetry found = symmetry_of(model);
  EXPECT_EQ(names_of(found), (Names{"time", "left.spin - 0.5 right.spin"}));
  expect_unnoticed(model, start_state(model), found, 1e-12);
  const GroupMotion together = found.element(1, 2);
  EXPECT_TRUE(near(together.spin[0], Vector3(0, 0, 1), 1e-12));
  EXPECT_TRUE(near(together.spin[1], Vector3(0, 0, -0.5), 1e-12));
}

// Only the turn of the whole about the axle of both is left to a body that is not round.
TEST(Symmetry, OfAWheelThatIsNotRound) {
  EXPECT_EQ(names_of(two_wheels(uneven).finish()), (Names{"time"}));
  Builder alone;
  alone.body(body("wheel", uneven, {0, 0, 0})).joint(joint("axle", Revolute{}, "wheel", {0, 0, 0}, {0, 0, 1}));
  EXPECT_EQ(names_of(alone.finish()), (Names{"time", "yaw"}));
}

// A round body that is marked by where its joint sits: moving on without its axle is no symmetry.
TEST(Symmetry, OfARoundBodyHeldOffItsAxis) {
  Builder build;
  build.body(body("wheel", round_about_z, {0.4, 0, 0}));
  build.joint(joint("axle", Revolute{}, "wheel", {0, 0, 0}, {0, 0, 1}));
  EXPECT_EQ(names_of(build.finish()), (Names{"time", "yaw"}));
}

// A turntable with an arm that swings on it.
Builder turntable(Drive drive) {
  Builder build;
  build.body(body("table", uneven, {0, 0, 0})).body(body("arm", uneven, {0.5, 0.2, -0.6}));
  build.joint(joint("axle", Revolute{}, "table", {0, 0, 0}, {0, 0, 1}));
  build.joint(joint("swing", Revolute{}, "arm", {0.5, 0, 0}, {1, 0, 0}, "table"));
  build.drive({.name = "motor", .type = std::move(drive), .coordinate = {"axle", ""}});
  return build;
}

TEST(Symmetry, OfATurntableAtConstantSpeedIsTimeWithATurn) {
  Model model = turntable(ConstantSpeedDrive{.speed = 1.5}).finish();
  const State start = assemble(model, start_state(model)).bodies;
  const Symmetry found = find_symmetry(model, start);
  ASSERT_EQ(found.names, (std::vector<std::string>{"time + 1.5 yaw"}));
  EXPECT_TRUE(found.moves_time);
  expect_unnoticed(model, start, found, 1e-12);
  const GroupMotion xi = found.element(0, 2);
  EXPECT_EQ(xi.time, 1.0);
  EXPECT_TRUE(near(xi.rotation, Vector3(0, 0, 1.5), 1e-12));
}

TEST(Symmetry, OfAnOscillatingDriveHasNoTime) {
  const Model model = turntable(Oscillation{.amplitude = 0.4, .frequency = 0.7}).finish();
  const Symmetry found = find_symmetry(model, assemble(model, start_state(model)).bodies);
  EXPECT_TRUE(found.names.empty());
  EXPECT_FALSE(found.moves_time);
  EXPECT_EQ(found.dimension(), 0);
}

TEST(Symmetry, DoesNotDependOnTheMethod) {
  Model model = example_model("bicycle");
  const Names wanted = names_of(model);
  for (const char* method : {"udwadia_kalaba", "null_space", "articulated"}) {
    model.setup.method = method;
    EXPECT_EQ(names_of(model), wanted) << method;
  }
}

TEST(Symmetry, DeclaredOnesAreAllThatCount) {
  Model model = example_model("bicycle");
  model.symmetries = {"x", "yaw"};
  EXPECT_EQ(names_of(model), (Names{"time", "x", "yaw"}));
  model.symmetries = std::vector<std::string>{};
  EXPECT_EQ(names_of(model), (Names{"time"}));
}

TEST(Symmetry, AnUnknownNameIsRefusedWithASuggestion) {
  Model model = example_model("bicycle");
  model.symmetries = {"x", "rear_wheel.spn", "frame.spin"};
  const std::string words = refusal(model);
  EXPECT_NE(words.find("there is no symmetry \"rear_wheel.spn\"; did you mean \"rear_wheel.spin\"?"), std::string::npos)
      << words;
  EXPECT_NE(words.find("there is no symmetry \"frame.spin\""), std::string::npos) << words;
  EXPECT_EQ(words.find("\"x\""), std::string::npos) << words;
}

TEST(Symmetry, ADeclaredOneThatIsNoneIsRefusedByName) {
  Model model = example_model("bicycle");
  model.symmetries = {"y", "z"};
  const std::string words = refusal(model);
  EXPECT_NE(words.find("\"z\" is declared a symmetry, but the machine notices it"), std::string::npos) << words;
  model.symmetries = {"rotation_x"};
  EXPECT_NE(refusal(model).find("\"rotation_x\""), std::string::npos);
}

// How the motion along ξ changes with the state, by central differences.
TEST(Symmetry, MotionsChangeWithTheState) {
  Random random(52);
  Model model = Builder().body(general_body("a", random, random_pose(random))).finish();
  const State state = start_state(model);
  const GroupMotion xi{0.0, random.vec3<double>(), random.vec3<double>(), {random.vec3<double>()}};
  const Direction change{random.vector<Eigen::VectorXd>(6), random.vector<Eigen::VectorXd>(6), 0.0};
  const auto moved = [&](double e) {
    State there = state;
    retract(model, e * change.q, there.q());
    there.v() += e * change.v;
    return moved_by(model, there, xi);
  };
  const auto central = [&](Eigen::VectorXd Direction::*part, double e) {
    return Eigen::VectorXd((moved(e).*part - moved(-e).*part) / (2.0 * e));
  };
  const Direction got = moved_by_changed(model, state, change, xi);
  for (const auto part : {&Direction::q, &Direction::v})
    EXPECT_TRUE(near(got.*part, Eigen::VectorXd((4.0 * central(part, 5e-4) - central(part, 1e-3)) / 3.0), 1e-10));
}

TEST(Symmetry, MotionsAreSumsOfElements) {
  const Symmetry found = symmetry_of(example_model("bicycle"));
  Random random(51);
  const auto shares = random.vector<Eigen::VectorXd>(found.dimension());
  const GroupMotion sum = found.motion(shares, 4);
  GroupMotion wanted;
  wanted.spin.assign(4, Vector3::Zero());
  for (Eigen::Index k = 0; k < found.dimension(); ++k) {
    const GroupMotion each = found.element(k, 4);
    wanted.time += shares[k] * each.time;
    wanted.rotation += shares[k] * each.rotation;
    wanted.translation += shares[k] * each.translation;
    for (std::size_t i = 0; i < 4; ++i) wanted.spin[i] += shares[k] * each.spin[i];
  }
  EXPECT_NEAR(sum.time, wanted.time, 1e-15);
  EXPECT_TRUE(near(sum.rotation, wanted.rotation, 1e-15));
  EXPECT_TRUE(near(sum.translation, wanted.translation, 1e-15));
  for (std::size_t i = 0; i < 4; ++i) EXPECT_TRUE(near(sum.spin[i], wanted.spin[i], 1e-15)) << i;
}

}  // namespace
}  // namespace tandem::test
