// The slider-crank of SUNDIALS with a spring and damper, and the three-link swimmer without momentum.
// References: sundials_slider_crank (idaSlCrank_dns of IDA; one-coordinate reduction in 80-bit arithmetic),
// free_floating_three_link (80-bit integration, two step sizes agree to 3e-17).
#include "support/published.hpp"
#include "tandem/math/euler312.hpp"

namespace tandem {
namespace {

class SliderCrank : public test::BothCuts {};

TEST_P(SliderCrank, FollowsSundials) {
  const double reference[][5] = {
      // t, crank angle, slider, rod angle, crank rate
      {1.0, 1.3154205708816982, 1.0014918072308003, -0.5049734706420015, -0.5087929769098691},
      {2.5, 0.07223610546591175, 1.4980447181497496, -0.03609448680772363, -1.0605265538684836},
      {5.0, -1.4299969676472273, 0.9390306135782662, 0.5178947564898863, 0.054991610537764496},
      {7.5, 0.18041846669398687, 1.487851315824067, -0.08984144198250145, 0.9941507551197134},
      {10.0, 1.2756758486502393, 1.0235785589798396, -0.49881304918249875, -0.23991499719600082},
  };
  const Model model = precise(example_model("slider-crank"));
  Simulation simulation(model);
  const auto yaw = [&](const char* body) { return euler312_of<double>(simulation.pose({model.body(body), {}}).R)[0]; };
  test::Error position, rate;
  for (const auto& [t, crank, slider, rod, crank_rate] : reference) {
    go_to(simulation, t);
    position.see(yaw("crank"), crank);
    position.see(yaw("rod"), rod);
    position.see(simulation.pose({model.body("slider"), {}}).p.x(), slider);
    rate.see(simulation.rate("pivot"), crank_rate);
  }
  EXPECT_LE(position.largest(), 5e-13);
  EXPECT_LE(rate.largest(), 3e-13);
}

TANDEM_ON_BOTH_CUTS(SliderCrank);

class Swimmer : public test::BothCuts {};

TEST_P(Swimmer, TurnsByTheGeometricPhaseWithoutMomentum) {
  const Model model = precise(example_model("swimmer"));
  Simulation simulation(model);
  EXPECT_NEAR(simulation.rate("plane", "angle"), 0.25925925925925924, 1e-15);  // zero momentum from the start
  const Vector3 start = simulation.mass_center();
  const double reference[][2] = {{0.5 * pi, 0.5210908847116188},
                                 {pi, 0.38697713569295084},
                                 {1.5 * pi, -0.08292494842259883},
                                 {2.0 * pi, -0.09048103835265252},
                                 {4.0 * pi, -0.18096207670530498}};
  test::Error heading, center;
  for (const auto& [t, angle] : reference) {
    go_to(simulation, t);
    heading.see(simulation.coordinate("plane", "angle"), angle);
    center.see(simulation.mass_center(), start);
  }
  EXPECT_LE(heading.largest(), 1e-12);
  EXPECT_LE(center.largest(), 1e-12);
}

TANDEM_ON_BOTH_CUTS(Swimmer);

}  // namespace
}  // namespace tandem
