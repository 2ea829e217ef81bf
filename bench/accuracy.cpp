// Tandem's part of CPU time against error: a line of JSON for each method, integrator and step or tolerance.
//
//   tandem_accuracy PROBLEM     a01, a02-2, a02-40, squeezer, bicycle
#include <functional>

#include "bench/mechanisms.hpp"
#include "bench/problems.hpp"
#include "tandem/base/larger.hpp"
#include "tandem/tandem.hpp"

namespace {

using namespace tandem;

struct Setting {
  const char* method;
  const char* integrator;
  std::vector<double> steps;  // of adaptive integrators: tolerances
};

struct Case {
  Model model;
  double end = 0.0;
  std::function<double(Simulation&)> error;
  std::vector<Setting> settings;
};

const std::vector<double> tolerances{1e-4, 1e-6, 1e-8, 1e-10, 1e-12};

Case closed_form(const std::string& name) {
  const bench::Problem problem = bench::find_problem(name);
  const bench::Mechanism mechanism = bench::make_mechanism(name);
  Case out{bench::model_of(mechanism), problem.end, {}, {}};
  Model& model = out.model;
  const bench::Layout layout(mechanism, model);
  {
    model.setup.method = "articulated";
    Simulation simulation(model);
    State state = simulation.state();
    state.v() = layout.v(bench::start_rates(mechanism));
    simulation.set_state(state);
    for (Body& body : model.bodies) {  // every method starts there
      body.angular_velocity = simulation.bodies().v().segment<3>(body.v_first);
      body.velocity = simulation.bodies().v().segment<3>(body.v_first + 3);
    }
  }
  const Vector3 point = Vector3(problem.point[0], problem.point[1], problem.point[2]) - model.bodies[0].center;
  out.error = [problem, point](Simulation& simulation) {
    const Vector3 at = simulation.pose({0, {Matrix3::Identity(), point}}).p;
    return bench::error_of(problem, at.x(), at.y());
  };
  const std::vector<double> steps{0.02, 0.01, 0.005, 0.0025, 0.001, 0.0005};
  out.settings.push_back({"articulated", "rk4", steps});
  // At a singular position error control would shorten its steps for ever.
  if (name == "a01") out.settings.push_back({"articulated", "dop853", tolerances});
  return out;
}

// Andrews' squeezing mechanism, 0.03 s. The recomputed reference, good to all its digits.
Case squeezer() {
  const double start[7] = {
      -0.06171389001427645, 0, 0.45527981916307037, 0.22266839016588588, 0.48736497954384256, -0.22266839016588588,
      1.2305474445498212};
  const double right[7] = {15.810771195153707, -15.756371058411839, 0.0408222401196458, -0.5347301163420796,
                           0.524409965879954,  0.5347301163420796,  1.048080741041938};
  const char* const joints[7] = {"motor",       "crank_pin", "plate_pivot", "upper_pin",
                                 "upper_pivot", "lower_pin", "lower_pivot"};
  Case out{load_model_or_example("squeezer", {}), 0.03, {}, {}};
  out.error = [=](Simulation& simulation) {
    double largest = 0.0;
    for (int i = 0; i < 7; ++i)
      keep_larger(largest, std::abs(start[i] + simulation.coordinate(joints[i]) - right[i]) / right[0]);
    return largest;
  };
  out.settings = {{"articulated", "rk4", {1e-4, 3e-5, 1e-5, 3e-6, 1e-6}}, {"articulated", "dop853", tolerances}};
  return out;
}

Case bicycle() {
  Case out{load_model_or_example("bicycle", {}), 5.0, {}, {}};
  const BodyFrame hub = out.model.point("rear_wheel", Vector3::Zero()),
                  frame = out.model.point("frame", Vector3::Zero());
  out.error = [hub, frame](Simulation& simulation) {  // ten digits are known
    double largest = std::abs(simulation.velocity(hub).v.norm() - 4.6224523890);
    keep_larger(largest, std::abs(std::asin(simulation.pose(frame).R(2, 1)) - 0.0103424406));
    return largest;
  };
  out.settings = {{"articulated", "rk4", {0.05, 0.02, 0.01, 0.005, 0.002, 0.001}},
                  {"null_space", "rk4", {0.05, 0.02, 0.01, 0.005, 0.002, 0.001}},
                  {"articulated", "dop853", tolerances}};
  return out;
}

// The best of three runs from start to end, without recording.
void measure(const std::string& name, Case& problem, const Setting& setting, double size) {
  Model& model = problem.model;
  const bool adaptive = find_integrator(setting.integrator).adaptive;
  model.setup.method = setting.method;
  model.setup.integrator = setting.integrator;
  if (adaptive) model.setup.tolerance = size;
  Simulation simulation(model);
  const State start = simulation.state();
  double best = 1e300;
  for (int run = 0; run < 3 && best > 0.0; ++run) {
    simulation.set_state(start);
    const double begun = bench::cpu_seconds();
    if (adaptive) {
      simulation.step(problem.end);
    } else {
      const int count = static_cast<int>(std::lround(problem.end / size));
      for (int i = 0; i < count; ++i) simulation.step(problem.end / count);
    }
    best = std::min(best, bench::cpu_seconds() - begun);
    if (best > 2.0) break;
  }
  bench::print_accuracy("tandem", name, std::string(setting.method) + ", " + setting.integrator, size, best,
                        problem.error(simulation));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: tandem_accuracy a01|a02-2|a02-40|squeezer|bicycle\n", stderr);
    return 2;
  }
  const std::string name = argv[1];
  Case problem = name == "squeezer" ? squeezer() : name == "bicycle" ? bicycle() : closed_form(name);
  for (const Setting& setting : problem.settings)
    for (const double size : setting.steps) try {
        measure(name, problem, setting, size);
      } catch (const NumericalError& error) {
        std::fprintf(stderr, "%s, %s, %g: %s\n", setting.method, setting.integrator, size, error.what());
      }
  return 0;
}
