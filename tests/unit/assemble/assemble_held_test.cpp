// Assembly with coordinates and speeds held: the bicycle's pitch, contradictions, speeds, turns, momentum.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/defect_model.hpp"
#include "support/dense.hpp"
#include "support/example_model.hpp"
#include "support/mechanism.hpp"
#include "support/refusal.hpp"
#include "tandem/assemble/assemble.hpp"
#include "tandem/assemble/held.hpp"
#include "tandem/observe/momentum.hpp"
#include "tandem/tandem.hpp"

namespace tandem {
namespace {

struct Hold {
  const char* name;
  std::optional<double> value{}, rate{};
};

Model holding(Model model, const std::vector<Hold>& holds) {
  for (const Hold& hold : holds) {
    model.starts.push_back(find_coordinate(model, hold.name));
    model.starts.back().value = hold.value;
    model.starts.back().rate = hold.rate;
  }
  return model;
}

Kinematics<double> kinematics_of(const Model& model, const State& state) {
  Kinematics<double> kinematics(model);
  kinematics.update(model, state.t, state.q(), state.v(), state.angles());
  return kinematics;
}

CoordinateReading<double> reading(const Model& model, const State& state, const char* name) {
  return read_coordinate(model, find_coordinate(model, name), kinematics_of(model, state));
}

std::string refusal(const Model& model, const AssemblyOptions& options = {}) {
  return refusal_of([&] { assemble(model, start_state(model), options); });
}

// The gap between the front wheel and the ground for a pitch of the frame. Geometry written out here; no row of Tandem.
struct BicycleGeometry {
  double wheel_base, trail, tilt, rear, front, lean, steer;

  double front_gap(double pitch) const {
    const Matrix3 R = rotation_about_x(lean) * rotation_about_y(pitch);
    const Vector3 hub(0.0, 0.0, rear * std::cos(lean));  // only its height matters
    const Vector3 axis(std::sin(tilt), 0.0, -std::cos(tilt)), head(wheel_base + trail, 0.0, -rear);
    const Matrix3 turn = Eigen::AngleAxisd(steer, axis).toRotationMatrix();
    const Vector3 center = hub + R * (head + turn * Vector3(-trail, 0.0, front));
    const Vector3 axle = R * turn * Vector3::UnitY();
    return center.z() - front * std::sqrt(1.0 - axle.z() * axle.z());
  }
  double pitch() const {  // by bisection
    double low = -0.3, high = 0.3;
    EXPECT_LT(front_gap(low) * front_gap(high), 0.0);
    for (int i = 0; i < 60; ++i) {
      const double middle = 0.5 * (low + high);
      (front_gap(middle) * front_gap(low) > 0.0 ? low : high) = middle;
    }
    return 0.5 * (low + high);
  }
};

TEST(AssembleHeld, BicyclePitchFollowsFromTheFrontContact) {
  for (const auto& [lean, steer] : {std::pair(0.2, 0.1), std::pair(-0.4, 0.9), std::pair(0.7, -1.2)}) {
    const Model model =
        holding(example_model("bicycle"),
                {{"frame.lean", lean, 0.0}, {"steer", steer, 0.0}, {"frame.yaw", 0.0, {}}, {"rear_hub", {}, 15.0}});
    const State state = assemble(model, start_state(model)).bodies;
    const BicycleGeometry geometry{1.02, 0.08, pi / 10, 0.3, 0.35, lean, steer};
    EXPECT_NEAR(reading(model, state, "frame.pitch").value, geometry.pitch(), 1e-10);
    EXPECT_GT(std::abs(geometry.pitch()), 1e-5);
    EXPECT_NEAR(reading(model, state, "frame.lean").value, lean, 1e-12);
    EXPECT_NEAR(reading(model, state, "steer").value, steer, 1e-12);
    EXPECT_NEAR(reading(model, state, "frame.lean").rate, 0.0, 1e-12);
    EXPECT_NEAR(reading(model, state, "steer").rate, 0.0, 1e-12);
    EXPECT_NEAR(reading(model, state, "rear_hub").rate, 15.0, 1e-11);
    Workspace workspace(model);
    workspace.refresh(model, state);
    EXPECT_LE(residual_norms(workspace.problem).position, 1e-12);
    EXPECT_LE(residual_norms(workspace.problem).velocity, 1e-11);
  }
}

TEST(AssembleHeld, SpeedsOfAFourBarAndTheirSmallestChange) {
  const Model model = holding(example_model("four-bar"), {{"ground_crank", {}, 2.0}});
  const State start = start_state(model);
  const Assembly assembly = assemble(model, start);
  EXPECT_EQ(assembly.moved, 0.0);
  const auto position = [&](const char* name) {
    const Body& body = model.bodies[static_cast<std::size_t>(model.body(name))];
    return Vector3(start.q().segment<3>(body.q_first + 4));
  };
  // |B − A| stays: (B − A)·(Ḃ − Ȧ) = 0, A on the crank, B on the rocker.
  const Vector3 a = 2.0 * position("crank"), b = 2.0 * position("rocker") - Vector3::UnitX(), y = Vector3::UnitY();
  const double wanted = 2.0 * (b - a).dot(y.cross(a)) / (b - a).dot(y.cross(Vector3(b - Vector3::UnitX())));
  EXPECT_NEAR(reading(model, assembly.bodies, "ground_rocker").rate, wanted, 1e-10);

  const Model held = with_held_speeds(model);
  const Eigen::MatrixXd Jt = test::equations(held, assembly.bodies).J.transpose();
  const Eigen::VectorXd impulse = test::mass_matrix(model) * (assembly.bodies.v() - start.v());
  EXPECT_LE((impulse - Jt * test::shortest_solution(Jt, impulse)).norm(), 1e-10);
}

// Free speeds change as little as they can; what is not marked may change.
TEST(AssembleHeld, OnlyARateLeavesThePositionFree) {
  Model model = holding(example_model("four-bar"), {{"ground_crank", 0.3, {}}, {"ground_rocker", {}, 1.0}});
  const State state = assemble(model, start_state(model)).bodies;
  EXPECT_NEAR(reading(model, state, "ground_crank").value, 0.3, 1e-12);
  EXPECT_NEAR(reading(model, state, "ground_rocker").rate, 1.0, 1e-12);
  EXPECT_GT(std::abs(reading(model, state, "ground_rocker").value), 0.05);
}

TEST(AssembleHeld, WithoutValueItStaysWhereTheBodiesPutIt) {
  const Model model = holding(example_model("bicycle"), {{"frame.x"}, {"frame.y"}, {"frame.yaw"}, {"steer", 0.3, {}}});
  const State start = start_state(model), state = assemble(model, start).bodies;
  for (const char* name : {"frame.x", "frame.y", "frame.yaw"})
    EXPECT_NEAR(reading(model, state, name).value, reading(model, start, name).value, 1e-13) << name;
  EXPECT_NEAR(reading(model, state, "steer").value, 0.3, 1e-13);
}

TEST(AssembleHeld, AContradictionIsNamed) {
  const std::string words =
      refusal(holding(example_model("four-bar"), {{"ground_crank", 0.1, {}}, {"ground_rocker", 0.5, {}}}));
  EXPECT_NE(words.find("held ground_rocker cannot be 0.5"), std::string::npos) << words;
  EXPECT_NE(words.find("held ground_crank"), std::string::npos) << words;
  // The crank alone decides where the rocker is.
  const Model free = holding(example_model("four-bar"), {{"ground_crank", 0.1, {}}});
  const double angle = reading(free, assemble(free, start_state(free)).bodies, "ground_rocker").value;
  EXPECT_NE(words.find(fmt::format("the nearest it comes is about {:.4g}", angle)), std::string::npos) << words;
}

TEST(AssembleHeld, AContradictionOfSpeedsIsNamed) {
  const std::string words =
      refusal(holding(example_model("four-bar"), {{"ground_crank", {}, 1.0}, {"ground_rocker", {}, 1.0}}));
  EXPECT_NE(words.find("no speeds meet held ground_rocker"), std::string::npos) << words;
  EXPECT_NE(words.find("held ground_crank"), std::string::npos) << words;
}

TEST(AssembleHeld, HeldAgainstADriveIsNamed) {
  Builder build;
  build.body({.name = "rod", .mass = 1.0, .shapes = {Shape::rod(1.0)}, .position = {0.5, 0, 0}});
  build.joint({.name = "hinge",
               .type = Revolute{},
               .bodies = {"world", "rod"},
               .point = Vector3(0, 0, 0),
               .axis = Vector3(0, 1, 0)});
  build.drive({.name = "motor", .type = ConstantSpeedDrive{.speed = 3.0, .start = 0.6}, .coordinate = {"hinge", ""}});
  const Model model = build.finish();
  // The drive alone: the rod goes where the drive starts, with its speed.
  const State state = assemble(model, start_state(model)).bodies;
  EXPECT_NEAR(reading(model, state, "hinge").value, 0.6, 1e-12);
  EXPECT_NEAR(reading(model, state, "hinge").rate, 3.0, 1e-12);
  EXPECT_NE(refusal(holding(model, {{"hinge", 0.2, {}}})).find("held hinge cannot be 0.2"), std::string::npos);
  EXPECT_NE(refusal(holding(model, {{"hinge", {}, 1.0}})).find("no speeds meet held hinge"), std::string::npos);
}

TEST(AssembleHeld, AnAngleBeyondOneTurnCountsItsTurns) {
  Builder build;
  build.body({.name = "rod", .mass = 1.0, .shapes = {Shape::rod(1.0)}, .position = {0.5, 0, 0}});
  build.joint({.name = "hinge",
               .type = Revolute{},
               .bodies = {"world", "rod"},
               .point = Vector3(0, 0, 0),
               .axis = Vector3(0, 1, 0)});
  build.start({.joint = "hinge", .value = 7.0, .rate = -1.0});
  const Model model = build.finish();
  const Assembly assembly = assemble(model, start_state(model));
  EXPECT_NEAR(assembly.bodies.angles()[0], 7.0, 1e-12);
  EXPECT_NEAR(assembly.moves.front().turn, 7.0 - 2 * pi, 1e-12);
  EXPECT_NEAR(assembly.moved, model.scale.length * (7.0 - 2 * pi), 1e-12);  // radians count as metres by it
  EXPECT_NEAR(reading(model, assembly.bodies, "hinge").rate, -1.0, 1e-12);
}

// What a cart on a rail weighs about itself cannot matter: it does not turn.
TEST(AssembleHeld, InertiasMayBeFarApart) {
  for (const double mass : {1e-6, 1.0})
    for (const double inertia : {0.0, 1e-10, 1e-8, 1e-7, 1e-6, 1e-3}) {
      Model model = defect_model("light_cart_pole");
      model.bodies[0].mass = mass;
      model.bodies[0].inertia = inertia * Matrix3::Identity();
      const Assembly assembly = assemble(model, start_state(model));
      EXPECT_NEAR(reading(model, assembly.bodies, "hinge").value, 0.5 * pi, 1e-12) << mass << " " << inertia;
      EXPECT_LT((assembly.bodies.q().segment<3>(4)).norm(), 1e-9) << mass << " " << inertia;
      EXPECT_LT((assembly.bodies.q().segment<3>(11) - Vector3(1, 0, 0)).norm(), 1e-9) << mass << " " << inertia;
    }
}

TEST(AssembleHeld, ZeroMomentumKeepsTheJointRates) {
  Model model = example_model("swimmer");
  for (Body& body : model.bodies) body.velocity = Vector3(1.0, -2.0, 0.0);
  const State drifting = assemble(model, start_state(model)).bodies;
  EXPECT_GT(momentum(model, kinematics_of(model, drifting).bodies()).linear.norm(), 1.0);
  const State state = assemble(model, start_state(model), {.zero_momentum = true}).bodies;
  const Momentum rest = momentum(model, kinematics_of(model, state).bodies());
  EXPECT_LE(rest.linear.norm() + rest.angular.norm(), 1e-13);
  for (const char* name : {"tail_hinge", "head_hinge"})
    EXPECT_NEAR(reading(model, state, name).rate, reading(model, drifting, name).rate, 1e-13);
  EXPECT_NEAR(reading(model, state, "tail_hinge").rate, -1.0, 1e-13);
  const std::string words = refusal(holding(model, {{"head.x", {}, 1.0}}), {.zero_momentum = true});
  EXPECT_NE(words.find("held head.x cannot have the rate 1 without momentum"), std::string::npos) << words;
  EXPECT_NE(refusal(example_model("four-bar"), {.zero_momentum = true}).find("nothing floats"), std::string::npos);
}

TEST(AssembleHeld, NamesAreFoundOrSuggested) {
  const Model model = example_model("bicycle");
  EXPECT_EQ(find_coordinate(model, "steer.angle").name, "steer");
  EXPECT_EQ(find_coordinate(model, "front_wheel.z").of, ModelStart::Of::z);
  for (const auto& [name, words] :
       {std::pair("fram.lean", "did you mean \"frame.lean\""), std::pair("steeer", "did you mean \"steer\""),
        std::pair("nothing", "write JOINT"), std::pair("frame", "there is no coordinate \"frame\"")}) {
    try {
      find_coordinate(model, name);
      ADD_FAILURE() << name;
    } catch (const std::out_of_range& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace tandem
