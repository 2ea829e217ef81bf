// What Tandem is timed at. Each job measures and checks in one go.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace bench {

struct Measurement {
  std::string job, mechanism, how;
  double seconds = 0.0;                                // of CPU time a call
  double error = 0.0;                                  // from what is right
  double limit = 1e-8;                                 // of the error
  std::vector<std::pair<std::string, double>> also{};  // other figures
  bool right() const { return error <= limit; }
};

struct Job {
  std::string name;  // job and mechanism: "forward chain-30"
  std::function<std::vector<Measurement>(double budget)> run;
};

std::vector<Job> tandem_jobs();
// Of them, in step_jobs.cpp: steps of a simulation, runs and integrators; and the bicycle's.
std::vector<Job> step_jobs(const std::vector<std::string>& loaded_mechanisms);
std::vector<Job> bicycle_jobs();
// Of the mechanisms that peers read from files.
std::vector<std::string> shared_mechanisms();

}  // namespace bench
