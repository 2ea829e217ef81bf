// Scale must not matter: the same machine in other units of length, mass and time gives the same digits, the same
// verdicts and the same messages. Factors that are powers of four are exact in floating point, so that whatever
// compares with an absolute number shows at once.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "support/defect_model.hpp"
#include "support/how_long.hpp"
#include "support/measured.hpp"
#include "support/method_case.hpp"
#include "support/on_bodies.hpp"
#include "support/random_mechanism.hpp"
#include "tandem/run/run.hpp"

namespace tandem::test {
namespace {

constexpr double in_other_units = 1e-9;

double four_to_the(int power) { return std::pow(4.0, power); }

// About 1e-6, 1e-9, 1e-3 and 1e3, 1e6, 1e3: the ends of what is promised, and what mixes them.
std::vector<Units> binary_units() {
  return {{four_to_the(-10), four_to_the(-15), four_to_the(-5)},
          {four_to_the(5), four_to_the(10), four_to_the(5)},
          {four_to_the(-10), four_to_the(10), four_to_the(5)},
          {four_to_the(5), four_to_the(-15), four_to_the(-5)},
          {four_to_the(-10), 1.0, 1.0},
          {1.0, four_to_the(-15), 1.0},
          {1.0, 1.0, four_to_the(5)}};
}
std::vector<Units> decimal_units() { return {{1e-6, 1e-9, 1e-3}, {1e3, 1e6, 1e3}, {1e-3, 1e-6, 1e2}}; }

Model with_settings_of(const Model& wanted, Model model) {
  const Setup& from = wanted.setup;
  model.setup.method = from.method;
  model.setup.cut = from.cut;
  model.setup.coordinates = from.coordinates;
  model.setup.integrator = from.integrator;
  return model;
}

std::string in_words(const Units& units) {
  return fmt::format("metres times {:g}, kilograms times {:g}, seconds times {:g}", units.length, units.mass,
                     units.time);
}

// `measured`: what is told of a model in units.
template <class Measure>
void expect_the_same(const Model& model, const std::vector<Units>& all, const Measure& measured) {
  const auto in = [&](const Units& units) {
    return measured(with_settings_of(model, read_model(in_units(model, units), "model.json")), units);
  };
  const Measured original = in({});
  for (const Units& units : all) EXPECT_EQ(difference(original, in(units), in_other_units), "") << in_words(units);
}
void expect_the_same(const Model& model, const std::vector<Units>& all, int steps) {
  expect_the_same(model, all, [&](const Model& other, const Units& units) { return measure(other, units, steps); });
}

class ExamplesInOtherUnits : public ::testing::TestWithParam<std::string> {};

TEST_P(ExamplesInOtherUnits, BehaveTheSame) {
  const Model model = example_model(GetParam());
  std::vector<Units> all = binary_units();
  for (const Units& units : decimal_units()) all.push_back(units);
  if (shortened()) all.resize(1);
  expect_the_same(model, all, how_many(5, 20, 20));
}

// In exact units: otherwise round-off decides which of two equal symmetries is named first, and two eigenvalues that
// coincide differ by its root.
TEST_P(ExamplesInOtherUnits, AreLinearizedTheSame) {
  std::vector<Units> all = binary_units();
  if (shortened()) all.resize(1);
  expect_the_same(example_model(GetParam()), all, measure_linear);
}

std::vector<std::string> example_names() {
  std::vector<std::string> names;
  for (const EmbeddedExample& example : embedded_examples()) names.emplace_back(example.name);
  return names;
}

std::string as_name(std::string text) {
  for (char& letter : text)
    if (letter == '-') letter = '_';
  return text;
}

INSTANTIATE_TEST_SUITE_P(All, ExamplesInOtherUnits, ::testing::ValuesIn(example_names()),
                         [](const auto& each) { return as_name(each.param); });

class ComparedInOtherUnits : public ::testing::TestWithParam<std::string> {};

TEST_P(ComparedInOtherUnits, GetTheSameVerdict) {
  std::vector<std::string> always{"two-body", "slider-crank", "chaplygin-sleigh", "rolling-disc", "four-bar"};
  if (shortened()) always.resize(1);
  if (!weekly() && std::find(always.begin(), always.end(), GetParam()) == always.end())
    GTEST_SKIP() << GetParam() << ": with TANDEM_WEEKLY=1 only";
  expect_the_same(example_model(GetParam()), {binary_units()[0], binary_units()[1], {1e-6, 1e6, 1e3}},
                  [](const Model& other, const Units& units) { return measure_compare(other, units, 40); });
}

INSTANTIATE_TEST_SUITE_P(All, ComparedInOtherUnits, ::testing::ValuesIn(example_names()),
                         [](const auto& each) { return as_name(each.param); });

class MethodsInOtherUnits : public ::testing::TestWithParam<MethodCase> {};

TEST_P(MethodsInOtherUnits, BehaveTheSame) {
  expect_the_same(GetParam().model(), {{four_to_the(-10), four_to_the(-15), four_to_the(-5)}, {1e3, 1e6, 1e3}}, 5);
}

std::vector<MethodCase> some_method_cases() {
  std::vector<MethodCase> cases;
  for (const MethodCase& each : method_cases())
    for (const char* example : {"bicycle", "governor", "two-body", "slider-crank", "snakeboard"})
      if (each.example == example) cases.push_back(each);
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Some, MethodsInOtherUnits, ::testing::ValuesIn(some_method_cases()),
                         [](const auto& each) { return method_case_name(each.param); });

class IntegratorsInOtherUnits : public ::testing::TestWithParam<std::string> {};

TEST_P(IntegratorsInOtherUnits, BehaveTheSame) {
  for (const char* example : {"bicycle", "governor", "spring-chain"}) {
    SCOPED_TRACE(example);
    Model model = example_model(example);
    model.setup.integrator = GetParam();
    expect_the_same(model, {{four_to_the(-10), four_to_the(-15), four_to_the(-5)}, {1e3, 1e6, 1e3}}, 10);
  }
}

INSTANTIATE_TEST_SUITE_P(All, IntegratorsInOtherUnits,
                         ::testing::Values("rk4", "dopri5", "dop853", "herk", "implicit", "euler"));

// Models that once broke Tandem: two wheels on an axle, a massless gimbal, rows that nearly depend on each other, a
// stop.
TEST(DefectsInOtherUnits, BehaveTheSame) {
  for (const char* name : {"massless_gimbal", "heavy_globe", "two_wheels", "snake_wheels_5", "quick_return", "hooke",
                           "stop-late", "wrong-acceleration", "light_cart_pole", "cart"}) {
    SCOPED_TRACE(name);
    expect_the_same(defect_model(name), {{four_to_the(-10), four_to_the(-15), four_to_the(-5)}, {1e3, 1e6, 1e3}},
                    how_many(5, 40, 40));
  }
}

// What has no inertia of its own gets some for a while, which is taken back: relative to the machine.
TEST(DefectsInOtherUnits, AMasslessBodyByEveryMethod) {
  for (const MethodInfo& method : all_methods())
    for (const std::string& cut : method.cuts)
      for (const std::string& coordinates : method.coordinates) {
        SCOPED_TRACE(method.name + " " + cut + " " + coordinates);
        Model model = defect_model("massless_gimbal");
        model.setup.method = method.name;
        model.setup.cut = cut;
        model.setup.coordinates = coordinates;
        model.setup.integrator = method.name == "impulses" ? "semi_implicit_euler" : "rk4";
        expect_the_same(model, {binary_units()[0], binary_units()[1], {1e-6, 1e6, 1e3}, {1e3, 1e-9, 1e-3}}, 5);
      }
}

// Of what is promised, by powers of four: 1e-6 to 1e3 in length, 1e-9 to 1e6 in mass, 1e-3 to 1e3 in time.
Units random_units(unsigned seed, bool exact) {
  std::mt19937 random(seed);
  const auto between = [&](int low, int high) {
    const double power = std::uniform_real_distribution<double>(low, high)(random);
    return std::pow(4.0, exact ? std::round(power) : power);
  };
  const double length = between(-10, 5), mass = between(-15, 10);
  return {length, mass, between(-5, 5)};
}

TEST(RandomMechanismsInOtherUnits, BehaveTheSame) {
  for (unsigned number = 0; number < how_many(5U, 50U, 50U); ++number) {
    SCOPED_TRACE(number);
    MechanismOptions options{.bodies = 2 + static_cast<int>(number % 4), .number = number};
    Model model = RandomMechanism(options).model();
    model.setup.step = 0.002;
    const Measured original = measure(model, {}, 5);
    for (const Units& units :
         {binary_units()[0], Units{1e3, 1e6, 1e3}, random_units(number, true), random_units(1000 + number, false)}) {
      options.units = units;
      Model scaled = RandomMechanism(options).model();
      scaled.setup.step = 0.002 * units.time;
      EXPECT_EQ(difference(original, measure(scaled, units, 5), in_other_units), "") << in_words(units);
    }
  }
}

// A pendulum whose pin is off by a part of its length: the same verdict at every size, and just above and just below
// what is allowed.
std::string pendulum_with_gap(double size, double gap, double step) {
  return fmt::format(R"(
format = 1
gravity = [0, 0, {0}]
[[body]]
name = "rod"
mass = 1
shape = {{ type = "rod", length = {1} }}
position = [{2}, 0, 0]
[[joint]]
name = "hinge"
type = "revolute"
bodies = ["world", "rod"]
frames = [{{ z_axis = [0, 1, 0] }}, {{ position = [{3}, 0, 0], z_axis = [0, 1, 0] }}]
[simulation]
step = {4}
duration = 1
)",
                     -10.0 * size, size, 0.5 * size, -0.5 * size + gap * size, step);
}

TEST(VerdictsInOtherUnits, AStartIsRefusedByItsGapInPartsOfTheMachine) {
  const double length = 0.25 + std::sqrt(1.0 / 12.0);  // of a rod of 1 m
  for (const double size : {1e-6, 1e-3, 1.0, 1e3}) {
    SCOPED_TRACE(size);
    const Model far = read_model(pendulum_with_gap(size, 1.1e-6 * length, 0.01), "far.toml");
    const Model near = read_model(pendulum_with_gap(size, 0.9e-6 * length, 0.01), "near.toml");
    Measured told;
    try {
      Simulation simulation(far);
      ADD_FAILURE() << "it was accepted";
    } catch (const ModelError& error) {
      told.say(error.what());
    }
    ASSERT_EQ(told.words.size(), 1U);
    EXPECT_NE(told.words[0].find("the start does not meet its constraints: joint \"hinge\", point x is off by #"),
              std::string::npos)
        << told.words[0];
    EXPECT_NO_THROW(Simulation{near});
    ASSERT_EQ(count(far).notes.size(), 1U);
    EXPECT_NE(count(far).notes[0].find("the start does not meet joint \"hinge\""), std::string::npos);
    EXPECT_TRUE(count(near).notes.empty());
  }
}

TEST(VerdictsInOtherUnits, AStepIsTooLongAtEverySize) {
  std::vector<std::string> all;
  for (const double size : {1e-6, 1.0, 1e3}) {
    const Model model = read_model(pendulum_with_gap(size, 0.0, 0.3), "long.toml");
    Simulation simulation(model, on_bodies(model));
    tandem::Run run(model, simulation, {});
    while (run.advance()) {
    }
    EXPECT_EQ(run.status(), RunStatus::failed);
    Measured told;
    told.say(run.reason());
    all.push_back(told.words[0]);
  }
  EXPECT_NE(all[0].find("is too long here"), std::string::npos) << all[0];
  EXPECT_EQ(all[0], all[1]);
  EXPECT_EQ(all[2], all[1]);
}

TEST(VerdictsInOtherUnits, AMicrometreGapIsNoSmallOne) {
  const std::string file = TANDEM_SOURCE_DIR "/tests/defects/micrometre-gap.toml";
  const Model wrong = load_model(file);
  EXPECT_THROW(Simulation{wrong}, ModelError);
  ReadOptions options;
  options.set = {{"gap", 0.0}};
  const Model right = load_model(file, options);
  Simulation simulation(right);
  for (int i = 0; i < 10; ++i) {
    const StepReport report = simulation.step(right.setup.step);
    EXPECT_LE(report.after.position, 1e-12 * right.scale.length);
  }
}

}  // namespace
}  // namespace tandem::test
