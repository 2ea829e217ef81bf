// Every file in broken/ is a model with a mistake, and says what must be told about it: support/broken_model.hpp.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/broken_model.hpp"

namespace tandem {
namespace {

namespace fs = std::filesystem;

class BrokenModels : public testing::TestWithParam<fs::path> {};

TEST_P(BrokenModels, AreRefusedWithTheRightWordsInTheRightPlace) {
  const BrokenModel broken = read_broken(GetParam());
  ASSERT_FALSE(broken.expected.empty()) << "the file says nothing about what is expected";
  try {
    read_model(broken.text, GetParam().string(), broken.options);
    FAIL() << "the model was accepted";
  } catch (const ModelError& error) {
    const auto& faults = error.faults().list();
    const auto is_error = [](const auto& each) { return !each.warning; };
    EXPECT_EQ(std::count_if(faults.begin(), faults.end(), is_error),
              std::count_if(broken.expected.begin(), broken.expected.end(), is_error))
        << error.what();
    for (const Expectation& expectation : broken.expected) {
      const bool told =
          std::any_of(faults.begin(), faults.end(), [&](const Fault& fault) { return expectation.matches(fault); });
      EXPECT_TRUE(told) << "expected " << expectation.line << ":" << expectation.column << ": " << expectation.message
                        << "\nbut was told\n"
                        << error.what();
    }
  }
}

std::string test_name(const testing::TestParamInfo<fs::path>& info) {
  std::string name = info.param.stem().string() + (info.param.extension() == ".json" ? "_json" : "");
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Files, BrokenModels, testing::ValuesIn(broken_models()), test_name);

TEST(BrokenModelFolder, HoldsManyMistakes) { EXPECT_GE(broken_models().size(), 100U); }

}  // namespace
}  // namespace tandem
