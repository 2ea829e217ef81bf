// Lanes: four numbers side by side, of four rows. The rows of a block go through the sweep together: doubles with one
// instruction for all where the processor has such, other scalars one by one, in the same order.
#pragma once

#include <cstring>

#include "tandem/tree/spatial.hpp"

namespace tandem {

template <class S> class Lanes {
 public:
  static constexpr int count = 4;

  Lanes() = default;
  Lanes(const S& x) : Lanes(x, x, x, x) {}  // NOLINT(google-explicit-constructor): a number for all of them
  Lanes(const S& x, const S& y, const S& z, const S& u) : a_{x, y, z, u} {}
  static Lanes load(const S* from) { return {from[0], from[1], from[2], from[3]}; }
  void store(S* to) const {
    for (int i = 0; i < count; ++i) to[i] = a_[i];
  }

  friend Lanes operator+(Lanes a, const Lanes& b) {
    for (int i = 0; i < count; ++i) a.a_[i] = a.a_[i] + b.a_[i];
    return a;
  }
  friend Lanes operator-(Lanes a, const Lanes& b) {
    for (int i = 0; i < count; ++i) a.a_[i] = a.a_[i] - b.a_[i];
    return a;
  }
  friend Lanes operator*(Lanes a, const Lanes& b) {
    for (int i = 0; i < count; ++i) a.a_[i] = a.a_[i] * b.a_[i];
    return a;
  }
  Lanes operator-() const { return {-a_[0], -a_[1], -a_[2], -a_[3]}; }
  S sum() const { return (a_[0] + a_[2]) + (a_[1] + a_[3]); }

 private:
  S a_[count] = {};
};

template <> class Lanes<double> {
 public:
  static constexpr int count = 4;

  Lanes() : a_{} {}
  Lanes(double x) : Lanes(x, x, x, x) {}  // NOLINT(google-explicit-constructor): a number for all of them
#ifdef __AVX__
  Lanes(double x, double y, double z, double u) : a_{{ x, y, z, u }} {}
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
template <class S> TANDEM_INLINE Column<S> column_of(const Lanes<S>& a) {
  Column<S> out;
  a.store(out.a);
  return out;
}
template <class S> TANDEM_INLINE Lanes<S> operator*(const Column<S>& a, const S& k) { return Lanes<S>::load(a.a) * k; }
template <class S> TANDEM_INLINE Lanes<S> operator+(const Column<S>& a, const Lanes<S>& b) {
  return Lanes<S>::load(a.a) + b;
}
template <class S> TANDEM_INLINE Lanes<S> operator-(const Column<S>& a, const Column<S>& b) {
  return Lanes<S>::load(a.a) - Lanes<S>::load(b.a);
}

// With the numbers of a link, which are the same for all rows.
template <class S> TANDEM_INLINE Lanes<S> dot(const V3<Lanes<S>>& a, const V3<S>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class S> TANDEM_INLINE V3<Lanes<S>> cross(const V3<S>& a, const V3<Lanes<S>>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class S> TANDEM_INLINE V3<Lanes<S>> operator*(const M3<S>& R, const V3<Lanes<S>>& a) {
  return {R.x.x * a.x + R.y.x * a.y + R.z.x * a.z, R.x.y * a.x + R.y.y * a.y + R.z.y * a.z,
          R.x.z * a.x + R.y.z * a.y + R.z.z * a.z};
}
template <class S> TANDEM_INLINE V3<Lanes<S>> transposed_times(const M3<S>& R, const V3<Lanes<S>>& a) {
  return {dot(a, R.x), dot(a, R.y), dot(a, R.z)};
}

// A row's (angular, linear) part of four rows, from and to an array per component.
template <class S, int padded> struct SixLanes {
  using Array = S[6][padded];
  V3<Lanes<S>> w, v;

  TANDEM_INLINE static SixLanes load(const Array& from, int first) {
    return {{Lanes<S>::load(from[0] + first), Lanes<S>::load(from[1] + first), Lanes<S>::load(from[2] + first)},
            {Lanes<S>::load(from[3] + first), Lanes<S>::load(from[4] + first), Lanes<S>::load(from[5] + first)}};
  }
  TANDEM_INLINE void store(Array& to, int first) const {
    w.x.store(to[0] + first), w.y.store(to[1] + first), w.z.store(to[2] + first);
    v.x.store(to[3] + first), v.y.store(to[4] + first), v.z.store(to[5] + first);
  }
};

}  // namespace tandem
