// Inverse dynamics and the mass matrix of the tree's joints, on the reduced cut. All speeds of the tree count here,
// driven ones too.
//
//   (1)  outward: y_i = X_i y_parent + c_i + S_i v̇_i;  inward: F_i = M_i y_i − f_i − Kᵀλ + Σ Xᵀ F_child
//   (2)  τ_i = S_iᵀ F_i: the efforts that the joints must exert beyond those of force laws   (recursive Newton-Euler)
//   (3)  H v̇ + C = τ;  H by composite inertias: I_i = M_i + Σ Xᵀ I_child X,  H_ii = S_iᵀ I_i S_i, H_ji along the path
// Source: Featherstone, Rigid Body Dynamics Algorithms.
#pragma once

#include "tandem/dynamics/workspace.hpp"

namespace tandem {

// (1), (2). The workspace must be on the cut "loops" and fresh. `lambda` of its problem's rows, where there are any.
Eigen::VectorXd inverse_dynamics(const Workspace& workspace, const Eigen::VectorXd& v_dot,
                                 const Eigen::VectorXd& lambda = {});
// (3)
Eigen::MatrixXd joint_space_mass(const Workspace& workspace);

}  // namespace tandem
