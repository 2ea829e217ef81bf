// The joint contract: two faces in one plain struct.
//
// A joint joins frame F (on the first body) to frame M (on the second); its axis is z of F. Twists are those of
// math/relative.hpp. What it allows, with coordinates q (nq) and speeds v (nv):
//
//   (1)  X_FM = pose(q)
//   (2)  V = S(q) v,   V̇ = S v̇ + c,   c = Ṡ v            motion
//   (3)  q̇ = N(q) v,  retract(q, δ), difference(q1, q0)
// What it forbids, with 6 − nv rows:
//   (4)  φ(X_FM) = 0,  φ̇ = Tᵀ V,  φ̈ = Tᵀ V̇ + bias        forbid;   Tᵀ S = 0 where φ = 0
// How it reads its coordinates from two bodies, so that drives, couplers and springs need no tree:
//   (5)  q = measure(X_FM),  v = Wᵀ V,  v̇ = Wᵀ V̇ + bias    rates;    Wᵀ S = 1
// What the recursion may know of it beforehand (tree/). Nothing needs to be declared: then it asks for pose and motion.
//   (6)  `axes`: X_FM is a product of turns and slides, a coordinate each;  `form`: a weld, a ball or a floating joint
//
// To add a joint, copy revolute.hpp and add it to all.hpp; tests/contract then checks every law above.
#pragma once

#include <array>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "tandem/base/faults.hpp"
#include "tandem/base/properties.hpp"
#include "tandem/math/relative.hpp"

namespace tandem {

// One speed of a joint. Only a `scalar` one is the rate of a coordinate of its own, to be driven, coupled or sprung.
struct JointCoordinate {
  std::string_view name;
  bool angular = false;
  bool scalar = true;
  bool counts_turns = false;  // an angle known beyond one turn from the pose itself: a screw's
};

// A turn about or a slide along an axis (0, 1, 2: x, y, z) of where the axes before it have led. (6)
struct LinkAxis {
  enum Motion : char { turn, slide } motion = turn;
  int axis = 2;
  int speed = 0;  // which of the joint's
};

// Ball: the coordinates and speeds of spherical.hpp; floating: those of free.hpp. (6)
enum class LinkForm : char { any, axes, weld, ball, floating };

template <class J> using LinkAxisOf = std::remove_extent_t<decltype(J::axes)>;
template <class J>
concept DeclaresAxes = std::is_same_v<const LinkAxis, LinkAxisOf<J>>;
template <class J>
concept DeclaresForm = std::is_same_v<decltype(J::form), const LinkForm>;

// Sizes and names, the same for every scalar.
struct JointTraits {
  std::string_view type{};
  int nq = 0, nv = 0;
  int position_rows = 0;  // the leading rows that do not look at R: all that is left with a point mass; three are φ = p
  bool needs_point = true, needs_axis = true, needs_second_axis = false;  // how it is placed in the assembled pose
  std::vector<JointCoordinate> coordinates{};
  std::vector<std::string_view> row_names{};  // 6 − nv of them
  LinkForm form = LinkForm::any;
  std::vector<LinkAxis> axes{};  // in the order of the product
  int rows() const { return 6 - nv; }
};

template <class S> struct JointKernel {
  virtual ~JointKernel() = default;
  virtual Pose<S> pose(const VecUpTo7<S>& q) const = 0;                                                      // (1)
  virtual void motion(const VecUpTo7<S>& q, const VecUpTo6<S>& v, Mat6UpTo6<S>& S_F, Vec6<S>& c) const = 0;  // (2)
  virtual VecUpTo7<S> coordinate_rate(const VecUpTo7<S>& q, const VecUpTo6<S>& v) const = 0;                 // (3)
  virtual VecUpTo7<S> retract(const VecUpTo7<S>& q, const VecUpTo6<S>& delta) const = 0;                     // (3)
  virtual VecUpTo6<S> difference(const VecUpTo7<S>& q1, const VecUpTo7<S>& q0) const = 0;                    // (3)
  virtual void forbid(const Relative<S>& x, PairRows<S>& rows) const = 0;                                    // (4)
  virtual VecUpTo7<S> measure(const Relative<S>& x) const = 0;                                               // (5)
  virtual void rates(const Relative<S>& x, Mat6UpTo6<S>& W, VecUpTo6<S>& bias) const = 0;                    // (5)
};

template <class J, class S> struct JointKernelOf final : JointKernel<S> {
  explicit JointKernelOf(J joint_) : joint(std::move(joint_)) {}
  J joint;

  Pose<S> pose(const VecUpTo7<S>& q) const override { return joint.template pose<S>(q); }
  void motion(const VecUpTo7<S>& q, const VecUpTo6<S>& v, Mat6UpTo6<S>& S_F, Vec6<S>& c) const override {
    S_F.setZero(6, J::nv);
    c.setZero();
    joint.template motion<S>(q, v, S_F, c);
  }
  VecUpTo7<S> coordinate_rate(const VecUpTo7<S>& q, const VecUpTo6<S>& v) const override {
    return joint.template coordinate_rate<S>(q, v);
  }
  VecUpTo7<S> retract(const VecUpTo7<S>& q, const VecUpTo6<S>& delta) const override {
    return joint.template retract<S>(q, delta);
  }
  VecUpTo6<S> difference(const VecUpTo7<S>& q1, const VecUpTo7<S>& q0) const override {
    return joint.template difference<S>(q1, q0);
  }
  void forbid(const Relative<S>& x, PairRows<S>& rows) const override {
    rows.resize(6 - J::nv);
    joint.template forbid<S>(x, rows);
  }
  VecUpTo7<S> measure(const Relative<S>& x) const override {
    VecUpTo7<S> q(J::nq);
    joint.template measure<S>(x, q);
    return q;
  }
  void rates(const Relative<S>& x, Mat6UpTo6<S>& W, VecUpTo6<S>& bias) const override {
    W.setZero(6, J::nv);
    bias.setZero(J::nv);
    joint.template rates<S>(x, W, bias);
  }
};

// Any joint, as a value. Constructed from a plain struct that meets the contract: Joint j = Revolute{};
class Joint {
 public:
  template <class J>
  requires requires {
    J::nq;
    J::nv;
    J::coordinates;
  }
  Joint(J joint)  // NOLINT: a joint struct is a Joint
      : traits_{std::make_shared<JointTraits>(traits_of<J>())},
        kernels_{make_kernels<JointKernel, JointKernelOf>(joint)} {
    if constexpr (requires(Faults & faults) { joint.check(faults); })
      check_ = [joint](Faults& faults) { joint.check(faults); };
  }

  const JointTraits& traits() const { return *traits_; }
  void check(Faults& faults) const {
    if (check_) check_(faults);
  }
  template <class S> const JointKernel<S>& on() const {
    return *std::get<std::shared_ptr<const JointKernel<S>>>(kernels_);
  }

 private:
  template <class J> static JointTraits traits_of() {
    JointTraits traits{.type = J::type, .nq = J::nq, .nv = J::nv, .position_rows = J::position_rows};
    if constexpr (requires { J::needs_point; }) traits.needs_point = J::needs_point;
    if constexpr (requires { J::needs_axis; }) traits.needs_axis = J::needs_axis;
    if constexpr (requires { J::needs_second_axis; }) traits.needs_second_axis = J::needs_second_axis;
    traits.coordinates.assign(J::coordinates.begin(), J::coordinates.end());
    traits.row_names.assign(J::row_names.begin(), J::row_names.end());
    if constexpr (DeclaresForm<J>) traits.form = J::form;
    if constexpr (DeclaresAxes<J>) {
      static_assert(J::nq == J::nv && std::size(J::axes) == static_cast<std::size_t>(J::nv), "one axis per coordinate");
      traits.form = LinkForm::axes;
      traits.axes.assign(std::begin(J::axes), std::end(J::axes));
    }
    return traits;
  }

  std::shared_ptr<const JointTraits> traits_;
  Kernels<JointKernel> kernels_;
  std::function<void(Faults&)> check_;
};

// What all joints share whose speeds are the rates of their coordinates: q̇ = v.
struct ScalarCoordinates {
  template <class S> VecUpTo7<S> coordinate_rate(const VecUpTo7<S>&, const VecUpTo6<S>& v) const { return v; }
  template <class S> VecUpTo7<S> retract(const VecUpTo7<S>& q, const VecUpTo6<S>& delta) const { return q + delta; }
  template <class S> VecUpTo6<S> difference(const VecUpTo7<S>& q1, const VecUpTo7<S>& q0) const { return q1 - q0; }
};

// One coordinate read from the rotation alone.
template <class S>
void read_rotation_rate(const RotationReading<S>& reading, int column, Mat6UpTo6<S>& W, VecUpTo6<S>& bias) {
  W.col(column).template head<3>() = reading.gradient;
  bias[column] = reading.bias;
}

}  // namespace tandem
