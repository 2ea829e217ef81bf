// The rows of a step by impulses, straight from the poses of the bodies: φ, J, J v + φ_t and f, and nothing else.
//
// A step asks for rows after every move. The Workspace would also find biases, energies and what every joint measures;
// here it waits until somebody asks. For joints and constraints between two bodies under gravity alone:
//   (1)  t, τ: a column of T in world axes, its force and its torque part;   o = p_M − p_A,  r = p_M − p_B
//   (2)  row of J:   on A  (R_Aᵀ (t × o − τ), −t),   on B  (R_Bᵀ (r × t + τ), t)          dynamics/pair_motion.hpp (2)
//   (3)  f = (−ω' × I ω', m g)
#pragma once

#include "tandem/dynamics/workspace.hpp"
#include "tandem/tree/spatial.hpp"

namespace tandem {

class ImpulseRows {
 public:
  // Nothing where the model needs more: force laws, drives, rows of other kinds, other coordinates.
  static std::unique_ptr<ImpulseRows> make(const Model& model, const Workspace& workspace);

  // `problem` and the bodies of `kinematics` at `state`; of `problem` all but b. False when a row moves by itself, φ_t
  // ≠ 0: then somebody has to follow its work, and the workspace does.
  bool update(const Model& model, const State& state, Workspace& workspace);
  // The measured joint coordinates after update(), on the turn nearest to what they were.
  void read_angles(VecOut<double> angles) const;
  bool is_at(const State& state) const { return q_.size() > 0 && q_ == state.q() && v_ == state.v(); }

  GaussProblem problem;

 private:
  struct Pair {
    const JointKernel<double>* joint = nullptr;            // one of the two
    const ConstraintKernel<double>* constraint = nullptr;  //
    int first = 0, second = 0;                             // bodies
    int first_part = -1, second_part = -1;                 // of the block; −1: the world has none
    int first_row = 0, rows = 0, holonomic = 0;
    bool is_point = false;  // a ball joint: its rows are p itself
    M3<double> R_AF, R_BM;  // the frames of A and B
    V3<double> p_AF, p_BM;
  };
  struct Angle {
    int pair = 0, at = 0, angle = 0;  // which of the pair's q is which of State::angles
    bool unwrapped = false;
  };
  struct Inertia {
    Mat3<double> I;
    Vec3<double> weight;
    int first = 0;
    bool point_mass = false;
  };

  void add_pair(const RowBlockInfo& info, const BodyFrame& first, const BodyFrame& second,
                const JointKernel<double>* joint, const ConstraintKernel<double>* constraint);
  void fill(const Pair& pair, const Kinematics<double>& bodies, double t, Relative<double>& x,
            GaussProblem::Block& block);
  template <int n>
  void fill_rows(const Pair& pair, const BodyMotion<double>& a, const BodyMotion<double>& b, const M3<double>& R_WF,
                 const V3<double>& p_M, GaussProblem::Block& block);

  std::vector<Pair> pairs_;
  std::vector<Inertia> inertias_;
  std::vector<Angle> angles_;
  std::vector<Relative<double>> measured_;  // of the pairs, where there are angles to read
  PairRows<double> rows_;                   // of one pair
  bool moving_ = false, points_before_ = false;
  Eigen::VectorXd q_, v_;  // where it is
};

}  // namespace tandem
