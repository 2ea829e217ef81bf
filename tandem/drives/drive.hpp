// The drive contract: a prescribed motion of one joint coordinate, with its velocity and acceleration.
//
//   (1)  q_A(t), q̇_A(t), q̈_A(t)
// Times at which q_A is not smooth may be given as `std::vector<double> breakpoints() const`: integrators end a step
// there.
// A drive makes a coordinate active; everything else is passive. To add one, copy oscillation.hpp and add it to
// all.hpp.
#pragma once

#include <functional>
#include <memory>
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
    if constexpr (requires { drive.breakpoints(); }) breakpoints_ = drive.breakpoints();
    if constexpr (requires(Real q) { drive.at_start(q); })
      at_start_ = [drive](Real q) { return Drive(drive.at_start(q)); };
  }

  const std::string& type() const { return type_; }
  void check(Faults& faults) const {
    if (check_) check_(faults);
  }
  // Fills what the model left open from the coordinate of the assembled pose, e.g. the value to hold.
  Drive at_start(Real coordinate) const { return at_start_ ? at_start_(coordinate) : *this; }
  const std::vector<double>& breakpoints() const { return breakpoints_; }
  template <class S> Jet<S> motion(const S& t) const {
    return std::get<std::shared_ptr<const DriveKernel<S>>>(kernels_)->motion(t);
  }

 private:
  std::string type_;
  Kernels<DriveKernel> kernels_;
  std::function<void(Faults&)> check_;
  std::function<Drive(Real)> at_start_;
  std::vector<double> breakpoints_;
};

}  // namespace tandem
