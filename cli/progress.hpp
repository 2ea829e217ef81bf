// A bar on standard error while a person waits; nothing when it is not a terminal.
#pragma once

#include <chrono>
#include <string>

namespace tandem::cli {

class ProgressBar {
 public:
  explicit ProgressBar(bool wanted);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  // `done` from 0 to 1, and what to say beside it; with the time left.
  void show(double done, const std::string& what);
  // Where nobody knows how much is left.
  void say(const std::string& what);
  void clear();

 private:
  bool due();
  bool on_;
  std::chrono::steady_clock::time_point start_, shown_;
};

}  // namespace tandem::cli
