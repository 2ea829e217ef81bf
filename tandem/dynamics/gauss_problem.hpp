// The one question every method answers, Gauss's principle of least constraint:
//
//   (1)  minimise ½ yᵀ M y − fᵀ y   subject to   J y = b
//   (2)  M y − Jᵀ λ = f,   J y = b
// `rows` are the independent rows. They are chosen on the constraints, where dependence is exact, and kept through the
// stages of a step and its projection: a stage lies a little off the constraints, and there a redundant row would look
// independent and ask for forces without bound. Dense here; the blocks it is made of stay in Rows.
#pragma once

#include "tandem/dynamics/applied.hpp"
#include "tandem/dynamics/rows.hpp"

namespace tandem {

struct GaussProblem {
  Eigen::MatrixXd M, J;
  Eigen::VectorXd f, b;
  std::vector<int> rows;       // independent, ascending
  Eigen::VectorXd phi, phi_t;  // position residual (zero for nonholonomic rows), time part of the velocity residual
};

// All that can be recomputed from a State. Each step overwrites it; nothing is allocated after construction but in
// custom rows.
struct Workspace {
  explicit Workspace(const Model& model);

  // kinematics → applied forces → rows → problem, at a state that meets its constraints: chooses the rows anew
  void update(const Model& model, const State& state);
  // The same at a state nearby, keeping the rows chosen before
  void refresh(const Model& model, const State& state);

  Kinematics<double> kinematics;
  AppliedForces<double> applied;
  Rows<double> rows;
  GaussProblem problem;

 private:
  void gather(const Model& model);
};

// Copies the columns of a six-column body block that the body has: all, or the last three of a point mass.
template <class Block> auto body_columns(const Body& body, const Block& six) { return six.rightCols(body.nv()); }

double kinetic_energy(const Model& model, const Eigen::VectorXd& v);

}  // namespace tandem
