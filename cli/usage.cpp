// What is wrong with a command line, in words of Tandem: CLI11 knows the options, but not what a newcomer meant.
#include "usage.hpp"

#include <fmt/core.h>

#include "tandem/base/suggest.hpp"

namespace tandem::cli {

namespace {

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

std::string no_option(const CLI::App& app, const std::string& word) {
  const std::string given = word.substr(0, word.find('='));
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return fmt::format("there is no option \"{}\"{}", given, did_you_mean(given, names));
}

// Before there is a command.
std::string no_command(const CLI::App& app, const std::string& word) {
  const std::vector<std::string> names = command_names(app);
  if (word.empty()) return fmt::format("name a command: {}", list_of(names));
  if (word.starts_with("-")) return no_option(app, word);
  const std::string hint = did_you_mean(word, names);
  return fmt::format("there is no command \"{}\"{}", word, hint.empty() ? "; there are " + list_of(names) : hint);
}

std::string too_many(const CLI::App& command) {
  const std::vector<std::string> rest = command.remaining();
  for (const std::string& word : rest)
    if (word.starts_with("-")) return no_option(command, word);
  return fmt::format("unexpected argument \"{}\"; quote strings that contain spaces", rest.empty() ? "" : rest.front());
}

std::string missing(const CLI::App& command, const std::string& told) {
  const std::string name = told.substr(0, told.find(' '));
  const CLI::Option* option = command.get_option_no_throw(name);
  return option ? fmt::format("the {} is missing: {}", name, option->get_description()) : told;
}

// "--step: 1 required SECONDS missing"
std::string without_value(const CLI::App& command, const std::string& told) {
  const std::string name = told.substr(0, told.find(':'));
  const CLI::Option* option = command.get_option_no_throw(name);
  return option && told.ends_with(" missing") ? fmt::format("{0} needs a value: {0} {1}", name, option->get_type_name())
                                              : told;
}

// "Could not convert: --step = abc"
std::string no_number(const CLI::App& command, const std::string& told) {
  constexpr std::string_view before = "Could not convert: ", between = " = ";
  const std::size_t middle = told.find(between);
  if (!told.starts_with(before) || middle == std::string::npos) return told;
  const std::string name = told.substr(before.size(), middle - before.size());
  const CLI::Option* option = command.get_option_no_throw(name);
  const bool whole = option && option->get_type_name() == "N";
  return fmt::format("{} \"{}\": give a {}", name, told.substr(middle + between.size()),
                     whole ? "whole number, such as 20" : "number, such as 0.5");
}

}  // namespace

std::string usage_message(const CLI::App& app, const CLI::ParseError& error, const std::string& first_word) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  if (chosen.empty()) return no_command(app, first_word);
  const CLI::App& command = *chosen.front();
  if (dynamic_cast<const CLI::ExtrasError*>(&error)) return too_many(command);
  if (dynamic_cast<const CLI::RequiredError*>(&error)) return missing(command, error.what());
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error)) return without_value(command, error.what());
  if (dynamic_cast<const CLI::ConversionError*>(&error)) return no_number(command, error.what());
  return error.what();
}

// CLI11 names it, but in words: "--step: 1 required …", "The following argument was not expected: --stp=3".
std::string option_of(const CLI::ParseError& error) {
  const std::string told = error.what();
  const std::size_t begin = told.find("--");
  return begin == std::string::npos ? "" : told.substr(begin, told.find_first_of(" :=,", begin) - begin);
}

}  // namespace tandem::cli
