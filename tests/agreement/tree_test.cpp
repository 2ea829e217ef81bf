// The reduced cut on random mechanisms: the null space of the tree, inverse against forward dynamics, the mass matrix,
// the wrenches of joints, and the same motion on another cut.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <Eigen/Cholesky>

#include "support/random_mechanism.hpp"
#include "tandem/dynamics/inverse_dynamics.hpp"
#include "tandem/dynamics/tree_coordinates.hpp"
#include "tandem/observe/momentum.hpp"

namespace tandem::test {
namespace {

Model draw_model(const std::string& method) {
  MechanismOptions options;
  options.bodies = *rc::gen::inRange(1, 31);
  options.number = *rc::gen::arbitrary<unsigned>();
  Model model = RandomMechanism(options).model();
  model.setup.method = method;
  return model;
}

// Z_p and the accelerations without u̇ of all bodies, multiplied out: y = Z u̇ + c.
struct Multiplied {
  Eigen::MatrixXd Z;
  Eigen::VectorXd c;
};

Multiplied multiply_out(const Model& model, const GaussProblem& problem) {
  const std::vector<TreeProblem::Link>& links = problem.tree->links;
  std::vector<Eigen::MatrixXd> Z(links.size());
  std::vector<Vec6<double>> c(links.size());
  Multiplied out{Eigen::MatrixXd::Zero(model.nv, problem.unknowns()), Eigen::VectorXd::Zero(model.nv)};
  for (std::size_t i = 0; i < links.size(); ++i) {
    Z[i] = Eigen::MatrixXd::Zero(6, problem.unknowns());
    c[i] = links[i].c;
    if (links[i].parent >= 0) {
      Z[i] = links[i].X * Z[static_cast<std::size_t>(links[i].parent)];
      c[i] += links[i].X * c[static_cast<std::size_t>(links[i].parent)];
    }
    Z[i].middleCols(links[i].first, links[i].S.cols()) += links[i].S;
    const Body& body = model.bodies[static_cast<std::size_t>(links[i].body)];
    out.Z.middleRows(body.v_first, body.nv()) = Z[i].bottomRows(body.nv());
    out.c.segment(body.v_first, body.nv()) = c[i].tail(body.nv());
  }
  return out;
}

// The rows of the model that the tree takes care of: its joints and their drives.
std::vector<int> tree_rows(const Model& model, const GaussProblem& problem) {
  std::vector<int> rows;
  for (int row = 0; row < model.rows; ++row)
    if (std::find(problem.model_row.begin(), problem.model_row.end(), row) == problem.model_row.end())
      rows.push_back(row);
  return rows;
}

RC_GTEST_PROP(Tree, SpansTheNullSpaceOfItsJoints, ()) {
  const Model model = draw_model("articulated");
  Simulation simulation(model);
  const Workspace& workspace = simulation.workspace();
  const Multiplied map = multiply_out(model, workspace.problem);
  const Eigen::MatrixXd J = dense_rows(model, workspace.rows);
  const std::vector<int> rows = tree_rows(model, workspace.problem);
  for (const int row : rows) {  // K Z_p = 0, and K (D⁻¹ c + Z_A q̈_A) = b
    const double size = 1.0 + J.row(row).norm();
    RC_ASSERT((J.row(row) * map.Z).norm() <= 1e-11 * size * (1.0 + map.Z.norm()));
    double b = 0.0;
    for (std::size_t i = 0; i < model.blocks.size(); ++i)
      if (const int k = row - model.blocks[i].first_row; k >= 0 && k < model.blocks[i].rows)
        b = workspace.rows.block(i).b[k];
    RC_ASSERT(std::abs(J.row(row).dot(map.c) - b) <= 1e-10 * size * (1.0 + map.c.norm()));
  }
  // Speeds: V = Z u + z, with z from the drives; the count of unknowns is what the tree's rows leave.
  RC_ASSERT(map.Z.cols() == model.nv - static_cast<int>(rows.size()));
}

RC_GTEST_PROP(Tree, FullFormHolds, ()) {  // M y − Kᵀ λ = f over all bodies, every joint's λ recovered
  const Model model = draw_model("articulated");
  Simulation simulation(model);
  const Solution& solution = simulation.solution();
  Workspace all(model);
  all.update(model, simulation.bodies());
  const Eigen::VectorXd balance =
      all.problem.dense_M() * solution.y - all.problem.f - all.problem.dense_J().transpose() * solution.lambda;
  RC_ASSERT(balance.norm() <= 1e-9 * (1.0 + all.problem.f.norm() + solution.lambda.norm()));
  const Multiplied map = multiply_out(model, simulation.workspace().problem);
  // M_u and f_u of the reduced problem are those of the maximal one, multiplied out.
  Workspace reduced(model, Cut::loops);
  reduced.update(model, simulation.state());
  const Eigen::MatrixXd M = map.Z.transpose() * all.problem.dense_M() * map.Z;
  RC_ASSERT((reduced.problem.dense_M() - M).norm() <= 1e-11 * (1.0 + M.norm()));
  const Eigen::VectorXd f = map.Z.transpose() * (all.problem.f - all.problem.dense_M() * map.c);
  RC_ASSERT((reduced.problem.f - f).norm() <= 1e-10 * (1.0 + f.norm() + all.problem.f.norm()));
}

RC_GTEST_PROP(Tree, InverseDynamicsInvertsForwardDynamics, ()) {
  const Model model = draw_model("articulated");
  Simulation simulation(model);
  const auto& tree = dynamic_cast<const TreeCoordinates&>(*simulation.workspace().coordinates);
  const Solution& reduced = simulation.reduced_solution();
  Eigen::VectorXd v_dot(tree.forest().nv);
  tree.speed_rate(model, simulation.state().t, reduced.y, v_dot);
  const Eigen::VectorXd efforts = inverse_dynamics(simulation.workspace(), v_dot, reduced.lambda);
  const double size = 1.0 + simulation.solution().y.norm() + reduced.lambda.norm();
  for (const Forest::Node& node : tree.forest().nodes)
    for (int k = 0; k < node.nv; ++k) {
      const int drive = node.drives[static_cast<std::size_t>(k)];
      // P_pᵀ f = τ_p: springs are in f already, so nothing is left along passive speeds.
      const double wanted = drive < 0 ? 0.0 : drive_effort(model, simulation.solution(), drive);
      RC_ASSERT(std::abs(efforts[node.v_first + k] - wanted) <= 1e-9 * size);
    }
}

RC_GTEST_PROP(Tree, MassMatrixIsSymmetricPositiveDefiniteAndCarriesTheEnergy, ()) {
  const Model model = draw_model("articulated");
  Simulation simulation(model);
  const Eigen::MatrixXd H = joint_space_mass(simulation.workspace());
  if (H.rows() == 0) return;
  RC_ASSERT((H - H.transpose()).norm() <= 1e-14 * H.norm());
  RC_ASSERT(Eigen::LLT<Eigen::MatrixXd>(H).info() == Eigen::Success);
  const Eigen::VectorXd v = simulation.state().v();
  const double energy = simulation.energy().kinetic;
  RC_ASSERT(std::abs(0.5 * v.dot(H * v) - energy) <= 1e-11 * (1.0 + energy));
}

TEST(Tree, JointMarkedCutClosesALoop) {
  RandomMechanism random({.bodies = 4, .number = 7});
  Model model = random.model();
  for (ModelJoint& joint : model.joints) joint.cut = true;
  const Forest forest = spanning_forest(model);
  EXPECT_TRUE(forest.tree.empty());
  EXPECT_EQ(forest.roots.size(), model.bodies.size());
  model.setup.method = "articulated";
  Simulation cut(model);
  const Model plain = random.model();
  Simulation whole(plain);
  EXPECT_LE((cut.solution().y - whole.solution().y).norm(), 1e-9 * (1.0 + whole.solution().y.norm()));
}

}  // namespace
}  // namespace tandem::test
