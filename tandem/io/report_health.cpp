// The verdict of a report: docs/health.md, line by line.
#include <fmt/format.h>

#include <algorithm>

#include "tandem/base/larger.hpp"
#include "tandem/io/record.hpp"
#include "tandem/io/report.hpp"

namespace tandem {

void Verdict::add(Figure figure) {
  grade = std::max(grade, figure.grade);
  figures.push_back(std::move(figure));
}

static Grade above(double value, double limit) { return value <= limit ? Grade::good : Grade::look; }

static void add_contacts(const Model& model, const HealthSummary& health, Verdict& out) {
  const std::vector<Contact> all = contacts(model);
  for (std::size_t i = 0; i < all.size() && i < health.lowest_loads.size(); ++i) {
    const LowestLoad& lowest = health.lowest_loads[i];
    const std::string& name = model.constraints[static_cast<std::size_t>(all[i].constraint)].name;
    std::string value = fmt::format("{:.4g} N", lowest.value);
    if (!lowest.unique) value = "not unique: redundant rows share it";
    if (lowest.lifts_off()) value += fmt::format(" at {:.4g} s: it would lift off", lowest.t);
    out.add({fmt::format("lowest load of {}", name), value, lowest.lifts_off() ? Grade::look : Grade::good});
  }
}

Verdict run_verdict(const Model& model, std::string_view status, const std::string& reason,
                    const HealthSummary& health) {
  const bool by_impulses = model.simulation.method == "impulses";
  const bool projects = model.simulation.stabilisation == "projection";
  const std::string integrator = integrator_of(model);
  const bool fourth_order = integrator != "euler" && integrator != "semi_implicit_euler";
  Verdict out;
  const bool failed = status == "failed";
  out.add({"the run", reason.empty() ? std::string(status) : fmt::format("{}: {}", status, reason),
           failed ? Grade::bad : Grade::good});
  const auto share = [&](const char* name, double value, double limit) {
    out.add({name, fmt::format("{:.2e}", value), above(value, limit)});
  };
  if (health.energy_moved())
    share("energy balance, of the energy that moved", health.relative_balance(), fourth_order ? 1e-6 : 1e-2);
  else
    out.add({"energy balance", "no energy moved"});
  share("position residual before projection", health.before.position, fourth_order ? 1e-4 : 1e-2);
  share("position residual after", health.after.position, projects && !by_impulses ? 1e-9 : 1e-3);
  share("velocity residual after", health.after.velocity, projects && !by_impulses ? 1e-9 : 1e-2);
  if (!by_impulses) {
    share("acceleration residual", health.acceleration, 1e-6);
    out.add({"power of constraint forces", fmt::format("{:.2e} W", health.power),
             projects ? above(health.power, 1e-6 * std::max(1.0, health.energy_scale)) : Grade::good});
  }
  share("quaternion from unit length", health.quaternion_error, 1e-6);
  const bool changed = health.rank_changed >= 0.0;
  out.add({"independent rows",
           changed ? fmt::format("{} to {}: a singular pose at {:.4g} s", health.least_rank, health.most_rank,
                                 health.rank_changed)
                   : fmt::format("{}", health.most_rank),
           changed ? Grade::look : Grade::good});
  add_contacts(model, health, out);
  out.sentence = out.grade == Grade::bad    ? "The run failed; what it shows ends at the last good state."
                 : out.grade == Grade::look ? "Finished, with something worth a look."
                                            : "All that must hold does hold.";
  if (status == "stopped" && out.grade != Grade::bad) out.sentence = "Stopped: " + reason + ". " + out.sentence;
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
  LowestLoad lowest(std::string_view name) const {
    LowestLoad out{rows() > 0 ? at(0, name) : 0.0, 0.0, true};
    for (std::size_t i = 0; i < rows(); ++i)
      if (at(i, name) < out.value) out = {at(i, name), at(i, "t"), true};
    return out;
  }

 private:
  const ResultTable& table_;
};

}  // namespace

HealthSummary health_of(const Model& model, const ResultTable& table, const ReportTable& shown) {
  const Columns columns(table);
  HealthSummary out;
  if (columns.rows() == 0) return out;
  out.energy_start = columns.energy(0);
  out.energy_end = columns.energy(columns.rows() - 1);
  for (std::size_t i = 0; i < columns.rows(); ++i) {
    const Energy energy = columns.energy(i);
    const double stored = energy.gravity + energy.spring - out.energy_start.gravity - out.energy_start.spring;
    for (const double part : {energy.kinetic, std::abs(stored)}) keep_larger(out.energy_scale, part);
    for (const double part : {std::abs(energy.kinetic), std::abs(energy.gravity), energy.spring})
      keep_larger(out.energy_size, part);
  }
  out.balance.value = columns.largest("energy_balance");
  out.before = {columns.largest("position_residual_before"), columns.largest("velocity_residual_before")};
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
    for (const std::size_t column : shown.not_unique())
      if (shown.columns()[column].name == name) out.lowest_loads.back().unique = false;
  }
  return out;
}

}  // namespace tandem
