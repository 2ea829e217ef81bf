// The space that rows J span and the one they leave free, by QR with column pivoting of Jᵀ, rows scaled to unit length.
//
//   (1)  Jᵀ P = Q [R₁₁ R₁₂; 0 0],  Q = [Q₁ Z]:   J Z = 0, Z orthonormal
//   (2)  J x = r, shortest x:   x = Q₁ R₁₁⁻ᵀ (Pᵀ r)₁         for r that the rows can meet
//   (3)  Jᵀ λ ≈ f, least squares; λ = 0 on rows that depend on others:   λ = P [R₁₁⁻¹ (Qᵀ f)₁; 0]
// Unknowns in different units are measured by their sizes, D = diag(sizes): all this for J D, x = D x′, with x′
// orthonormal, shortest and so on, and D f in place of f.
#pragma once

#include <Eigen/QR>

#include "tandem/base/tolerances.hpp"

namespace tandem {

class RowSpace {
 public:
  explicit RowSpace(const Eigen::MatrixXd& J, double tolerance = tolerances::rank);
  RowSpace(const Eigen::MatrixXd& given, const Eigen::VectorXd& sizes, double tolerance = tolerances::rank);
  Eigen::Index rank() const { return rank_; }
  const Eigen::MatrixXd& null() const { return Z_; }            // (1)
  Eigen::VectorXd shortest(const Eigen::VectorXd& r) const;     // (2)
  Eigen::VectorXd multipliers(const Eigen::VectorXd& f) const;  // (3)

 private:
  Eigen::VectorXd scale_, sizes_;
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr_;
  Eigen::Index rank_ = 0;
  Eigen::MatrixXd Z_;
};

}  // namespace tandem
