// What a run tells when it has ended, for people and for machines.
#pragma once

#include <array>
#include <nlohmann/json.hpp>

#include "tandem/io/report/report.hpp"
#include "tandem/run/run.hpp"

namespace tandem::cli {

// First, last, least and most of every output, over the rows of the run.
struct OutputSummary {
  std::vector<double> first, last, least, most;
  void watch(std::span<const double> values);
  std::array<std::vector<double>*, 4> all() { return {&first, &last, &least, &most}; }
  std::array<const std::vector<double>*, 4> all() const { return {&first, &last, &least, &most}; }
};

// The table of outputs, a star behind those that are not unique.
std::vector<bool> unique_outputs(const Model& model, const Uniqueness& unique);
ShownTable output_table(const Model& model, const OutputSummary& outputs, const std::vector<bool>& unique);

nlohmann::ordered_json reasons_json(const Judgement& judgement);
nlohmann::ordered_json bodies_json(const Model& model, Simulation& simulation);

struct RunReport {
  const Model& model;
  Simulation& simulation;
  const Run& run;
  const OutputSummary& outputs;
  std::string file, page;  // what was written; empty: nothing

  nlohmann::ordered_json json() const;
  void print() const;

 private:
  void print_outputs() const;
  void print_energy() const;
  void print_residuals() const;
  void print_impulses() const;
  void print_warnings() const;
  void print_judgement() const;
};

}  // namespace tandem::cli
