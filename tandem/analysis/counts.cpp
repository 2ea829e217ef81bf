#include "tandem/analysis/counts.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <random>

#include "tandem/analysis/reactions.hpp"
#include "tandem/integrate/projection.hpp"
#include "tandem/linalg/independent_rows.hpp"
#include "tandem/methods/method.hpp"

namespace tandem {

namespace {

bool is_drive(const Model& model, int row) { return model.block_of_row(row).kind == RowBlockInfo::Kind::drive; }
bool is_one_sided(const Model& model, int row) { return model.block_of_row(row).is_one_sided(model); }
bool is_soft(const Model& model, int row) { return model.block_of_row(row).is_soft(model); }

// Holonomic rows of joints and constraints, then drives, then nonholonomic rows: what comes later is what is redundant.
std::vector<int> counting_order(const Model& model) {
  std::vector<int> order;
  const auto add = [&](auto&& wanted) {
    for (int row = 0; row < model.rows; ++row)
      if (!is_one_sided(model, row) && !is_soft(model, row) && wanted(row)) order.push_back(row);
  };
  add([&](int row) { return model.is_holonomic(row) && !is_drive(model, row); });
  add([&](int row) { return is_drive(model, row); });
  add([&](int row) { return !model.is_holonomic(row); });
  return order;
}

std::string short_name(const Model& model, int row) { return model.block_name(model.block_of_row(row)); }

// The rank at a pose moved at random along the directions that the rows allow.
int perturbed_rank(const Model& model, State state, Workspace& workspace, const std::vector<int>& order) {
  std::mt19937 random(20240229);
  std::normal_distribution<double> normal;
  const Eigen::MatrixXd J = dense_rows(model, workspace.rows);
  Eigen::VectorXd delta(model.nv);
  for (Eigen::Index i = 0; i < delta.size(); ++i) delta[i] = 1e-2 * normal(random);
  if (J.rows() > 0) delta -= Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>(J).solve(J * delta);
  retract(model, delta, state.q);
  workspace.update(model, state);  // the rows of a pose nearby, not those of the start
  Projection projection;
  projection.project_positions(model, state, workspace);
  const int rank = static_cast<int>(first_independent_rows(dense_rows(model, workspace.rows), order).size());
  const bool closed = model.rows == 0 || workspace.problem.phi.cwiseAbs().maxCoeff() < 1e-8;
  return closed ? rank : -1;
}

}  // namespace

Counts count(const Model& model) {
  Counts counts;
  counts.bodies = static_cast<int>(model.bodies.size());
  counts.joints = static_cast<int>(model.joints.size());
  counts.constraints = static_cast<int>(model.constraints.size());
  counts.drives = static_cast<int>(model.drives.size());
  counts.forces = static_cast<int>(model.forces.size());
  counts.coordinates = model.nv;
  const State state = start_state(model);
  Workspace workspace(model);
  workspace.update(model, state);
  const Eigen::MatrixXd J = dense_rows(model, workspace.rows);
  const Eigen::VectorXd& velocity = workspace.problem.rate;
  for (int row = 0; row < model.rows; ++row) {
    const bool holonomic = model.is_holonomic(row);
    const bool slack = is_one_sided(model, row) && workspace.problem.phi[row] < 0.0;
    if (!slack && !is_soft(model, row))
      counts.residuals.push_back({model.row_name(row), workspace.problem.phi[row], velocity[row], holonomic});
    if (is_one_sided(model, row))
      ++counts.one_sided;
    else if (is_soft(model, row))
      ++counts.soft;
    else if (is_drive(model, row))
      ++counts.driven;
    else if (holonomic)
      ++counts.holonomic;
    else
      ++counts.nonholonomic;
  }

  const std::vector<int> order = counting_order(model);
  const RowSelection selection = explain_rows(J, order);
  counts.independent_nonholonomic = counts.nonholonomic;
  for (const DependentRow& dependent : selection.dependent) {
    if (model.is_holonomic(dependent.row))
      ++counts.redundant;
    else
      --counts.independent_nonholonomic;
    RedundantRow named{model.row_name(dependent.row), {}};
    for (const int on : dependent.on)
      if (const std::string name = short_name(model, on);
          std::find(named.depends_on.begin(), named.depends_on.end(), name) == named.depends_on.end())
        named.depends_on.push_back(name);
    counts.redundant_rows.push_back(std::move(named));
  }
  const std::vector<bool> unique = unique_blocks(model, workspace);
  for (std::size_t i = 0; i < unique.size(); ++i)
    if (!unique[i]) counts.shared_reactions.push_back(model.block_name(model.blocks[i]));
  counts.dof = counts.coordinates - (counts.holonomic - counts.redundant) - counts.driven;  // (1)
  counts.mobility = counts.dof - counts.independent_nonholonomic;                           // (2)

  for (const RowResidual& residual : counts.residuals)
    if (residual.holonomic && !(std::abs(residual.position) <= start_tolerance)) {
      counts.notes.push_back(fmt::format("the start does not meet {} (off by {:.3g}); evaluate and run will refuse it",
                                         residual.row, residual.position));
      break;
    }
  if (model.rows > 0) {  // are there any speeds that meet all rows?
    Eigen::VectorXd phi_t = velocity - J * state.v;
    Eigen::MatrixXd equations = J;
    for (int row = 0; row < model.rows; ++row)
      if (is_one_sided(model, row) || is_soft(model, row)) {
        equations.row(row).setZero();
        phi_t[row] = 0.0;
      }
    const Eigen::VectorXd best = Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>(equations).solve(-phi_t);
    Eigen::Index worst = 0;
    const double off = (equations * best + phi_t).cwiseAbs().maxCoeff(&worst);
    if (!(off <= 1e-8))
      counts.notes.push_back(
          fmt::format("no speeds meet all rows: {} contradicts others; evaluate and run will refuse it",
                      model.row_name(static_cast<int>(worst))));
  }
  const int rank = static_cast<int>(selection.independent.size());
  const int nearby = counts.one_sided + counts.soft > 0 ? rank : perturbed_rank(model, state, workspace, order);
  if (nearby >= 0 && nearby != rank)
    counts.notes.push_back(
        fmt::format("the rows have rank {} at the start but {} at a pose nearby: the start is a singular "
                    "position, and the counts hold there only",
                    rank, nearby));
  return counts;
}

void require_inertia(const Model& model) {
  const State state = start_state(model);
  Workspace workspace(model);
  workspace.update(model, state);
  const GaussProblem& problem = workspace.problem;
  // Z spans the motions that the rows allow; M must be positive definite there.
  Eigen::MatrixXd Z = Eigen::MatrixXd::Identity(model.nv, model.nv);
  if (model.rows > 0) {
    Eigen::FullPivLU<Eigen::MatrixXd> lu(problem.dense_J());
    lu.setThreshold(rank_tolerance);
    if (lu.dimensionOfKernel() == 0) return;
    Z = Eigen::HouseholderQR<Eigen::MatrixXd>(lu.kernel()).householderQ() *
        Eigen::MatrixXd::Identity(model.nv, lu.dimensionOfKernel());
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(Z.transpose() * problem.dense_M() * Z);
  if (eigen.eigenvalues()[0] > 1e-14 * eigen.eigenvalues().cwiseAbs().maxCoeff()) return;
  Faults faults;
  faults.about("", {model.file, 0, 0});
  faults.error(free_direction(model, problem, Z * eigen.eigenvectors().col(0)));
  throw ModelError(std::move(faults));
}

}  // namespace tandem
