// The search for steady motions: equations (1) and (2) of steady.hpp, and how they are solved.
//
//   (3)  rules: nonholonomic rows and held readings. Steps meet the rules first, by Newton, then balance along them
//   (4)  balance: |Zᵀ (M y_ξ − f)|² + damping |step|² least (Levenberg and Marquardt); near the end plain Newton
#pragma once

#include <Eigen/SVD>

#include "tandem/steady/steady.hpp"

namespace tandem {

class SteadyFinder {
 public:
  SteadyFinder(const Model& model, const State& guess, const SteadyOptions& options);
  Steady find();

 private:
  static constexpr double longest_turn = 0.3;  // of a step, radians

  struct Residual {
    Eigen::VectorXd force;              // Zᵀ (M y − f), in parts of the largest force
    Eigen::VectorXd rows, held, rules;  // nonholonomic rows, held readings, both; in parts of their sizes
  };
  Eigen::VectorXd nearest_rates();
  Eigen::MatrixXd free_motions() const;
  void prefer_spins();
  void place();    // v and y from q and ξ, and all that follows
  void restore();  // φ = 0
  void form_system();
  Eigen::VectorXd solve_step(double damping) const;
  Eigen::VectorXd rates_in(const Eigen::VectorXd& step) const;  // a step is in parts of the machine, per its time
  double turn_in(const Eigen::VectorXd& step) const;
  void take(const Eigen::VectorXd& step);
  void meet_rules();
  void fill_column(const Direction& along, const Eigen::VectorXd& y_change, Eigen::Ref<Eigen::VectorXd> column);
  void read_residual();
  bool improve(double& damping);
  bool converge(int& iteration);
  void roll_downhill();
  void drop_leftovers(const Eigen::VectorXd& guessed, int& iteration);
  void check_symmetry(double row_residual, Response& response) const;
  Eigen::VectorXd mass_times(const Eigen::VectorXd& y) const;
  Eigen::Index first_free() const { return symmetry_.moves_time ? 1 : 0; }
  [[noreturn]] void give_up() const;

  const Model& model_;
  const Setup setup_;
  Symmetry symmetry_;
  bool symmetry_given_ = false;
  State state_;
  Eigen::VectorXd rates_;
  std::vector<ModelHold> hold_;
  int most_iterations_ = 0;
  Kinematics<double> kinematics_;
  AppliedForces<double> applied_;
  Rows<double> rows_;
  Tangent tangent_;
  std::vector<int> holonomic_, nonholonomic_;
  std::size_t bodies_ = 0;

  GroupMotion xi_;
  Eigen::VectorXd y_, lambda_, phi_, row_rate_;
  Eigen::VectorXd sizes_, held_size_, rate_unit_;  // of motions, of what is held, of the free rates
  Eigen::MatrixXd Z_, Z_pose_;                     // motions that all rows allow; poses that the holonomic ones do
  double force_size_ = 0.0;                        // of forces times sizes_
  Residual residual_;
  Eigen::JacobiSVD<Eigen::MatrixXd> system_;  // of a Newton step
  Eigen::VectorXd right_, to_rules_;
  Eigen::MatrixXd along_rules_;
};

}  // namespace tandem
