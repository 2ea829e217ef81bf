// The block LDLᵀ against dense solvers: solutions, ranks, given rows, scaling, structure and the edges.
#include "tandem/linalg/block_ldlt.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <numeric>

#include "support/numbers.hpp"

namespace tandem::test {
namespace {

using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;
constexpr double ldlt_tolerance = 1e-10;

// Rows of J on six unknowns of each of some bodies.
struct Rows {
  std::vector<int> bodies;
  MatrixXd J;  // six columns for each
};

struct Problem {
  std::vector<Rows> blocks;
  std::vector<MatrixXd> W;  // for each body

  int rows() const {
    return std::accumulate(blocks.begin(), blocks.end(), 0, [](int n, const Rows& b) { return n + int(b.J.rows()); });
  }
  MatrixXd dense_J() const {
    MatrixXd J = MatrixXd::Zero(rows(), 6 * static_cast<Index>(W.size()));
    Index row = 0;
    for (const Rows& block : blocks) {
      for (std::size_t k = 0; k < block.bodies.size(); ++k)
        J.block(row, 6 * block.bodies[k], block.J.rows(), 6) = block.J.middleCols(6 * static_cast<Index>(k), 6);
      row += block.J.rows();
    }
    return J;
  }
  MatrixXd dense_S() const {
    MatrixXd all = MatrixXd::Zero(6 * static_cast<Index>(W.size()), 6 * static_cast<Index>(W.size()));
    for (std::size_t k = 0; k < W.size(); ++k) all.block(6 * Index(k), 6 * Index(k), 6, 6) = W[k];
    const MatrixXd J = dense_J();
    return J * all * J.transpose();
  }
  // The blocks on each body, with the place of the body in them.
  std::vector<std::vector<std::pair<int, Index>>> on_bodies() const {
    std::vector<std::vector<std::pair<int, Index>>> on(W.size());
    for (std::size_t i = 0; i < blocks.size(); ++i)
      for (std::size_t k = 0; k < blocks[i].bodies.size(); ++k)
        on[blocks[i].bodies[k]].emplace_back(static_cast<int>(i), static_cast<Index>(k));
    return on;
  }
  void analyse(BlockLdlt& ldlt) const {
    std::vector<int> sizes;
    for (const Rows& block : blocks) sizes.push_back(static_cast<int>(block.J.rows()));
    std::vector<std::vector<int>> cliques;
    for (const auto& body : on_bodies()) {
      cliques.emplace_back();
      for (const auto& [block, place] : body) cliques.back().push_back(block);
    }
    ldlt.analyse(sizes, cliques);
  }
  void fill(BlockLdlt& ldlt) const {
    ldlt.set_zero();
    const auto on = on_bodies();
    for (std::size_t body = 0; body < W.size(); ++body)
      for (std::size_t p = 0; p < on[body].size(); ++p)
        for (std::size_t q = 0; q <= p; ++q) {
          auto [i, at_i] = on[body][p];
          auto [j, at_j] = on[body][q];
          if ((p + q) % 2 == 1) std::swap(i, j), std::swap(at_i, at_j);  // either order of a pair must do
          const MatrixXd JW = blocks[i].J.middleCols(6 * at_i, 6) * W[body];
          ldlt.add_product(i, j, JW, blocks[j].J.middleCols(6 * at_j, 6));
        }
  }
  BlockLdlt filled() const {
    BlockLdlt ldlt;
    analyse(ldlt);
    fill(ldlt);
    return ldlt;
  }
};

// Independent rows: each block has a body that comes first in it alone, and at most six rows.
Problem independent_problem(Random& random, int count) {
  Problem problem;
  for (int i = 0; i < count; ++i) {
    const MatrixXd G = random.matrix(6, 6);
    problem.W.push_back(G * G.transpose() + MatrixXd::Identity(6, 6));
    Rows block{{i}, {}};
    for (int k = static_cast<int>(random.number(0.0, 3.0)); k > 0; --k)
      if (const int other = static_cast<int>(random.number(0.0, count));
          std::count(block.bodies.begin(), block.bodies.end(), other) == 0)
        block.bodies.push_back(other);
    const auto rows = static_cast<Index>(random.number(1.0, 7.0));
    block.J = random.matrix(rows, 6 * static_cast<Index>(block.bodies.size()));
    block.J.leftCols(6) += 2.0 * MatrixXd::Identity(rows, 6);
    problem.blocks.push_back(block);
  }
  return problem;
}

// More blocks: a copy of one, two sums over the rows of two, a copy with rows of zeros, and so on.
void add_redundant_blocks(Random& random, Problem& problem, int count) {
  const auto pick = [&] {
    return problem.blocks[static_cast<std::size_t>(random.number(0, double(problem.W.size())))];
  };
  for (int n = 0; n < count; ++n) {
    Rows block = pick();
    if (n % 3 == 1) {
      const Rows other = pick();
      block.J = (random.matrix(2, block.J.rows()) * block.J).eval();
      const MatrixXd extra = random.matrix(2, other.J.rows()) * other.J;
      for (std::size_t k = 0; k < other.bodies.size(); ++k) {
        const auto known = std::find(block.bodies.begin(), block.bodies.end(), other.bodies[k]);
        const auto at = static_cast<Index>(known - block.bodies.begin());
        if (known == block.bodies.end()) {
          block.bodies.push_back(other.bodies[k]);
          block.J.conservativeResizeLike(MatrixXd::Zero(2, block.J.cols() + 6));
        }
        block.J.middleCols(6 * at, 6) += extra.middleCols(6 * static_cast<Index>(k), 6);
      }
    } else if (n % 3 == 2) {
      block.J.topRows((block.J.rows() + 1) / 2).setZero();
    }
    problem.blocks.push_back(block);
  }
}

// The rows inside each block are mixed and the blocks shuffled: no redundant row is in sight.
void hide(Random& random, Problem& problem) {
  for (Rows& block : problem.blocks) {
    const Index n = block.J.rows();
    block.J = ((random.matrix(n, n) + 2.0 * MatrixXd::Identity(n, n)) * block.J).eval();
  }
  for (std::size_t i = problem.blocks.size() - 1; i > 0; --i)
    std::swap(problem.blocks[i], problem.blocks[static_cast<std::size_t>(random.number(0.0, double(i + 1)))]);
}

Problem redundant_problem(unsigned seed_number, bool mixed) {
  Random random(seed_number);
  Problem problem = independent_problem(random, 4 + static_cast<int>(seed_number % 12));
  add_redundant_blocks(random, problem, 1 + static_cast<int>(seed_number % 7));
  if (mixed) hide(random, problem);
  return problem;
}

Index rank_of(const MatrixXd& J) {
  Eigen::FullPivLU<MatrixXd> lu(J);
  lu.setThreshold(1e-9);
  Eigen::ColPivHouseholderQR<MatrixXd> qr(J.transpose());
  qr.setThreshold(1e-9);
  EXPECT_EQ(lu.rank(), qr.rank());
  return lu.rank();
}

// A ring of identical joints without ground: any one of its blocks follows from all others.
Problem ring(int count, int rows) {
  Problem problem;
  for (int i = 0; i < count; ++i) {
    problem.W.push_back(MatrixXd::Identity(6, 6));
    Rows block{{i, (i + 1) % count}, MatrixXd(rows, 12)};
    block.J << MatrixXd::Identity(rows, 6), -MatrixXd::Identity(rows, 6);
    problem.blocks.push_back(block);
  }
  return problem;
}

VectorXd solved(const BlockLdlt& ldlt, VectorXd x) {
  ldlt.solve_in_place(x);
  return x;
}
double relative_residual(const MatrixXd& S, const VectorXd& x, const VectorXd& r) {
  return (S * x - r).norm() / r.norm();
}

TEST(BlockLdlt, SolvesLikeADenseFactorisation) {
  for (unsigned n = 0; n < 60; ++n) {
    Random random(n);
    const Problem problem = independent_problem(random, 1 + static_cast<int>(n % 25));
    BlockLdlt ldlt = problem.filled();
    EXPECT_EQ(ldlt.factor(ldlt_tolerance), problem.rows());
    const MatrixXd S = problem.dense_S();
    const VectorXd r = random.vector<VectorXd>(problem.rows());
    EXPECT_TRUE(near(solved(ldlt, r), S.ldlt().solve(r), 1e-9)) << n;
    EXPECT_GT(ldlt.smallest_pivot(), 1e-6);
    EXPECT_LE(ldlt.smallest_pivot(), 1.0);
  }
}

TEST(BlockLdlt, FindsTheRank) {
  for (const bool mixed : {false, true})
    for (unsigned n = 0; n < 200; ++n) {
      const Problem problem = redundant_problem(n, mixed);
      BlockLdlt ldlt = problem.filled();
      const int rank = ldlt.factor(ldlt_tolerance);
      EXPECT_EQ(rank, rank_of(problem.dense_J())) << n;
      EXPECT_LT(rank, problem.rows());
      EXPECT_EQ(std::count(ldlt.kept().begin(), ldlt.kept().end(), 1), rank);
      EXPECT_GT(ldlt.smallest_pivot(), ldlt_tolerance);
    }
}

TEST(BlockLdlt, FindsTheRankOfRingsAndOfMoreRowsThanUnknowns) {
  for (const int count : {3, 10, 2000}) {
    Problem problem = ring(count, 5);
    EXPECT_EQ(problem.filled().factor(ldlt_tolerance), 5 * (count - 1));
    Random random(7);
    hide(random, problem);
    EXPECT_EQ(problem.filled().factor(ldlt_tolerance), 5 * (count - 1));
  }
  for (unsigned n = 0; n < 50; ++n) {
    Random random(n);
    Problem problem;
    for (int i = 0; i < 4; ++i) problem.W.push_back(MatrixXd::Identity(6, 6));
    for (int i = 0; i < 12; ++i) problem.blocks.push_back({{i % 4, (i + 1 + i / 4) % 4}, random.matrix(5, 12)});
    BlockLdlt ldlt = problem.filled();
    EXPECT_EQ(ldlt.factor(ldlt_tolerance), rank_of(problem.dense_J())) << n;
  }
}

TEST(BlockLdlt, MeetsConsistentRedundantSystemsInDroppedRowsToo) {
  for (unsigned n = 0; n < 100; ++n) {
    const Problem problem = redundant_problem(n, true);
    Random random(n);
    BlockLdlt ldlt = problem.filled();
    const int rank = ldlt.factor(ldlt_tolerance);
    ASSERT_LT(rank, problem.rows());
    const MatrixXd S = problem.dense_S();
    const VectorXd r = S * random.vector<VectorXd>(problem.rows());
    const VectorXd x = solved(ldlt, r);
    EXPECT_LE(relative_residual(S, x, r), 1e-10) << n;
    for (Index row = 0; row < x.size(); ++row) EXPECT_TRUE(ldlt.kept()[row] || x[row] == 0.0);
  }
}

TEST(BlockLdlt, TakesTheKeptRowsOfAnEarlierFactorisation) {
  for (unsigned n = 0; n < 60; ++n) {
    const Problem problem = redundant_problem(n, true);
    Random random(n);
    const VectorXd r = random.vector<VectorXd>(problem.rows());  // need not be in the range
    BlockLdlt ldlt = problem.filled();
    ldlt.factor(ldlt_tolerance);
    const std::vector<char> kept = ldlt.kept();
    const double pivot = ldlt.smallest_pivot();
    const VectorXd x = solved(ldlt, r);
    problem.fill(ldlt);
    EXPECT_TRUE(ldlt.factor_kept(ldlt.kept()));  // its own vector, which it writes to
    EXPECT_EQ(ldlt.kept(), kept);
    EXPECT_TRUE(near(ldlt.smallest_pivot(), pivot, 1e-12));
    EXPECT_TRUE(near(solved(ldlt, r), x, 1e-12));
  }
}

TEST(BlockLdlt, TreatsRowsNotKeptAsAbsent) {
  for (unsigned n = 0; n < 60; ++n) {
    Random random(n);
    const Problem problem = independent_problem(random, 15);
    std::vector<char> keep(static_cast<std::size_t>(problem.rows()));
    for (char& flag : keep) flag = random.number(0.0, 1.0) < 0.7 ? 1 : 0;
    MatrixXd S = problem.dense_S();
    VectorXd r = random.vector<VectorXd>(problem.rows());
    BlockLdlt ldlt = problem.filled();
    EXPECT_TRUE(ldlt.factor_kept(keep));
    EXPECT_EQ(ldlt.kept(), keep);
    const VectorXd x = solved(ldlt, r);
    for (Index row = 0; row < r.size(); ++row)
      if (!keep[row]) {
        S.row(row).setZero();
        S.col(row).setZero();
        S(row, row) = 1.0;
        r[row] = 0.0;
      }
    EXPECT_TRUE(near(x, S.ldlt().solve(r), 1e-9)) << n;
  }
}

TEST(BlockLdlt, RefusesToKeepDependentRows) {
  BlockLdlt ldlt;
  ldlt.analyse({1, 2}, {{0, 1}});
  const auto fill = [&](double second) {
    const MatrixXd a{{1.0, 0.0}}, b{{1.0, 0.0}, {0.0, second}};
    ldlt.set_zero();
    ldlt.add_product(0, 0, a, a);
    ldlt.add_product(1, 0, b, a);
    ldlt.add_product(1, 1, b, b);
  };
  fill(1.0);
  EXPECT_FALSE(ldlt.factor_kept({1, 1, 1}));
  EXPECT_EQ(ldlt.smallest_pivot(), 0.0);
  VectorXd x{{1.0, 1.0, 3.0}};
  ldlt.solve_in_place(x);
  EXPECT_TRUE(near(VectorXd{{x[0] + x[1], x[2]}}, VectorXd{{1.0, 3.0}}, 1e-14));
  fill(1.0);
  EXPECT_TRUE(ldlt.factor_kept({0, 1, 1}));
  EXPECT_EQ(ldlt.smallest_pivot(), 1.0);
  fill(0.0);  // a row of zeros
  EXPECT_FALSE(ldlt.factor_kept({0, 1, 1}));
  fill(std::nan(""));
  EXPECT_FALSE(ldlt.factor_kept({0, 1, 1}));
  fill(std::nan(""));
  EXPECT_EQ(ldlt.factor(ldlt_tolerance), 1);
}

TEST(BlockLdlt, DoesNotLookAtTheScaleOfRows) {
  for (unsigned n = 0; n < 100; ++n) {
    const Problem plain = redundant_problem(n, true);
    BlockLdlt ldlt = plain.filled();
    const int rank = ldlt.factor(ldlt_tolerance);
    Random random(n);
    Problem scaled = plain, by_two = plain;
    for (std::size_t i = 0; i < plain.blocks.size(); ++i)
      for (Index row = 0; row < plain.blocks[i].J.rows(); ++row) {
        const double exponent = random.number(-6.0, 6.0);
        scaled.blocks[i].J.row(row) *= std::pow(10.0, exponent);
        by_two.blocks[i].J.row(row) *= std::exp2(std::round(3.0 * exponent));
      }
    EXPECT_EQ(scaled.filled().factor(ldlt_tolerance), rank) << n;
    BlockLdlt same = by_two.filled();
    EXPECT_EQ(same.factor(ldlt_tolerance), rank);
    EXPECT_EQ(same.kept(), ldlt.kept()) << n;  // powers of two do not round
    EXPECT_EQ(same.smallest_pivot(), ldlt.smallest_pivot());
  }
}

BlockLdlt one_block(const MatrixXd& J) {
  BlockLdlt ldlt;
  ldlt.analyse({static_cast<int>(J.rows())}, {{0}});
  ldlt.set_zero();
  ldlt.add_product(0, 0, J, J);
  return ldlt;
}

TEST(BlockLdlt, MeasuresPivotsAgainstTheOriginalDiagonal) {
  // What is left of the last row is 1, then 1e-6, then 1e-12: small against the first, not against the second.
  const MatrixXd J{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {1.0, 1e-3, 1e-6}};
  BlockLdlt ldlt = one_block(J);
  EXPECT_EQ(ldlt.factor(1e-9), 2);
  ldlt = one_block(J);
  EXPECT_EQ(ldlt.factor(1e-14), 3);
  EXPECT_TRUE(near(ldlt.smallest_pivot() * 1e12, 1.0, 1e-3));
}

TEST(BlockLdlt, TakesTheLargestPivotInABlock) {
  BlockLdlt ldlt = one_block(MatrixXd{{1.0, 0.0}, {1.0, 1e-4}, {0.0, 1.0}});  // the second row is nearly the first
  EXPECT_EQ(ldlt.factor(1e-12), 2);
  EXPECT_EQ(ldlt.kept(), (std::vector<char>{1, 0, 1}));
}

TEST(BlockLdlt, SolvesALongChain) {
  Random random(5);
  Problem problem;
  const int count = 2000;
  for (int i = 0; i <= count; ++i) problem.W.push_back(MatrixXd::Identity(6, 6) * random.number(0.5, 2.0));
  for (int i = 0; i < count; ++i) {
    problem.blocks.push_back({{i, i + 1}, random.matrix(5, 12)});
    problem.blocks.back().J.leftCols(6) += 2.0 * MatrixXd::Identity(5, 6);
  }
  const VectorXd x = random.vector<VectorXd>(5 * count);
  std::vector<VectorXd> a(problem.W.size(), VectorXd::Zero(6));  // W Jᵀ x
  for (int i = 0; i < count; ++i)
    for (int k : {0, 1})
      a[i + k] += problem.W[i + k] * problem.blocks[i].J.middleCols(6 * k, 6).transpose() * x.segment(5 * i, 5);
  VectorXd r = VectorXd::Zero(5 * count);
  for (int i = 0; i < count; ++i)
    for (int k : {0, 1}) r.segment(5 * i, 5) += problem.blocks[i].J.middleCols(6 * k, 6) * a[i + k];

  BlockLdlt ldlt = problem.filled();
  EXPECT_EQ(ldlt.stored_numbers(), 25U * (2 * count - 1));
  EXPECT_EQ(ldlt.factor(ldlt_tolerance), 5 * count);
  EXPECT_TRUE(near(solved(ldlt, r), x, 1e-9));
}

TEST(BlockLdlt, OrdersForLittleFill) {
  const int count = 300;
  std::vector<std::vector<int>> star, tree, ring{{0, count - 1}};
  for (int i = 1; i < count; ++i) {
    star.push_back({0, i});
    tree.push_back({(i - 1) / 2, i});
    ring.push_back({i - 1, i});
  }
  BlockLdlt ldlt;
  ldlt.analyse(std::vector<int>(count, 2), star);
  EXPECT_EQ(ldlt.stored_numbers(), 4U * (2 * count - 1));
  ldlt.analyse(std::vector<int>(count, 2), tree);
  EXPECT_LT(ldlt.stored_numbers(), 5U * (2 * count - 1));  // 4 would be none; the degrees are approximate
  for (const int parity : {0, 1}) {                        // no two blocks with rows are coupled any more
    std::vector<int> sizes(count, 2);
    for (int i = parity; i < count; i += 2) sizes[i] = 0;
    ldlt.analyse(sizes, ring);
    EXPECT_EQ(ldlt.stored_numbers(), 4U * (count / 2));
  }
}

TEST(BlockLdlt, TakesProblemsWithoutBlocksOrWithoutRows) {
  BlockLdlt ldlt;
  VectorXd none(0);
  for (const std::vector<int>& sizes : {std::vector<int>{}, {0}, {0, 0, 0}}) {
    ldlt.analyse(sizes, {{}});
    ldlt.set_zero();
    EXPECT_EQ(ldlt.factor(ldlt_tolerance), 0);
    EXPECT_TRUE(ldlt.factor_kept({}));
    EXPECT_TRUE(ldlt.kept().empty());
    EXPECT_EQ(ldlt.smallest_pivot(), 1.0);
    ldlt.solve_in_place(none);
  }
}

TEST(BlockLdlt, TakesEmptyAndIsolatedBlocksAmongOthers) {
  Random random(11);
  const std::vector<int> sizes{2, 0, 3, 0, 1, 20};  // 0 and 2 share a clique with an empty block, 4 and 5 are alone
  const std::vector<int> starts{0, 2, 2, 5, 5, 6};
  const MatrixXd J = random.matrix(26, 30);
  const auto rows = [&](int i) { return J.middleRows(starts[i], sizes[i]); };
  MatrixXd S = MatrixXd::Zero(26, 26);
  BlockLdlt ldlt;
  ldlt.analyse(sizes, {{0, 1, 2}, {3}});
  ldlt.set_zero();
  for (const auto& [i, j] : std::vector<std::pair<int, int>>{{0, 0}, {2, 0}, {2, 2}, {1, 2}, {1, 1}, {4, 4}, {5, 5}}) {
    ldlt.add_product(i, j, rows(i), rows(j));
    S.block(starts[i], starts[j], sizes[i], sizes[j]) = rows(i) * rows(j).transpose();
    S.block(starts[j], starts[i], sizes[j], sizes[i]) = rows(j) * rows(i).transpose();
  }
  EXPECT_EQ(ldlt.factor(ldlt_tolerance), 26);
  const VectorXd r = random.vector<VectorXd>(26);
  EXPECT_TRUE(near(solved(ldlt, r), S.ldlt().solve(r), 1e-8));
}

}  // namespace
}  // namespace tandem::test
