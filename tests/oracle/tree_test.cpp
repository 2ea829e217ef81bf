// The fast recursion held against the frozen one, before any projection: accelerations of all speeds, and multipliers
// where they are unique, of every machine that it carries.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "oracle/articulated.hpp"
#include "oracle/cases.hpp"
#include "support/how_long.hpp"
#include "tandem/tree/tree_dynamics.hpp"

namespace tandem::oracle {
namespace {

// What the joints read from the accelerations of the bodies: v̇ = Wᵀ V̇ + bias.
Eigen::VectorXd speeds_of(const Model& model, const Forest& forest, const State& bodies, const Eigen::VectorXd& y) {
  Kinematics<double> kinematics(model);
  kinematics.update(model, bodies.t, bodies.q(), bodies.v(), bodies.angles());
  Eigen::VectorXd v_dot(forest.nv);
  const auto of_body = [&](int index) {
    Vec6<double> out = Vec6<double>::Zero();
    if (index == world) return out;
    const Body& body = model.bodies[static_cast<std::size_t>(index)];
    out.tail(body.nv()) = y.segment(body.v_first, body.nv());
    return out;
  };
  for (const Forest::Node& node : forest.nodes) {
    auto out = v_dot.segment(node.v_first, node.nv);
    if (node.joint < 0) {
      out = of_body(node.body).tail(node.nv);
      continue;
    }
    const ModelJoint& joint = model.joints[static_cast<std::size_t>(node.joint)];
    const JointMotion<double>& motion = kinematics.joint(node.joint);
    out = motion.W.transpose() * (motion.pair.G_first * of_body(joint.first.body) +
                                  motion.pair.G_second * of_body(joint.second.body) + motion.pair.gamma) +
          motion.rate_bias;
  }
  return v_dot;
}

std::vector<int> rows_in_use(const Model& model, const TreeProblem& problem) {
  std::vector<int> rows;
  for (const TreeProblem::Block& block : problem.blocks)
    for (int k = 0; k < block.rows; ++k)
      if (std::binary_search(problem.rows.begin(), problem.rows.end(), block.first_row + k))
        rows.push_back(model.blocks[static_cast<std::size_t>(block.of_model)].first_row + k);
  std::sort(rows.begin(), rows.end());
  return rows;
}

State tree_state(const Model& model, const State& bodies) {
  Model by = model;
  by.setup.method = "articulated";
  by.setup.cut = "loops";
  by.setup.coordinates = "quasi";
  by.setup.integrator = IntegratorName::rk4;
  Simulation simulation(by);
  simulation.set_bodies(bodies);
  return simulation.state();
}

void compare_fast(const CaseState& at) {
  const std::string what = at.name + ", state " + std::to_string(at.number);
  Engine engine(at.model);
  const Answer wanted = engine.solve(at.bodies);
  TreeDynamics tree(at.model, TreeDynamics::Acts::everything);
  State state = tree_state(at.model, at.bodies);
  tree.use_rows(rows_in_use(at.model, engine.problem()));
  Eigen::VectorXd q = state.q(), v = state.v(), v_dot;
  tree.prescribe(state.t, q, v);
  tree.count_turns_from(state.angles());
  tree.accelerate(state.t, q, v, false, v_dot);
  const Eigen::VectorXd expected = speeds_of(at.model, tree.forest(), at.bodies, wanted.y);
  const double allowed = std::max(1e-9, 1000.0 * std::numeric_limits<double>::epsilon() * at.at.kappa);
  if (expected.size() == 0) return;  // nothing can move
  const double size = 1.0 + expected.cwiseAbs().maxCoeff();
  EXPECT_LE((v_dot - expected).cwiseAbs().maxCoeff(), allowed * size) << what;
  const double loads = 1.0 + (wanted.lambda.size() > 0 ? wanted.lambda.cwiseAbs().maxCoeff() : 0.0);
  for (const auto& block : tree.loops().blocks())
    for (int k = 0; k < block.rows; ++k) {
      const int row = block.row_of_model + block.row[static_cast<std::size_t>(k)];
      if (!at.at.unique[static_cast<std::size_t>(row)]) continue;
      EXPECT_LE(std::abs(block.lambda[k] - wanted.lambda[row]), std::max(1e-8, allowed * at.at.kappa) * loads)
          << what << ", row " << row;
    }
}

TEST(FrozenEngine, AgreesWithTheFastRecursion) {
  int states = 0, carried = 0;
  visit_cases(test::how_many(60, 200, 1000), [&](const CaseState& at) {
    ++states;
    if (TreeDynamics::obstacle(at.model, TreeDynamics::Acts::everything)) return;
    ++carried;
    if (at.at.kappa < near_singular) compare_fast(at);
  });
  EXPECT_GT(2 * carried, states) << carried << " of " << states;  // may only grow
}

}  // namespace
}  // namespace tandem::oracle
