// Lanes: four numbers side by side, of four rows. The rows of a block go through the sweep together, with one
// instruction for all where the processor has such.
#pragma once

#include <cstring>

#include "tandem/tree/spatial.hpp"

namespace tandem {

class Lanes {
 public:
  static constexpr int count = 4;

  Lanes() : a_{} {}
  Lanes(double x) : Lanes(x, x, x, x) {}  // NOLINT(google-explicit-constructor): a number for all of them
#ifdef __AVX__
  Lanes(double x, double y, double z, double u) : a_{{x, y, z, u}} {}
#else
  Lanes(double x, double y, double z, double u) : a_{{x, y}, {z, u}} {}
#endif
  TANDEM_INLINE static Lanes load(const double* from) {
    Lanes out;
    for (int i = 0; i < packs; ++i) std::memcpy(&out.a_[i], from + i * width, sizeof(Pack));
    return out;
  }
  TANDEM_INLINE void store(double* to) const {
    for (int i = 0; i < packs; ++i) std::memcpy(to + i * width, &a_[i], sizeof(Pack));
  }

  TANDEM_INLINE friend Lanes operator+(const Lanes& a, const Lanes& b) {
    Lanes out;
    for (int i = 0; i < packs; ++i) out.a_[i] = a.a_[i] + b.a_[i];
    return out;
  }
  TANDEM_INLINE friend Lanes operator-(const Lanes& a, const Lanes& b) {
    Lanes out;
    for (int i = 0; i < packs; ++i) out.a_[i] = a.a_[i] - b.a_[i];
    return out;
  }
  TANDEM_INLINE friend Lanes operator*(const Lanes& a, const Lanes& b) {
    Lanes out;
    for (int i = 0; i < packs; ++i) out.a_[i] = a.a_[i] * b.a_[i];
    return out;
  }
  TANDEM_INLINE Lanes operator-() const {
    Lanes out;
    for (int i = 0; i < packs; ++i) out.a_[i] = -a_[i];
    return out;
  }
  TANDEM_INLINE double sum() const {
    const auto at = [&](int k) { return a_[k / width][k % width]; };
    return (at(0) + at(2)) + (at(1) + at(3));
  }

 private:
  // As wide as the registers are. g++ takes wider packs through memory, number by number, and waits for it: five times
  // the time.
#ifdef __AVX__
  static constexpr int width = 4;
#else
  static constexpr int width = 2;
#endif
  static constexpr int packs = count / width;
  using Pack [[gnu::vector_size(8 * width)]] = double;
  Pack a_[packs];
};

// A column, taken as one pack.
TANDEM_INLINE Column column_of(const Lanes& a) {
  Column out;
  a.store(out.a);
  return out;
}
TANDEM_INLINE Lanes operator*(const Column& a, double k) { return Lanes::load(a.a) * k; }
TANDEM_INLINE Lanes operator+(const Column& a, const Lanes& b) { return Lanes::load(a.a) + b; }
TANDEM_INLINE Lanes operator-(const Column& a, const Column& b) { return Lanes::load(a.a) - Lanes::load(b.a); }

// With the numbers of a link, which are the same for all rows.
TANDEM_INLINE Lanes dot(const V3<Lanes>& a, const V3<double>& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
TANDEM_INLINE V3<Lanes> cross(const V3<double>& a, const V3<Lanes>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
TANDEM_INLINE V3<Lanes> operator*(const M3<double>& R, const V3<Lanes>& a) {
  return {R.x.x * a.x + R.y.x * a.y + R.z.x * a.z, R.x.y * a.x + R.y.y * a.y + R.z.y * a.z,
          R.x.z * a.x + R.y.z * a.y + R.z.z * a.z};
}
TANDEM_INLINE V3<Lanes> transposed_times(const M3<double>& R, const V3<Lanes>& a) {
  return {dot(a, R.x), dot(a, R.y), dot(a, R.z)};
}

// A row's (angular, linear) part of four rows, from and to an array per component.
template <int padded> struct SixLanes {
  using Array = double[6][padded];
  V3<Lanes> w, v;

  TANDEM_INLINE static SixLanes load(const Array& from, int first) {
    return {{Lanes::load(from[0] + first), Lanes::load(from[1] + first), Lanes::load(from[2] + first)},
            {Lanes::load(from[3] + first), Lanes::load(from[4] + first), Lanes::load(from[5] + first)}};
  }
  TANDEM_INLINE void store(Array& to, int first) const {
    w.x.store(to[0] + first), w.y.store(to[1] + first), w.z.store(to[2] + first);
    v.x.store(to[3] + first), v.y.store(to[4] + first), v.z.store(to[5] + first);
  }
};

}  // namespace tandem
