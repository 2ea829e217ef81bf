// tandem assemble as a user meets it.
#include <cmath>

#include "cli/program.hpp"

namespace tandem::cli_tests {
namespace {

using AssembleFolder = Folder;

// Two rods of hinges placed by frames; the bodies are where `place` puts them.
std::string double_pendulum(const std::string& upper, const std::string& lower) {
  const std::string frame = "{ position = [";
  const std::string turned = ", 0, 0], z_axis = [0, 1, 0] }";
  const auto rod = [](const std::string& name, const std::string& place) {
    return "[[body]]\nname = \"" + name + "\"\nmass = 1\ninertia = [0.01, 0.1, 0.1]\ncenter = [0.1, 0, 0.02]\n" + place;
  };
  const auto hinge = [&](const std::string& name, const std::string& bodies, const char* first, const char* second) {
    return "[[joint]]\nname = \"" + name + "\"\ntype = \"revolute\"\nbodies = [" + bodies + "]\nframes = [" + frame +
           first + turned + ", " + frame + second + turned + "]\n";
  };
  return "format = 1\n" + rod("upper", upper) + rod("lower", lower) +
         hinge("shoulder", "\"world\", \"upper\"", "0", "-0.5") + hinge("elbow", "\"upper\", \"lower\"", "0.5", "-0.5");
}

TEST(AssembleCommand, BicycleFromLeanSteerAndSpeeds) {
  const auto json = json_of(
      "assemble bicycle --hold frame.lean=0.2 --hold steer=0.1 --hold frame.yaw=0 --hold-rate frame.lean=0 "
      "--hold-rate steer=0 --hold-rate rear_hub=15 --json");
  EXPECT_TRUE(json.at("assembled"));
  EXPECT_TRUE(json.at("unmet").empty());
  EXPECT_LE(json.at("residuals").at("position").get<double>(), 1e-12);
  EXPECT_LE(json.at("residuals").at("velocity").get<double>(), 1e-11);
  EXPECT_NEAR(json.at("held").at("frame.lean").at("value").get<double>(), 0.2, 1e-12);
  EXPECT_NEAR(json.at("held").at("rear_hub").at("rate").get<double>(), 15.0, 1e-11);
  EXPECT_FALSE(json.at("held").at("rear_hub").at("value_held"));
  EXPECT_FALSE(json.at("held").at("frame.yaw").at("rate_held"));
  EXPECT_EQ(json.at("bodies").at("fork").at("quaternion").size(), 4U);
  EXPECT_EQ(json.at("bodies").size(), 4U);
  EXPECT_GT(json.at("moved").get<double>(), 0.2);
}

TEST(AssembleCommand, TableTellsResidualsMovesAndHeld) {
  const Result result = tandem_program("assemble four-bar --hold ground_crank=0.2 --hold-rate ground_crank=1");
  EXPECT_EQ(result.code, 0);
  for (const char* words :
       {"four-bar: assembled", "largest residual", "coupler", "ground_crank    0.2  held     1  held"})
    EXPECT_NE(result.output.find(words), std::string::npos) << words << "\n" << result.output;
  EXPECT_NE(tandem_program("assemble bicycle").output.find("nothing had to be moved"), std::string::npos);
}

TEST(AssembleCommand, WhatCannotBeMetExitsWithOneByName) {
  const Result result = tandem_program("assemble four-bar --hold ground_crank=0.1 --hold ground_rocker=0.5 2>&1");
  EXPECT_EQ(result.code, 1);
  for (const char* words : {"cannot be assembled", "error: held ground_rocker cannot be 0.5", "held ground_crank"})
    EXPECT_NE(result.output.find(words), std::string::npos) << words << "\n" << result.output;
  const auto json = nlohmann::json::parse(
      tandem_program("assemble four-bar --hold ground_crank=0.1 --hold ground_rocker=0.5 --json 2>/dev/null").output);
  EXPECT_FALSE(json.at("assembled"));
  EXPECT_EQ(json.at("unmet").size(), 1U);
}

TEST(AssembleCommand, WrongWordsAreUsageErrorsWithSuggestions) {
  for (const auto& [arguments, words] : std::vector<std::pair<std::string, std::string>>{
           {"assemble bicycle --hold fram.lean=1", "did you mean \"frame.lean\""},
           {"assemble bicycle --hold steer=fast", "is not a number"},
           {"assemble bicycle --hold-rate ster", "did you mean \"steer\""},
           {"assemble bicycle --toml --json", "--toml or --json"},
           {"asemble bicycle", "did you mean \"assemble\""}}) {
    const Result result = tandem_program(arguments + " 2>&1");
    EXPECT_EQ(result.code, 2) << arguments;
    EXPECT_NE(result.output.find(words), std::string::npos) << arguments << "\n" << result.output;
  }
}

TEST(AssembleCommand, ZeroMomentumIsRefusedByNameWhereTheGroundHolds) {
  EXPECT_EQ(tandem_program("assemble swimmer --zero-momentum > /dev/null").code, 0);
  const Result result = tandem_program("assemble bicycle --zero-momentum 2>&1");
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.output.find("its momentum cannot be chosen"), std::string::npos) << result.output;
}

// The lines of --toml, taken over into the file, are a start that needs no more assembly.
TEST_F(AssembleFolder, TomlLinesMakeAConsistentFile) {
  const std::string rough = write("rough.toml", double_pendulum("position = [0.4, 0.1, 0.2]\nangles = [0.1, 0.2, 0.3]\n"
                                                                "velocity = [0, 0, 1]\n",
                                                                "position = [1.3, 0, -0.4]\nangles = [0, 0.1, 1.2]\n"));
  const Result lines = tandem_program("assemble " + rough + " --hold elbow=0.5 --hold-rate shoulder=2 --toml");
  EXPECT_EQ(lines.code, 0);
  const auto place = [&](const std::string& body) {
    const std::size_t begin = lines.output.find('\n', lines.output.find("name = \"" + body + "\"")) + 1;
    return lines.output.substr(begin, lines.output.find("\n\n", begin) - begin) + "\n";
  };
  const std::string fine = write("fine.toml", double_pendulum(place("upper"), place("lower")));
  const auto json = json_of("assemble " + fine + " --hold elbow --hold-rate shoulder --json");
  EXPECT_LE(json.at("residuals").at("position_given").get<double>(), 1e-12);
  EXPECT_LE(json.at("residuals").at("velocity_given").get<double>(), 1e-12);
  EXPECT_NEAR(json.at("held").at("elbow").at("value").get<double>(), 0.5, 1e-12);
  EXPECT_NEAR(json.at("held").at("shoulder").at("rate").get<double>(), 2.0, 1e-12);
  EXPECT_LE(json.at("moved").get<double>(), 1e-12);
}

TEST_F(AssembleFolder, StartTablesAreHeldAndTheCommandLineOverridesThem) {
  const std::string model =
      write("held.toml", double_pendulum("position = [0.5, 0, 0]\n", "position = [1.5, 0, 0]\n") +
                             "[[start]]\njoint = \"shoulder\"\nvalue = \"pi/6\"\n"
                             "[[start]]\nbody = \"lower\"\nquantity = \"pitch\"\nvalue = 1\nrate = 0.5\n"
                             "[[start]]\njoint = \"elbow\"\nrate = 0.25\n");
  const auto json = json_of("assemble " + model + " --json");
  EXPECT_NEAR(json.at("held").at("shoulder").at("value").get<double>(), std::acos(-1.0) / 6, 1e-12);
  EXPECT_NEAR(json.at("held").at("lower.pitch").at("value").get<double>(), 1.0, 1e-12);
  EXPECT_NEAR(json.at("held").at("lower.pitch").at("rate").get<double>(), 0.5, 1e-12);
  EXPECT_NEAR(json.at("held").at("elbow").at("rate").get<double>(), 0.25, 1e-12);
  const auto other = json_of("assemble " + model + " --hold shoulder=0.1 --json");
  EXPECT_NEAR(other.at("held").at("shoulder").at("value").get<double>(), 0.1, 1e-12);
}

}  // namespace
}  // namespace tandem::cli_tests
