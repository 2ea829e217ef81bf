// Where a command writes, looked at before its work begins.
#pragma once

#include <string>

namespace tandem::cli {

// Throws UsageError: with --json, standard output holds the answer and nothing else. An empty path is fine.
void keep_answer_alone(const char* option, const std::string& path);

}  // namespace tandem::cli
