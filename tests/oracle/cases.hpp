// What engines are compared on: all examples and random mechanisms, each at its start and at two states nearby.
#pragma once

#include <functional>
#include <string>

#include "oracle/states.hpp"
#include "support/example_model.hpp"
#include "support/random_mechanism.hpp"

namespace tandem::oracle {

// Loops, drives, wheels and couplers in one; those near a singular pose say little and are few.
inline constexpr double near_singular = 1e4;

struct CaseState {
  std::string name;  // of the model
  int number = 0;    // of the state
  const Model& model;
  const State& bodies;          // that meets its constraints
  const BodyEquations& at;      // there
  const BodyEquations& before;  // before the bodies were brought onto their constraints; at the start the same
};

inline void visit_states(const std::string& name, const Model& model,
                         const std::function<void(const CaseState&)>& each) {
  State bodies = Simulation(model).bodies();
  for (int k = 0; k < 3; ++k) {
    BodyEquations before;
    if (k > 0) {
      Moved moved = moved_state(model, bodies, 0.1 * model.scale.time, static_cast<unsigned>(k));
      before = body_equations(model, moved.unmet);
      bodies = std::move(moved.met);
    }
    const BodyEquations at = body_equations(model, bodies);
    each({name, k, model, bodies, at, k > 0 ? before : at});
  }
}

inline void visit_cases(int random_mechanisms, const std::function<void(const CaseState&)>& each) {
  for (const EmbeddedExample& example : embedded_examples()) {
    const std::string name(example.name);
    visit_states(name, example_model(name), each);
  }
  for (int i = 0; i < random_mechanisms; ++i)
    visit_states("random-" + std::to_string(i),
                 test::RandomMechanism({.bodies = 1 + i % 30, .number = static_cast<unsigned>(i)}).model(), each);
}

// By the library, put where the bodies are.
inline Solution solved_by(const Model& model, const State& bodies, const std::string& method, const std::string& cut,
                          const std::string& coordinates) {
  Model by = model;
  by.setup.method = method;
  by.setup.cut = cut;
  by.setup.coordinates = coordinates;
  by.setup.integrator = IntegratorName::rk4;  // any will do: nothing is stepped
  Simulation simulation(by);
  simulation.set_bodies(bodies);
  return simulation.solution();
}

// How large accelerations and multipliers of a machine are when all forces cancel but for round-off: in the mass norm,
// and multipliers times the sizes of their rows.
inline double usual_acceleration(const Model& model) {
  return std::sqrt(model.scale.mass) * model.scale.length / (model.scale.time * model.scale.time);
}
inline Eigen::VectorXd scaled_multipliers(const Model& model, const BodyEquations& at, const Eigen::VectorXd& lambda) {
  Eigen::VectorXd out = Eigen::VectorXd::Zero(lambda.size());
  for (int k = 0; k < model.rows; ++k)
    if (at.unique[static_cast<std::size_t>(k)]) out[k] = lambda[k] * model.row_size(k);
  return out;
}

}  // namespace tandem::oracle
