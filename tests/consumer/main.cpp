// A pendulum built with the installed package.
#include <tandem/joints/revolute.hpp>
#include <tandem/model/builder.hpp>
#include <tandem/simulate.hpp>

#include <cstdio>

int main() {
  using namespace tandem;
  Builder build("pendulum");
  build.body({.name = "rod", .mass = 1.0, .shapes = {Shape::cylinder(0.02, 1.0, {1, 0, 0})}, .position = {0.5, 0, 0}});
  build.joint({.name = "hinge",
               .type = Revolute{},
               .bodies = {"world", "rod"},
               .point = Vector3(0, 0, 0),
               .axis = Vector3(0, 1, 0)});
  const Model model = build.finish();
  Simulation simulation(model);
  const double energy = simulation.energy().total();
  for (int i = 0; i < 1000; ++i) simulation.step(0.001);
  std::printf("angle after 1 s: %.6f rad\n", simulation.coordinate("hinge"));
  return std::abs(simulation.energy().total() - energy) < 1e-9 ? 0 : 1;
}
