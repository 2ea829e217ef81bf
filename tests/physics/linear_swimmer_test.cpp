// A swimmer whose joints are driven, linearised in the middle of a stroke, against the equations of its heading and
// place.
//
// Three rods in a plane; α(t), β(t) are the angles of tail and head from the middle, θ its heading, r the place of its
// centre. In the axes of the middle, p_i(t) and φ_i(t) are centres and angles of the rods, c = Σ m p_i / Σ m, S a
// quarter of a turn:
//   (1)  r + R(θ) c moves straight on:   r̈ = −R (c̈ + 2 θ̇ S ċ + θ̈ S c − θ̇² c)
//   (2)  I θ̇ + K is constant:            I = Σ m |p_i − c|² + Σ J,   K = Σ m (p_i − c) × ṗ_i + Σ J φ̇_i
//   (3)  θ̈ = −(İ θ̇ + K̇)/I
// Derivatives by time are taken by complex-step.
#include <gtest/gtest.h>

#include "support/linear_state.hpp"
#include "tandem/tandem.hpp"

namespace tandem {
namespace {

using Complex = std::complex<double>;
using Flat = Eigen::Matrix<Complex, 2, 1>;  // a vector in the plane

struct DrivenJoint {
  double angle, rate, acceleration;
  Complex at(Complex t) const { return angle + t * (rate + 0.5 * acceleration * t); }
  Complex rate_at(Complex t) const { return rate + acceleration * t; }
};

struct PlaneSwimmer {
  double l = 0.7, m = 1.3, J = 0.9;
  DrivenJoint tail{0.8, -1.1, 0.6}, head{-0.5, 0.7, -1.9};
  double heading = 0.4, turning = 0.9;  // θ, θ̇ at t = 0
  Eigen::Vector2d velocity{0.3, -0.2};  // of the middle

  static Flat along(Complex angle) { return {std::cos(angle), std::sin(angle)}; }
  static Flat quarter_turn(const Flat& a) { return {-a.y(), a.x()}; }
  static Complex cross(const Flat& a, const Flat& b) { return a.x() * b.y() - a.y() * b.x(); }

  struct Shape {
    Flat c, c_dot;
    Complex I, K, K_tail, K_head;  // K and its parts per unit rate of a joint
  };
  Shape shape(Complex t) const {
    const Flat ahead(0.5 * l, 0.0), to_tail = -0.5 * l * along(tail.at(t)), to_head = 0.5 * l * along(head.at(t));
    const Flat p_tail = to_tail - ahead, p_head = to_head + ahead;
    const Flat by_tail = quarter_turn(to_tail), by_head = quarter_turn(to_head);  // ṗ per unit rate
    Shape at;
    at.c = (p_tail + p_head) / 3.0;
    at.c_dot = (tail.rate_at(t) * by_tail + head.rate_at(t) * by_head) / 3.0;
    const auto square = [](const Flat& a) { return a.x() * a.x() + a.y() * a.y(); };
    at.I = 3.0 * J + m * (square(at.c) + square(p_tail - at.c) + square(p_head - at.c));  // (2)
    at.K_tail = m * cross(p_tail - at.c, by_tail) + J;
    at.K_head = m * cross(p_head - at.c, by_head) + J;
    at.K = tail.rate_at(t) * at.K_tail + head.rate_at(t) * at.K_head;
    return at;
  }

  Model model() const {
    Builder build("swimmer");
    build.gravity({0, 0, 0});
    const auto place = [](const Flat& a) { return Vector3(a.x().real(), a.y().real(), 0.0); };
    const Vector3 z(0, 0, 1), middle = Vector3::Zero();
    const Vector3 ahead = place(0.5 * l * along(heading));
    const auto rod = [&](const std::string& name, const Vector3& from, double reach, double angle, double turning_rate,
                         const Vector3& v_from) {
      const Vector3 arm = place(reach * along(angle));
      build.body({.name = name,
                  .mass = m,
                  .inertia = std::array{0.1, 0.8, J, 0.0, 0.0, 0.0},
                  .position = from + arm,
                  .rotation = rotation_about_z(angle),
                  .velocity = v_from + turning_rate * z.cross(arm),
                  .angular_velocity = turning_rate * z});
    };
    const Vector3 v(velocity.x(), velocity.y(), 0.0);
    rod("middle", middle, 0.0, heading, turning, v);
    rod("tail", -ahead, -0.5 * l, heading + tail.angle, turning + tail.rate, v - turning * z.cross(ahead));
    rod("head", ahead, 0.5 * l, heading + head.angle, turning + head.rate, v + turning * z.cross(ahead));
    build.joint({.name = "plane", .type = Planar{}, .bodies = {"world", "middle"}, .point = middle, .axis = z});
    const auto hinge = [&](const std::string& name, const Vector3& point, const DrivenJoint& driven) {
      build.joint({.name = name, .type = Revolute{}, .bodies = {"middle", name.substr(3)}, .point = point, .axis = z});
      build.drive({.name = "drive_" + name.substr(3),  // angles are counted from the pose that was given
                   .type = Polynomial{.coefficients = {0.0, driven.rate, 0.5 * driven.acceleration}},
                   .coordinate = {name, ""}});
    };
    hinge("to_tail", -ahead, tail);
    hinge("to_head", ahead, head);
    return build.finish();
  }
};

class LinearSwimmer : public ::testing::TestWithParam<const char*> {};

TEST_P(LinearSwimmer, AnswersAsItsEquationsSay) {
  const PlaneSwimmer swimmer;
  Model model = swimmer.model();
  model.setup.method = GetParam();
  const Linearization found =
      linearize_start(model, {.states = {"plane.angle", "plane.x", "plane.y"}, .inputs = {"drive_tail", "drive_head"}});
  ASSERT_EQ(found.states.size(), 4U);

  const PlaneSwimmer::Shape now = swimmer.shape(0.0);
  const double tiny = 1e-40;
  const PlaneSwimmer::Shape later = swimmer.shape(Complex(0.0, tiny));
  const double w = swimmer.turning, I = now.I.real();
  const double I_dot = later.I.imag() / tiny, K_dot = later.K.imag() / tiny;
  const Eigen::Vector2d c = now.c.real(), c_dot = now.c_dot.real(), c_ddot = later.c_dot.imag() / tiny;
  const auto quarter = [](const Eigen::Vector2d& a) { return Eigen::Vector2d(-a.y(), a.x()); };
  const auto turned = [&](const Eigen::Vector2d& a) {
    return Eigen::Vector2d(std::cos(swimmer.heading) * a + std::sin(swimmer.heading) * quarter(a));
  };
  const double w_dot = -(I_dot * w + K_dot) / I;                                                          // (3)
  const Eigen::Vector2d a = -turned(c_ddot + 2.0 * w * quarter(c_dot) + w_dot * quarter(c) - w * w * c);  // (1)
  const Eigen::Vector2d a_by_w = -turned(2.0 * quarter(c_dot) - I_dot / I * quarter(c) - 2.0 * w * c);

  const auto A = [&](const char* row, const char* column) {
    return found.A(index_of(found.states, row), index_of(found.states, column));
  };
  EXPECT_NEAR(A("plane.angle", "plane.angle.rate"), 1.0, 1e-12);
  EXPECT_NEAR(A("plane.angle.rate", "plane.angle"), 0.0, 1e-12);
  EXPECT_NEAR(A("plane.angle.rate", "plane.angle.rate"), -I_dot / I, 1e-12);
  EXPECT_NEAR(A("plane.x.rate", "plane.angle"), quarter(a).x(), 1e-12);
  EXPECT_NEAR(A("plane.y.rate", "plane.angle"), quarter(a).y(), 1e-12);
  EXPECT_NEAR(A("plane.x.rate", "plane.angle.rate"), a_by_w.x(), 1e-12);
  EXPECT_NEAR(A("plane.y.rate", "plane.angle.rate"), a_by_w.y(), 1e-12);
  for (const char* rate : {"plane.angle.rate", "plane.x.rate", "plane.y.rate"})
    for (const char* speed : {"plane.x.rate", "plane.y.rate"}) EXPECT_NEAR(A(rate, speed), 0.0, 1e-12);

  const Eigen::Index turning = index_of(found.states, "plane.angle.rate");
  EXPECT_NEAR(found.B(turning, index_of(found.inputs, "drive_tail")), -now.K_tail.real() / I, 1e-12);
  EXPECT_NEAR(found.B(turning, index_of(found.inputs, "drive_head")), -now.K_head.real() / I, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Methods, LinearSwimmer,
                         ::testing::Values("lagrange", "articulated", "null_space", "udwadia_kalaba"),
                         [](const auto& each) { return std::string(each.param); });

}  // namespace
}  // namespace tandem
