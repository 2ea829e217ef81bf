// What can be told about a machine at its start and along a short run, in the units of the original: the same machine
// in other units must give the same digits and the same words.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "support/units.hpp"
#include "tandem/tandem.hpp"

namespace tandem::test {

struct Measured {
  std::vector<std::string> words;  // verdicts, counts, notes and messages, without their numbers
  // By kind (accelerations, forces, …): values in the original's units. Compared with the largest of a kind.
  std::map<std::string, std::vector<double>> numbers;
  std::map<std::string, double> sizes;  // least size of a kind to compare with: where all of it is round-off

  void say(const std::string& text);  // numbers become #
  void put(const std::string& kind, double value, double unit) { numbers[kind].push_back(value / unit); }
  void put(const std::string& kind, const Eigen::VectorXd& values, double unit) {
    for (const double value : values) put(kind, value, unit);
  }
};

// Counts and notes, the start, accelerations, reactions and energies there, and a run of so many steps.
Measured measure(const Model& model, const Units& units, int steps);

// The steady motion nearest to the start and its linearisation, or the start's where there is none.
Measured measure_linear(const Model& model, const Units& units);
// The verdict of compare, with what every method and check said.
Measured measure_compare(const Model& model, const Units& units, int steps);

// Where they differ by more than `tolerance` of the largest number of a kind; empty when nowhere.
std::string difference(const Measured& original, const Measured& other, double tolerance);
// The largest such difference, for the record.
double largest_difference(const Measured& original, const Measured& other);

}  // namespace tandem::test
