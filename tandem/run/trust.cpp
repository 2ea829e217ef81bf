#include "tandem/run/trust.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tandem {

static constexpr std::array<std::string_view, 3> trust_names{"trusted", "look", "not to be trusted"};

std::string_view trust_name(Trust trust) { return trust_names[static_cast<std::size_t>(trust)]; }

std::optional<Trust> find_trust(std::string_view name) {
  for (std::size_t i = 0; i < trust_names.size(); ++i)
    if (trust_names[i] == name) return static_cast<Trust>(i);
  return {};
}

void Judgement::add(TrustReason reason) {
  trust = std::max(trust, reason.trust);
  const auto milder = [&](const TrustReason& each) { return each.trust < reason.trust; };
  reasons.insert(std::find_if(reasons.begin(), reasons.end(), milder), std::move(reason));
}

Trust Judgement::of(std::string_view kind) const {
  Trust worst = Trust::trusted;
  for (const TrustReason& reason : reasons)
    if (reason.kind == kind) worst = std::max(worst, reason.trust);
  return worst;
}

std::string Judgement::lines() const {
  std::string out;
  for (const TrustReason& reason : reasons)
    out += fmt::format("{}{}: {}", out.empty() ? "" : "\n", trust_name(reason.trust), reason.text);
  return out;
}

Judgement Judgement::from_lines(Trust trust, std::string_view lines) {
  Judgement out;
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(lines.size(), line.size() + 1));
    const std::size_t colon = line.find(": ");
    const std::optional<Trust> of = find_trust(line.substr(0, colon));
    if (of) out.add({*of, "", std::string(line.substr(colon + 2))});
  }
  out.trust = std::max(out.trust, trust);
  return out;
}

std::string_view event_name(HealthEvent::Kind kind) {
  static constexpr std::array<std::string_view, 7> names{
      "singular_pose",       "branch_changed",           "branch_left", "breakpoint_of_force",
      "breakpoint_of_drive", "breakpoint_of_constraint", "stop"};
  return names[static_cast<std::size_t>(kind)];
}

std::string event_subject(const Model& model, const HealthEvent& event) {
  const auto at = static_cast<std::size_t>(event.index);
  switch (event.kind) {
    case HealthEvent::Kind::breakpoint_of_force:
      return fmt::format("force \"{}\"", model.forces[at].name);
    case HealthEvent::Kind::breakpoint_of_drive:
      return fmt::format("drive \"{}\"", model.drives[at].name);
    case HealthEvent::Kind::breakpoint_of_constraint:
      return fmt::format("constraint \"{}\"", model.constraints[at].name);
    case HealthEvent::Kind::stop:
      return fmt::format("stop \"{}\"", model.stops[at].name);
    default:
      return model.row_name(event.index);
  }
}

namespace {

std::string times_of(const HealthEvent& event) {
  if (event.count == 1) return fmt::format("at t = {:.6g} s", event.t);
  return fmt::format("at t = {:.6g} s, and {} more time{} up to t = {:.6g} s", event.t, event.count - 1,
                     event.count == 2 ? "" : "s", event.last);
}

void judge_event(const Model& model, const HealthEvent& event, Judgement& out) {
  const std::string subject = event_subject(model, event), when = times_of(event);
  const std::string kind(event_name(event.kind));
  switch (event.kind) {
    case HealthEvent::Kind::singular_pose:
      return out.add({Trust::look, kind,
                      fmt::format("a singular pose was passed {}, where {} follows from the other rows: there the "
                                  "constraints leave more than one way to go on",
                                  when, subject)});
    case HealthEvent::Kind::branch_changed:
      return out.add({Trust::not_to_be_trusted, kind,
                      fmt::format("the branch changed in a singular pose {} ({}): the machine did not go straight on, "
                                  "and no force made it turn; use a smaller step",
                                  when, subject)});
    case HealthEvent::Kind::branch_left:
      return out.add({Trust::not_to_be_trusted, kind,
                      fmt::format("the branch was left {}: the loop of {} went over to another assembly mode without a "
                                  "singular pose between them; use a smaller step",
                                  when, subject)});
    case HealthEvent::Kind::stop:
      return out.add({Trust::look, kind, fmt::format("{} was not resolved by the steps {}", subject, when)});
    default:
      return out.add({Trust::look, "breakpoint",
                      fmt::format("{} changes so fast that the search for its peaks was given up: steps may pass over "
                                  "some of it; give a longest step (max_step)",
                                  subject)});
  }
}

void judge_loads(const Model& model, const HealthSummary& health, Judgement& out) {
  const std::vector<Contact> all = contacts(model);
  for (std::size_t i = 0; i < std::min(all.size(), health.lowest_loads.size()); ++i) {
    const bool shared = health.shared_loads[i];
    if (health.lowest_loads[i].value < 0.0 && !shared)
      out.add({Trust::look, "lift_off",
               fmt::format("\"{}\" would lift off: its normal force reaches {:.4g} N at t = {:.4g} s",
                           model.constraints[static_cast<std::size_t>(all[i].constraint)].name,
                           health.lowest_loads[i].value, health.lowest_loads[i].t)});
  }
}

class Judge {
 public:
  Judge(const Model& model, const Setup& setup, const HealthSummary& health, Judgement& out)
      : model_(model), setup_(setup), health_(health), out_(out) {}

  void run() {
    finite();
    balance();
    residual();
    numbers();
    masses();
    for (const HealthEvent& event : health_.events) judge_event(model_, event, out_);
    if (health_.rank_changed >= 0.0)
      out_.add({Trust::look, "rank",
                fmt::format("the number of independent rows changed between {} and {}, first at t = {:.6g} s",
                            health_.least_rank, health_.most_rank, health_.rank_changed)});
    judge_loads(model_, health_, out_);
    if (health_.horizon && health_.horizon->digits < 1.0)
      out_.add({Trust::look, "horizon", "the digits do not last to the end: " + health_.horizon->sentence()});
  }

 private:
  // What is not a number passes no comparison: beyond every limit.
  void limits(const char* kind, double value, double look, double distrust, const std::string& text) {
    if (value <= look) return;
    const bool bad = !(value <= distrust);
    out_.add({bad ? Trust::not_to_be_trusted : Trust::look, kind,
              fmt::format("{}; the limit is {:.0e}", text, bad ? distrust : look)});
  }

  void finite() {
    const std::pair<const char*, double> numbers[] = {
        {"the energy", health_.energy_end.total()},
        {"the energy balance", health_.balance.value},
        {"the position residual", health_.before.position + health_.after.position},
        {"the velocity residual", health_.before.velocity + health_.after.velocity},
        {"the acceleration residual", health_.acceleration},
        {"the power of constraint forces", health_.power},
        {"the length of a quaternion", health_.quaternion_error},
    };
    for (const auto& [name, value] : numbers)
      if (!std::isfinite(value))
        out_.add({Trust::not_to_be_trusted, "not_finite", fmt::format("{} is not a finite number", name)});
  }

  void balance() {
    const double off = health_.relative_balance();
    limits("energy_balance", off, tolerances::balance_look, tolerances::balance_distrust,
           fmt::format("the energy balance is off by {:.2e} of the energy that moved", off));
  }

  void residual() {
    const bool drifts = !setup_.projects() && !setup_.by_impulses();
    const double off = health_.before.share;  // a small machine beside a large one has a size of its own
    limits("position_residual", off, tolerances::residual_look, tolerances::residual_distrust,
           drifts ? fmt::format("the constraints drifted apart by {:.2e} of the machine's size", off)
                  : fmt::format("a step left the constraints by {:.2e} of the machine's size before they were "
                                "closed again",
                                off));
  }

  void numbers() {
    if (!(health_.turn <= tolerances::largest_turn))
      out_.add({Trust::not_to_be_trusted, "turn",
                fmt::format("a body turned by {:.3g} rad in one step; the limit is {:g}", health_.turn,
                            tolerances::largest_turn)});
    if (setup_.by_impulses()) {
      if (!(health_.impulses.unsolved <= tolerances::unsolved_look))
        out_.add(
            {Trust::look, "unsolved",
             fmt::format("the sweeps left {:.2e} of a row unsolved, and forces are off by about as much; the limit "
                         "is {:.0e}",
                         health_.impulses.unsolved, tolerances::unsolved_look)});
      return;
    }
    if (!(health_.acceleration_share <= tolerances::acceleration_look))
      out_.add({Trust::look, "acceleration_residual",
                fmt::format("accelerations miss a row by {:.2e} of its terms; the limit is {:.0e}",
                            health_.acceleration_share, tolerances::acceleration_look)});
  }

  void masses() {
    const Body *light = nullptr, *heavy = nullptr;
    double most = tolerances::masses_apart_look;
    for (const RowBlockInfo& block : model_.blocks)
      for (const int a : block.bodies)
        for (const int b : block.bodies) {
          const Body &one = model_.bodies[static_cast<std::size_t>(a)],
                     &other = model_.bodies[static_cast<std::size_t>(b)];
          if (!(one.mass > 0.0) || !(other.mass > most * one.mass)) continue;
          most = other.mass / one.mass;
          light = &one;
          heavy = &other;
        }
    if (!light) return;
    out_.add(
        {Trust::look, "masses",
         fmt::format("bodies \"{}\" and \"{}\" are joined and their masses {:.0e} apart: what the light one does may "
                     "be lost in rounding; the limit is {:.0e}",
                     light->name, heavy->name, most, tolerances::masses_apart_look)});
  }

  const Model& model_;
  const Setup& setup_;
  const HealthSummary& health_;
  Judgement& out_;
};

}  // namespace

Judgement judge(const Model& model, const Setup& setup, const HealthSummary& health, std::string_view status,
                const std::string& reason) {
  Judgement out;
  if (status == "failed")
    out.add({Trust::not_to_be_trusted, "failed", fmt::format("the run failed{}{}", reason.empty() ? "" : " ", reason)});
  Judge(model, setup, health, out).run();
  return out;
}

}  // namespace tandem
