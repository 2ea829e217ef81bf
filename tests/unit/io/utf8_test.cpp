#include "tandem/io/model/utf8.hpp"

#include <gtest/gtest.h>

#include "tandem/io/model/model_file.hpp"

namespace tandem {
namespace {

TEST(Utf8, CharactersOfEveryLengthThereAndBack) {
  for (const unsigned code :
       {0x24U, 0x7FU, 0x80U, 0xE9U, 0x7FFU, 0x800U, 0x202EU, 0xFFFDU, 0x10000U, 0x1F6B2U, 0x10FFFFU}) {
    std::string text;
    append_utf8(code, text);
    EXPECT_EQ(utf8_length(text), text.size()) << code;
    EXPECT_EQ(utf8_code(text), code);
  }
}

TEST(Utf8, LongerThanNeededHalvesOfPairsAndBeyondTheLastAreNone) {
  for (const char* text : {"\x80", "\xc1\xbf", "\xe0\x80\x80", "\xed\xa0\x80", "\xf0\x80\x80\x80", "\xf4\x90\x80\x80",
                           "\xf5\x80\x80\x80", "\xe2\x80"})
    EXPECT_EQ(utf8_length(text), 0U) << text;
  EXPECT_EQ(utf8_length(""), 0U);
}

TEST(Utf8, ATextIsCutBetweenCharacters) {
  EXPECT_EQ(utf8_whole("a\u00e9b", 2), 1U);
  EXPECT_EQ(utf8_whole("a\u00e9b", 3), 3U);
  EXPECT_EQ(utf8_whole("a", 5), 1U);
}

TEST(Utf8, JsonPairsAreOneCharacter) {
  const Model model = read_model(
      R"({"format": 1, "title": "\ud83d\udeb2 \u00e9", "body": [{"name": "a", "mass": 1, "point_mass": true}]})",
      "a.json");
  EXPECT_EQ(model.title, "\U0001F6B2 \u00e9");
}

// In C++ things are asked for by name.
TEST(ModelNames, ThatDoNotExistGetASuggestion) {
  const Model model = read_model("format = 1\n[[body]]\nname = \"rod\"\nmass = 1\npoint_mass = true\n", "a.toml");
  EXPECT_EQ(model.body("rod"), 0);
  try {
    static_cast<void>(model.body("rood"));
    FAIL() << "was found";
  } catch (const std::out_of_range& error) {
    EXPECT_STREQ(error.what(), "there is no body \"rood\"; did you mean \"rod\"?");
  }
  EXPECT_THROW(static_cast<void>(model.joint("rod")), std::out_of_range);
  EXPECT_THROW(static_cast<void>(model.constraint("rod")), std::out_of_range);
  EXPECT_THROW(static_cast<void>(model.drive("rod")), std::out_of_range);
}

}  // namespace
}  // namespace tandem
