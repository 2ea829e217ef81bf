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

// The motion in full colour, by lagrange on the cut all.
struct Base {
  ReportTable table;
  std::string failed;
};

Base follow_base(const Model& model, const Setup& setup) {
  Base base{ReportTable(report_columns(model)), {}};
  try {
    Simulation simulation(model, setup);
    std::vector<double> values;
    Run run(model, simulation, {.interval = interval_of(setup), .on_row = [&](Simulation& at, const HealthRow& health) {
                                  record_values(model, at, health, values);
                                  report_reactions(model, at, values);
                                  base.table.row(values);
                                }});
    while (run.advance()) {
    }
    if (run.status() == RunStatus::failed) base.failed = run.reason();
    base.table.mark_not_unique(model, run.record().unique());
  } catch (const NumericalError& error) {
    base.failed = error.what();
  }
  return base;
}

// At the model's step; where that is too long, at the one that was compared, then with error control.
Base follow_base(const Model& model, Setup setup, const Comparison& result) {
  Base base = follow_base(model, setup);
  if (!base.failed.empty() && result.step < setup.step) {
    setup.step = result.step;
    base = follow_base(model, setup);
  }
  if (!base.failed.empty()) {
    Setup controlled = setup;
    controlled.integrator = IntegratorName::dop853;
    controlled.tolerance = result.tolerance;
    if (Base other = follow_base(model, controlled); other.failed.empty()) return other;
  }
  return base;
}

ReportTable ghost_of(const Model& model, const MethodResult& method) {
  ReportTable table(ghost_columns(model));
  std::vector<double> values;
  for (const ComparedSample& sample : method.samples) {
    values = {sample.from.t, sample.apart.pose, sample.apart.speed};
    ghost_values(model, sample.from, sample.to, values);
    table.row(values);
  }
  return table;
}

std::string name_of(const MethodResult& method) { return fmt::format("{}, cut {}", method.name, method.cut); }

Verdict verdict_of(const Comparison& result) {
  Verdict verdict;
  verdict.word = verdict_word(result);
  verdict.sentence = result.verdict;
  verdict.trust = result.agree ? Trust::trusted : Trust::not_to_be_trusted;
  if (!result.methods.empty()) verdict.tables.push_back(method_table(result));
  ShownTable checks{"Checks", {"check", "", ""}, {}};
  for (const Check& check : result.checks) checks.rows.push_back({check.name, check_word(check), check.detail});
  if (!checks.rows.empty()) verdict.tables.push_back(std::move(checks));
  verdict.notes = {differences_note, shared_note};
  for (std::string& note : method_notes(result)) verdict.notes.push_back(std::move(note));
  return verdict;
}

}  // namespace

const char* verdict_word(const Comparison& result) { return result.agree ? "agree" : "differ"; }

const char* check_word(const Check& check) {
  if (!check.asked) return "-";
  return check.passed ? "ok" : "FAIL";
}

ShownTable method_table(const Comparison& result) {
  ShownTable table{
      "Methods",
      {"method", "cut", "pose", "velocity", "tolerance", "energy drift", "residual", "order", "steps/s", ""},
      {}};
  for (const MethodResult& method : result.methods) {
    if (!method.refused.empty()) {
      table.rows.push_back({method.name, "-", "-", "-", "-", "-", "-", "-", "-", "refused"});
      continue;
    }
    table.rows.push_back({method.name, method.cut, fmt::format("{:.1e}", method.difference.pose),
                          fmt::format("{:.1e}", method.difference.speed), fmt::format("{:.1e}", method.tolerance),
                          fmt::format("{:.1e}", method.energy_drift), fmt::format("{:.1e}", method.constraint_drift),
                          method.order > 0.0 ? fmt::format("{:.2f}", method.order) : "-",
                          fmt::format("{:.0f}", method.steps_per_second), method.agrees ? "agrees" : "differs"});
  }
  return table;
}

std::vector<std::string> method_notes(const Comparison& result) {
  std::vector<std::string> notes;
  for (const MethodResult& method : result.methods)
    if (!method.note.empty()) notes.push_back(fmt::format("{}: {}", method.name, method.note));
  for (const MethodResult& method : result.methods)
    for (const std::string& reason : method.refused) notes.push_back(fmt::format("{}: {}", method.name, reason));
  return notes;
}

void write_compare_report(const Model& model, const Comparison& result, double duration, const std::string& file,
                          bool force) {
  Model exact = model;
  exact.stops.clear();
  for (ModelConstraint& constraint : exact.constraints) constraint.soft.reset();
  Setup common = comparable(model.setup, duration);
  Report report(model);
  report.about("model", model.name);
  for (const auto& [name, value] : model.parameters) report.about("parameter " + name, fmt::format("{}", value));
  report.about("integrator", std::string(common.integrator.word()));
  report.about("step", fmt::format("{}", common.step));
  report.about("duration", fmt::format("{}", result.duration));
  if (result.horizon < result.duration) report.about("compared up to t", fmt::format("{:.4g} s", result.horizon));
  report.about("differences", "from lagrange on the same cut, at the step that was compared; impulses: extrapolated");
  report.verdict(verdict_of(result));
  if (result.horizon < result.duration)
    report.notice(fmt::format("Compared and shown up to t = {:.4g} s.", result.horizon));
  common.duration = result.horizon;
  common.step = std::min(common.step, common.duration);
  Base base{ReportTable({}), {}};
  try {
    base = follow_base(exact, with(common, MethodName::lagrange, Cut::all), result);
  } catch (const std::exception& error) {
    report.notice(fmt::format("There is no motion to show: {}", error.what()));
    report.write(file, force);
    return;
  }
  if (!base.failed.empty()) report.notice("lagrange broke off: " + base.failed);
  if (base.table.rows() == 0) report.notice("There is no motion to show.");
  if (base.table.rows() > 0) report.motion("lagrange, cut all", base.table);
  for (const MethodResult& method : result.methods) {
    if (!method.failed.empty()) report.notice(fmt::format("{} broke off: {}", method.name, method.failed));
    if (method.name == "lagrange" || method.samples.empty() || base.table.rows() == 0) continue;
    report.ghost(name_of(method), ghost_of(model, method));
  }
  report.write(file, force);
}

}  // namespace tandem::cli
