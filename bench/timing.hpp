// How every engine is timed here: one way for Tandem and its peers.
//
// Per-thread CPU time, so that other programs on the machine count little. A sample is a block of calls that lasts at
// least 200 µs; the figure is the 5th percentile of the samples: what the work costs when nothing disturbs it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <vector>

namespace bench {

inline double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

inline constexpr double shortest_block = 200e-6;
inline constexpr std::size_t most_samples = 4000, fewest_samples = 3;

// Seconds a call of `once(i)` takes, i = 0, 1, 2, … For about `budget` seconds.
template <class Once> double seconds_per_call(double budget, Once&& once) {
  std::size_t i = 0;
  const auto block = [&](std::size_t calls) {
    const double start = cpu_seconds();
    for (std::size_t k = 0; k < calls; ++k) once(i++);
    return cpu_seconds() - start;
  };
  std::size_t calls = 1;
  while (block(calls) < shortest_block) calls *= 2;
  std::vector<double> samples;
  for (double spent = 0.0; samples.size() < fewest_samples || (spent < budget && samples.size() < most_samples);) {
    samples.push_back(block(calls) / static_cast<double>(calls));
    spent += samples.back() * static_cast<double>(calls);
  }
  const auto low = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 20);
  std::nth_element(samples.begin(), low, samples.end());
  return *low;
}

// Keeps the compiler from dropping work whose result nobody reads.
inline void keep(const void* data) { asm volatile("" : : "g"(data) : "memory"); }

}  // namespace bench
