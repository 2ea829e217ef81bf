// Tops and free bodies: the heavy top of the Lie-group papers, the symmetric top in closed form, the body without
// torque. References: heavy_top_lie_group (Terze, Müller, Zlatar, Multibody Syst. Dyn. 38 (2016); Exudyn heavyTop;
// 80-bit integration), symmetric_top_analytic (Lagrange), torque_free_body (Euler and Poinsot; Jacobi elliptic
// functions).
#include "support/published.hpp"

namespace tandem {
namespace {

class Tops : public test::BothCuts {};

// A body on a ball joint at the origin, its frame there too.
Model top(double mass, const Vector3& center, const Vector3& inertia, const Matrix3& R, const Vector3& spin) {
  Builder build("top");
  build.body({.name = "top",
              .mass = mass,
              .center = center,
              .inertia = std::array{inertia.x(), inertia.y(), inertia.z(), 0.0, 0.0, 0.0},
              .rotation = R,
              .velocity = R * spin.cross(center),
              .angular_velocity = spin});
  build.joint({.name = "pivot", .type = Spherical{}, .bodies = {"world", "top"}, .point = Vector3(0, 0, 0)});
  return build.finish();
}

struct Turned {
  double t;
  std::array<double, 4> quaternion;  // w first
  std::array<double, 3> spin;        // body axes
};
Vector3 body_spin(Simulation& simulation, const BodyFrame& body) {
  return simulation.pose(body).R.transpose() * simulation.velocity(body).w;
}

TEST_P(Tops, HeavyTopFollowsTheReference) {
  const Turned reference[] = {
      {0.05,
       {-0.8146660530820518, -0.049181315079973656, -0.5683618689653481, 0.1042362993823766},
       {3.630269989207832, 150.0, -2.9772174293034843}},
      {0.1,
       {0.3318229126083008, 0.17733805666693703, 0.9149751591387278, -0.1458260144308886},
       {4.808941331728092, 150.0, 1.0283007567183298}},
      {0.2,
       {-0.7082791529743125, 0.4387810881265819, 0.5457283961454177, 0.08939975282400502},
       {-2.6915909121434085, 150.0, 4.917260989893994}},
      {0.5,
       {0.5845606240694147, -0.7006628954122064, 0.38432575302289435, 0.1401930788004352},
       {-0.47105310174524834, 150.0, 5.901083048326457}},
      {1.0,
       {0.7329439806796636, -0.27828571933761254, 0.5318246113341626, -0.3201761427362492},
       {-0.8220781016827036, 150.0, -5.923291348117336}},
      {1.5,
       {0.004692580505545313, -0.6122413674823307, 0.7906522691768485, 0.0027343878775193307},
       {0.3462137843426497, 150.0, 4.6053599853376745}},
      {2.0,
       {0.12294713504153351, -0.49107989255002676, 0.3504300303436212, -0.7879868875504855},
       {0.1222332194973966, 150.0, -5.855624589205458}},
  };
  const Vector3 centers[] = {{0.22574111752549467, 0.9734319842761439, -0.03835518017882437},
                             {0.421296658925402, 0.894571974345593, -0.1491647005618996},
                             {0.6055505613771197, 0.5989576817949192, -0.5239830274300031},
                             {-0.7024682970565854, -0.02116518470192329, -0.7114002576517343},
                             {0.1733439640983861, 0.6400885920705688, -0.748490791133581},
                             {-0.9681657156381804, 0.2503060621326017, -0.0014220838511313282},
                             {-0.15041682274564175, -0.7241655916368951, -0.6730222695604443}};
  const Model model = precise(example_model("heavy-top"));
  Simulation simulation(model);
  const BodyFrame body{model.body("top"), {}};
  test::Error attitude, spin, center, energy;
  for (std::size_t i = 0; i < std::size(reference); ++i) {
    go_to(simulation, reference[i].t);
    attitude.see_quaternion(simulation.pose(body).R, reference[i].quaternion);
    spin.see(body_spin(simulation, body), test::vector(reference[i].spin));
    center.see(simulation.pose(body).p, centers[i]);
    energy.see_relative(simulation.energy().total(), 5435.696790865547);
  }
  EXPECT_LE(attitude.largest(), 5e-12);
  EXPECT_LE(spin.largest(), 1e-10);
  EXPECT_LE(center.largest(), 4e-12);
  EXPECT_LE(energy.largest(), 5e-14);
}

constexpr double tilt = pi / 3.0, arm = 0.05, axial_spin = 200.0;

// Tilted about x; turning about the vertical at `precession`, with the axial spin given.
Model symmetric_top(double precession) {
  return top(0.4, {0, 0, arm}, {0.001, 0.001, 0.0008}, rotation_about_x(tilt),
             {0.0, precession * std::sin(tilt), axial_spin});
}
// How far the mass centre has gone round, and the cosine of the tilt.
double azimuth(const Vector3& center) { return std::atan2(center.x(), -center.y()); }

TEST_P(Tops, SymmetricTopPrecessesSteadily) {
  for (const double rate : {1.235794931961638, 158.76420506803836}) {
    const Model model = precise(symmetric_top(rate));
    Simulation simulation(model);
    const BodyFrame body{model.body("top"), {}};
    test::Error upright, around;
    for (int i = 1; i <= 8; ++i) {
      const double t = 0.25 * i * 2.0 * pi / std::max(rate, 10.0);
      go_to(simulation, t);
      const Vector3 center = simulation.pose(body).p;
      upright.see(center.z() / arm, 0.5);
      around.see_angle(azimuth(center), rate * t);
    }
    EXPECT_LE(upright.largest(), 2e-12) << rate;
    EXPECT_LE(around.largest(), 3e-12) << rate;
  }
}

TEST_P(Tops, SymmetricTopNods) {
  const double period = 0.07972728383225378;
  const Model model = precise(symmetric_top(0.0));
  Simulation simulation(model);
  const BodyFrame body{model.body("top"), {}};
  test::Error height, around;
  for (int i = 1; i <= 10; ++i) {
    go_to(simulation, (i - 0.5) * period);
    height.see(simulation.pose(body).p.z() / arm, 0.47629843292048957);
    go_to(simulation, i * period);
    height.see(simulation.pose(body).p.z() / arm, 0.5);
    around.see_angle(azimuth(simulation.pose(body).p), i * 0.09849002905688278);
  }
  EXPECT_LE(height.largest(), 1e-13);
  EXPECT_LE(around.largest(), 1e-12);
}

Model free_body(const Vector3& spin) {
  Builder build("free body");
  build.gravity({0, 0, 0});
  build.body(
      {.name = "body", .mass = 1.0, .inertia = std::array{1.0, 2.0, 3.0, 0.0, 0.0, 0.0}, .angular_velocity = spin});
  return build.finish();
}

struct TurnErrors {
  test::Error spin, attitude, energy, momentum;
};

template <std::size_t n> TurnErrors turn(const Model& model, const Turned (&reference)[n]) {
  Simulation simulation(model);
  const BodyFrame body{model.body("body"), {}};
  const Vector3 inertia(1.0, 2.0, 3.0), start = inertia.cwiseProduct(body_spin(simulation, body));
  const double energy = simulation.energy().total();
  TurnErrors errors;
  for (const Turned& each : reference) {
    if (each.t > simulation.state().t) simulation.step(each.t - simulation.state().t);
    errors.spin.see(body_spin(simulation, body), test::vector(each.spin));
    errors.attitude.see_quaternion(simulation.pose(body).R, each.quaternion);
    errors.energy.see_relative(simulation.energy().total(), energy);
    errors.momentum.see(simulation.pose(body).R * inertia.cwiseProduct(body_spin(simulation, body)), start);
  }
  return errors;
}

TEST_P(Tops, BodyWithoutTorqueFollowsJacobiForAHundredSeconds) {
  const Turned reference[] = {
      {1.0,
       {0.8136267118020395, 0.2524419003458956, 0.23068462351085003, 0.47018003495215666},
       {0.299784762184658, 0.7681986047643461, 0.9036723048461967}},
      {5.0,
       {-0.8734838061336312, 0.3588047218762325, -0.15528704610112604, 0.2901226383700711},
       {0.19017545438461902, -0.8023922336049892, 0.8937126129150609}},
      {10.0,
       {0.7401623424393443, -0.10658908072087644, 0.20261243093756923, -0.6322552313230395},
       {-0.792379313777088, -0.22833095081077184, 0.9979754467423616}},
      {20.0,
       {0.20040452003058964, -0.24435868968211896, -0.14243715482860742, -0.9379970767824803},
       {0.7837752649746353, 0.2563129610728653, 0.995708067321284}},
      {50.0,
       {-0.9125716202171159, 0.16682568519357335, -0.25036692890386003, 0.27694517443936884},
       {-0.7522686316153854, -0.337774933776199, 0.9875741481212916}},
      {100.0,
       {0.8429803012986594, -0.05666032521246057, -0.10107490751778916, -0.5253167446783994},
       {0.6822507463855192, 0.46317806409242007, 0.9704751552622042}},
  };
  const TurnErrors errors = turn(precise(free_body({0.8, 0.2, 1.0})), reference);
  EXPECT_LE(errors.spin.largest(), 5e-12);
  EXPECT_LE(errors.attitude.largest(), 1e-11);
  EXPECT_LE(errors.energy.largest(), 1e-12);
  EXPECT_LE(errors.momentum.largest(), 3e-12);
}

// About the intermediate axis errors grow a thousandfold a flip; the reference itself is good to 1e-11 in attitude.
TEST_P(Tops, BodyWithoutTorqueFlips) {
  const Turned reference[] = {
      {1.0,
       {0.87758235593519, 0.00025263291153881543, 0.47942562842967973, 0.0004599267988806068},
       {0.00011485891712556457, 1.0000004934035929, 0.0008191850769399341}},
      {5.0,
       {-0.801140739697346, 0.0008817035784934494, 0.5984640939594844, 0.003669609957817974},
       {-0.0064884266720930525, 0.9999794499485082, 0.0038340440216186236}},
      {10.0,
       {0.28315203388909993, 0.0137111148475206, -0.9572258061687668, -0.05792829221251691},
       {-0.11732638371977284, 0.9930939128215622, 0.06774333993527673}},
      {20.0,
       {-0.04501209505233862, 0.997236885997266, -0.02889963300959894, -0.05154915826069455},
       {-0.10532100800936893, -0.9944387790466995, 0.06081259389334185}},
      {50.0,
       {0.3809797091921115, -0.009999992101007714, -0.924489842150417, -0.008543600094315493},
       {0.025364086281474532, 0.9996787799723998, 0.014666706888892777}},
  };
  const TurnErrors errors = turn(precise(free_body({0.001, 1.0, 0.001})), reference);
  EXPECT_LE(errors.spin.largest(), 5e-11);
  EXPECT_LE(errors.attitude.largest(), 3e-11);
  EXPECT_LE(errors.energy.largest(), 3e-13);
  EXPECT_LE(errors.momentum.largest(), 3e-12);
}

TANDEM_ON_BOTH_CUTS(Tops);

}  // namespace
}  // namespace tandem
