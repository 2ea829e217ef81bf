#include "tandem/model/setup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "tandem/base/suggest.hpp"
#include "tandem/model/run_limits.hpp"

namespace tandem {

int find_word(std::string_view what, std::span<const std::string_view> list, std::string_view word) {
  const auto found = std::find(list.begin(), list.end(), word);
  if (found != list.end()) return static_cast<int>(found - list.begin());
  const std::vector<std::string> known = words_of(list);
  throw std::invalid_argument(
      fmt::format("there is no {} \"{}\"; known are {}{}", what, word, list_of(known), did_you_mean(word, known)));
}

std::vector<std::string> words_of(std::span<const std::string_view> list) {
  std::vector<std::string> words;
  for (const std::string_view word : list)
    if (!word.empty()) words.emplace_back(word);
  return words;
}

std::string too_many_steps(double duration, double step) {
  if (duration / std::min(step, duration) <= most_steps) return "";
  return fmt::format(
      "{:.6g} s in steps of {:.6g} s are {:.3g} steps, and a run has at most {:.0e}; take a longer step or a shorter "
      "duration",
      duration, step, duration / step, most_steps);
}

std::string too_many_sweeps(const ImpulseOptions& impulses) {
  const double substeps = impulses.substeps;
  if (substeps * impulses.iterations <= most_sweeps && substeps * impulses.position_iterations <= most_sweeps)
    return "";
  return fmt::format(
      "{} substeps of {} iterations and {} position_iterations are too many sweeps for a step, which has at most "
      "{:.0e}; take a shorter step instead",
      impulses.substeps, impulses.iterations, impulses.position_iterations, most_sweeps);
}

std::vector<SetupFault> setup_faults(const Setup& setup) {
  std::vector<SetupFault> out;
  const auto error = [&](std::string_view key, std::string text) { out.push_back({false, key, std::move(text)}); };
  const auto positive = [&](std::string_view key, double value, bool of_impulses = false) {
    if (!(value > 0.0) || !std::isfinite(value))
      out.push_back({of_impulses, key, fmt::format("{} must be positive, not {}", key, value)});
  };
  const auto not_negative = [&](std::string_view key, double value) {
    if (!(value >= 0.0) || !std::isfinite(value))
      error(key, fmt::format("{} must not be negative, but it is {}", key, value));
  };
  positive("step", setup.step);
  positive("duration", setup.duration);
  if (setup.step > 0.0 && setup.duration > 0.0)
    if (std::string trouble = too_many_steps(setup.duration, setup.step); !trouble.empty())
      error("step", std::move(trouble));
  if (!(setup.max_step > 0.0))
    error("max_step", fmt::format("max_step must be positive, not {}", setup.max_step));
  else if (setup.duration > 0.0)
    if (std::string trouble = too_many_steps(setup.duration, setup.max_step); !trouble.empty())
      error("max_step", std::move(trouble));
  if (setup.alpha) not_negative("alpha", *setup.alpha);
  if (setup.beta) not_negative("beta", *setup.beta);
  if (!(setup.tolerance >= 1e-14 && setup.tolerance <= 0.1))
    error("tolerance", "tolerance must be between 1e-14 and 0.1" + not_this(setup.tolerance));

  const ImpulseOptions& impulses = setup.impulses;
  const auto error_of_impulses = [&](std::string_view key, std::string text) {
    out.push_back({true, key, std::move(text)});
  };
  const auto at_least = [&](std::string_view key, double value, double least) {
    if (!(value >= least) || !std::isfinite(value))
      error_of_impulses(key, fmt::format("{} must be at least {}, not {}", key, least, value));
  };
  at_least("iterations", impulses.iterations, 1);
  at_least("substeps", impulses.substeps, 1);
  at_least("position_iterations", impulses.position_iterations, 0);
  if (std::string trouble = too_many_sweeps(impulses); !trouble.empty())
    error_of_impulses("iterations", std::move(trouble));
  at_least("slop", impulses.slop, 0);
  positive("largest_correction", impulses.largest_correction, true);
  if (!(impulses.baumgarte >= 0.0 && impulses.baumgarte < 1.0))
    error_of_impulses("baumgarte", "baumgarte is the fraction of an error removed in a step: 0 or more, less than 1");
  return out;
}

}  // namespace tandem
