// What a named coordinate reads: rate = d value/dt and acceleration = d rate/dt by duals along the motion, for every
// speed of every joint, points off the mass centre, and the three angles of a body.
#include "tandem/observe/coordinate_reading.hpp"

#include "support/example_model.hpp"
#include "support/pair_model.hpp"
#include "tandem/dynamics/tangent.hpp"
#include "tandem/model/coordinate_names.hpp"

namespace tandem::test {
namespace {

using Of = ModelStart::Of;

// All that can be read of a model: speeds of joints (also those that belong to no coordinate), points and angles.
std::vector<ModelStart> all_readings(const Model& model, const Vector3& offset) {
  std::vector<ModelStart> all;
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    if (!model.joints[i].joint() || model.joints[i].positions_only) continue;
    const auto& coordinates = model.joints[i].joint()->traits().coordinates;
    for (std::size_t k = 0; k < coordinates.size(); ++k) {
      ModelStart what;
      what.name = model.joints[i].name + "." + std::string(coordinates[k].name);
      what.coordinate = {static_cast<int>(i), static_cast<int>(k), 1.0};
      all.push_back(what);
    }
  }
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    for (const Of of : {Of::x, Of::y, Of::z, Of::yaw, Of::lean, Of::pitch}) {
      ModelStart what;
      what.of = of;
      if (what.is_angle_of_body() && model.bodies[i].point_mass) continue;
      what.name = model.bodies[i].name + " " + std::to_string(static_cast<int>(of));
      what.point.body = static_cast<int>(i);
      if (!model.bodies[i].point_mass) what.point.X_CF.p = offset;
      all.push_back(what);
    }
  return all;
}

bool has_value(const Model& model, const ModelStart& what) {
  return what.of != Of::joint || model_coordinate(model.joints[static_cast<std::size_t>(what.coordinate.joint)],
                                                  what.coordinate.coordinate) >= 0;
}

Kinematics<double> kinematics_of(const Model& model, const State& state) {
  Kinematics<double> kinematics(model);
  kinematics.update(model, state.t, state.q(), state.v(), state.angles());
  return kinematics;
}

// At a state that meets its constraints, with accelerations that keep them.
void check_rates(const Model& model, const State& state, const Eigen::VectorXd& y, double tolerance) {
  const Kinematics<double> kinematics = kinematics_of(model, state);
  Tangent along(model);
  along.update_kinematics(state, {state.v(), y, 1.0});
  for (const ModelStart& what : all_readings(model, {0.3, -0.2, 0.5})) {
    const CoordinateReading<double> read = read_coordinate(model, what, kinematics, &y);
    const CoordinateReading<D> moving = read_coordinate(model, what, along.kinematics());
    EXPECT_TRUE(near(moving.value.value, read.value, 1e-14)) << what.name;
    if (has_value(model, what)) {
      EXPECT_TRUE(near(moving.value.derivative, read.rate, tolerance)) << what.name;
    }
    EXPECT_TRUE(near(moving.rate.derivative, read.acceleration, tolerance)) << what.name;
    EXPECT_TRUE(near(rate_row(model, what, kinematics).dot(state.v()), read.rate, tolerance)) << what.name;
    EXPECT_EQ(read_coordinate(model, what, kinematics).acceleration, 0.0) << what.name;
  }
}

class CoordinateReadings : public testing::TestWithParam<PairCase> {};

TEST_P(CoordinateReadings, RatesAndAccelerationsAreDerivatives) {
  Random random(31);
  for (const First first : {First::world, First::body})
    for (unsigned number = 1; number <= 3; ++number) {
      const PairModel pair = pair_model(GetParam(), first, GetParam().allowed(random), number);
      check_rates(pair.model, pair.state, acceleration(pair.model, pair.state), 1e-11);
    }
}

std::vector<PairCase> all_joints() {
  std::vector<PairCase> joints;
  for (const PairCase& pair : all_pairs())
    if (pair.joint()) joints.push_back(pair);
  return joints;
}
INSTANTIATE_TEST_SUITE_P(Joints, CoordinateReadings, testing::ValuesIn(all_joints()), PairName());

TEST(CoordinateReading, OfEveryExampleOnItsWay) {
  for (const EmbeddedExample& example : embedded_examples()) {
    SCOPED_TRACE(example.name);
    const Model model = example_model(std::string(example.name));
    Simulation simulation(model);
    advance(simulation, 0.1 * one_second(model), 0.01 * one_second(model));
    check_rates(model, simulation.bodies(), simulation.solution().y, 1e-10);
  }
}

// Where accelerations change too, by central differences: what a linearisation reads.
TEST(CoordinateReading, ChangesWithStateAndAccelerations) {
  Random random(32);
  Builder build;
  build.body(general_body("a", random, random_pose(random))).body(general_body("b", random, random_pose(random)));
  build.joint({.name = "free",
               .type = Free{},
               .bodies = {"a", "b"},
               .frames = std::array{placement_of(random_pose(random)), placement_of(random_pose(random))}});
  const Model model = build.finish();
  const State state = start_state(model);
  const auto y = random.vector<Eigen::VectorXd>(model.nv), y_change = random.vector<Eigen::VectorXd>(model.nv);
  const Direction along{random.vector<Eigen::VectorXd>(model.nv), random.vector<Eigen::VectorXd>(model.nv), 0.0};
  Tangent tangent(model);
  tangent.update_kinematics(state, along);
  const VecX<D> moving_y = seed(y, y_change);
  const auto at = [&](const ModelStart& what, double e) {
    State moved = state;
    retract(model, e * along.q, moved.q());
    moved.v() += e * along.v;
    const Eigen::VectorXd moved_y = y + e * y_change;
    return read_coordinate(model, what, kinematics_of(model, moved), &moved_y);
  };
  for (const ModelStart& what : all_readings(model, {0.1, 0.4, -0.3})) {
    const CoordinateReading<D> read = read_coordinate(model, what, tangent.kinematics(), &moving_y);
    const auto difference = [&](double CoordinateReading<double>::*part) {
      const auto central = [&](double e) { return (at(what, e).*part - at(what, -e).*part) / (2.0 * e); };
      return (4.0 * central(5e-4) - central(1e-3)) / 3.0;
    };
    EXPECT_NEAR(read.value.derivative, difference(&CoordinateReading<double>::value), 1e-9) << what.name;
    EXPECT_NEAR(read.rate.derivative, difference(&CoordinateReading<double>::rate), 1e-9) << what.name;
    EXPECT_NEAR(read.acceleration.derivative, difference(&CoordinateReading<double>::acceleration), 1e-9) << what.name;
  }
}

TEST(CoordinateReading, AnglesAreRadiansAndPlacesMetres) {
  const Model model = example_model("bicycle");
  for (const char* name : {"steer", "frame.yaw", "frame.lean", "frame.pitch", "rear_hub"})
    EXPECT_TRUE(is_angular(model, find_coordinate(model, name))) << name;
  for (const char* name : {"frame.x", "fork.y", "frame.z"})
    EXPECT_FALSE(is_angular(model, find_coordinate(model, name))) << name;
  const Model swimmer = example_model("swimmer");
  EXPECT_FALSE(is_angular(swimmer, find_coordinate(swimmer, "plane.x")));
  EXPECT_TRUE(is_angular(swimmer, find_coordinate(swimmer, "plane.angle")));
}

// Of a wheel that rolls: its hub moves with v = ω r, and the rim above the contact with twice that.
TEST(CoordinateReading, OfARollingWheelByHand) {
  const Model model = example_model("bicycle", {{"v", 3.0}, {"lean_rate", 0.0}});
  const Kinematics<double> kinematics = kinematics_of(model, start_state(model));
  ModelStart top = find_coordinate(model, "rear_wheel.x");
  EXPECT_NEAR(read_coordinate(model, top, kinematics).rate, 3.0, 1e-14);
  top.point.X_CF.p = Vector3(0.0, 0.0, 0.3);
  EXPECT_NEAR(read_coordinate(model, top, kinematics).rate, 6.0, 1e-14);
  EXPECT_NEAR(read_coordinate(model, find_coordinate(model, "rear_hub"), kinematics).rate, 10.0, 1e-13);
  // Without acceleration of the hub the rim is pulled inwards by v²/r.
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(model.nv);
  ModelStart height = find_coordinate(model, "rear_wheel.z");
  height.point = top.point;
  EXPECT_NEAR(read_coordinate(model, height, kinematics, &none).acceleration, -30.0, 1e-12);
}

}  // namespace
}  // namespace tandem::test
