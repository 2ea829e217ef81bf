// tandem bench as a user meets it. What it measures is no business of a test; that every answer is right is.
#include <set>

#include "cli/program.hpp"

namespace tandem::cli_tests {
namespace {

using BenchFolder = Folder;

TEST_F(BenchFolder, MeasuresAndChecksEveryJobItIsAskedFor) {
  const nlohmann::json said = json_here(
      "bench chain-7 'loops a02-2' loaded-chain-7 rope-10 'bicycle articulated' --rounds 1 --seconds 0.001 --json");
  std::set<std::string> jobs;
  for (const nlohmann::json& found : said.at("results")) {
    jobs.insert(found.at("job").get<std::string>() + " " + found.at("mechanism").get<std::string>());
    EXPECT_TRUE(found.at("right").get<bool>()) << found.dump();
    EXPECT_GT(found.at("seconds").get<double>(), 0.0) << found.dump();
  }
  EXPECT_EQ(jobs, (std::set<std::string>{"forward chain-7", "inverse chain-7", "mass chain-7", "loops a02-2",
                                         "step loaded-chain-7", "bare step loaded-chain-7", "impulses rope-10",
                                         "bicycle bicycle", "ride bicycle"}));
}

TEST_F(BenchFolder, ListsItsJobsAndRefusesOthers) {
  EXPECT_TRUE(says(here("bench --list"), "forward chain-1000"));
  const Result refused = here("bench forwards");
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(says(refused, "tandem bench --list")) << refused.output;
}

TEST_F(BenchFolder, WritesTheMechanismsForOthers) {
  ASSERT_EQ(here("bench --write mechanisms").code, 0);
  EXPECT_GT(text("mechanisms/humanoid.mech").size(), 1000U);
}

}  // namespace
}  // namespace tandem::cli_tests
