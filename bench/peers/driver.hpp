// What the programs of all peers share: read a mechanism, time each job, check each answer, print a line of JSON a job.
//
//   program FILE.mech SECONDS
// The inputs are put into the peer's own form beforehand; that is not timed.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <functional>

#include "../mechanism.hpp"
#include "../timing.hpp"

namespace bench {

struct Line {
  std::string engine, job, mechanism, how;
  double seconds = 0.0, error = 0.0, limit = 1e-8;
  std::vector<std::pair<std::string, double>> also{};
};

inline void print(const Line& line) {
  const auto number = [](double x) {  // JSON has no NaN
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", std::isfinite(x) ? x : 1e300);
    return std::string(text);
  };
  std::string out = "{\"engine\": \"" + line.engine + "\", \"job\": \"" + line.job + "\", \"mechanism\": \"" +
                    line.mechanism + "\", \"how\": \"" + line.how + "\", \"seconds\": " + number(line.seconds) +
                    ", \"error\": " + number(line.error) + ", \"limit\": " + number(line.limit) +
                    ", \"right\": " + (line.error <= line.limit ? "true" : "false");
  for (const auto& [name, value] : line.also) out += ", \"" + name + "\": " + number(value);
  std::puts((out + "}").c_str());
}

// Times `work(i)` over all samples and compares `answer(i)` with `right(i)`.
template <class Work, class Answer, class Right>
Line measure(const Mechanism& mechanism, double budget, const char* job, const char* how, Work&& work, Answer&& answer,
             Right&& right) {
  Line line;
  line.job = job;
  line.mechanism = mechanism.name;
  line.how = how;
  const std::size_t n = mechanism.samples.size();
  for (std::size_t i = 0; i < n; ++i) {
    work(i);
    const double error = relative_error(answer(i), right(mechanism.samples[i]));
    if (!(error <= line.error)) line.error = error;
  }
  line.seconds = seconds_per_call(budget, [&](std::size_t i) { work(i % n); });
  return line;
}

inline const std::vector<double>& right_accelerations(const Sample& sample) { return sample.acceleration; }
inline const std::vector<double>& right_efforts(const Sample& sample) { return sample.effort; }
inline std::vector<double> right_energy(const Sample& sample) { return {sample.energy}; }

inline int run(int argc, char** argv, const char* engine,
               const std::function<std::vector<Line>(const Mechanism&, double)>& jobs) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s FILE.mech SECONDS\n", argv[0]);
    return 2;
  }
  try {
    for (Line& line : jobs(read(argv[1]), std::atof(argv[2]))) {
      line.engine = engine;
      print(line);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", engine, error.what());
    return 1;
  }
  return 0;
}

}  // namespace bench
