// Plain dense solutions, for tests to compare with. Compiled once: decompositions are what Eigen compiles slowest.
#pragma once

#include <Eigen/Core>

namespace tandem::test {

Eigen::VectorXd singular_values(const Eigen::MatrixXd& A);  // the largest first
// The shortest x of those with the least |A x − b|.
Eigen::VectorXd shortest_solution(const Eigen::MatrixXd& A, const Eigen::VectorXd& b);
Eigen::VectorXd shortest_solution(const Eigen::MatrixXd& A, const Eigen::VectorXd& b, double rank_threshold);
Eigen::VectorXd pivoted_solution(const Eigen::MatrixXd& A, const Eigen::VectorXd& b);  // of a regular A

}  // namespace tandem::test
