// How the machine answers to a change of one of [parameters]: exact, by dual numbers. docs/linearisation.md, section 7.
//
// A parameter p changes masses, frames, lengths, stiffnesses. At fixed q, v, y and λ
//   (1)  force′ = (f + Jᵀ λ − M y)′,   rows′ = (b − J y)′,   φ′,   rate′ = (J v + φ_t)′       by_parameter/
// The constraints move, so the machine cannot stay where it is. It follows along the shortest (δ, δv) with
//   (2)  J_h δ = −φ′,   J δv + (J v + φ_t)′_δ = −rate′
//   (3)  M y′ − Jᵀ λ′ = force′ + force′_δ,   J y′ = rows′ + rows′_δ          ′_δ: along (δ, δv), dynamics/tangent.hpp
// Rows that depend on others must move as those do: if row = Σ c_k row_k, then its right side = Σ c_k right side_k.
#pragma once

#include "tandem/linearize/readings.hpp"
#include "tandem/steady/response.hpp"

namespace tandem {

struct ParameterChange {
  Direction along;                      // (2)
  Solution change;                      // (3)
  std::vector<ReadingChange> readings;  // by the parameter at the same state: the usual readings, then all others
  std::vector<double> outputs;          // by the parameter at the same state, accelerations and multipliers
};

// Why the parameters of the model cannot be inputs of a linearisation; empty when they can.
std::string parameter_obstacle(const Model& model);

// At the state of `response`, whose tangent is then that along (2). `states` and `outputs` as in LinearizeOptions.
// Throws NumericalError when the constraints cannot all follow the parameter, by name.
ParameterChange change_by_parameter(const Model& model, const std::string& parameter,
                                    const std::vector<std::string>& states, const std::vector<std::string>& outputs,
                                    Response& response);

}  // namespace tandem
