// Assembly: from a rough guess to a start that meets all rows.
#include "tandem/assemble/assemble.hpp"

#include <gtest/gtest.h>

#include "support/dense.hpp"
#include "support/example_model.hpp"
#include "support/mechanism.hpp"
#include "support/refusal.hpp"
#include "tandem/assemble/held.hpp"
#include "tandem/assemble/nearest_pose.hpp"
#include "tandem/observe/momentum.hpp"
#include "tandem/tandem.hpp"

namespace tandem {
namespace {

const Matrix3 hinge_axes = rotation_with_z(Vector3::UnitY());

FramePlacement pin(double x, double z = 0.0) {
  return {.name = "", .position = Vector3(x, 0.0, z), .rotation = hinge_axes};
}

struct Guess {
  double crank = 1.2, coupler = 0.2, rocker = 1.7;  // angles in the x-z plane, z up
  Vector3 shift = Vector3::Zero();                  // of all bodies
  Vector3 turn = Vector3::Zero();                   // of the coupler, out of the plane
  double coupler_length = 1.2;
};

// A four-bar linkage of hinges placed by frames, so that the bodies may be listed anywhere.
Builder four_bar(const Guess& guess) {
  Builder build("four-bar");
  const auto link = [&](const char* name, double length, double mass, const Vector3& end, double angle,
                        const Vector3& turn) {
    const Vector3 along(std::cos(angle), 0.0, std::sin(angle));
    build.body(
        {.name = name,
         .mass = mass,
         .inertia = std::array{0.01 * mass, mass * length * length / 12, mass * length * length / 12, 0.0, 0.0, 0.0},
         .position = end + 0.5 * length * along + guess.shift,
         .rotation = rotation_exp<double>(turn) * rotation_about_y(-angle)});
    return Vector3(end + length * along);
  };
  const Vector3 pin_a = link("crank", 0.4, 0.5, Vector3::Zero(), guess.crank, Vector3::Zero());
  link("coupler", guess.coupler_length, 1.0, pin_a, guess.coupler, guess.turn);
  link("rocker", 0.9, 0.8, Vector3(1, 0, 0), guess.rocker, Vector3::Zero());
  const auto hinge = [&](const char* name, const char* first, const char* second, double x, double y) {
    build.joint({.name = name, .type = Revolute{}, .bodies = {first, second}, .frames = std::array{pin(x), pin(y)}});
  };
  hinge("ground_crank", "world", "crank", 0.0, -0.2);
  hinge("crank_coupler", "crank", "coupler", 0.2, -0.5 * guess.coupler_length);
  hinge("coupler_rocker", "coupler", "rocker", 0.5 * guess.coupler_length, 0.45);
  hinge("ground_rocker", "world", "rocker", 1.0, -0.45);
  return build;
}

double worst_row(const Model& model, const State& state) {
  return test::equations(model, state).phi.cwiseAbs().maxCoeff();
}

Vector3 body_position(const Model& model, const State& state, const char* name) {
  const Body& body = model.bodies[static_cast<std::size_t>(model.body(name))];
  return state.q().segment<3>(body.q_first + body.nq() - 3);
}

// How much of `force` the rows cannot give: its distance to the row space of J.
double outside_rows(const Eigen::MatrixXd& J, const Eigen::VectorXd& force) {
  const Eigen::MatrixXd Jt = J.transpose();
  return (force - Jt * test::shortest_solution(Jt, force)).norm();
}

TEST(Assemble, AConsistentStartStaysAsItIs) {
  for (const EmbeddedExample& example : embedded_examples()) {
    const std::string name(example.name);
    const Model model = example_model(name);
    const State start = start_state(model);
    const Assembly assembly = assemble(model, start);
    EXPECT_LE(assembly.moved, 1e-13) << name;
    EXPECT_LE(assembly.after.position, 1e-13) << name;
    EXPECT_LE(assembly.after.velocity, 1e-13) << name;
    EXPECT_FALSE(assembly.continued) << name;
  }
}

TEST(Assemble, FourBarFromARoughGuessOnTheNearestBranch) {
  for (const double side : {1.0, -1.0}) {
    Guess guess;
    guess.coupler = side * 0.5;
    guess.rocker = side * 1.4;
    guess.crank = side * 1.0;
    guess.shift = Vector3(0.05, 0.0, -0.03);
    const Model model = four_bar(guess).finish();
    const Assembly assembly = assemble(model, start_state(model));
    EXPECT_GT(assembly.given.position, 0.05);
    EXPECT_LE(worst_row(model, assembly.bodies), 1e-12);
    // The rocker's pin is above the ground for one branch, below it for the other.
    EXPECT_GT(side * body_position(model, assembly.bodies, "rocker").z(), 0.2);
    EXPECT_FALSE(assembly.most_moved.empty());
    EXPECT_GT(assembly.moved, 0.01);
  }
}

TEST(Assemble, TheChangeIsSmallestByMass) {
  Guess guess;
  guess.crank = 0.7;
  guess.shift = Vector3(0.1, 0.0, 0.15);
  const Model model = four_bar(guess).finish();
  const State start = start_state(model);
  const Assembly assembly = assemble(model, start);
  // All turns are about y, so ½ dᵀMd has the gradient M d.
  const Eigen::VectorXd d = pose_difference(model, assembly.bodies.q(), start.q());
  const Eigen::VectorXd force = test::mass_matrix(model) * d;
  EXPECT_GT(force.norm(), 0.05);
  EXPECT_LE(outside_rows(test::equations(model, assembly.bodies).J, force), 1e-8);
}

// In space, against differences of the distance itself along every motion that the rows allow.
TEST(Assemble, NoAllowedMotionBringsItNearer) {
  Model model = example_model("bicycle");
  for (const char* name : {"frame.lean", "steer"}) {
    model.starts.push_back(find_coordinate(model, name));
    model.starts.back().value = 0.4;
  }
  const State start = start_state(model);
  const Assembly assembly = assemble(model, start);
  Workspace at_start(model);
  at_start.refresh(model, start);
  const Model held = with_held_positions(model, at_start.kinematics);
  std::vector<int> holonomic;
  for (int row = 0; row < held.rows; ++row)
    if (held.is_holonomic(row)) holonomic.push_back(row);
  const Eigen::MatrixXd J = test::equations(held, assembly.bodies).J(holonomic, Eigen::all);
  const Eigen::MatrixXd motions = Eigen::FullPivLU<Eigen::MatrixXd>(J).kernel();
  EXPECT_EQ(motions.cols(), 5);
  const Eigen::MatrixXd M = test::mass_matrix(model);
  const auto distance = [&](const Eigen::VectorXd& delta) {
    Eigen::VectorXd q = assembly.bodies.q();
    retract(model, delta, q);
    const Eigen::VectorXd d = pose_difference(model, q, start.q());
    return 0.5 * d.dot(M * d);
  };
  EXPECT_GT(distance(Eigen::VectorXd::Zero(model.nv)), 0.1);
  for (Eigen::Index k = 0; k < motions.cols(); ++k) {
    const Eigen::VectorXd z = 1e-5 * motions.col(k).normalized();
    EXPECT_NEAR((distance(z) - distance(-z)) / 2e-5, 0.0, 1e-8);
  }
}

TEST(Assemble, AGuessHalfAMetreAndARadianOff) {
  test::Random random(7);
  int assembled = 0;
  for (int trial = 0; trial < 20; ++trial) {
    Guess guess;
    guess.crank = 1.2 + random.number(-1.0, 1.0);
    guess.coupler = 0.4 + random.number(-1.0, 1.0);
    guess.rocker = 1.5 + random.number(-1.0, 1.0);
    guess.shift = random.vec3<double>(0.3);
    guess.turn = random.vec3<double>(0.6);
    const Model model = four_bar(guess).finish();
    const Assembly assembly = try_to_assemble(model, start_state(model));
    ASSERT_TRUE(assembly.unmet.empty()) << assembly.unmet.front().message;
    EXPECT_LE(worst_row(model, assembly.bodies), 1e-12);
    EXPECT_LE(assembly.moved, 2.5);
    ++assembled;
  }
  EXPECT_EQ(assembled, 20);
}

// How far the bodies are from the origin, twice, and a metre at most: what a shake of a small machine is measured by.
double length_of(const Model& model) {
  double farthest = 0.0;
  for (const Body& body : model.bodies) farthest = std::max(farthest, body.X_WC.p.norm());
  return farthest > 0.0 ? std::min(1.0, 2.0 * farthest) : 1.0;
}

// Every body shaken by up to a third of a metre and of a radian, with drives, wheels, couplers and curves among the
// rows.
TEST(Assemble, EveryExampleFindsBackFromAShakenStart) {
  test::Random random(11);
  for (const EmbeddedExample& example : embedded_examples()) {
    const Model model = example_model(std::string(example.name));
    for (const double size : {0.01, 0.1, 0.3}) {
      // It begins 0.1 rad from lying flat, where its contact has no direction.
      if (example.name == "euler-disc" && size > 0.05) continue;
      for (int trial = 0; trial < 5; ++trial) {
        State guess = start_state(model);
        Eigen::VectorXd delta(model.nv);
        for (Eigen::Index k = 0; k < delta.size(); ++k) delta[k] = random.number(-size, size);
        for (const Body& body : model.bodies) delta.segment<3>(body.v_first + body.nv() - 3) *= length_of(model);
        retract(model, delta, guess.q());
        guess.v() += delta;
        const Assembly assembly = try_to_assemble(model, guess);
        EXPECT_TRUE(assembly.unmet.empty()) << example.name << ", " << size << ": " << assembly.unmet.front().message;
        EXPECT_LE(assembly.after.position, 1e-12) << example.name << ", " << size;
        EXPECT_LE(assembly.after.velocity, 1e-11) << example.name << ", " << size;
        EXPECT_LE(assembly.moved, 10.0 * size) << example.name << ", " << size;
      }
    }
  }
}

TEST(Assemble, ALoopThatCannotCloseIsRefusedByItsRows) {
  Guess guess;
  guess.coupler_length = 3.0;  // crank, base and rocker together reach 2.3
  const Model model = four_bar(guess).finish();
  const Assembly assembly = try_to_assemble(model, start_state(model));
  EXPECT_TRUE(assembly.continued);
  // Stretched out along x, with the gap of 0.7 shared by the four pins.
  EXPECT_EQ(assembly.unmet.size(), 4U);
  EXPECT_NEAR(assembly.after.position, 0.175, 1e-3);
  const std::string words = refusal_of([&] { assemble(model, start_state(model)); });
  for (const char* joint : {"ground_crank", "crank_coupler", "coupler_rocker", "ground_rocker"})
    EXPECT_NE(words.find(std::string("no pose meets joint \"") + joint), std::string::npos) << words;
  EXPECT_NE(words.find("stays off by 0.175"), std::string::npos) << words;
}

TEST(Assemble, ALoopThatJustReachesIsClosed) {
  Guess guess;
  guess.coupler_length = 2.3;
  guess.crank = 2.8;
  guess.rocker = 0.2;
  const Model model = four_bar(guess).finish();
  const Assembly assembly = assemble(model, start_state(model));
  EXPECT_LE(worst_row(model, assembly.bodies), 1e-9);
  EXPECT_NEAR(body_position(model, assembly.bodies, "crank").x(), -0.2, 1e-4);
}

TEST(Assemble, ABodyWithoutInertiaAboutItsAxis) {
  Builder build;
  build.body({.name = "rod",
              .mass = 2.0,
              .shapes = {Shape::rod(1.0)},
              .position = {0.7, 0.2, -0.1},
              .rotation = rotation_exp<double>({0.4, 0.3, -0.2})});
  build.joint(
      {.name = "hinge", .type = Revolute{}, .bodies = {"world", "rod"}, .frames = std::array{pin(0), pin(-0.5)}});
  const Model model = build.finish();
  const Assembly assembly = assemble(model, start_state(model));
  EXPECT_LE(worst_row(model, assembly.bodies), 1e-12);
}

TEST(Assemble, AStartThatIsFarOffIsRefusedUnlessAllowed) {
  Guess guess;
  guess.shift = Vector3(0.01, 0.0, 0.0);
  const Model model = four_bar(guess).finish();
  EXPECT_THROW(assemble(model, start_state(model), {.allow_large = false}), ModelError);
  EXPECT_NO_THROW(assemble(model, start_state(model), {.tolerance = 1.0, .allow_large = false}));
}

TEST(Assemble, ARopeIsPulledInOnlyWhenItIsTooLong) {
  const Vector3 direction = Vector3(1, 2, -2) / 3.0;
  for (const double far : {1.4, 0.7}) {
    Builder build;
    build.body({.name = "ball", .mass = 2.0, .point_mass = true, .position = far * direction});
    build.constraint({.name = "tether",
                      .type = Rope{.length = 1.0},
                      .bodies = {"world", "ball"},
                      .points = {Vector3::Zero(), far * direction}});
    Model model = build.finish();
    const Assembly assembly = assemble(model, start_state(model));
    EXPECT_TRUE(test::near(assembly.bodies.q(), Eigen::VectorXd(std::min(far, 1.0) * direction), 1e-12));
    EXPECT_NEAR(assembly.given.position, std::max(0.0, far - 1.0), 1e-15);
    model.starts.push_back(find_coordinate(model, "ball.x"));
    model.starts.back().value = 0.0;
    const Vector3 wanted = far > 1.0 ? Vector3(0, 1, -1).normalized() : Vector3(0, far * 2 / 3, -far * 2 / 3);
    EXPECT_TRUE(test::near(assemble(model, start_state(model)).bodies.q(), Eigen::VectorXd(wanted), 1e-10)) << far;
    // Held so that it must be slack, nothing else may change, though Newton pulled it on its way.
    model.starts.push_back(find_coordinate(model, "ball.y"));
    model.starts.back().value = 0.1;
    const Vector3 slack(0.0, 0.1, -far * 2 / 3);
    EXPECT_TRUE(test::near(assemble(model, start_state(model)).bodies.q(), Eigen::VectorXd(slack), 1e-10)) << far;
  }
}

}  // namespace
}  // namespace tandem
