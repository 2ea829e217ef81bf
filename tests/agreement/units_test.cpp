// Scale must not matter: the same machine in other units of length, mass and time gives the same digits, the same
// verdicts and the same messages. Factors that are powers of four are exact in floating point, so that whatever
// compares with an absolute number shows at once.
#include <gtest/gtest.h>

#include "support/measured.hpp"
#include "support/method_case.hpp"
#include "support/random_mechanism.hpp"
#include "tandem/run.hpp"

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
  const SimulationDescription& from = wanted.simulation;
  model.simulation.method = from.method;
  model.simulation.cut = from.cut;
  model.simulation.coordinates = from.coordinates;
  model.simulation.integrator = from.integrator;
  return model;
}

void expect_the_same(const Model& model, const std::vector<Units>& all, int steps) {
  const Measured original = measure(with_settings_of(model, read_model(in_units(model, {}), "model.json")), {}, steps);
  for (const Units& units : all) {
    const Measured other =
        measure(with_settings_of(model, read_model(in_units(model, units), "model.json")), units, steps);
    const std::string apart = difference(original, other, in_other_units);
    EXPECT_EQ(apart, "") << ::testing::PrintToString(units);
  }
}

class ExamplesInOtherUnits : public ::testing::TestWithParam<std::string> {};

TEST_P(ExamplesInOtherUnits, BehaveTheSame) {
  const Model model = example_model(GetParam());
  std::vector<Units> all = binary_units();
  for (const Units& units : decimal_units()) all.push_back(units);
  expect_the_same(model, all, 20);
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

class MethodsInOtherUnits : public ::testing::TestWithParam<MethodCase> {};

TEST_P(MethodsInOtherUnits, BehaveTheSame) {
  expect_the_same(GetParam().model(), {{four_to_the(-10), four_to_the(-15), four_to_the(-5)}, {1e3, 1e6, 1e3}}, 5);
}

std::vector<MethodCase> some_method_cases() {
  std::vector<MethodCase> cases;
  for (const MethodCase& each : all_method_cases())
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
    model.simulation.integrator = GetParam();
    expect_the_same(model, {{four_to_the(-10), four_to_the(-15), four_to_the(-5)}, {1e3, 1e6, 1e3}}, 10);
  }
}

INSTANTIATE_TEST_SUITE_P(All, IntegratorsInOtherUnits,
                         ::testing::Values("rk4", "dopri5", "dop853", "herk", "implicit", "euler"));

TEST(RandomMechanismsInOtherUnits, BehaveTheSame) {
  for (unsigned number = 0; number < 40; ++number) {
    SCOPED_TRACE(number);
    MechanismOptions options{.bodies = 2 + static_cast<int>(number % 4), .number = number};
    Model model = RandomMechanism(options).model();
    model.simulation.step = 0.002;
    const Measured original = measure(model, {}, 5);
    for (const Units& units : {Units{four_to_the(-10), four_to_the(-15), four_to_the(-5)}, Units{1e3, 1e6, 1e3},
                               Units{1e-6, 1e6, 1e3}, Units{1e3, 1e-9, 1e-3}}) {
      options.units = units;
      Model scaled = RandomMechanism(options).model();
      scaled.simulation.step = 0.002 * units.time;
      EXPECT_EQ(difference(original, measure(scaled, units, 5), in_other_units), "") << ::testing::PrintToString(units);
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
      const Simulation simulation(far);
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
    Simulation simulation(model);
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
    const StepReport report = simulation.step(right.simulation.step);
    EXPECT_LE(report.after.position, 1e-12 * right.scale.length);
  }
}

}  // namespace
}  // namespace tandem::test
