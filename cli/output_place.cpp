#include "output_place.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include "commands.hpp"
#include "tandem/io/report/report.hpp"
#include "tandem/io/results/output_file.hpp"

namespace tandem::cli {

static void keep_answer_alone(const char* option, const std::string& path) {
  if (expects_json() && standard_descriptor(path) == STDOUT_FILENO)
    throw UsageError(
        fmt::format("{} \"{}\": with --json standard output holds the answer alone; name a file", option, path));
}

void check_output(const char* option, const std::string& path, bool force) {
  if (path.empty()) return;
  keep_answer_alone(option, path);
  require_output_place(path, force);
}

void check_report(const char* option, const std::string& path, bool force) {
  if (path.empty()) return;
  keep_answer_alone(option, path);
  require_report_place(path, force);
}

void add_force(CLI::App& app, bool& force) { app.add_flag("--force", force, "replace files that are there already"); }

}  // namespace tandem::cli
