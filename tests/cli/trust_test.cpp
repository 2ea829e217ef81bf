// What the program says of runs that finish and are wrong, and of runs that drift because they were asked to.
#include "program.hpp"
#include "tandem/io/results/results.hpp"

namespace tandem::cli_tests {

namespace {

class TrustInTheProgram : public Folder {
 protected:
  static std::string defect(const std::string& name) { return " " TANDEM_SOURCE_DIR "/tests/defects/" + name + " "; }
  static bool has_reason(const nlohmann::json& json, const std::string& trust, const std::string& kind) {
    for (const auto& reason : json.at("reasons"))
      if (reason.at("trust") == trust && reason.at("kind") == kind) return true;
    return false;
  }
};

TEST_F(TrustInTheProgram, ARunThatBlowsUpIsNotToBeTrusted) {
  for (const std::string& run :
       {"run" + defect("stiff.toml") + "--duration 0.1", "run" + defect("blow.toml") + "--duration 0.1"}) {
    const Result plain = here(run);
    EXPECT_EQ(plain.code, 0) << plain.output;
    EXPECT_TRUE(says(plain, "not to be trusted\n  the energy balance is off by"));
    const Result strict = here(run + " --strict");
    EXPECT_EQ(strict.code, 3) << strict.output;
    EXPECT_TRUE(says(strict, "tandem: not to be trusted: the energy balance is off by"));
    const auto json = json_here(run);
    EXPECT_EQ(json.at("status"), "finished");
    EXPECT_EQ(json.at("trust"), "not to be trusted");
    EXPECT_TRUE(has_reason(json, "not to be trusted", "energy_balance")) << json.at("reasons");
  }
}

// Where the numbers end there is nothing to finish.
TEST_F(TrustInTheProgram, ARunThatEndsInInfinityFails) {
  const Result run = here("run" + defect("blow.toml") + "--json");
  EXPECT_EQ(run.code, 3);
  EXPECT_TRUE(says(run, "\"status\": \"failed\""));
  EXPECT_TRUE(says(run, "\"trust\": \"not to be trusted\""));
  EXPECT_TRUE(says(run, "is not a finite number"));
}

TEST_F(TrustInTheProgram, AParallelogramSaysWhichBranchItIsOn) {
  const std::string run = "run" + defect("parallelogram.toml");
  const Result implicit = here(run + "--integrator implicit --cut loops --strict");
  EXPECT_EQ(implicit.code, 3);
  EXPECT_TRUE(says(implicit, "\nnot to be trusted\n"));
  const std::string jump = run + "--set e=1e-6 --step 0.03 --integrator implicit --duration 0.6 ";
  const auto jumped = json_here(jump);
  EXPECT_EQ(jumped.at("status"), "finished");
  EXPECT_EQ(jumped.at("trust"), "not to be trusted");
  EXPECT_TRUE(has_reason(jumped, "not to be trusted", "branch_left")) << jumped.at("reasons");
  EXPECT_EQ(here(jump + "--strict --quiet").code, 3);
  const auto straight = json_here(run + "--duration 2");
  EXPECT_EQ(straight.at("trust"), "look");
  EXPECT_TRUE(has_reason(straight, "look", "singular_pose")) << straight.at("reasons");
  EXPECT_NEAR(straight.at("events")[0].at("first").get<double>(), 0.5, 0.01);
  EXPECT_TRUE(says(here(run + "--duration 2 --strict"), "a singular pose was passed at t = 0.5"));
  EXPECT_EQ(here(run + "--duration 2 --strict --quiet").code, 0);  // a look is no refusal
}

// Nothing moves but the last bits of positions: that is no energy.
TEST_F(TrustInTheProgram, MachinesThatAreLockedAreTrusted) {
  for (const char* name : {"heap-overflow.toml", "segv.toml"}) {
    const Result run = here("run" + defect(name) + "--strict");
    EXPECT_EQ(run.code, 0) << run.output;
    EXPECT_TRUE(says(run, "  no energy moved\n"));
    EXPECT_TRUE(says(run, "\ntrusted\n"));
  }
}

TEST_F(TrustInTheProgram, DriftCanBeWatched) {
  const auto euler = json_here("run chain --set angle=1.5 --integrator euler --stabilise none");
  EXPECT_EQ(euler.at("status"), "finished");
  EXPECT_EQ(euler.at("trust"), "not to be trusted");
  EXPECT_TRUE(has_reason(euler, "not to be trusted", "position_residual")) << euler.at("reasons");
  EXPECT_GT(euler.at("residuals").at("position").get<double>(), 0.01);
  // Without its two terms Baumgarte is nothing, and goes as far.
  const auto free = json_here("run chain --set angle=1.5 --stabilise baumgarte --alpha 0 --beta 0 --duration 5");
  const auto none = json_here("run chain --set angle=1.5 --stabilise none --duration 5");
  EXPECT_NEAR(free.at("residuals").at("position").get<double>(), none.at("residuals").at("position").get<double>(),
              1e-3 * none.at("residuals").at("position").get<double>());
  EXPECT_EQ(none.at("trust"), free.at("trust"));
  // Rows are redundant here: where they have drifted apart they contradict each other.
  for (const char* method : {"articulated", "lagrange", "null_space", "udwadia_kalaba"}) {
    const std::string how = " --stabilise none --method " + std::string(method);
    EXPECT_EQ(json_here("run bricard --duration 3" + how).at("status"), "finished") << method;
    EXPECT_EQ(json_here("run" + defect("two-driven-cranks.toml") + how).at("status"), "finished") << method;
  }
  EXPECT_TRUE(
      says(here("run chain --alpha -1 --stabilise baumgarte"), "--alpha must be a number that is not negative"));
}

TEST_F(TrustInTheProgram, ResultFilesAndPagesHoldTheWord) {
  const std::string run = "run" + defect("parallelogram.toml") + "--duration 1 --quiet --out a.h5 --force ";
  ASSERT_EQ(here(run + "--report a.html").code, 0);
  const ResultTable table = read_results(file("a.h5"));
  EXPECT_EQ(table.attribute("trust").value_or(""), "look");
  EXPECT_NE(table.attribute("reasons").value_or("").find("look: a singular pose was passed at t = 0.5"),
            std::string::npos);
  if (!fs::exists(path / "a.html")) GTEST_SKIP() << "this build has no page";
  ASSERT_EQ(here("view a.h5 --out b.html").code, 0);
  for (const char* page : {"a.html", "b.html"}) {
    const std::string all = text(page);
    EXPECT_NE(all.find("\"trust\":\"look\""), std::string::npos) << page;
    EXPECT_NE(all.find("a singular pose was passed at t = 0.5"), std::string::npos) << page;
  }
  // A table of numbers has no place for the word, and its rows do not know of the branch that was left.
  ASSERT_EQ(here("run" + defect("parallelogram.toml") +
                 "--set e=1e-6 --step 0.03 --integrator implicit --duration 0.6 --quiet --out c.csv")
                .code,
            0);
  ASSERT_EQ(here("view c.csv --out c.html --model" + defect("parallelogram.toml") + "--set e=1e-6").code, 0);
  EXPECT_NE(text("c.html").find("\"trust\":\"look\""), std::string::npos);
  EXPECT_NE(text("c.html").find("these results do not contain the verdict of their run"), std::string::npos);
}

// Three links that fall from near the top: every digit is lost within some seconds. A machine that swings keeps them.
TEST_F(TrustInTheProgram, TheHorizonSaysHowLongDigitsLast) {
  const auto chain = json_here("run chain --set angle=3 --duration 20 --step 0.002 --horizon");
  const auto& horizon = chain.at("horizon");
  EXPECT_GT(horizon.at("log10_growth").get<double>(), 6.0);
  EXPECT_TRUE(horizon.at("lasts")[0].at("until").is_number());
  EXPECT_LT(horizon.at("lasts")[0].at("until").get<double>(), horizon.at("up_to").get<double>());
  EXPECT_EQ(horizon.at("up_to"), 20.0);
  const auto swing = json_here("run distance --duration 5 --horizon");
  EXPECT_GT(swing.at("horizon").at("digits_at_end").get<double>(), 12.0);
  EXPECT_TRUE(swing.at("horizon").at("lasts")[0].at("until").is_null());
  EXPECT_TRUE(says(here("run distance --duration 1 --horizon"), "of 15 digits last"));
  EXPECT_EQ(here("run distance --horizon --resume --out a.csv").code, 2);
  EXPECT_FALSE(json_here("run distance --duration 1").contains("horizon"));
}

}  // namespace

}  // namespace tandem::cli_tests
