// Runs that are killed, continued and stopped: the files must not show it.
#include <fmt/format.h>

#include <random>

#include "cli/program.hpp"
#include "support/how_long.hpp"
#include "tandem/io/results/results.hpp"

namespace tandem::cli_tests {
namespace {

using Clock = std::chrono::steady_clock;

void pause(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

struct Plan {
  const char* name;
  const char* arguments;
  double duration;  // a run of some tenths of a second
  const char* extension;
  int kills;
};

class Killed : public Folder, public ::testing::WithParamInterface<Plan> {
 protected:
  // One run, killed `kills` times at random moments and continued. Returns how often it was killed indeed.
  int kill_and_resume(int kills, double seconds, std::mt19937& random) const {
    const std::string out = file(std::string("out") + GetParam().extension);
    std::uniform_real_distribution<double> moment(0.0, seconds);
    int killed = 0;
    while (killed < kills && !fs::exists(out)) {
      const bool can_resume = fs::exists(out + ".checkpoint") && fs::exists(out + ".part");
      Process process(arguments(out) + (can_resume ? " --resume" : ""), file("killed.json"));
      pause(moment(random));
      process.send(SIGKILL);
      const int code = process.wait();
      EXPECT_TRUE(code == 128 + SIGKILL || code == 0) << code;  // it may have been quicker
      if (code == 128 + SIGKILL) ++killed;
    }
    return killed;
  }
  std::string arguments(const std::string& out) const {
    return fmt::format("run {} --duration {} --flush-every 0.01 --json --out {}", GetParam().arguments,
                       GetParam().duration * test::how_many(0.1, 1.0, 1.0), out);
  }
};

// Each time the final file must be that of a run without a break, and so must the summary.
TEST_P(Killed, AndResumedGivesTheSameBytes) {
  const std::string extension = GetParam().extension, whole = file("whole" + extension), out = file("out" + extension);
  const Clock::time_point begin = Clock::now();
  auto summary = nlohmann::json::parse(tandem_program(arguments(whole)).output);
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  summary.erase("file");
  std::mt19937 random(static_cast<unsigned>(GetParam().kills));
  const int kills = test::how_many(2, GetParam().kills, GetParam().kills);
  int killed = 0, resumed = 0;
  for (int i = 0; i < 100 && (killed < kills || resumed == 0); ++i) {  // it may be killed before it left anything
    killed += kill_and_resume(1 + i % 3, 0.8 * seconds, random);
    const bool killed_at_the_end = fs::exists(out);  // when the file had its name: then it need not have tidied up
    if (!killed_at_the_end) {
      const bool can_resume = fs::exists(out + ".checkpoint");
      resumed += can_resume ? 1 : 0;
      const Result rest = tandem_program(arguments(out) + (can_resume ? " --resume" : ""));
      ASSERT_EQ(rest.code, 0) << rest.output;
      auto json = nlohmann::json::parse(rest.output);
      json.erase("file");
      EXPECT_EQ(json, summary);
    }
    if (extension == ".csv")
      ASSERT_TRUE(text("out.csv") == text("whole.csv")) << "after " << killed << " kills";
    else
      ASSERT_EQ(shell(fmt::format("h5diff {} {} 2>&1", whole, out)).code, 0) << "after " << killed << " kills";
    for (const char* ending : {".part", ".checkpoint", ".checkpoint.part"})
      EXPECT_EQ(fs::remove(out + ending) && !killed_at_the_end, false) << ending;
    fs::remove(out);
  }
  EXPECT_GE(killed, kills);
  EXPECT_GT(resumed, 0) << "no run left a checkpoint";
}

INSTANTIATE_TEST_SUITE_P(
    Runs, Killed,
    ::testing::Values(Plan{"rk4", "bicycle --step 0.001 --every 10", 3.0, ".csv", 7},
                      Plan{"dop853", "bicycle --integrator dop853 --tolerance 1e-10 --every 0.05s", 12.0, ".csv", 7},
                      Plan{"impulses", "bicycle --method impulses --step 0.002", 3.0, ".csv", 6},
                      Plan{"null_space_dopri5", "bicycle --method null_space --integrator dopri5", 4.0, ".csv", 4},
                      Plan{"rk4_h5", "bicycle --step 0.001 --every 2", 2.0, ".h5", 4}),
    [](const auto& each) { return std::string(each.param.name); });

class Resumed : public Folder {
 protected:
  // Leaves out.csv.part and out.csv.checkpoint behind.
  void leave_killed_run() const {
    Process process("run bicycle --step 0.001 --duration 500 --every 100 --flush-every 0.01 --out " + file("out.csv"),
                    "/dev/null");
    for (int i = 0; i < 1000 && !exists("out.csv.checkpoint"); ++i) pause(0.01);
    process.send(SIGKILL);
    process.wait();
    ASSERT_TRUE(exists("out.csv.checkpoint"));
  }
};

TEST_F(Resumed, WithOtherSettingsIsRefusedByName) {
  leave_killed_run();
  const std::string before = text("out.csv.part"),
                    same = "run bicycle --step 0.001 --duration 500 --every 100 --resume --out out.csv ";
  for (const auto& [other, words] : std::vector<std::pair<std::string, std::string>>{
           {"--method null_space", "\"method\" is \"null_space\", and was \"articulated\""},
           {"--integrator herk", "\"integrator\" is \"herk\", and was \"rk4\""},
           {"--stabilise none", "\"stabilisation\" is \"none\", and was \"projection\""},
           {"--coordinates quaternion", "\"method\" is \"lagrange\", and was \"articulated\""},
           {"--set v=5", "\"parameter v\" is \"5\", and was"},
           {"--assemble", "\"assemble\" is new"}}) {
    const Result result = here(same + other);
    EXPECT_EQ(result.code, 4) << other;
    EXPECT_TRUE(says(result, "cannot resume \"out.csv\": ")) << other;
    EXPECT_TRUE(says(result, words)) << other;
  }
  const Result longer = here("run bicycle --step 0.001 --duration 600 --every 100 --resume --out out.csv");
  EXPECT_TRUE(says(longer, "\"duration\" is \"600\", and was \"500\""));
  EXPECT_EQ(text("out.csv.part"), before);
  const Result anew = here("run bicycle --duration 0.1 --out out.csv");
  EXPECT_EQ(anew.code, 4);
  EXPECT_TRUE(says(anew, "continue it with --resume, or begin anew with --force"));
  EXPECT_EQ(here("run bicycle --duration 0.1 --out out.csv --force").code, 0);
  EXPECT_EQ(entries(), 1U);
}

TEST_F(Resumed, WithNothingThereIsToldSo) {
  EXPECT_TRUE(says(here("run chain --duration 0.1 --resume"), "--resume needs --out"));
  const Result nothing = here("run chain --duration 0.1 --resume --out new.csv");
  EXPECT_EQ(nothing.code, 4);
  EXPECT_TRUE(says(nothing, "cannot resume \"new.csv\": there is no"));
  EXPECT_TRUE(says(nothing, "begin without --resume"));
  EXPECT_EQ(entries(), 0U);
  ASSERT_EQ(here("run chain --duration 0.1 --out new.csv").code, 0);
  EXPECT_TRUE(says(here("run chain --duration 0.1 --resume --out new.csv"), "that run has ended"));
}

class Interrupted : public Folder, public ::testing::WithParamInterface<const char*> {};

TEST_P(Interrupted, LeavesAValidFile) {
  const std::string out = file(std::string("out") + GetParam());
  Process process("run bicycle --step 0.001 --duration 5000 --every 7 --json --flush-every 0.05 --out " + out,
                  file("out.json"));
  for (int i = 0; i < 1000 && !fs::exists(out + ".checkpoint"); ++i) pause(0.01);
  const Clock::time_point begin = Clock::now();
  process.send(SIGINT);
  EXPECT_EQ(process.wait(), 130);
  EXPECT_LT(std::chrono::duration<double>(Clock::now() - begin).count(), 5.0);
  const auto json = nlohmann::json::parse(text("out.json"), nullptr, false);
  EXPECT_EQ(json.at("status"), "interrupted");
  EXPECT_EQ(json.at("reason"), "by ^C");
  const ResultTable table = read_results(out);
  ASSERT_GT(table.rows(), 2U);
  EXPECT_EQ(table.values.size(), table.rows() * table.columns.size());
  EXPECT_EQ(table.value(table.rows() - 1, 0), json.at("time").get<double>());  // the last state is the last row
  EXPECT_EQ(entries(), 2U);
  if (std::string(GetParam()) == ".h5") {
    EXPECT_EQ(table.attribute("status"), "interrupted");
  } else {
    EXPECT_EQ(text("out.csv").back(), '\n');
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, Interrupted, ::testing::Values(".csv", ".h5"),
                         [](const auto& each) { return std::string(each.param).substr(1); });

TEST_F(Folder, AKindKillStopsARunToo) {
  Process process("run bicycle --step 0.001 --duration 5000 --flush-every 0.05 --out " + file("out.csv"), "/dev/null");
  for (int i = 0; i < 1000 && !exists("out.csv.checkpoint"); ++i) pause(0.01);
  process.send(SIGTERM);
  EXPECT_EQ(process.wait(), 128 + SIGTERM);
  EXPECT_GT(read_results(file("out.csv")).rows(), 2U);
}

}  // namespace
}  // namespace tandem::cli_tests
