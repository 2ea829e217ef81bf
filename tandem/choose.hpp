// Which methods there are, what keeps one from solving a model, and a Setup in which nothing is left open.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tandem/methods/method.hpp"

namespace tandem {

struct Tableau;

// What a method declares. What it does not support is refused by name, never dropped.
struct MethodInfo {
  MethodName id;
  std::string name;
  std::string summary;
  std::string redundant_rows;                              // what it does with them
  bool one_sided = false;                                  // ropes and soft constraints
  std::vector<std::string> cuts;                           // the first is the one taken when nobody says
  std::vector<std::string> coordinates;                    // on the cut "all"
  std::unique_ptr<Method> (*make)(StepMemory&) = nullptr;  // where choices are kept from solve to solve
};

const std::vector<MethodInfo>& all_methods();
std::vector<std::string> method_names();
// Both throw std::invalid_argument: "auto" is a choice among methods and none itself; an unknown name, with a
// suggestion.
const MethodInfo& find_method(MethodName name);
const MethodInfo& find_method(std::string_view name);

// What is left open gets the method's own choice: the cut and the integrator. "auto" stays open without a model.
Setup completed(const Setup& asked);
// "auto" becomes a method, by a rule that times nothing: coordinates of bodies or the cut "all" were asked for, or the
// recursion along the tree does not carry the machine: lagrange; else articulated. Never impulses.
Setup completed(const Model& model, const Setup& asked);
// For the head of a run: articulated (auto).
std::string method_text(const Setup& resolved);
// Why it is not the recursion, where "auto" would have taken that; else empty.
std::string path_text(const Setup& resolved);
// Why the method cannot solve the model with its cut and coordinates, a line each; empty when it can.
std::vector<std::string> obstacles(const Model& model, const Setup& asked);
// Why method, integrator and stabilisation do not go together, a line each; empty when they do.
std::vector<std::string> combination_obstacles(const Setup& asked);
// Completed, or ModelError with all obstacles.
Setup resolve(const Model& model, const Setup& asked);
// Of explicit Runge-Kutta methods and `implicit`; null of others.
const Tableau* tableau_of(IntegratorName name);
// What a user should know: a step too long for Baumgarte's constants, a tolerance below round-off.
std::vector<std::string> setup_warnings(const Setup& asked);

}  // namespace tandem
