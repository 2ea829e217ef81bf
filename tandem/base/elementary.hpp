// The elementary functions of the library: the same bits on every processor.
//
// The C library chooses its own by the processor (with fused operations or without), and they differ in the last digit.
// These are made of +, −, ×, ÷ and square roots, each rounded as IEEE 754 says, and are off by less than a unit in the
// last place (tests/unit/base/elementary_test.cpp). They replace sin and its kin wherever a number of a model or a
// state comes from, for duals too (dual.hpp): `sin(x)` in namespace tandem is this one. scripts/check-elementary keeps
// std::sin out. sqrt, floor, round and fmod are exact anywhere.
#pragma once

#include <Eigen/Core>

// Shared by the builds of the library on other numbers, which rename namespace tandem (cmake/by_parameter.cmake).
namespace tandem_elementary {

// Both at once: most who ask for one ask for the other. A pack of two, so that the compiler joins such calls.
using SineAndCosine [[gnu::vector_size(16)]] = double;
[[gnu::const]] SineAndCosine sine_and_cosine(double x);

inline double sin(double x) { return sine_and_cosine(x)[0]; }
inline double cos(double x) { return sine_and_cosine(x)[1]; }
[[gnu::const]] double tan(double x);
[[gnu::const]] double asin(double x);
[[gnu::const]] double acos(double x);
[[gnu::const]] double atan(double x);
[[gnu::const]] double atan2(double y, double x);
[[gnu::const]] double exp(double x);
[[gnu::const]] double log(double x);
[[gnu::const]] double pow(double x, double y);

// Of many angles, several side by side in one instruction: the same bits as sin and cos. All three of the same size.
void sines_and_cosines(const Eigen::ArrayXd& angles, Eigen::ArrayXd& sines, Eigen::ArrayXd& cosines);

}  // namespace tandem_elementary

namespace tandem {

using tandem_elementary::acos, tandem_elementary::asin, tandem_elementary::atan, tandem_elementary::atan2,
    tandem_elementary::cos, tandem_elementary::exp, tandem_elementary::log, tandem_elementary::pow,
    tandem_elementary::sin, tandem_elementary::sines_and_cosines, tandem_elementary::tan;

}  // namespace tandem
