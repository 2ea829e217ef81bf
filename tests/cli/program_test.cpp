// The program as a user meets it: commands, JSON, exit codes, files.
#include "cli/program.hpp"

#include <tuple>

namespace tandem::cli_tests {
namespace {

TEST(Program, CheckBicycleCounts) {
  const auto json = json_of("check bicycle --json");
  const std::vector<std::pair<const char*, int>> wanted{{"coordinates", 24}, {"holonomic", 17}, {"nonholonomic", 4},
                                                        {"redundant", 0},    {"driven", 0},     {"dof", 7},
                                                        {"mobility", 3}};
  for (const auto& [key, value] : wanted) EXPECT_EQ(json.at(key), value) << key;
}

TEST(Program, CheckFourBarNamesRedundantRows) {
  const auto json = json_of("check four-bar --json");
  EXPECT_EQ(json.at("redundant"), 3);
  EXPECT_EQ(json.at("dof"), 1);
  ASSERT_EQ(json.at("redundant_rows").size(), 3U);
  EXPECT_FALSE(json.at("redundant_rows")[0].at("depends_on").empty());
  EXPECT_EQ(json.at("loops").size(), 1U);
}

TEST(Program, EvaluateGivesAccelerationsAndReactions) {
  const auto json = json_of("evaluate bicycle --set v=0 --set lean_rate=0 --method lagrange --json");
  EXPECT_NEAR(json.at("constraints").at("rear_contact").at("force")[2], 612.84, 0.005);
  EXPECT_NEAR(json.at("constraints").at("front_contact").at("force")[2], 309.30, 0.005);
  EXPECT_EQ(json.at("bodies").at("frame").at("acceleration").size(), 3U);
  EXPECT_EQ(json.at("bodies").at("frame").at("angular_acceleration").size(), 3U);
  EXPECT_EQ(json.at("joints").at("steer").at("torque").size(), 3U);
  EXPECT_TRUE(json.at("joints").at("steer").at("coordinates").at("angle").contains("acceleration"));
  EXPECT_TRUE(json.at("energy").contains("total"));
}

TEST(Program, EveryExampleChecksAndEvaluates) {
  const auto list = json_of("examples --json");
  ASSERT_GE(list.size(), 10U);
  for (const auto& example : list) {
    const std::string name = example.at("name");
    EXPECT_TRUE(json_of("check " + name + " --json").contains("dof")) << name;
    EXPECT_TRUE(json_of("evaluate " + name + " --json").contains("bodies")) << name;
    EXPECT_EQ(json_of("run " + name + " --duration 0.1 --json").at("status"), "finished") << name;
  }
}

TEST(Program, MethodsTellWhoCanSolveAModel) {
  const auto all = json_of("methods --json");
  ASSERT_EQ(all.size(), 5U);
  for (const auto& method : json_of("methods bicycle --json")) EXPECT_TRUE(method.at("supported")) << method;
  for (const auto& method : all)
    EXPECT_NEAR(json_of("evaluate bicycle --json --method " + method.at("name").get<std::string>())
                    .at("constraints")
                    .at("rear_contact")
                    .at("force")[2]
                    .get<double>(),
                599.691, 1e-3);
}

TEST(Program, CutsAndCoordinatesGiveTheSameAccelerations) {
  const auto wanted = json_of("evaluate bicycle --json").at("bodies").at("fork").at("angular_acceleration");
  for (const char* how : {"--cut loops", "--coordinates quaternion", "--coordinates euler312",
                          "--method null_space --coordinates quaternion", "--method articulated --cut loops"}) {
    const auto given = json_of(std::string("evaluate bicycle --json ") + how);
    for (int k = 0; k < 3; ++k)
      EXPECT_NEAR(given.at("bodies").at("fork").at("angular_acceleration")[k].get<double>(), wanted[k].get<double>(),
                  1e-9)
          << how;
  }
  EXPECT_EQ(json_of("run swimmer --method articulated --duration 0.1 --json").at("coordinates"), "joints");
}

TEST(Program, RefusedCombinationsAreErrorsByName) {
  for (const auto& [arguments, code, words] : std::vector<std::tuple<std::string, int, std::string>>{
           {"evaluate bicycle --method articulated --cut all", 1, "articulated does not run on the cut \"all\""},
           {"evaluate bicycle --method impulses --cut loops", 1, "impulses does not run on the cut \"loops\""},
           {"evaluate bicycle --cut loops --coordinates quaternion", 1, "belong to the cut \"all\""},
           {"run bicycle --method impulses --coordinates euler312", 1, "does not run in euler312 coordinates"},
           {"evaluate bicycle --cut loop", 2, "did you mean \"loops\""},
           {"run bicycle --coordinates quaternions", 2, "did you mean \"quaternion\""}}) {
    const Result result = tandem_program(arguments + " 2>&1");
    EXPECT_EQ(result.code, code) << arguments;
    EXPECT_NE(result.output.find(words), std::string::npos) << arguments << "\n" << result.output;
  }
}

TEST(Program, ReactionsThatAreNotUniqueAreNamed) {
  const auto check = json_of("check four-bar --json");
  EXPECT_EQ(check.at("reactions_not_unique").size(), 4U);
  EXPECT_TRUE(json_of("check bicycle --json").at("reactions_not_unique").empty());
  const auto evaluated = json_of("evaluate four-bar --json");
  EXPECT_EQ(evaluated.at("redundant_rows").size(), 3U);
  for (const auto& joint : evaluated.at("joints")) EXPECT_FALSE(joint.at("unique"));
}

TEST_F(Folder, RopeIsSolvedByImpulsesAndRefusedByTheOthers) {
  const std::string model = write("rope.toml",
                                  "format = 1\n[[body]]\nname = \"ball\"\nmass = 2\npoint_mass = true\n"
                                  "position = [0, 0, -1]\n[[constraint]]\nname = \"tether\"\ntype = \"rope\"\n"
                                  "bodies = [\"world\", \"ball\"]\npoints = [[0, 0, 0], [0, 0, -1]]\n");
  for (const auto& method : json_of("methods " + model + " --json"))
    EXPECT_EQ(method.at("supported").get<bool>(), method.at("name") == "impulses") << method;
  const auto held = json_of("evaluate " + model + " --method impulses --json");
  EXPECT_NEAR(held.at("constraints").at("tether").at("force")[2].get<double>(), 19.62, 1e-9);
  const auto run = json_of("run " + model + " --method impulses --duration 0.2 --json");
  EXPECT_EQ(run.at("integrator"), "semi_implicit_euler");
  EXPECT_LE(run.at("impulses").at("largest_unsolved_part").get<double>(), 1e-9);
  EXPECT_EQ(tandem_program("run " + model + " 2>/dev/null").code, 1);
}

TEST(Program, HelpHasExamplesEverywhere) {
  for (const char* command :
       {"", "check", "assemble", "evaluate", "run", "compare", "steady", "linearize", "examples", "methods"}) {
    const Result result = tandem_program(std::string(command) + " --help");
    EXPECT_EQ(result.code, 0) << command;
    EXPECT_NE(result.output.find("Examples:"), std::string::npos) << command;
  }
  EXPECT_EQ(tandem_program("--version").code, 0);
}

TEST_F(Folder, ExitCodesAreThoseDocumented) {
  EXPECT_EQ(tandem_program("check bicycle > /dev/null").code, 0);
  EXPECT_EQ(tandem_program("check bicycle --set nothing=1 2>&1").code, 2);
  const Result fallen = here("run bicycle --set v=1 --duration 8");
  EXPECT_EQ(fallen.code, 3) << fallen.output;
  const Result too_long = here("run bicycle --step 1 --duration 2");
  EXPECT_EQ(too_long.code, 3);
  EXPECT_NE(too_long.output.find("use a smaller step"), std::string::npos) << too_long.output;
  const Result misspelt = tandem_program("chekc bicycle 2>&1");
  EXPECT_EQ(misspelt.code, 2);
  EXPECT_NE(misspelt.output.find("did you mean \"check\""), std::string::npos) << misspelt.output;
  EXPECT_EQ(tandem_program("2>&1").code, 2);
  EXPECT_EQ(tandem_program("check 2>&1").code, 2);
  EXPECT_EQ(tandem_program("evaluate bicycle --method lagrang 2>&1").code, 2);
  EXPECT_EQ(tandem_program("run bicycle --step -1 2>&1").code, 2);
  EXPECT_EQ(tandem_program("run bicycle --every 0.5 2>&1").code, 2);
  EXPECT_EQ(tandem_program("run bicycle --set v 2>&1").code, 2);
  EXPECT_EQ(tandem_program("check nowhere.toml 2>&1").code, 4);
  EXPECT_EQ(tandem_program("run chain --duration 0.01 --out /nowhere/at/all.csv 2>&1").code, 4);
}

TEST_F(Folder, CheckListsSomeOfManyNames) {
  std::string text = "format = 1\n";
  for (int i = 0; i < 100; ++i)
    text += "[[body]]\nname = \"p" + std::to_string(i) + "\"\nmass = 1\npoint_mass = true\n";
  const std::string model = write("many.toml", text);
  EXPECT_TRUE(says(tandem_program("check " + model), "p58, p59 and 40 more\n"));
  EXPECT_EQ(json_of("check " + model + " --json").at("free").size(), 100U);
}

TEST_F(Folder, BrokenModelExitsWithOneAndTellsThePlace) {
  const std::string model = write("bad.toml", "format = 1\n[[body]]\nname = \"a\"\nmas = 1\npoint_mass = true\n");
  const Result result = tandem_program("check " + model + " 2>&1");
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.output.find("bad.toml:4:1"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("did you mean \"mass\""), std::string::npos) << result.output;
}

TEST_F(Folder, NumericalFailureExitsWithThreeAndKeepsTheRows) {
  const std::string model =
      write("fail.toml",
            "format = 1\n[[body]]\nname = \"m\"\nmass = 1\npoint_mass = true\nposition = [0, 0, -1]\n"
            "[[constraint]]\nname = \"line\"\ntype = \"distance\"\nbodies = [\"world\", \"m\"]\n"
            "points = [[0, 0, 0], [0, 0, -1]]\nlength = \"1 - t\"\n"
            "[simulation]\nstep = 0.01\nduration = 2\n");
  const Result result = tandem_program("run " + model + " --out " + file("out.csv") + " 2>&1");
  EXPECT_EQ(result.code, 3) << result.output;
  EXPECT_NE(result.output.find("at t = "), std::string::npos) << result.output;
  EXPECT_GT(text("out.csv").size(), 1000U);
  EXPECT_EQ(text("out.csv").find("nan"), std::string::npos);
}

TEST_F(Folder, RunWritesRowsThatReadBackExactly) {
  const auto json = json_of("run bicycle --duration 0.5 --every 0.1s --out " + file("b.csv") + " --json");
  std::ifstream csv(file("b.csv"));
  std::string header, line, last;
  std::getline(csv, header);
  EXPECT_EQ(header.rfind("t [s],lean [rad],", 0), 0U) << header;
  int rows = 0;
  while (std::getline(csv, line)) {
    ++rows;
    last = line;
  }
  EXPECT_EQ(rows, 6);  // the start and five more
  std::stringstream cells(last);
  std::string t, lean;
  std::getline(cells, t, ',');
  std::getline(cells, lean, ',');
  EXPECT_EQ(std::stod(t), 0.5);
  EXPECT_EQ(std::stod(lean), json.at("outputs").at("lean").get<double>());
}

// Whatever the streams are, the program ends with the code that it has otherwise, and never by a signal.
TEST_F(Folder, ClosedAndFullStreamsEndNothing) {
  const std::string bad = write("bad.toml", "format = 1\n[[body]]\nname = \"a\"\nmass = -1\n");
  for (const char* gone : {" 2>&-", " 2>/dev/full"}) {
    EXPECT_EQ(shell(program() + "check " + bad + gone).code, 1) << gone;
    EXPECT_EQ(shell(program() + "check no-such-model" + gone).code, 4) << gone;
    EXPECT_EQ(shell(program() + "chekc" + gone).code, 2) << gone;
    EXPECT_EQ(shell(program() + "run chain --duration 0.1 --out " + file("out.csv") + " --force" + gone).code, 0);
    EXPECT_EQ(text("out.csv").find("tandem"), std::string::npos);  // no message went into its file
  }
  for (const char* gone : {" >/dev/full", " >&-"}) {
    EXPECT_EQ(shell("{ " + program() + "check bicycle" + gone + "; } 2>/dev/null").code, 4) << gone;
    EXPECT_EQ(shell("{ " + program() + "run bicycle --duration 0.01 --json" + gone + "; } 2>/dev/null").code, 4)
        << gone;
  }
  EXPECT_NE(shell("{ " + program() + "check bicycle >/dev/full; } 2>&1").output.find("cannot write to standard output"),
            std::string::npos);
}

TEST_F(Folder, QuietPrintsNothing) {
  EXPECT_EQ(tandem_program("run chain --duration 0.01 --quiet --out " + file("c.csv") + " 2>&1").output, "");
  EXPECT_TRUE(std::filesystem::exists(file("c.csv")));
}

TEST_F(Folder, AnExampleCanBeSavedAndUsedAsAFile) {
  ASSERT_EQ(tandem_program("examples four-bar > " + file("mine.toml")).code, 0);
  EXPECT_EQ(json_of("check " + file("mine.toml") + " --json").at("redundant"), 3);
}

}  // namespace
}  // namespace tandem::cli_tests
