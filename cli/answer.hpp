// How a command ends: its answer under --json, and what failed. Standard output then holds one JSON value, however the
// command ends (docs/json.md).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tandem/base/faults.hpp"

namespace tandem::cli {

// Exit codes, documented in --help and in README.
enum ExitCode {
  fine = 0,
  model_wrong = 1,
  usage = 2,
  numerical_failure = 3,
  file_trouble = 4,
  by_signal = 128  // and the number of the signal: 130 for ^C, 143 for SIGTERM
};

struct Failure {
  int code = 0;
  std::string id;       // of docs/failure.schema.json
  std::string message;  // one sentence
  std::vector<Fault> faults{};
  std::string text{};  // for standard error; empty: all is said already
};

// With a fault that says the same.
Failure failed_with(int code, const std::string& id, const std::string& message);
Failure usage_failure(const std::string& message, const std::string& text);
Failure model_failure(const Faults& faults);
Failure file_failure(const std::string& message);
Failure interrupted_by(int signal);

// Whether --json stands on the command line. If so, signals that end the program answer too.
void expect_json(int argc, char** argv);
bool expects_json();
// The answer. It is written when the command has ended, so that a failure can go with it.
void print_json(nlohmann::ordered_json json);
// Says what failed, writes the answer, and gives the exit code.
int finish(const std::optional<Failure>& failure);

}  // namespace tandem::cli
