// Four machines that are locked but for a pendulum, or altogether: joints repeat each other a millimetre or a
// micrometre apart. Once they kept more rows than there are coordinates: memory was overwritten, the pendulum stood
// still.
#include <gtest/gtest.h>

#include "tandem/io/model/model_file.hpp"
#include "tandem/simulate.hpp"

namespace tandem::test {
namespace {

// By every method, cut and set of coordinates that there is.
template <class Look> void by_every_method(const std::string& file, const Look& look) {
  const Model given = load_model(std::string(TANDEM_SOURCE_DIR) + "/tests/defects/" + file + ".toml");
  for (const MethodInfo& method : all_methods())
    for (const std::string& cut : method.cuts)
      for (const std::string& coordinates : method.coordinates) {
        if ((cut != "all" && coordinates != "quasi") || method.name == "impulses") continue;
        SCOPED_TRACE(method.name + " " + cut + " " + coordinates);
        Model model = given;
        model.setup.method = method.name;
        model.setup.cut = cut;
        model.setup.coordinates = coordinates;
        Simulation simulation(model);
        EXPECT_LE(simulation.workspace().problem.rows.size(),
                  static_cast<std::size_t>(simulation.workspace().problem.unknowns()));
        look(model, simulation);
      }
}

TEST(Locked, PendulumSwingsAsOnAWall) {
  // About its pivot: I + m r² = 1 + 1.25, torque −m g · 1
  for (const char* file : {"pendulum-stands-still", "wrong-acceleration"})
    by_every_method(file, [](const Model& model, Simulation& simulation) {
      const Body& p = model.bodies[static_cast<std::size_t>(model.body("p"))];
      EXPECT_NEAR(simulation.solution().y[p.v_first], -9.81 / 2.25, 1e-7);
    });
}

TEST(Locked, StandsStill) {
  for (const char* file : {"heap-overflow", "segv"})
    by_every_method(file, [](const Model&, Simulation& simulation) {
      EXPECT_LE(simulation.solution().y.cwiseAbs().maxCoeff(), 1e-6);
    });
}

}  // namespace
}  // namespace tandem::test
