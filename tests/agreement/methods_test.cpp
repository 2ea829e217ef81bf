// Every example by every method, at the start and along a run: the same accelerations as the dense oracle, the same
// reactions where they are unique, and the laws of a solution.
#include <gtest/gtest.h>

#include "support/example_model.hpp"
#include "tandem/tandem.hpp"

namespace tandem {
namespace {

struct Case {
  std::string example, method;
};

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const EmbeddedExample& example : embedded_examples())
    for (const std::string& method : method_names()) cases.push_back({std::string(example.name), method});
  return cases;
}

class Agreement : public ::testing::TestWithParam<Case> {};

void expect_solution(const GaussProblem& problem, const Solution& solution) {
  const double size = 1.0 + solution.y.cwiseAbs().maxCoeff();
  if (problem.J.rows() > 0) {
    EXPECT_LE((problem.J * solution.y - problem.b).cwiseAbs().maxCoeff(),
              1e-10 * size * (1.0 + problem.J.cwiseAbs().maxCoeff()));
  }
  const Eigen::VectorXd balance = problem.M * solution.y - problem.f - problem.J.transpose() * solution.lambda;
  EXPECT_LE(balance.cwiseAbs().maxCoeff(), 1e-9 * (1.0 + problem.f.cwiseAbs().maxCoeff()) * size);
}

void expect_agreement(const Model& model, const Workspace& workspace, const Solution& oracle, const Solution& other) {
  const GaussProblem& problem = workspace.problem;
  EXPECT_LE((other.y - oracle.y).cwiseAbs().maxCoeff(), 1e-10 * (1.0 + oracle.y.cwiseAbs().maxCoeff()));
  EXPECT_EQ(other.rank, oracle.rank);
  const std::vector<bool> unique = unique_blocks(model, problem);
  for (std::size_t i = 0; i < model.blocks.size(); ++i) {
    if (!unique[i]) continue;
    const RowBlockInfo& info = model.blocks[i];
    const auto J = problem.J.middleRows(info.first_row, info.rows);
    const Eigen::VectorXd force = J.transpose() * (other.lambda - oracle.lambda).segment(info.first_row, info.rows);
    const double size = (J.transpose() * oracle.lambda.segment(info.first_row, info.rows)).cwiseAbs().maxCoeff();
    EXPECT_LE(force.cwiseAbs().maxCoeff(), 1e-8 * (1.0 + size)) << model.block_name(info);
  }
}

TEST_P(Agreement, WithTheDenseOracleAlongARun) {
  Model model = example_model(GetParam().example);
  const auto method = make_method(model, GetParam().method), oracle = make_method(model, "lagrange");
  Simulation simulation(model);
  Workspace workspace(model);
  Solution wanted, got;
  for (int i = 0; i <= 20; ++i) {
    workspace.update(model, simulation.state());
    oracle->solve(model, workspace.problem, wanted);
    method->solve(model, workspace.problem, got);
    expect_solution(workspace.problem, got);
    expect_agreement(model, workspace, wanted, got);
    advance(simulation, simulation.state().t + 0.05, 0.005);
  }
}

TEST_P(Agreement, ScalingARowDoesNotMoveTheAcceleration) {
  const Model model = example_model(GetParam().example);
  const auto method = make_method(model, GetParam().method);
  Simulation simulation(model);
  GaussProblem problem = simulation.workspace().problem;
  Solution before, after;
  method->solve(model, problem, before);
  for (int row = 0; row < model.rows; ++row) {
    const double scale = row % 2 == 0 ? 1e3 : 1e-3;
    problem.J.row(row) *= scale;
    problem.b[row] *= scale;
  }
  method->solve(model, problem, after);
  EXPECT_LE((after.y - before.y).cwiseAbs().maxCoeff(), 1e-9 * (1.0 + before.y.cwiseAbs().maxCoeff()));
}

TEST_P(Agreement, RunsToTheSamePlace) {
  Model model = example_model(GetParam().example);
  Simulation oracle(model);
  model.simulation.method = GetParam().method;
  Simulation other(model);
  advance(oracle, 0.5, 0.005);
  advance(other, 0.5, 0.005);
  EXPECT_LE((other.state().q - oracle.state().q).cwiseAbs().maxCoeff(),
            1e-9 * (1.0 + oracle.state().q.cwiseAbs().maxCoeff()));
}

std::string name_of(const ::testing::TestParamInfo<Case>& info) {
  std::string name = info.param.example + "_" + info.param.method;
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Examples, Agreement, ::testing::ValuesIn(all_cases()), name_of);

TEST(Methods, NameTheMotionWithoutInertia) {
  Builder build;
  build.body({.name = "ghost", .mass = 0.0, .inertia = std::array<double, 6>{0, 0, 0, 0, 0, 0}});
  build.joint({.name = "hinge",
               .type = Revolute{},
               .bodies = {"world", "ghost"},
               .point = Vector3(0, 0, 0),
               .axis = Vector3(1, 0, 0)});
  Model model = build.finish();
  for (const std::string& name : method_names()) {
    model.simulation.method = name;
    try {
      Simulation(model).solution();
      FAIL() << name;
    } catch (const NumericalError& error) {
      EXPECT_NE(std::string(error.what()).find("\"ghost\" can turn about its x axis"), std::string::npos)
          << error.what();
    }
  }
}

TEST(Methods, UnknownNameIsSuggested) {
  try {
    find_method("udwadia_kalabe");
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean \"udwadia_kalaba\""), std::string::npos);
  }
}

}  // namespace
}  // namespace tandem
