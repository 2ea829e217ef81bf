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
  // `done` from 0 to 1, at the time t of the run; with the time left.
  void show(double done, double t);
  // Where nobody knows how much is left.
  void say(const std::string& what);
  void clear();

 private:
  bool due();
  bool on_;
  double first_ = -1.0;  // done at the first call: a run that is continued does not begin at 0
  std::chrono::steady_clock::time_point start_, shown_;
};

}  // namespace tandem::cli
