// tandem steady as a user meets it.
#include <cmath>
#include <map>

#include "cli/program.hpp"

namespace tandem::cli_tests {
namespace {

using SteadyFolder = Folder;

// A turntable at constant or oscillating speed with a pendulum on it.
std::string turntable(const std::string& drive) {
  return "format = 1\n"
         "[[body]]\nname = \"table\"\nmass = 2\ninertia = [0.1, 0.2, 0.3]\n"
         "[[body]]\nname = \"bob\"\nmass = 1\npoint_mass = true\nposition = [0.5, 0, -0.5]\n"
         "[[joint]]\nname = \"axle\"\ntype = \"revolute\"\nbodies = [\"world\", \"table\"]\npoint = [0, 0, 0]\n"
         "axis = [0, 0, 1]\n"
         "[[constraint]]\nname = \"string\"\ntype = \"distance\"\nbodies = [\"table\", \"bob\"]\n"
         "points = [[0.4, 0, 0], [0.5, 0, -0.5]]\n"
         "[[drive]]\nname = \"motor\"\njoint = \"axle\"\n" +
         drive;
}

TEST(SteadyCommand, BicycleStraightAheadWithItsLoads) {
  const auto json = json_of("steady bicycle --json");
  EXPECT_EQ(json.at("kind"), "steady motion");
  EXPECT_LE(json.at("residual").get<double>(), 1e-11);
  EXPECT_LE(json.at("row_residual").get<double>(), 1e-12);
  std::map<std::string, double> rates;
  for (const auto& each : json.at("symmetries")) rates[each.at("name")] = each.at("rate");
  EXPECT_EQ(rates.size(), 6U);
  EXPECT_NEAR(rates.at("x"), 4.6, 1e-12);
  EXPECT_NEAR(rates.at("yaw"), 0.0, 1e-12);
  EXPECT_NEAR(rates.at("rear_wheel.spin"), 4.6 / 0.3, 1e-12);
  EXPECT_EQ(rates.at("time"), 1.0);
  EXPECT_FALSE(json.contains("center"));
  // Lever arms about the rear contact: 85 · 0.3 + 4 · 0.9 + 3 · 1.02 over the wheel base.
  const double front = 9.81 * (85.0 * 0.3 + 4.0 * 0.9 + 3.0 * 1.02) / 1.02;
  EXPECT_NEAR(json.at("constraints").at("front_contact").at("force")[2].get<double>(), front, 1e-9);
  EXPECT_NEAR(json.at("constraints").at("rear_contact").at("force")[2].get<double>(), 94.0 * 9.81 - front, 1e-9);
  EXPECT_NEAR(json.at("held").at("rear_hub.rate").at("value").get<double>(), 4.6 / 0.3, 1e-12);
}

TEST(SteadyCommand, BicycleInACircleOfHeldLean) {
  const auto json = json_of("steady bicycle --hold lean=pi/18 --json");
  EXPECT_NEAR(json.at("held").at("lean").at("value").get<double>(), std::acos(-1.0) / 18, 1e-12);
  EXPECT_LE(json.at("residual").get<double>(), 1e-10);
  EXPECT_EQ(json.at("center").size(), 2U);
  const double yaw_rate = json.at("yaw_rate");
  EXPECT_GT(std::abs(yaw_rate), 0.1);
  // Every body goes round the centre: speed = radius × yaw rate.
  for (const auto& body : json.at("bodies"))
    EXPECT_NEAR(body.at("speed").get<double>(), body.at("radius").get<double>() * std::abs(yaw_rate), 1e-9);
  const auto& contact = json.at("constraints").at("rear_contact");
  EXPECT_NEAR(contact.at("speed").get<double>(), contact.at("radius").get<double>() * std::abs(yaw_rate), 1e-9);
  for (const char* key : {"rotation", "translation", "iterations", "model"}) EXPECT_TRUE(json.contains(key)) << key;
}

TEST(SteadyCommand, TableTellsRatesHeldBodiesAndLoads) {
  const Result result = tandem_program("steady bicycle --hold lean=pi/18");
  EXPECT_EQ(result.code, 0);
  for (const char* words : {"bicycle: a steady motion", "front_wheel.spin", "turns about (", "radius [m]",
                            "what it carries", "rear_contact", "0.174533"})
    EXPECT_TRUE(says(result, words));
  const Result rest = tandem_program("steady four-bar");
  EXPECT_EQ(rest.code, 0);
  EXPECT_TRUE(says(rest, "four-bar: an equilibrium"));
  EXPECT_EQ(json_of("steady four-bar --json").at("kind"), "equilibrium");
}

// Basu-Mandal et al.: hands free at a lean of 1 degree.
TEST(SteadyCommand, TableTellsSteerSpeedAndRadius) {
  const Result result = tandem_program("steady bicycle --hold lean=pi/180");
  for (const char* words : {"0.0050334631", "contact        speed [m/s]  radius [m]", "6.02347786", "213.038"})
    EXPECT_TRUE(says(result, words));
  const Result straight = tandem_program("steady bicycle");
  EXPECT_TRUE(says(straight, "contact        speed [m/s]\n"));
}

TEST(SteadyCommand, EveryMethodFindsTheSame) {
  const double wanted = json_of("steady bicycle --hold lean=0.1 --json").at("yaw_rate");
  for (const char* how : {"--method articulated", "--method null_space", "--cut loops", "--coordinates quaternion"})
    EXPECT_NEAR(json_of(std::string("steady bicycle --hold lean=0.1 --json ") + how).at("yaw_rate").get<double>(),
                wanted, 1e-9)
        << how;
}

TEST(SteadyCommand, WrongWordsAreUsageErrorsWithHelp) {
  for (const auto& [arguments, words] : std::vector<std::pair<std::string, std::string>>{
           {"steady bicycle --hold lena=1", "--hold lena: there is no coordinate \"lena\"; did you mean \"lean\"?"},
           {"steady bicycle --hold frame.lena", "did you mean \"frame.lean\"?"},
           {"steady bicycle --hold rear_hubb.rate", "did you mean \"rear_hub\"?"},
           {"steady bicycle --hold rear_load", "output \"rear_load\" is no coordinate, rate or speed"},
           {"steady bicycle --hold hub_speed.rate", "output \"hub_speed\" is a rate already"},
           {"steady bicycle --hold lean=fast", "--hold lean: the value \"fast\" is not a number"},
           {"steady bicycle --hold lean=", "the expression is empty"},
           {"steady bicycle --hold =1", "there is no coordinate \"\""},
           {"steady bicycle --hold lean=1/0", "is not a finite number"},
           {"steady bicycle --method lagrang", "did you mean \"lagrange\""},
           {"steady bicycle --hodl lean", "--hodl"},
           {"steady", "model"},
           {"stedy bicycle", "did you mean \"steady\""}}) {
    const Result result = tandem_program(arguments + " 2>&1");
    EXPECT_EQ(result.code, 2) << arguments;
    EXPECT_TRUE(says(result, words)) << arguments;
  }
}

TEST(SteadyCommand, ImpulsesAreRefusedByName) {
  const Result result = tandem_program("steady bicycle --method impulses 2>&1");
  EXPECT_EQ(result.code, 1);
  EXPECT_TRUE(says(result, "the method impulses has no accelerations to differentiate; choose another"));
}

TEST(SteadyCommand, WhatCannotBeHeldIsANumericalFailureWithItsReason) {
  for (const auto& [arguments, words] : std::vector<std::pair<std::string, std::string>>{
           {"bicycle --hold lean=0.2 --hold frame.lean=0.1", "what is held cannot be met together with the rows"},
           {"four-bar --hold ground_crank=0.5",  // nothing is left to choose
            "no steady motion was found near the start: there are left forces out of balance by"},
           {"four-bar --hold ground_crank=0.5 --hold ground_rocker=3", "what is held cannot be met"}}) {
    const Result result = tandem_program("steady " + arguments + " 2>&1");
    EXPECT_EQ(result.code, 3) << arguments;
    EXPECT_TRUE(says(result, "numerical failure: ")) << arguments;
    EXPECT_TRUE(says(result, words)) << arguments;
  }
}

// Further than the longest step goes at once.
TEST(SteadyCommand, HoldsFarFromTheStartAreReached) {
  for (const double lean : {0.35, -0.35, 0.8}) {
    const auto json = json_of("steady bicycle --hold lean=" + std::to_string(lean) + " --json");
    EXPECT_NEAR(json.at("held").at("lean").at("value").get<double>(), lean, 1e-12);
    EXPECT_LE(json.at("residual").get<double>(), 1e-10);
  }
  EXPECT_NEAR(json_of("steady rolling-disc --hold lean=1.2 --json").at("bodies").at("disc").at("lean").get<double>(),
              1.2, 1e-12);
}

TEST_F(SteadyFolder, AnOscillatingDriveHasNoSteadyMotion) {
  const std::string model =
      write("shaken.toml", turntable("type = \"oscillation\"\namplitude = 0.3\nfrequency = 0.5\noffset = -0.3\n"));
  const Result result = tandem_program("steady " + model + " 2>&1");
  EXPECT_EQ(result.code, 3);
  EXPECT_TRUE(says(result, "numerical failure: there is no steady motion: a drive or a force changes with time"));
  EXPECT_TRUE(says(result, "--about start"));
}

// tan(angle) = Ω² r/g, r where the bob hangs.
TEST_F(SteadyFolder, ADriveAtConstantSpeedGoesRoundWithTheFrame) {
  const std::string model = write("turning.toml", turntable("type = \"constant_speed\"\nspeed = 3\n"));
  const auto json = json_of("steady " + model + " --json");
  EXPECT_EQ(json.at("symmetries")[0].at("name"), "time + 3 yaw");
  EXPECT_NEAR(json.at("yaw_rate").get<double>(), 3.0, 1e-12);
  const auto& bob = json.at("bodies").at("bob");
  const double r = bob.at("radius"), below = -bob.at("position")[2].get<double>();
  EXPECT_NEAR((r - 0.4) / below, 9.0 * r / 9.81, 1e-10);
  EXPECT_NEAR((r - 0.4) * (r - 0.4) + below * below, 0.01 + 0.25, 1e-12);
  EXPECT_FALSE(bob.contains("quaternion")) << "a point mass has no orientation";
}

TEST_F(SteadyFolder, ADeclaredSymmetryThatIsNoneIsAFaultOfTheModel) {
  const std::string machine = turntable("type = \"constant_speed\"\nspeed = 3\n");
  const Result none = tandem_program("steady " + write("a.toml", machine + "[steady]\nsymmetry = [\"x\"]\n") + " 2>&1");
  EXPECT_EQ(none.code, 1);
  EXPECT_TRUE(says(none, "\"x\" is declared a symmetry, but the machine notices it"));
  const Result unknown =
      tandem_program("steady " + write("b.toml", machine + "[steady]\nsymmetry = [\"yow\"]\n") + " 2>&1");
  EXPECT_EQ(unknown.code, 1);
  EXPECT_TRUE(says(unknown, "there is no symmetry \"yow\"; did you mean \"yaw\"?"));
}

TEST_F(SteadyFolder, HoldOnTheCommandLineTakesThePlaceOfTheModels) {
  const auto json = json_of("steady bicycle --hold rear_hub.rate=10 --json");
  EXPECT_EQ(json.at("held").size(), 1U);
  EXPECT_NEAR(json.at("bodies").at("frame").at("speed").get<double>(), 3.0, 1e-11);
}

TEST(SteadyCommand, HelpShowsExamples) {
  const Result result = tandem_program("steady --help");
  EXPECT_EQ(result.code, 0);
  for (const char* words : {"Examples:", "tandem steady bicycle --hold lean=pi/18", "NAME[=VALUE]", "--json"})
    EXPECT_TRUE(says(result, words));
}

}  // namespace
}  // namespace tandem::cli_tests
