// Messages about the command line itself.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace tandem::cli {

// Why the words of the command line could not be read, and what would be right. `first_word`: behind the program's
// name.
std::string usage_message(const CLI::App& app, const CLI::ParseError& error, const std::string& first_word);

// The option that an error is about, --step; empty when it is about none.
std::string option_of(const CLI::ParseError& error);

}  // namespace tandem::cli
