// The method contract: from a GaussProblem to accelerations and multipliers. A method knows rows, never joints.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tandem/dynamics/gauss_problem.hpp"

namespace tandem {

struct Solution {
  Eigen::VectorXd y;       // accelerations
  Eigen::VectorXd lambda;  // F_c = +Jᵀ λ; zero on rows left out as dependent
  int rank = 0;            // independent rows
};

class Method {
 public:
  virtual ~Method() = default;
  virtual std::string_view name() const = 0;
  // Throws NumericalError when the accelerations are not determined; the message names a body and a direction.
  virtual void solve(const Model& model, const GaussProblem& problem, Solution& solution) = 0;
};

// Throws NumericalError by name when a row left out as dependent is not met: the model asks for two things at once.
void require_rows_met(const Model& model, const GaussProblem& problem, const Solution& solution);

std::vector<std::string> method_names();
// Throws std::invalid_argument with a suggestion for an unknown name.
std::unique_ptr<Method> make_method(std::string_view name);
// Throws ModelError when the model holds something that methods of equations cannot solve: a one-sided row.
void require_equations(const Model& model, std::string_view method);

}  // namespace tandem
