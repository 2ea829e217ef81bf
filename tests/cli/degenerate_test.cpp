// Degenerate mechanics: every file in degenerate/ is a mechanism at an edge (docs/degenerate.md). Its first lines say
// what the program must answer:
//
//   # COMMAND [OPTIONS] EXIT: part of what is printed
//
// Whatever the answer, no result may hold anything but finite numbers.
#include <regex>

#include "program.hpp"

namespace tandem::cli_tests {
namespace {

struct Answer {
  std::string command, options, part;
  int code = 0;
};

std::vector<fs::path> mechanisms() {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(TANDEM_SOURCE_DIR "/tests/cli/degenerate"))
    paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::vector<Answer> answers_of(const fs::path& path) {
  std::vector<Answer> out;
  std::ifstream file(path);
  const std::regex form("# (check|run|assemble|compare|evaluate)( .*)? ([0-9]+):(.*)");
  for (std::string line; std::getline(file, line) && line.starts_with("#");) {
    std::smatch parts;
    if (!std::regex_match(line, parts, form)) ADD_FAILURE() << path << ": what does this mean? " << line;
    const std::string part = parts[4];
    out.push_back({parts[1], parts[2], part.empty() ? "" : part.substr(1), std::stoi(parts[3])});
  }
  return out;
}

class Degenerate : public testing::TestWithParam<fs::path> {};

TEST_P(Degenerate, IsExplainedInTheUsersNames) {
  const std::vector<Answer> answers = answers_of(GetParam());
  ASSERT_FALSE(answers.empty());
  const fs::path folder = fs::path(testing::TempDir()) / ("degenerate-" + GetParam().stem().string());
  fs::remove_all(folder);
  fs::create_directories(folder);
  for (const Answer& answer : answers) {
    const std::string quiet = answer.command == "run" ? " --quiet --out rows.csv --force" : "";
    const Result result = shell("cd \"" + folder.string() + "\" && timeout 120 " + program() + answer.command + " \"" +
                                GetParam().string() + "\"" + answer.options + quiet + " 2>&1");
    EXPECT_EQ(result.code, answer.code) << answer.command << answer.options << "\n" << result.output;
    EXPECT_NE(result.output.find(answer.part), std::string::npos) << answer.part << "\nis not in\n" << result.output;
    EXPECT_FALSE(std::regex_search(result.output, std::regex("\\b-?(nan|inf)\\b"))) << result.output;
    if (std::ifstream rows(folder / "rows.csv"); rows) {
      const std::string text{std::istreambuf_iterator<char>(rows), std::istreambuf_iterator<char>()};
      EXPECT_FALSE(std::regex_search(text.substr(text.find('\n')), std::regex("nan|inf")));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Mechanisms, Degenerate, testing::ValuesIn(mechanisms()), [](const auto& each) {
  std::string name = each.param.stem().string();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

// The page tells of each of them.
TEST(DegeneratePage, ShowsEveryMechanism) {
  std::ifstream file(TANDEM_SOURCE_DIR "/docs/degenerate.md");
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  for (const fs::path& path : mechanisms())
    EXPECT_NE(text.find("(../tests/cli/degenerate/" + path.filename().string() + ")"), std::string::npos) << path;
}

}  // namespace
}  // namespace tandem::cli_tests
