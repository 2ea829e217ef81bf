// The C++ builder is told the same as the file, word for word; only the place is missing.
#include "tandem/model/builder.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "tandem/constraints/wheel.hpp"
#include "tandem/drives/constant_speed.hpp"
#include "tandem/drives/hold.hpp"
#include "tandem/forces/spring_damper.hpp"
#include "tandem/io/model/model_file.hpp"
#include "tandem/joints/helical.hpp"
#include "tandem/joints/revolute.hpp"
#include "tandem/joints/universal.hpp"

namespace tandem {
namespace {

std::vector<std::string> messages(const std::function<Model()>& make) {
  std::vector<std::string> result;
  try {
    make();
  } catch (const ModelError& error) {
    for (const Fault& fault : error.faults().list()) result.push_back(fault.object + ": " + fault.message);
  }
  return result;
}

// One way to say something in a file and in C++.
struct Twin {
  const char* name;
  std::string text;
  std::function<void(Builder&)> build;
};

void PrintTo(const Twin& twin, std::ostream* out) { *out << twin.name; }

const char* const rod_text = "format = 1\n[[body]]\nname = \"rod\"\nmass = 1\ninertia = [1, 1, 1]\n";
void add_rod(Builder& build) { build.body({.name = "rod", .mass = 1.0, .inertia = {{1, 1, 1, 0, 0, 0}}}); }

const std::string hinge_text =
    std::string(rod_text) +
    "[[joint]]\nname = \"hinge\"\ntype = \"revolute\"\nbodies = [\"world\", \"rod\"]\npoint = [0, 0, 0]\n"
    "axis = [0, 1, 0]\n";
JointDescription hinge(Joint type) {
  return {.name = "hinge",
          .type = std::move(type),
          .bodies = {"world", "rod"},
          .point = Vector3(0, 0, 0),
          .axis = Vector3(0, 1, 0)};
}

std::vector<Twin> twins() {
  const auto with = [](std::string text, std::string_view from, std::string_view to) {
    return text.replace(text.find(from), from.size(), to);
  };
  return {
      {"NoBody", "format = 1\n", [](Builder&) {}},
      {"NegativeMass", with(rod_text, "mass = 1", "mass = -2"),
       [](Builder& build) {
         build.body({.name = "rod", .mass = -2.0, .inertia = {{1, 1, 1, 0, 0, 0}}});
       }},
      {"Triangle", with(rod_text, "[1, 1, 1]", "[3, 1, 1]"),
       [](Builder& build) {
         build.body({.name = "rod", .mass = 1.0, .inertia = {{3, 1, 1, 0, 0, 0}}});
       }},
      {"NoInertia", with(rod_text, "inertia = [1, 1, 1]\n", ""),
       [](Builder& build) { build.body({.name = "rod", .mass = 1.0}); }},
      {"Shape", with(rod_text, "inertia = [1, 1, 1]", "shape = { type = \"disc\", radius = -1, color = \"rad\" }"),
       [](Builder& build) {
         Shape disc = Shape::disc(-1.0);
         disc.color = "rad";
         build.body({.name = "rod", .mass = 1.0, .shapes = {disc}});
       }},
      {"NameTaken", std::string(rod_text) + std::string(rod_text).substr(std::string("format = 1\n").size()),
       [](Builder& build) {
         add_rod(build);
         add_rod(build);
       }},
      {"UnknownBody", with(hinge_text, "\"world\", \"rod\"", "\"world\", \"rodd\""),
       [](Builder& build) {
         add_rod(build);
         JointDescription joint = hinge(Revolute{});
         joint.bodies[1] = "rodd";
         build.joint(joint);
       }},
      {"SelfJoint", with(hinge_text, "\"world\", \"rod\"", "\"rod\", \"rod\""),
       [](Builder& build) {
         add_rod(build);
         JointDescription joint = hinge(Revolute{});
         joint.bodies[0] = "rod";
         build.joint(joint);
       }},
      {"ZeroAxis", with(hinge_text, "[0, 1, 0]", "[0, 0, 0]"),
       [](Builder& build) {
         add_rod(build);
         JointDescription joint = hinge(Revolute{});
         joint.axis = Vector3(0, 0, 0);
         build.joint(joint);
       }},
      {"AxesNotPerpendicular", with(hinge_text, "\"revolute\"", "\"universal\"") + "second_axis = [0, 1, 0]\n",
       [](Builder& build) {
         add_rod(build);
         JointDescription joint = hinge(Universal{});
         joint.second_axis = Vector3(0, 1, 0);
         build.joint(joint);
       }},
      {"Pitch", with(hinge_text, "\"revolute\"", "\"helical\"\npitch = 0"),
       [](Builder& build) {
         add_rod(build);
         build.joint(hinge(Helical{}));
       }},
      {"Wheel",
       std::string(rod_text) +
           "[[constraint]]\nname = \"tyre\"\ntype = \"wheel\"\nbodies = [\"world\", \"rod\"]\nradius = 0.3\n"
           "crown = 0.4\n",
       [](Builder& build) {
         add_rod(build);
         build.constraint(
             {.name = "tyre", .type = Constraint(Wheel{.radius = 0.3, .crown = 0.4}), .bodies = {"world", "rod"}});
       }},
      {"TwoDrives",
       hinge_text + "[[drive]]\njoint = \"hinge\"\ntype = \"hold\"\n[[drive]]\nname = \"motor\"\njoint = \"hinge\"\n"
                    "type = \"constant_speed\"\nspeed = 1\n",
       [](Builder& build) {
         add_rod(build);
         build.joint(hinge(Revolute{}));
         build.drive({.name = "hinge", .type = Hold{}, .coordinate = {"hinge", ""}});
         build.drive({.name = "motor", .type = ConstantSpeedDrive{.speed = 1.0}, .coordinate = {"hinge", ""}});
       }},
      {"ForceBodies",
       std::string(rod_text) + "[[force]]\nname = \"spring\"\ntype = \"spring_damper\"\nbody = \"rod\"\n",
       [](Builder& build) {
         add_rod(build);
         build.force({.name = "spring", .type = SpringDamper{}, .bodies = {"rod"}});
       }},
      {"Output", std::string(rod_text) + "[[output]]\nname = \"x\"\nquantity = \"velocty\"\nbody = \"rod\"\n",
       [](Builder& build) {
         add_rod(build);
         build.output({.name = "x", .quantity = "velocty", .body = "rod"});
       }},
      {"Simulation", std::string(rod_text) + "[simulation]\nmethod = \"magic\"\nstep = -1\n",
       [](Builder& build) {
         add_rod(build);
         build.simulation({.method = "magic", .step = -1.0});
       }},
  };
}

class BuilderMessages : public testing::TestWithParam<Twin> {};

TEST_P(BuilderMessages, AreThoseOfTheFile) {
  const Twin& twin = GetParam();
  Builder build;
  twin.build(build);
  const auto from_file = messages([&] { return read_model(twin.text, "test.toml"); });
  const auto from_builder = messages([&] { return build.finish(); });
  EXPECT_FALSE(from_file.empty());
  EXPECT_EQ(from_file, from_builder);
}

std::string twin_name(const testing::TestParamInfo<Twin>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Twins, BuilderMessages, testing::ValuesIn(twins()), twin_name);

TEST(Builder, MakesTheModelOfTheFile) {
  Builder build("test");
  add_rod(build);
  build.joint(hinge(Revolute{}));
  const Model built = build.finish(), read = read_model(hinge_text, "test.toml");
  EXPECT_EQ(built.name, read.name);
  EXPECT_EQ(built.nq, read.nq);
  EXPECT_EQ(built.rows, read.rows);
  EXPECT_EQ(built.bodies[0].inertia, read.bodies[0].inertia);
  EXPECT_EQ(built.joints[0].second.X_CF.R, read.joints[0].second.X_CF.R);
}

}  // namespace
}  // namespace tandem
