// One rule for every file that a command is asked to write: whole or not at all, and replaced with --force only.
#include "program.hpp"

namespace tandem::cli_tests {
namespace {

class OutputFiles : public Folder {};

TEST_F(OutputFiles, AreReplacedWithForceOnly) {
  for (const auto& [command, name] : std::vector<std::pair<std::string, std::string>>{
           {"run chain --duration 0.02 --quiet --out", "a.csv"},
           {"run chain --duration 0.02 --quiet --report", "a.html"},
           {"run chain --set angle=1.5 --step 0.3 --quiet --last-good", "good.json"},
           {"linearize bicycle --out", "modes.json"},
           {"linearize bicycle --out", "modes.csv"},
           {"linearize bicycle --sweep v=4:6:3 --plot", "modes.svg"},
           {"linearize bicycle --report", "modes.html"},
           {"compare chain --duration 0.01 --methods lagrange --report", "both.html"},
           {"view chain --out", "chain.html"},
           {"convert chain --out", "chain.toml"}}) {
    const int good = name == "good.json" ? 3 : 0;  // that run fails
    EXPECT_EQ(here(command + " " + name).code, good) << command;
    ASSERT_TRUE(exists(name)) << command;
    write(name, "mine");
    const Result refused = here(command + " " + name);
    EXPECT_EQ(refused.code, 4) << command;
    EXPECT_TRUE(says(refused, "\"" + name + "\": it exists already; choose another name, or replace it with --force"));
    EXPECT_EQ(text(name), "mine") << command;
    EXPECT_EQ(here(command + " " + name + " --force").code, good) << command;
    EXPECT_GT(text(name).size(), 100U) << command;
    EXPECT_FALSE(exists(name + ".part")) << command;
  }
  EXPECT_EQ(here("view top").code, 0);
  EXPECT_EQ(here("view top").code, 4);  // its own name, too
}

TEST_F(OutputFiles, AreLookedAtBeforeTheWork) {
  for (const char* option : {"--out", "--report", "--last-good"}) {
    const Result nowhere = here(std::string("run bicycle --duration 1e6 ") + option + " nowhere/a" +
                                (option == std::string("--report") ? ".html" : ".csv"));
    EXPECT_EQ(nowhere.code, 4) << option;
    EXPECT_TRUE(says(nowhere, "there is no such folder")) << option;
  }
  EXPECT_EQ(entries(), 0U);
}

// A disk that is full leaves what was there, and no piece beside it.
TEST_F(OutputFiles, AreWholeOrNotThere) {
  fs::create_directory(path / "disk");
  const Result result =
      shell("cd " + path.string() +
            " && unshare -m sh -c 'mount -t tmpfs -o size=64k none disk && cd disk && echo mine > a.html && "
            "{ " +
            program() +
            "view top --out a.html --force; echo exit $?; "
            "cat a.html; ls; }' 2>&1");
  if (result.output.find("exit ") == std::string::npos) GTEST_SKIP() << "no disk of one's own: " << result.output;
  EXPECT_TRUE(says(result, "exit 4\nmine\na.html\n"));
}

TEST_F(OutputFiles, AFailedRunLeavesNothingUnasked) {
  EXPECT_EQ(here("run chain --set angle=1.5 --step 0.3").code, 3);
  EXPECT_EQ(entries(), 0U);
  EXPECT_EQ(here("run chain --set angle=1.5 --step 0.3 --report a.html").code, 3);
  EXPECT_TRUE(exists("a.html.last-good.json"));
  EXPECT_EQ(here("run chain --set angle=1.5 --step 0.3 --last-good b.json").code, 3);
  EXPECT_EQ(nlohmann::json::parse(text("b.json")).at("time"), 0.6);
  EXPECT_EQ(entries(), 3U);
}

}  // namespace
}  // namespace tandem::cli_tests
