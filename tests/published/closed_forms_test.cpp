// Examples against closed forms and published numbers (docs/references.md).
#include <gtest/gtest.h>

#include "support/example_model.hpp"
#include "tandem/math/euler312.hpp"
#include "tandem/model/builder.hpp"

namespace tandem {
namespace {

TEST(Chain, HangingStillItCarriesTheWeightBelow) {
  const Model model = example_model("chain");
  Simulation simulation(model);
  EXPECT_NEAR(simulation.reaction("link1").force.norm(), 29.43, 1e-12);
  EXPECT_NEAR(simulation.reaction("link2").force.norm(), 19.62, 1e-12);
  EXPECT_NEAR(simulation.reaction("link3").force.norm(), 9.81, 1e-12);
  // What the world does to the first mass points up.
  EXPECT_NEAR(simulation.reaction("link1").force.z(), 29.43, 1e-12);
}

TEST(Chain, SquaredRowsGiveTensionOverTwiceTheLength) {
  // C = |x_i − x_{i−1}|² − l² as custom rows; multipliers are tensions over 2 l.
  const auto squared = custom_rows(1, 0, [](auto bodies, auto, auto& rows) {
    const auto d = (bodies[1].X_WC.p - bodies[0].X_WC.p).eval();
    rows.phi[0] = d.dot(d) - 1.0;
    rows.J.row(0).segment(3, 3) = -2.0 * d.transpose();
    rows.J.row(0).segment(9, 3) = 2.0 * d.transpose();
  });
  Builder build;
  const std::vector<std::string> names{"world", "a", "b", "c"};
  for (std::size_t i = 1; i < names.size(); ++i) {
    build.body({.name = names[i], .mass = 1.0, .point_mass = true, .position = {0, 0, -static_cast<double>(i)}});
    build.constraint({.name = "link " + names[i], .type = squared, .bodies = {names[i - 1], names[i]}});
  }
  const Model model = build.finish();
  Simulation simulation(model);
  const double wanted[3] = {14.715, 9.81, 4.905};
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(std::abs(simulation.solution().lambda[i]), wanted[i], 1e-12);
  // In motion: the automatic bias keeps the residuals before projection at the level of the integrator's own error.
  const Model moving = example_model("chain", {{"angle", 1.0}});
  Simulation swing(moving);
  EXPECT_LE(advance(swing, 1.0, 0.001).before.position, 1e-10);
}

TEST(Sleigh, FollowsTheClosedForm) {
  const Model model = example_model("chaplygin-sleigh");
  Simulation simulation(model);
  const double a = 0.2, w0 = 2.0, k = std::sqrt(0.13 + 0.04);
  for (const double t : {0.5, 1.0, 2.0, 5.0}) {
    advance(simulation, t, 0.0025);
    const double x = a * w0 * t / k;
    const BodyFrame edge = model.point("sleigh", Vector3::Zero());
    EXPECT_NEAR(simulation.velocity(edge).v.norm(), k * w0 * std::tanh(x), 1e-9);
    EXPECT_NEAR(simulation.rate("ice", "angle"), w0 / std::cosh(x), 1e-9);
    EXPECT_NEAR(simulation.coordinate("ice", "angle"), k / a * 2.0 * std::atan(std::tanh(x / 2)), 1e-9);
  }
  const Vector3 edge = simulation.pose(model.point("sleigh", Vector3::Zero())).p;
  EXPECT_NEAR(edge.x(), -2.761294367361044, 1e-8);
  EXPECT_NEAR(edge.y(), 1.0612195170531018, 1e-8);
  EXPECT_NEAR(simulation.reaction("edge").force.norm(), 0.01972838231538705, 1e-8);
}

TEST(RollingDisc, FollowsTheReferenceMotion) {
  const Model model = example_model("rolling-disc");
  Simulation simulation(model);
  EXPECT_NEAR(simulation.energy().total(), 46.02495191664439, 1e-12);
  const auto disc = [&] { return euler312_of<double>(simulation.pose({model.body("disc"), {}}).R); };
  advance(simulation, 0.5, 0.001);
  EXPECT_NEAR(disc()[0], -0.36792921704419085, 1e-9);
  EXPECT_NEAR(disc()[1], 0.1962467634764398, 1e-9);
  const Vector3 force = simulation.reaction("contact").force, point = simulation.reaction("contact").point;
  EXPECT_NEAR(force.x(), -2.314904259719359, 1e-7);
  EXPECT_NEAR(force.y(), -6.041613662332386, 1e-7);
  EXPECT_NEAR(force.z(), 37.33142427524854, 1e-7);
  EXPECT_NEAR(point.x(), 1.489565755023149, 1e-9);
  EXPECT_NEAR(point.y(), -0.40734428217920254, 1e-9);
  advance(simulation, 5.0, 0.001);
  EXPECT_NEAR(disc()[0], -2.9494918962404313, 1e-8);
  EXPECT_NEAR(disc()[1], 0.22541140557797135, 1e-8);
  const Vector3 centre = simulation.pose({model.body("disc"), {}}).p;
  EXPECT_NEAR(centre.x(), 0.11204247693628225, 1e-7);
  EXPECT_NEAR(centre.y(), -10.287582041777522, 1e-7);
}

TEST(SliderCrank, FollowsSundials) {
  const Model model = example_model("slider-crank");
  Simulation simulation(model);
  const double reference[3][3] = {{1.0, 1.3154205708816982, 1.0014918072308003},
                                  {5.0, -1.4299969676472273, 0.9390306135782662},
                                  {10.0, 1.2756758486502393, 1.0235785589798396}};
  for (const auto& [t, crank, slider] : reference) {
    advance(simulation, t, 0.0025);
    EXPECT_NEAR(euler312_of<double>(simulation.pose({model.body("crank"), {}}).R)[0], crank, 1e-8);
    EXPECT_NEAR(simulation.pose({model.body("slider"), {}}).p.x(), slider, 1e-8);
  }
}

TEST(Swimmer, TurnsByTheGeometricPhaseWithoutMomentum) {
  const Model model = example_model("swimmer");
  Simulation simulation(model);
  EXPECT_NEAR(simulation.rate("plane", "angle"), 0.25925925925925924, 1e-13);  // zero momentum from the start
  const Vector3 start = simulation.mass_center();
  advance(simulation, pi / 2, pi / 1000);
  EXPECT_NEAR(simulation.coordinate("plane", "angle"), 0.5210908847116188, 1e-9);
  advance(simulation, 2 * pi, pi / 1000);
  EXPECT_NEAR(simulation.coordinate("plane", "angle"), -0.09048103835265252, 1e-9);
  EXPECT_LE((simulation.mass_center() - start).norm(), 1e-10);
}

}  // namespace
}  // namespace tandem
