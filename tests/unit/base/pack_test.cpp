// Packs of worlds: what is done to a pack is done to each of its numbers, to the bit.
#include "tandem/base/pack.hpp"

#include <gtest/gtest.h>

namespace tandem::test {
namespace {

using Four = Pack<4>;

Four four(double a, double b, double c, double d) {
  Four out;
  out.lane[0] = a, out.lane[1] = b, out.lane[2] = c, out.lane[3] = d;
  return out;
}

template <class OnPacks, class OnDoubles> void expect_each(const OnPacks& on_packs, const OnDoubles& on_doubles) {
  const Four a = four(0.3, -1.7, 0.0, 4.1), b = four(2.0, -1.7, -0.5, 0.7);
  const Four found = on_packs(a, b);
  for (int w = 0; w < 4; ++w) EXPECT_EQ(of_world(found, w), on_doubles(of_world(a, w), of_world(b, w))) << w;
}

TEST(Pack, GoesLaneByLane) {
  const auto same = [](const auto& f) { expect_each(f, f); };
  same([](auto a, auto b) { return decltype(a)(a + b); });
  same([](auto a, auto b) { return decltype(a)(a - b); });
  same([](auto a, auto b) { return decltype(a)(a * b); });
  same([](auto a, auto b) { return decltype(a)(a / b); });
  same([](auto a, auto b) { return decltype(a)(2.0 * a - b / 3.0); });
  same([](auto a, auto) { return sin(a); });
  same([](auto a, auto) { return cos(a); });
  expect_each([](Four a, Four) { return sqrt(abs(a)); }, [](double a, double) { return std::sqrt(std::abs(a)); });
  expect_each([](Four, Four b) { return round(b); }, [](double, double b) { return std::round(b); });
}

TEST(Pack, SelectsByWorld) {
  const auto same = [](const auto& f) { expect_each(f, f); };
  same([](auto a, auto b) { return select(a < b, a, b); });
  same([](auto a, auto b) { return select(a <= b, a, b); });
  same([](auto a, auto b) { return select(a > b, a, b); });
  same([](auto a, auto b) { return select(a >= b, a, b); });
  same([](auto a, auto b) { return select(a == b, decltype(a)(1.0), b); });
  const Four not_there = four(1.0, std::nan(""), 2.0, 3.0);  // what is not a number is not taken for another
  const Four found = select(not_there <= Four(1.5), Four(0.0), not_there);
  EXPECT_EQ(found.lane[0], 0.0);
  EXPECT_TRUE(std::isnan(found.lane[1]));
  EXPECT_EQ(found.lane[2], 2.0);
}

TEST(Pack, NumbersAndDualsAreOneWorld) {
  static_assert(worlds_of<double> == 1 && worlds_of<Dual<double>> == 1 && worlds_of<Four> == 4);
  EXPECT_EQ(of_world(3.0, 0), 3.0);
  EXPECT_EQ(of_world(Dual<double>(3.0, 5.0), 0), 3.0);
  Four x(1.0);
  put_world(x, 2, 7.0);
  EXPECT_EQ(of_world(x, 2), 7.0);
  EXPECT_EQ(of_world(x, 1), 1.0);
}

}  // namespace
}  // namespace tandem::test
