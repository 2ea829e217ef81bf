// The power of the force laws that do work beyond their potential: what dampers take, and what forces bring in.
//
// For laws that do not declare it, and to hold what others declare against. A law is not asked which of its loads damp.
// It is evaluated as it moves and once more at rest in the same place:
//
//   (1)  P = Σ F·v + Σ τ·ω + Σ effort q̇                     the loads of the motion, on the motion
//   (2)  P₀ the same with the loads at v = 0, ω = 0, q̇ = 0   what does not depend on the speeds
//   (3)  U̇ from U(p + ε v, R + ε sk(ω) R, q + ε q̇, t + ε)   how fast the law stores energy
//   (4)  dampers = P − P₀,   forces = P₀ + U̇
// The energy E of the simulation holds U, so that Ė = dampers + forces + the power of drives and moving constraints.
#pragma once

#include "tandem/dynamics/applied.hpp"

namespace tandem {

class ForcePower {
 public:
  enum class Laws { all, undeclared };  // that are not conservative; undeclared: but for those that declare their power
  explicit ForcePower(const Model& model, Laws laws = Laws::all);
  void update(const Model& model, const Kinematics<double>& kinematics);

  double dampers() const { return dampers_; }     // watts; negative: energy is lost
  double forces() const { return forces_; }       // watts; positive: energy comes in
  bool any() const { return !working_.empty(); }  // whether the model has such a law at all
  // The same law by law, from what each is attached to.
  void reset() { dampers_ = forces_ = 0.0; }
  void add(const Model& model, const ModelForce& force, const Attachments<double>& at, double t);

 private:
  double power(const ModelForce& force, const Attachments<double>& loaded, const Attachments<double>& at, double t);
  double storing_rate(const Model& model, const ModelForce& force, const Attachments<double>& at, double t);

  std::vector<std::size_t> working_;
  double dampers_ = 0.0, forces_ = 0.0;
  Attachments<double> moving_, resting_;  // scratch
  Attachments<Dual<double>> seeded_;
  Loads<double> loads_;
  Loads<Dual<double>> seeded_loads_;
};

}  // namespace tandem
