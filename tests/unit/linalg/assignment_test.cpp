// The assignment of least cost against all permutations.
#include "tandem/linalg/assignment.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "support/numbers.hpp"

namespace tandem::test {
namespace {

using Eigen::Index, Eigen::MatrixXd;

double cost_of(const MatrixXd& cost, const std::vector<int>& columns) {
  double sum = 0.0;
  for (std::size_t i = 0; i < columns.size(); ++i) sum += cost(static_cast<Index>(i), columns[i]);
  return sum;
}

double least_of_all(const MatrixXd& cost) {
  std::vector<int> columns(static_cast<std::size_t>(cost.rows()));
  std::iota(columns.begin(), columns.end(), 0);
  double least = std::numeric_limits<double>::infinity();
  do least = std::min(least, cost_of(cost, columns));
  while (std::next_permutation(columns.begin(), columns.end()));
  return least;
}

bool is_permutation_of_columns(std::vector<int> columns) {
  std::sort(columns.begin(), columns.end());
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (columns[i] != static_cast<int>(i)) return false;
  return true;
}

// `number` makes one entry of a matrix.
template <class Number> void expect_least(const Number& number) {
  for (Index n = 1; n <= 7; ++n)
    for (int trial = 0; trial < 12; ++trial) {
      MatrixXd cost(n, n);
      for (double& each : cost.reshaped()) each = number();
      const std::vector<int> columns = least_assignment(cost);
      ASSERT_EQ(columns.size(), static_cast<std::size_t>(n));
      EXPECT_TRUE(is_permutation_of_columns(columns)) << cost;
      EXPECT_NEAR(cost_of(cost, columns), least_of_all(cost), 1e-12 * (1.0 + cost.cwiseAbs().maxCoeff())) << cost;
    }
}

TEST(Assignment, RandomCosts) {
  Random random(21);
  expect_least([&] { return random.number(0.0, 1.0); });
}

TEST(Assignment, CostsOfBothSignsAndVeryDifferentSizes) {
  Random random(22);
  expect_least([&] { return random.number(-1.0, 1.0) * std::pow(10.0, random.number(-3.0, 6.0)); });
}

TEST(Assignment, ManyTies) {
  Random random(23);
  expect_least([&] { return std::floor(random.number(0.0, 3.0)); });
}

TEST(Assignment, AllEqual) {
  expect_least([] { return 2.5; });
}

TEST(Assignment, FindsAHiddenPermutation) {
  Random random(24);
  std::vector<int> hidden(30);
  std::iota(hidden.begin(), hidden.end(), 0);
  for (std::size_t i = hidden.size() - 1; i > 0; --i)
    std::swap(hidden[i], hidden[static_cast<std::size_t>(random.number(0.0, static_cast<double>(i + 1)))]);
  MatrixXd cost(30, 30);
  for (double& each : cost.reshaped()) each = random.number(0.5, 1.0);
  for (std::size_t i = 0; i < hidden.size(); ++i) cost(static_cast<Index>(i), hidden[i]) = random.number(0.0, 0.4);
  EXPECT_EQ(least_assignment(cost), hidden);
}

TEST(Assignment, TheNearestForEachIsNotAlwaysTheBest) {
  const MatrixXd cost{{1.0, 2.0}, {1.1, 9.0}};
  EXPECT_EQ(least_assignment(cost), (std::vector<int>{1, 0}));
}

TEST(Assignment, OfNothingIsNothing) { EXPECT_TRUE(least_assignment(MatrixXd(0, 0)).empty()); }

}  // namespace
}  // namespace tandem::test
