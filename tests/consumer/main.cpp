// A pendulum built with the installed package, and its results in a file.
#include <tandem/io/results/results.hpp>
#include <tandem/joints/revolute.hpp>
#include <tandem/model/builder.hpp>
#include <tandem/simulate.hpp>

#include <array>
#include <cmath>
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
  ResultWriter writer("pendulum.h5", {{"t", "s"}, {"hinge", "rad"}}, {{{"model", model.name}}}, {.force = true});
  for (int i = 0; i < 1000; ++i) {
    simulation.step(0.001);
    writer.row(std::array{simulation.state().t, simulation.coordinate("hinge")});
  }
  writer.finish();
  std::printf("angle after 1 s: %.6f rad\n", simulation.coordinate("hinge"));
  const bool written = read_results("pendulum.h5").value(999, 1) == simulation.coordinate("hinge");
  return written && std::abs(simulation.energy().total() - energy) < 1e-9 ? 0 : 1;
}
