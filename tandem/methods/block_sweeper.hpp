// Sequential impulses: each block of rows in turn gets the impulse that meets it, again and again (block Gauss–Seidel).
//
// For one block (the rows of a joint or constraint) with J over the groups it touches:
//   (1)  K = Σ J M⁻¹ Jᵀ                                   M by groups; a group without mass is fixed: M⁻¹ = 0
//   (2)  Δλ = (K + Γ)⁻¹ (target − J v − Γ λ),  λ += Δλ    Γ = softness · diag K; 0: a hard row
//   (3)  v += M⁻¹ Jᵀ Δλ                                   now J v + Γ λ = target; the energy of a hard block with
//                                                         target 0 changes by −½ (J v)ᵀ K⁻¹ (J v): it never grows
//   (4)  one-sided, row by row: λ ← min(λ + Δλ, 0)        so J v ≤ target, λ ≤ 0: it pulls and never pushes
//   (5)  δ = −M⁻¹ Jᵀ K⁻¹ clamp(φ beyond slop)             positions, for one block; the caller retracts by δ
//   (6)  soft, with ω = 2π frequency, ζ = damping ratio, effective mass m = 1/K, k = m ω², d = 2 m ζ ω:
//        softness = m γ = 1 / (h (2ζω + hω²)),  feedback = h k γ = ω / (2ζ + hω),  target = −φ_t − feedback · φ
//   (7)  residual: the largest |J v + Γ λ − target| / |J_row|, lengths in parts of the machine's; for a slack one-sided
//        row only what is beyond the target
//   (8)  its scale: the largest of Σ|J||v| + |target| over the same rows, for v as it is and as it was without λ
// At velocity level v is V* = v + h M⁻¹ f and the target −φ_t; at acceleration level v is M⁻¹ f, the target b, and what
// comes out is y. Rows that repeat a row of the same block get no impulse; rows that repeat one of another block share
// it. (8) counts what was there without λ: in equilibrium v goes to zero, with nothing left to be small against.
// Source: I. Robson, "Distance Constraint", 2016, with his (12) and (18) corrected to λ = −(J M⁻¹ Jᵀ)⁻¹ J V; soft rows
// as in his Bounce; E. Catto, "Iterative dynamics with temporal coherence", 2005, for accumulation and warm start.
#pragma once

#include <Eigen/Cholesky>
#include <vector>

#include "tandem/dynamics/gauss_problem.hpp"

namespace tandem {

// How a block of rows is treated. Softness and position_rows count from the next prepare().
struct RowRule {
  double softness = 0.0;   // (2), a number without unit
  bool one_sided = false;  // (4)
  bool active = true;      // false: as if the block were not there
  int position_rows = -1;  // its first rows, those with a φ; −1: all
};

struct SoftRow {
  double softness = 0.0;  // for RowRule
  double feedback = 0.0;  // 1/s: target = −φ_t − feedback · φ
};
SoftRow soft_row(double frequency, double damping_ratio, double h);  // (6); frequency > 0 in hertz

struct SweepReport {
  long sweeps = 0;
  double residual = 0.0;  // (7) over (8)
  bool converged = false;
  int worst_row = -1;  // of the problem, the one with that residual
};

class BlockSweeper {
 public:
  struct Residual {
    double value = 0.0;  // (7)
    int row = -1;
  };

  // Factors masses and blocks. Memory is taken when the structure of the problem is new, and then the rules are reset.
  // `independent_only`: rows that are not in problem.rows count as dropped and nobody asks whether they are met.
  // Returns −1, or the first group whose mass is singular (then nothing may be swept).
  [[nodiscard]] int prepare(const GaussProblem& problem, bool independent_only = false);

  // A rule before the first prepare() needs this first. Does nothing when the structure is not new.
  void take_structure(const GaussProblem& problem);
  RowRule& rule(int block) { return blocks_[static_cast<std::size_t>(block)].rule; }
  const RowRule& rule(int block) const { return blocks_[static_cast<std::size_t>(block)].rule; }
  // A group of no inertia at all; nothing moves it.
  bool is_fixed(int group) const { return groups_[static_cast<std::size_t>(group)].fixed; }

  // v += h M⁻¹ f
  void add_free_motion(const Eigen::VectorXd& f, double h, Eigen::VectorXd& v);
  // v += M⁻¹ Jᵀ λ. First sets λ of rows that are not swept to zero and takes pushes out of one-sided rows.
  void warm_start(Eigen::VectorXd& v, Eigen::VectorXd& lambda) const;
  // One pass over all blocks. `worst` gets the largest (7) seen, each block looked at just before it is corrected.
  void sweep(Eigen::VectorXd& v, const Eigen::VectorXd& target, Eigen::VectorXd& lambda, Residual* worst = nullptr);
  // Sweeps until (7) ≤ tolerance · (8). No limit on sweeps; it gives up when the best residual of many sweeps
  // (200, or 50 a block) is not even one per cent better than before, or when numbers are not finite.
  SweepReport solve(Eigen::VectorXd& v, const Eigen::VectorXd& target, Eigen::VectorXd& lambda, double tolerance);

  Residual residual(const Eigen::VectorXd& v, const Eigen::VectorXd& target, const Eigen::VectorXd& lambda);  // (7)
  double scale(const Eigen::VectorXd& v, const Eigen::VectorXd& target, const Eigen::VectorXd& lambda);       // (8)

  // out = J v, and of one block: phi += J delta
  void multiply_J(const Eigen::VectorXd& v, Eigen::VectorXd& out);
  void add_J(int index, const Eigen::VectorXd& delta, Eigen::VectorXd& phi);

  // (5) for block `index`: adds to delta, in the parts the block touches only. `phi` are the residuals of all rows of
  // the problem. Soft and inactive blocks and slack one-sided rows ask for nothing. Returns the largest |clamp(…)|; 0
  // says that there is nothing to do.
  // `largest` is in parts of the size of a row.
  double correct(int index, const Eigen::VectorXd& phi, double slop, double largest, Eigen::VectorXd& delta);

 private:
  struct Group {
    int first = 0, size = 0;
    bool fixed = false, known = false;
    bool apart = false;  // a body's M is (I, m 1): turning and moving apart
    Eigen::MatrixXd M;   // whose factors these are, if known; on bodies it seldom changes
    Eigen::LLT<Eigen::MatrixXd> mass;
    Mat6<double> inverse;  // of a body's M
  };
  struct Part {
    int group = 0, first = 0, size = 0;
    bool fixed = false;
    Eigen::Index at = 0;  // in numbers_
  };
  struct Block {
    int first_row = 0, rows = 0;
    std::size_t first_part = 0, last_part = 0;  // in parts_; the last one is not counted
    int body_rows = 0;                          // its rows, if all its groups have six unknowns; 0: sizes at run time
    Eigen::Index at = 0;                        // in numbers_
    RowRule rule;
    int position_rows() const { return rule.position_rows < 0 ? rows : rule.position_rows; }
  };
  // The numbers of a block, with R rows and N unknowns a group as far as these are known to the compiler
  // (block_view.hpp).
  static constexpr int padded_rows(int rows) { return rows == 3 ? 4 : rows == 5 ? 6 : rows; }
  template <int R, int N, class Number> struct View;
  template <int R, int N> View<R, N, const double> view(const Block& block) const;

  bool fits(const GaussProblem& problem) const;
  bool factor_mass(const GaussProblem& problem, std::size_t k);
  template <int R, int N> void factor_block(const GaussProblem::Block& from, Block& block);
  void weigh();
  template <int R, int N> void weigh_block(const Block& block);
  template <int R, int N, class Sum> void add_J_times(const Block& block, const Eigen::VectorXd& v, Sum& sum) const;
  template <int R, int N, class Rest>
  void look(const Block& block, const Eigen::VectorXd& v, const Eigen::VectorXd& target, const Eigen::VectorXd& lambda,
            Rest& rest) const;
  template <int R, int N, class Rest>
  void compare(const Block& block, const Eigen::VectorXd& lambda, const Rest& rest, Residual& worst) const;
  template <int R, int N, class Impulse>
  void move(const Block& block, const Impulse& impulse, Eigen::VectorXd& v) const;
  template <int R, int N>
  void sweep_block(const Block& block, Eigen::VectorXd& v, const Eigen::VectorXd& target, Eigen::VectorXd& lambda,
                   Residual* worst);
  template <int R, int N>
  void sweep_one_sided(const Block& block, Eigen::VectorXd& v, const Eigen::VectorXd& target, Eigen::VectorXd& lambda);
  template <int R, int N>
  double scale_of(const Block& block, const Eigen::VectorXd& v, const Eigen::VectorXd& target,
                  const Eigen::VectorXd& lambda);
  template <int R, int N>
  double correct_block(const Block& block, const Eigen::VectorXd& phi, double slop, double largest,
                       Eigen::VectorXd& delta);

  bool swept(const Block& block, int row) const {
    return block.rule.active && counts_[static_cast<std::size_t>(block.first_row + row)] != 0;
  }

  std::vector<Group> groups_;
  std::vector<Block> blocks_;
  std::vector<Part> parts_;        // block by block
  Eigen::VectorXd numbers_;        // block by block: all that View shows
  Eigen::VectorXd row_size_;       // of rows (model/scale.hpp)
  Eigen::VectorXd unit_;           // of unknowns
  std::vector<char> counts_;       // of rows; 0: left out, not asked whether it is met
  Eigen::VectorXd rest_, change_;  // of one block: target − J v − Γ λ, and Δλ
  Eigen::VectorXd free_;           // v without λ
  std::vector<char> taken_;
  bool weighed_ = false;  // the weights belong to J
};

}  // namespace tandem
