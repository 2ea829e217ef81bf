// Rolling surface: a convex surface fixed in M rolls without slipping on the x-y plane of F.
//
// The surface is given by its support function h(n), how far it reaches from M's origin in the direction n, with
// h(k n) = k h(n) for k > 0. Derivation: docs/rolling.md.
//
//   (1)  m = −Rᵀz   the surface's outward normal at the contact;   c = ∇h(m)   the contact point;   both in M
//   (2)  φ = p_z − h(m)                                             contact, holonomic
//   (3)  s = R c,   u = v + ω × s,   φ̇ = z·u,   x·u = 0,   y·u = 0   rolling, two nonholonomic rows
//   (4)  ṁ = Rᵀ(ω × z),   ċ = ∇²h(m) ṁ                               how the contact point moves along the surface
//   (5)  ṡ = ω × s + R ċ,   bias = e·(ω × ṡ)   for e = z, x, y
//   (6)  ellipsoid with D = diag(a₁, a₂, a₃):   h = |D m|,   c = D² m/h,   ċ = (D² ṁ − c (c·ṁ))/h
// A surface needs radii of curvature that are finite; they may be zero, as those of an edge.
#pragma once

#include "tandem/constraints/constraint.hpp"

namespace tandem {

template <class S> struct SurfaceContact {
  S h;
  Vec3<S> c, c_dot;
};

// Any surface with `template <class S> S support(const Vec3<S>& n) const`: its gradient and the rate of it by duals.
template <class Surface, class S>
SurfaceContact<S> surface_contact(const Surface& surface, const Vec3<S>& m, const Vec3<S>& m_dot) {
  using Along = Dual<S>;
  using Both = Dual<Along>;
  SurfaceContact<S> out;
  for (Eigen::Index i = 0; i < 3; ++i) {
    Vec3<Both> n;
    for (Eigen::Index k = 0; k < 3; ++k) n[k] = Both(Along(m[k], m_dot[k]), Along(k == i ? 1.0 : 0.0));
    const Both h = surface.template support<Both>(n);
    out.h = h.value.value;
    out.c[i] = h.derivative.value;           // (1)
    out.c_dot[i] = h.derivative.derivative;  // (4)
  }
  return out;
}

struct Ellipsoid {
  static constexpr std::string_view type = "rolling_surface";

  Vector3 semi_axes = Vector3::Zero();  // along the axes of M

  static Ellipsoid read(Properties& properties) { return {.semi_axes = properties.vector("semi_axes")}; }
  void check(Faults& faults) const {
    for (Eigen::Index i = 0; i < 3; ++i)
      if (!(semi_axes[i] > 0.0))
        return faults.error_in("semi_axes", "the semi-axes must be positive" + not_this(value_of(semi_axes[i])));
  }
  ContactGeometry contact_geometry() const {
    return {.shape = ContactGeometry::Shape::ellipsoid, .semi_axes = semi_axes};
  }

  template <class S> S support(const Vec3<S>& n) const { return norm<S>(stretched<S>(n)); }
  template <class S> SurfaceContact<S> contact(const Vec3<S>& m, const Vec3<S>& m_dot) const {
    const Vec3<S> squared = stretched<S>(stretched<S>(m));  // (6)
    SurfaceContact<S> out;
    out.h = support<S>(m);
    out.c = squared / out.h;
    out.c_dot = (stretched<S>(stretched<S>(m_dot)) - out.c * out.c.dot(m_dot)) / out.h;
    return out;
  }

 private:
  template <class S> Vec3<S> stretched(const Vec3<S>& n) const {  // D n
    return {S(semi_axes[0]) * n[0], S(semi_axes[1]) * n[1], S(semi_axes[2]) * n[2]};
  }
};

// A surface of your own has a `type`, `support`, and, for model files, `read`. It may have `contact`, which is faster
// than duals, `check`, `trouble(m)` for normals at which it has no contact point, and `contact_geometry`.
template <class Surface> struct RollingSurface {
  static constexpr std::string_view type = Surface::type;
  static constexpr int holonomic = 1, nonholonomic = 2;
  static constexpr Placement placement = Placement::surface;
  static constexpr std::array<std::string_view, 3> row_names{"contact", "rolling x", "rolling y"};

  Surface surface{};

  static RollingSurface read(Properties& properties) { return {Surface::read(properties)}; }
  void check(Faults& faults) const requires requires(const Surface& own) { own.check(faults); }
  { surface.check(faults); }
  std::string trouble(const Relative<Real>& x) const requires requires(const Surface& own, const Vector3& m) {
    own.trouble(m);
  }
  { return surface.trouble(Vector3(-x.R.row(2).transpose())); }
  ContactGeometry contact_geometry() const requires requires(const Surface& own) { own.contact_geometry(); }
  { return surface.contact_geometry(); }

  template <class S> void rows(const Relative<S>& x, const S&, PairRows<S>& rows) const {
    const SurfaceContact<S> at = contact(x);
    const Vec3<S> s = x.R * at.c;                                  // (3)
    const Vec3<S> s_dot = x.w.cross(s) + Vec3<S>(x.R * at.c_dot);  // (5)
    const Vec3<S> bias = x.w.cross(s_dot);
    constexpr Eigen::Index axes[3] = {2, 0, 1};
    for (Eigen::Index row = 0; row < 3; ++row) {
      const Vec3<S> e = Vec3<S>::Unit(axes[row]);
      rows.T.col(row).template head<3>() = s.cross(e);  // (3)
      rows.T.col(row).template tail<3>() = e;
      rows.bias[row] = bias[axes[row]];  // (5)
    }
    rows.phi[0] = x.p.z() - at.h;  // (2)
  }

  template <class S> Vec3<S> reaction_point(const Relative<S>& x) const { return x.p + Vec3<S>(x.R * contact(x).c); }

 private:
  template <class S> SurfaceContact<S> contact(const Relative<S>& x) const {
    const Vec3<S> z = Vec3<S>::UnitZ();
    const Vec3<S> m = -(x.R.transpose() * z);                       // (1)
    const Vec3<S> m_dot = x.R.transpose() * Vec3<S>(x.w.cross(z));  // (4)
    if constexpr (requires { surface.template contact<S>(m, m_dot); })
      return surface.template contact<S>(m, m_dot);
    else
      return surface_contact(surface, m, m_dot);
  }
};

}  // namespace tandem
