// Types from outside the library: defined here, registered, named in a model file.
#include "tandem/model/registry.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tandem/io/model/model_file.hpp"
#include "tandem/joints/prismatic.hpp"

namespace tandem {
namespace {

// A slide that counts in notches.
struct Ratchet : Prismatic {
  static constexpr std::string_view type = "ratchet";
  double notch = 1.0;
  static Ratchet read(Properties& properties) {
    Ratchet joint;
    joint.notch = properties.number("notch");
    return joint;
  }
  void check(Faults& faults) const {
    if (!(notch > 0.0)) faults.error_in("notch", "notch must be positive");
  }
};

// The second point stays level with the first, or a given height above it.
struct Level {
  static constexpr std::string_view type = "level";
  static constexpr int holonomic = 1, nonholonomic = 0;
  static constexpr Placement placement = Placement::points;
  static constexpr std::array<std::string_view, 1> row_names{"height"};
  TimeFunction height{};

  static Level read(Properties& properties) { return {.height = properties.function("height", 0.0)}; }
  template <class S> void rows(const Relative<S>& x, const S& t, PairRows<S>& rows) const {
    const Jet<S> h = height.jet<S>(t);
    rows.phi[position_row(x, 2, rows, 0) - 1] -= h.value;
    rows.phi_t[0] = -h.rate;
    rows.bias[0] -= h.acceleration;
  }
};

struct Thrust {
  static constexpr std::string_view type = "thrust";
  static constexpr int points = 1, coordinates = 0;
  double power = 0.0;
  static Thrust read(Properties& properties) { return {.power = properties.number("power")}; }
  template <class S> void apply(const Attachments<S>& at, const S&, Loads<S>& loads) const {
    loads.forces[0] = power * at.points[0].R.col(0);
  }
};

struct Sawtooth {
  static constexpr std::string_view type = "sawtooth";
  double slope = 0.0;
  static Sawtooth read(Properties& properties) { return {.slope = properties.number("slope", 1.0)}; }
  template <class S> Jet<S> motion(const S& t) const { return {slope * t, S(slope), S(0.0)}; }
};

ReadOptions with_own_types() {
  ReadOptions options;
  options.registry.add_joint<Ratchet>().add_constraint<Level>().add_force<Thrust>().add_drive<Sawtooth>();
  return options;
}

const std::string own_types_text = R"(format = 1
[[body]]
name = "sledge"
mass = 2
inertia = [1, 1, 1]
[[joint]]
name = "rail"
type = "ratchet"
bodies = ["world", "sledge"]
point = [0, 0, 0]
axis = [1, 0, 0]
notch = 0.1
[[constraint]]
name = "flat"
type = "level"
bodies = ["world", "sledge"]
points = [[0, 0, 0], [0, 0, 0]]
height = "0.1*t"
[[force]]
type = "thrust"
body = "sledge"
power = "3*2"
[[drive]]
joint = "rail"
type = "sawtooth"
slope = 4
)";

TEST(Registry, ReadsTypesFromOutsideTheLibrary) {
  const Model model = read_model(own_types_text, "test.toml", with_own_types());
  EXPECT_EQ(model.joints[0].type_name(), "ratchet");
  EXPECT_EQ(model.constraints[0].type, "level");
  EXPECT_EQ(model.forces[0].force.type(), "thrust");
  EXPECT_EQ(model.drives[0].drive.motion<double>(2.0).value, 8.0);
  EXPECT_EQ(model.rows, 5 + 1 + 1);
  EXPECT_EQ(model.row_name(5), "constraint \"flat\", height");
  Attachments<double> at;
  at.points.resize(1);
  Loads<double> loads;
  loads.reset(1, 0);
  model.forces[0].force.apply<double>(at, 0.0, loads);
  EXPECT_EQ(loads.forces[0], Vector3(6, 0, 0));
}

TEST(Registry, ChecksTheKeysOfTypesFromOutside) {
  std::string wrong = own_types_text;
  wrong.replace(wrong.find("notch = 0.1"), 11, "notch = -0.1");
  wrong.replace(wrong.find("power ="), 7, "powr =");
  try {
    read_model(wrong, "test.toml", with_own_types());
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_STREQ(error.what(),
                 "test.toml:12:9: error: joint \"rail\": notch must be positive\n"
                 "test.toml:22:1: error: force \"thrust 1\": unknown key \"powr\"; did you mean \"power\"?");
  }
}

TEST(Registry, SuggestsTypesFromOutside) {
  std::string wrong = own_types_text;
  wrong.replace(wrong.find("\"ratchet\""), 9, "\"rachet\"");
  try {
    read_model(wrong, "test.toml", with_own_types());
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_STREQ(error.what(),
                 "test.toml:8:8: error: joint \"rail\": there is no joint type \"rachet\"; did you mean \"ratchet\"?");
  }
  EXPECT_THROW(read_model(own_types_text, "test.toml"), ModelError);  // the standard registry knows none of them
}

TEST(Registry, KnowsTheLibrary) {
  const Registry registry = Registry::standard();
  EXPECT_EQ(registry.joints.names().size(), 10U);
  for (const char* type : {"wheel", "rope", "rolling_ball", "rolling_surface"})
    EXPECT_NE(registry.constraints.find(type), nullptr) << type;
  for (const char* type : {"force", "torque", "joint"}) EXPECT_NE(registry.forces.find(type), nullptr) << type;
  for (const char* type : {"hold", "table", "function"}) EXPECT_NE(registry.drives.find(type), nullptr) << type;
}

}  // namespace
}  // namespace tandem
