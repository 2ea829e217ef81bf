// Rolling surfaces: an ellipsoid against its geometry, against the ball and the wheel, and surfaces of one's own.
#include <Eigen/Geometry>

#include "support/pair_model.hpp"
#include "tandem/dynamics/kinematics.hpp"
#include "tandem/math/euler312.hpp"
#include "tandem/tandem.hpp"

namespace tandem::test {
namespace {

using Stone = RollingSurface<Ellipsoid>;
const Vector3 stone_axes(0.5, 0.3, 0.2);

// A torus about z with its support function alone: a wheel.
struct Tyre {
  static constexpr std::string_view type = "tyre";
  Real radius = 0.35, crown = 0.06;
  template <class S> S support(const Vec3<S>& n) const {
    using std::sqrt;
    return (radius - crown) * sqrt(S(n.x() * n.x() + n.y() * n.y())) + crown * norm<S>(n);
  }
};

// An ellipsoid with a skin, shifted: no ellipsoid any more.
struct Egg {
  static constexpr std::string_view type = "egg";
  Vector3 semi_axes = Vector3(0.3, 0.2, 0.25), shift = Vector3(0.02, -0.01, 0.03);
  Real skin = 0.05;
  static Egg read(Properties& properties) { return {.skin = properties.number("skin")}; }
  void check(Faults& faults) const {
    if (!(skin > 0.0)) faults.error_in("skin", "skin must be positive");
  }
  template <class S> S support(const Vec3<S>& n) const {
    const Vec3<S> stretched(semi_axes[0] * n[0], semi_axes[1] * n[1], semi_axes[2] * n[2]);
    return norm<S>(stretched) + skin * norm<S>(n) + (shift[0] * n[0] + shift[1] * n[1] + shift[2] * n[2]);
  }
};

template <class C, class S> PairRows<S> rows_of(const C& constraint, const Relative<S>& x) {
  PairRows<S> rows;
  ConstraintKernelOf<C, S>(constraint).rows(x, S(0.0), rows);
  return rows;
}

// φ̇ = TᵀV, and bias = d/dt TᵀV at a held twist.
template <class C> void expect_derivatives(const C& constraint, unsigned seed_number) {
  Random random(seed_number);
  for (int i = 0; i < 20; ++i) {
    const auto x = random_relative<double>(random);
    const PairRows<double> rows = rows_of(constraint, x);
    const PairRows<Dual<double>> moved = rows_of(constraint, along(x));
    EXPECT_NEAR(rows.T.col(0).dot(x.twist()), derivatives(moved.phi)[0], 1e-12);
    EXPECT_TRUE(near(rows.bias, derivatives(VecUpTo6<Dual<double>>(moved.T.transpose() * held(x.twist()))), 1e-12));
  }
}

TEST(RollingSurface, BiasesOfASurfaceGivenByItsSupportAreDerivatives) {
  expect_derivatives(RollingSurface<Egg>{}, 3);
  expect_derivatives(RollingSurface<Tyre>{}, 4);
}

// The closed form of the ellipsoid, and the one that duals make of its support function.
TEST(RollingSurface, TheClosedFormOfTheEllipsoidIsThatOfItsSupportFunction) {
  const Ellipsoid surface{.semi_axes = stone_axes};
  Random random(5);
  for (int i = 0; i < 20; ++i) {
    const Vector3 m = random.vec3<double>(1.0), m_dot = random.vec3<double>(2.0);
    const SurfaceContact<double> closed = surface.contact<double>(m, m_dot), found = surface_contact(surface, m, m_dot);
    EXPECT_NEAR(closed.h, found.h, 1e-15);
    EXPECT_NEAR(closed.h, m.dot(closed.c), 1e-15);  // homogeneous
    EXPECT_TRUE(near(closed.c, found.c, 1e-14));
    EXPECT_TRUE(near(closed.c_dot, found.c_dot, 1e-13));
  }
}

// The point in contact is on the surface, the surface is level there, and no other point of it is lower.
TEST(RollingSurface, TouchesWithTheLowestPointOfTheEllipsoid) {
  const Stone stone{{.semi_axes = stone_axes}};
  Random random(6);
  for (int i = 0; i < 20; ++i) {
    const auto x = random_relative<double>(random);
    const Vector3 point = ConstraintKernelOf<Stone, double>(stone).reaction_point(x);
    const Vector3 in_M = x.R.transpose() * (point - x.p);
    EXPECT_NEAR(in_M.cwiseQuotient(stone_axes).squaredNorm(), 1.0, 1e-14);
    const Vector3 normal = x.R * in_M.cwiseQuotient(stone_axes.cwiseAbs2());
    EXPECT_LT(normal.z(), 0.0);
    EXPECT_NEAR(normal.head<2>().norm() / normal.norm(), 0.0, 1e-14);
    EXPECT_NEAR(rows_of(stone, x).phi[0], point.z(), 1e-15);
    for (int k = 0; k < 100; ++k) {
      const Vector3 on = random.vec3<double>(1.0).normalized().cwiseProduct(stone_axes);
      EXPECT_GE((x.p + x.R * on).z(), point.z() - 1e-15);
    }
  }
}

// Three equal semi-axes: a ball.
TEST(RollingSurface, OfASphereHasTheRowsOfABall) {
  const Stone sphere{{.semi_axes = Vector3::Constant(0.25)}};
  const RollingBall ball{.radius = 0.25};
  Random random(7);
  for (int i = 0; i < 20; ++i) {
    const auto x = random_relative<double>(random);
    const PairRows<double> a = rows_of(sphere, x), b = rows_of(ball, x);
    EXPECT_TRUE(near(a.phi, b.phi, 1e-15));
    EXPECT_TRUE(near(a.T, b.T, 1e-15));
    EXPECT_TRUE(near(a.bias, b.bias, 1e-14));
  }
}

// A torus given by its support function: φ, the row space and, where it rolls, the biases of a wheel.
TEST(RollingSurface, OfATorusIsAWheel) {
  const RollingSurface<Tyre> torus;
  const Wheel wheel{.radius = 0.35, .crown = 0.06};
  Random random(8);
  for (int i = 0; i < 20; ++i) {
    auto x = random_relative<double>(random);
    const Vector3 s = wheel.contact(x).arm;
    x.v = s.cross(x.w);  // u = 0
    const PairRows<double> a = rows_of(torus, x), b = rows_of(wheel, x);
    EXPECT_NEAR(a.phi[0], b.phi[0], 1e-15);
    Matrix3 turn = Matrix3::Identity();  // contact, heading, lateral from contact, x, y
    turn.row(1) << 0.0, wheel.contact(x).heading.head<2>().transpose();
    turn.row(2) << 0.0, wheel.contact(x).lateral.head<2>().transpose();
    EXPECT_TRUE(near(a.T * turn.transpose(), b.T, 1e-14));
    EXPECT_TRUE(near(turn * a.bias, b.bias, 1e-13));
    EXPECT_TRUE(near(ConstraintKernelOf<RollingSurface<Tyre>, double>(torus).reaction_point(x), x.p + s, 1e-15));
  }
}

// As it becomes flat, an ellipsoid becomes a disc; the difference goes with the square of the half thickness.
TEST(RollingSurface, OfAFlatEllipsoidTendsToADisc) {
  Random random(9);
  for (int i = 0; i < 10; ++i) {
    auto x = random_relative<double>(random);
    if (Wheel{.radius = 0.35}.contact(x).sigma < 0.3) continue;  // nearly flat on the ground
    const double disc = rows_of(Wheel{.radius = 0.35}, x).phi[0];
    const auto off = [&](double half) {
      return rows_of(Stone{{.semi_axes = Vector3(0.35, 0.35, half)}}, x).phi[0] - disc;
    };
    EXPECT_LT(std::abs(off(1e-3)), 1e-5);
    EXPECT_NEAR(off(2e-3) / off(1e-3), 4.0, 1e-3);
  }
}

// On an inclined plane of a body that moves: rows by duals, no force without its opposite, and the slip of the two
// material points. The point in contact is found as the image of the unit sphere's.
TEST(RollingSurface, RollsOnAMovingBody) {
  Random random(10);
  Builder build;
  build.body(general_body("tray", random, {rotation_about_x(0.2), {0.1, 0.2, -0.1}}));
  build.body({.name = "stone",
              .mass = 2.0,
              .inertia = std::array{0.1, 0.2, 0.15, 0.01, -0.02, 0.015},
              .position = {0.4, 0.3, 0.5},
              .rotation = rotation_of_euler312<double>({0.4, 0.5, 0.3}),
              .velocity = {1.0, -0.5, 0.2},
              .angular_velocity = {0.5, 4.0, -1.0}});
  const Vector3 normal = Vector3(0.2, -0.1, 1.0).normalized(), on_plane(0.0, 0.0, 0.1), centre(0.42, 0.27, 0.55);
  build.constraint({.name = "contact",
                    .type = Stone{{.semi_axes = stone_axes}},
                    .bodies = {"tray", "stone"},
                    .points = {centre},
                    .plane_point = on_plane,
                    .normal = normal});
  const Model model = build.finish();
  const State state = start_state(model);
  check_rows_by_duals(model, state, 1e-11);
  check_momentum_balance(model, state, 1e-12);

  Kinematics<double> kinematics(model);
  kinematics.update(model, 0.0, state.q(), state.v(), state.angles());
  const BodyMotion<double>&tray = kinematics.body(0), &stone = kinematics.body(1);
  const Matrix3 image = stone.X_WC.R * stone_axes.asDiagonal();
  const Vector3 contact = centre - image * (image.transpose() * normal).normalized();
  const Vector3 slip =
      stone.v + stone.w_W.cross(contact - stone.X_WC.p) - tray.v - tray.w_W.cross(contact - tray.X_WC.p);
  const Equations<double> e = equations(model, state);
  EXPECT_NEAR(e.phi[0], normal.dot(contact - on_plane), 1e-12);
  const Eigen::VectorXd slips = e.J * state.v();
  EXPECT_NEAR(slips[0], normal.dot(slip), 1e-12);
  EXPECT_NEAR(slips.tail<2>().norm(), (slip - normal * normal.dot(slip)).norm(), 1e-12);
}

// `point` and the body's axes, or `frames`: the same place.
TEST(RollingSurface, IsPlacedByAPointOrByFrames) {
  const auto text = [](const std::string& place) {
    return "format = 1\n[[body]]\nname = \"stone\"\nmass = 1\ninertia = [0.1, 0.12, 0.15]\ncenter = [0, 0, -0.02]\n"
           "position = [0.3, 0.1, 0.35]\nangles = [0.2, 0.3, 0.1]\n[[constraint]]\nname = \"contact\"\n"
           "type = \"rolling_surface\"\nbodies = [\"world\", \"stone\"]\n" +
           place;
  };
  const Model by_point = read_model(text("point = [0.3, 0.1, 0.35]\nsemi_axes = [0.5, 0.3, 0.2]\n"), "point.toml");
  const Model by_frames = read_model(text("frames = [{}, {}]\nsemi_axes = [0.5, 0.3, 0.2]\n"), "frames.toml");
  const Model turned =
      read_model(text("frames = [{}, { angles = [\"pi/2\", 0, 0] }]\nsemi_axes = [0.3, 0.5, 0.2]\n"), "turned.toml");
  const Equations<double> e = equations(by_point, start_state(by_point));
  for (const Model* other : {&by_frames, &turned}) {
    const Equations<double> same = equations(*other, start_state(*other));
    EXPECT_TRUE(near(same.phi, e.phi, 1e-15));
    EXPECT_TRUE(near(same.J, e.J, 1e-14));
    EXPECT_TRUE(near(same.b, e.b, 1e-14));
  }
}

// A surface that a program adds: from a model file, with its faults, and rolling without loss.
TEST(RollingSurface, OfOnesOwnIsReadAndRolls) {
  ReadOptions options;
  options.registry.add_constraint<RollingSurface<Egg>>();
  const std::string text = R"(format = 1
[[body]]
name = "egg"
mass = 2
inertia = [0.02, 0.03, 0.04]
position = [0, 0, 0.27]
velocity = [0.535, -0.28, 0.05]
angular_velocity = [1, 2, 0.5]
[[constraint]]
name = "ground"
type = "egg"
bodies = ["world", "egg"]
skin = 0.05
)";
  Model model = read_model(text, "egg.toml", options);
  model.setup.integrator = "dop853";
  model.setup.tolerance = 1e-12;
  Simulation simulation(model);
  const double energy = simulation.energy().total();
  for (int i = 0; i < 20; ++i) {
    simulation.step(0.05);
    EXPECT_NEAR(simulation.energy().total(), energy, 1e-10);
  }
  EXPECT_GT((simulation.pose({0, {}}).p - Vector3(0, 0, 0.27)).norm(), 0.1);  // it has gone somewhere

  std::string wrong = text;
  wrong.replace(wrong.find("skin = 0.05"), 11, "skin = -1.0");
  try {
    read_model(wrong, "egg.toml", options);
    ADD_FAILURE() << "was accepted";
  } catch (const ModelError& error) {
    EXPECT_STREQ(error.what(), "egg.toml:13:8: error: constraint \"ground\": skin must be positive");
  }
}

}  // namespace
}  // namespace tandem::test
