#include "tandem/assemble/counts.hpp"

#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <random>

#include "tandem/assemble/assemble.hpp"
#include "tandem/base/tolerances.hpp"
#include "tandem/dynamics/islands.hpp"
#include "tandem/integrate/projection.hpp"
#include "tandem/linalg/independent_rows.hpp"

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

// Islands some of whose rows may depend on others, with their rows and what is counted of them, in counting order.
// Of every other island all rows are independent, there and at any pose nearby.
class DoubtfulIslands {
 public:
  DoubtfulIslands(const Model& model, const GaussProblem& problem, const std::vector<int>& order)
      : model_(model), islands_(model), numbers_(islands_.with_dependent_rows(problem)), order_(numbers_.size()) {
    std::vector<int> place(islands_.list().size(), -1);
    for (std::size_t i = 0; i < numbers_.size(); ++i)
      place[static_cast<std::size_t>(numbers_[i])] = static_cast<int>(i);
    for (const int row : order)
      if (const int at = place[static_cast<std::size_t>(islands_.of_row(row))]; at >= 0)
        order_[static_cast<std::size_t>(at)].push_back(islands_.local_row(row));
  }

  // The rows that depend on others, by their numbers in the model.
  std::vector<DependentRow> dependent_rows(const Workspace& workspace) const {
    std::vector<DependentRow> all;
    const double tolerance = rank_tolerance(workspace.problem);
    for (std::size_t i = 0; i < numbers_.size(); ++i)
      for (DependentRow& each : explain_rows(dense_rows(i, workspace.rows, true), order_[i], tolerance).dependent) {
        each.row = island(i).rows[static_cast<std::size_t>(each.row)];
        for (int& on : each.on) on = island(i).rows[static_cast<std::size_t>(on)];
        all.push_back(std::move(each));
      }
    return all;
  }

  // The row that stays off most at the speeds that meet the rows best, and by how much of its size per second.
  std::pair<int, double> worst_speed(const Workspace& workspace, const Eigen::VectorXd& v) const {
    std::pair<int, double> worst{0, 0.0};
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      Eigen::MatrixXd J = dense_rows(i, workspace.rows);
      const Eigen::VectorXd size = islands_.gather(model_, island(i), workspace.problem.unit);
      Eigen::VectorXd phi_t = -J * islands_.gather(model_, island(i), v);
      for (std::size_t k = 0; k < island(i).rows.size(); ++k) {
        const int row = island(i).rows[k];
        const auto at = static_cast<Eigen::Index>(k);
        phi_t[at] += workspace.problem.rate[row];
        const bool asked = !is_one_sided(model_, row) && !is_soft(model_, row);
        J.row(at) *= asked ? 1.0 / model_.row_size(row) : 0.0;
        phi_t[at] *= asked ? 1.0 / model_.row_size(row) : 0.0;
      }
      J *= size.asDiagonal();
      const Eigen::VectorXd best = Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>(J).solve(-phi_t);
      Eigen::Index row = 0;
      const double off = (J * best + phi_t).cwiseAbs().maxCoeff(&row);
      if (!(off <= worst.second)) worst = {island(i).rows[static_cast<std::size_t>(row)], off};
    }
    return worst;
  }

  // How many more rows are independent at a pose moved at random along the directions that the rows allow.
  int rank_gained(State state, Workspace& workspace) const {
    std::mt19937 random(20240229);
    Eigen::VectorXd drawn(model_.nv), delta = Eigen::VectorXd::Zero(model_.nv);
    for (Eigen::Index i = 0; i < drawn.size(); ++i)
      drawn[i] = 1e-2 * (static_cast<double>(random()) / 2147483648.0 - 1.0);
    const double tolerance = rank_tolerance(workspace.problem);
    int before = 0, after = 0;
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      Eigen::MatrixXd J = dense_rows(i, workspace.rows);
      before +=
          static_cast<int>(first_independent_rows(dense_rows(i, workspace.rows, true), order_[i], tolerance).size());
      const Eigen::VectorXd size = islands_.gather(model_, island(i), workspace.problem.unit);
      Eigen::VectorXd own = islands_.gather(model_, island(i), drawn);
      J *= size.asDiagonal();  // in parts of the machine
      for (std::size_t k = 0; k < island(i).rows.size(); ++k)
        J.row(static_cast<Eigen::Index>(k)) /= model_.row_size(island(i).rows[k]);
      if (own.size() > 0) own -= Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>(J).solve(J * own);
      own = own.cwiseProduct(size).eval();
      islands_.scatter(model_, island(i), own, delta);
    }
    retract(model_, delta, state.q());
    workspace.update(model_, state);  // the rows of a pose nearby, not those of the start
    Projection projection;
    projection.project_positions(model_, state, workspace);
    if (!(workspace.problem.largest_gap() < tolerances::met)) return 0;  // it does not close
    for (std::size_t i = 0; i < numbers_.size(); ++i)
      after += static_cast<int>(first_independent_rows(dense_rows(i, workspace.rows, true), order_[i]).size());
    return after - before;
  }

  bool none() const { return numbers_.empty(); }

 private:
  const Island& island(std::size_t i) const { return islands_.list()[static_cast<std::size_t>(numbers_[i])]; }
  Eigen::MatrixXd dense_rows(std::size_t i, const Rows<double>& rows, bool in_units = false) const {
    return islands_.dense_rows(model_, rows, island(i), in_units);
  }

  const Model& model_;
  Islands islands_;
  std::vector<int> numbers_;             // of the islands
  std::vector<std::vector<int>> order_;  // of their rows
};

}  // namespace

// The start that a run would take: what [[start]] tables ask for is assembled. Where that is refused, the bodies as
// they are given, and why.
static State start_of_run(const Model& model, std::vector<std::string>& notes) {
  const State given = start_state(model);
  if (model.starts.empty()) return given;
  const auto refused = [&](const std::vector<Fault>& faults) {
    for (const Fault& fault : faults)
      notes.push_back(fmt::format("{}{}; evaluate and run will refuse it", place_of(fault.where), fault.message));
  };
  try {
    const Assembly assembly = try_to_assemble(model, given, {.allow_large = false});
    if (assembly.unmet.empty()) return assembly.bodies;
    refused(assembly.unmet);
  } catch (const FarStart&) {  // the rows that are off are found among the residuals
  } catch (const NumericalError& error) {
    notes.emplace_back(error.what());
  }
  return given;
}

Counts count(const Model& model) {
  Counts counts;
  counts.bodies = static_cast<int>(model.bodies.size());
  counts.joints = static_cast<int>(model.joints.size());
  counts.constraints = static_cast<int>(model.constraints.size());
  counts.drives = static_cast<int>(model.drives.size());
  counts.forces = static_cast<int>(model.forces.size());
  counts.coordinates = model.nv;
  const State state = start_of_run(model, counts.notes);
  Workspace workspace(model);
  workspace.update(model, state);
  const Eigen::VectorXd velocity = workspace.problem.rate;
  const std::vector<NearRow> near_rows = workspace.near_rows;
  for (int row = 0; row < model.rows; ++row) {
    const bool holonomic = model.is_holonomic(row);
    const bool slack = is_one_sided(model, row) && workspace.problem.phi[row] < 0.0;
    if (!slack && !is_soft(model, row))
      counts.residuals.push_back({model.row_name(row), workspace.problem.phi[row], velocity[row], holonomic,
                                  model.row_size(row), model.block_of_row(row).length / model.row_size(row),
                                  model.where(model.block_of_row(row))});
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
  const DoubtfulIslands doubtful(model, workspace.problem, order);
  std::vector<DependentRow> dependent_rows = doubtful.dependent_rows(workspace);
  std::vector<int> place(static_cast<std::size_t>(model.rows), 0);
  for (std::size_t i = 0; i < order.size(); ++i) place[static_cast<std::size_t>(order[i])] = static_cast<int>(i);
  std::sort(dependent_rows.begin(), dependent_rows.end(), [&](const DependentRow& a, const DependentRow& b) {
    return place[static_cast<std::size_t>(a.row)] < place[static_cast<std::size_t>(b.row)];
  });
  for (const DependentRow& dependent : dependent_rows) {
    ++counts.redundant;
    if (!model.is_holonomic(dependent.row)) ++counts.redundant_nonholonomic;
    RedundantRow named{model.row_name(dependent.row), {}};
    for (const int on : dependent.on)
      if (const std::string name = short_name(model, on);
          std::find(named.depends_on.begin(), named.depends_on.end(), name) == named.depends_on.end())
        named.depends_on.push_back(name);
    counts.redundant_rows.push_back(std::move(named));
  }
  counts.shared_loads = shared_loads(model, uniqueness(model, workspace));
  const int of_positions = counts.redundant - counts.redundant_nonholonomic;
  counts.dof = counts.coordinates - counts.holonomic - counts.driven + of_positions;     // (1)
  counts.mobility = counts.dof - (counts.nonholonomic - counts.redundant_nonholonomic);  // (2)

  for (const RowResidual& residual : counts.residuals)
    if (residual.holonomic && !(std::abs(residual.position) <= tolerances::start * residual.size)) {
      counts.notes.push_back(
          fmt::format("{}the start does not meet {} (off by {:.3g}); evaluate and run will refuse it",
                      place_of(residual.where), residual.row, residual.position));
      break;
    }
  for (const NearRow& near : near_rows)
    counts.notes.push_back(fmt::format(
        "{}{} all but follows from other rows: {:.1e} of it is left, and below {:.0e} it would not count; it counts as "
        "{}, and forces there are known to few digits",
        place_of(model.where(model.block_of_row(near.row))), model.row_name(near.row), near.measure, tolerances::rank,
        near.kept ? "independent" : "redundant"));
  if (doubtful.none()) return counts;
  if (const auto [row, off] = doubtful.worst_speed(workspace, state.v()); !(off * model.scale.time <= tolerances::met))
    counts.notes.push_back(
        fmt::format("{}no speeds meet all rows: {} contradicts others; evaluate and run will refuse it",
                    place_of(model.where(model.block_of_row(row))), model.row_name(row)));
  const int rank = static_cast<int>(order.size() - dependent_rows.size());
  const int gained = counts.one_sided + counts.soft > 0 ? 0 : doubtful.rank_gained(state, workspace);
  counts.singular = gained > 0;
  if (gained != 0)
    counts.notes.push_back(
        fmt::format("the rows have rank {} at the start but {} at a pose nearby: the start is a singular "
                    "position, and the counts hold there only",
                    rank, rank + gained));
  return counts;
}

}  // namespace tandem
