// The articulated-body recursion: O(n) on the tree, without ever forming M. Loops and rolling rows go with it.
//
// At body i, what its joint must do to it, and the rows still open there, are linear in its acceleration y:
//   (1)  F = I y + p − Kᵀ λ,    K y + L λ = r          K, L, r: the open rows; I starts as M_i, p as −f_i, K as its
//   rows
// A row all of whose bodies lie below i, and that has compliance L_pp there, is eliminated:
//   (2)  λ_p = (r_p − K_p y − L_po λ_o)/L_pp;   I += K_pᵀK_p/L_pp,   p −= K_pᵀ r_p/L_pp,   and K, L, r of the others
// The joint, with y = X y_parent + c + S u̇ and Sᵀ F = 0 (efforts are in f; driven speeds are in c):
//   (3)  U = I S,  D = SᵀU,  u̇ = D⁻¹ (−Sᵀp − Uᵀ a′ + (K S)ᵀ λ),   a′ = X y_parent + c
//   (4)  I^a = I − U D⁻¹ Uᵀ,  p^a = p − U D⁻¹ Sᵀp + I^a c,  K^a = K − K S D⁻¹ Uᵀ,  L^a = L + K S D⁻¹ (K S)ᵀ,
//        r^a = r + K S D⁻¹ Sᵀp − K^a c;   to the parent:  I += Xᵀ I^a X,  p += Xᵀ p^a,  K += K^a X
// Rows that reach the world, which does not move, are left with L and r, summed over the trees:
//   (5)  L λ = r, block-sparse; trees that no row couples stay apart
// Then outward: λ of the rows above are known, (3) gives u̇ and y, and (2) the rows eliminated there.
// A joint that carries nothing (D singular: a massless link that a loop holds) gets an armature e, taken back again:
//   (6)  (D + e) u̇ = … + e u̇_before, repeated until u̇ stays
// A row between two bodies is eliminated where its branches meet, a row to the ground as soon as something below it can
// give way: so many wheels on one long chain stay linear too. Rows without compliance travel on (delayed pivots).
// Where rows nearly depend on each other, L has the squares of small distances: a solution that does not meet its rows,
// or none at all, is left to dense_lagrange, by QR.
// Source: Featherstone; Eldredge's notes with active and passive joints; multifrontal elimination for the rows.
#pragma once

#include "tandem/linalg/block_ldlt.hpp"
#include "tandem/methods/dense_lagrange.hpp"

namespace tandem {

class Articulated final : public Method {
 public:
  std::string_view name() const override { return "articulated"; }
  bool needs_mass() const override { return false; }
  void solve(const Model& model, const GaussProblem& problem, Solution& solution) override;

 private:
  using Square6 = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>;
  using RowsMap = Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, 6, Eigen::RowMajor>>;
  using SquareMap = Eigen::Map<Eigen::MatrixXd>;

  struct OwnRow {  // a row that touches a link directly
    int row = 0, block = 0, part = 0, line = 0;
  };
  struct Front {  // (1) at a link; after its joint step K, L, r are those of (4)
    Mat6<double> I;
    Vec6<double> p;
    std::vector<int> rows;  // open
    std::vector<double> K, L, r;
    Mat6UpTo6<double> U;
    Square6 D_inverse;
    VecUpTo6<double> Stp;
    std::vector<int> joint_rows;      // open at the joint
    std::vector<double> KS;           // of those, rows × dof
    int first_pivot = 0, pivots = 0;  // eliminated here
  };
  struct Pivot {
    int row = 0;
    double d = 1.0, r = 0.0;
    Vec6<double> K;
    int first_coupling = 0, couplings = 0;
  };
  struct Coupling {
    int row = 0;
    double L = 0.0;
  };

  void analyse(const GaussProblem& problem);
  void solve_by_recursion(const Model& model, const GaussProblem& problem, Solution& solution);
  bool meets_rows(const Model& model, const GaussProblem& problem, const Solution& solution);
  void solve_densely(const Model& model, const GaussProblem& problem, Solution& solution);
  void sweep(const Model& model, const GaussProblem& problem, Solution& solution);
  void take_armature_back(const Model& model, const GaussProblem& problem, Solution& solution);
  void add_armature(const GaussProblem& problem, int link, Square6& D);
  void open_rows(const GaussProblem& problem, int link);
  void eliminate_rows(int link);
  void eliminate(Front& front, std::size_t at);
  void pass_joint(const Model& model, const GaussProblem& problem, int link);
  void merge(const Front& child, const Mat6<double>& X, Front& parent);
  void solve_world(const GaussProblem& problem, Solution& solution);
  void walk_outward(const GaussProblem& problem, Solution& solution);
  std::size_t place_of(Front& front, int row);  // opens the row when it is not there yet

  bool analysed_ = false;
  std::vector<Front> fronts_;
  std::vector<std::vector<OwnRow>> own_rows_;   // per link
  std::vector<std::vector<int>> meeting_rows_;  // per link: rows whose branches meet there
  std::vector<int> world_rows_;                 // rows between trees: they meet at the world
  std::vector<int> block_of_row_;
  std::vector<char> chosen_, complete_, at_world_;  // per row
  std::vector<Pivot> pivots_;
  std::vector<Coupling> couplings_;
  std::vector<int> index_;  // per row: its place in the front at hand
  std::vector<Vec6<double>> y_;
  Eigen::VectorXd armature_, given_, first_;  // (6): e, the u̇ it is to act on, and u̇ of the first pass
  bool has_armature_ = false;
  BlockLdlt world_;
  Eigen::VectorXd world_right_;
  Eigen::VectorXd product_;
  GaussProblem::TermSizes sizes_;
  DenseLagrange dense_;
};

}  // namespace tandem
