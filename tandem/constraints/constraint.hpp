// The constraint contract: rows between frame F (on the first body) and frame M (on the second).
//
// A constraint fills PairRows (math/relative.hpp): first its holonomic rows with φ, then its nonholonomic ones.
//
//   (1)  φ(X_FM, t) = 0,   φ̇ = Tᵀ V + φ_t,   φ̈ = Tᵀ V̇ + bias
//   (2)  nonholonomic:     Tᵀ V + φ_t = 0,   Tᵀ V̇ + bias = 0
// The reaction is reported at reaction_point, in F axes from F's origin.
//
// A constraint that holds a body on the plane x-y of F by rolling or gliding declares with `contact_geometry()` what
// touches the plane, as data; compare/contact_check then checks its rows by geometry of its own.
//
// To add a constraint, copy distance.hpp and add it to all.hpp; tests/contract then checks every law.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "tandem/base/faults.hpp"
#include "tandem/base/properties.hpp"
#include "tandem/math/relative.hpp"

namespace tandem {

struct ConstraintTraits {
  std::string type;
  int holonomic = 0, nonholonomic = 0;
  bool one_sided = false;  // φ ≤ 0 instead of φ = 0
  std::vector<std::string> row_names;
  int rows() const { return holonomic + nonholonomic; }
};

// How the frames of a constraint are placed when the model gives no frames of its own.
enum class Placement {
  points,        // `point` or `points`, in world axes of the assembled pose; axes of F and M are world axes
  axis,          // `point` or `points` and `axis`: z of F and of M
  directions,    // `axis` alone: z of F and of M
  rolling_body,  // F is a plane (`plane_point`, `normal`), M the mass centre of the second body with z along `axis`
  blade,         // F is a plane, M at `point` with x along `blade`
  surface,       // F is a plane, M at `point` of the second body with the body's axes
};
inline bool is_on_plane(Placement placement) {
  return placement == Placement::rolling_body || placement == Placement::blade || placement == Placement::surface;
}

// What touches the plane x-y of F. A disc, a ball and an ellipsoid roll: their point in contact is at rest on the
// plane. A blade glides: its point moves along the plane only where the blade points.
struct ContactGeometry {
  enum class Shape { disc, ball, ellipsoid, blade } shape = Shape::disc;
  Real radius = 0.0;                    // of a disc or a ball about M's origin, to the plane
  Real crown = 0.0;                     // of a disc: the radius of its rounded rim, part of `radius`
  Vector3 semi_axes = Vector3::Zero();  // of an ellipsoid about M's origin, along M's axes
  Vector3 axis = Vector3::UnitZ();      // in M: what a disc turns about, where a blade points
};

template <class S> struct ConstraintKernel {
  virtual ~ConstraintKernel() = default;
  virtual void rows(const Relative<S>& x, const S& t, PairRows<S>& rows) const = 0;  // (1), (2)
  virtual Vec3<S> reaction_point(const Relative<S>& x) const = 0;
};

template <class C, class S> struct ConstraintKernelOf final : ConstraintKernel<S> {
  explicit ConstraintKernelOf(C constraint_) : constraint(std::move(constraint_)) {}
  C constraint;

  void rows(const Relative<S>& x, const S& t, PairRows<S>& rows) const override {
    rows.resize(C::holonomic + C::nonholonomic);
    constraint.template rows<S>(x, t, rows);
  }
  Vec3<S> reaction_point(const Relative<S>& x) const override {
    if constexpr (requires { constraint.template reaction_point<S>(x); })
      return constraint.template reaction_point<S>(x);
    else
      return Vec3<S>::Zero();
  }
};

// Any pair constraint, as a value: Constraint c = Distance{.length = 1.0};
class Constraint {
 public:
  template <class C>
  requires requires {
    C::holonomic;
    C::nonholonomic;
    C::row_names;
    C::placement;
  }
  Constraint(C constraint)  // NOLINT: a constraint struct is a Constraint
      : traits_{std::make_shared<ConstraintTraits>(
            ConstraintTraits{std::string(C::type), C::holonomic, C::nonholonomic, is_one_sided<C>(),
                             std::vector<std::string>(C::row_names.begin(), C::row_names.end())})},
        placement_(C::placement),
        kernels_{make_kernels<ConstraintKernel, ConstraintKernelOf>(constraint)} {
    if constexpr (requires(Faults & faults) { constraint.check(faults); })
      check_ = [constraint](Faults& faults) { constraint.check(faults); };
    if constexpr (requires(const Relative<Real>& x) { constraint.trouble(x); })
      trouble_ = [constraint](const Relative<Real>& x, double) { return constraint.trouble(x); };
    else if constexpr (requires(const Relative<Real>& x) { constraint.trouble(x, 1.0); })
      trouble_ = [constraint](const Relative<Real>& x, double length) { return constraint.trouble(x, length); };
    if constexpr (requires { constraint.contact_geometry(); }) contact_geometry_ = constraint.contact_geometry();
    if constexpr (requires { constraint.time_dependent(); }) time_dependent_ = constraint.time_dependent();
    if constexpr (requires { constraint.of_time(); }) of_time_ = constraint.of_time();
    if constexpr (requires(const Pose<Real>& x) { constraint.at_start(x); })
      at_start_ = [constraint](const Pose<Real>& X_FM) { return Constraint(constraint.at_start(X_FM)); };
  }

  const ConstraintTraits& traits() const { return *traits_; }
  Placement placement() const { return placement_; }
  bool time_dependent() const { return time_dependent_; }
  // What it keeps to that is a function of time, so that kinks and peaks are known before a run.
  const std::vector<TimeFunction>& of_time() const { return of_time_; }
  const std::optional<ContactGeometry>& contact_geometry() const { return contact_geometry_; }
  // What is wrong with the geometry of a machine of this length, such as a wheel that lies flat; empty when all is
  // well.
  std::string trouble(const Relative<Real>& x, double length) const {
    return trouble_ ? trouble_(x, length) : std::string();
  }
  void check(Faults& faults) const {
    if (check_) check_(faults);
  }
  // Fills what the model left open from the assembled pose, e.g. a distance that was not given.
  Constraint at_start(const Pose<Real>& X_FM) const { return at_start_ ? at_start_(X_FM) : *this; }
  template <class S> const ConstraintKernel<S>& on() const {
    return *std::get<std::shared_ptr<const ConstraintKernel<S>>>(kernels_);
  }

 private:
  template <class C> static constexpr bool is_one_sided() {
    if constexpr (requires { C::one_sided; })
      return C::one_sided;
    else
      return false;
  }

  std::shared_ptr<const ConstraintTraits> traits_;
  Placement placement_;
  bool time_dependent_ = false;
  std::optional<ContactGeometry> contact_geometry_;
  Kernels<ConstraintKernel> kernels_;
  std::vector<TimeFunction> of_time_;
  std::function<void(Faults&)> check_;
  std::function<std::string(const Relative<Real>&, double)> trouble_;
  std::function<Constraint(const Pose<Real>&)> at_start_;
};

}  // namespace tandem
