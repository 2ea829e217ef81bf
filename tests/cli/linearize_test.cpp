// tandem linearize as a user meets it: numbers, files, pictures, sweeps, and what is refused.
#include <cmath>
#include <complex>
#include <map>

#include "cli/program.hpp"

namespace tandem::cli_tests {
namespace {

using LinearizeFolder = Folder;
using Json = nlohmann::json;

// The eigenvalues that Meijaard et al. publish for the bicycle at 5 m/s.
TEST(LinearizeCommand, BicycleHasThePublishedEigenvalues) {
  const Json json = json_of("linearize bicycle --set v=5 --json");
  const std::vector<std::complex<double>> published{{-0.322866429004087, 0.0},
                                                    {-0.775341882195845, 4.464867713788230},
                                                    {-0.775341882195845, -4.464867713788230},
                                                    {-14.078389692798220, 0.0}};
  for (const std::complex<double>& wanted : published) {
    double nearest = 1.0;
    for (const Json& pair : json.at("eigenvalues"))
      nearest = std::min(nearest, std::abs(std::complex<double>(pair[0], pair[1]) - wanted));
    EXPECT_LE(nearest, 1e-10) << wanted;
  }
}

TEST(LinearizeCommand, JsonHasAllThatWasFound) {
  const Json json = json_of("linearize bicycle --states lean,steer --inputs steer --outputs lean,front_load --json");
  EXPECT_EQ(json.at("about"), "steady");
  const std::vector<std::string> states = json.at("states");
  EXPECT_EQ(states, (std::vector<std::string>{"lean", "steer", "lean.rate", "steer.rate", "rear_hub.rate"}));
  EXPECT_EQ(json.at("state_units"), (Json{"rad", "rad", "rad/s", "rad/s", "rad/s"}));
  EXPECT_EQ(json.at("inputs"), Json::array({"steer"}));
  EXPECT_EQ(json.at("input_units"), Json::array({"N m"}));
  EXPECT_EQ(json.at("outputs"), (Json{"lean", "front_load"}));
  EXPECT_EQ(json.at("output_units"), (Json{"rad", "N"}));
  const auto size = [&](const char* key) { return std::pair(json.at(key).size(), json.at(key)[0].size()); };
  EXPECT_EQ(size("A"), std::pair(std::size_t{5}, std::size_t{5}));
  EXPECT_EQ(size("B"), std::pair(std::size_t{5}, std::size_t{1}));
  EXPECT_EQ(size("C"), std::pair(std::size_t{2}, std::size_t{5}));
  EXPECT_EQ(size("D"), std::pair(std::size_t{2}, std::size_t{1}));
  EXPECT_EQ(json.at("zeros").size(), 5U);
  EXPECT_EQ(json.at("eigenvalues").size(), 5U);
  for (const Json& pair : json.at("eigenvalues")) EXPECT_EQ(pair.size(), 2U);
  ASSERT_EQ(json.at("modes").size(), 5U);
  for (const Json& mode : json.at("modes")) {
    EXPECT_EQ(mode.at("shape").size(), 5U);
    EXPECT_EQ(mode.at("bodies").size(), 4U);
    EXPECT_EQ(mode.at("bodies").at("frame").at("turn").size(), 3U);
    EXPECT_EQ(mode.at("bodies").at("frame").at("shift")[0].size(), 2U);
    EXPECT_TRUE(mode.contains("frequency"));
    EXPECT_TRUE(mode.contains("damping_ratio"));
  }
  EXPECT_NEAR(json.at("second_order").at("M")[0][0].get<double>(), 80.81722, 1e-9);  // published
  EXPECT_EQ(json.at("steady").at("kind"), "steady motion");
}

TEST(LinearizeCommand, TableTellsEigenvaluesZerosAndMatrices) {
  const Result result = tandem_program("linearize bicycle");
  EXPECT_EQ(result.code, 0);
  for (const char* words : {"bicycle: about a steady motion", "eigenvalue [1/s]", "-0.377966 + 3.87284i",
                            "zeros by symmetry, divided out: ", "output \"yaw\" changes along a symmetry"})
    EXPECT_TRUE(says(result, words));
}

// The one neutral mode of the bicycle is its speed; a ratio of two zeros is none.
TEST(LinearizeCommand, NeutralModesHaveNoDampingRatio) {
  int none = 0;
  const Json json = json_of("linearize bicycle --json");
  for (const Json& mode : json.at("modes")) {
    const bool neutral = std::abs(std::complex<double>(mode.at("eigenvalue")[0], mode.at("eigenvalue")[1])) < 1e-6;
    EXPECT_EQ(mode.at("damping_ratio").is_null(), neutral);
    none += neutral ? 1 : 0;
  }
  EXPECT_EQ(none, 1);
}

TEST(LinearizeCommand, OutputsThatAllVanishAreToldFirst) {
  const std::string text = tandem_program("linearize bicycle --outputs yaw").output;
  EXPECT_LT(text.find("output \"yaw\" changes along a symmetry"), text.find("eigenvalue [1/s]"));
}

TEST(LinearizeCommand, MatricesOfSecondOrderHaveTheirOwnNames) {
  const Result result = tandem_program("linearize bicycle");
  for (const char* words : {"second order, M q'' + C q' + K q = Q:", "M, mass", "C, damping", "K, stiffness"})
    EXPECT_TRUE(says(result, words));
}

TEST(LinearizeCommand, AboutTheStartWhereNothingIsSteady) {
  const Result refused = tandem_program("linearize swimmer 2>&1");
  EXPECT_EQ(refused.code, 3);
  EXPECT_TRUE(says(refused, "numerical failure: there is no steady motion: a drive or a force changes with time"));
  EXPECT_TRUE(says(refused, "--about start"));
  const Json json = json_of("linearize swimmer --about start --json");
  EXPECT_EQ(json.at("about"), "start");
  EXPECT_GT(json.at("drift").get<double>(), 0.1);
  EXPECT_FALSE(json.contains("steady"));
  EXPECT_TRUE(says(tandem_program("linearize swimmer --about start"), "the start is not an equilibrium"));
}

TEST(LinearizeCommand, ParametersAreInputs) {
  const Json json = json_of("linearize bicycle --inputs v,g,rR --outputs hub_speed,rear_load,front_load --json");
  EXPECT_EQ(json.at("inputs"), (Json{"v", "g", "rR"}));
  EXPECT_EQ(json.at("input_units"), (Json{"m/s", "", ""}));
  for (const Json& row : json.at("B"))
    for (const Json& entry : row) EXPECT_NEAR(entry.get<double>(), 0.0, 1e-9);  // riding straight stays so
  EXPECT_NEAR(json.at("D")[0][2].get<double>(), 4.6 / 0.3, 1e-10);              // the rear wheel turns as before
  EXPECT_NEAR(json.at("D")[1][1].get<double>() + json.at("D")[2][1].get<double>(), 94.0, 1e-10);  // all masses
}

TEST(LinearizeCommand, SweepFindsThePublishedSpeeds) {
  // Weave speed and capsize speed: 4.29238253634111 and 6.02426201538837 m/s.
  for (const char* range : {"v=0:10:11", "v=10:0:11", "v=0:10:3"}) {
    const Json json = json_of(std::string("linearize bicycle --json --sweep ") + range);
    ASSERT_EQ(json.at("crossings").size(), 2U) << range;
    EXPECT_NEAR(json.at("crossings")[0].at("value").get<double>(), 4.29238253634111, 1e-10);
    EXPECT_NEAR(json.at("crossings")[1].at("value").get<double>(), 6.02426201538837, 1e-10);
    EXPECT_FALSE(json.at("crossings")[0].at("loses_stability")) << range;
    EXPECT_TRUE(json.at("crossings")[1].at("loses_stability")) << range;
    EXPECT_NEAR(json.at("crossings")[0].at("frequency").get<double>(), 3.43503, 1e-4);
    ASSERT_EQ(json.at("stable").size(), 1U) << range;
    EXPECT_NEAR(json.at("stable")[0][0].get<double>(), 4.29238253634111, 1e-10);
  }
}

TEST(LinearizeCommand, SweepJsonFollowsEachMode) {
  const Json json = json_of("linearize bicycle --sweep v=4:8:5 --names capsize,weave,castering --json");
  EXPECT_EQ(json.at("parameter"), "v");
  EXPECT_EQ(json.at("values"), (Json{4.0, 5.0, 6.0, 7.0, 8.0}));
  ASSERT_EQ(json.at("modes").size(), 5U);
  std::map<std::string, int> count;
  for (const Json& mode : json.at("modes")) {
    ++count[mode.at("name")];
    ASSERT_EQ(mode.at("eigenvalues").size(), 5U);
    EXPECT_EQ(mode.at("eigenvalues")[0].size(), 2U);
  }
  EXPECT_EQ(count, (std::map<std::string, int>{{"capsize", 1}, {"weave", 2}, {"castering", 1}, {"neutral", 1}}));
  ASSERT_EQ(json.at("points").size(), 5U);
  for (const char* key : {"value", "eigenvalues", "states", "A", "modes"})
    EXPECT_TRUE(json.at("points")[2].contains(key)) << key;
}

// What a viewer needs to play a mode: where the bodies are.
void expect_pose(const Json& json) {
  ASSERT_EQ(json.at("pose").size(), json.at("modes")[0].at("bodies").size());
  for (const auto& [name, pose] : json.at("pose").items()) {
    EXPECT_TRUE(json.at("modes")[0].at("bodies").contains(name));
    EXPECT_EQ(pose.at("position").size(), 3U);
    EXPECT_EQ(pose.at("quaternion").size(), 4U);
  }
}

TEST(LinearizeCommand, JsonSaysWhereTheBodiesAre) {
  expect_pose(json_of("linearize swimmer --about start --json"));
  expect_pose(json_of("linearize bicycle --json"));
  const Json sweep = json_of("linearize bicycle --sweep v=4:5:2 --json");
  for (const Json& point : sweep.at("points")) expect_pose(point);
}

TEST(LinearizeCommand, PointsOfASweepHaveWhatOnePointHas) {
  const std::string ask = " --inputs steer,g --outputs lean,front_load --json";
  for (const char* about : {"", " --about start"}) {
    const Json sweep = json_of("linearize bicycle --sweep v=4:5:2" + ask + about);
    const Json one = json_of("linearize bicycle --set v=5" + ask + about), &last = sweep.at("points")[1];
    for (const char* key : {"states", "state_units", "inputs", "input_units", "outputs", "output_units"})
      EXPECT_EQ(last.at(key), one.at(key)) << key;
    for (const char* key : {"A", "B", "C", "D"}) {
      ASSERT_EQ(last.at(key).size(), one.at(key).size()) << key;
      for (std::size_t i = 0; i < one.at(key).size(); ++i)
        for (std::size_t k = 0; k < one.at(key)[i].size(); ++k)
          EXPECT_NEAR(last.at(key)[i][k].get<double>(), one.at(key)[i][k].get<double>(), 1e-9) << key;
    }
    EXPECT_TRUE(last.contains("zeros"));
  }
  EXPECT_FALSE(json_of("linearize bicycle --sweep v=4:5:2 --json").at("points")[0].contains("B"));
}

TEST(LinearizeCommand, ASweepThatChangesNothingSaysSo) {
  EXPECT_TRUE(says(tandem_program("linearize bicycle --sweep lean_rate=0:1:3"), "lean_rate changes none of the"));
  EXPECT_FALSE(says(tandem_program("linearize bicycle --sweep v=4:5:3"), "changes none of the eigenvalues"));
}

TEST_F(LinearizeFolder, ASweepOverTheSpeedOfADriveFindsTheBifurcation) {
  const std::string model =
      write("turning.toml",
            "format = 1\n[parameters]\nOmega = 3\n[[body]]\nname = \"post\"\nmass = 1\ninertia = [1, 1, 1]\n"
            "[[body]]\nname = \"bob\"\nmass = 0.3\ninertia = [0, 0, 0]\nposition = [0, 0, -0.5]\n"
            "[[joint]]\nname = \"axle\"\ntype = \"revolute\"\nbodies = [\"world\", \"post\"]\npoint = [0, 0, 0]\n"
            "axis = [0, 0, 1]\n[[joint]]\nname = \"hinge\"\ntype = \"revolute\"\nbodies = [\"post\", \"bob\"]\n"
            "point = [0, 0, 0]\naxis = [0, -1, 0]\n[[drive]]\njoint = \"axle\"\ntype = \"constant_speed\"\n"
            "speed = \"Omega\"\n");
  const Result down = here("linearize " + model + " --hold hinge=0 --sweep Omega=1:7:13");
  EXPECT_TRUE(says(down, "Omega = 4.42944691807: mode 1, mode 2 become unstable\n"));  // √(g/l)
  EXPECT_TRUE(says(down, "stable from 1 to 4.42944692"));
}

TEST(LinearizeCommand, WrongSweepsAreUsageErrors) {
  for (const auto& [text, words] :
       std::vector<std::pair<std::string, std::string>>{{"v", "there is no ="},
                                                        {"=0:10:5", "there is no name before ="},
                                                        {"v=", "there must be three numbers behind ="},
                                                        {"v=0:10", "there must be three numbers behind ="},
                                                        {"v=0:10:", "there must be three numbers behind ="},
                                                        {"v=0:10:5:1", "there must be three numbers behind ="},
                                                        {"v=0:10:1", "n must be a whole number from 2 to 1000000"},
                                                        {"v=0:10:2.5", "n must be a whole number"},
                                                        {"v=0:10:-3", "n must be a whole number"},
                                                        {"v=5:5:3", "from and to are the same"}}) {
    const Result result = tandem_program("linearize bicycle --sweep \"" + text + "\" 2>&1");
    EXPECT_EQ(result.code, 2) << text;
    EXPECT_TRUE(says(result, words)) << text;
    EXPECT_TRUE(says(result, "--sweep v=0:10:101")) << "an example helps";
  }
  for (const auto& [text, words] : std::vector<std::pair<std::string, std::string>>{
           {"v=slow:10:5", "--sweep v: the value \"slow\" is not a number"},
           {"speed=0:10:5", "the model has no parameter \"speed\""},
           {"rr=0:10:5", "the model has no parameter \"rr\"; did you mean \"rR\"?"}}) {
    const Result result = tandem_program("linearize bicycle --sweep \"" + text + "\" 2>&1");
    EXPECT_EQ(result.code, 2) << text;
    EXPECT_TRUE(says(result, words)) << text;
  }
}

TEST(LinearizeCommand, WrongWordsAreUsageErrorsWithHelp) {
  for (const auto& [arguments, words] : std::vector<std::pair<std::string, std::string>>{
           {"--plot a.svg", "--plot draws eigenvalues against a parameter: give --sweep too"},
           {"--sweep v=1:2:3 --plot a.png", "the name must end in .svg"},
           {"--out a.txt", "the name must end in .json or .csv"},
           {"--names weave", "--names are for the modes of a sweep: give --sweep too"},
           {"--about strat", "write steady or start"},
           {"--about start --hold hub_speed=5", "at which only a steady motion can be held"},
           {"--hold lena", "did you mean \"lean\"?"},
           {"--states lena", "--states: there is no coordinate \"lena\"; did you mean \"lean\"?"},
           {"--states lean.rate", "--states: \"lean.rate\" is a rate; name the coordinate, its rate comes along"},
           {"--inputs ster",
            "did you mean \"steer\"? An input is an effort along a coordinate, a drive or a parameter"},
           {"--inputs IRyyy",
            "did you mean \"IRyy\"? An input is an effort along a coordinate, a drive or a parameter"},
           {"--inputs steer.rate", "\"steer.rate\" is a rate; name a coordinate for the effort along it, or a drive"},
           {"--outputs leen", "--outputs: there is no output \"leen\"; did you mean \"lean\"?"}}) {
    const Result result = tandem_program("linearize bicycle " + arguments + " 2>&1");
    EXPECT_EQ(result.code, 2) << arguments;
    EXPECT_TRUE(says(result, words)) << arguments;
  }
}

TEST(LinearizeCommand, ImpulsesAreRefusedByName) {
  for (const char* how : {"", " --about start", " --sweep v=4:5:3"}) {
    const Result result = tandem_program(std::string("linearize bicycle --method impulses 2>&1") + how);
    EXPECT_EQ(result.code, 1) << how;
    EXPECT_TRUE(says(result, "the method impulses has no accelerations to differentiate")) << how;
  }
}

TEST(LinearizeCommand, ASweepThatEndsTellsWhere) {
  const Result unmet = tandem_program("linearize bicycle --hold lean=0.2 --hold frame.lean=0.1 --sweep v=4:5:3 2>&1");
  EXPECT_EQ(unmet.code, 3) << unmet.output;
  EXPECT_TRUE(says(unmet, "numerical failure at v = 4: what is held cannot be met"));
  const Result wrong = tandem_program("linearize bicycle --sweep mB=85:-5:4 2>&1");
  EXPECT_EQ(wrong.code, 1) << wrong.output;
  EXPECT_TRUE(says(wrong, "body \"frame\": mass must not be negative, but is -5 (at mB = -5)"));
}

TEST_F(LinearizeFolder, OutWritesJsonOrEigenvaluesAsCsv) {
  EXPECT_EQ(here("linearize bicycle --out all.json").code, 0);
  EXPECT_EQ(Json::parse(text("all.json")), json_of("linearize bicycle --json"));
  EXPECT_EQ(here("linearize bicycle --out all.csv").code, 0);
  std::istringstream csv(text("all.csv"));
  std::string line;
  std::getline(csv, line);
  EXPECT_EQ(line, "re,im,frequency,damping_ratio");
  int rows = 0;
  while (std::getline(csv, line)) {
    EXPECT_EQ(std::count(line.begin(), line.end(), ','), 3) << line;
    ++rows;
  }
  EXPECT_EQ(rows, 5);
}

TEST_F(LinearizeFolder, SweepsAreWrittenAndDrawn) {
  const Result result = here("linearize bicycle --sweep v=3:7:5 --out sweep.csv --plot sweep.svg");
  EXPECT_EQ(result.code, 0) << result.output;
  EXPECT_TRUE(says(result, "stable from 4.29238254 to 6.02426202"));
  EXPECT_TRUE(says(result, "becomes stable, 3.43503 rad/s"));
  std::istringstream csv(text("sweep.csv"));
  std::string line;
  std::getline(csv, line);
  EXPECT_EQ(line, "v,re1,im1,re2,im2,re3,im3,re4,im4,re5,im5");
  int rows = 0;
  for (; std::getline(csv, line); ++rows) EXPECT_EQ(std::count(line.begin(), line.end(), ','), 10) << line;
  EXPECT_EQ(rows, 5);
  const std::string picture = text("sweep.svg");
  EXPECT_EQ(picture.rfind("<svg", 0) == 0 || picture.rfind("<?xml", 0) == 0, true) << picture.substr(0, 80);
  EXPECT_NE(picture.find("</svg>"), std::string::npos);
  EXPECT_EQ(here("linearize bicycle --sweep v=3:7:5 --out sweep.json").code, 0);
  EXPECT_EQ(Json::parse(text("sweep.json")), json_of("linearize bicycle --sweep v=3:7:5 --json"));
}

TEST_F(LinearizeFolder, PathsThatCannotBeWrittenExitWithFour) {
  for (const char* arguments : {"--out nowhere/a.json", "--out nowhere/a.csv", "--sweep v=4:5:3 --out nowhere/a.csv",
                                "--sweep v=4:5:3 --plot nowhere/a.svg"}) {
    const Result result = here(std::string("linearize bicycle ") + arguments);
    EXPECT_EQ(result.code, 4) << arguments;
    EXPECT_TRUE(says(result, "cannot write \"nowhere/a."));
    EXPECT_TRUE(says(result, "there is no such folder"));
  }
  EXPECT_EQ(entries(), 0U);
}

TEST_F(LinearizeFolder, AMachineWithoutFreedomSaysSo) {
  const std::string model = write("driven.toml",
                                  "format = 1\n[parameters]\nw = 1\n[[body]]\nname = \"rod\"\nmass = 1\n"
                                  "inertia = [0.1, 0.2, 0.3]\nposition = [0.5, 0, 0]\n[[joint]]\nname = \"hinge\"\n"
                                  "type = \"revolute\"\nbodies = [\"world\", \"rod\"]\npoint = [0, 0, 0]\n"
                                  "axis = [0, 0, 1]\n[[drive]]\njoint = \"hinge\"\ntype = \"constant_speed\"\n"
                                  "speed = \"w\"\n");
  const Result one = here("linearize " + model), many = here("linearize " + model + " --sweep w=1:2:3");
  EXPECT_EQ(one.code, 0);
  EXPECT_TRUE(says(one, "nothing is free to move"));
  EXPECT_EQ(many.code, 0);
  EXPECT_TRUE(says(many, "nothing is free to move"));
}

TEST(LinearizeCommand, HelpShowsExamples) {
  const Result result = tandem_program("linearize --help");
  EXPECT_EQ(result.code, 0);
  for (const char* words : {"Examples:", "--sweep v=0:10:101 --plot weave.svg", "NAME=FROM:TO:N", "--about start"})
    EXPECT_TRUE(says(result, words));
}

}  // namespace
}  // namespace tandem::cli_tests
