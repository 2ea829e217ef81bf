#include "tandem/integrate/projection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tandem/base/larger.hpp"
#include "tandem/base/tolerances.hpp"

namespace tandem {

ResidualNorms residual_norms(const GaussProblem& problem) {
  ResidualNorms norms;
  for (const GaussProblem::Block& block : problem.blocks) {
    if (block.soft) continue;
    for (int row = block.first_row; row < block.first_row + block.rows; ++row) {
      const double metres = block.length / problem.row_size[row];
      const double off = block.one_sided ? std::max(problem.phi[row], 0.0) : std::abs(problem.phi[row]);
      keep_larger(norms.position, metres * off);
      keep_larger(norms.share, off / problem.row_size[row]);
      if (!block.one_sided) keep_larger(norms.velocity, metres * std::abs(problem.rate[row]));
    }
  }
  return norms;
}

namespace {

// Of (4). Pivots go with the square of the distance from the singular position.
constexpr double weak_pivot = 1e-4, very_weak_pivot = 1e-8;
// Of (5): below this a pivot has no digit left that counts.
constexpr double lost_pivot = 1e-13;

// The mass of the reduced cut costs more than all else, and only this needs it when the method does without.
class WithMass {
 public:
  WithMass(Workspace& workspace, bool wanted) : workspace_(workspace), before_(workspace.with_mass) {
    workspace.with_mass = before_ || wanted;
  }
  ~WithMass() { workspace_.with_mass = before_; }
  WithMass(const WithMass&) = delete;
  WithMass& operator=(const WithMass&) = delete;

 private:
  Workspace& workspace_;
  bool before_;
};

}  // namespace

void Projection::prepare(const Model& model, const State& state, Workspace& workspace) {
  const WithMass mass(workspace, norm_ == Norm::mass);
  workspace.refresh(model, state);
  system_.analyse(workspace.problem);
  if (norm_ == Norm::mass) shift_.find(workspace.problem);
  for (std::vector<int>* rows : {&strong_, &met_})
    rows->reserve(static_cast<std::size_t>(workspace.problem.row_count()));
}

void Projection::form(const GaussProblem& problem) {
  const bool by_mass = norm_ == Norm::mass && system_.form(problem, RowSystem::Weight::inverse_mass,
                                                           shift_.needed() ? &shift_.diagonal() : nullptr) < 0;  // (3)
  if (!by_mass) system_.form(problem, norm_ == Norm::mass ? RowSystem::Weight::unit : RowSystem::Weight::one);
}

// On the reduced cut a row may vanish in the coordinates near a singular position, and not on the bodies: then its
// pivot, in parts of what is left of it, tells nothing.
static bool any_vanishes(const GaussProblem& problem, const std::vector<int>& rows) {
  if (!problem.tree) return false;
  for (const GaussProblem::Block& block : problem.blocks)
    for (int k = 0; k < block.rows; ++k) {
      double square = 0.0;
      for (const GaussProblem::Part& part : block.parts) {
        const GaussProblem::Group& group = problem.groups[static_cast<std::size_t>(part.group)];
        for (int i = 0; i < group.size; ++i) {
          const double arm = part.J(k, i) * problem.unit[group.first + i];
          square += arm * arm;
        }
      }
      const double whole = problem.tree->row_square[block.first_row + k];
      if (square < weak_pivot * whole && square > very_weak_pivot * whole &&
          std::binary_search(rows.begin(), rows.end(), block.first_row + k))
        return true;
    }
  return false;
}

void Projection::factor(const GaussProblem& problem, const std::vector<int>& rows, const Eigen::VectorXd& residual,
                        double unit) {
  form(problem);
  system_.factor(rows);
  dense_ = false;
  weak_ = system_.smallest_pivot() < weak_pivot || any_vanishes(problem, rows);
  if (system_.smallest_pivot() > very_weak_pivot) return;
  // Light bodies between heavy ones make small pivots too, but of J M⁻¹ Jᵀ alone.
  system_.form(problem, RowSystem::Weight::unit);
  system_.strong_rows(problem, std::sqrt(very_weak_pivot), strong_);
  met_.clear();
  for (const int row : rows)
    if (std::abs(residual[row]) > tolerances::met_where_weak * unit * problem.row_size[row] ||
        std::binary_search(strong_.begin(), strong_.end(), row))
      met_.push_back(row);  // (4)
  form(problem);
  const bool independent = system_.factor(met_);
  if (independent && system_.smallest_pivot() > lost_pivot) return;
  dense_ =
      problem.unknowns() <= tolerances::most_dense && by_qr_.factor(problem, met_, norm_ == Norm::mass).size() == 0;
}

// The smallest δ with J δ = −residual on the rows that were factored.
const Eigen::VectorXd& Projection::least_change(const GaussProblem& problem, const Eigen::VectorXd& residual) {
  if (dense_) {
    by_qr_.least_change(residual, delta_);  // (5)
    return delta_;
  }
  multipliers_ = -residual;
  system_.solve(multipliers_);
  delta_.setZero(problem.unknowns());
  problem.add_Jt(multipliers_, delta_);
  system_.weigh(problem, delta_);
  return delta_;
}

int Projection::project_positions(const Model& model, State& state, Workspace& workspace) {
  if (!system_.analysed()) prepare(model, state, workspace);
  const WithMass mass(workspace, norm_ == Norm::mass && workspace.problem.row_count() > 0);
  workspace.bring(model, state);
  const GaussProblem& problem = workspace.problem;
  if (problem.position_rows.empty()) return 0;
  factor(problem, problem.position_rows, problem.phi, 1.0);
  bool factored = true;
  const auto move = [&] {
    if (!factored) factor(problem, problem.position_rows, problem.phi, 1.0);
    workspace.coordinates->retract(model, least_change(problem, problem.phi), state.q());  // (1)
    workspace.refresh(model, state);
    factored = false;
    for (const int row : problem.position_rows)
      if (!std::isfinite(problem.phi[row]))
        throw NumericalError(
            fmt::format("the projection of the positions did not converge: {}", row_name(model, problem, row)));
  };
  return rule.close([&] { return problem.largest_gap(); }, [&] { return weak_; }, move);
}

void Projection::project_velocities(const Model& model, State& state, Workspace& workspace) {
  const GaussProblem& problem = workspace.problem;
  if (problem.row_count() == 0) return;
  factor(problem, problem.rows, problem.rate, 1.0 / model.scale.time);
  const auto off = [&] {
    double most = 0.0;
    for (const int row : problem.rows) keep_larger(most, std::abs(problem.rate[row]) / problem.row_size[row]);
    return most;
  };
  // Exact but for round-off, which small pivots enlarge: then what it left is taken out once more.
  for (int pass = 0; pass < (weak_ ? 3 : 1); ++pass) {
    const double before = pass == 0 ? std::numeric_limits<double>::infinity() : off();
    workspace.coordinates->add_speeds(least_change(problem, problem.rate), state.v());  // (2)
    workspace.refresh(model, state);
    if (!(off() < 0.1 * before)) break;
  }
}

}  // namespace tandem
