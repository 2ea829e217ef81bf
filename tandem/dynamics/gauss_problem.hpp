// The one question every method answers, Gauss's principle of least constraint:
//
//   (1)  minimise ½ yᵀ M y − fᵀ y   subject to   J y = b
//   (2)  M y − Jᵀ λ = f,   J y = b
// The unknowns come in groups that inertia couples: a body on the maximal cut, a whole tree on the reduced one. M is
// one dense block a group; J is a few dense parts a block of rows. So one structure serves both cuts and all
// coordinates, dense methods and sparse ones.
// `rows` are the independent rows, `position_rows` those of the holonomic ones alone: a rolling row may say what a
// holonomic one says of speeds, but it closes no position. Both are chosen on the constraints, where dependence is
// exact, and kept through the stages of a step and its projection: a stage lies a little off the constraints, and there
// a redundant row would look independent and ask for forces without bound.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tandem/model/model.hpp"

namespace tandem {

class Coordinates;

// The same problem on the reduced cut, body by body and not multiplied out, for methods that walk the tree:
//   (3)  y_i = X_i y_parent + c_i + S_i u̇_i,   bodies in an order that has parents first
//   (4)  M_i y_i − f_i = what the rows and joints do to body i,   Σ K_i y_i = b
struct TreeProblem {
  struct Link {
    int body = 0, parent = -1;  // parent: a link, −1 is the world, which does not move
    int first = 0;              // its first unknown; it has S.cols() of them
    double length = 1.0;        // of its island, in metres
    Mat6<double> X;
    Mat6UpTo6<double> S;
    Vec6<double> c, f;
    Mat6<double> M;
  };
  struct Part {
    int link = 0;
    Eigen::Matrix<double, Eigen::Dynamic, 6> K;  // rows of the block × 6
  };
  struct Block {
    std::vector<Part> parts;
  };
  std::vector<Link> links;
  std::vector<Block> blocks;       // as GaussProblem::blocks
  Eigen::VectorXd row_square;      // |K|², summed over the parts, lengths in parts of the island's
  Eigen::VectorXd b;               // of (4); GaussProblem::b has the accelerations without u̇ taken off
  std::vector<Vec6<double>> left;  // per link: M a − f, a the acceleration without u̇
  double t = 0.0;                  // where the tree stands
  Eigen::VectorXd q;
};

struct GaussProblem {
  struct Group {
    int first = 0, size = 0;  // its unknowns
    Eigen::MatrixXd M;        // size × size
  };
  struct Part {
    int group = 0;
    Eigen::MatrixXd J;  // rows of the block × size of the group
  };
  struct Block {
    int first_row = 0, rows = 0;
    int holonomic = 0;               // its first rows: those with a φ
    double length = 1.0;             // of its island, in metres
    std::vector<Part> parts{};       // each group at most once
    bool one_sided = false;          // φ ≤ 0 in place of φ = 0: never among the independent rows
    std::optional<Softness> soft{};  // the same
  };

  std::vector<Group> groups;
  std::vector<Block> blocks;
  Eigen::VectorXd f, b;
  Eigen::VectorXd phi;             // position residual; zero for nonholonomic rows
  Eigen::VectorXd rate;            // velocity residual J v + φ_t
  std::vector<int> rows;           // independent, ascending
  std::vector<int> position_rows;  // the same of the holonomic rows
  Eigen::VectorXd row_size;        // of each row, in the unit of its φ: model/scale.hpp
  double mass = 1.0;               // the machine's
  Eigen::VectorXd unit;            // of an unknown, so that lengths and angles compare: the island's length, or 1
  std::vector<int> model_row;  // the model's number of each row; −1 − body for the unit length of a body's quaternion

  std::optional<TreeProblem> tree;     // on the reduced cut
  const Coordinates* names = nullptr;  // what the unknowns mean

  Eigen::Index unknowns() const { return f.size(); }
  Eigen::Index row_count() const { return b.size(); }
  // The largest φ, in parts of the machine.
  double largest_gap() const {
    return row_count() > 0 ? phi.cwiseQuotient(row_size).cwiseAbs().maxCoeff<Eigen::PropagateNaN>() : 0.0;
  }

  // Dense copies, for dense methods; they allocate only when `out` has another size.
  void copy_M(Eigen::MatrixXd& out) const;
  void copy_J(Eigen::MatrixXd& out) const;
  Eigen::MatrixXd dense_M() const;
  Eigen::MatrixXd dense_J() const;

  // out = M y,  out = J y,  out += Jᵀ λ; none allocates when `out` has its size
  void multiply_M(const Eigen::VectorXd& y, Eigen::VectorXd& out) const;
  void multiply_J(const Eigen::VectorXd& y, Eigen::VectorXd& out) const;
  void add_Jt(const Eigen::VectorXd& lambda, Eigen::VectorXd& out) const;
  // How large the terms of the equations are, for what remains to be held against: of M y − Jᵀ λ = f a number per
  // group, in the unit of a torque; of J y = b a number per row. `unit` makes the speeds of a group compare.
  struct TermSizes {
    Eigen::VectorXd forces, rows;
    Eigen::VectorXd fastest;  // per group: its accelerations, in parts of `unit`
  };
  void term_sizes(const Eigen::VectorXd& y, const Eigen::VectorXd& lambda, TermSizes& out) const;
};

}  // namespace tandem
