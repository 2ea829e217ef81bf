// Machines on several wheels: rolling rows repeat each other and what hubs say, and which of them are left out must not
// matter. By every method, on every cut and in all coordinates; five seconds of each, a hundred once a week.
#include <gtest/gtest.h>

#include "support/how_long.hpp"
#include "tandem/io/model/model_file.hpp"
#include "tandem/run/run.hpp"

namespace tandem::test {
namespace {

struct Vehicle {
  std::string file, method, cut, coordinates;
  friend void PrintTo(const Vehicle& v, std::ostream* out) {
    *out << v.file << " " << v.method << " " << v.cut << " " << v.coordinates;
  }
};

// The last four are no vehicles: light or massless bodies beside heavy ones.
std::vector<Vehicle> vehicles() {
  std::vector<Vehicle> all;
  for (const char* file :
       {"two_wheels", "two_wheels_circle", "cart", "cart_on_a_nose", "tricycle", "car", "wheel-set",
        "axle-rolls-straight", "snake_wheels_5", "heavy_globe", "heavy_base", "massless_gimbal", "light_cart_pole"})
    for (const MethodInfo& method : all_methods())
      for (const std::string& cut : method.cuts)
        for (const std::string& coordinates : method.coordinates)
          if ((cut == "all" || coordinates == "quasi") && method.name != "impulses" &&
              // the rotor lies on its side, where Euler angles are singular
              !(file == std::string_view("massless_gimbal") && coordinates == "euler312"))
            all.push_back({file, method.name, cut, coordinates});
  return all;
}

Model model_of(const Vehicle& vehicle) {
  Model model = load_model(std::string(TANDEM_SOURCE_DIR) + "/tests/defects/" + vehicle.file + ".toml");
  model.setup.method = vehicle.method;
  model.setup.cut = vehicle.cut;
  model.setup.coordinates = vehicle.coordinates;
  if (vehicle.file == "light_cart_pole") model.setup.integrator = "dop853";
  return model;
}

class Vehicles : public ::testing::TestWithParam<Vehicle> {};

TEST_P(Vehicles, RollOn) {
  const Model model = model_of(GetParam());
  Simulation simulation(model);
  // Small steps of light machines take long.
  const double most = how_many(20.0, 500.0, 20000.0) * model.setup.step;
  tandem::Run run(model, simulation, {.duration = std::min(most, how_many(1.0, 5.0, 100.0))});
  while (run.advance()) {
  }
  EXPECT_TRUE(run.status() == RunStatus::finished || run.status() == RunStatus::stopped) << run.reason();
  EXPECT_LE(run.health().after.position, 1e-12 * std::max(1.0, model.scale.length));
  if (run.health().energy_moved()) {
    EXPECT_LE(run.health().relative_balance(), 1e-3);
  }
}

// At 1e8 m the last digit of a position is 1.5e-8 m: a row that is off by as much is met.
TEST(FarFromTheOrigin, RoundingIsNoGap) {
  for (const MethodInfo& method : all_methods()) {
    const Vehicle machine{"far-from-the-origin", method.name, method.cuts.front(), method.coordinates.front()};
    const Model model = model_of(machine);
    Simulation simulation(model);
    tandem::Run run(model, simulation, {.duration = 1.0});
    while (run.advance()) {
    }
    EXPECT_EQ(run.status(), RunStatus::finished) << method.name << ": " << run.reason();
    if (method.name != "impulses") {
      EXPECT_LE(run.health().after.position, 1e-7) << method.name;
    }
  }
}

// Straight on nothing accelerates: what half-explicit stages repeat is round-off of v/h. It was taken for a step that
// is too long, the more so the shorter it was.
TEST(VehiclesByHerk, RollOnAtAnyStep) {
  for (const char* file : {"axle-rolls-straight", "wheel-set"})
    for (const char* method : {"lagrange", "udwadia_kalaba", "null_space"})
      for (const double step : {0.01, 0.001}) {
        Model model = model_of({file, method, "all", "quasi"});
        model.setup.integrator = "herk";
        model.setup.step = step;
        Simulation simulation(model);
        tandem::Run run(model, simulation, {.duration = 0.3});
        while (run.advance()) {
        }
        EXPECT_EQ(run.status(), RunStatus::finished) << file << " " << method << " " << step << ": " << run.reason();
        EXPECT_LE(run.health().relative_balance(), 1e-6) << file << " " << method << " " << step;
      }
}

std::string name_of(const ::testing::TestParamInfo<Vehicle>& each) {
  std::string name = each.param.file + "_" + each.param.method + "_" + each.param.cut + "_" + each.param.coordinates;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Defects, Vehicles, ::testing::ValuesIn(vehicles()), name_of);

// Impulses leave gaps, and there the accelerations of redundant rows contradict each other. Where a run stops within a
// step, what the step did is what its last row reads.
TEST(VehiclesByImpulses, StopWithinAStep) {
  const Model model = model_of({"cart", "impulses", "all", "quasi"});
  Simulation simulation(model);
  tandem::Run run(model, simulation, {.duration = 2.0});
  while (run.advance()) {
  }
  EXPECT_EQ(run.status(), RunStatus::stopped) << run.reason();
  EXPECT_GT(simulation.state().t, simulation.before());
  EXPECT_GT(simulation.reaction("left_contact").force.norm(), 1.0);
}

}  // namespace
}  // namespace tandem::test
