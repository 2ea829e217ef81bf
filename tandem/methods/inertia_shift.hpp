// Bodies without inertia in some direction, for methods that need M⁻¹: a thin rod about itself, a massless link.
//
//   (1)  (M + E) y_{k+1} − Jᵀ λ = f + E y_k,   J y_{k+1} = b        E diagonal, on such groups only
//   (2)  y_k → y when the rows leave no motion z without inertia: contraction zᵀEz / zᵀ(M + E)z < 1
// What E does is taken back from pass to pass, so that the answer is that of M. With E a hundredth of the least inertia
// of the bodies beside it, each pass brings about two digits; a hundredth of a heavy one would bring none.
#pragma once

#include "tandem/dynamics/gauss_problem.hpp"

namespace tandem {

class InertiaShift {
 public:
  void find(const GaussProblem& problem);
  bool found() const { return found_; }
  bool needed() const { return needed_; }
  const Eigen::VectorXd& diagonal() const { return diagonal_; }  // of E

  // M + E in place of M.
  void apply(GaussProblem& problem) const;

 private:
  bool found_ = false, needed_ = false;
  Eigen::VectorXd diagonal_;
};

}  // namespace tandem
