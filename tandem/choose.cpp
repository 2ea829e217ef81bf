#include "tandem/choose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <complex>
#include <stdexcept>

#include "tandem/base/suggest.hpp"
#include "tandem/base/tolerances.hpp"
#include "tandem/integrate/dop853.hpp"
#include "tandem/integrate/dopri5.hpp"
#include "tandem/integrate/euler.hpp"
#include "tandem/integrate/implicit.hpp"
#include "tandem/integrate/rk4.hpp"
#include "tandem/methods/impulses.hpp"
#include "tandem/methods/lagrange.hpp"
#include "tandem/methods/null_space.hpp"
#include "tandem/methods/udwadia_kalaba.hpp"
#include "tandem/tree/articulated.hpp"

namespace tandem {

template <class M> static std::unique_ptr<Method> make(StepMemory& memory) {
  if constexpr (std::is_constructible_v<M, StepMemory&>)
    return std::make_unique<M>(memory);
  else
    return std::make_unique<M>();
}

const std::vector<MethodInfo>& all_methods() {
  static const std::vector<std::string> both{"all", "loops"}, tree_first{"loops", "all"}, tree_only{"loops"},
      maximal_only{"all"};
  static const std::vector<std::string> any{"quasi", "quaternion", "euler312"}, quasi{"quasi"};
  static const std::vector<MethodInfo> methods{
      {.id = MethodName::lagrange,
       .name = "lagrange",
       .summary = "multipliers, sparse: linear in the number of bodies for chains and trees",
       .redundant_rows = "left out, named by check",
       .cuts = both,
       .coordinates = any,
       .make = make<Lagrange>},
      {.id = MethodName::udwadia_kalaba,
       .name = "udwadia_kalaba",
       .summary = "closed form by pseudo-inverse; singular mass included",
       .redundant_rows = "by pseudo-inverse",
       .cuts = both,
       .coordinates = any,
       .make = make<UdwadiaKalaba>},
      {.id = MethodName::articulated,
       .name = "articulated",
       .summary = "recursion along the tree, linear, without a mass matrix; loops and rolling go with it",
       .redundant_rows = "left out, named by check",
       .cuts = tree_only,
       .coordinates = quasi,
       .make = make<Articulated>},
      {.id = MethodName::null_space,
       .name = "null_space",
       .summary = "moves along what the rows allow; multipliers afterwards",
       .redundant_rows = "left out, named by check",
       .cuts = tree_first,
       .coordinates = any,
       .make = make<NullSpace>},
      {.id = MethodName::impulses,
       .name = "impulses",
       .summary = "sequential impulses: sweeps over joints at velocity level; ropes and soft constraints",
       .redundant_rows = "share their load",
       .one_sided = true,
       .cuts = maximal_only,
       .coordinates = quasi,
       .make = make<Impulses>},
  };
  return methods;
}

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const MethodInfo& method : all_methods()) names.push_back(method.name);
  return names;
}

const MethodInfo& find_method(MethodName name) {
  for (const MethodInfo& method : all_methods())
    if (method.id == name) return method;
  throw std::invalid_argument(fmt::format("\"{}\" is a choice among methods and none itself; name one of {}",
                                          word_of(name), list_of(method_names())));
}

const MethodInfo& find_method(std::string_view name) { return find_method(Choice<MethodName>(name)); }

Setup completed(const Setup& asked) {
  Setup out = asked;
  if (out.cut == Cut::automatic && out.method != MethodName::automatic) out.cut = find_method(out.method).cuts.front();
  if (out.integrator == IntegratorName::automatic)
    out.integrator = out.by_impulses() ? IntegratorName::semi_implicit_euler : IntegratorName::rk4;
  return out;
}

// Empty where it is carried.
static std::string kept_from_tree(const Model& model, const Setup& asked) {
  if (asked.coordinates != CoordinatesName::quasi)
    return fmt::format("{} coordinates belong to bodies that float", asked.coordinates.word());
  if (asked.cut == Cut::all) return "on the cut \"all\" every body floats";
  return TreeDynamics::obstacle(model, TreeDynamics::Acts::everything).value_or("");
}

Setup completed(const Model& model, const Setup& asked) {
  Setup out = asked;
  if (asked.method == MethodName::automatic) {
    out.chosen = true;
    out.kept_from_tree = kept_from_tree(model, asked);
    out.method = out.kept_from_tree.empty() ? MethodName::articulated : MethodName::lagrange;
  }
  return completed(out);
}

std::string method_text(const Setup& resolved) {
  return fmt::format("{}{}", resolved.method.word(), resolved.chosen ? " (auto)" : "");
}

std::string path_text(const Setup& resolved) {
  if (resolved.kept_from_tree.empty()) return "";
  return fmt::format("by {} and not by articulated: {}", resolved.method.word(), resolved.kept_from_tree);
}

static bool contains(const std::vector<std::string>& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

std::vector<std::string> obstacles(const Model& model, const Setup& asked) {
  const Setup setup = completed(model, asked);
  const MethodInfo& method = find_method(setup.method);
  std::vector<std::string> reasons;
  for (const ModelConstraint& constraint : model.constraints)
    if (constraint.one_sided && !method.one_sided)
      reasons.push_back(
          fmt::format("constraint \"{}\": a {} is one-sided, and the method {} solves equations only; use the method "
                      "impulses, a distance constraint, or a spring_damper force",
                      constraint.name, constraint.type, method.name));
  for (const ModelConstraint& constraint : model.constraints)
    if (constraint.soft && !method.one_sided)
      reasons.push_back(
          fmt::format("constraint \"{}\" is soft, and the method {} meets constraints exactly; use the "
                      "method impulses, or a spring_damper force",
                      constraint.name, method.name));
  const std::string_view cut = setup.cut.word();
  if (!contains(method.cuts, cut))
    reasons.push_back(
        fmt::format("the method {} does not run on the cut \"{}\"; use \"{}\"", method.name, cut, method.cuts.front()));
  const std::string_view coordinates = setup.coordinates.word();
  const bool is_own = setup.coordinates != CoordinatesName::quasi;
  if (is_own && !contains(method.coordinates, coordinates))
    reasons.push_back(
        fmt::format("the method {} does not run in {} coordinates; leave them at \"quasi\"", method.name, coordinates));
  else if (is_own && setup.cut != Cut::all)
    reasons.push_back(
        fmt::format("{} coordinates belong to the cut \"all\", where every body floats; here the cut is "
                    "\"{}\"",
                    coordinates, cut));
  return reasons;
}

std::vector<std::string> combination_obstacles(const Setup& asked) {
  const Setup setup = completed(asked);
  std::vector<std::string> lines;
  if (setup.by_impulses() && setup.integrator != IntegratorName::semi_implicit_euler)
    lines.push_back(
        fmt::format("the method impulses steps by semi_implicit_euler and has no accelerations for the "
                    "integrator {}; leave the integrator out, or take another method",
                    setup.integrator.word()));
  if (setup.integrator == IntegratorName::herk && setup.stabilisation == Stabilisation::baumgarte)
    lines.emplace_back(
        "the integrator herk meets the rows at velocity level and has no accelerations of rows for Baumgarte to "
        "change; use the stabilisation projection or none");
  if (setup.integrator == IntegratorName::implicit && setup.stabilisation == Stabilisation::baumgarte &&
      setup.coordinates == CoordinatesName::quaternion)
    lines.emplace_back(
        "the integrator implicit does not know how Baumgarte changes the length of quaternions; use the stabilisation "
        "projection, or leave the coordinates at quasi");
  return lines;
}

Setup resolve(const Model& model, const Setup& asked) {
  Faults faults;
  faults.about("", Location::top_of(model.file));
  if (!model.is_sound) {
    faults.error("the model was compiled with errors, which its Faults name; a simulation needs one without");
    throw ModelError(std::move(faults));
  }
  Setup setup = completed(model, asked);
  for (std::string& line : obstacles(model, setup)) faults.error(std::move(line));
  faults.about_table("simulation", model.setup_source);
  for (SetupFault& fault : setup_faults(setup)) faults.error(std::move(fault.text));
  for (std::string& line : combination_obstacles(setup)) faults.error(std::move(line));
  if (faults.any_error()) throw ModelError(std::move(faults));
  return setup;
}

const Tableau* tableau_of(IntegratorName name) {
  if (name == IntegratorName::rk4) return &RungeKutta4::table();
  if (name == IntegratorName::euler) return &Euler::table();
  if (name == IntegratorName::dopri5) return &Dopri5::table();
  if (name == IntegratorName::dop853) return &Dop853::table();
  if (name == IntegratorName::implicit) return &Implicit::table();
  return nullptr;
}

std::vector<std::string> setup_warnings(const Setup& asked) {
  const Setup setup = completed(asked);
  const bool adaptive = find_integrator(setup.integrator).adaptive;
  if (adaptive && setup.tolerance < tolerances::step_round_off)
    return {fmt::format(
        "round-off is reached: no error of a step is known below {:.1e}, and the tolerance of {:g} is taken "
        "as that",
        tolerances::step_round_off, setup.tolerance)};
  const bool is_explicit = setup.integrator == IntegratorName::rk4 || setup.integrator == IntegratorName::euler;
  if (setup.stabilisation != Stabilisation::baumgarte || !is_explicit || !setup.alpha || !setup.beta) return {};
  const double alpha = *setup.alpha, beta = *setup.beta;
  // Roots of s² + α s + β.
  const std::complex<double> root = std::sqrt(std::complex<double>(alpha * alpha / 4.0 - beta));
  for (const double sign : {-1.0, 1.0}) {
    const std::complex<double> s = -alpha / 2.0 + sign * root;
    if (std::abs(amplification(*tableau_of(setup.integrator), setup.step * s)) <= 1.0) continue;
    return {
        fmt::format("a step of {} s is too long for Baumgarte's alpha = {} and beta = {}: the constraints will blow "
                    "up. {} needs a smaller step or constants (h √β is {:.3g})",
                    setup.step, alpha, beta, setup.integrator.word(), setup.step * std::sqrt(beta))};
  }
  return {};
}

}  // namespace tandem
