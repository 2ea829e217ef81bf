#include "progress.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>

namespace tandem::cli {

using Clock = std::chrono::steady_clock;

ProgressBar::ProgressBar(bool wanted) : on_(wanted && isatty(STDERR_FILENO) != 0), start_(Clock::now()), shown_() {}

ProgressBar::~ProgressBar() { clear(); }

void ProgressBar::clear() {
  if (on_ && shown_ != Clock::time_point()) fmt::print(stderr, "\r\033[K");
}

bool ProgressBar::due() {
  if (!on_) return false;
  const auto now = Clock::now();
  if (now - shown_ < std::chrono::milliseconds(100)) return false;
  shown_ = now;
  return true;
}

void ProgressBar::show(double done, const std::string& what) {
  if (!due()) return;
  const double spent = std::chrono::duration<double>(shown_ - start_).count();
  std::string left;
  if (done > 0.01 && spent > 1.0) {
    const auto seconds = static_cast<long>(spent * (1.0 - done) / done + 0.5);
    left = seconds < 60 ? fmt::format("  {} s left", seconds)
                        : fmt::format("  {}:{:02} min left", seconds / 60, seconds % 60);
  }
  fmt::print(stderr, "\r\033[K  {:3}%  [{:<40}]  {}{}", static_cast<int>(100.0 * done),
             std::string(static_cast<std::size_t>(40.0 * done), '='), what, left);
  std::fflush(stderr);
}

void ProgressBar::say(const std::string& what) {
  if (!due()) return;
  fmt::print(stderr, "\r\033[K  {}", what);
  std::fflush(stderr);
}

}  // namespace tandem::cli
