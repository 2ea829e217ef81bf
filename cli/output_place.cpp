#include "output_place.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include "commands.hpp"
#include "tandem/io/results/output_file.hpp"

namespace tandem::cli {

void keep_answer_alone(const char* option, const std::string& path) {
  if (expects_json() && standard_descriptor(path) == STDOUT_FILENO)
    throw UsageError(
        fmt::format("{} \"{}\": with --json standard output holds the answer alone; name a file", option, path));
}

}  // namespace tandem::cli
