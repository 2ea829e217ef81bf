// Perturbations of a motion: a basis of all that stay on the constraints, and how they move.
//
// A perturbation w = (δ, δv) of a state: q ⊞ δ, v + δv. It stays on the constraints when
//   (1)  J_h δ = 0,   J δv + (J v + φ_t)′ = 0             ′: along δ; the term usually forgotten
// In the frame that moves along with the steady motion ξ = (t, n, s) it changes by L w:
//   (2)  δ̇_θ = δω − (ω − s) × δ_θ,    δ̇_p = δv − n × δ_p
//        δω̇  = y′_ω + s × δω,         δv̇  = y′_v − n × δv        y′: by duals, steady/response.hpp
// With ξ = 0 these are the equations in body axes. Symmetry directions S satisfy (1), and L maps S into S: they can be
// divided out. E spans a complement of S. The basis is orthonormal in parts of the machine: δ by the sizes of motions,
// δv by these per its time (model/scale.hpp).
#pragma once

#include <functional>

#include "tandem/steady/symmetry.hpp"

namespace tandem {

class Perturbations {
 public:
  // Called for each direction of the basis; the response has the derivatives along it. Last: what it answered.
  using Visitor = std::function<void(const Direction&, const Response&, const Solution&)>;

  // ξ null: about the state as it is. Then only those symmetries count that the motion carries into each other.
  // The model must outlive it.
  Perturbations(const Model& model, const State& bodies, const Symmetry& symmetry, const GroupMotion* xi,
                const Visitor& visit = {});

  Eigen::Index size() const { return poses_ + speeds_; }
  Eigen::Index poses() const {
    return poses_;
  }  // the first directions: a change of pose, and the velocities it asks for
  Eigen::Index speeds() const { return speeds_; }  // the last: a change of velocities alone
  const Direction& direction(Eigen::Index k) const { return basis_[static_cast<std::size_t>(k)]; }
  const Solution& change(Eigen::Index k) const { return changes_[static_cast<std::size_t>(k)]; }
  Direction moving(Eigen::Index k) const { return moving(direction(k), change(k).y); }  // L of a direction
  Direction moving(const Direction& w, const Eigen::VectorXd& y_change) const;          // (2)

  const Eigen::MatrixXd& S() const { return S_; }  // orthonormal, in the basis
  const Eigen::MatrixXd& E() const { return E_; }
  const std::vector<std::string>& zeros() const { return zeros_; }  // the symmetries in S

  const State& bodies() const { return response_.bodies(); }
  Response& response() { return response_; }
  const Response& response() const { return response_; }

 private:
  void span(const Visitor& visit);
  void add(Direction along, const Visitor& visit);
  void find_symmetric(const Symmetry& symmetry);
  Eigen::VectorXd in_basis(const Direction& along) const;

  const Model& model_;
  const GroupMotion* xi_;
  Response response_;
  Eigen::VectorXd pose_size_, speed_size_;
  std::vector<Direction> basis_;
  std::vector<Solution> changes_;
  Eigen::Index poses_ = 0, speeds_ = 0;
  Eigen::MatrixXd S_, E_;
  std::vector<std::string> zeros_;
};

}  // namespace tandem
