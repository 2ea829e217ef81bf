// FROZEN: the articulated-body recursion, plain: O(n) on the tree, without ever forming M. Loops and rolling rows go
// with it.
//
// At body i, what its joint must do to it, and the rows still open there, are linear in its acceleration y:
//   (1)  F = I y + p − Kᵀ λ,    K y + L λ = r          K, L, r: the open rows; I starts as M_i, p as −f_i
// A row all of whose bodies lie below i, and that has compliance L_pp there, is eliminated:
//   (2)  λ_p = (r_p − K_p y − L_po λ_o)/L_pp;   I += K_pᵀK_p/L_pp,   p −= K_pᵀ r_p/L_pp,   and K, L, r of the others
// The joint, with y = X y_parent + c + S u̇ and Sᵀ F = 0:
//   (3)  U = I S,  D = SᵀU,  u̇ = D⁻¹ (−Sᵀp − Uᵀ a′ + (K S)ᵀ λ),   a′ = X y_parent + c
//   (4)  I^a = I − U D⁻¹ Uᵀ,  p^a = p − U D⁻¹ Sᵀp + I^a c,  K^a = K − K S D⁻¹ Uᵀ,  L^a = L + K S D⁻¹ (K S)ᵀ,
//        r^a = r + K S D⁻¹ Sᵀp − K^a c;   to the parent:  I += Xᵀ I^a X,  p += Xᵀ p^a,  K += K^a X
// Rows that reach the world, which does not move, are left with L and r, summed over the trees:
//   (5)  L λ = r
// Then outward: λ of the rows above are known, (3) gives u̇ and y, and (2) the rows eliminated there.
// A joint that carries nothing (D singular: a massless link that a loop holds) gets an armature e, taken back again:
//   (6)  (D + e) u̇ = … + e u̇_before, repeated until u̇ stays
// A row between two bodies is eliminated where its branches meet, a row to the ground as soon as something below it can
// give way. Rows without compliance travel on (delayed pivots).
// Source: Featherstone; Wang and Eldredge (2015) for active and passive joints; multifrontal elimination for the rows.
#pragma once

#include "oracle/dense_lagrange.hpp"
#include "oracle/tree_problem.hpp"

namespace tandem::oracle {

class Articulated {
 public:
  // Throws NumericalError where the accelerations are not determined or the rows in use depend on each other.
  DenseSolution solve(const TreeProblem& problem);

 private:
  struct Pivot {
    int row = 0;
    double d = 1.0, r = 0.0;
    Vec6<double> K;
    std::vector<int> others;
    Eigen::VectorXd L;
  };
  struct Front {  // (1) at a link; after its joint step K, L, r are those of (4)
    Mat6<double> I = Mat6<double>::Zero();
    Vec6<double> p = Vec6<double>::Zero();
    std::vector<int> rows;  // open
    Eigen::MatrixXd K{0, 6}, L{0, 0};
    Eigen::VectorXd r{0};
    Eigen::MatrixXd U, D_inverse, KS;
    Eigen::VectorXd Stp;
    std::vector<Pivot> pivots;  // eliminated here
    Eigen::Index open(int row);
    void eliminate(Eigen::Index at);
  };

  void find_meetings();
  void sweep();
  void take_armature_back();
  void add_armature(const TreeProblem::Link& link, const Mat6<double>& I, Eigen::MatrixXd& D);
  void open_rows(std::size_t link);
  void eliminate_rows(Front& front);
  void pass_joint(std::size_t i);
  void walk_outward();

  const TreeProblem* problem_ = nullptr;
  std::vector<int> meeting_;  // per row: the link where its branches meet; −1 is the world
  std::vector<char> chosen_, complete_;
  std::vector<Front> fronts_;
  Front world_;
  Eigen::VectorXd armature_, given_;  // (6)
  DenseSolution out_;
};

// What the engine did: the recursion; where it does not meet its rows, or finds none, the dense solution by QR.
class Engine {
 public:
  explicit Engine(const Model& model) : tree_(model) {}
  Answer solve(const State& bodies);          // see Tree::update
  Answer solve_densely(const State& bodies);  // on the tree as well
  bool was_dense() const { return was_dense_; }
  const TreeProblem& problem() const { return tree_.problem(); }

 private:
  bool meets_rows(const DenseSolution& solution) const;

  Tree tree_;
  Articulated articulated_;
  bool was_dense_ = false;
};

}  // namespace tandem::oracle
