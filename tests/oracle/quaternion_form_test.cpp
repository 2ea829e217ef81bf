// The ball joint in quaternion rates exactly as QuIRK writes it, and three ways to solve it.
#include <gtest/gtest.h>

#include <Eigen/LU>

#include "oracle/quaternion_form.hpp"
#include "support/example_model.hpp"
#include "support/numbers.hpp"
#include "tandem/tandem.hpp"

namespace tandem::oracle {
namespace {

struct TwoBodies : ::testing::Test {
  Model model = example_model("two-body");
  Simulation simulation{model};
  State bodies;

  void SetUp() override {
    advance(simulation, 0.3, 0.01);  // somewhere in general
    bodies = simulation.bodies();
  }
  Vec4<double> q(int i) const { return bodies.q().segment<4>(model.bodies[static_cast<std::size_t>(i)].q_first); }
  Vector3 w(int i) const { return bodies.v().segment<3>(model.bodies[static_cast<std::size_t>(i)].v_first); }
};

TEST_F(TwoBodies, AAndBAreThoseOfTheSeed) {
  ASSERT_EQ(model.joints.size(), 1U);
  const DenseSystem system = reordered(quaternion_form(model, bodies), positions_first(model));
  ASSERT_EQ(system.A.rows(), 5);
  ASSERT_EQ(system.A.cols(), 14);
  const ModelJoint& joint = model.joints[0];
  const int B = joint.first.body, C = joint.second.body;
  const Matrix3 Q_B = rotation_of<double>(q(B)), Q_C = rotation_of<double>(q(C));
  const Vector3 p_B = Q_B * joint.first.X_CF.p, p_C = Q_C * joint.second.X_CF.p;
  const Vector3 w_B = Q_B * w(B), w_C = Q_C * w(C);
  Eigen::Matrix<double, 3, 14> A;
  A << Matrix3::Identity(), -Matrix3::Identity(), -sk<double>(p_B) * Q_B * quaternion_rate_matrix<double>(q(B)),
      sk<double>(p_C) * Q_C * quaternion_rate_matrix<double>(q(C));
  const Vector3 b = -sk<double>(w_B) * sk<double>(w_B) * p_B + sk<double>(w_C) * sk<double>(w_C) * p_C;
  // The model's rows are those of C seen from the joint's frame on B: the same three equations in other axes.
  const Eigen::MatrixXd rows = system.A.topRows(3);
  const Eigen::MatrixXd turn = rows.leftCols(3);
  EXPECT_LE((turn * turn.transpose() - Matrix3::Identity()).norm(), 1e-14);
  // Their b differs too: it is the second rate in axes that turn with B. On the constraints both say the same.
  EXPECT_LE((turn * A - rows).norm(), 1e-13);
  EXPECT_LE((turn * b - system.b.head(3)).norm(), 1e-11);
  for (int i = 0; i < 2; ++i) {  // one row a quaternion
    const Vec4<double> rate = quaternion_rate<double>(q(i), w(i));
    EXPECT_LE((system.A.row(3 + i).segment<4>(6 + 4 * i).transpose() - q(i)).norm(), 1e-15);
    EXPECT_NEAR(system.b[3 + i], -rate.squaredNorm(), 1e-15);
  }
}

TEST_F(TwoBodies, MassIsSingularAndTheRowsMakeUpForIt) {
  const DenseSystem system = quaternion_form(model, bodies);
  Eigen::FullPivLU<Eigen::MatrixXd> mass(system.M);
  EXPECT_EQ(mass.rank(), 12);
  Eigen::MatrixXd both(system.M.rows() + system.A.rows(), system.M.cols());
  both << system.M, system.A;
  EXPECT_EQ(Eigen::FullPivLU<Eigen::MatrixXd>(both).rank(), 14);
}

TEST_F(TwoBodies, ThreeSolvesAgree) {
  const DenseSystem singular = quaternion_form(model, bodies), regular = regular_quaternion_form(model, bodies);
  const DenseAnswer kalaba = solve_udwadia_kalaba(regular), phohomsiri = solve_udwadia_phohomsiri(singular),
                    kkt = solve_kkt(singular);
  const double size = kkt.acceleration.norm();
  EXPECT_LE((kalaba.acceleration - kkt.acceleration).norm(), 1e-11 * size);
  EXPECT_LE((phohomsiri.acceleration - kkt.acceleration).norm(), 1e-11 * size);
  EXPECT_LE((phohomsiri.constraint_force - kkt.constraint_force).norm(), 1e-10 * (1.0 + kkt.constraint_force.norm()));
  EXPECT_LE(kkt.unmet, 1e-12);
  EXPECT_EQ(kkt.rank, 5);
  // And with quasi-velocities: ω̇ = T q̈, v̇ = r̈.
  for (std::size_t i = 0; i < 2; ++i) {
    const auto at = static_cast<Eigen::Index>(7 * i);
    const Vector3 w_dot = quaternion_rate_matrix<double>(q(static_cast<int>(i))) * kkt.acceleration.segment<4>(at);
    const Vec6<double> y = simulation.solution().y.segment<6>(model.bodies[i].v_first);
    EXPECT_LE((w_dot - y.head<3>()).norm(), 1e-10 * (1.0 + y.norm()));
    EXPECT_LE((kkt.acceleration.segment<3>(at + 4) - y.tail<3>()).norm(), 1e-10 * (1.0 + y.norm()));
  }
}

TEST_F(TwoBodies, RedundantRowsAreMetAndContradictionsReported) {
  DenseSystem system = quaternion_form(model, bodies);
  const DenseAnswer plain = solve_kkt(system);
  system.A.conservativeResize(6, Eigen::NoChange);
  system.b.conservativeResize(6);
  system.A.row(5) = system.A.row(0) + 2.0 * system.A.row(1);  // a row of one's own that repeats others
  system.b[5] = system.b[0] + 2.0 * system.b[1];
  for (const auto solve : {&solve_udwadia_phohomsiri, &solve_kkt}) {
    const DenseAnswer answer = solve(system);
    EXPECT_EQ(answer.rank, 5);
    EXPECT_LE(answer.unmet, 1e-11);
    EXPECT_LE((answer.acceleration - plain.acceleration).norm(), 1e-10 * plain.acceleration.norm());
  }
  system.b[5] += 1.0;  // now it contradicts them
  EXPECT_GT(solve_udwadia_phohomsiri(system).unmet, 0.1);
  EXPECT_GT(solve_kkt(system).unmet, 0.1);
}

TEST_F(TwoBodies, CustomRowsMayBeAdded) {
  DenseSystem system = quaternion_form(model, bodies);
  system.A.conservativeResize(6, Eigen::NoChange);
  system.b.conservativeResize(6);
  system.A.row(5).setZero();
  system.A(5, 4) = 1.0;  // the first body's mass centre does not accelerate along x
  system.b[5] = 0.0;
  const DenseAnswer a = solve_udwadia_phohomsiri(system), b = solve_kkt(system);
  EXPECT_EQ(a.rank, 6);
  EXPECT_NEAR(a.acceleration[4], 0.0, 1e-12);
  EXPECT_LE((a.acceleration - b.acceleration).norm(), 1e-10 * b.acceleration.norm());
}

TEST(DenseSystemSolvers, RefuseWhatTheyCannotSolve) {
  const DenseSystem singular{Eigen::MatrixXd::Zero(1, 1), Eigen::MatrixXd(0, 1), Eigen::VectorXd::Ones(1),
                             Eigen::VectorXd(0)};
  EXPECT_THROW(solve_udwadia_kalaba(singular), std::invalid_argument);
  EXPECT_THROW(solve_udwadia_phohomsiri(singular), std::invalid_argument);
  const DenseSystem odd{Eigen::MatrixXd::Identity(2, 2), Eigen::MatrixXd(0, 1), Eigen::VectorXd::Ones(2),
                        Eigen::VectorXd(0)};
  EXPECT_THROW(solve_kkt(odd), std::invalid_argument);
}

}  // namespace
}  // namespace tandem::oracle
