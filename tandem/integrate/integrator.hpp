// The integrator contract: from a state to the state a step later. Projection onto the constraints comes after it.
//
// Integrators run on x and ẋ (dynamics/state.hpp) in the coordinates in use, without a look at what is in them, but for
// implicit, herk and semi_implicit_euler; quaternions are normalised at the end of a step.
//   (1)  between the ends of a step, unless an integrator knows better, cubic Hermite in θ = (t − t₀)/h:
//        x = (1 − θ) x₀ + θ x₁ + θ (θ − 1) ((1 − 2θ)(x₁ − x₀) + (θ − 1) h ẋ₀ + θ h ẋ₁)
//   (2)  error of a step against what the tolerance allows, e/(tol (0.03 s + |x|)), the largest of all components, with
//        s the size of each (model/scale.hpp): the machine's length or a radian, of speeds per its time. It is taken
//        before the projection: what that moves closes what all steps before have left too, and so does not shrink
//        with the step. Round-off is 100 ε of |x| and 10 ε of s: less is not asked for
//   (3)  where stages are brought onto the constraints (flow.hpp), only the error along them counts: Π(x₁ + e) − Π(x₁).
//        Across them rates have few digits there, and the projection at the end of the step takes that out
#pragma once

#include "tandem/dynamics/step_memory.hpp"
#include "tandem/integrate/system.hpp"
#include "tandem/model/setup.hpp"

namespace tandem {

class Integrator {
 public:
  virtual ~Integrator() = default;
  // Moves `state` by h; not projected.
  virtual void step(System& system, double h, State& state) = 0;
  // (2) of the last step; 0 for fixed steps.
  virtual double error(double /*tolerance*/) { return 0.0; }
  // The longest part of a step in which no stage lies, as parts of it.
  struct Gap {
    double from = 0.0, to = 1.0;
  };
  virtual Gap widest_gap() const { return {}; }
  // A state within the last step, which ended in `end` after projection. Not projected. (1)
  virtual void interpolate(System& system, const State& end, double t, State& out);
  // The end of the last step was taken, projected; or another state takes its place. For what is kept between steps, in
  // StepMemory.
  virtual void accept() {}
  virtual void forget() {}
  // How far quaternions were from unit length before they were normalised.
  double quaternion_error() const { return quaternion_error_; }

 protected:
  void begin(const State& state, double h);  // allocates on the first call only
  void end(System& system, State& state);    // settles, remembers
  // (2), and (3): `error` is changed to what is left of it.
  double scaled(double tolerance, Eigen::VectorXd& error);

  State start_, finish_;          // before the projection
  Eigen::VectorXd first_, last_;  // ẋ at the ends
  double h_ = 0.0, quaternion_error_ = 0.0;
  bool has_last_ = false;
  bool knows_first_ = true;  // whether step() sets first_

 private:
  System* system_ = nullptr;  // of the last step
  State projected_;           // of (3)
  bool has_projected_ = false;
};

struct IntegratorInfo {
  IntegratorName id;
  std::string name;
  std::string summary;
  int order = 0;
  bool adaptive = false;
  std::unique_ptr<Integrator> (*make)(StepMemory&) = nullptr;  // which must outlive it
};

const std::vector<IntegratorInfo>& all_integrators();
const IntegratorInfo& find_integrator(IntegratorName name);
// Throws std::invalid_argument with a suggestion for an unknown name.
const IntegratorInfo& find_integrator(std::string_view name);

}  // namespace tandem
