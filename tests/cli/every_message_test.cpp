// Whatever the program can say about a command line and its files, some line of tests/cli/messages.txt makes it say.
// The messages are found in the sources of the program; those without a case are listed.
#include <fmt/format.h>

#include <set>

#include "cli/program.hpp"
#include "support/source_messages.hpp"

namespace tandem::cli_tests {
namespace {

struct MessageCase {
  int line = 0;
  std::string command;
  int code = -1;
  std::vector<std::string> expected;
};

// $ command
// exit code
// what it must say, a line each, up to a line that is empty
std::vector<MessageCase> message_cases() {
  std::ifstream file(TANDEM_SOURCE_DIR "/tests/cli/messages.txt");
  std::vector<MessageCase> out;
  int number = 0;
  bool open = false;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.starts_with("#")) continue;
    if (line.starts_with("$ ")) {
      out.push_back({number, line.substr(2), -1, {}});
      open = true;
    } else if (line.empty()) {
      open = false;
    } else if (!open) {
      ADD_FAILURE() << "messages.txt:" << number << ": belongs to no command: " << line;
    } else if (out.back().code < 0) {
      out.back().code = std::stoi(line);
    } else {
      out.back().expected.push_back(line);
    }
  }
  return out;
}

// Texts that are told to nobody: what CLI11 says, by which it is understood, and what only a mistake of Tandem or a
// machine in trouble would tell.
const std::set<std::string> not_messages{"Could not convert: ", "tandem: internal error: {}\n"};

std::vector<SourceMessage> all_messages() {
  std::vector<SourceMessage> out;
  std::set<std::pair<std::string, int>> seen;
  const std::vector<std::string> calls{"UsageError", "FileError", "NumericalError", "wrong", "push_back", "check_word"};
  for (const auto& entry : fs::directory_iterator(TANDEM_SOURCE_DIR "/cli")) {
    if (entry.path().extension() != ".cpp") continue;
    const bool all = entry.path().filename() == "usage.cpp";
    std::vector<SourceMessage> some = messages_in(entry.path(), all ? std::vector<std::string>{} : calls);
    for (SourceMessage& message : messages_in(entry.path()))
      if (message.text.starts_with("tandem: ")) some.push_back(std::move(message));
    for (SourceMessage& message : some)
      if (!not_messages.contains(message.text) && seen.emplace(message.file, message.line).second)
        out.push_back(std::move(message));
  }
  return out;
}

class EveryMessage : public Folder {};

TEST_F(EveryMessage, OfTheProgramHasACase) {
  std::vector<std::string> told;
  std::set<int> codes;
  write("wrong.toml", "format = 1\n[[body]]\nname = \"a\"\nmas = 1\n");
  write("far.toml",
        "format = 1\n[[body]]\nname = \"a\"\nmass = 1\ninertia = [1, 1, 1]\n[[joint]]\nname = \"weld\"\n"
        "type = \"fixed\"\nbodies = [\"world\", \"a\"]\nframes = [{}, { position = [0.5, 0, 0] }]\n");
  write("gone.toml",
        "format = 1\n[[body]]\nname = \"a\"\nmass = 1\npoint_mass = true\n[[force]]\ntype = \"force\"\nbody = \"a\"\n"
        "value = [\"sqrt(0.5-t)\", 0, 0]\n[simulation]\nduration = 1\nstep = 0.1\n");
  write("taken.toml", "# mine\n");
  fs::copy(TANDEM_SOURCE_DIR "/tests/cli/degenerate/chain-that-cannot-close.toml", path / "cannot-close.toml");
  for (const MessageCase& each : message_cases()) {
    const Result result = shell(
        fmt::format("cd {} && tandem() {{ {} \"$@\"; }}; {{ {} ; }} 2>&1", path.string(), program(), each.command));
    EXPECT_EQ(result.code, each.code) << "messages.txt:" << each.line << ": " << each.command << "\n" << result.output;
    EXPECT_FALSE(each.expected.empty()) << "messages.txt:" << each.line;
    for (const std::string& words : each.expected)
      EXPECT_TRUE(says(result, words)) << "messages.txt:" << each.line << ": " << each.command;
    told.push_back(result.output);
    codes.insert(result.code);
  }
  EXPECT_EQ(codes, (std::set<int>{0, 1, 2, 3, 4}));
  const std::vector<SourceMessage> messages = all_messages();
  EXPECT_GT(messages.size(), 40U);
  EXPECT_EQ(untold(messages, told), "");
}

}  // namespace
}  // namespace tandem::cli_tests
