// tandem run and its files: the same bytes, nothing lost by mistake, disks that fail, runs that fail.
#include "cli/program.hpp"
#include "tandem/io/results/results.hpp"

namespace tandem::cli_tests {
namespace {

using RunFiles = Folder;

TEST_F(RunFiles, EqualRunsGiveEqualBytes) {
  for (const std::string how : {"--method lagrange", "--integrator dop853 --every 0.013s", "--method impulses",
                                "--method udwadia_kalaba", "--method articulated --integrator dopri5"}) {
    const std::string run = "run bicycle --duration 0.5 --force --quiet " + how;
    ASSERT_EQ(here(run + " --out a.csv").code, 0) << how;
    ASSERT_EQ(shell("cd " + path.string() + " && OMP_NUM_THREADS=4 " + program() + run + " --out b.csv").code, 0)
        << how;
    EXPECT_TRUE(text("a.csv") == text("b.csv")) << how;
    EXPECT_GT(text("a.csv").size(), 10000U);
    ASSERT_EQ(here(run + " --out a.h5").code, 0) << how;
    ASSERT_EQ(here(run + " --out b.h5").code, 0) << how;
    EXPECT_EQ(shell("h5diff " + file("a.h5") + " " + file("b.h5") + " 2>&1").code, 0) << how;
    EXPECT_EQ(read_results(file("a.h5")).values, read_results(file("a.csv")).values) << how;
  }
}

TEST_F(RunFiles, HeaderHasUnitsAndH5KnowsTheSettings) {
  ASSERT_EQ(here("run bicycle --duration 0.05 --out a.h5 --integrator dopri5 --set v=5").code, 0);
  const ResultTable table = read_results(file("a.h5"));
  EXPECT_EQ(table.attribute("integrator"), "dopri5");
  EXPECT_EQ(table.attribute("parameter v"), "5");
  EXPECT_EQ(table.attribute("status"), "finished");
  EXPECT_TRUE(table.attribute("model_text")->find("[[body]]") != std::string::npos);
  ASSERT_EQ(here("run bicycle --duration 0.05 --out a.csv").code, 0);
  const std::string header = text("a.csv").substr(0, text("a.csv").find('\n'));
  for (const char* column :
       {"t [s],lean [rad],", ",frame.x [m],", ",frame.qw,", ",frame.wx [rad/s],", ",steer.angle [rad],",
        ",steer.angle_rate [rad/s],", ",kinetic_energy [J],", ",energy_balance [J],", ",momentum_x [kg m/s],",
        ",angular_momentum_z [kg m^2/s],", ",position_residual_before,", ",constraint_power [W],", ",rank,",
        ",rear_contact.normal_force [N]"})
    EXPECT_NE(header.find(column), std::string::npos) << column << "\n" << header;
}

TEST_F(RunFiles, AResultIsReplacedOnlyByForce) {
  ASSERT_EQ(here("run chain --duration 0.01 --out a.csv").code, 0);
  const std::string before = text("a.csv");
  const Result refused = here("run chain --duration 0.02 --out a.csv");
  EXPECT_EQ(refused.code, 4);
  EXPECT_TRUE(says(refused,
                   "cannot write \"a.csv\": it exists already; choose another name, or replace it with "
                   "--force"));
  EXPECT_EQ(text("a.csv"), before);
  EXPECT_EQ(here("run chain --duration 0.02 --out a.csv --force").code, 0);
  EXPECT_GT(text("a.csv").size(), before.size());
  EXPECT_EQ(entries(), 1U);
}

TEST_F(RunFiles, OtherExtensionsAreRefused) {
  const Result result = here("run chain --duration 0.01 --out a.cvs");
  EXPECT_EQ(result.code, 4);
  EXPECT_TRUE(says(result, "results are \".csv\", \".h5\" or \".hdf5\" files; did you mean \".csv\"?"));
  EXPECT_EQ(entries(), 0U);
}

TEST_F(RunFiles, TheModelIsNeverOverwritten) {
  ASSERT_EQ(shell(program() + "examples chain > " + file("chain.csv")).code, 0);
  const std::string before = text("chain.csv");
  const Result result = here("run chain.csv --duration 0.01 --out chain.csv --force");
  EXPECT_EQ(result.code, 4);
  EXPECT_TRUE(says(result, "it is the model file itself"));
  EXPECT_EQ(text("chain.csv"), before);
}

// ---- disks ----

class Disk : public Folder {
 protected:
  // Commands of the shell on a small disk at disk/, which nobody else sees; $TANDEM is the program.
  Result on_disk(const std::string& commands) const {
    write("commands", "set -e\nmount -t tmpfs -o size=200k none " + file("disk") + "\ncd " + file("disk") +
                          "\nTANDEM=" + program() + "\n" + commands);
    return shell("unshare -m sh " + file("commands") + " 2>&1");
  }
  void SetUp() override {
    Folder::SetUp();
    fs::create_directories(path / "disk");
    if (on_disk("true").code != 0) GTEST_SKIP() << "no right to mount a small disk";
  }
};

TEST_F(Disk, FullExitsWithFourAndEarlierResultsStay) {
  for (const std::string extension : {"csv", "h5"}) {
    const std::string out = "a." + extension;
    const Result result =
        on_disk("$TANDEM run bicycle --duration 0.05 --quiet --out " + out + "\ncp " + out + " " + file("before") +
                "\nset +e\n$TANDEM run bicycle --duration 20 --quiet --force --out " + out + "\necho exit $?\ncmp " +
                out + " " + file("before") + " && echo same; ls");
    EXPECT_TRUE(says(result, "cannot write \""));
    EXPECT_TRUE(says(result, out + ".part\": No space left on device") ||
                says(result, out + ".checkpoint.part\": No space left on device"))  // whichever comes to the end first
        << result.output;
    EXPECT_TRUE(says(result, "exit 4\nsame\n" + out + "\n")) << "and nothing else is left";
  }
}

TEST_F(Disk, ReadOnlyExitsWithFourAndEarlierResultsStay) {
  const Result result =
      on_disk("$TANDEM run chain --duration 0.01 --quiet --out a.csv\nmount -o remount,ro " + file("disk") +
              "\nset +e\n$TANDEM run chain --duration 0.02 --force --out a.csv\necho exit $?\nwc -l < a.csv");
  EXPECT_TRUE(says(result, "a.csv.part\": Read-only file system\nexit 4\n12\n"));
}

TEST_F(RunFiles, AFolderWithoutTheRightToWriteExitsWithFour) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write everywhere; see Disk.ReadOnly";
  fs::create_directories(path / "closed");
  fs::permissions(path / "closed", fs::perms::owner_read | fs::perms::owner_exec);
  const Result result = here("run chain --duration 0.01 --out closed/a.csv");
  EXPECT_EQ(result.code, 4);
  EXPECT_TRUE(says(result, "closed/a.csv.part\": Permission denied"));
  fs::permissions(path / "closed", fs::perms::owner_all);
}

TEST_F(RunFiles, DevicesAreWrittenStraight) {
  const Result full = here("run chain --duration 0.1 --quiet --out /dev/full");
  EXPECT_EQ(full.code, 4);
  EXPECT_TRUE(says(full, "cannot write \"/dev/full\": No space left on device"));
  const Result out = here("run chain --duration 0.1 --every 50 --quiet --out /dev/stdout");
  EXPECT_EQ(out.code, 0);
  EXPECT_EQ(std::count(out.output.begin(), out.output.end(), '\n'), 4);
  EXPECT_EQ(entries(), 0U);
}

// ---- failures ----

TEST_F(RunFiles, AFailureNamesTimeObjectAndReasonAndKeepsTheLastGoodState) {
  const Result result = here("run chain --set angle=1.5 --step 0.3 --every 10 --out a.csv");
  EXPECT_EQ(result.code, 3);
  for (const char* words : {"failed at t = 0.6 s", "numerical failure at t = 0.6 s: ",
                            "a step of 0.3 s is too long here", "constraint \"link3\", length", "use a smaller step",
                            "the last good state is that of t = 0.6 s, it is kept in \"a.csv.last-good.json\""})
    EXPECT_TRUE(says(result, words));
  const auto state = nlohmann::json::parse(text("a.csv.last-good.json"));
  EXPECT_EQ(state.at("time"), 0.6);
  EXPECT_EQ(state.at("bodies").size(), 3U);
  const ResultTable table = read_results(file("a.csv"));
  ASSERT_EQ(table.rows(), 2U);  // the start, and the last good state, though it is not a tenth step
  EXPECT_EQ(table.value(1, 0), 0.6);
  EXPECT_EQ(table.value(1, *table.find("first.x")), state.at("bodies").at("first").at("position")[0].get<double>());
  for (const char* name : {"a.csv", "a.csv.last-good.json"})
    for (const char* word : {"nan", "inf", "null"}) EXPECT_EQ(text(name).find(word), std::string::npos) << name;
  EXPECT_EQ(entries(), 2U);
  // A good run in its place takes the state of the bad one away.
  EXPECT_EQ(here("run chain --set angle=1.5 --step 0.01 --duration 0.1 --out a.csv --force").code, 0);
  EXPECT_EQ(entries(), 1U);
}

TEST_F(RunFiles, AFailureIsToldToMachinesToo) {
  const auto json = json_here("run chain --set angle=1.5 --step 0.3", 3);
  EXPECT_EQ(json.at("status"), "failed");
  EXPECT_EQ(json.at("time"), 0.6);
  EXPECT_EQ(json.at("reason").get<std::string>().rfind("at t = 0.6 s: ", 0), 0U);
  EXPECT_EQ(entries(), 0U);  // nobody asked for a file
}

TEST_F(RunFiles, AFailureBeforeTheFirstRowIsOneToo) {
  const Result example = shell(program() + "examples chain");
  write("early.toml", example.output + "\n[[stop]]\nname = \"early\"\nwhen = \"1/t > 2\"\n");
  const auto json = json_here("run early.toml --duration 0.1 --out early.csv", 3);
  EXPECT_EQ(json.at("status"), "failed");
  EXPECT_EQ(json.at("steps"), 0);
  EXPECT_EQ(json.at("reason").get<std::string>().rfind("at t = 0 s: stop \"early\"", 0), 0U) << json;
  EXPECT_EQ(read_results(file("early.csv")).rows(), 0U);
  EXPECT_EQ(nlohmann::json::parse(text("early.csv.last-good.json")).at("time"), 0.0);
}

// An output that is not finite never enters a file, nor the summary of a run without one.
TEST_F(RunFiles, WhatIsNotFiniteEndsTheRun) {
  const std::string model = write("heavy.toml",
                                  "format = 1\ngravity = [0, 0, -1e200]\n[[body]]\nname = \"ball\"\nmass = 1\n"
                                  "point_mass = true\n[simulation]\nstep = 0.1\nduration = 1\n");
  for (const std::string out : {"", " --out heavy.csv"}) {
    const Result result = here("run heavy.toml" + out);
    EXPECT_EQ(result.code, 3) << result.output;
    EXPECT_TRUE(says(result, "kinetic energy is inf, which is not a finite number"));
    EXPECT_TRUE(says(result, "at t = "));
  }
  EXPECT_EQ(text("heavy.csv").find("inf"), std::string::npos);
  EXPECT_EQ(text("heavy.csv").find("nan"), std::string::npos);
}

}  // namespace
}  // namespace tandem::cli_tests
