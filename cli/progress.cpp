#include "progress.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "tell.hpp"

namespace tandem::cli {

using Clock = std::chrono::steady_clock;

ProgressBar::ProgressBar(bool wanted) : on_(wanted && isatty(STDERR_FILENO) != 0), start_(Clock::now()), shown_() {}

ProgressBar::~ProgressBar() { clear(); }

void ProgressBar::clear() {
  if (on_ && shown_ != Clock::time_point()) tell("\r\033[K");
}

bool ProgressBar::due() {
  if (!on_) return false;
  const auto now = Clock::now();
  if (now - shown_ < std::chrono::milliseconds(100)) return false;
  shown_ = now;
  return true;
}

static std::string duration_text(double seconds) {
  const long whole = std::lround(std::min(seconds, 1e9));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{}:{:02} min", whole / 60, whole % 60);
  return fmt::format("{}:{:02} h", whole / 3600, whole / 60 % 60);
}

void ProgressBar::show(double done, double t) {
  if (first_ < 0.0) first_ = done;
  if (!due()) return;
  done = std::clamp(done, 0.0, 1.0);
  const double spent = std::chrono::duration<double>(shown_ - start_).count(), gained = done - first_;
  std::string left;
  if (spent > 0.5 && gained > 0.0) left = fmt::format("  {} left", duration_text(spent * (1.0 - done) / gained));
  tell("\r\033[K  {:3}%  [{:<40}]  t = {:.2f} s{}", static_cast<int>(100.0 * done),
       std::string(static_cast<std::size_t>(40.0 * done), '='), t, left);
  std::fflush(stderr);
}

void ProgressBar::say(const std::string& what) {
  if (!on_) return;
  shown_ = Clock::now();
  tell("\r\033[K  {}", what);
  std::fflush(stderr);
}

}  // namespace tandem::cli
