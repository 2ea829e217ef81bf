// What a page shows of the health record of a run, line by line as in docs/health.md; of the word: run/trust.hpp.
#include <fmt/format.h>

#include <algorithm>

#include "tandem/base/larger.hpp"
#include "tandem/io/report/report.hpp"
#include "tandem/run/record.hpp"

namespace tandem {

static void add_contacts(const Model& model, const HealthSummary& health, const Judgement& judgement, Verdict& out) {
  const std::vector<Contact> all = contacts(model);
  for (std::size_t i = 0; i < all.size() && i < health.lowest_loads.size(); ++i) {
    const Extreme& lowest = health.lowest_loads[i];
    const bool shared = health.shared_loads[i];
    const std::string& name = model.constraints[static_cast<std::size_t>(all[i].constraint)].name;
    out.figures.push_back({fmt::format("lowest load of {}", name),
                           fmt::format("{:.6g} N{}", lowest.value, shared ? " *" : ""),
                           lowest.value < 0.0 && !shared ? judgement.of("lift_off") : Trust::trusted});
  }
}

static std::string sentence_of(std::string_view status, const std::string& reason, Trust trust) {
  if (status == "failed") return "The run failed; the page shows it up to the last good state.";
  const char* what = trust == Trust::trusted ? "All checks passed."
                     : trust == Trust::look  ? "Something deserves a look."
                                             : "A check failed.";
  if (status == "interrupted") return fmt::format("Interrupted {}. {}", reason, what);
  return status == "stopped" ? fmt::format("Stopped: {}. {}", reason, what) : what;
}

Verdict run_verdict(const Model& model, std::string_view status, const std::string& reason, const HealthSummary& health,
                    const Judgement& judgement) {
  const bool by_impulses = model.setup.by_impulses();
  Verdict out{.trust = judgement.trust,
              .sentence = sentence_of(status, reason, judgement.trust),
              .reasons = judgement.reasons,
              .figures = {}};
  const auto add = [&](std::string name, std::string value, std::string_view kind) {
    out.figures.push_back({std::move(name), std::move(value), judgement.of(kind)});
  };
  const auto number = [](double value) { return fmt::format("{:.2e}", value); };
  add("the run", reason.empty() ? std::string(status) : fmt::format("{}: {}", status, reason), "failed");
  if (health.energy_moved())
    add("energy balance, of the energy that moved", number(health.relative_balance()), "energy_balance");
  else
    add("energy balance", "no energy moved", "energy_balance");
  add("position residual before projection, of the machine's size", number(health.before.share), "position_residual");
  add("position residual after", number(health.after.position), "");
  add("velocity residual after", number(health.after.velocity), "");
  if (!by_impulses) {
    add("acceleration residual", number(health.acceleration), "acceleration_residual");
    add("power of constraint forces", number(health.power) + " W", "");
  }
  add("quaternion from unit length", number(health.quaternion_error), "");
  add("independent rows",
      health.rank_changed >= 0.0
          ? fmt::format("{} to {}, changed at {:.4g} s", health.least_rank, health.most_rank, health.rank_changed)
          : fmt::format("{}", health.most_rank),
      "rank");
  for (const HealthEvent& event : health.events) {
    std::string name(event_name(event.kind));
    std::replace(name.begin(), name.end(), '_', ' ');
    add(name + ", times", fmt::format("{}", event.count),
        name.starts_with("breakpoint") ? "breakpoint" : event_name(event.kind));
  }
  add_contacts(model, health, judgement, out);
  if (health.horizon) add("horizon", health.horizon->sentence(), "horizon");
  return out;
}

namespace {

class Columns {
 public:
  explicit Columns(const ResultTable& table) : table_(table) {}
  std::size_t rows() const { return table_.rows(); }
  double at(std::size_t row, std::string_view name) const {
    const auto column = table_.find(name);
    return column ? table_.value(row, *column) : 0.0;
  }
  double largest(std::string_view name) const {
    double most = 0.0;
    if (const auto column = table_.find(name))
      for (std::size_t i = 0; i < rows(); ++i) keep_larger(most, std::abs(table_.value(i, *column)));
    return most;
  }
  Energy energy(std::size_t row) const {
    return {at(row, "kinetic_energy"), at(row, "gravity_energy"), at(row, "spring_energy")};
  }
  Extreme lowest(std::string_view name) const {
    Extreme out{rows() > 0 ? at(0, name) : 0.0, 0.0};
    for (std::size_t i = 0; i < rows(); ++i)
      if (at(i, name) < out.value) out = {at(i, name), at(i, "t")};
    return out;
  }

 private:
  const ResultTable& table_;
};

}  // namespace

HealthSummary health_of(const Model& model, const ResultTable& table, const ReportTable& shown) {
  const Columns columns(table);
  HealthSummary out;
  out.energy_lift = energy_of_lift(model);
  if (columns.rows() == 0) return out;
  out.energy_start = columns.energy(0);
  out.energy_end = columns.energy(columns.rows() - 1);
  for (std::size_t i = 0; i < columns.rows(); ++i) {
    const Energy energy = columns.energy(i);
    const double stored = energy.gravity + energy.spring - out.energy_start.gravity - out.energy_start.spring;
    for (const double part : {energy.kinetic, std::abs(stored), std::abs(columns.at(i, "work_of_dampers")),
                              std::abs(columns.at(i, "work_of_drives")), std::abs(columns.at(i, "work_of_forces"))})
      keep_larger(out.energy_scale, part);
    for (const double part : {std::abs(energy.kinetic), std::abs(energy.gravity), energy.spring})
      keep_larger(out.energy_size, part);
  }
  out.balance.value = columns.largest("energy_balance");
  out.before = {columns.largest("position_residual_before"), columns.largest("velocity_residual_before")};
  out.before.share = out.before.position / model.scale.length;  // a file does not tell whose they are
  out.after = {columns.largest("position_residual"), columns.largest("velocity_residual")};
  out.acceleration = columns.largest("acceleration_residual");
  out.power = columns.largest("constraint_power");
  out.quaternion_error = columns.largest("quaternion_error");
  out.least_rank = out.most_rank = static_cast<int>(columns.at(0, "rank"));
  for (std::size_t i = 0; i < columns.rows(); ++i) {
    const int rank = static_cast<int>(columns.at(i, "rank"));
    if (rank != out.most_rank && out.rank_changed < 0.0) out.rank_changed = columns.at(i, "t");
    out.least_rank = std::min(out.least_rank, rank);
    out.most_rank = std::max(out.most_rank, rank);
  }
  for (const Contact& contact : contacts(model)) {
    const std::string name = normal_force_name(model, contact);
    out.lowest_loads.push_back(columns.lowest(name));
    const std::vector<std::size_t>& shared = shown.not_unique();
    out.shared_loads.push_back(std::any_of(shared.begin(), shared.end(),
                                           [&](std::size_t column) { return shown.columns()[column].name == name; }));
  }
  return out;
}

Judgement judgement_of(const Model& model, const ResultTable& table, const ReportTable& shown) {
  const std::optional<Trust> held = find_trust(table.attribute("trust").value_or(""));
  if (held) return Judgement::from_lines(*held, table.attribute("reasons").value_or(""));
  Judgement out = judge(model, model.setup, health_of(model, table, shown), table.attribute("status").value_or(""),
                        table.attribute("reason").value_or(""));
  out.add({Trust::look, "rows_alone",
           "these results do not contain the verdict of their run: this is judged by their samples alone, which do not "
           "show how it ended, nor singular poses and branches"});
  return out;
}

}  // namespace tandem
