// tandem compare as a user meets it.
#include "cli/program.hpp"

namespace tandem::cli_tests {
namespace {

using CompareCommand = Folder;

TEST_F(CompareCommand, AgreesInJson) {
  const auto json = json_here("compare two-body --step 0.02 --duration 1");
  EXPECT_EQ(json.at("verdict"), "agree");
  EXPECT_EQ(json.at("sentence"), "agree to 1.0e-09");
  EXPECT_FALSE(json.contains("cause"));
  EXPECT_EQ(json.at("tolerance"), 1e-9);
  EXPECT_GT(json.at("step").get<double>(), 0.0);
  EXPECT_EQ(json.at("duration"), 1);
  for (const char* name : {"cut", "quaternion", "euler312", "herk", "energy", "residuals", "impulses", "rows"}) {
    const auto& checks = json.at("checks");
    const auto found =
        std::find_if(checks.begin(), checks.end(), [&](const auto& check) { return check.at("name") == name; });
    ASSERT_NE(found, checks.end()) << name;
    EXPECT_TRUE(found->at("passed")) << *found;
    EXPECT_FALSE(found->at("detail").get<std::string>().empty());
  }
  ASSERT_EQ(json.at("methods").size(), 5U);
  for (const auto& method : json.at("methods")) {
    EXPECT_TRUE(method.at("agrees")) << method;
    for (const char* key : {"max_difference", "energy_drift", "constraint_drift", "steps_per_second"})
      EXPECT_GE(method.at(key).get<double>(), 0.0) << key;
    const bool impulses = method.at("name") == "impulses";
    EXPECT_NEAR(method.at("order").get<double>(), impulses ? 1.0 : 4.0, 0.3) << method;
    EXPECT_LE(method.at("max_difference").get<double>(), impulses ? 1e-4 : 1e-11) << method;
  }
}

TEST_F(CompareCommand, TableHasAVerdictAndChecks) {
  const Result result = here("compare two-body --duration 0.2");
  EXPECT_EQ(result.code, 0);
  for (const char* words : {"two-body: agree", "agree to 1.0e-09", "udwadia_kalaba", "steps/s", "ok    rows"})
    EXPECT_TRUE(says(result, words));
}

std::string with_cord(const std::string& keys) {
  return "format = 1\n[[body]]\nname = \"bob\"\nmass = 1\npoint_mass = true\nposition = [1, 0, 0]\n[[constraint]]\n"
         "name = \"cord\"\nbodies = [\"world\", \"bob\"]\npoints = [[0, 0, 0], [1, 0, 0]]\n" +
         keys + "[simulation]\nstep = 0.01\nduration = 0.5\n";
}

TEST_F(CompareCommand, ASoftConstraintDiffersWithASentence) {
  write("soft.toml", with_cord("type = \"distance\"\nsoft = { frequency = 3, damping_ratio = 0.3 }\n"));
  const auto json = json_here("compare soft.toml", 1);
  EXPECT_EQ(json.at("verdict"), "differ");
  EXPECT_EQ(json.at("cause"), "soft");
  const Result result = here("compare soft.toml");
  EXPECT_EQ(result.code, 1);
  EXPECT_TRUE(says(result, "soft: differ"));
  EXPECT_TRUE(says(result, "in body \"bob\""));
  EXPECT_TRUE(says(result, "because constraint \"cord\" is soft: it gives way in impulses"));
  EXPECT_TRUE(says(result, "FAIL  impulses"));
  // The same, held exactly.
  write("hard.toml", with_cord("type = \"distance\"\n"));
  EXPECT_EQ(json_here("compare hard.toml").at("verdict"), "agree");
}

TEST_F(CompareCommand, ARopeHasNothingToBeComparedWith) {
  write("rope.toml", with_cord("type = \"rope\"\n"));
  const Result result = here("compare rope.toml");
  EXPECT_EQ(result.code, 1);
  EXPECT_TRUE(says(result, "nothing to compare with, because constraint \"cord\": a rope is one-sided"));
  EXPECT_EQ(json_here("compare rope.toml", 1).at("cause"), "refused");
}

TEST_F(CompareCommand, OnlySomeMethods) {
  const auto json = json_here("compare two-body --duration 0.1 --methods lagrange,null_space --tolerance 1e-8");
  ASSERT_EQ(json.at("methods").size(), 2U);
  EXPECT_EQ(json.at("methods")[1].at("name"), "null_space");
  EXPECT_EQ(json.at("tolerance"), 1e-8);
  EXPECT_EQ(json_here("compare --methods lagrange two-body --duration 0.1").at("methods").size(), 1U);
}

// The duration of the swimmer, 2 pi, is no multiple of its step: the last step must not spoil the extrapolation.
TEST_F(CompareCommand, ADurationBetweenStepsIsDividedEvenly) {
  const auto json = json_here("compare swimmer --duration 0.125");
  EXPECT_EQ(json.at("verdict"), "agree") << json.at("sentence");
}

// Euler angles pass near their singularity here: they need a shorter step, and get it.
TEST_F(CompareCommand, EulerAnglesNearTheirSingularityGetAShorterStep) {
  const auto json = json_here("compare two-body --duration 4 --methods lagrange");
  EXPECT_EQ(json.at("verdict"), "agree") << json.at("sentence");
}

TEST_F(CompareCommand, WrongWordsAreUsageErrors) {
  for (const auto& [arguments, words] :
       std::vector<std::pair<std::string, std::string>>{{"--methods lagrang", "did you mean \"lagrange\""},
                                                        {"--tolerance 2", "--tolerance must be between"},
                                                        {"--step -1", "--step and --duration must be positive"},
                                                        {"--step 1e-15", "a run has at most 1e+12"}}) {
    const Result result = here("compare bicycle " + arguments);
    EXPECT_EQ(result.code, 2) << arguments;
    EXPECT_TRUE(says(result, words)) << arguments;
  }
  EXPECT_EQ(here("compare nowhere.toml").code, 4);
}

}  // namespace
}  // namespace tandem::cli_tests
