// tandem methods: the ways to solve the equations of motion, and which of them can solve a given model. Also the
// arguments by which other commands choose one.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "table.hpp"
#include "tandem/base/suggest.hpp"
#include "tandem/choose.hpp"
#include "tandem/integrate/integrator.hpp"
#include "tandem/model/run_limits.hpp"
#include "tandem/simulate.hpp"

namespace tandem::cli {

using Json = nlohmann::ordered_json;

void MethodArguments::add_to(CLI::App& app) {
  const auto add = [&](const char* name, std::string& value, const char* help, const char* type) {
    app.add_option(name, value, help)->type_name(type)->group("Method");
  };
  add("--method", method, "how to solve the equations of motion: auto or a method (see: tandem methods)", "NAME");
  add("--cut", cut, "all: every body floats and every joint is rows; loops: joints of a tree carry coordinates",
      "all|loops");
  add("--coordinates", coordinates, "on the cut all: quasi, quaternion or euler312", "NAME");
}

template <class E> static void check_word(const char* option, const std::string& word) {
  const std::vector<std::string> known = words_of(Words<E>::list);
  if (word.empty() || std::find(known.begin(), known.end(), word) != known.end()) return;
  throw UsageError(fmt::format("{} \"{}\": known are {}{}", option, word, list_of(known), did_you_mean(word, known)));
}

void MethodArguments::check() const {
  check_word<Cut>("--cut", cut);
  check_word<CoordinatesName>("--coordinates", coordinates);
  check_word<MethodName>("--method", method);
}

void MethodArguments::apply(Setup& setup) const {
  if (!method.empty()) setup.method = method;
  if (!cut.empty()) setup.cut = cut;
  if (!coordinates.empty()) setup.coordinates = coordinates;
  // Quaternion and Euler rates exist on one cut only: who asks for them asks for it.
  if (!coordinates.empty() && setup.coordinates != CoordinatesName::quasi && setup.cut == Cut::automatic)
    setup.cut = Cut::all;
}

void IntegratorArguments::add_to(CLI::App& app) {
  const auto add = [&](const char* name, auto& value, const char* help, const char* type) {
    app.add_option(name, value, help)->type_name(type)->group("Time");
  };
  add("--step", step, "time step; of adaptive integrators: the time between samples (default: the model's)", "SECONDS");
  add("--max-step", max_step, "no step of any integrator is longer: for short events that are not known in advance",
      "SECONDS");
  add("--integrator", integrator,
      "fixed step: rk4, herk, implicit, semi_implicit_euler, euler; adaptive: dopri5, dop853", "NAME");
  add("--tolerance", tolerance, "of adaptive integrators: the error allowed in a step, relative and absolute",
      "NUMBER");
  add("--stabilise", stabilisation,
      "what keeps the constraints closed: projection (by mass), plain_projection, baumgarte or none", "NAME");
  add("--alpha", alpha, "of baumgarte: damping of the constraints, 1/s; without any of these three it is chosen",
      "NUMBER");
  add("--beta", beta, "of baumgarte: stiffness of the constraints, 1/s^2", "NUMBER");
  add("--time-constant", time_constant, "of baumgarte, in place of both: alpha = 2/T, beta = 1/T^2", "SECONDS");
}

void IntegratorArguments::check() const {
  check_word<Stabilisation>("--stabilise", stabilisation);
  const auto positive = [](const char* name, const std::optional<double>& value, const char* unit) {
    if (value && !(*value > 0.0 && std::isfinite(*value)))
      throw UsageError(fmt::format("{} must be a positive number{}", name, unit));
  };
  positive("--step", step, " of seconds");
  positive("--max-step", max_step, " of seconds");
  for (const auto& [name, value] : {std::pair{"--alpha", alpha}, std::pair{"--beta", beta}})
    if (value && !(*value >= 0.0 && std::isfinite(*value)))
      throw UsageError(fmt::format("{} must be a number that is not negative", name));
  positive("--time-constant", time_constant, " of seconds");
  if (tolerance && !(*tolerance >= 1e-14 && *tolerance <= 0.1))
    throw UsageError("--tolerance must be between 1e-14 and 0.1");
  if (time_constant && (alpha || beta)) throw UsageError("give --time-constant, or --alpha and --beta, not both");
  if (integrator.empty()) return;
  try {
    find_integrator(integrator);
  } catch (const std::invalid_argument& error) {
    throw UsageError(error.what());
  }
}

void IntegratorArguments::apply(Setup& setup) const {
  if (!integrator.empty()) setup.integrator = integrator;
  if (!stabilisation.empty()) setup.stabilisation = stabilisation;
  if (step) setup.step = *step;
  if (max_step) setup.max_step = *max_step;
  if (tolerance) setup.tolerance = *tolerance;
  if (time_constant) {
    setup.alpha = 2.0 / *time_constant;
    setup.beta = 1.0 / (*time_constant * *time_constant);
  }
  if (alpha) setup.alpha = *alpha;
  if (beta) setup.beta = *beta;
}

void refuse_endless(const Setup& setup, std::optional<double> duration) {
  for (const std::string& trouble :
       {too_many_steps(duration.value_or(setup.duration), std::min(setup.step, setup.max_step)),
        too_many_sweeps(setup.impulses)})
    if (!trouble.empty()) throw UsageError(trouble);
}

std::vector<std::string> IntegratorArguments::idle(const Setup& setup) const {
  std::vector<std::string> lines;
  const IntegratorInfo& integrator_info = find_integrator(completed(setup).integrator);
  if (tolerance && !integrator_info.adaptive)
    lines.push_back(fmt::format("--tolerance does nothing: {} has a fixed step; take --integrator dopri5 or dop853",
                                integrator_info.name));
  if ((alpha || beta || time_constant) && setup.stabilisation != Stabilisation::baumgarte)
    lines.push_back(
        fmt::format("--alpha, --beta and --time-constant do nothing: the stabilisation is {}; take "
                    "--stabilise baumgarte",
                    setup.stabilisation.word()));
  return lines;
}

void add_method(const Setup& resolved, Json& json) {
  json["method"] = resolved.method.word();
  if (resolved.chosen) json["method_by"] = "auto";
  if (!resolved.kept_from_tree.empty()) json["method_reason"] = resolved.kept_from_tree;
}

static void list_methods(bool json) {
  Json list = Json::array();
  Table table({"method", "cuts", "coordinates on cut all", "redundant rows", "ropes, soft rows"});
  for (const MethodInfo& method : all_methods()) {
    list.push_back({{"name", method.name},
                    {"summary", method.summary},
                    {"cuts", method.cuts},
                    {"coordinates", method.coordinates},
                    {"redundant_rows", method.redundant_rows},
                    {"one_sided", method.one_sided},
                    {"soft", method.one_sided}});
    const bool maximal = std::find(method.cuts.begin(), method.cuts.end(), "all") != method.cuts.end();
    table.row({method.name, fmt::format("{}", fmt::join(method.cuts, ", ")),
               maximal ? fmt::format("{}", fmt::join(method.coordinates, ", ")) : "-", method.redundant_rows,
               method.one_sided ? "yes" : "refused"});
  }
  if (json) return print_json(list);
  for (const MethodInfo& method : all_methods())
    fmt::print("{}  {}\n", bold(fmt::format("{:<16}", method.name)), method.summary);
  fmt::print("\n");
  table.print();
  fmt::print(
      "\nThe first cut named is the one a method takes by itself. The default, auto, takes articulated where the "
      "recursion\ncarries the machine, else lagrange, and says so; impulses has to be asked for.\n"
      "Which of them can solve a model: tandem methods MODEL\n\n"
      "Integrators, for tandem run --integrator NAME\n");
  for (const IntegratorInfo& integrator : all_integrators())
    fmt::print("  {}  {}\n", bold(fmt::format("{:<19}", integrator.name)), integrator.summary);
}

static Setup with_auto(Setup setup) {
  setup.method = MethodName::automatic;
  return setup;
}

// Why a command with this method would end without an answer; empty when none would. What the model says about itself
// is known at once, the rest by asking: for accelerations at the start, of impulses for a step.
static std::vector<std::string> refusals(const Model& model, const Setup& setup) {
  try {
    Simulation simulation(model, setup, {.assemble = true});
    if (simulation.setup().by_impulses())
      simulation.step(std::min(simulation.setup().step, simulation.setup().duration));
    else
      simulation.solution();
    return {};
  } catch (const ModelError& error) {
    std::vector<std::string> reasons;
    for (const Fault& fault : error.faults().list())
      if (!fault.warning) reasons.push_back(fault.message);
    return reasons;
  } catch (const NumericalError& error) {
    return {error.what()};
  }
}

static void methods_for(const ModelArguments& arguments, const MethodArguments& choice) {
  const Model model = arguments.read();
  Setup setup = model.setup;
  choice.apply(setup);
  Json list = Json::array();
  const Setup taken = completed(model, with_auto(setup));
  for (const MethodInfo& method : all_methods()) {
    setup.method = method.id;
    const std::vector<std::string> reasons = refusals(model, setup);
    const bool is_taken = taken.method == method.id && reasons.empty();
    list.push_back(
        {{"name", method.name}, {"supported", reasons.empty()}, {"reasons", reasons}, {"taken_by_auto", is_taken}});
    if (arguments.json) continue;
    fmt::print("{}  {}{}\n", bold(fmt::format("{:<16}", method.name)), reasons.empty() ? "yes" : "no",
               is_taken ? ", taken by auto" : "");
    if (is_taken && !taken.kept_from_tree.empty()) fmt::print("  {}\n", path_text(taken));
    for (const std::string& reason : reasons) fmt::print("  {}\n", printable(reason));
  }
  if (arguments.json) print_json(list);
}

void add_methods(CLI::App& app) {
  CLI::App* command = app.add_subcommand("methods", "The methods, and which of them can solve a model");
  auto arguments = std::make_shared<ModelArguments>();
  auto choice = std::make_shared<MethodArguments>();
  arguments->add_to(*command);
  command->get_option("model")->required(false);
  command->add_option("--cut", choice->cut, "ask about this cut: all or loops");
  command->add_option("--coordinates", choice->coordinates, "ask about quasi, quaternion or euler312");
  command->footer("Examples:\n  tandem methods\n  tandem methods bicycle --json\n  tandem methods bicycle --cut loops");
  command->callback([arguments, choice] {
    choice->check();
    if (arguments->model.empty())
      list_methods(arguments->json);
    else
      methods_for(*arguments, *choice);
  });
}

}  // namespace tandem::cli
