#include "tandem/linalg/assignment.hpp"

#include <limits>

namespace tandem {

std::vector<int> least_assignment(const Eigen::MatrixXd& cost) {
  const auto n = static_cast<int>(cost.rows());
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  // Column n stands for "not yet assigned": each row begins there.
  std::vector<double> u(at(n), 0.0), v(at(n + 1), 0.0);
  std::vector<int> row_of(at(n + 1), -1), from(at(n + 1), n);
  for (int row = 0; row < n; ++row) {
    row_of[at(n)] = row;
    int column = n;
    std::vector<double> shortest(at(n + 1), std::numeric_limits<double>::infinity());
    std::vector<char> done(at(n + 1), 0);
    while (row_of[at(column)] >= 0) {
      done[at(column)] = 1;
      const int i = row_of[at(column)];
      int next = n;
      double step = std::numeric_limits<double>::infinity();
      for (int j = 0; j < n; ++j) {
        if (done[at(j)]) continue;
        const double slack = cost(i, j) - u[at(i)] - v[at(j)];
        if (slack < shortest[at(j)]) {
          shortest[at(j)] = slack;
          from[at(j)] = column;
        }
        if (shortest[at(j)] < step) {
          step = shortest[at(j)];
          next = j;
        }
      }
      for (int j = 0; j <= n; ++j) {
        if (done[at(j)]) {
          u[at(row_of[at(j)])] += step;
          v[at(j)] -= step;
        } else {
          shortest[at(j)] -= step;
        }
      }
      column = next;
    }
    while (column != n) {  // turn the path round
      row_of[at(column)] = row_of[at(from[at(column)])];
      column = from[at(column)];
    }
  }
  std::vector<int> out(at(n), 0);
  for (int j = 0; j < n; ++j) out[at(row_of[at(j)])] = j;
  return out;
}

}  // namespace tandem
