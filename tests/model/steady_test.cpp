// The tables [steady] and [linearize]: what may be written, by file and by builder, and how names are understood.
#include <gtest/gtest.h>

#include <numbers>

#include "tandem/io/model/examples.hpp"
#include "tandem/io/model/model_file.hpp"
#include "tandem/model/coordinate_names.hpp"
#include "tandem/tandem.hpp"

namespace tandem {
namespace {

using std::numbers::pi;
using Of = ModelStart::Of;
using What = ModelReading::What;

const std::string machine_text = R"toml(format = 1

[parameters]
tilt = 0.1
speed = 5

[[body]]
name = "frame"
mass = 1.0
inertia = [0.1, 0.2, 0.3]
velocity = ["speed", 0, 0]

[[body]]
name = "wheel"
mass = "1 + tilt"
inertia = [0.1, 0.2, 0.1]

[[body]]
name = "dot"
mass = 1.0
point_mass = true

[[joint]]
name = "rear_hub"
type = "revolute"
bodies = ["frame", "wheel"]
point = [0, 0, 0]
axis = [0, 1, 0]

[[joint]]
name = "slide"
type = "cylindrical"
bodies = ["world", "frame"]
point = [0, 0, 0]
axis = [1, 0, 0]

[[drive]]
name = "motor"
joint = "slide"
coordinate = "angle"
type = "hold"

[[output]]
name = "lean"
quantity = "lean"
body = "frame"

[[output]]
name = "hub_speed"
quantity = "velocity"
body = "wheel"

[[output]]
name = "rise"
quantity = "velocity"
body = "frame"
component = "z"

[[output]]
name = "power"
quantity = "energy"
)toml";

Model machine(const std::string& more, const ReadOptions& options = {}) {
  return read_model(machine_text + more, "test.toml", options);
}

std::string refusal(const std::function<void()>& act) {
  try {
    act();
  } catch (const std::exception& error) {
    return error.what();
  }
  ADD_FAILURE() << "it was accepted";
  return "";
}

constexpr const char* steady_text = R"toml(
[steady]
hold = ["lean", "rear_hub.rate", "frame.lean = pi/18", "wheel.pitch=2*tilt", "  slide.displacement.rate  =  -speed ",
        "hub_speed = 4", "rise", "frame.x"]
symmetry = ["x", "yaw"]

[linearize]
states = ["lean", "slide.displacement"]
inputs = ["motor", "rear_hub"]
outputs = ["power", "lean"]
)toml";

TEST(SteadyTable, EveryFormOfHoldIsRead) {
  const Model model = machine(steady_text);
  struct Wanted {
    const char* name;
    What what;
    Of of;
    std::optional<double> value;
  };
  const std::vector<Wanted> wanted{{"lean", What::value, Of::lean, {}},
                                   {"rear_hub.rate", What::rate, Of::joint, {}},
                                   {"frame.lean", What::value, Of::lean, pi / 18},
                                   {"wheel.pitch", What::value, Of::pitch, 0.2},
                                   {"slide.displacement.rate", What::rate, Of::joint, -5.0},
                                   {"hub_speed", What::speed, Of::x, 4.0},
                                   {"rise", What::rate, Of::z, {}},
                                   {"frame.x", What::value, Of::x, {}}};
  ASSERT_EQ(model.held_steady.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const ModelHold& held = model.held_steady[i];
    EXPECT_EQ(held.of.name, wanted[i].name);
    EXPECT_EQ(held.of.what, wanted[i].what) << wanted[i].name;
    EXPECT_EQ(held.of.coordinate.of, wanted[i].of) << wanted[i].name;
    EXPECT_EQ(held.value, wanted[i].value) << wanted[i].name;
  }
  EXPECT_EQ(model.symmetries, (std::vector<std::string>{"x", "yaw"}));
  EXPECT_EQ(model.linearize.states, (std::vector<std::string>{"lean", "slide.displacement"}));
  EXPECT_EQ(model.linearize.inputs, (std::vector<std::string>{"motor", "rear_hub"}));
  EXPECT_EQ(model.linearize.outputs, (std::vector<std::string>{"power", "lean"}));
}

TEST(SteadyTable, ValuesFollowTheParameters) {
  ReadOptions options;
  options.set = {{"tilt", 0.25}, {"speed", 3.0}};
  const Model model = machine(steady_text, options);
  EXPECT_EQ(model.held_steady[3].value, 0.5);
  EXPECT_EQ(model.held_steady[4].value, -3.0);
}

TEST(SteadyTable, WithoutTablesNothingIsHeldAndAllSymmetriesCount) {
  const Model model = machine("");
  EXPECT_TRUE(model.held_steady.empty());
  EXPECT_FALSE(model.symmetries.has_value());
  EXPECT_TRUE(model.linearize.states.empty());
  const Model empty = machine("[steady]\nhold = []\nsymmetry = []\n[linearize]\n");
  EXPECT_TRUE(empty.held_steady.empty());
  ASSERT_TRUE(empty.symmetries.has_value());
  EXPECT_TRUE(empty.symmetries->empty());
}

Builder rod_and_hinge() {
  Builder build("test");
  build.body({.name = "rod", .mass = 1.0, .inertia = {{1, 2, 3, 0, 0, 0}}});
  build.joint({.name = "hinge",
               .type = Revolute{},
               .bodies = {"world", "rod"},
               .point = Vector3(0, 0, 0),
               .axis = Vector3(0, 1, 0)});
  return build;
}
constexpr const char* rod_and_hinge_text =
    "format = 1\n[[body]]\nname = \"rod\"\nmass = 1\ninertia = [1, 2, 3]\n[[joint]]\nname = \"hinge\"\n"
    "type = \"revolute\"\nbodies = [\"world\", \"rod\"]\npoint = [0, 0, 0]\naxis = [0, 1, 0]\n";

TEST(SteadyTable, TheBuilderGivesTheSame) {
  Builder build = rod_and_hinge();
  build.steady({.hold = {{"hinge", 0.5}, {"rod.pitch.rate", {}}}, .symmetry = std::vector<std::string>{"yaw"}});
  build.linearize({.states = {"hinge"}, .inputs = {"rod.pitch"}, .outputs = {}});
  const Model built = build.finish();
  const Model read = read_model(std::string(rod_and_hinge_text) +
                                    "[steady]\nhold = [\"hinge = 0.5\", \"rod.pitch.rate\"]\nsymmetry = [\"yaw\"]\n"
                                    "[linearize]\nstates = [\"hinge\"]\ninputs = [\"rod.pitch\"]\n",
                                "test.toml");
  ASSERT_EQ(built.held_steady.size(), 2U);
  ASSERT_EQ(read.held_steady.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(built.held_steady[i].of.name, read.held_steady[i].of.name);
    EXPECT_EQ(built.held_steady[i].of.what, read.held_steady[i].of.what);
    EXPECT_EQ(built.held_steady[i].value, read.held_steady[i].value);
  }
  EXPECT_EQ(built.symmetries, read.symmetries);
  EXPECT_EQ(built.linearize.states, read.linearize.states);
  EXPECT_EQ(built.linearize.inputs, read.linearize.inputs);
  EXPECT_EQ(built.linearize.outputs, read.linearize.outputs);
}

TEST(SteadyTable, TheBuilderIsToldTheSameAsTheFile) {
  Builder build = rod_and_hinge();
  build.steady({.hold = {{"hige", {}}, {"rod.lena", 0.5}}});
  build.linearize({.states = {"hinge.rate"}, .inputs = {"moter"}, .outputs = {"power"}});
  const auto messages = [](const std::function<void()>& act) {
    std::vector<std::string> list;
    try {
      act();
    } catch (const ModelError& error) {
      for (const Fault& fault : error.faults().list()) list.push_back(fault.object + ": " + fault.message);
    }
    return list;
  };
  const auto told = messages([&] { build.finish(); });
  EXPECT_EQ(told.size(), 5U);
  EXPECT_EQ(told, messages([] {
              read_model(std::string(rod_and_hinge_text) +
                             "[steady]\nhold = [\"hige\", \"rod.lena = 0.5\"]\n[linearize]\n"
                             "states = [\"hinge.rate\"]\ninputs = [\"moter\"]\noutputs = [\"power\"]\n",
                         "test.toml");
            }));
}

TEST(SteadyTable, ValuesFromCppMustBeFinite) {
  Builder build = rod_and_hinge();
  build.steady({.hold = {{"hinge", std::numeric_limits<double>::infinity()}}});
  EXPECT_NE(refusal([&] { build.finish(); }).find("the value of \"hinge\" must be a finite number"), std::string::npos);
}

TEST(CoordinateNames, OfJointsBodiesAndOutputs) {
  const Model model = machine("");
  EXPECT_EQ(find_coordinate(model, "rear_hub").name, "rear_hub");
  EXPECT_EQ(find_coordinate(model, "rear_hub.angle").name, "rear_hub");  // its only one
  EXPECT_EQ(find_coordinate(model, "slide.displacement").coordinate.joint, 1);
  EXPECT_EQ(find_coordinate(model, "wheel.yaw").point.body, 1);
  EXPECT_EQ(find_coordinate(model, "dot.z").of, Of::z);
  EXPECT_EQ(find_reading(model, "rear_hub.angle.rate").what, What::rate);
  EXPECT_EQ(find_reading(model, "lean.rate").what, What::rate);
  EXPECT_EQ(find_reading(model, "lean.rate").name, "lean.rate");
  EXPECT_EQ(find_reading(model, "hub_speed").what, What::speed);
}

TEST(CoordinateNames, ThatAreNoneAreRefusedWithHelp) {
  const Model model = machine("");
  const auto told = [&](const char* name) { return refusal([&] { find_reading(model, name); }); };
  EXPECT_EQ(told("slide"),
            "there is no coordinate \"slide\"; joint \"slide\" has \"slide.angle\" or \"slide.displacement\"");
  EXPECT_EQ(told("slide.x"),
            "there is no coordinate \"slide.x\"; joint \"slide\" has \"slide.angle\" or \"slide.displacement\"");
  EXPECT_NE(told("somewhere").find("; write JOINT, JOINT.COORDINATE, or BODY.x, y, z, yaw, lean or pitch"),
            std::string::npos);
  EXPECT_EQ(told("slide.displacment"),
            "there is no coordinate \"slide.displacment\"; did you mean \"slide.displacement\"?");
  EXPECT_EQ(told("dot.yaw").rfind("there is no coordinate \"dot.yaw\"", 0), 0U) << "a point mass has no angles";
  EXPECT_EQ(told("power"), "output \"power\" is no coordinate, rate or speed");
  EXPECT_EQ(told("power.rate"), "output \"power\" is no coordinate, rate or speed");
  EXPECT_EQ(told("rise.rate"), "output \"rise\" is a rate already: write it without .rate");
  EXPECT_EQ(told(".rate").rfind("there is no coordinate \".rate\"", 0), 0U);
  EXPECT_EQ(told("").rfind("there is no coordinate \"\"", 0), 0U);
  EXPECT_EQ(refusal([&] { find_coordinate(model, "hub_speed"); }).rfind("there is no coordinate \"hub_speed\"", 0), 0U);
}

TEST(ParsedModel, ReadsWhatReadModelReads) {
  for (const EmbeddedExample& example : embedded_examples()) {
    const std::string text(example.text), name = std::string(example.name) + ".toml";
    const ParsedModel parsed(text, name);
    const Model once = read_model(text, name);
    for (int pass = 0; pass < 2; ++pass) {
      const Model again = parsed.read();
      EXPECT_EQ(again.name, once.name);
      EXPECT_EQ(again.text, once.text);
      EXPECT_EQ(again.file, once.file);
      EXPECT_EQ(again.parameters, once.parameters);
      EXPECT_EQ(start_state(again).q(), start_state(once).q()) << name;
      EXPECT_EQ(start_state(again).v(), start_state(once).v()) << name;
      EXPECT_EQ(again.held_steady.size(), once.held_steady.size());
    }
  }
}

TEST(ParsedModel, TakesOtherParametersEachTime) {
  const ParsedModel parsed(machine_text, "test.toml");
  for (const double speed : {1.0, 7.5, 5.0}) {
    ReadOptions options;
    options.set = {{"speed", speed}};
    const Model model = parsed.read(options), other = machine("", options);
    EXPECT_EQ(model.bodies[0].velocity, Vector3(speed, 0, 0));
    EXPECT_EQ(start_state(model).v(), start_state(other).v());
    EXPECT_EQ(model.parameters, other.parameters);
  }
  ReadOptions unknown;
  unknown.set = {{"sped", 1.0}};
  EXPECT_NE(refusal([&] { parsed.read(unknown); }).find("did you mean \"speed\""), std::string::npos);
}

TEST(ParsedModel, TellsTheFaultsOfBadText) {
  for (const std::string& text : {std::string("format = 1\n[[body]\n"), std::string("format = 1\nname = \"a\n"),
                                  machine_text + "[steady]\nhold = [\"learn\"]\n", std::string("")}) {
    const ParsedModel parsed(text, "test.toml");
    const std::string told = refusal([&] { parsed.read(); });
    EXPECT_EQ(told, refusal([&] { read_model(text, "test.toml"); }));
    EXPECT_FALSE(told.empty());
    EXPECT_EQ(refusal([&] { parsed.read(); }), told);  // and again
  }
}

}  // namespace
}  // namespace tandem
