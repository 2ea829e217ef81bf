// Whether all of many numbers are finite.
//   0·x = 0 for these alone; four sums side by side, each waiting for itself only.
#pragma once

#include <Eigen/Core>

namespace tandem {

template <class Numbers> bool all_finite(const Eigen::PlainObjectBase<Numbers>& numbers) {
  const double* x = numbers.data();
  const Eigen::Index n = numbers.size();
  double sum[4] = {0.0, 0.0, 0.0, 0.0};
  Eigen::Index i = 0;
  for (; i + 4 <= n; i += 4)
    for (Eigen::Index k = 0; k < 4; ++k) sum[k] += 0.0 * x[i + k];
  for (; i < n; ++i) sum[0] += 0.0 * x[i];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]) == 0.0;
}

}  // namespace tandem
