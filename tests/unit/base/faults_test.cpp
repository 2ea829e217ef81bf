#include "tandem/base/faults.hpp"

#include <gtest/gtest.h>

namespace tandem {
namespace {

TEST(FaultText, HasPlaceObjectAndMessage) {
  EXPECT_EQ((Fault{false, {"a.toml", 3, 7}, "body \"rod\"", "mass is missing"}.text()),
            "a.toml:3:7: error: body \"rod\": mass is missing");
  EXPECT_EQ((Fault{true, {"a.toml", 0, 0}, "", "it is odd"}.text()), "a.toml: warning: it is odd");
  EXPECT_EQ((Fault{false, {}, "", "it is odd"}.text()), "error: it is odd");
}

// A name that came with a model must not colour the terminal, nor look like a line of its own.
TEST(FaultText, IsOneLineWithoutControls) {
  const Fault fault{false, {"a\x1b.toml", 1, 1}, "body \"x\x1b[31m\"", "unknown\nb.toml:1:1: error: forged"};
  EXPECT_EQ(fault.text(), "a\\x1b.toml:1:1: error: body \"x\\x1b[31m\": unknown\\nb.toml:1:1: error: forged");
}

TEST(Printable, LeavesLettersOfAnyScript) {
  EXPECT_EQ(printable("Rad · ω → 輪 €"), "Rad · ω → 輪 €");
  EXPECT_EQ(printable(std::string_view("a\0b\x7f", 4)), "a\\x00b\\x7f");
  EXPECT_EQ(printable("\u0085"), "\\xc2\\x85");
  EXPECT_EQ(printable("\u202e\u2066\u2014"), "\\xe2\\x80\\xae\\xe2\\x81\\xa6\u2014");
}

TEST(FileName, IsSharedByAllPlacesInAFile) {
  const Location first{"model.toml", 1, 1};
  const Location second = first;
  EXPECT_EQ(&first.file.text(), &second.file.text());
  EXPECT_TRUE(FileName("").empty());
  EXPECT_EQ(FileName().text(), "");
}

}  // namespace
}  // namespace tandem
