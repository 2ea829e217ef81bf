#include "tandem/linalg/finite.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <utility>

namespace tandem {
namespace {

TEST(AllFinite, OneNumberThatIsNotIsFoundWhereverItStands) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (Eigen::Index size = 0; size < 11; ++size) {
    Eigen::VectorXd numbers = Eigen::VectorXd::LinSpaced(size, -1e300, 1e300);
    EXPECT_TRUE(all_finite(numbers)) << size;
    for (Eigen::Index at = 0; at < size; ++at)
      for (const double bad : {infinity, -infinity, std::numeric_limits<double>::quiet_NaN()}) {
        const double was = std::exchange(numbers[at], bad);
        EXPECT_FALSE(all_finite(numbers)) << size << " " << at << " " << bad;
        numbers[at] = was;
      }
  }
}

}  // namespace
}  // namespace tandem
