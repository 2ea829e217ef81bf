// The wheel against its rows in 3-1-2 angles (the bicycle project, corrected), and by geometry.
#include <Eigen/LU>

#include "support/pair_model.hpp"
#include "tandem/dynamics/kinematics.hpp"
#include "tandem/math/euler312.hpp"

namespace tandem::test {
namespace {

constexpr double r = 0.34;

// A wheel on z = 0 with its axis along y of the body and its mass centre at the hub.
Model wheel_model(const Vector3& axis = Vector3::UnitY(), double crown = 0.0) {
  return Builder()
      .body({.name = "wheel", .mass = 2.0, .inertia = std::array{0.1, 0.2, 0.1, 0.0, 0.0, 0.0}})
      .constraint(
          {.name = "contact", .type = Wheel{.radius = r, .crown = crown}, .bodies = {"world", "wheel"}, .axis = axis})
      .finish();
}

// Angles p = (yaw φ, lean θ, pitch ψ), their rates, and the hub.
struct Riding {
  Vector3 p, p_dot, x, v;
  double f() const { return p[0]; }
  double th() const { return p[1]; }
  double ps() const { return p[2]; }
  State state() const {
    State s({7, 6, 0});
    s.q() << quaternion_of<double>(rotation_of_euler312<double>(p)), x;
    s.v() << euler312_body_matrix<double>(p) * p_dot, v;
    return s;
  }
};
Riding random_riding(Random& random) {
  Riding x{random.vec3<double>(1.2), random.vec3<double>(3.0), random.vec3<double>(), random.vec3<double>(3.0)};
  x.p[1] = random.number(0.3, 1.1);                                         // leaned
  for (int i = 0; i < 3; ++i) x.p_dot[i] += x.p_dot[i] < 0.0 ? -2.0 : 2.0;  // steering, leaning and pitching
  return x;
}

Eigen::Matrix<double, 3, 6> rows_in_angles(const Riding& x) {  // on (ω', v)
  using std::cos, std::sin;
  const double cf = cos(x.f()), sf = sin(x.f()), ct = cos(x.th()), st = sin(x.th()), cp = cos(x.ps()), sp = sin(x.ps());
  Eigen::Matrix<double, 3, 6> D_w;
  D_w << r * st * cp, 0, r * st * sp, 0, 0, 1,  //
      0, -r, 0, cf, sf, 0,                      //
      r * ct * cp, 0, r * ct * sp, -sf, cf, 0;
  return D_w;
}
Vector3 extra_terms(const Riding& x) {  // what the ω' form has and the p̈ form has not
  const double ct = std::cos(x.th()), st = std::sin(x.th());
  const double f_dot = x.p_dot[0], th_dot = x.p_dot[1], ps_dot = x.p_dot[2];
  return {r * st * ct * f_dot * ps_dot, r * ct * f_dot * th_dot, r * ct * ct * f_dot * ps_dot};
}
Vector3 bias_of_angles(const Riding& x) {  // the p̈ form: second derivatives of the angles dropped
  const double cf = std::cos(x.f()), sf = std::sin(x.f()), ct = std::cos(x.th()), st = std::sin(x.th());
  const double f_dot = x.p_dot[0], th_dot = x.p_dot[1];
  return {r * ct * th_dot * th_dot, f_dot * (-sf * x.v[0] + cf * x.v[1]) - r * ct * f_dot * th_dot,
          -f_dot * (cf * x.v[0] + sf * x.v[1]) - r * st * th_dot * th_dot};
}
Vector3 bias_of_omega(const Riding& x) {  // g₁, g₂, g₃ in their ω' form, as printed
  const double cf = std::cos(x.f()), sf = std::sin(x.f()), ct = std::cos(x.th()), st = std::sin(x.th());
  const double f_dot = x.p_dot[0], th_dot = x.p_dot[1], ps_dot = x.p_dot[2];
  return {r * ct * th_dot * th_dot + r * st * ct * f_dot * ps_dot, f_dot * (-sf * x.v[0] + cf * x.v[1]),
          -f_dot * (cf * x.v[0] + sf * x.v[1]) - r * st * th_dot * th_dot + r * ct * ct * f_dot * ps_dot};
}

TEST(Wheel, RowsAndBiasEqualThoseInAngles) {
  Random random(3);
  const Model model = wheel_model();
  for (int i = 0; i < 20; ++i) {
    const Riding x = random_riding(random);
    const Equations<double> e = equations(model, x.state());
    EXPECT_NEAR(e.phi[0], x.x.z() - r * std::cos(x.th()), 1e-12);
    EXPECT_TRUE(near(e.J, rows_in_angles(x), 1e-12));
    EXPECT_TRUE(near(-e.b, bias_of_omega(x), 1e-12));
  }
}

// The trap: g for p̈ used with unknowns ω̇'. It differs by three terms, all of which carry the yaw rate φ̇; a wheel that
// runs upright and straight cannot see it.
TEST(Wheel, BiasOfTheAnglesIsNotTheBiasOfOmega) {
  Random random(4);
  const Model model = wheel_model();
  for (int i = 0; i < 20; ++i) {
    const Riding x = random_riding(random);
    const Vector3 bias = -equations(model, x.state()).b;
    for (int k = 0; k < 3; ++k) EXPECT_GT(std::abs(bias[k] - bias_of_angles(x)[k]), 0.1);
    EXPECT_TRUE(near(bias, bias_of_angles(x) + extra_terms(x), 1e-12));
    // and the terms are D_ω Ȧ' ṗ, as the change of unknowns says:
    const Vector3 change = rows_in_angles(x).leftCols(3) * euler312_body_matrix_rate<double>(x.p, x.p_dot) * x.p_dot;
    EXPECT_TRUE(near(bias_of_angles(x) - change, bias, 1e-12));
  }
  const Riding upright{{0, 0, 0}, {0, 0.5, 4.6 / r}, {0, 0, r}, {4.6, 0, 0}};
  EXPECT_TRUE(near(Vector3(-equations(model, upright.state()).b), bias_of_angles(upright), 1e-12));
}

// J_ω and b as the world sees them do not depend on how the body's frame lies about the axis, nor on which axis it is.
TEST(Wheel, BodyFrameDoesNotMatter) {
  Random random(5);
  const Riding x = random_riding(random);
  const State state = x.state();
  const Matrix3 R = rotation_of<double>(state.q().head<4>());
  const Equations<double> e = equations(wheel_model(), state);
  const Matrix3 changes[] = {rotation_about_y(0.7), rotation_about_x(0.4 * pi), random.rotation<double>()};
  for (const Matrix3& Q : changes) {  // body axes turned by Q: the wheel's axis is Qᵀ y there
    State turned = state;
    turned.q().head<4>() = quaternion_of<double>(R * Q);
    turned.v().head<3>() = Q.transpose() * state.v().head<3>();
    const Equations<double> t = equations(wheel_model(Q.transpose() * Vector3::UnitY()), turned);
    EXPECT_TRUE(near(t.phi, e.phi, 1e-12));
    EXPECT_TRUE(near(t.b, e.b, 1e-12));
    EXPECT_TRUE(near(t.J.leftCols(3) * Q.transpose(), e.J.leftCols(3), 1e-12));
    EXPECT_TRUE(near(t.J.rightCols(3), e.J.rightCols(3), 1e-12));
  }
  // The opposite axis turns the heading round, and nothing else.
  const Equations<double> back = equations(wheel_model(-Vector3::UnitY()), state);
  const Matrix3 sign = Vector3(1, -1, -1).asDiagonal();
  EXPECT_TRUE(near(back.J, sign * e.J, 1e-12));
  EXPECT_TRUE(near(back.b, sign * e.b, 1e-12));
}

// The gap is the height of the lowest point of the tyre, and the rows are the velocity of the material point there.
TEST(Wheel, CrownTouchesWithItsLowestPoint) {
  Random random(6);
  for (const double crown : {0.0, 0.05, 0.2}) {
    const Riding x = random_riding(random);
    const State state = x.state();
    const Model model = wheel_model(Vector3::UnitY(), crown);
    const Matrix3 R = rotation_of<double>(state.q().head<4>());
    Vector3 lowest(0, 0, 1e9);  // from the hub, sampled around the tyre's centre circle
    for (int i = 0; i < 200000; ++i) {
      const double u = 2.0 * pi * i / 200000;
      const Vector3 on_circle = (r - crown) * (R * Vector3(std::cos(u), 0.0, std::sin(u)));
      if (on_circle.z() - crown < lowest.z()) lowest = on_circle - crown * Vector3::UnitZ();
    }
    const Equations<double> e = equations(model, state);
    EXPECT_NEAR(e.phi[0], x.x.z() + lowest.z(), 1e-8);
    const Vector3 w = R * state.v().head<3>(), u = x.v + w.cross(lowest);
    const Vector3 heading = (R.col(1).cross(Vector3::UnitZ())).normalized(), lateral = Vector3::UnitZ().cross(heading);
    EXPECT_TRUE(near(e.J * state.v(), Vector3(u.z(), heading.dot(u), lateral.dot(u)), 1e-3));
    check_rows_by_duals(model, state, 1e-12);
  }
}

// An inclined plane is the level one seen from a turned world.
TEST(Wheel, RollsOnAnInclinedPlane) {
  Random random(7);
  const Riding x = random_riding(random);
  const State level = x.state();
  const Equations<double> e = equations(wheel_model(), level);
  const Matrix3 Q = random.rotation<double>();
  const Vector3 shift = random.vec3<double>();
  const Model inclined = Builder()
                             .body({.name = "wheel", .mass = 2.0, .inertia = std::array{0.1, 0.2, 0.1, 0.0, 0.0, 0.0}})
                             .constraint({.name = "contact",
                                          .type = Wheel{.radius = r},
                                          .bodies = {"world", "wheel"},
                                          .plane_point = shift,
                                          .normal = Q.col(2)})
                             .finish();
  State state = level;
  state.q() << quaternion_of<double>(Q * rotation_of<double>(level.q().head<4>())), Q * level.q().tail<3>() + shift;
  state.v().tail<3>() = Q * level.v().tail<3>();
  const Equations<double> i = equations(inclined, state);
  EXPECT_TRUE(near(i.phi, e.phi, 1e-12));
  EXPECT_TRUE(near(i.b, e.b, 1e-12));
  EXPECT_TRUE(near(i.J.leftCols(3), e.J.leftCols(3), 1e-12));
  EXPECT_TRUE(near(i.J.rightCols(3) * Q, e.J.rightCols(3), 1e-12));
}

// On a moving body the slip is the difference of the two material points at the contact.
TEST(Wheel, RollsOnAMovingBody) {
  Random random(8);
  Builder build;
  build.body(general_body("tray", random, {rotation_about_x(0.2), {0.1, 0.2, -0.1}}));
  build.body({.name = "wheel",
              .mass = 2.0,
              .inertia = std::array{0.1, 0.2, 0.1, 0.0, 0.0, 0.0},
              .position = {0.4, 0.3, 0.5},
              .rotation = rotation_of_euler312<double>({0.4, 0.5, 0.3}),
              .velocity = {1.0, -0.5, 0.2},
              .angular_velocity = {0.5, 4.0, -1.0}});
  const Vector3 normal = Vector3(0.2, -0.1, 1.0).normalized(), on_plane(0.0, 0.0, 0.1);
  build.constraint({.name = "contact",
                    .type = Wheel{.radius = r},
                    .bodies = {"tray", "wheel"},
                    .plane_point = on_plane,
                    .normal = normal});
  const Model model = build.finish();
  const State state = start_state(model);
  check_rows_by_duals(model, state, 1e-11);
  check_momentum_balance(model, state, 1e-12);

  Kinematics<double> kinematics(model);
  kinematics.update(model, 0.0, state.q(), state.v(), state.angles());
  const BodyMotion<double>&tray = kinematics.body(0), &wheel = kinematics.body(1);
  const Vector3 axis = wheel.X_WC.R.col(1), heading = axis.cross(normal).normalized(), lateral = normal.cross(heading);
  const Vector3 down =
      axis.cross(heading).dot(normal) < 0 ? Vector3(axis.cross(heading)) : Vector3(-axis.cross(heading));
  const Vector3 contact = wheel.X_WC.p + r * down;
  const Vector3 slip =
      wheel.v + wheel.w_W.cross(contact - wheel.X_WC.p) - tray.v - tray.w_W.cross(contact - tray.X_WC.p);
  const Equations<double> e = equations(model, state);
  EXPECT_NEAR(e.phi[0], normal.dot(contact - on_plane), 1e-12);
  EXPECT_TRUE(near(e.J * state.v(), Vector3(normal.dot(slip), heading.dot(slip), lateral.dot(slip)), 1e-12));
}

}  // namespace
}  // namespace tandem::test
