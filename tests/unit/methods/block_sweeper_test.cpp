// Sequential impulses on blocks of rows, against dense equations, closed forms and enumeration.
#include "tandem/methods/block_sweeper.hpp"

#include <Eigen/LU>

#include "support/dense.hpp"
#include "support/numbers.hpp"

namespace tandem::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

struct Machine {
  GaussProblem problem;
  MatrixXd M, J;  // the same, dense

  int add_group(const MatrixXd& mass) {
    const auto size = static_cast<int>(mass.rows()), first = static_cast<int>(M.rows());
    problem.groups.push_back({first, size, mass});
    M.conservativeResizeLike(MatrixXd::Zero(first + size, first + size));
    M.bottomRightCorner(size, size) = mass;
    J.conservativeResizeLike(MatrixXd::Zero(J.rows(), first + size));
    problem.f = VectorXd::Zero(first + size);
    problem.unit = VectorXd::Ones(first + size);
    return static_cast<int>(problem.groups.size()) - 1;
  }
  int add_block(std::vector<GaussProblem::Part> parts) {
    const auto rows = static_cast<int>(parts[0].J.rows()), first = static_cast<int>(J.rows());
    J.conservativeResizeLike(MatrixXd::Zero(first + rows, M.cols()));
    for (const auto& part : parts) {
      const auto& group = problem.groups[static_cast<std::size_t>(part.group)];
      J.block(first, group.first, rows, group.size) = part.J;
    }
    problem.b = VectorXd::Zero(first + rows);
    problem.row_size = VectorXd::Ones(first + rows);
    problem.blocks.push_back({.first_row = first, .rows = rows, .holonomic = rows, .parts = std::move(parts)});
    return static_cast<int>(problem.blocks.size()) - 1;
  }
  // M y − Jᵀλ = f, J y = b; y is unique where M is regular.
  VectorXd dense_solution() const {
    const Eigen::Index n = M.rows(), m = J.rows();
    MatrixXd A = MatrixXd::Zero(n + m, n + m);
    A << M, -J.transpose(), J, MatrixXd::Zero(m, m);
    VectorXd right(n + m);
    right << problem.f, problem.b;
    return shortest_solution(A, right, 1e-11).head(n);
  }
};

double energy(const MatrixXd& M, const VectorXd& v) { return 0.5 * v.dot(M * v); }
double relative(const VectorXd& a, const VectorXd& b) { return (a - b).norm() / (1e-300 + b.norm()); }

struct Solid {
  Mat3<double> R, inertia;  // inertia in body axes, not principal ones
  double mass = 1.0;
  explicit Solid(Random& random) : R(random.rotation<double>()), mass(random.number(0.5, 3.0)) {
    const Mat3<double> principal_axes = random.rotation<double>();
    const Vec3<double> principal(random.number(1.0, 1.8), random.number(1.0, 1.8), random.number(1.0, 1.8));
    inertia = principal_axes * (random.number(0.1, 0.4) * mass * principal).asDiagonal() * principal_axes.transpose();
  }
  MatrixXd matrix() const {
    MatrixXd M = MatrixXd::Zero(6, 6);
    M.topLeftCorner(3, 3) = inertia;
    M.bottomRightCorner(3, 3) = mass * Mat3<double>::Identity();
    return M;
  }
  // From (ω in body axes, v) to the twist in world axes at a point r away from the mass centre.
  MatrixXd twist_at(const Vec3<double>& r) const {
    MatrixXd G = MatrixXd::Zero(6, 6);
    G.topLeftCorner(3, 3) = R;
    G.bottomLeftCorner(3, 3) = -sk(r) * R;
    G.bottomRightCorner(3, 3).setIdentity();
    return G;
  }
};

// Two bodies and the row of |p2 − p1| = L; `J` as in the note on the distance constraint.
Machine distance_case(Random& random, int copies = 1) {
  Machine made;
  const Solid first(random), second(random);
  made.add_group(first.matrix());
  made.add_group(second.matrix());
  const Vec3<double> n = random.vec3<double>().normalized(), r1 = random.vec3<double>(), r2 = random.vec3<double>();
  MatrixXd T(6, 1);
  T << 0.0, 0.0, 0.0, n;
  for (int k = 0; k < copies; ++k)
    made.add_block({{0, -T.transpose() * first.twist_at(r1)}, {1, T.transpose() * second.twist_at(r2)}});
  return made;
}

// A chain from the world: blocks of 1 to 5 random rows between neighbours; the last body has one to the world too.
Machine chain_case(Random& random, int bodies) {
  Machine made;
  std::vector<Solid> body;
  for (int k = 0; k < bodies; ++k) made.add_group(body.emplace_back(random).matrix());
  for (int k = 0; k < bodies; ++k) {
    const MatrixXd Tt = random.matrix(static_cast<Eigen::Index>(random.number(1.0, 5.999)), 6);
    std::vector<GaussProblem::Part> parts{
        {k, Tt * body[static_cast<std::size_t>(k)].twist_at(random.vec3<double>(0.5))}};
    if (k > 0) parts.push_back({k - 1, -Tt * body[static_cast<std::size_t>(k - 1)].twist_at(random.vec3<double>(0.5))});
    made.add_block(parts);
  }
  made.add_block({{bodies - 1, random.matrix(1, 6)}});
  return made;
}

void random_sides(Random& random, Machine& made) {
  made.problem.f = random.vector<VectorXd>(made.M.rows(), -10.0, 10.0);
  made.problem.b = made.J * random.vector<VectorXd>(made.M.rows(), -5.0, 5.0);  // so that doubled rows agree
}

struct Solved {
  VectorXd y, lambda;
  SweepReport report;
};
Solved solve(Machine& made, BlockSweeper& sweeper, double tolerance = 1e-12, bool independent_only = false) {
  Solved out{VectorXd::Zero(made.M.rows()), VectorXd::Zero(made.J.rows()), {}};
  EXPECT_EQ(sweeper.prepare(made.problem, independent_only), -1);
  sweeper.add_free_motion(made.problem.f, 1.0, out.y);
  out.report = sweeper.solve(out.y, made.problem.b, out.lambda, tolerance);
  return out;
}

TEST(BlockSweeper, OneImpulseStopsTheRowAndTakesTheEnergyOfIt) {
  Random random(1);
  BlockSweeper sweeper;
  for (int trial = 0; trial < 200; ++trial) {
    const Machine made = distance_case(random);
    const VectorXd V = random.vector<VectorXd>(12);
    VectorXd after = V, lambda = VectorXd::Zero(1);
    ASSERT_EQ(sweeper.prepare(made.problem), -1);
    sweeper.sweep(after, VectorXd::Zero(1), lambda);

    const double K = (made.J * made.M.inverse() * made.J.transpose())(0, 0), rate = (made.J * V)[0];
    EXPECT_TRUE(near(lambda[0], -rate / K, 1e-14));  // not K⁻¹ − J V, as was once printed
    const double terms = (made.J.cwiseAbs() * after.cwiseAbs())[0];
    EXPECT_LE(std::abs((made.J * after)[0]), 1e-15 * terms);
    const double gain = energy(made.M, after) - energy(made.M, V);
    EXPECT_LE(std::abs(gain + rate * rate / (2.0 * K)), 1e-14 * energy(made.M, V));
    EXPECT_LE(relative(made.M * (after - V), made.J.transpose() * lambda), 1e-13);
  }
}

TEST(BlockSweeper, ABlockIsMetAtOnceHoweverItsRowsAreScaled) {
  Random random(2);
  for (const bool scaled : {false, true}) {
    Random same(3);
    Machine made = chain_case(same, 1);
    if (scaled) {
      auto& part = made.problem.blocks[0].parts[0].J;
      for (Eigen::Index i = 0; i < part.rows(); ++i) part.row(i) *= std::pow(1000.0, static_cast<double>(i) - 2.0);
    }
    made.problem.blocks.pop_back();
    made.problem.b = VectorXd::Zero(made.problem.blocks[0].rows);
    BlockSweeper sweeper;
    ASSERT_EQ(sweeper.prepare(made.problem), -1);
    VectorXd v = random.vector<VectorXd>(6), lambda = made.problem.b;
    const SweepReport report = sweeper.solve(v, made.problem.b, lambda, 1e-12);
    EXPECT_TRUE(report.converged);
    EXPECT_EQ(report.sweeps, 1);
  }
}

TEST(BlockSweeper, ChainsAgreeWithDenseEquations) {
  Random random(4);
  for (int bodies = 2; bodies <= 10; ++bodies) {
    for (int trial = 0; trial < 5; ++trial) {
      Machine made = chain_case(random, bodies);
      random_sides(random, made);
      BlockSweeper sweeper;
      const Solved got = solve(made, sweeper, 1e-13);
      ASSERT_TRUE(got.report.converged) << bodies << " bodies, " << got.report.residual;
      EXPECT_LE(relative(got.y, made.dense_solution()), 1e-9) << bodies << " bodies, sweeps " << got.report.sweeps;
      EXPECT_LE(relative(made.M * got.y, made.problem.f + made.J.transpose() * got.lambda), 1e-11);
    }
  }
}

TEST(BlockSweeper, RepeatedRowsConvergeInOneBlockAndAcrossBlocks) {
  Random random(5);
  for (int trial = 0; trial < 10; ++trial) {
    Machine made = chain_case(random, 4);
    const GaussProblem::Block second = made.problem.blocks[1];
    made.add_block(second.parts);                           // a whole block again
    std::vector<GaussProblem::Part> thrice = second.parts;  // its rows, the same longer, and mixed: all in one block
    const MatrixXd mix = random.matrix(second.rows, second.rows);
    for (auto& part : thrice) {
      const MatrixXd once = part.J;
      part.J.resize(3 * once.rows(), once.cols());
      part.J << once, -3.0 * once, mix * once;
    }
    made.add_block(thrice);
    random_sides(random, made);
    BlockSweeper sweeper;
    const Solved got = solve(made, sweeper, 1e-13);
    ASSERT_TRUE(got.report.converged) << got.report.residual;
    EXPECT_LE(got.lambda.norm(), 1e4) << "no forces without bound";
    EXPECT_LE(relative(got.y, made.dense_solution()), 1e-9);
    EXPECT_LE(relative(made.M * got.y, made.problem.f + made.J.transpose() * got.lambda), 1e-11);
  }
}

TEST(BlockSweeper, SweepsOnlyTheIndependentRowsWhenAsked) {
  Random random(6);
  Machine made = chain_case(random, 3);
  const Eigen::Index kept = made.J.rows();
  made.add_block(made.problem.blocks[0].parts);
  random_sides(random, made);
  const VectorXd dense = made.dense_solution();
  for (int k = 0; k < kept; ++k) made.problem.rows.push_back(k);
  made.problem.b[made.J.rows() - 1] += 1.0;  // nobody asks
  BlockSweeper sweeper;
  const Solved got = solve(made, sweeper, 1e-13, true);
  EXPECT_TRUE(got.report.converged);
  EXPECT_LE(relative(got.y, dense), 1e-9);
  EXPECT_TRUE(got.lambda.tail(made.J.rows() - kept).isZero(0.0));
}

TEST(BlockSweeper, FixedGroupsStayAndRowsBetweenThemAreSkipped) {
  Random random(7);
  Machine made;
  made.add_group(Solid(random).matrix());
  made.add_group(MatrixXd::Zero(6, 6));
  made.add_group(MatrixXd::Zero(6, 6));
  made.add_group(MatrixXd::Zero(0, 0));
  made.add_block({{1, random.matrix(3, 6)}, {2, random.matrix(3, 6)}});
  made.add_block({{0, random.matrix(3, 6)}, {1, random.matrix(3, 6)}, {3, MatrixXd(3, 0)}});
  made.problem.f = random.vector<VectorXd>(18);
  made.problem.b.tail(3) = random.vector<VectorXd>(3);
  BlockSweeper sweeper;
  Solved got = solve(made, sweeper);
  EXPECT_TRUE(got.report.converged);
  EXPECT_FALSE(sweeper.is_fixed(0));
  EXPECT_TRUE(sweeper.is_fixed(1) && sweeper.is_fixed(2) && sweeper.is_fixed(3));
  EXPECT_TRUE(got.y.tail(12).isZero(0.0));
  EXPECT_TRUE(got.lambda.head(3).isZero(0.0));
  EXPECT_LE((made.J * got.y - made.problem.b).norm(), 1e-12);

  made.problem.b[1] = 1.0;  // two fixed bodies cannot be asked to part
  got = solve(made, sweeper);
  EXPECT_FALSE(got.report.converged);
  EXPECT_EQ(got.report.worst_row, 1);
  EXPECT_TRUE(got.y.allFinite() && got.lambda.allFinite());
}

TEST(BlockSweeper, ASingularMassIsTold) {
  Random random(8);
  Machine made = chain_case(random, 3);
  BlockSweeper sweeper;
  const MatrixXd regular = made.problem.groups[1].M;
  made.problem.groups[1].M.row(2).setZero();
  made.problem.groups[1].M.col(2).setZero();
  EXPECT_EQ(sweeper.prepare(made.problem), 1);
  const MatrixXd five = random.matrix(6, 5);
  made.problem.groups[1].M = five * five.transpose();
  EXPECT_EQ(sweeper.prepare(made.problem), 1);
  made.problem.groups[1].M = regular;
  made.problem.groups[1].M(0, 0) = std::nan("");
  EXPECT_EQ(sweeper.prepare(made.problem), 1);
  made.problem.groups[1].M = 1e-20 * regular;  // light is not massless
  EXPECT_EQ(sweeper.prepare(made.problem), -1);
}

TEST(BlockSweeper, ARowOfZerosIsSkipped) {
  Random random(9);
  Machine made = distance_case(random, 2);
  for (auto& part : made.problem.blocks[0].parts) part.J.setZero();  // |d| = 0
  made.problem.f = random.vector<VectorXd>(12);
  BlockSweeper sweeper;
  const Solved got = solve(made, sweeper);
  EXPECT_TRUE(got.report.converged);
  EXPECT_EQ(got.lambda[0], 0.0);
  EXPECT_TRUE(got.y.allFinite());
  EXPECT_LE(std::abs((made.J.row(1) * got.y)[0]), 1e-14);
}

TEST(BlockSweeper, ARopePullsAndNeverPushes) {
  Random random(10);
  BlockSweeper sweeper;
  for (int trial = 0; trial < 100; ++trial) {
    const Machine made = distance_case(random);
    const VectorXd V = random.vector<VectorXd>(12);
    VectorXd v = V, lambda = VectorXd::Zero(1);
    sweeper.take_structure(made.problem);
    sweeper.rule(0).one_sided = true;
    ASSERT_EQ(sweeper.prepare(made.problem), -1);
    const SweepReport report = sweeper.solve(v, VectorXd::Zero(1), lambda, 1e-13);
    EXPECT_TRUE(report.converged);
    if ((made.J * V)[0] <= 0.0) {
      EXPECT_EQ(v, V);
      EXPECT_EQ(lambda[0], 0.0);
    } else {
      EXPECT_LT(lambda[0], 0.0);
      EXPECT_LE(std::abs((made.J * v)[0]), 1e-14);
    }
  }
}

// The one active set that meets λ ≤ 0, J v ≤ target and their complement.
VectorXd by_enumeration(const Machine& made, const VectorXd& v, const VectorXd& target) {
  const MatrixXd MinvJt = made.M.inverse() * made.J.transpose();
  const Eigen::Index m = made.J.rows();
  for (unsigned set = 0; set < (1U << m); ++set) {
    MatrixXd A = made.J * MinvJt;
    VectorXd right = target - made.J * v;
    for (Eigen::Index i = 0; i < m; ++i) {
      if ((set >> i) & 1U) continue;
      A.row(i).setZero();
      A(i, i) = 1.0;
      right[i] = 0.0;
    }
    const VectorXd lambda = pivoted_solution(A, right);
    VectorXd after = v + MinvJt * lambda;
    if (lambda.maxCoeff() <= 1e-12 && (made.J * after - target).maxCoeff() <= 1e-12) return after;
  }
  ADD_FAILURE() << "no active set fits";
  return v;
}

TEST(BlockSweeper, RopesFindTheirActiveSet) {
  Random random(11);
  for (int trial = 0; trial < 200; ++trial) {
    Machine made;
    for (int k = 0; k < 2; ++k) made.add_group(Solid(random).matrix());
    const int ropes = 1 + trial % 4;
    const int last = ropes > 1 ? 2 : 1;  // in one block
    for (int k = 0; k < ropes - last; ++k) made.add_block({{0, random.matrix(1, 6)}, {1, random.matrix(1, 6)}});
    made.add_block({{0, random.matrix(last, 6)}, {1, random.matrix(last, 6)}});
    const VectorXd V = random.vector<VectorXd>(12), zero = VectorXd::Zero(ropes);
    const VectorXd target = trial % 2 == 0 ? zero : random.vector<VectorXd>(ropes);
    BlockSweeper sweeper;
    sweeper.take_structure(made.problem);
    for (std::size_t k = 0; k < made.problem.blocks.size(); ++k) sweeper.rule(static_cast<int>(k)).one_sided = true;
    ASSERT_EQ(sweeper.prepare(made.problem), -1);
    VectorXd v = V, lambda = zero;
    if (trial % 2 == 0) {
      double before = energy(made.M, v);
      for (int k = 0; k < 5; ++k) {
        sweeper.sweep(v, target, lambda);
        EXPECT_LE(energy(made.M, v), before * (1.0 + 1e-15));
        before = energy(made.M, v);
      }
    }
    const SweepReport report = sweeper.solve(v, target, lambda, 1e-13);
    ASSERT_TRUE(report.converged);
    EXPECT_LE(lambda.maxCoeff(), 0.0);
    EXPECT_LE(relative(v, by_enumeration(made, V, target)), 1e-9);
    EXPECT_LE(std::abs(lambda.dot(made.J * v - target)), 1e-11);
  }
}

TEST(BlockSweeper, ARowThatIsNotActiveIsNotThere) {
  Random random(12);
  Machine made = distance_case(random, 2);
  made.problem.b[1] = 3.0;  // against the first
  BlockSweeper sweeper;
  sweeper.take_structure(made.problem);
  sweeper.rule(1).active = false;
  VectorXd v = random.vector<VectorXd>(12), lambda(2);
  lambda << 0.3, 0.7;
  const VectorXd V = v;
  ASSERT_EQ(sweeper.prepare(made.problem), -1);
  sweeper.warm_start(v, lambda);
  EXPECT_EQ(lambda[1], 0.0);
  EXPECT_TRUE(sweeper.solve(v, made.problem.b, lambda, 1e-13).converged);
  EXPECT_LE(relative(made.M * (v - V), made.J.row(0).transpose() * lambda[0]), 1e-13);
  VectorXd delta = VectorXd::Zero(12);
  EXPECT_EQ(sweeper.correct(1, VectorXd::Ones(2), 0.0, 1.0, delta), 0.0);
  EXPECT_TRUE(delta.isZero(0.0));
}

TEST(BlockSweeper, ASoftRowIsTheImplicitStepOfASpringAndDamper) {
  const double m = 2.5, frequency = 5.0, zeta = 0.7, h = 0.01;
  const double omega = 2.0 * pi * frequency, k = m * omega * omega, d = 2.0 * m * zeta * omega;
  const SoftRow soft = soft_row(frequency, zeta, h);
  const double gamma = 1.0 / (h * (d + h * k));
  EXPECT_TRUE(near(soft.softness / m, gamma, 1e-15));
  EXPECT_TRUE(near(soft.feedback, h * k * gamma, 1e-15));

  Machine made;
  made.add_group(MatrixXd::Constant(1, 1, m));
  made.add_block({{0, MatrixXd::Ones(1, 1)}});
  BlockSweeper sweeper;
  sweeper.take_structure(made.problem);
  sweeper.rule(0).softness = soft.softness;
  double x = 0.3, v = -0.4, force = 0.0;
  VectorXd lambda = VectorXd::Zero(1);
  for (int step = 0; step < 50; ++step) {
    ASSERT_EQ(sweeper.prepare(made.problem), -1);
    VectorXd V = VectorXd::Constant(1, v);
    sweeper.warm_start(V, lambda);
    sweeper.sweep(V, VectorXd::Constant(1, -soft.feedback * x), lambda);
    v = (v - h * k * x / m) / (1.0 + h * d / m + h * h * k / m);
    force = -k * (x + h * v) - d * v;
    EXPECT_LE(std::abs(V[0] - v), 1e-14 * omega * 0.3);
    EXPECT_LE(std::abs(lambda[0] - h * force), 1e-14 * h * k * 0.3);
    x += h * v;
  }
}

TEST(BlockSweeper, SoftBlocksGiveWayAsDenseEquationsSay) {
  Random random(13);
  Machine made = chain_case(random, 3);
  random_sides(random, made);
  BlockSweeper sweeper;
  sweeper.take_structure(made.problem);
  sweeper.rule(1).softness = 0.2;
  const Solved got = solve(made, sweeper, 1e-13);
  ASSERT_TRUE(got.report.converged);
  MatrixXd K = made.J * made.M.inverse() * made.J.transpose();
  const auto& soft = made.problem.blocks[1];
  for (int i = soft.first_row; i < soft.first_row + soft.rows; ++i) K(i, i) *= 1.2;
  const VectorXd free = made.M.inverse() * made.problem.f;
  const VectorXd lambda = pivoted_solution(K, made.problem.b - made.J * free);
  EXPECT_LE(relative(got.y, free + made.M.inverse() * made.J.transpose() * lambda), 1e-9);
}

TEST(BlockSweeper, ASoftRopeIsASoftRowThatOnlyPulls) {
  Random random(22);
  for (int trial = 0; trial < 20; ++trial) {
    const Machine made = distance_case(random);
    BlockSweeper sweeper;
    sweeper.take_structure(made.problem);
    sweeper.rule(0) = {.softness = 0.5, .one_sided = true};
    ASSERT_EQ(sweeper.prepare(made.problem), -1);
    const VectorXd V = random.vector<VectorXd>(12);
    VectorXd v = V, lambda = VectorXd::Zero(1);
    for (int k = 0; k < 3; ++k) sweeper.sweep(v, VectorXd::Zero(1), lambda);  // more sweeps change nothing
    const double K = (made.J * made.M.inverse() * made.J.transpose())(0, 0);
    EXPECT_TRUE(near(lambda[0], std::min(-(made.J * V)[0] / (1.5 * K), 0.0), 1e-14));
    VectorXd delta = VectorXd::Zero(12);
    EXPECT_EQ(sweeper.correct(0, VectorXd::Ones(1), 0.0, 1.0, delta), 0.0) << "a spring is not projected";
  }
}

TEST(BlockSweeper, RowsAgainstEachOtherAreReported) {
  Random random(14);
  Machine made = chain_case(random, 3);
  random_sides(random, made);
  const auto first = static_cast<int>(made.J.rows());
  const VectorXd agreed = made.problem.b;
  made.add_block(made.problem.blocks[0].parts);
  made.problem.b << agreed, agreed.head(made.J.rows() - first);
  made.problem.b[first] += 1.0;
  BlockSweeper sweeper;
  const Solved got = solve(made, sweeper);
  EXPECT_FALSE(got.report.converged);
  EXPECT_GT(got.report.residual, 1e-3);
  EXPECT_EQ(got.report.worst_row, 0) << "the last one of the two is met";
  EXPECT_TRUE(got.y.allFinite());
}

TEST(BlockSweeper, NumbersThatAreNotFiniteEndIt) {
  Random random(15);
  Machine made = chain_case(random, 3);
  random_sides(random, made);
  made.problem.b[2] = std::nan("");
  BlockSweeper sweeper;
  Solved got = solve(made, sweeper);
  EXPECT_FALSE(got.report.converged);
  EXPECT_EQ(got.report.worst_row, 2);
  made.problem.b[2] = std::numeric_limits<double>::infinity();
  got = solve(made, sweeper);
  EXPECT_FALSE(got.report.converged);
}

TEST(BlockSweeper, AToleranceBelowRoundOffIsReportedNotChased) {
  Random random(16);
  Machine made = chain_case(random, 3);
  random_sides(random, made);
  BlockSweeper sweeper;
  const Solved got = solve(made, sweeper, 1e-30);
  EXPECT_LE(got.report.residual, 1e-14);
  EXPECT_LE(relative(got.y, made.dense_solution()), 1e-9);
}

TEST(BlockSweeper, WarmStartFromTheAnswerNeedsNoSweep) {
  Random random(17);
  Machine made = chain_case(random, 6);
  random_sides(random, made);
  BlockSweeper sweeper;
  const Solved cold = solve(made, sweeper);
  ASSERT_TRUE(cold.report.converged);
  EXPECT_GT(cold.report.sweeps, 5);
  VectorXd y = VectorXd::Zero(made.M.rows()), lambda = cold.lambda;
  sweeper.add_free_motion(made.problem.f, 1.0, y);
  sweeper.warm_start(y, lambda);
  const SweepReport warm = sweeper.solve(y, made.problem.b, lambda, 1e-12);
  EXPECT_TRUE(warm.converged);
  EXPECT_LE(warm.sweeps, 1);
}

// v goes to zero, and nothing is left to be small against: the scale has to remember what was there without λ.
TEST(BlockSweeper, EquilibriumConverges) {
  Machine made;
  const int links = 5;
  for (int k = 0; k < links; ++k) made.add_group((1.0 + 0.3 * k) * MatrixXd::Identity(3, 3));
  Random random(18);
  for (int k = 0; k < links; ++k) {
    const MatrixXd A = random.matrix(3, 3);
    made.add_block(k == 0 ? std::vector<GaussProblem::Part>{{0, A}}
                          : std::vector<GaussProblem::Part>{{k, A}, {k - 1, -A}});
  }
  made.problem.f = random.vector<VectorXd>(3 * links, -10.0, 10.0);
  BlockSweeper sweeper;
  const Solved cold = solve(made, sweeper);
  EXPECT_TRUE(cold.report.converged);
  EXPECT_LE(cold.y.norm(), 1e-9);
  VectorXd y = VectorXd::Zero(3 * links), lambda = cold.lambda;
  sweeper.add_free_motion(made.problem.f, 1.0, y);
  sweeper.warm_start(y, lambda);
  const SweepReport warm = sweeper.solve(y, made.problem.b, lambda, 1e-12);
  EXPECT_TRUE(warm.converged);
  EXPECT_LE(warm.sweeps, 1);
}

// A heavy load on a long light chain halves its residual in thousands of sweeps: slow, but not stuck.
TEST(BlockSweeper, SlowIsNotStuck) {
  Machine made;
  const int links = 20;
  for (int k = 0; k < links; ++k) made.add_group(MatrixXd::Constant(1, 1, k + 1 < links ? 1.0 : 200.0));
  for (int k = 0; k < links; ++k) {
    std::vector<GaussProblem::Part> parts{{k, MatrixXd::Ones(1, 1)}};
    if (k > 0) parts.push_back({k - 1, -MatrixXd::Ones(1, 1)});
    made.add_block(parts);
  }
  made.problem.f = -9.81 * made.M.diagonal();
  BlockSweeper sweeper;
  const Solved got = solve(made, sweeper);
  EXPECT_TRUE(got.report.converged);
  EXPECT_GT(got.report.sweeps, 10000);
  EXPECT_TRUE(near(got.lambda[0], 9.81 * (links - 1 + 200.0), 1e-6));
}

TEST(BlockSweeper, PositionsAreCorrectedBeyondSlopAndUpToAClamp) {
  Random random(19);
  Machine made = chain_case(random, 3);
  BlockSweeper sweeper;
  ASSERT_EQ(sweeper.prepare(made.problem), -1);
  const auto& block = made.problem.blocks[1];
  VectorXd phi = VectorXd::Zero(made.J.rows());
  for (int i = 0; i < block.rows; ++i) phi[block.first_row + i] = random.number(-0.2, 0.2);
  const auto rows = made.J.middleRows(block.first_row, block.rows);
  const VectorXd mine = phi.segment(block.first_row, block.rows);

  VectorXd delta = VectorXd::Zero(made.M.rows());
  EXPECT_EQ(sweeper.correct(1, phi, 0.0, 1.0, delta), mine.cwiseAbs().maxCoeff());
  EXPECT_LE((rows * delta + mine).norm(), 1e-13);
  EXPECT_TRUE(delta.tail(6).isZero(0.0)) << "the third body is not touched";
  EXPECT_LE(relative(made.M * delta, rows.transpose() * (rows * made.M.inverse() * rows.transpose()).inverse() * -mine),
            1e-11);

  delta.setZero();
  sweeper.correct(1, phi, 0.05, 0.08, delta);
  for (int i = 0; i < block.rows; ++i) {
    const double beyond = std::min(std::max(std::abs(mine[i]) - 0.05, 0.0), 0.08);
    EXPECT_TRUE(near((rows * delta)[i], -std::copysign(beyond, mine[i]), 1e-13));
  }
  delta.setZero();
  EXPECT_EQ(sweeper.correct(1, phi, 0.3, 1.0, delta), 0.0);
  EXPECT_TRUE(delta.isZero(0.0));
}

TEST(BlockSweeper, PositionsLookAtPositionRowsOnlyAndSlackRopesAtNothing) {
  Random random(20);
  Machine made;
  made.add_group(Solid(random).matrix());
  made.add_block({{0, random.matrix(3, 6)}});
  made.add_block({{0, random.matrix(2, 6)}});
  BlockSweeper sweeper;
  sweeper.take_structure(made.problem);
  sweeper.rule(0).position_rows = 1;
  sweeper.rule(1).one_sided = true;
  ASSERT_EQ(sweeper.prepare(made.problem), -1);
  VectorXd phi(5), delta = VectorXd::Zero(6);
  phi << 0.1, 0.0, 0.0, -0.4, 0.3;
  EXPECT_EQ(sweeper.correct(0, phi, 0.0, 1.0, delta), 0.1);
  const auto row = made.J.row(0);
  const VectorXd MinvJt = made.M.inverse() * row.transpose();
  EXPECT_LE(relative(delta, MinvJt * (-0.1 / (row * MinvJt)[0])), 1e-13);  // the other two rows do not hold it

  delta.setZero();
  EXPECT_EQ(sweeper.correct(1, phi, 0.0, 1.0, delta), 0.3);
  EXPECT_TRUE(near((made.J * delta)[4], -0.3, 1e-13));
  const VectorXd pull = made.M * delta;  // along −J of the taut row alone
  EXPECT_LE(relative(pull.normalized(), -made.J.row(4).transpose().normalized()), 1e-13);

  made.problem.blocks[1].parts[0].J.row(0) = made.problem.blocks[1].parts[0].J.row(1);  // two ropes side by side
  ASSERT_EQ(sweeper.prepare(made.problem), -1);
  phi[3] = phi[4];
  delta.setZero();
  sweeper.correct(1, phi, 0.0, 1.0, delta);
  EXPECT_TRUE(near((made.J * delta)[4], -0.3, 1e-13)) << "corrected once, not twice";
}

TEST(BlockSweeper, ANewStructureIsTakenAndRulesOfTheOldOneAreGone) {
  Random random(21);
  Machine made = chain_case(random, 3);
  random_sides(random, made);
  BlockSweeper sweeper;
  sweeper.take_structure(made.problem);
  sweeper.rule(0).softness = 1.0;
  Solved got = solve(made, sweeper);
  EXPECT_EQ(sweeper.rule(0).softness, 1.0);
  EXPECT_GT(relative(got.y, made.dense_solution()), 1e-3);
  made = chain_case(random, 5);
  random_sides(random, made);
  got = solve(made, sweeper, 1e-13);
  EXPECT_LE(relative(got.y, made.dense_solution()), 1e-9);
}

}  // namespace
}  // namespace tandem::test
