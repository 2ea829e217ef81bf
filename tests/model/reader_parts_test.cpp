// A model with every kind of table: each number must land where it belongs.
#include <gtest/gtest.h>

#include <numbers>

#include "support/read_text.hpp"

namespace tandem {
namespace {

using std::numbers::pi;

constexpr std::string_view parts_text = R"toml(
format = 1

[parameters]
w = 2
k = 40

[[world_frame]]
name = "post"
position = [0, 0, 1]

[[body]]
name = "a"
mass = 1
inertia = [1, 1, 1]

[[body.frame]]
name = "tip"
position = [0, 1, 0]

[[body]]
name = "b"
mass = 1
inertia = [1, 1, 1]
position = [3, 0, 0]

[[joint]]
name = "cardan"
type = "universal"
bodies = ["world", "a"]
point = [0, "w", 0]
axis = [0, 0, 1]
second_axis = [1, 0, 0]

[[joint]]
name = "screw"
type = "helical"
bodies = ["a", "b"]
frames = ["tip", { position = [0, 0, "w"], angles = [1, 0, 0] }]
pitch = "w/100"

[[joint]]
name = "slide"
type = "cylindrical"
bodies = ["world", "b"]
frames = ["post", { position = [0, 0, 0] }]

[[constraint]]
name = "link"
type = "distance"
bodies = ["a", "b"]
points = [[0, 0, 0], [3, 0, 4]]
length = "5 + 0.1*sin(w*t)"

[[constraint]]
name = "gear"
type = "coupler"
joints = ["screw", "slide"]
coordinates = ["angle", "displacement"]
coefficients = [1, "-w"]
offset = 0.25

[[constraint]]
name = "turntable"
type = "constant_speed"
joint = "cardan"
coordinate = "first"
speed = "w*pi"

[[constraint]]
name = "tyre"
type = "wheel"
bodies = ["world", "b"]
radius = 0.5
crown = 0.1
axis = [0, 1, 0]
plane_point = [0, 0, -0.5]
normal = [0, 0, 1]

[[constraint]]
name = "skate"
type = "knife_edge"
bodies = ["world", "a"]
point = [0, 0, 0.5]
blade = [0, 1, 0]

[[force]]
type = "spring_damper"
bodies = ["a", "b"]
points = [[0, 0, 0], [3, 0, 0]]
stiffness = "k"
damping = 2
length = 1

[[force]]
type = "spring_damper"
bodies = ["world", "b"]
stiffness = "2*k"

[[force]]
name = "push"
type = "force"
body = "b"
point = [3, 0, 1]
value = [1, "2*t", "k"]
axes = "body"

[[force]]
type = "joint"
joint = "slide"
coordinate = "angle"
stiffness = 3
rest = 0.5
effort = "cos(t)"

[[drive]]
joint = "screw"
type = "ramp"
from = 0
to = "pi"
duration = 2

[[drive]]
name = "lift"
joint = "slide"
coordinate = "displacement"
type = "table"
points = [[0, 0], [1, "w"], [2, 1]]

[[drive]]
joint = "cardan"
coordinate = "second"
type = "function"
value = "w*t^2"

[[output]]
name = "height"
quantity = "position"
body = "b"
component = "z"
point = [3, 0, "w"]

[simulation]
step = "1/500"
duration = 4
stabilisation = "none"
)toml";

TEST(ReaderParts, PutsEveryNumberOfJointsAndConstraintsWhereItBelongs) {
  const ModelDescription in = read(parts_text);
  ASSERT_EQ(in.joints.size(), 3U);
  EXPECT_EQ(in.joints[0].bodies, (std::array<std::string, 2>{"world", "a"}));
  EXPECT_EQ(in.joints[0].point, Vector3(0, 2, 0));
  EXPECT_EQ(in.joints[0].axis, Vector3(0, 0, 1));
  EXPECT_EQ(in.joints[0].second_axis, Vector3(1, 0, 0));
  ASSERT_TRUE(in.joints[1].frames);
  EXPECT_EQ((*in.joints[1].frames)[0].name, "tip");
  EXPECT_EQ((*in.joints[1].frames)[1].position, Vector3(0, 0, 2));
  EXPECT_TRUE((*in.joints[1].frames)[1].rotation.isApprox(rotation_about_z(1.0)));
  const Joint& screw = std::get<Joint>(in.joints[1].type);
  EXPECT_DOUBLE_EQ(screw.on<double>().pose(VecUpTo7<double>::Constant(1, 3.0)).p.z(), 0.06);

  ASSERT_EQ(in.constraints.size(), 5U);
  EXPECT_EQ(in.constraints[0].points, (std::vector<Vector3>{{0, 0, 0}, {3, 0, 4}}));
  const auto& gear = std::get<Coupler>(in.constraints[1].type);
  ASSERT_EQ(gear.coordinates.size(), 2U);
  EXPECT_EQ(gear.coordinates[1].joint, "slide");
  EXPECT_EQ(gear.coordinates[1].coordinate, "displacement");
  EXPECT_EQ(gear.coefficients, (std::vector<double>{1, -2}));
  EXPECT_EQ(gear.offset, 0.25);
  const auto& turntable = std::get<ConstantSpeed>(in.constraints[2].type);
  EXPECT_EQ(turntable.coordinate.coordinate, "first");
  EXPECT_DOUBLE_EQ(turntable.speed, 2 * pi);
  EXPECT_EQ(in.constraints[3].axis, Vector3(0, 1, 0));
  EXPECT_EQ(in.constraints[3].plane_point, Vector3(0, 0, -0.5));
  EXPECT_EQ(in.constraints[3].normal, Vector3(0, 0, 1));
  EXPECT_EQ(in.constraints[4].points, (std::vector<Vector3>{{0, 0, 0.5}}));
  EXPECT_EQ(in.constraints[4].blade, Vector3(0, 1, 0));
}

TEST(ReaderParts, PutsEveryNumberOfForcesDrivesAndOutputsWhereItBelongs) {
  const ModelDescription in = read(parts_text);
  ASSERT_EQ(in.forces.size(), 4U);
  EXPECT_EQ(in.forces[0].name, "spring_damper 1");
  EXPECT_EQ(in.forces[1].name, "spring_damper 2");
  EXPECT_EQ(in.forces[2].name, "push");
  EXPECT_EQ(in.forces[3].name, "joint 1");
  EXPECT_EQ(in.forces[0].bodies, (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(in.forces[1].points.empty());
  EXPECT_EQ(in.forces[2].bodies, (std::vector<std::string>{"b"}));
  EXPECT_EQ(in.forces[2].points, (std::vector<Vector3>{{3, 0, 1}}));
  EXPECT_EQ(in.forces[3].coordinates[0].joint, "slide");
  EXPECT_EQ(in.forces[3].coordinates[0].coordinate, "angle");
  Attachments<double> at;
  at.points.resize(1);
  Loads<double> loads;
  loads.reset(1, 0);
  in.forces[2].type.apply<double>(at, 3.0, loads);
  EXPECT_EQ(loads.forces[0], Vector3(1, 6, 40));

  ASSERT_EQ(in.drives.size(), 3U);
  EXPECT_EQ(in.drives[0].name, "screw");
  EXPECT_EQ(in.drives[1].name, "lift");
  EXPECT_EQ(in.drives[2].name, "cardan.second");
  EXPECT_DOUBLE_EQ(in.drives[0].type.motion<double>(5.0).value, pi);
  EXPECT_DOUBLE_EQ(in.drives[1].type.motion<double>(1.0).value, 2.0);
  const Jet<double> jet = in.drives[2].type.motion<double>(3.0);
  EXPECT_DOUBLE_EQ(jet.value, 18.0);
  EXPECT_DOUBLE_EQ(jet.rate, 12.0);
  EXPECT_DOUBLE_EQ(jet.acceleration, 4.0);

  ASSERT_EQ(in.outputs.size(), 1U);
  EXPECT_EQ(in.outputs[0].quantity, "position");
  EXPECT_EQ(in.outputs[0].body, "b");
  EXPECT_EQ(in.outputs[0].component, "z");
  EXPECT_EQ(in.outputs[0].point, Vector3(3, 0, 2));
  EXPECT_DOUBLE_EQ(in.simulation.step, 0.002);
  EXPECT_EQ(in.simulation.duration, 4.0);
  EXPECT_EQ(in.simulation.stabilisation, "none");
  EXPECT_EQ(in.simulation.method, "auto");
}

TEST(ReaderParts, FullModelCompiles) {
  const Model model = read_model(parts_text, "some/place/parts.toml");
  EXPECT_EQ(model.name, "parts");
  EXPECT_EQ(model.file, "some/place/parts.toml");
  EXPECT_EQ(model.rows, 4 + 5 + 4 + 1 + 1 + 1 + 3 + 1 + 3);
  EXPECT_TRUE(model.warnings.empty());
}

}  // namespace
}  // namespace tandem
