// With --json standard output holds one JSON value, however a command ends: docs/json.md. What failures look like is
// docs/failure.schema.json.
#include <map>

#include "cli/message_cases.hpp"
#include "support/sanitized.hpp"
#include "support/schema.hpp"

namespace tandem::cli_tests {
namespace {

using Json = nlohmann::json;

const Json& failure_schema() {
  static const Json all = Json::parse(std::ifstream(TANDEM_SOURCE_DIR "/docs/failure.schema.json"));
  return all;
}

int code_of_kind(const std::string& id) {
  const std::map<std::string, int> codes{{"model", 1},     {"differ", 1}, {"usage", 2}, {"numerical", 3},
                                         {"untrusted", 3}, {"memory", 3}, {"file", 4}};
  return codes.at(id);
}

// What a failed command printed, held against the schema.
Json error_of(const std::string& output, int code) {
  const Json json = Json::parse(output, nullptr, false);
  EXPECT_EQ(violation(failure_schema(), json), "") << output;
  if (!json.is_object() || !json.contains("error")) return Json::object();
  EXPECT_EQ(json["error"].at("exit_code"), code);
  EXPECT_FALSE(json["error"].at("message").get<std::string>().empty());
  EXPECT_FALSE(json["error"].at("faults").empty());
  return json["error"];
}

class EveryEnd : public MessageFolder {
 protected:
  void SetUp() override {
    MessageFolder::SetUp();
    make_message_files();
  }
  // `tandem` in the command stands for the program with --json.
  Result asked(const std::string& command) const {
    return shell("cd " + path.string() + " && tandem() { " + program() + "\"$@\" --json; }; { " + command +
                 " ; } 2>/dev/null");
  }
};

// Every command line that is known to be answered with a message.
TEST_F(EveryEnd, OfAKnownMessageIsOneValue) {
  std::map<std::string, int> kinds;
  int failures = 0;
  for (const MessageCase& each : message_cases()) {
    if (test::sanitized && each.command.find("ulimit -v") != std::string::npos) continue;
    const Result result = asked(each.command);
    const std::string where = "messages.txt:" + std::to_string(each.line) + ": " + each.command;
    EXPECT_EQ(result.code, each.code) << where;
    const bool is_lost = each.command.find("/dev/full") != std::string::npos;
    const bool is_twice = each.command.find("tandem check \"$odd.toml\"; ") != std::string::npos;
    if (is_lost || is_twice) continue;
    if (each.code == 0) {
      EXPECT_FALSE(Json::parse(result.output, nullptr, false).is_discarded()) << where << "\n" << result.output;
      continue;
    }
    ++failures;
    const Json error = error_of(result.output, each.code);
    ASSERT_FALSE(error.empty()) << where << "\n" << result.output;
    const std::string id = error.at("id");
    EXPECT_EQ(code_of_kind(id), each.code) << where;
    ++kinds[id];
  }
  EXPECT_GT(failures, 100);
  for (const char* id : {"model", "usage", "numerical", "untrusted", "memory", "file"})
    EXPECT_TRUE(kinds.contains(id) || (test::sanitized && id == std::string("memory"))) << id;
}

// Every command, for every kind of trouble that it can have.
TEST_F(EveryEnd, OfEveryCommandIsOneValue) {
  const std::vector<std::string> commands{"check",  "assemble",  "evaluate", "run",     "compare",
                                          "steady", "linearize", "view",     "methods", "convert"};
  for (const std::string& command : commands) {
    const auto ends = [&](const std::string& rest, int code, const std::string& id) {
      const Result result = asked("tandem " + command + " " + rest);
      EXPECT_EQ(result.code, code) << command << " " << rest;
      EXPECT_EQ(error_of(result.output, code).value("id", ""), id) << command << " " << rest << "\n" << result.output;
    };
    ends("wrong.toml", 1, "model");
    ends("bicycle --no-such-option", 2, "usage");
    ends("bicycle too many", 2, "usage");
    ends("bicycle --set", 2, "usage");
    ends("bicycle --set v=fast --model bicycle", 2, "usage");
    ends("no-such-file.toml", 4, "file");
    ends(".", 4, "file");
    if (command != "methods" && command != "convert") ends("bicycle --limit bodies=1", 1, "model");
    const Json help = Json::parse(asked("tandem " + command + " --help").output, nullptr, false);
    EXPECT_NE(help.value("help", "").find("Examples:"), std::string::npos) << command;
  }
  for (const char* command : {"evaluate", "run", "compare"}) {
    const Result result = asked(std::string("tandem ") + command + " far.toml");
    EXPECT_EQ(result.code, 1) << command;
    EXPECT_EQ(error_of(result.output, 1).at("faults")[0].at("line"), 6) << command;
  }
}

TEST_F(EveryEnd, OfFilesThatCannotBeWrittenIsOneValue) {
  fs::create_directory(path / "closed.html");
  write("taken.html", "mine");
  for (const char* command :
       {"run chain --duration 0.1 --out nowhere/a.csv", "run chain --duration 0.1 --out /dev/full",
        "run chain --duration 0.1 --report closed.html", "run chain --duration 0.1 --report taken.html",
        "compare chain --duration 0.01 --report nowhere/a.html", "linearize bicycle --out nowhere/a.csv",
        "linearize bicycle --report closed.html", "view chain --out nowhere/a.html", "view chain --out /dev/full",
        "convert chain --out nowhere/a.toml", "convert chain --out taken.toml", "view none.csv", "view none.h5"}) {
    const Result result = asked(std::string("tandem ") + command);
    EXPECT_EQ(result.code, 4) << command;
    const Json error = error_of(result.output, 4);
    EXPECT_EQ(error.value("id", ""), "file") << command;
    EXPECT_TRUE(error.at("faults")[0].at("file").is_string()) << command;
  }
  for (const char* command : {"run chain --out", "run chain --report", "view chain --out", "compare chain --report",
                              "linearize bicycle --out", "convert chain --out"}) {
    const Result result = asked(std::string("tandem ") + command + " /dev/stdout");
    EXPECT_EQ(result.code, 2) << command;
    EXPECT_EQ(error_of(result.output, 2).at("id"), "usage") << command;
  }
}

TEST_F(EveryEnd, FaultsHaveTheirPlaceAndObject) {
  write(
      "bad.toml",
      "format = 1\n[[body]]\nname = \"a\"\nmass = -1\n[[body]]\nname = \"b\"\nmass = 1\npoint_mass = true\nmas = 2\n");
  const Json error = error_of(asked("tandem check bad.toml").output, 1);
  ASSERT_EQ(error.at("faults").size(), 2U) << error.dump(2);
  const Json& negative = error["faults"][0];
  EXPECT_EQ(negative.at("severity"), "error");
  EXPECT_EQ(negative.at("file"), "bad.toml");
  EXPECT_EQ(negative.at("line"), 4);
  EXPECT_EQ(negative.at("column"), 8);
  EXPECT_EQ(negative.at("object"), "body \"a\"");
  EXPECT_EQ(error["faults"][1].at("line"), 9);
  const Json option = error_of(asked("tandem run bicycle --step 0").output, 2);
  EXPECT_EQ(option.at("faults")[0].at("object"), "--step");
  EXPECT_EQ(option.at("faults")[0].at("file"), nullptr);
  EXPECT_EQ(error_of(asked("tandem run bicycle --step").output, 2).at("faults")[0].at("object"), "--step");
  EXPECT_EQ(error_of(asked("tandem check none.toml").output, 4).at("faults")[0].at("file"), "none.toml");
}

// Where there is an answer, the failure goes with it.
TEST_F(EveryEnd, AFailureKeepsTheAnswer) {
  const Json failed = Json::parse(asked("tandem run gone.toml").output, nullptr, false);
  EXPECT_EQ(failed.at("status"), "failed");
  EXPECT_EQ(failed.at("error").at("id"), "numerical");
  const Json strict =
      Json::parse(asked("tandem run chain --set angle=1.5 --integrator euler --stabilise none --strict").output);
  EXPECT_EQ(strict.at("trust"), "not to be trusted");
  EXPECT_EQ(strict.at("error").at("id"), "untrusted");
  const Json unmet = Json::parse(asked("tandem assemble chain-that-cannot-close.toml").output, nullptr, false);
  EXPECT_EQ(unmet.at("assembled"), false);
  EXPECT_EQ(unmet.at("error").at("id"), "model");
  const Json differ = Json::parse(asked("tandem compare two-body --tolerance 1e-13").output, nullptr, false);
  EXPECT_EQ(differ.at("verdict"), "differ");
  EXPECT_EQ(differ.at("error").at("id"), "differ");
  EXPECT_EQ(differ.at("error").at("message"), differ.at("sentence"));
  EXPECT_FALSE(Json::parse(asked("tandem check bicycle").output).contains("error"));
}

TEST_F(EveryEnd, OtherCommandsAnswerToo) {
  EXPECT_EQ(error_of(asked("tandem").output, 2).at("message").get<std::string>().substr(0, 14), "name a command");
  EXPECT_EQ(error_of(asked("tandem chekc bicycle").output, 2).at("id"), "usage");
  EXPECT_EQ(error_of(asked("tandem examples none").output, 2).at("id"), "usage");
  EXPECT_EQ(error_of(asked("tandem bench none").output, 2).at("id"), "usage");
  EXPECT_TRUE(Json::parse(asked("tandem --version").output).at("version").is_string());
  EXPECT_EQ(Json::parse(asked("tandem examples chain").output).at("name"), "chain");
  EXPECT_TRUE(Json::parse(asked("tandem bench --list").output).is_array());
  EXPECT_EQ(Json::parse(asked("tandem convert chain --out chain.toml").output).at("file"), "chain.toml");
  EXPECT_EQ(Json::parse(asked("tandem convert chain").output).at("format"), 1);
  EXPECT_EQ(Json::parse(asked("tandem view chain").output).at("report"), "chain.html");
}

// What people read stays where it was, and a closed stream takes nothing from the other.
TEST_F(EveryEnd, StandardErrorStaysForPeople) {
  const Result people = shell("cd " + path.string() + " && " + program() + "check wrong.toml --json 2>&1 >/dev/null");
  EXPECT_TRUE(says(people, "wrong.toml:4:1: error: body \"a\": unknown key \"mas\""));
  for (const char* gone : {" 2>&-", " 2>/dev/full"}) {
    const Result result = shell("cd " + path.string() + " && " + program() + "check wrong.toml --json" + gone);
    EXPECT_EQ(result.code, 1) << gone;
    EXPECT_EQ(error_of(result.output, 1).at("id"), "model") << gone;
  }
  for (const char* gone : {" >&-", " >/dev/full"}) {  // nothing can be said there: the code is left
    EXPECT_EQ(shell("cd " + path.string() + " && " + program() + "check wrong.toml --json 2>/dev/null" + gone).code, 1);
    EXPECT_EQ(shell("cd " + path.string() + " && " + program() + "check bicycle --json 2>/dev/null" + gone).code, 4);
  }
}

// Until the process listens to the signal.
void wait_until_it_listens(pid_t id, int signal) {
  for (int i = 0; i < 1000; ++i) {
    std::ifstream status("/proc/" + std::to_string(id) + "/status");
    for (std::string line; std::getline(status, line);)
      if (line.starts_with("SigCgt:") && (std::stoull(line.substr(7), nullptr, 16) >> (signal - 1) & 1U) != 0) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  ADD_FAILURE() << "it never listened";
}

TEST_F(EveryEnd, BySignalIsOneValue) {
  for (const char* command : {"run bicycle --duration 1e6 --json", "linearize bicycle --sweep v=0:10:1000000 --json",
                              "compare bicycle --duration 1e5 --json", "bench --seconds 1000 --json"})
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
      const std::string out = file("out.json");
      Process process(command, out);
      wait_until_it_listens(process.id(), signal);
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      process.send(signal);
      EXPECT_EQ(process.wait(), 128 + signal) << command;
      EXPECT_EQ(error_of(text("out.json"), 128 + signal).value("id", ""), "interrupted") << command << " " << signal;
    }
  if (test::sanitized) return;  // a sanitizer has its own words for what follows
  Process process("compare bicycle --duration 1e5 --json", file("out.json"));
  wait_until_it_listens(process.id(), SIGSEGV);
  process.send(SIGSEGV);
  EXPECT_EQ(process.wait(), 128 + SIGSEGV);
  EXPECT_EQ(error_of(text("out.json"), 128 + SIGSEGV).value("id", ""), "internal");
}

}  // namespace
}  // namespace tandem::cli_tests
