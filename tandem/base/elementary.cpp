// Sine and cosine:
//   (1)  x = k π/2 + y,  |y| ≤ π/4;   π/2 in three parts, so that k times each of the first two is exact
//   (2)  sin y and cos y by polynomials in z = y² (those of fdlibm); e is what rounding left of y
//   (3)  k mod 4 swaps the two and turns their signs
//   (4)  beyond 1e6, and next to whole quarters: x 2/π modulo 4 in whole numbers. With x = m 2^e the digits of 2/π
//        that matter are the 192 from number e − 2 on (Payne and Hanek 1983)
// All others carry what rounding leaves in a second number, Pair, and are series with rational factors:
//   (5)  atan(n/d) = atan c + atan t,   t = (n − c d)/(d + c n),   c the nearest of 0, 1/8, …, 1;   |t| ≤ 1/16
//   (6)  log(2^k m) = k ln 2 + 2 s (1 + s²/3 + s⁴/5 + …),   s = (m − 1)/(m + 1),   m in [√½, √2]
//   (7)  exp x = 2^k exp r,   r = x − k ln 2
// Sources: Dekker 1971 for products and quotients of pairs; Muller, Elementary Functions, 2016.
#include "tandem/base/elementary.hpp"

#include <bit>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <limits>

namespace tandem_elementary {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
constexpr double to_whole = 0x1.8p52;  // added and taken off again it rounds to whole numbers

// ---- sine and cosine
// -------------------------------------------------------------------------------------------------

constexpr double largest = 1e6;      // |k| < 2²⁰ for (1)
constexpr double next_to = 0x1p-66;  // |y| below this part of x needs more digits of π/2 than three parts have
constexpr double quarters_per_radian = 6.36619772367581382433e-01;
constexpr double pi_half[3] = {1.57079632673412561417e+00, 6.07710050630396597660e-11, 2.02226624879595063154e-21};
constexpr double S[6] = {-1.66666666666666324348e-01, 8.33333333332248946124e-03,  -1.98412698298579493134e-04,
                         2.75573137070700676789e-06,  -2.50507602534068634195e-08, 1.58969099521155010221e-10};
constexpr double C[6] = {4.16666666666666019037e-02,  -1.38888888888741095749e-03, 2.48015872894767294178e-05,
                         -2.75573143513906633035e-07, 2.08757232129817482790e-09,  -1.13596475577881948265e-11};

struct Reduced {
  double y, e;
  std::uint64_t quarter;  // k, of which the last two bits count
};

inline Reduced short_reduction(double x) {
  const double shifted = x * quarters_per_radian + to_whole, k = shifted - to_whole;  // (1)
  const double x1 = x - k * pi_half[0], off = k * pi_half[1], x2 = x1 - off;
  const double tail = k * pi_half[2] - ((x1 - x2) - off);
  const double y = x2 - tail;
  return {y, (x2 - y) - tail, std::bit_cast<std::uint64_t>(shifted)};
}

// 1 where three parts of π/2 are not enough.
inline std::uint64_t is_long(double x, double y) {
  const std::uint64_t far = std::abs(x) <= largest ? 0 : 1, near = std::abs(y) >= next_to * std::abs(x) ? 0 : 1;
  return far | near;
}

Reduced long_reduction(double x) {  // (4)
  if (!(std::abs(x) < infinity)) return {nan, 0.0, 0};
  __extension__ using Wide = unsigned __int128;
  // clang-format off
  static constexpr std::uint64_t two_over_pi[20] = {
      0, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
      0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41,
      0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7,
      0x4f463f669e5fea2d, 0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab};
  // clang-format on
  constexpr std::uint64_t pi_half_bits = 0xc90fdaa22168c235;  // π/2 2⁶³
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const std::uint64_t m = (bits & 0xfffffffffffff) | 0x10000000000000;
  const int from = static_cast<int>(bits >> 52 & 0x7ff) - 1075 - 2 + 64;  // the first digit, in the table
  assert(from >= 0);
  const int word = from / 64, shift = from % 64;
  const auto digits = [&](int i) {
    const std::uint64_t here = two_over_pi[word + i];
    return shift == 0 ? here : here << shift | two_over_pi[word + i + 1] >> (64 - shift);
  };
  const Wide low = Wide(m) * digits(2), middle = Wide(m) * digits(1) + std::uint64_t(low >> 64);
  const std::uint64_t high = m * digits(0) + std::uint64_t(middle >> 64);
  const std::uint64_t quarter = (high + (std::uint64_t(1) << 61)) >> 62;  // two bits before the point, the nearest
  Wide fraction = Wide(high) << 66 | Wide(std::uint64_t(middle)) << 2 | std::uint64_t(low) >> 62;
  const bool negative = fraction >> 127 != 0;
  if (negative) fraction = -fraction;
  if (fraction == 0) return {0.0, 0.0, quarter};
  const auto top = std::uint64_t(fraction >> 64);
  const int zeros = top != 0 ? std::countl_zero(top) : 64 + std::countl_zero(std::uint64_t(fraction));
  const Wide y = Wide(std::uint64_t(fraction << zeros >> 64)) * pi_half_bits;
  const double first = std::ldexp(static_cast<double>(std::uint64_t(y >> 75)), -52 - zeros);
  const double second = std::ldexp(static_cast<double>(std::uint64_t(y >> 22) & 0x1fffffffffffff), -105 - zeros);
  const double sum = first + second, rest = second - (sum - first);
  const bool turned = negative != (bits >> 63 != 0);
  return {turned ? -sum : sum, turned ? -rest : rest, bits >> 63 != 0 ? -quarter : quarter};
}

struct Pair {
  double hi, lo = 0.0;  // lo is far below hi's last digit or at most a few of it
};

// (2), as sums that are left to do.
inline Pair sine_of(double y, double e, double z) {
  const double y3 = z * y, s = S[1] + z * (S[2] + z * (S[3] + z * (S[4] + z * S[5])));
  return {y, -((z * (0.5 * e - y3 * s) - e) - y3 * S[0])};
}
inline Pair cosine_of(double y, double e, double z) {
  const double c = z * (C[0] + z * (C[1] + z * (C[2] + z * (C[3] + z * (C[4] + z * C[5])))));
  const double near = 1.0 - 0.5 * z;
  return {near, ((1.0 - near) - 0.5 * z) + (z * c - y * e)};
}

inline SineAndCosine both(const Reduced& r) {
  const double z = r.y * r.y;
  const Pair s = sine_of(r.y, r.e, z), c = cosine_of(r.y, r.e, z);
  const double sine = s.hi + s.lo, cosine = c.hi + c.lo;
  const bool odd = (r.quarter & 1) != 0;  // (3)
  const auto with_sign = [](double value, std::uint64_t turned) {
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) ^ ((turned & 2) << 62));
  };
  return SineAndCosine{with_sign(odd ? cosine : sine, r.quarter), with_sign(odd ? sine : cosine, r.quarter + 1)};
}

inline Reduced reduced(double x) {
  const Reduced r = short_reduction(x);
  return is_long(x, r.y) == 0 ? r : long_reduction(x);
}

// ---- pairs
// -----------------------------------------------------------------------------------------------------------

inline Pair sum_of_falling(double a, double b) {  // |a| ≥ |b|, or a = 0
  const double hi = a + b;
  return {hi, b - (hi - a)};
}
inline Pair sum_of(double a, double b) {
  const double hi = a + b, of_b = hi - a;
  return {hi, (a - (hi - of_b)) + (b - of_b)};
}
// 26 digits; the other 27 are x less these. Products of such parts are exact.
inline double first_half(double x) { return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & ~0x7ffffffULL); }
inline Pair product(double a, double b) {
  const double hi = a * b, a1 = first_half(a), a2 = a - a1, b1 = first_half(b), b2 = b - b1;
  return {hi, ((a1 * b1 - hi) + (a1 * b2 + a2 * b1)) + a2 * b2};
}
inline Pair product(Pair a, Pair b) {
  const Pair p = product(a.hi, b.hi);
  return {p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi)};
}
inline Pair quotient(Pair n, Pair d) {
  const double q = n.hi / d.hi;
  const Pair p = product(q, d.hi);
  return {q, ((((n.hi - p.hi) - p.lo) + n.lo) - q * d.lo) / d.hi};
}

// ---- arcs
// ------------------------------------------------------------------------------------------------------------

constexpr Pair quarter_turn{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};

// atan(n/d), 0 ≤ n ≤ d.
inline Pair arc(Pair n, Pair d) {  // (5)
  static constexpr Pair eighths[9] = {{0.0, 0.0},
                                      {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
                                      {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
                                      {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
                                      {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
                                      {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
                                      {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
                                      {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
                                      {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55}};
  const double i = (8.0 * n.hi / d.hi + to_whole) - to_whole, c = 0.125 * i;
  const double d1 = first_half(d.hi), d2 = d.hi - d1, n1 = first_half(n.hi), n2 = n.hi - n1;
  Pair above = sum_of(n.hi - c * d1, -c * d2);  // c has three digits
  above.lo += n.lo - c * d.lo;
  Pair below{d.hi + c * n.hi};
  below.lo = ((c * n1 - (below.hi - d.hi)) + c * n2) + (d.lo + c * n.lo);
  const Pair t = quotient(above, below);
  const double w = t.hi * t.hi;
  const double series =
      1.0 / 3 - w * (1.0 / 5 - w * (1.0 / 7 - w * (1.0 / 9 - w * (1.0 / 11 - w * (1.0 / 13 - w / 15)))));
  const Pair whole = eighths[static_cast<int>(i)];
  const Pair sum = sum_of_falling(whole.hi, t.hi);
  return {sum.hi, sum.lo + (whole.lo + (t.lo - t.hi * (w * series)))};
}

// The angle of (±x, y) from the axis of x, with x, y ≥ 0 and not both zero.
double angle(Pair y, Pair x, bool left) {
  const bool steep = y.hi > x.hi || (y.hi == x.hi && y.lo > x.lo);
  const Pair part = steep ? arc(x, y) : arc(y, x);
  if (!steep && !left) return part.hi + part.lo;
  const double quarters = steep ? 1.0 : 2.0, sign = steep == left ? 1.0 : -1.0;
  const Pair sum = sum_of_falling(quarters * quarter_turn.hi, sign * part.hi);
  return sum.hi + (sum.lo + (quarters * quarter_turn.lo + sign * part.lo));
}

// √(1 − x²), 0 ≤ x ≤ 1.
Pair across(double x) {
  const Pair p = product(sum_of_falling(1.0, -x), sum_of_falling(1.0, x));
  const double root = std::sqrt(p.hi);
  if (root == 0.0) return {0.0, 0.0};
  const Pair square = product(root, root);
  return {root, (((p.hi - square.hi) - square.lo) + p.lo) / (2.0 * root)};
}

// ---- powers
// ----------------------------------------------------------------------------------------------------------

constexpr double ln_2[2] = {0x1.62e42fefa3800p-1, 0x1.ef35793c76730p-45};  // the first has 11 digits to spare for k

inline double power_of_two(int k) { return std::bit_cast<double>(static_cast<std::uint64_t>(k + 1023) << 52); }

Pair logarithm(double x) {  // (6), 0 < x < ∞
  int k = 0;
  if (x < 0x1p-1022) {
    x *= 0x1p54;
    k = -54;
  }
  constexpr std::uint64_t root_half = 0x3fe6a09e667f3bcd;
  const auto bits = std::bit_cast<std::uint64_t>(x);
  k += static_cast<int>((bits - root_half) >> 52 & 0xfff);
  if (bits < root_half) k -= 0x1000;
  const double m = std::bit_cast<double>(bits - (((bits - root_half) >> 52) << 52));
  const Pair s = quotient({m - 1.0}, sum_of(m, 1.0));
  const Pair z = product(s, s);
  double rest = 0.0;
  static constexpr double odd_parts[] = {1.0 / 5,  1.0 / 7,  1.0 / 9,  1.0 / 11, 1.0 / 13, 1.0 / 15, 1.0 / 17,
                                         1.0 / 19, 1.0 / 21, 1.0 / 23, 1.0 / 25, 1.0 / 27, 1.0 / 29};
  for (int i = 12; i >= 0; --i) rest = rest * z.hi + odd_parts[i];
  const Pair third = product(z, {0x1.5555555555555p-2, 0x1.5555555555555p-56});
  Pair series = sum_of_falling(third.hi, z.hi * z.hi * rest);
  series.lo += third.lo;
  const Pair more = product(s, series), small = sum_of_falling(s.hi, more.hi);
  const Pair sum = sum_of_falling(k * ln_2[0], 2.0 * small.hi);
  return sum_of_falling(sum.hi, sum.lo + (2.0 * (small.lo + (s.lo + more.lo)) + k * ln_2[1]));
}

double exponential(Pair x) {  // (7)
  if (x.hi > 710.0) return infinity;
  if (x.hi < -746.0) return 0.0;
  const double k = (x.hi * 0x1.71547652b82fep+0 + to_whole) - to_whole;
  const Pair r = sum_of(x.hi - k * ln_2[0], x.lo - k * ln_2[1]);
  double series = 0.0;
  static constexpr double one_over_factorial[] = {
      1.0 / 2,      1.0 / 6,       1.0 / 24,       1.0 / 120,       1.0 / 720,         1.0 / 5040,        1.0 / 40320,
      1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800., 1.0 / 87178291200.};
  for (int i = 12; i >= 0; --i) series = series * r.hi + one_over_factorial[i];
  const Pair sum = sum_of_falling(1.0, r.hi);
  const double value = sum.hi + (sum.lo + (r.lo + (r.lo * r.hi + r.hi * r.hi * series)));
  const int whole = static_cast<int>(k), half = whole / 2;
  return value * power_of_two(half) * power_of_two(whole - half);
}

bool is_whole(double x) { return std::floor(x) == x; }

}  // namespace

SineAndCosine sine_and_cosine(double x) { return both(reduced(x)); }

void sines_and_cosines(const Eigen::ArrayXd& angles, Eigen::ArrayXd& sines, Eigen::ArrayXd& cosines) {
  assert(sines.size() == angles.size() && cosines.size() == angles.size());
  const double* x = angles.data();
  double* __restrict s = sines.data();
  double* __restrict c = cosines.data();
  const Eigen::Index n = angles.size();
  std::uint64_t any_long = 0;
  // Two loops without branches, so that the compiler turns them into loops over packs of numbers.
  for (Eigen::Index i = 0; i < n; ++i) {
    const SineAndCosine found = both(short_reduction(x[i]));
    s[i] = found[0];
    c[i] = found[1];
  }
  for (Eigen::Index i = 0; i < n; ++i) any_long |= is_long(x[i], s[i]) | is_long(x[i], c[i]);
  for (Eigen::Index i = 0; any_long != 0 && i < n; ++i) {
    if ((is_long(x[i], s[i]) | is_long(x[i], c[i])) == 0) continue;  // next to a quarter one of them is y
    const SineAndCosine found = both(long_reduction(x[i]));
    s[i] = found[0];
    c[i] = found[1];
  }
}

double tan(double x) {
  const Reduced r = reduced(x);
  if (r.y == 0.0) return r.y;  // with its sign
  const double z = r.y * r.y;
  const Pair s = sine_of(r.y, r.e, z), c = cosine_of(r.y, r.e, z);
  const Pair sine = sum_of_falling(s.hi, s.lo), cosine = sum_of_falling(c.hi, c.lo);
  const bool odd = (r.quarter & 1) != 0;
  const Pair q = odd ? quotient(cosine, sine) : quotient(sine, cosine);
  return odd ? -(q.hi + q.lo) : q.hi + q.lo;
}

double asin(double x) {
  const double size = std::abs(x);
  return size <= 1.0 ? std::copysign(angle({size}, across(size), false), x) : nan;
}

double acos(double x) {
  const double size = std::abs(x);
  return size <= 1.0 ? angle(across(size), {size}, x < 0.0) : nan;
}

double atan(double x) { return atan2(x, 1.0); }

double atan2(double y, double x) {
  if (std::isnan(x) || std::isnan(y)) return nan;
  double a = std::abs(y), b = std::abs(x);
  const double most = a > b ? a : b;
  if (most == infinity) {
    a = a == infinity ? 1.0 : 0.0;
    b = b == infinity ? 1.0 : 0.0;
  } else if (most == 0.0) {
    b = 1.0;
  } else if (most > 0x1p1000 || most < 0x1p-900) {
    const double factor = most > 1.0 ? 0x1p-100 : 0x1p600;
    a *= factor;
    b *= factor;
  }
  return std::copysign(angle({a}, {b}, std::signbit(x)), y);
}

double exp(double x) { return std::isnan(x) ? nan : exponential({x}); }

double log(double x) {
  if (!(x >= 0.0)) return nan;
  if (x == 0.0) return -infinity;
  if (x == infinity) return infinity;
  const Pair found = logarithm(x);
  return found.hi + found.lo;
}

double pow(double x, double y) {
  if (y == 0.0 || x == 1.0) return 1.0;
  if (std::isnan(x) || std::isnan(y)) return nan;
  const double size = std::abs(x);
  if (std::abs(y) == infinity) return size == 1.0 ? 1.0 : (size > 1.0) == (y > 0.0) ? infinity : 0.0;
  const double sign = std::signbit(x) && is_whole(y) && !is_whole(0.5 * y) ? -1.0 : 1.0;
  if (size == 0.0 || size == infinity) return sign * ((size == 0.0) == (y > 0.0) ? 0.0 : infinity);
  if (x < 0.0 && !is_whole(y)) return nan;
  const Pair l = logarithm(size);
  const double about = y * l.hi;
  if (!(std::abs(about) < 750.0)) return sign * (about > 0.0 ? infinity : 0.0);
  return sign * exponential(product({y}, l));
}

}  // namespace tandem_elementary
