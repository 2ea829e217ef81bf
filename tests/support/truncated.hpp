// What is right for rows that are almost dependent: a dense singular value decomposition, in long double, of the rows
// of all joints, constraints and drives on the cut "all", without any method of the library.
//
//   (1)  J̃ = D J C:  C multiplies linear velocities with the length of the body's island, D gives rows unit length
//   (2)  J̃ = U Σ Vᵀ,   rank r: the σ above the tolerance of the rank
//   (3)  V_rᵀ ỹ = Σ_r⁻¹ U_rᵀ b̃,   ỹ = V_r c + N z:  z minimises Gauss's ½ ỹᵀM̃ỹ − f̃ᵀỹ,   y = C ỹ
// Whoever leaves out rows in place of singular directions differs by σ_{r+1}/σ_r, whoever works in doubles by ε
// σ_1/σ_r.
#pragma once

#include <Eigen/Core>

#include "tandem/dynamics/state.hpp"
#include "tandem/model/model.hpp"

namespace tandem::test {

class TruncatedSystem {
 public:
  TruncatedSystem(const Model& model, const State& bodies);

  const Eigen::VectorXd& singular_values() const { return sigma_; }  // in parts of the largest
  int rank() const;                                                  // at tolerances::rank
  int rank(double tolerance) const;
  Eigen::MatrixXd free_motions(int rank) const;  // C N

  struct Answer {
    Eigen::VectorXd y;
    double off = 0.0;        // the row that is met worst, in parts of the largest number in the equations
    double tolerance = 0.0;  // of relative_error()
  };
  Answer answer(int rank) const;  // (3)
  double relative_error(const Eigen::VectorXd& y, const Answer& answer) const;
  // The row that is met worst, as Answer::off. It says something however large the condition is.
  double worst_row(const Eigen::VectorXd& y) const;

 private:
  using Matrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  using Vector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;
  long double off(const Vector& y) const;  // of scaled accelerations
  Vector scale_;                           // the diagonal of C
  Matrix J_, M_;                           // scaled
  Vector b_, f_, free_;
  Matrix U_, V_;
  Vector singular_;
  Eigen::VectorXd sigma_;
};

}  // namespace tandem::test
