// The command lines of tests/cli/messages.txt, and a folder with the files that they name.
#pragma once

#include "cli/program.hpp"

namespace tandem::cli_tests {

struct MessageCase {
  int line = 0;
  std::string command;
  int code = -1;
  std::vector<std::string> expected;
};

// $ command
// exit code
// what it must say, a line each, up to a line that is empty
inline std::vector<MessageCase> message_cases() {
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

class MessageFolder : public Folder {
 protected:
  void make_message_files() const {
    write("wrong.toml", "format = 1\n[[body]]\nname = \"a\"\nmas = 1\n");
    write("far.toml",
          "format = 1\n[[body]]\nname = \"a\"\nmass = 1\ninertia = [1, 1, 1]\n[[joint]]\nname = \"weld\"\n"
          "type = \"fixed\"\nbodies = [\"world\", \"a\"]\nframes = [{}, { position = [0.5, 0, 0] }]\n");
    write("gone.toml",
          "format = 1\n[[body]]\nname = \"a\"\nmass = 1\npoint_mass = true\n[[force]]\ntype = \"force\"\nbody = \"a\"\n"
          "value = [\"sqrt(0.5-t)\", 0, 0]\n[simulation]\nduration = 1\nstep = 0.1\n");
    write("pendulum.toml",
          "format = 1\n[parameters]\nk = 2\n[[body]]\nname = \"rod\"\nmass = 1\ninertia = [0.1, 0.1, 0.1]\n"
          "position = [0, 0, -0.5]\n[[joint]]\nname = \"hinge\"\ntype = \"revolute\"\nbodies = [\"world\", \"rod\"]\n"
          "point = [0, 0, 0]\naxis = [0, 1, 0]\n");
    write("taken.toml", "# mine\n");
    fs::copy(TANDEM_SOURCE_DIR "/tests/cli/degenerate", path);
  }
};

}  // namespace tandem::cli_tests
