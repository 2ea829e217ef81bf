#include "tandem/base/suggest.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tandem {
namespace {

const std::vector<std::string> words = {"mass", "inertia", "position", "max", "t"};

TEST(Suggest, FindsEachKindOfSingleEdit) {
  EXPECT_EQ(closest("mas", words), "mass");    // a letter missing; "max" is as near but comes later
  EXPECT_EQ(closest("masss", words), "mass");  // one too many
  EXPECT_EQ(closest("moss", words), "mass");   // another letter
  EXPECT_EQ(closest("amss", words), "mass");   // two swapped: a single edit, as the limit for four letters is one
}

TEST(Suggest, CaseAloneAlwaysWins) {
  const std::vector<std::string> candidates = {"masx", "Mass"};
  EXPECT_EQ(closest("MASS", candidates), "Mass");
  EXPECT_EQ(closest("INERTA", words), "inertia");
}

TEST(Suggest, LimitGrowsWithTheWordUpToThree) {
  EXPECT_EQ(closest("mxxs", words), std::nullopt);      // two edits in four letters
  EXPECT_EQ(closest("inrtai", words), "inertia");       // two in six
  EXPECT_EQ(closest("posxxtion", words), "position");   // two in nine
  EXPECT_EQ(closest("pxxxtion", words), std::nullopt);  // three in eight
  const std::vector<std::string> longer = {"abcdefghijklmnop"};
  EXPECT_EQ(closest("xxxdefghijklmnop", longer), "abcdefghijklmnop");
  EXPECT_EQ(closest("xxxxefghijklmnop", longer), std::nullopt);
}

TEST(Suggest, PrefersTheNearestAndThenTheFirst) {
  const std::vector<std::string> candidates = {"abcdxx", "abcdex", "abcdey"};
  EXPECT_EQ(closest("abcdez", candidates), "abcdex");
}

TEST(Suggest, NeedsSomethingInCommon) {
  EXPECT_EQ(closest("q", words), std::nullopt);
  EXPECT_EQ(closest("t1", words), "t");
  EXPECT_EQ(closest("", words), std::nullopt);
  EXPECT_EQ(closest("mass", {}), std::nullopt);
  const std::vector<std::string> blank = {""};
  EXPECT_EQ(closest("", blank), std::nullopt);
  EXPECT_EQ(closest("x", blank), std::nullopt);
}

TEST(Suggest, WritesTheTailOfAMessage) {
  EXPECT_EQ(did_you_mean("masss", words), "; did you mean \"mass\"?");
  EXPECT_EQ(did_you_mean("velocity", words), "");
}

TEST(Suggest, ListsUpToTenNamesWhenNoneIsNear) {
  std::vector<std::string> bodies{"frame"};
  EXPECT_EQ(did_you_mean_or_list("frme", bodies), "; did you mean \"frame\"?");
  EXPECT_EQ(did_you_mean_or_list("q", bodies), "; there is \"frame\"");
  bodies.emplace_back("wheel");
  EXPECT_EQ(did_you_mean_or_list("q", bodies), "; there are \"frame\" and \"wheel\"");
  for (int i = 0; i < 10; ++i) bodies.push_back("rod" + std::to_string(i));
  EXPECT_TRUE(did_you_mean_or_list("q", bodies).ends_with(", \"rod7\" and 2 more"));
  EXPECT_EQ(did_you_mean_or_list("q", {}), "");
}

}  // namespace
}  // namespace tandem
