// Every file in broken/ is a model with a mistake. Its first lines say what must be told about it:
//
//   # expect: LINE:COLUMN: part of the message        one line an error, and no error without its line
//   # set: NAME=VALUE                                 read with this parameter set
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tandem/io/model_file.hpp"

namespace tandem {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> broken_models() {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(TANDEM_SOURCE_DIR "/tests/model/broken"))
    if (entry.path().extension() == ".toml") paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

struct Expectation {
  int line = 0, column = 0;
  std::string message;

  bool matches(const Fault& fault) const {
    return fault.where.line == line && fault.where.column == column && fault.message.find(message) != std::string::npos;
  }
};

struct BrokenModel {
  std::string text;
  std::vector<Expectation> expected;
  ReadOptions options;
};

BrokenModel read_broken(const fs::path& path) {
  BrokenModel model;
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    model.text += line + '\n';
    constexpr std::string_view expect = "# expect: ", set = "# set: ";
    if (line.starts_with(expect)) {
      Expectation expectation;
      char colon = 0;
      std::istringstream words(line.substr(expect.size()));
      words >> expectation.line >> colon >> expectation.column >> colon >> std::ws;
      std::getline(words, expectation.message);
      model.expected.push_back(expectation);
    } else if (line.starts_with(set)) {
      const std::size_t equals = line.find('=');
      model.options.set.emplace_back(line.substr(set.size(), equals - set.size()), std::stod(line.substr(equals + 1)));
    }
  }
  return model;
}

class BrokenModels : public testing::TestWithParam<fs::path> {};

TEST_P(BrokenModels, AreRefusedWithTheRightWordsInTheRightPlace) {
  const BrokenModel broken = read_broken(GetParam());
  ASSERT_FALSE(broken.expected.empty()) << "the file says nothing about what is expected";
  try {
    read_model(broken.text, GetParam().filename().string(), broken.options);
    FAIL() << "the model was accepted";
  } catch (const ModelError& error) {
    std::vector<Fault> errors = error.faults().list();
    std::erase_if(errors, [](const Fault& fault) { return fault.warning; });
    EXPECT_EQ(errors.size(), broken.expected.size()) << error.what();
    for (const Expectation& expectation : broken.expected) {
      const bool told =
          std::any_of(errors.begin(), errors.end(), [&](const Fault& fault) { return expectation.matches(fault); });
      EXPECT_TRUE(told) << "expected " << expectation.line << ":" << expectation.column << ": " << expectation.message
                        << "\nbut was told\n"
                        << error.what();
    }
  }
}

std::string test_name(const testing::TestParamInfo<fs::path>& info) {
  std::string name = info.param.stem().string();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Files, BrokenModels, testing::ValuesIn(broken_models()), test_name);

TEST(BrokenModelFolder, HoldsManyMistakes) { EXPECT_GE(broken_models().size(), 36U); }

}  // namespace
}  // namespace tandem
