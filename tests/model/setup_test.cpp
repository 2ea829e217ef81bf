// How a machine is solved, beside the machine: words are read once, and what cannot be is refused before anything
// moves.
#include "tandem/model/setup.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "tandem/io/model/examples.hpp"
#include "tandem/joints/revolute.hpp"
#include "tandem/model/builder.hpp"
#include "tandem/simulate.hpp"
#include "tandem/tree/tree_dynamics.hpp"

namespace tandem {
namespace {

std::vector<std::string> refused(const Model& model, const Setup& setup) {
  std::vector<std::string> lines;
  try {
    resolve(model, setup);
  } catch (const ModelError& error) {
    for (const Fault& fault : error.faults().list()) lines.push_back(fault.message);
  }
  return lines;
}

TEST(Setups, WordsAndEnumeratorsAreTheSame) {
  tandem::Setup setup;
  setup.method = "null_space";
  EXPECT_EQ(setup.method, MethodName::null_space);
  EXPECT_EQ(setup.method.word(), "null_space");
  setup.cut = "";
  EXPECT_EQ(setup.cut, Cut::automatic);
  for (const MethodInfo& method : all_methods()) {
    EXPECT_EQ(word_of(method.id), method.name);
    EXPECT_EQ(find_method(method.id).name, method.name);
  }
  for (const IntegratorInfo& integrator : all_integrators()) EXPECT_EQ(word_of(integrator.id), integrator.name);
  EXPECT_EQ(all_integrators().size() + 1, std::size(Words<IntegratorName>::list));  // and the one that is left open
}

TEST(Setups, AnUnknownWordIsNamedWithASuggestion) {
  tandem::Setup setup;
  try {
    setup.stabilisation = "projektion";
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(),
                 "there is no stabilisation \"projektion\"; known are \"projection\", \"plain_projection\", "
                 "\"baumgarte\" or \"none\"; did you mean \"projection\"?");
  }
  EXPECT_EQ(setup.stabilisation, Stabilisation::projection);
}

TEST(Setups, WhatIsLeftOpenIsTheMethodsOwn) {
  tandem::Setup setup;
  EXPECT_EQ(completed(setup).cut, Cut::automatic);  // goes with the method, which is open without a model
  EXPECT_EQ(completed(setup).integrator, IntegratorName::rk4);
  setup.method = MethodName::lagrange;
  EXPECT_EQ(completed(setup).cut, Cut::all);
  setup.method = MethodName::articulated;
  EXPECT_EQ(completed(setup).cut, Cut::loops);
  setup.method = MethodName::impulses;
  EXPECT_EQ(completed(setup).integrator, IntegratorName::semi_implicit_euler);
  setup.integrator = IntegratorName::dop853;  // asked for: refused, not replaced
  EXPECT_EQ(completed(setup).integrator, IntegratorName::dop853);
}

TEST(Setups, OneModelIsSolvedInSeveralWays) {
  const Model model = load_model_or_example("bicycle");
  tandem::Setup bodies = model.setup;
  bodies.method = MethodName::lagrange;
  Simulation by_bodies(model, bodies), by_tree(model);
  EXPECT_EQ(by_bodies.setup().cut, Cut::all);
  EXPECT_EQ(by_tree.setup().cut, Cut::loops);
  EXPECT_EQ(model.setup.method, MethodName::automatic);
  for (int i = 0; i < 20; ++i) {
    by_bodies.step(0.001);
    by_tree.step(0.001);
  }
  EXPECT_LE((by_bodies.bodies().q() - by_tree.bodies().q()).cwiseAbs().maxCoeff(), 1e-10);
}

TEST(Setups, AutoIsAFixedRule) {
  const Model bicycle = load_model_or_example("bicycle"), chain = load_model_or_example("chain");
  const tandem::Setup fast = resolve(bicycle, {});
  EXPECT_EQ(fast.method, MethodName::articulated);
  EXPECT_EQ(fast.cut, Cut::loops);
  EXPECT_EQ(method_text(fast), "articulated (auto)");
  EXPECT_EQ(path_text(fast), "");
  for (const auto& change : std::vector<std::function<void(tandem::Setup&)>>{
           [](auto& setup) { setup.cut = Cut::all; },
           [](auto& setup) { setup.coordinates = CoordinatesName::euler312, setup.cut = Cut::all; }}) {
    tandem::Setup asked;
    change(asked);
    EXPECT_EQ(resolve(bicycle, asked).method, MethodName::lagrange);
    EXPECT_NE(path_text(resolve(bicycle, asked)).find("by lagrange and not by articulated: "), std::string::npos);
  }
  tandem::Setup loops;
  loops.cut = Cut::loops;
  loops.integrator = IntegratorName::implicit;
  EXPECT_EQ(resolve(bicycle, loops).method, MethodName::articulated);
  tandem::Setup named;
  named.method = MethodName::articulated;
  EXPECT_EQ(method_text(resolve(bicycle, named)), "articulated");
  const tandem::Setup slow = resolve(chain, {});
  if (const auto reason = TreeDynamics::obstacle(chain, TreeDynamics::Acts::everything)) {
    EXPECT_EQ(slow.method, MethodName::lagrange);
    EXPECT_EQ(slow.kept_from_tree, *reason);
  } else {
    EXPECT_EQ(slow.method, MethodName::articulated);
  }
  EXPECT_THROW(find_method(MethodName::automatic), std::invalid_argument);
  EXPECT_THROW(find_method("auto"), std::invalid_argument);
}

TEST(Setups, AutoNeverTakesImpulsesButAsksForIt) {
  const Model model = read_model(R"toml(
format = 1
[[body]]
name = "ball"
mass = 1.0
point_mass = true
position = [0, 0, -1]
[[constraint]]
name = "line"
type = "rope"
bodies = ["world", "ball"]
points = [[0, 0, 0], [0, 0, -1]]
length = 1.0
)toml",
                                 "rope.toml");
  const std::vector<std::string> lines = refused(model, {});
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_NE(lines[0].find("use the method impulses"), std::string::npos) << lines[0];
}

TEST(Setups, AllObstaclesAreNamedAtOnce) {
  const Model model = load_model_or_example("four-bar");
  tandem::Setup setup = model.setup;
  EXPECT_TRUE(refused(model, setup).empty());
  setup.method = MethodName::impulses;
  setup.cut = Cut::loops;
  setup.integrator = IntegratorName::rk4;
  setup.step = 0.0;
  setup.impulses.substeps = -1;
  const std::vector<std::string> lines = refused(model, setup);
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_NE(lines[0].find("does not run on the cut \"loops\""), std::string::npos) << lines[0];
  EXPECT_EQ(lines[1], "step must be positive, not 0");
  EXPECT_EQ(lines[2], "substeps must be at least 1, not -1");
  EXPECT_NE(lines[3].find("steps by semi_implicit_euler"), std::string::npos) << lines[3];
}

TEST(Setups, NumbersThatCannotBeAreRefused) {
  const Model model = load_model_or_example("top");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (double tandem::Setup::*field :
       {&tandem::Setup::step, &tandem::Setup::duration, &tandem::Setup::max_step, &tandem::Setup::tolerance})
    for (const double value : {nan, -1.0}) {
      tandem::Setup setup = model.setup;
      setup.*field = value;
      EXPECT_THROW(Simulation(model, setup), ModelError) << value;
    }
  for (std::optional<double> tandem::Setup::*field : {&tandem::Setup::alpha, &tandem::Setup::beta})
    for (const double value : {nan, -1.0}) {
      tandem::Setup setup = model.setup;
      setup.*field = value;
      EXPECT_THROW(Simulation(model, setup), ModelError) << value;
    }
}

TEST(Setups, AFaultyModelIsRefusedNotSimulated) {
  ModelDescription description;
  description.bodies.push_back({.name = "rod", .mass = -1.0});
  description.joints.push_back({.name = "pin", .type = Revolute{}, .bodies = {"world", "nobody"}});
  Faults faults;
  const Model model = compile(description, faults);
  ASSERT_TRUE(faults.any_error());
  EXPECT_FALSE(model.is_sound);
  EXPECT_THROW(Simulation{model}, ModelError);
  ASSERT_EQ(refused(model, {}).size(), 1U);
  EXPECT_NE(refused(model, {})[0].find("compiled with errors"), std::string::npos);
}

}  // namespace
}  // namespace tandem
