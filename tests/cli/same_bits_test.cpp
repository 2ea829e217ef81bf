// The same bits on every processor. The C library chooses its elementary functions by what the processor can do; the
// tunable makes it believe in an old one. Where the processor is one, both runs take the same functions and must agree
// all the more.
#include <fmt/format.h>

#include <algorithm>

#include "cli/program.hpp"
#include "support/how_long.hpp"
#include "tandem/io/model/examples.hpp"

namespace tandem::cli_tests {
namespace {

constexpr const char* old_processor = "GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX512F,-AVX2,-AVX,-FMA,-FMA4 ";

std::vector<std::string> all_examples() {
  std::vector<std::string> names;
  for (const EmbeddedExample& example : embedded_examples()) names.emplace_back(example.name);
  return names;
}

class SameBits : public Folder {
 protected:
  // What the program prints, and the result that it writes if it is asked for one.
  std::string what(const std::string& processor, const std::string& arguments) const {
    const Result result =
        shell("cd " + path.string() + " && rm -f r.csv && " + processor + program() + arguments + " 2>&1");
    return fmt::format("{}\n{}\n{}", result.code, result.output, exists("r.csv") ? text("r.csv") : "");
  }
  void expect_same(const std::string& arguments) const {
    const std::string here = what("", arguments), there = what(old_processor, arguments);
    EXPECT_GT(here.size(), 100U) << here;
    EXPECT_TRUE(here == there) << arguments << ": first another character at "
                               << std::distance(
                                      here.begin(),
                                      std::mismatch(here.begin(), here.end(), there.begin(), there.end()).first);
  }
};

class SameBitsOf : public SameBits, public ::testing::WithParamInterface<std::string> {};

TEST_P(SameBitsOf, OnAnOldProcessor) {
  const double seconds =
      (GetParam() == "squeezer" ? 0.02 : 0.2) * test::how_many(0.1, 1.0, 1.0);  // its steps are short
  const std::string run = fmt::format("run {} --quiet --out r.csv --duration {}", GetParam(), seconds);
  expect_same(run);
  expect_same(run + " --method articulated");
  expect_same(run + " --integrator dop853 --every 0.02s");
}

INSTANTIATE_TEST_SUITE_P(Shipped, SameBitsOf, ::testing::ValuesIn(all_examples()), [](const auto& each) {
  std::string name = each.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

// Functions of expressions at many numbers: those of the C library differ at one in two thousand.
TEST_F(SameBits, OfNumbersInAFile) {
  std::string model = "format = 1\n";
  for (int i = 1; i <= 4000; ++i)
    model += fmt::format(
        "[[body]]\nname = \"b{0}\"\nmass = 1\npoint_mass = true\nposition = [\"sin({1})\", \"cos({1})\", "
        "\"exp({1})\"]\n"
        "velocity = [\"asin({2})\", \"atan({1})\", \"pow({1}, {2})\"]\n",
        i, 0.00137 * i, 0.00024 * i);
  write("m.toml", model);
  const std::string arguments = "convert m.toml --flatten";
  EXPECT_EQ(here(arguments).code, 0);
  expect_same(arguments);
}

}  // namespace
}  // namespace tandem::cli_tests
