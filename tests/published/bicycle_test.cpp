// The benchmark bicycle of Meijaard, Papadopoulos, Ruina and Schwab (2007): static loads, the linearised equations,
// and the nonlinear run at 4.6 m/s.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <Eigen/QR>

#include "support/on_bodies.hpp"
#include "support/published.hpp"
#include "tandem/math/euler312.hpp"
#include "tandem/observe/outputs.hpp"

namespace tandem {
namespace {

using Vec2 = Eigen::Vector2d;
using Mat2 = Eigen::Matrix2d;

// A bicycle at a given lean, steer and their rates, riding with a given spin of the rear wheel. Everything else follows
// from the constraints: pitch from the front contact, the other speeds from J v = 0.
class Rider {
 public:
  explicit Rider(const Model& model) : model_(model), simulation_(model, on_bodies(model)), at_(simulation_.state()) {}

  Vec2 acceleration(const Vec2& angles, const Vec2& rates, double speed) {
    place(angles);
    set_speeds(rates, speed);
    simulation_.set_state(at_);
    return lean_and_steer_acceleration();
  }

 private:
  double parameter(const std::string& name) const {
    for (const auto& [key, value] : model_.parameters)
      if (key == name) return value;
    ADD_FAILURE() << name;
    return 0.0;
  }
  void set_pose(const char* body, const Pose<double>& X) {
    const Body& b = model_.bodies[static_cast<std::size_t>(model_.body(body))];
    at_.q().segment<4>(b.q_first) = quaternion_of<double>(X.R);
    at_.q().segment<3>(b.q_first + 4) = X.p;
  }
  // All four bodies for a pitch of the frame; returns the gap of the front contact.
  double place_with_pitch(const Vec2& angles, double pitch) {
    const double rR = parameter("rR"), lambda = parameter("lambda");
    const Matrix3 leaned = rotation_about_x(angles[0]);
    const Pose<double> rear{leaned, leaned * Vector3(0, 0, rR)};
    // The frame turns about the rear hub; positions in the file are those of the upright start.
    const Pose<double> frame{leaned * rotation_about_y(pitch), rear.p};
    const auto in_frame = [&](const Vector3& start) { return Vector3(frame * Vector3(start - Vector3(0, 0, rR))); };
    const Vector3 axis(std::sin(lambda), 0.0, -std::cos(lambda));
    const Vector3 head(parameter("w") + parameter("c"), 0.0, 0.0);
    const Matrix3 steer = rotation_exp<double>(axis * angles[1]);
    const auto in_fork = [&](const Vector3& start) { return in_frame(head + steer * (start - head)); };
    set_pose("rear_wheel", rear);
    set_pose("frame", {frame.R, in_frame({parameter("xB"), 0.0, -parameter("zB")})});
    set_pose("fork", {frame.R * steer, in_fork({parameter("xH"), 0.0, -parameter("zH")})});
    set_pose("front_wheel", {frame.R * steer, in_fork({parameter("w"), 0.0, parameter("rF")})});
    Workspace workspace(model_);
    workspace.update(model_, at_);
    problem_ = workspace.problem;
    kinematics_ = std::make_unique<Kinematics<double>>(workspace.kinematics);
    for (const RowBlockInfo& block : model_.blocks)
      if (model_.block_name(block) == "constraint \"front_contact\"") return problem_.phi[block.first_row];
    ADD_FAILURE();
    return 0.0;
  }
  void place(const Vec2& angles) {
    double a = 0.0, b = 1e-3, fa = place_with_pitch(angles, a), fb = place_with_pitch(angles, b);
    for (int i = 0; i < 30 && std::abs(fb) > 1e-16 && fb != fa; ++i) {  // secant
      const double c = b - fb * (b - a) / (fb - fa);
      a = b;
      fa = fb;
      b = c;
      fb = place_with_pitch(angles, b);
    }
    ASSERT_LE(problem_.phi.cwiseAbs().maxCoeff(), 1e-14);
  }
  void set_speeds(const Vec2& rates, double speed) {
    const Eigen::MatrixXd J = problem_.dense_J();
    const auto n = J.cols();
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(J.rows() + 3, n);
    A.topRows(J.rows()) = J;
    Eigen::VectorXd right = Eigen::VectorXd::Zero(A.rows());
    right.tail(3) << rates[0], rates[1], speed / parameter("rR");
    const Body& rear = model_.bodies[static_cast<std::size_t>(model_.body("rear_wheel"))];
    // Rear wheel in axes yawed and leaned with it: lean rate is ω_x there.
    A(J.rows(), rear.v_first) = 1.0;
    joint_row("steer", A.row(J.rows() + 1));
    joint_row("rear_hub", A.row(J.rows() + 2));
    at_.v() = A.colPivHouseholderQr().solve(right);
    ASSERT_LE((A * at_.v() - right).norm(), 1e-12);
  }
  void joint_row(const char* name, Eigen::MatrixXd::RowXpr row) {
    const int index = model_.joint(name);
    const ModelJoint& joint = model_.joints[static_cast<std::size_t>(index)];
    const JointMotion<double>& motion = kinematics_->joint(index);
    row.segment<6>(model_.bodies[static_cast<std::size_t>(joint.first.body)].v_first) =
        motion.W.transpose() * motion.pair.G_first;
    row.segment<6>(model_.bodies[static_cast<std::size_t>(joint.second.body)].v_first) =
        motion.W.transpose() * motion.pair.G_second;
  }
  Vec2 lean_and_steer_acceleration() {
    // θ̇ = cψ ω'_x + sψ ω'_z of the frame, so θ̈ by the rule of the product, with ψ the frame's pitch.
    const Body& frame = model_.bodies[static_cast<std::size_t>(model_.body("frame"))];
    const Vec3<double> p = euler312_of<double>(simulation_.workspace().kinematics.body(model_.body("frame")).X_WC.R);
    const Vector3 w = at_.v().segment<3>(frame.v_first), w_dot = simulation_.solution().y.segment<3>(frame.v_first);
    const double pitch_rate = (euler312_body_matrix_inverse<double>(p) * w)[2];
    const double c = std::cos(p[2]), s = std::sin(p[2]);
    const double lean = c * w_dot.x() + s * w_dot.z() + pitch_rate * (-s * w.x() + c * w.z());
    return {lean, simulation_.joint_acceleration(model_.joint("steer"))[0]};
  }

  const Model& model_;
  Simulation simulation_;
  State at_;
  GaussProblem problem_;
  std::unique_ptr<Kinematics<double>> kinematics_;
};

// d/dx of f at 0 by the sixth-order central difference.
template <class F> Vec2 slope(F&& f, double h) {
  return (45.0 * (f(h) - f(-h)) - 9.0 * (f(2 * h) - f(-2 * h)) + (f(3 * h) - f(-3 * h))) / (60.0 * h);
}

struct Linear {
  Mat2 by_angle, by_rate;  // (lean, steer)¨ = by_angle (lean, steer) + by_rate (lean, steer)˙
};

Linear linearise(const Model& model, double speed) {
  Rider rider(model);
  Linear result;
  for (int k = 0; k < 2; ++k) {
    const Vec2 unit = Vec2::Unit(k);
    result.by_angle.col(k) = slope([&](double x) { return rider.acceleration(x * unit, Vec2::Zero(), speed); }, 2e-3);
    result.by_rate.col(k) = slope([&](double x) { return rider.acceleration(Vec2::Zero(), x * unit, speed); }, 2e-2);
  }
  return result;
}

// M⁻¹: accelerations per lean and steer torque, from unit torques on the resting upright bicycle.
Mat2 inverse_mass(const std::string& text) {
  Mat2 result;
  for (int k = 0; k < 2; ++k) {
    const char* torque = k == 0 ? "\n[[force]]\ntype = \"torque\"\nbody = \"frame\"\nvalue = [1, 0, 0]\n"
                                : "\n[[force]]\ntype = \"joint\"\njoint = \"steer\"\neffort = 1\n";
    ReadOptions options;
    options.set = {{"v", 0.0}, {"lean_rate", 0.0}};
    const Model model = read_model(text + torque, "bicycle", options);
    Simulation simulation(model);
    const Body& frame = model.bodies[static_cast<std::size_t>(model.body("frame"))];
    result.col(k) << simulation.solution().y[frame.v_first], simulation.joint_acceleration(model.joint("steer"))[0];
  }
  return result;
}

void expect_matrix(const Mat2& got, const Mat2& wanted, double tolerance, const char* name) {
  for (int i = 0; i < 4; ++i)
    EXPECT_NEAR(got(i), wanted(i), tolerance * std::max(1.0, wanted.cwiseAbs().maxCoeff())) << name << i;
}

TEST(Bicycle, StaticAxleLoadsAreThePublishedOnes) {
  const Model model = example_model("bicycle", {{"v", 0.0}, {"lean_rate", 0.0}});
  Simulation simulation(model);
  const double rear = simulation.reaction("rear_contact").force.z(),
               front = simulation.reaction("front_contact").force.z();
  EXPECT_NEAR(rear, 612.84, 5e-3);
  EXPECT_NEAR(front, 309.30, 5e-3);
  EXPECT_NEAR(rear + front, 94.0 * 9.81, 1e-9);
  EXPECT_NEAR(front, 9.81 * (85 * 0.3 + 4 * 0.9 + 3 * 1.02) / 1.02, 1e-9);  // moments about the rear contact
}

TEST(Bicycle, LinearisedEquationsAreThePublishedOnes) {
  Mat2 M, C1, K0, K2;
  M << 80.81722, 2.31941332208709, 2.31941332208709, 0.29784188199686;
  C1 << 0, 33.86641391492494, -0.85035641456978, 1.68540397397560;
  K0 << -80.95, -2.59951685249872, -2.59951685249872, -0.80329488458618;
  K2 << 0, 76.59734589573222, 0, 2.65431523794604;
  const EmbeddedExample* example = find_example("bicycle");
  ASSERT_NE(example, nullptr);
  const Mat2 inverse = inverse_mass(std::string(example->text));
  const Mat2 mass = inverse.inverse();
  expect_matrix(mass, M, 1e-8, "M");

  const Model model = example_model("bicycle", {{"v", 0.0}, {"lean_rate", 0.0}});
  const double g = 9.81;
  const Mat2 k0 = -mass * linearise(model, 0.0).by_angle / g;
  expect_matrix(k0, K0, 1e-8, "K0");
  for (const double v : {2.0, 5.0, 8.0}) {
    const Linear linear = linearise(model, v);
    expect_matrix(-mass * linear.by_rate / v, C1, 1e-8, "C1");
    expect_matrix((-mass * linear.by_angle - g * k0) / (v * v), K2, 1e-8, "K2");
  }
}

// 4.6 m/s and a push of 0.5 rad/s, 5 s later.
class BicycleRun : public test::BothCuts {
 protected:
  static double off(const Model& model, double h) {
    Simulation simulation(model);
    advance(simulation, 5.0, h);
    const Vec3<double> p = euler312_of<double>(simulation.pose({model.body("frame"), {}}).R);
    test::Error error;
    error.see(p[1], 0.010342440644);
    error.see(std::abs(p[0]), 0.216075181614);
    error.see(simulation.velocity({model.body("rear_wheel"), {}}).v.norm(), 4.622452389);
    return error.largest();
  }
};

TEST_P(BicycleRun, ReachesTheReferenceState) {
  Model model = example_model("bicycle");
  model.setup.method = GetParam();
  EXPECT_LE(off(model, 0.001), 1e-8);
  EXPECT_LE(off(precise(model), 5.0), 1e-9);
}

TEST_P(BicycleRun, KeepsItsEnergyWithStepsOfTenMilliseconds) {
  Model model = example_model("bicycle");
  model.setup.method = GetParam();
  Simulation simulation(model);
  const double energy = simulation.energy().total();
  test::Error error;
  for (int i = 1; i <= 500; ++i) {
    simulation.step(0.01 * i - simulation.state().t);
    error.see_relative(simulation.energy().total(), energy);
  }
  EXPECT_LE(error.largest(), 5e-7);
}

TANDEM_ON_BOTH_CUTS(BicycleRun);

TEST(Bicycle, ResidualsBeforeProjectionFallWithTheFifthPowerOfTheStep) {
  const Model model = example_model("bicycle");
  std::vector<ResidualNorms> residuals;
  for (const double h : {0.02, 0.01, 0.005}) {
    Simulation simulation(model);
    residuals.push_back(advance(simulation, 1.0, h).before);
  }
  for (std::size_t i = 1; i < residuals.size(); ++i) {
    EXPECT_NEAR(std::log2(residuals[i - 1].position / residuals[i].position), 5.0, 0.35);
    EXPECT_NEAR(std::log2(residuals[i - 1].velocity / residuals[i].velocity), 5.0, 0.35);
  }
}

TEST(Bicycle, CountsAreSchwabs) {
  // 24 coordinates, 17 holonomic rows and 4 nonholonomic ones: 7 positions and 3 speeds to choose.
  const Model model = example_model("bicycle");
  EXPECT_EQ(model.nv, 24);
  EXPECT_EQ(model.rows, 21);
}

}  // namespace
}  // namespace tandem
