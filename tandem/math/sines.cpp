#include "tandem/math/sines.hpp"

#include <bit>
#include <cassert>
#include <cmath>
#include <cstdint>

namespace tandem {

namespace {

constexpr double largest = 1e6;  // |k| < 2²⁰ for (1)
constexpr double quarters_per_radian = 6.36619772367581382433e-01;
constexpr double to_whole = 0x1.8p52;  // added and taken off again it rounds to whole numbers
constexpr double pi_half[3] = {1.57079632673412561417e+00, 6.07710050630396597660e-11, 2.02226624879595063154e-21};
constexpr double S[6] = {-1.66666666666666324348e-01, 8.33333333332248946124e-03,  -1.98412698298579493134e-04,
                         2.75573137070700676789e-06,  -2.50507602534068634195e-08, 1.58969099521155010221e-10};
constexpr double C[6] = {4.16666666666666019037e-02,  -1.38888888888741095749e-03, 2.48015872894767294178e-05,
                         -2.75573143513906633035e-07, 2.08757232129817482790e-09,  -1.13596475577881948265e-11};

// A loop without branches, which the compiler turns into one over packs of numbers.
void small_angles(const double* x, double* __restrict sines, double* __restrict cosines, Eigen::Index n) {
  for (Eigen::Index i = 0; i < n; ++i) {
    const double shifted = x[i] * quarters_per_radian + to_whole, k = shifted - to_whole;  // (1)
    const double x1 = x[i] - k * pi_half[0], off = k * pi_half[1], x2 = x1 - off;
    const double tail = k * pi_half[2] - ((x1 - x2) - off);
    const double y = x2 - tail, e = (x2 - y) - tail;
    const double z = y * y, y3 = z * y;  // (2)
    const double s = S[1] + z * (S[2] + z * (S[3] + z * (S[4] + z * S[5])));
    const double c = z * (C[0] + z * (C[1] + z * (C[2] + z * (C[3] + z * (C[4] + z * C[5])))));
    const double sine = y - ((z * (0.5 * e - y3 * s) - e) - y3 * S[0]);
    const double near = 1.0 - 0.5 * z;
    const double cosine = near + (((1.0 - near) - 0.5 * z) + (z * c - y * e));
    const auto quarter = std::bit_cast<std::uint64_t>(shifted);  // (3)
    const bool odd = (quarter & 1) != 0;
    const auto with_sign = [](double value, std::uint64_t turned) {
      return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) ^ ((turned & 2) << 62));
    };
    sines[i] = with_sign(odd ? cosine : sine, quarter);
    cosines[i] = with_sign(odd ? sine : cosine, quarter + 1);
  }
}

}  // namespace

void sines_and_cosines(const Eigen::ArrayXd& angles, Eigen::ArrayXd& sines, Eigen::ArrayXd& cosines) {
  assert(sines.size() == angles.size() && cosines.size() == angles.size());
  small_angles(angles.data(), sines.data(), cosines.data(), angles.size());
  for (Eigen::Index i = 0; i < angles.size(); ++i)
    if (!(std::abs(angles[i]) <= largest)) {
      sines[i] = std::sin(angles[i]);
      cosines[i] = std::cos(angles[i]);
    }
}

}  // namespace tandem
