// Whatever the program can say about a command line, its files and the machines in them, some line of
// tests/cli/messages.txt makes it say. The messages are found in the sources of the program, of the folders
// that messages_of_machines lists and of reports; those without a case are listed.
#include <fmt/format.h>

#include <set>

#include "cli/message_cases.hpp"
#include "support/sanitized.hpp"
#include "support/source_messages.hpp"
#include "tandem/dynamics/inverse_dynamics.hpp"
#include "tandem/io/model/model_file.hpp"
#include "tandem/linearize/linearize.hpp"
#include "tandem/simulate.hpp"

namespace tandem::cli_tests {
namespace {

// Texts that are told to nobody: what CLI11 says, by which it is understood, what only a mistake of Tandem or a machine
// in trouble would tell, and figures on pages.
const std::set<std::string> not_messages{"Could not convert: ", "tandem: internal error: {}\n", "{}, cut {}",
                                         "pose {:.1e}, velocity {:.1e}, tolerance {:.1e}"};

// The same of the library: what is caught where it is thrown, and what no machine is known to bring about.
const std::set<std::string> not_messages_of_machines{
    "no pose was found",            // the search that failed is repeated step by step, and one of them fails
    "the speeds did not converge",  // rows that contradict each other are named before
    "the step is too long",         // another one is tried
    "no state nearby",
    "the symmetries are others here",
    "no steady motion was found near the start: motions along the symmetries leave the rows of the model, by {:.3g} "
    "m/s",
    "the pose of a steady motion does not meet its constraints",
    "no readings were found that describe every motion of the machine",
    "a force or a constraint has no derivative here",
    "the eigenvalues did not converge",
    "the states have no finite derivative by input \"{}\"",
    "the derivatives of output \"{}\" overflow",
    "an eigenvalue or its mode is not a finite number",
    "the accelerations at the point to linearize about are not finite numbers",
    "the steady motion that was found has no finite loads: that of {} is {}",
    "the memory is that of another model",  // checkpoints are compared with the run before
};

std::vector<SourceMessage> messages_of_machines() {
  std::vector<SourceMessage> out;
  const std::vector<std::string> calls{"error",    "error_in",       "error_at",         "refuse",
                                       "unmet_at", "NumericalError", "invalid_argument", "push_back"};
  for (const char* file : {"/tandem/io/report/report.cpp", "/tandem/io/report/report_results.cpp"})
    for (SourceMessage& message : messages_in(std::string(TANDEM_SOURCE_DIR) + file, {"refuse", "FileError"}))
      out.push_back(std::move(message));
  for (const char* folder : {"/tandem/assemble", "/tandem/dynamics", "/tandem/linearize", "/tandem/observe",
                             "/tandem/run", "/tandem/steady"})
    for (const auto& entry : fs::directory_iterator(std::string(TANDEM_SOURCE_DIR) + folder)) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with("run") || name.starts_with("response")) continue;
      const bool all = name.find("_coordinates") != std::string::npos;
      for (SourceMessage& message : messages_in(entry.path(), all ? std::vector<std::string>{} : calls))
        if (!not_messages_of_machines.contains(message.text)) out.push_back(std::move(message));
    }
  return out;
}

// What can be asked only in C++: the program checks names before.
void listen_to_library(const fs::path& pendulum, std::vector<std::string>& told) {
  const auto listen = [&](const auto& ask) {
    try {
      ask();
      ADD_FAILURE() << "was accepted";
    } catch (const std::exception& error) {
      told.emplace_back(error.what());
    }
  };
  Model model = load_model(pendulum);
  listen([&] { linearize_start(model, {.states = {"nothing"}}); });
  listen([&] { linearize_start(model, {.states = {"hinge.rate"}}); });
  Workspace workspace(model);
  listen([&] { inverse_dynamics(workspace, Eigen::VectorXd::Zero(1)); });
  Model ghost = model;
  ghost.bodies[0].mass = 0.0;
  ghost.bodies[0].inertia.setZero();
  ghost.setup.method = "articulated";
  listen([&] { Simulation(ghost).solution(); });
  model.gravity.z() = -1.6;
  listen([&] { linearize_start(model, {.inputs = {"k"}}); });
  model.text.clear();
  listen([&] { linearize_start(model, {.inputs = {"k"}}); });
}

std::vector<SourceMessage> all_messages() {
  std::vector<SourceMessage> out = messages_of_machines();
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

class EveryMessage : public MessageFolder {};

TEST_F(EveryMessage, OfTheProgramHasACase) {
  std::vector<std::string> told;
  std::set<int> codes;
  make_message_files();
  for (const MessageCase& each : message_cases()) {
    if (test::sanitized && each.command.find("ulimit -v") != std::string::npos) {  // a sanitizer needs its own memory
      for (const std::string& words : each.expected) told.push_back(words + "\n");
      continue;
    }
    const Result result = shell(
        fmt::format("cd {} && tandem() {{ {} \"$@\"; }}; {{ {} ; }} 2>&1", path.string(), program(), each.command));
    EXPECT_EQ(result.code, each.code) << "messages.txt:" << each.line << ": " << each.command << "\n" << result.output;
    EXPECT_FALSE(each.expected.empty()) << "messages.txt:" << each.line;
    for (const std::string& words : each.expected)
      EXPECT_TRUE(says(result, words)) << "messages.txt:" << each.line << ": " << each.command;
    EXPECT_EQ(result.output.find('\x1b'), std::string::npos) << "messages.txt:" << each.line;
    told.push_back(result.output);
    codes.insert(result.code);
  }
  EXPECT_EQ(codes, (std::set<int>{0, 1, 2, 3, 4}));
  listen_to_library(path / "pendulum.toml", told);
  const std::vector<SourceMessage> messages = all_messages();
  EXPECT_GT(messages.size(), 100U);
  EXPECT_EQ(untold(messages, told), "");
}

}  // namespace
}  // namespace tandem::cli_tests
