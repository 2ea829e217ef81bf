// What the health record of a run amounts to, in one word: trusted, look, or not to be trusted, with the reasons. The
// command line, JSON, result files and pages all say what judge() says. The limits are in base/tolerances.hpp, argued
// in docs/health.md.
#pragma once

#include "tandem/run/health.hpp"

namespace tandem {

enum class Trust { trusted, look, not_to_be_trusted };
std::string_view trust_name(Trust trust);  // trusted, look, not to be trusted
std::optional<Trust> find_trust(std::string_view name);

struct TrustReason {
  Trust trust = Trust::look;
  std::string kind;  // for machines: energy_balance, position_residual, singular_pose, …
  std::string text;
};

struct Judgement {
  Trust trust = Trust::trusted;      // the worst of its reasons
  std::vector<TrustReason> reasons;  // the worst first
  void add(TrustReason reason);
  // The trust that a kind of reason leaves; trusted where there is none of it.
  Trust of(std::string_view kind) const;
  // A line each, "look: …"; and back from such lines, which hold no kinds.
  std::string lines() const;
  static Judgement from_lines(Trust trust, std::string_view lines);
};

// `status` and `reason` as a run has them (status_name()).
Judgement judge(const Model& model, const Setup& setup, const HealthSummary& health, std::string_view status,
                const std::string& reason);

// joint "D", point x: what an event is about.
std::string event_subject(const Model& model, const HealthEvent& event);
std::string_view event_name(HealthEvent::Kind kind);  // singular_pose, …

}  // namespace tandem
