// Where a command writes, looked at before its work begins.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace tandem::cli {

// An empty path is fine. Throws UsageError where standard output is named and holds the answer of --json, FileError
// where the file cannot be written or is there already and --force was not given.
void check_output(const char* option, const std::string& path, bool force);
// The same of a report.
void check_report(const char* option, const std::string& path, bool force);
void add_force(CLI::App& app, bool& force);

}  // namespace tandem::cli
