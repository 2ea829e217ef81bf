// tandem compare on every shipped example as it is: agree, exit code 0. Examples that take more than ten seconds of
// computing run with TANDEM_WEEKLY=1 only. With TANDEM_SHORT=1 a few steps of all of them.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cli/program.hpp"
#include "support/example_model.hpp"
#include "support/how_long.hpp"

namespace tandem::cli_tests {
namespace {

const std::set<std::string>& slow_examples() {
  static const std::set<std::string> slow{"four-bar",   "governor",     "n-four-bar",   "rail",
                                          "rattleback", "slider-crank", "spring-chain", "squeezer",  // 11 to 108 s
                                          "bicycle",    "bricard",      "ring-chain",   "rope-bridge",
                                          "stewart"};  // taken for slow until they are measured
  return slow;
}

std::vector<std::string> example_names() {
  std::vector<std::string> names;
  for (const EmbeddedExample& example : embedded_examples()) names.emplace_back(example.name);
  return names;
}

class CompareExample : public ::testing::TestWithParam<std::string> {};

TEST_P(CompareExample, AgreesAtItsDefaults) {
  if (slow_examples().contains(GetParam()) && !test::weekly() && !test::shortened())
    GTEST_SKIP() << GetParam() << " takes more than ten seconds: with TANDEM_WEEKLY=1 only";
  const std::string steps =
      test::shortened() ? fmt::format(" --duration {}", 5.0 * example_model(GetParam()).setup.step) : "";
  const Result result = tandem_program("compare " + GetParam() + steps);
  EXPECT_EQ(result.code, 0) << result.output;
  EXPECT_NE(result.output.find(GetParam() + ": agree"), std::string::npos) << result.output;
}

INSTANTIATE_TEST_SUITE_P(Shipped, CompareExample, ::testing::ValuesIn(example_names()), [](const auto& each) {
  std::string name = each.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(CompareExamples, AreAllThere) {
  const std::vector<std::string> names = example_names();
  EXPECT_GE(names.size(), 24U);
  for (const std::string& slow : slow_examples())
    EXPECT_NE(std::find(names.begin(), names.end(), slow), names.end()) << slow;
}

}  // namespace
}  // namespace tandem::cli_tests
