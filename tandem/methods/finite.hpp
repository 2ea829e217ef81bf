// Accelerations that a method found must be numbers; where they are not, the message says of what.
#pragma once

#include "tandem/dynamics/gauss_problem.hpp"

namespace tandem {

void require_finite_accelerations(const Model& model, const GaussProblem& problem, const Eigen::VectorXd& y);

}  // namespace tandem
