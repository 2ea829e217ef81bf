#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/read_text.hpp"
#include "tandem/io/model/examples.hpp"
#include "tandem/math/euler312.hpp"

namespace tandem {
namespace {

using std::numbers::pi;

constexpr std::string_view body_text = R"toml(
format = 1
name = "every-key"
title = "A body with every key"
gravity = [0, "-g", 0]

[parameters]
total = "2*half"      # used before it is given
half = 0.75
g = 1.62

[[world_frame]]
name = "ramp"
position = [1, 2, 3]
angles = [0, 0, "pi/6"]

[[body]]
name = "frame"
mass = "2*total"
center = [0.1, "half", -0.3]
inertia = [2, 3, 4, 0.1, "0.1*2", 0.3]
position = [1, 2, "half + 0.25"]
angles = ["pi/10", 0.2, 0.3]
velocity = [4.6, 0, 0]
angular_velocity = [0.5, 0, "-4.6/total"]

[[body.frame]]
name = "head"
position = [0.9, 0, 0.7]
quaternion = [0, 0, 1, 0]

[[body.frame]]
name = "seat"
z_axis = [1, 0, 0]
x_axis = [0, 0, -1]

[[body.shape]]
type = "box"
size = [1, 2, 3]
mass = 2
position = [0, 0, 1]
color = "#00fF7f"

[[body.shape]]
type = "cylinder"
radius = 0.1
length = "total"
density = 7800
axis = [0, 1, 0]
color = "steelblue"

[[body]]
name = "ball"
point_mass = true
mass = 1
)toml";

TEST(Reader, PutsEveryNumberOfABodyWhereItBelongs) {
  const ModelDescription in = read(body_text);
  EXPECT_EQ(in.name, "every-key");
  EXPECT_EQ(in.title, "A body with every key");
  EXPECT_EQ(in.gravity, Vector3(0, -1.62, 0));
  const std::vector<std::pair<std::string, double>> parameters{{"total", 1.5}, {"half", 0.75}, {"g", 1.62}};
  EXPECT_EQ(in.parameters, parameters);
  ASSERT_EQ(in.world_frames.size(), 1U);
  EXPECT_EQ(in.world_frames[0].position, Vector3(1, 2, 3));
  EXPECT_TRUE(in.world_frames[0].rotation.isApprox(rotation_about_y(pi / 6)));

  ASSERT_EQ(in.bodies.size(), 2U);
  const BodyDescription& body = in.bodies[0];
  EXPECT_EQ(body.mass, 3.0);
  EXPECT_EQ(body.center, Vector3(0.1, 0.75, -0.3));
  EXPECT_EQ(body.inertia, (std::array<double, 6>{2, 3, 4, 0.1, 0.2, 0.3}));
  EXPECT_EQ(body.position, Vector3(1, 2, 1));
  EXPECT_TRUE(body.rotation.isApprox(rotation_about_z(pi / 10) * rotation_about_x(0.2) * rotation_about_y(0.3)));
  EXPECT_EQ(body.velocity, Vector3(4.6, 0, 0));
  EXPECT_EQ(body.angular_velocity, Vector3(0.5, 0, -4.6 / 1.5));
  EXPECT_FALSE(body.point_mass);
  EXPECT_TRUE(in.bodies[1].point_mass);

  ASSERT_EQ(body.frames.size(), 2U);
  EXPECT_EQ(body.frames[0].name, "head");
  EXPECT_EQ(body.frames[0].position, Vector3(0.9, 0, 0.7));
  EXPECT_TRUE(body.frames[0].rotation.isApprox(rotation_about_z(pi)));
  EXPECT_EQ(body.frames[1].rotation.col(2), Vector3(1, 0, 0));
  EXPECT_EQ(body.frames[1].rotation.col(0), Vector3(0, 0, -1));

  ASSERT_EQ(body.shapes.size(), 2U);
  EXPECT_EQ(body.shapes[0].kind, ShapeKind::box);
  EXPECT_EQ(body.shapes[0].size, Vector3(1, 2, 3));
  EXPECT_EQ(body.shapes[0].mass, 2.0);
  EXPECT_EQ(body.shapes[0].position, Vector3(0, 0, 1));
  EXPECT_EQ(body.shapes[0].color, "#00fF7f");
  EXPECT_EQ(body.shapes[1].kind, ShapeKind::cylinder);
  EXPECT_EQ(body.shapes[1].radius, 0.1);
  EXPECT_EQ(body.shapes[1].length, 1.5);
  EXPECT_EQ(body.shapes[1].density, 7800.0);
  EXPECT_EQ(body.shapes[1].axis, Vector3(0, 1, 0));
}

TEST(Reader, ModelTakesMassCentreFromTheBodyFrame) {
  const Model model = read_model(body_text, "test.toml");
  const Body& body = model.bodies[0];
  const Matrix3 R = rotation_of_euler312<double>(Vector3(pi / 10, 0.2, 0.3));
  EXPECT_TRUE(body.X_WC.p.isApprox(Vector3(1, 2, 1) + R * Vector3(0.1, 0.75, -0.3)));
  EXPECT_EQ(body.inertia(0, 1), 0.1);
  EXPECT_EQ(body.inertia(2, 0), 0.2);
  EXPECT_EQ(body.inertia(1, 2), 0.3);
  EXPECT_TRUE(model.frame("frame", "head").X_CF.p.isApprox(Vector3(0.8, -0.75, 1.0)));
}

TEST(Reader, SetOverridesParametersAndWhatDependsOnThem) {
  ReadOptions options;
  options.set = {{"half", 2.0}};
  const ModelDescription in = read(body_text, options);
  EXPECT_EQ(in.bodies[0].mass, 8.0);
  EXPECT_EQ(in.parameters[0].second, 4.0);
}

TEST(Reader, DefaultsAreThoseOfAPlainModel) {
  const ModelDescription in = read("format = 1\n");
  EXPECT_EQ(in.name, "test");
  EXPECT_EQ(in.gravity, Vector3(0, 0, -9.81));
  EXPECT_EQ(in.simulation.step, 0.01);
}

TEST(Reader, KeepsThePlaceOfEveryKey) {
  const ModelDescription in = read("format = 1\n\n[[body]]\nname = \"a\"\n  mass = 1\ncenter = [0, 1, 2]\n");
  const Source& source = in.bodies[0].source;
  EXPECT_EQ(source.where.line, 3);
  EXPECT_EQ(source.where.column, 1);
  EXPECT_EQ(source.at("mass").line, 5);
  EXPECT_EQ(source.at("mass").column, 10);
  EXPECT_EQ(source.at("center[1]").column, 14);
  EXPECT_EQ(source.at("inertia").line, 3);  // not given: the table
}

TEST(Reader, WarnsOfWhatItNormalises) {
  const Model model = read_model(R"(format = 1
[[body]]
name = "a"
mass = 1
inertia = [1, 1, 1]
quaternion = [0, 0, 0, 2]
[[joint]]
name = "hinge"
type = "revolute"
bodies = ["world", "a"]
point = [0, 0, 0]
axis = [0, 3, 4]
)",
                                 "test.toml");
  ASSERT_EQ(model.warnings.size(), 2U);
  EXPECT_EQ(model.warnings[0].text(),
            "test.toml:6:14: warning: body \"a\": quaternion has length 2; it is used normalised");
  EXPECT_EQ(model.warnings[1].text(),
            "test.toml:12:8: warning: joint \"hinge\": axis has length 5; it is used normalised");
  EXPECT_TRUE(model.bodies[0].X_WC.R.isIdentity());
}

TEST(Reader, ExpressionsInTextOverSeveralLinesPointAtTheText) {
  Faults faults;
  read_description("format = 1\n[parameters]\na = \"\"\"\n1 + \nb\"\"\"\n", "test.toml", {}, faults);
  ASSERT_EQ(faults.list().size(), 1U);
  EXPECT_EQ(faults.list()[0].where.line, 3);
  EXPECT_EQ(faults.list()[0].where.column, 5);
}

TEST(Reader, FaultsComeInTheOrderOfTheFile) {
  try {
    read_model("format = 1\n[[joint]]\nname = \"j\"\ntype = \"x\"\n[[body]]\nname = \"a\"\nmass = -1\nfoo = 1\n",
               "test.toml");
    FAIL();
  } catch (const ModelError& error) {
    std::vector<int> lines;
    for (const Fault& fault : error.faults().list()) lines.push_back(fault.where.line);
    EXPECT_EQ(lines, (std::vector<int>{2, 4, 7, 8}));  // bodies of the joint, its type, the mass, the key
  }
}

TEST(Files, ThatCannotBeReadAreNamed) {
  try {
    load_model("/no/such/place/model.toml");
    FAIL();
  } catch (const FileError& error) {
    EXPECT_STREQ(error.what(), "cannot read \"/no/such/place/model.toml\": No such file or directory");
  }
  EXPECT_THROW(load_model("/"), FileError);
}

TEST(Files, ExamplesAreFoundByNameAndSuggested) {
  if (embedded_examples().empty()) GTEST_SKIP() << "no examples are shipped";
  const std::string name(embedded_examples()[0].name);
  EXPECT_NE(find_example(name), nullptr);
  EXPECT_EQ(find_example(name + ".toml"), nullptr);
  try {
    load_model_or_example(name + "x");
    FAIL();
  } catch (const FileError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean \"" + name), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace tandem
