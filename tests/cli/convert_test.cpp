// tandem convert as a user meets it.
#include "cli/program.hpp"

namespace tandem::cli_tests {
namespace {

using ConvertFolder = Folder;

TEST_F(ConvertFolder, WhatIsWrittenMovesAsBefore) {
  const auto speed = [&](const std::string& model) {
    return json_here("run " + model + " --duration 0.1 --json").at("outputs").dump();
  };
  const std::string before = speed("bicycle");
  for (const char* out : {"b.toml", "b.json", "flat.toml --flatten", "flat.json --flatten"}) {
    ASSERT_EQ(here(std::string("convert bicycle --out ") + out).code, 0) << out;
    EXPECT_EQ(speed(std::string(out).substr(0, std::string(out).find(' '))), before) << out;
  }
  EXPECT_NE(text("b.toml").find("[parameters]"), std::string::npos);
  EXPECT_EQ(text("flat.toml").find("[parameters]"), std::string::npos);
}

TEST_F(ConvertFolder, NoFileIsReplacedByMistake) {
  const std::string mine = "# a note of mine\nformat = 1\n[[body]]\nname = \"b\"\nmass = 1\ninertia = [1, 1, 1]\n";
  write("m.toml", mine);
  const Result refused = here("convert m.toml --out m.toml");
  EXPECT_EQ(refused.code, 4);
  EXPECT_TRUE(says(refused, "cannot write \"m.toml\": it exists already")) << refused.output;
  EXPECT_EQ(text("m.toml"), mine);
  EXPECT_EQ(here("convert m.toml --out m.toml --force").code, 0);
  EXPECT_EQ(text("m.toml").find("a note of mine"), std::string::npos);
  EXPECT_EQ(here("check m.toml").code, 0);
  EXPECT_EQ(entries(), 1U);
}

TEST_F(ConvertFolder, AnotherEndingIsRefused) {
  const Result result = here("convert bicycle --out bicycle.xml");
  EXPECT_EQ(result.code, 2);
  EXPECT_TRUE(says(result, "the name must end in .toml or .json")) << result.output;
  EXPECT_EQ(entries(), 0U);
}

}  // namespace
}  // namespace tandem::cli_tests
