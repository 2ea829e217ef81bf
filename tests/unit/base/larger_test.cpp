#include "tandem/base/larger.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace tandem {
namespace {

TEST(KeepLarger, KeepsTheLargest) {
  double most = 0.0;
  for (const double value : {1.0, 3.0, 2.0}) keep_larger(most, value);
  EXPECT_EQ(most, 3.0);
}

TEST(KeepLarger, WhatIsNotANumberStaysWhateverFollows) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  double most = 1.0;
  keep_larger(most, nan);
  EXPECT_TRUE(std::isnan(most));
  keep_larger(most, 5.0);
  EXPECT_TRUE(std::isnan(most));
}

}  // namespace
}  // namespace tandem
