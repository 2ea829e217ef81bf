#include "compare_report.hpp"

#include <fmt/core.h>

#include "tandem/compare/comparer.hpp"
#include "tandem/run/record.hpp"

namespace tandem::cli {

namespace {

constexpr double most_rows = 1000.0;

double interval_of(const Setup& setup) {
  const double steps = setup.duration / setup.step;
  return setup.step * std::max(1.0, std::ceil(steps / most_rows));
}

struct Base {
  ReportTable table;
  std::vector<State> rows;
  std::string failed;
};

Base follow_base(const Model& model, const Setup& setup) {
  Base base{ReportTable(report_columns(model)), {}, {}};
  Simulation simulation(model, setup);
  std::vector<double> values;
  Run run(model, simulation, {.interval = interval_of(setup), .on_row = [&](Simulation& at, const HealthRow& health) {
                                record_values(model, at, health, values);
                                report_reactions(model, at, values);
                                base.table.row(values);
                                base.rows.push_back(at.bodies());
                              }});
  while (run.advance()) {
  }
  if (run.status() == RunStatus::failed) base.failed = run.reason();
  return base;
}

ReportTable ghost_of(const Model& model, const std::vector<State>& base, const Trajectory& other) {
  ReportTable table(ghost_columns(model));
  std::vector<double> values;
  for (std::size_t i = 0; i < std::min(base.size(), other.rows.size()); ++i) {
    const Difference apart = difference(model, base[i], other.rows[i]);
    values = {base[i].t, apart.pose, apart.speed};
    ghost_values(model, base[i], other.rows[i], values);
    table.row(values);
  }
  return table;
}

Verdict verdict_of(const Comparison& result) {
  Verdict verdict;
  verdict.sentence = result.verdict;
  const auto trust = [](bool agrees) { return agrees ? Trust::trusted : Trust::not_to_be_trusted; };
  verdict.trust = trust(result.agree);
  for (const MethodResult& method : result.methods) {
    if (!method.refused.empty())
      verdict.figures.push_back({method.name, "refused: " + method.refused.front()});
    else
      verdict.figures.push_back({fmt::format("{}, cut {}", method.name, method.cut),
                                 fmt::format("pose {:.1e}, velocity {:.1e}, tolerance {:.1e}", method.difference.pose,
                                             method.difference.speed, method.tolerance),
                                 trust(method.agrees)});
  }
  for (const Check& check : result.checks)
    verdict.figures.push_back({check.name, check.detail, trust(check.passed || !check.asked)});
  return verdict;
}

}  // namespace

void write_compare_report(const Model& model, const Comparison& result, double duration, const std::string& file,
                          bool force) {
  Model exact = model;
  exact.stops.clear();
  for (ModelConstraint& constraint : exact.constraints) constraint.soft.reset();
  const Setup common = comparable(model.setup, duration);
  Report report(model);
  report.about("model", model.name);
  for (const auto& [name, value] : model.parameters) report.about("parameter " + name, fmt::format("{}", value));
  report.about("integrator", std::string(common.integrator.word()));
  report.about("step", fmt::format("{}", common.step));
  report.about("differences", "from lagrange on the cut all, at this step");
  report.verdict(verdict_of(result));
  Base base{ReportTable({}), {}, {}};
  try {
    base = follow_base(exact, with(common, MethodName::lagrange, Cut::all));
  } catch (const std::exception& error) {
    report.notice(fmt::format("There is no motion to show: {}", error.what()));
    report.write(file, force);
    return;
  }
  if (!base.failed.empty()) report.notice("lagrange broke off: " + base.failed);
  report.motion("lagrange, cut all", base.table);
  for (const MethodResult& method : result.methods) {
    if (!method.refused.empty() || (method.name == "lagrange" && method.cut == "all")) continue;
    const Trajectory other =
        follow(exact, with(common, method.name, method.cut), 1, common.duration, interval_of(common));
    if (other.failed) report.notice(fmt::format("{} broke off: {}", method.name, other.reason));
    if (!other.rows.empty())
      report.ghost(fmt::format("{}, cut {}", method.name, method.cut), ghost_of(model, base.rows, other));
  }
  report.write(file, force);
}

}  // namespace tandem::cli
