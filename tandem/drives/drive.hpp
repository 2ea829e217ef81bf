// The drive contract: a prescribed motion of one joint coordinate, with its velocity and acceleration.
//
//   (1)  q_A(t), q̇_A(t), q̈_A(t)
// A drive makes a coordinate active; everything else is passive. To add one, copy oscillation.hpp and add it to
// all.hpp. Every integrator ends a step at its knots(), between which it is smooth and without short peaks; or it has
// of_time(), functions whose kinks and peaks are looked for. A drive with neither is looked at for peaks alone.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "tandem/base/faults.hpp"
#include "tandem/base/properties.hpp"

namespace tandem {

template <class S> struct DriveKernel {
  virtual ~DriveKernel() = default;
  virtual Jet<S> motion(const S& t) const = 0;  // (1)
};

template <class D, class S> struct DriveKernelOf final : DriveKernel<S> {
  explicit DriveKernelOf(D drive_) : drive(std::move(drive_)) {}
  D drive;
  Jet<S> motion(const S& t) const override { return drive.template motion<S>(t); }
};

// Any drive, as a value: Drive d = Oscillation{.amplitude = 0.1, .frequency = 2.0};
class Drive {
 public:
  template <class D>
  requires requires(const D& drive, const Real& t) { drive.template motion<Real>(t); }
  Drive(D drive)  // NOLINT: a drive struct is a Drive
      : type_(D::type), kernels_{make_kernels<DriveKernel, DriveKernelOf>(drive)} {
    if constexpr (requires(Faults & faults) { drive.check(faults); })
      check_ = [drive](Faults& faults) { drive.check(faults); };
    if constexpr (requires { drive.of_time(); }) of_time_ = drive.of_time();
    if constexpr (requires { drive.knots(); }) knots_ = drive.knots();
    if constexpr (requires(Real q) { drive.at_start(q); })
      at_start_ = [drive](Real q) { return Drive(drive.at_start(q)); };
  }

  const std::string& type() const { return type_; }
  const std::vector<TimeFunction>& of_time() const { return of_time_; }
  const std::optional<std::vector<Real>>& knots() const { return knots_; }
  void check(Faults& faults) const {
    if (check_) check_(faults);
  }
  // Fills what the model left open from the coordinate of the assembled pose, e.g. the value to hold.
  Drive at_start(Real coordinate) const { return at_start_ ? at_start_(coordinate) : *this; }
  template <class S> Jet<S> motion(const S& t) const {
    return std::get<std::shared_ptr<const DriveKernel<S>>>(kernels_)->motion(t);
  }

 private:
  std::string type_;
  Kernels<DriveKernel> kernels_;
  std::vector<TimeFunction> of_time_;
  std::optional<std::vector<Real>> knots_;
  std::function<void(Faults&)> check_;
  std::function<Drive(Real)> at_start_;
};

}  // namespace tandem
