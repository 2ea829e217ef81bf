// The assignment problem: to each row one column, so that the sum of the costs is least.
//
// The Hungarian method with potentials u, v: c_ij − u_i − v_j ≥ 0, with 0 on the pairs chosen; each row is added along
// a shortest path. O(n³). Source: Kuhn (1955); Jonker and Volgenant (1987).
#pragma once

#include <Eigen/Core>
#include <vector>

namespace tandem {

// For a square matrix of finite costs: the column of each row.
std::vector<int> least_assignment(const Eigen::MatrixXd& cost);

}  // namespace tandem
