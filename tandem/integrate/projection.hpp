// Projection onto the constraints: after a step, first positions, then velocities.
//
//   (1)  δ = −W Jᵀ (J W Jᵀ)⁻¹ φ,  q ← q ⊞ δ; repeated until |φ| is small            holonomic rows
//   (2)  v ← v − W Jᵀ (J W Jᵀ)⁻¹ (J v + φ_t)                                       all rows, one step, exact
//   (3)  W = M⁻¹: the smallest change in ½ δᵀ M δ; of velocities: what an impulse of the constraints alone does.
//        Where a body has no inertia, M + E (inertia_shift.hpp).
//        W = 1: the Moore-Penrose inverse in the coordinates in use, as the bicycle project
// Only the independent rows that the workspace holds are used, of positions those chosen among holonomic rows alone;
// see gauss_problem.hpp.
//   (4)  Near a singular position a row all but follows from the others: its pivot d in J Jᵀ goes to 0, and round-off
//        in φ becomes a move φ/√d of the bodies, which later steps carry on. So where d is small, φ is closed to
//        round-off; where d is very small, a row that is met to 1e-11 of its size is left alone for that step.
//   (5)  Where a pivot of J W Jᵀ is lost in round-off, rows nearly depend on each other: QR (weighted_rows.hpp).
#pragma once

#include <limits>

#include "tandem/base/tolerances.hpp"
#include "tandem/methods/inertia_shift.hpp"
#include "tandem/methods/method.hpp"
#include "tandem/methods/weighted_rows.hpp"

namespace tandem {

// In metres; what a row has in another unit counts by its size: a radian is as much as the length of the machine.
struct ResidualNorms {
  double position = 0.0;  // largest |φ|
  double velocity = 0.0;  // largest |J v + φ_t|
  double share = 0.0;     // largest |φ| in parts of the length of its own island
};

// Soft rows need not be met, a slack rope has nothing to meet.
ResidualNorms residual_norms(const GaussProblem& problem);

// When positions are closed, whatever moves them.
struct ClosingRule {
  double tolerance = tolerances::projected;  // of φ, in parts of the size of a row
  int most_iterations = 25;
  // Positions are moved however small φ is. Left alone until it is large enough and then closed in one step, it would
  // be a jump in what error control takes for a smooth motion.
  bool always = false;

  // (1), with gap(): the largest φ in parts of its row's size; is_weak(): (4); move(): one step of Newton.
  // Returns how many were made.
  template <class Gap, class IsWeak, class Move> int close(Gap&& gap, IsWeak&& is_weak, Move&& move) const {
    double before = std::numeric_limits<double>::infinity();
    for (int iteration = 0; iteration < most_iterations; ++iteration) {
      const double size = gap();
      // Done when small, or when Newton has reached round-off and no longer gains.
      const bool small =
          size <= (is_weak() ? 0.01 * tolerance : tolerance) && !(always && iteration == 0 && size > 0.0);
      if (small || (size < tolerances::stalled && size > 0.5 * before)) return iteration;
      before = size;
      move();
    }
    return most_iterations;
  }
};

class Projection {
 public:
  enum class Norm { mass, plain };
  explicit Projection(Norm norm = Norm::mass) : norm_(norm) {}
  ClosingRule rule;

  // The symbolic work and E, at a first state of the workspace.
  void prepare(const Model& model, const State& state, Workspace& workspace);
  bool is_prepared() const { return system_.analysed(); }
  // Both leave the workspace refreshed at the new state, with the rows it came with. Returns the number of iterations.
  int project_positions(const Model& model, State& state, Workspace& workspace);  // (1)
  // After project_positions at the same state, which leaves M where this needs it. (2)
  void project_velocities(const Model& model, State& state, Workspace& workspace);

 private:
  void form(const GaussProblem& problem);
  // Of the given rows, those to be met by `residual`; says on the way whether some are weak. (4)
  // `unit`: of the residual of a row of size 1.
  void factor(const GaussProblem& problem, const std::vector<int>& rows, const Eigen::VectorXd& residual, double unit);
  const Eigen::VectorXd& least_change(const GaussProblem& problem, const Eigen::VectorXd& residual);

  Norm norm_;
  InertiaShift shift_;
  RowSystem system_;
  std::vector<int> strong_, met_;
  bool weak_ = false, dense_ = false;  // dense_: (5)
  WeightedRows by_qr_;
  Eigen::VectorXd multipliers_, delta_;
};

}  // namespace tandem
