// The method contract: from a GaussProblem to accelerations and multipliers. A method knows rows, never joints.
#pragma once

#include <optional>
#include <string>

#include "tandem/dynamics/step_memory.hpp"
#include "tandem/dynamics/workspace.hpp"

namespace tandem {

class Method {
 public:
  virtual ~Method() = default;
  virtual std::string_view name() const = 0;
  // Throws NumericalError when the accelerations are not determined; the message names a body and a direction.
  virtual void solve(const Model& model, const GaussProblem& problem, Solution& solution) = 0;
  // With M, J and rows as in the last solve and other right sides; a method that keeps its factors uses them.
  virtual void solve_again(const Model& model, const GaussProblem& problem, Solution& solution) {
    solve(model, problem, solution);
  }
  // Whether it looks at GaussProblem's M on the reduced cut.
  virtual bool needs_mass() const { return true; }
};

// Throws NumericalError that names the row or body that brought a number that is not finite.
void require_finite(const Model& model, const GaussProblem& problem);
// Of what a method found; says where.
void require_finite_accelerations(const Model& model, const GaussProblem& problem, const Eigen::VectorXd& y);
// A row that was left out as dependent and is not met: it depends no longer, or the model asks for two things at once.
// Nothing when all are met; else the row and by how much its acceleration is off.
std::optional<std::pair<int, double>> unmet_row(const Model& model, const GaussProblem& problem,
                                                const Solution& solution);
// Throws NumericalError that names it.
void require_rows_met(const Model& model, const GaussProblem& problem, const Solution& solution);
// A motion z that has no inertia, in the user's words: body "rod" can turn about its x axis …
std::string free_direction(const Model& model, const GaussProblem& problem, const Eigen::VectorXd& z);
// Speeds in units of their inertia: scale_i = M_ii^-½, or that of the machine where there is none beyond round-off. M:
// the problem's, dense.
void inertia_scale(const GaussProblem& problem, const Eigen::MatrixXd& M, Eigen::VectorXd& scale);
// A row of the problem by name.
std::string row_name(const Model& model, const GaussProblem& problem, int row);
bool is_holonomic(const Model& model, const GaussProblem& problem, int row);

}  // namespace tandem
