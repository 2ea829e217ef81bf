// tandem run and its options: integrators, stabilisation, stops, starts, and what is refused.
#include <cmath>

#include "cli/program.hpp"
#include "tandem/io/results/results.hpp"

namespace tandem::cli_tests {
namespace {

using RunOptions = Folder;

TEST_F(RunOptions, EveryIntegratorRuns) {
  std::vector<double> leans;
  for (const char* integrator : {"rk4", "dopri5", "dop853", "herk", "implicit", "semi_implicit_euler", "euler"}) {
    const auto json = json_here(std::string("run bicycle --step 0.001 --duration 0.2 --integrator ") + integrator);
    EXPECT_EQ(json.at("status"), "finished") << integrator;
    EXPECT_EQ(json.at("integrator"), integrator);
    EXPECT_EQ(json.contains("tolerance"), std::string(integrator).rfind("dop", 0) == 0);
    leans.push_back(json.at("outputs").at("lean"));
    EXPECT_LE(json.at("residuals").at("position").get<double>(), 1e-12) << integrator;
  }
  for (std::size_t i = 1; i < leans.size(); ++i) EXPECT_NEAR(leans[i], leans[0], i < 5 ? 1e-8 : 1e-3) << i;
}

TEST_F(RunOptions, RowsOfAdaptiveIntegratorsAreWhereTheyWereAskedFor) {
  for (const auto& [every, interval] : std::vector<std::pair<std::string, double>>{{"0.03s", 0.03}, {"5", 0.05}}) {
    ASSERT_EQ(here("run bicycle --duration 0.2 --integrator dop853 --force --out a.csv --every " + every).code, 0);
    const ResultTable table = read_results(file("a.csv"));
    ASSERT_EQ(table.rows(), static_cast<std::size_t>(std::ceil(0.2 / interval - 1e-9)) + 1);
    for (std::size_t i = 0; i + 1 < table.rows(); ++i)
      EXPECT_NEAR(table.value(i, 0), interval * static_cast<double>(i), 1e-15);
    EXPECT_EQ(table.value(table.rows() - 1, 0), 0.2);
    // Rows between steps lie on the constraints as those at their ends do.
    for (std::size_t i = 0; i < table.rows(); ++i)
      EXPECT_LE(table.value(i, *table.find("acceleration_residual")), 1e-11);
  }
  const Result fixed = here("run bicycle --every 0.003s");
  EXPECT_EQ(fixed.code, 2);
  EXPECT_TRUE(says(fixed, "a multiple of the step"));
}

TEST_F(RunOptions, StabilisationsDiffer) {
  const auto residual = [&](const std::string& how) {
    return json_here("run chain --set angle=1.5 --step 0.005 --duration 1 --stabilise " + how)
        .at("residuals")
        .at("position")
        .get<double>();
  };
  EXPECT_LE(residual("projection"), 1e-12);
  EXPECT_LE(residual("plain_projection"), 1e-12);
  const double none = residual("none"), baumgarte = residual("baumgarte --time-constant 0.1");
  EXPECT_GT(none, 1e-9);
  EXPECT_LT(baumgarte, none);
  EXPECT_EQ(residual("baumgarte --alpha 20 --beta 100"), baumgarte);
  EXPECT_EQ(residual("baumgarte --alpha 20"), baumgarte);  // critical damping
}

TEST_F(RunOptions, ConstantsOfBaumgarteAreNamedAndSaidToBeChosen) {
  const std::string run = "run chain --set angle=1.5 --step 0.005 --duration 1 --stabilise baumgarte";
  const auto chosen = json_here(run).at("constants");
  EXPECT_TRUE(chosen.at("chosen").get<bool>());
  const double alpha = chosen.at("alpha").get<double>();
  EXPECT_NEAR(chosen.at("beta").get<double>(), alpha * alpha / 4.0, 1e-12 * alpha * alpha);
  EXPECT_TRUE(says(here(run), "(chosen)"));
  const auto given = json_here(run + " --alpha 10 --beta 25").at("constants");
  EXPECT_FALSE(given.at("chosen").get<bool>());
  EXPECT_EQ(given.at("alpha").get<double>(), 10.0);
  EXPECT_TRUE(says(here(run + " --alpha 10 --beta 25"), "baumgarte, alpha = 10, beta = 25\n"));
}

TEST_F(RunOptions, WrongWordsAreUsageErrorsWithSuggestions) {
  for (const auto& [arguments, words] : std::vector<std::pair<std::string, std::string>>{
           {"--integrator rk5", "there is no integrator \"rk5\""},
           {"--integrator dop583", "did you mean \"dop853\"?"},
           {"--stabilise bamgarte", "--stabilise \"bamgarte\": known are"},
           {"--stabilise bamgarte", "did you mean \"baumgarte\"?"},
           {"--method articulate", "did you mean \"articulated\"?"},
           {"--tolerance 2", "--tolerance must be between 1e-14 and 0.1"},
           {"--time-constant 1 --alpha 2", "not both"},
           {"--duration nan", "--duration must be a positive number"},
           {"--step 1e-300", "a run has at most 1e+12"},
           {"--every 0", "--every \"0\""},
           {"--substeps 0", "--substeps must be at least 1"},
           {"--flush-every -1", "--flush-every must be a number of seconds"}}) {
    const Result result = here("run bicycle " + arguments);
    EXPECT_EQ(result.code, 2) << arguments;
    EXPECT_TRUE(says(result, words)) << arguments;
  }
}

TEST_F(RunOptions, CombinationsThatCannotBeAreRefusedByName) {
  const Result impulses = here("run bicycle --method impulses --integrator rk4");
  EXPECT_EQ(impulses.code, 1);
  EXPECT_TRUE(says(impulses,
                   "the method impulses steps by semi_implicit_euler and has no accelerations for the "
                   "integrator rk4"));
  const Result herk = here("run bicycle --integrator herk --stabilise baumgarte");
  EXPECT_EQ(herk.code, 1);
  EXPECT_TRUE(says(herk, "use the stabilisation projection or none"));
}

TEST_F(RunOptions, WarningsGoToStandardError) {
  const std::string stiff = "run chain --stabilise baumgarte --alpha 2000 --beta 1e6 --step 0.01 --duration 0.02 ";
  EXPECT_TRUE(says(here(stiff), "tandem: warning: a step of 0.01 s is too long for Baumgarte's alpha = 2000"));
  EXPECT_FALSE(says(shell(program() + stiff + "2>/dev/null"), "warning"));
  EXPECT_TRUE(
      says(here("run chain --duration 0.01 --tolerance 1e-6"), "--tolerance does nothing: rk4 has a fixed step"));
  EXPECT_TRUE(says(here("run chain --duration 0.01 --alpha 5"), "take --stabilise baumgarte"));
  EXPECT_TRUE(says(here("run chain --duration 0.01 --iterations 5"), "take --method impulses"));
  EXPECT_FALSE(says(here("run chain --duration 0.01 --integrator dopri5 --tolerance 1e-6"), "warning"));
}

std::string pendulum(const std::string& more, const std::string& position = "1, 0, 0") {
  return "format = 1\n[[body]]\nname = \"bob\"\nmass = 2\npoint_mass = true\nposition = [" + position +
         "]\n[[constraint]]\nname = \"rod\"\ntype = \"distance\"\nbodies = [\"world\", \"bob\"]\n"
         "points = [[0, 0, 0], [" +
         position +
         "]]\nlength = 1\n[[output]]\nname = \"height\"\nquantity = \"position\"\nbody = \"bob\"\n"
         "component = \"z\"\n[simulation]\nstep = 0.01\nduration = 1\n" +
         more;
}

TEST_F(RunOptions, AStopEndsTheRunWithItsName) {
  write("fall.toml", pendulum("[[stop]]\nname = \"low\"\nwhen = \"height < -0.5\"\n"));
  for (const std::string how : {"", " --integrator dop853", " --integrator dopri5 --every 3", " --method impulses"}) {
    const auto json = json_here("run fall.toml --force --out a.csv" + how);
    EXPECT_EQ(json.at("status"), "stopped") << how;
    EXPECT_EQ(json.at("reason"), "low: height < -0.5") << how;
    EXPECT_NEAR(json.at("outputs").at("height").get<double>(), -0.5, how == " --method impulses" ? 1e-6 : 1e-9) << how;
    const ResultTable table = read_results(file("a.csv"));
    EXPECT_EQ(table.value(table.rows() - 1, 0), json.at("time").get<double>()) << how;
    for (std::size_t i = 1; i < table.rows(); ++i) EXPECT_GT(table.value(i, 0), table.value(i - 1, 0)) << how;
  }
  const Result result = here("run fall.toml");
  EXPECT_EQ(result.code, 0);
  EXPECT_TRUE(says(result, "stopped by low: height < -0.5"));
}

TEST_F(RunOptions, AStopThatHoldsAtTheStartWaits) {
  write("rest.toml", pendulum("[[stop]]\nname = \"rest\"\nwhen = \"largest_speed < 0.01\"\n"));
  EXPECT_EQ(json_here("run rest.toml").at("stops_waiting"), nlohmann::json({"rest"}));
  EXPECT_TRUE(says(here("run rest.toml"), "stop \"rest\" held at the start already"));
}

TEST_F(RunOptions, ZeroMomentumStartsWithoutAny) {
  const auto largest = [](const nlohmann::json& momentum) {
    double most = 0.0;
    for (const char* which : {"linear_start", "angular_start"})
      for (const double value : momentum.at(which)) most = std::max(most, std::abs(value));
    return most;
  };
  EXPECT_LE(largest(json_here("run swimmer --duration 0.1 --zero-momentum").at("momentum")), 1e-15);
  EXPECT_GE(largest(json_here("run two-body --duration 0.1").at("momentum")), 0.1);
  EXPECT_LE(largest(json_here("run two-body --duration 0.1 --zero-momentum").at("momentum")), 1e-15);
  const Result held = here("run bicycle --duration 0.1 --zero-momentum");
  EXPECT_EQ(held.code, 1);
  EXPECT_TRUE(says(held, "its momentum cannot be chosen"));
}

TEST_F(RunOptions, AFarStartIsRefusedUnlessItMayBeAssembled) {
  write("far.toml", pendulum("", "1.2, 0, 0"));
  const Result refused = here("run far.toml --out a.csv");
  EXPECT_EQ(refused.code, 1);
  for (const char* words :
       {"far.toml:7:1: error: the start does not meet its constraints: constraint \"rod\"", "is off by 0.2",
        "give the bodies a start that meets it",
        "--assemble would move it onto its constraints: body \"bob\" by 0.2 m (radians times", "tandem assemble"})
    EXPECT_TRUE(says(refused, words));
  EXPECT_FALSE(exists("a.csv.part"));
  const Result moved = here("run far.toml --assemble --out a.csv");
  EXPECT_EQ(moved.code, 0);
  EXPECT_TRUE(
      says(moved, "the start was moved by up to 0.2 m (body \"bob\"; radians times the size of the machine) to meet"));
  const auto json = json_here("run far.toml --assemble");
  EXPECT_NEAR(json.at("start").at("moved").get<double>(), 0.2, 1e-12);
  EXPECT_EQ(json.at("start").at("most_moved"), "bob");
}

TEST_F(RunOptions, StartTablesAreHeld) {
  ASSERT_EQ(shell(program() + "examples bicycle > " + file("bike.toml")).code, 0);
  write("held.toml", text("bike.toml") +
                         "\n[[start]]\nbody = \"frame\"\nquantity = \"lean\"\nvalue = 0.05\nrate = 0.3\n"
                         "[[start]]\njoint = \"steer\"\nvalue = -0.04\n");
  ASSERT_EQ(here("run held.toml --duration 0.05 --out a.csv").code, 0);
  const ResultTable table = read_results(file("a.csv"));
  EXPECT_NEAR(table.value(0, *table.find("lean")), 0.05, 1e-12);
  EXPECT_NEAR(table.value(0, *table.find("steer.angle")), -0.04, 1e-12);
  EXPECT_LE(table.value(0, *table.find("position_residual")), 1e-12);
  EXPECT_TRUE(says(here("run held.toml --duration 0.05"), "the start was moved by up to 0.05"));
}

TEST_F(RunOptions, TheTableTellsTheHealth) {
  const Result result = here("run bicycle --duration 0.1");
  for (const char* words :
       {"bicycle: 10 steps of 0.01 s by articulated (auto) and rk4, finished at t = 0.1 s", "balance error, largest",
        "of the energy that moved", "largest residual  before projection", "acceleration",
        "power of constraint forces [W]", "quaternion from unit length", "independent rows"})
    EXPECT_TRUE(says(result, words));
  EXPECT_TRUE(says(here("run chain --duration 0.1"), "no energy moved"));
  EXPECT_TRUE(says(here("run bicycle --duration 0.1 --integrator dop853"), "rejected) at tolerance 1e-09"));
}

TEST_F(RunOptions, AReactionThatIsNotUniqueIsMarked) {
  const std::string door = TANDEM_SOURCE_DIR "/tests/cli/degenerate/door-on-two-hinges.toml";
  const Result result = here("run " + door + " --duration 0.1");
  EXPECT_TRUE(says(result, "load *"));
  EXPECT_TRUE(says(result, "* redundant rows share the load: only the sum is determined"));
  EXPECT_EQ(json_of("run " + door + " --duration 0.1 --json")["not_unique"], (nlohmann::json{"load"}));
  EXPECT_EQ(json_of("run bicycle --duration 0.1 --json")["not_unique"], nlohmann::json::array());
}

}  // namespace
}  // namespace tandem::cli_tests
