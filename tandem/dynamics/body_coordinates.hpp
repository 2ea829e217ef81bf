// Coordinates on the maximal cut: every body floats, every joint is rows. One class for the three ways to write a
// rotation (attitudes.hpp); a group of unknowns is a body.
//
//   (1)  per body  V = Z u,  y = Z u̇ + c,  Z = diag(Z_r, 1)
//   (2)  quaternion rates leave M = ZᵀMZ singular along q. The length row allows adding  w q qᵀ  to M and  −w q (q̇·q̇)
//        to f: the solution is the same, multipliers included, and M is regular
#pragma once

#include "tandem/dynamics/attitudes.hpp"
#include "tandem/dynamics/coordinates.hpp"

namespace tandem {

template <class Attitude> class BodyCoordinates final : public Coordinates {
 public:
  explicit BodyCoordinates(const Model& model);

  std::string_view name() const override { return Attitude::name; }
  std::string motion(const Model& model, int speed, bool can) const override;
  std::string without_inertia(const Model& model, int unknown) const override;
  State from_bodies(const Model& model, const State& bodies, const Kinematics<double>& kinematics) const override;
  void place_bodies(const Model& model, const State& state, Kinematics<double>& kinematics) override;
  void rate(const Model& model, const State& state, VecOut<double> q_dot) const override;
  void retract(const Model& model, VecIn<double> delta, VecOut<double> q) const override;
  void place_along(const Model& model, double t, const VecX<Dual<double>>& q, const VecX<Dual<double>>& v,
                   Kinematics<Dual<double>>& kinematics) const override;
  void speed_rate_along(const Model& model, const VecX<Dual<double>>& q, const VecX<Dual<double>>& v,
                        const Kinematics<Dual<double>>& kinematics, const VecX<Dual<double>>& y,
                        VecX<Dual<double>>& v_dot) const override;
  void solve_positions(const Model& model, VecIn<double> q0, double w, const VecX<Dual<double>>& v,
                       VecX<Dual<double>>& q) const override;
  double settle(const Model& model, State& state) const override;
  Layout layout(const Model& model) const override;
  GaussProblem structure(const Model& model) override;
  void fill(const Surroundings& at, bool with_mass, GaussProblem& problem) override;
  void fill_right_sides(const Surroundings& at, const Eigen::VectorXd& force, const Eigen::VectorXd& rows,
                        GaussProblem& problem) override;
  void expand(const Surroundings& at, const GaussProblem& problem, const Solution& in, Solution& out) override;

 private:
  struct Place {
    int q = 0, v = 0;     // first coordinate, first speed
    int nv = 0;           // 3 for a point mass
    bool rotates = true;  // not a point mass
    Mat6<double> M;       // of the body in V
    Eigen::MatrixXd MZ;
    Eigen::MatrixXd Z;  // 6 × nv
    Vec6<double> c = Vec6<double>::Zero();
    double weight = 0.0;  // w of (2)
  };
  using Q = typename Attitude::Q;
  using V = typename Attitude::V;

  std::vector<Place> places_;
  int nq_ = 0, nv_ = 0;
};

// Of a body that floats, by one of its speeds.
std::string motion_of_body(const Body& body, int speed, bool can);

extern template class BodyCoordinates<QuasiAttitude>;
extern template class BodyCoordinates<QuaternionAttitude>;
extern template class BodyCoordinates<Euler312Attitude>;

}  // namespace tandem
