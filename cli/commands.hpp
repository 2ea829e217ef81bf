// The commands of the program, one file each, and what they share.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "answer.hpp"
#include "tandem/io/model/model_file.hpp"

namespace tandem::cli {

// A wrong word on the command line that CLI11 cannot know about.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// What every command that reads a model takes.
struct ModelArguments {
  std::string model;
  std::vector<std::string> set, limits;
  bool json = false, external_files = false;

  void add_to(CLI::App& app);
  void add_reading_to(CLI::App& app);  // --set, --limit and --allow-external-files alone
  ReadOptions options() const;         // throws UsageError
  Model read() const;                  // the model; prints its warnings to stderr
  Model load() const;                  // the same to be moved: refuses motions without inertia
};

// How to solve it; what is empty is the model's own choice.
struct MethodArguments {
  std::string method, cut, coordinates;

  void add_to(CLI::App& app);
  void check() const;  // throws UsageError with a suggestion
  void apply(Setup& setup) const;
};

// How to go through time; what is empty is the model's own choice.
struct IntegratorArguments {
  std::string integrator, stabilisation;
  std::optional<double> step, max_step, tolerance, alpha, beta, time_constant;

  void add_to(CLI::App& app);
  void check() const;  // throws UsageError with a suggestion
  void apply(Setup& setup) const;
  // Options that do nothing in this run, a line each. After apply().
  std::vector<std::string> idle(const Setup& setup) const;
};

// Throws UsageError when the command line asks for more steps than a run can have. `duration`: in place of the model's.
void refuse_endless(const Setup& setup, std::optional<double> duration);

void add_check(CLI::App& app);
void add_assemble(CLI::App& app);
void add_evaluate(CLI::App& app);
void add_run(CLI::App& app);
void add_compare(CLI::App& app);
void add_steady(CLI::App& app);
void add_view(CLI::App& app);
void add_linearize(CLI::App& app);
void add_examples(CLI::App& app);
void add_methods(CLI::App& app);
void add_convert(CLI::App& app);
void add_bench(CLI::App& app);

// A number or an expression of numbers; `what` begins the UsageError: --set v
double parse_number(const std::string& what, const std::string& text);
nlohmann::ordered_json json_of(const Vector3& vector);
// "method", and where "auto" chose it: "method_by", "method_reason".
void add_method(const Setup& resolved, nlohmann::ordered_json& json);

}  // namespace tandem::cli
