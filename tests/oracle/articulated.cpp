#include "oracle/articulated.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "tandem/base/faults.hpp"
#include "tandem/base/tolerances.hpp"

namespace tandem::oracle {

// A row is eliminated below the root only when what lies below gives way at least this much, compared with the body
// itself: a smaller pivot would stiffen I beyond the digits that the rest needs.
static constexpr double least_compliance = 1e-3;

static std::size_t index(int i) { return static_cast<std::size_t>(i); }

DenseSolution Articulated::solve(const TreeProblem& problem) {
  problem_ = &problem;
  find_meetings();
  armature_.setZero(problem.unknowns());
  given_.setZero(problem.unknowns());
  sweep();
  if (armature_.size() > 0 && armature_.maxCoeff() > 0.0) take_armature_back();
  return out_;
}

// The lowest link that carries all of a row's bodies. Parents have smaller numbers.
void Articulated::find_meetings() {
  meeting_.assign(static_cast<std::size_t>(problem_->b.size()), -1);
  for (const TreeProblem::Block& block : problem_->blocks) {
    int meet = block.parts.front().link;
    for (const TreeProblem::Part& part : block.parts)
      for (int other = part.link; meet != other && meet >= 0;) {
        int& lower = meet > other ? meet : other;
        lower = problem_->links[index(lower)].parent;
        if (other < 0) meet = -1;
      }
    for (int k = 0; k < block.rows; ++k) meeting_[index(block.first_row + k)] = meet;
  }
}

// (6). A motion that nothing determines would keep whatever it is given, so it is given something first.
void Articulated::take_armature_back() {
  const Eigen::VectorXd with = armature_.cwiseSign(), first = out_.y;
  const auto moved = [&](const Eigen::VectorXd& from) {
    return (out_.y - from).cwiseProduct(with).cwiseQuotient(problem_->unit).cwiseAbs().maxCoeff();
  };
  const double push =
      1.0 / (problem_->time * problem_->time) + first.cwiseQuotient(problem_->unit).cwiseAbs().maxCoeff();
  given_ = first + push * with.cwiseProduct(problem_->unit);
  sweep();
  bool settles = moved(first) <= 0.5 * push;
  for (int pass = 0; settles && !(moved(given_) <= 1e-14 * push); ++pass) {
    given_ = out_.y;
    sweep();
    settles = pass < 100;
  }
  if (!settles) throw NumericalError("the accelerations are not determined");
}

void Articulated::sweep() {
  const auto rows = static_cast<std::size_t>(problem_->b.size());
  chosen_.assign(rows, 0);
  complete_.assign(rows, 0);
  for (const int row : problem_->rows) chosen_[index(row)] = 1;
  out_.y.setZero(problem_->unknowns());
  out_.lambda.setZero(problem_->b.size());
  world_ = {};
  fronts_.assign(problem_->links.size(), {});
  for (std::size_t i = 0; i < fronts_.size(); ++i) {
    fronts_[i].I = problem_->links[i].M;
    fronts_[i].p = -problem_->links[i].f;
  }
  for (std::size_t i = fronts_.size(); i-- > 0;) {
    open_rows(i);
    eliminate_rows(fronts_[i]);
    pass_joint(i);
  }
  if (!world_.rows.empty()) {  // (5)
    for (std::size_t k = 0; k < world_.rows.size(); ++k)
      if (meeting_[index(world_.rows[k])] < 0) world_.r[static_cast<Eigen::Index>(k)] += problem_->b[world_.rows[k]];
    const Eigen::VectorXd scale = world_.L.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
    const Eigen::LLT<Eigen::MatrixXd> llt(scale.asDiagonal() * world_.L * scale.asDiagonal());
    if (llt.info() != Eigen::Success) throw NumericalError("the rows in use depend on each other");
    const Eigen::VectorXd lambda = scale.cwiseProduct(llt.solve(scale.cwiseProduct(world_.r)));
    for (std::size_t k = 0; k < world_.rows.size(); ++k)
      out_.lambda[world_.rows[k]] = lambda[static_cast<Eigen::Index>(k)];
  }
  walk_outward();
  if (!out_.y.allFinite()) throw NumericalError("the accelerations are not finite");
}

// Where D has no pivot, the joint gets a hundredth of what the machine has on average along it.
void Articulated::add_armature(const TreeProblem::Link& link, const Mat6<double>& I, Eigen::MatrixXd& D) {
  const Eigen::LLT<Eigen::MatrixXd> llt(D);
  const double area = link.length * link.length;  // what makes masses and moments of inertia compare
  const double largest = std::max(I.diagonal().head<3>().maxCoeff(), area * I.diagonal().tail<3>().maxCoeff());
  for (Eigen::Index k = 0; k < D.rows(); ++k) {
    const Vec6<double> S = link.S.col(k);
    const double root = llt.info() == Eigen::Success ? llt.matrixLLT()(k, k) : 0.0, pivot = root * root;
    const double size = S.head<3>().squaredNorm() + S.tail<3>().squaredNorm() / area;
    double& armature = armature_[link.first + k];
    if (!(pivot > 1e-12 * D(k, k) && pivot > 1e-12 * size * largest) && armature == 0.0)
      for (const TreeProblem::Link& each : problem_->links)
        armature += 0.01 * S.dot(each.M * S) / static_cast<double>(problem_->links.size());
    D(k, k) += armature;
  }
}

Eigen::Index Articulated::Front::open(int row) {
  const auto found = std::find(rows.begin(), rows.end(), row);
  const auto at = static_cast<Eigen::Index>(found - rows.begin());
  if (found != rows.end()) return at;
  rows.push_back(row);
  K.conservativeResize(at + 1, 6);
  L.conservativeResize(at + 1, at + 1);
  r.conservativeResize(at + 1);
  K.row(at).setZero();
  L.row(at).setZero();
  L.col(at).setZero();
  r[at] = 0.0;
  return at;
}

// The rows on this very body. A row whose branches meet here is complete and takes its right side.
void Articulated::open_rows(std::size_t link) {
  Front& front = fronts_[link];
  for (const TreeProblem::Block& block : problem_->blocks)
    for (int k = 0; k < block.rows; ++k) {
      const int row = block.first_row + k;
      if (!chosen_[index(row)]) continue;
      for (const TreeProblem::Part& part : block.parts)
        if (index(part.link) == link) {
          const Eigen::Index at = front.open(row);
          front.K.row(at) += part.K.row(k);
        }
      if (meeting_[index(row)] != static_cast<int>(link)) continue;
      complete_[index(row)] = 1;
      const Eigen::Index at = front.open(row);
      front.r[at] += problem_->b[row];
    }
}

void Articulated::eliminate_rows(Front& front) {
  while (true) {
    double best = least_compliance;
    Eigen::Index which = -1;
    for (Eigen::Index k = 0; k < front.r.size(); ++k) {
      if (!complete_[index(front.rows[static_cast<std::size_t>(k)])]) continue;
      const double below = front.L(k, k);
      double here = 0.0;
      for (Eigen::Index c = 0; c < 6; ++c)
        if (front.K(k, c) != 0.0) here += front.K(k, c) * front.K(k, c) / front.I(c, c);
      if (below > best * (below + here)) {
        best = below / (below + here);
        which = k;
      }
    }
    if (which < 0) return;
    front.eliminate(which);
  }
}

void Articulated::Front::eliminate(Eigen::Index at) {
  const Eigen::Index n = r.size() - 1;
  const auto swap_last = [&] {  // the row to take out comes last
    std::swap(rows[static_cast<std::size_t>(at)], rows.back());
    K.row(at).swap(K.row(n));
    L.row(at).swap(L.row(n));
    L.col(at).swap(L.col(n));
    std::swap(r[at], r[n]);
  };
  swap_last();
  Pivot pivot{rows.back(), L(n, n), r[n], K.row(n).transpose(), rows, L.col(n).head(n)};
  pivot.others.pop_back();
  I += pivot.K * pivot.K.transpose() / pivot.d;  // (2)
  p -= (pivot.r / pivot.d) * pivot.K;
  K.topRows(n) -= pivot.L / pivot.d * pivot.K.transpose();
  r.head(n) -= pivot.r / pivot.d * pivot.L;
  L.topLeftCorner(n, n) -= pivot.L / pivot.d * pivot.L.transpose();
  rows.pop_back();
  K.conservativeResize(n, 6);
  L.conservativeResize(n, n);
  r.conservativeResize(n);
  pivots.push_back(std::move(pivot));
}

void Articulated::pass_joint(std::size_t i) {
  const TreeProblem::Link& link = problem_->links[i];
  Front& front = fronts_[i];
  const Eigen::Index dof = link.S.cols();
  Mat6<double> I = front.I;
  Vec6<double> p = front.p;
  Eigen::MatrixXd K = front.K, L = front.L;
  Eigen::VectorXd r = front.r;
  if (dof > 0) {
    front.U = front.I * link.S;  // (3)
    Eigen::MatrixXd D = link.S.transpose() * front.U;
    add_armature(link, front.I, D);
    const Eigen::LLT<Eigen::MatrixXd> llt(D);
    if (llt.info() != Eigen::Success) throw NumericalError("the accelerations are not determined");
    front.D_inverse = llt.solve(Eigen::MatrixXd::Identity(dof, dof));
    front.Stp = link.S.transpose() * front.p -
                armature_.segment(link.first, dof).cwiseProduct(given_.segment(link.first, dof));  // (6)
    front.KS = front.K * link.S;
    const Eigen::MatrixXd KSD = front.KS * front.D_inverse;
    I -= front.U * front.D_inverse * front.U.transpose();  // (4)
    p -= front.U * front.D_inverse * front.Stp;
    K -= KSD * front.U.transpose();
    L += KSD * front.KS.transpose();
    r += KSD * front.Stp;
  }
  p += I * link.c;
  r -= K * link.c;
  Front& to = link.parent < 0 ? world_ : fronts_[index(link.parent)];
  to.I += link.X.transpose() * I * link.X;
  to.p += link.X.transpose() * p;
  std::vector<Eigen::Index> at;
  for (const int row : front.rows) at.push_back(to.open(row));
  for (std::size_t k = 0; k < at.size(); ++k) {
    const auto from = static_cast<Eigen::Index>(k);
    to.K.row(at[k]) += K.row(from) * link.X;
    to.r[at[k]] += r[from];
    for (std::size_t j = 0; j < at.size(); ++j) to.L(at[k], at[j]) += L(from, static_cast<Eigen::Index>(j));
  }
}

void Articulated::walk_outward() {
  std::vector<Vec6<double>> y(fronts_.size());
  for (std::size_t i = 0; i < fronts_.size(); ++i) {
    const TreeProblem::Link& link = problem_->links[i];
    const Front& front = fronts_[i];
    y[i] = link.c;
    if (link.parent >= 0) y[i] += link.X * y[index(link.parent)];
    if (link.S.cols() > 0) {  // (3)
      Eigen::VectorXd right = -front.Stp - front.U.transpose() * y[i];
      for (std::size_t k = 0; k < front.rows.size(); ++k)
        right += front.KS.row(static_cast<Eigen::Index>(k)).transpose() * out_.lambda[front.rows[k]];
      const Eigen::VectorXd rate = front.D_inverse * right;
      out_.y.segment(link.first, link.S.cols()) = rate;
      y[i] += link.S * rate;
    }
    for (std::size_t k = front.pivots.size(); k-- > 0;) {  // (2), the last eliminated first
      const Pivot& pivot = front.pivots[k];
      double rest = pivot.r - pivot.K.dot(y[i]);
      for (std::size_t j = 0; j < pivot.others.size(); ++j)
        rest -= pivot.L[static_cast<Eigen::Index>(j)] * out_.lambda[pivot.others[j]];
      out_.lambda[pivot.row] = rest / pivot.d;
    }
  }
}

// ---- the engine ----

bool Engine::meets_rows(const DenseSolution& solution) const {
  const TreeProblem& on = problem();
  const Eigen::VectorXd product = on.J_u * solution.y, terms = on.J_u.cwiseAbs() * solution.y.cwiseAbs();
  for (const int row : on.rows) {
    // At rest all terms vanish but for round-off: then the machine's own accelerations are what counts.
    const double size =
        terms[row] + std::abs(on.b_u[row]) + std::abs(on.b[row]) + std::sqrt(on.row_square[row]) / (on.time * on.time);
    if (!(std::abs(product[row] - on.b_u[row]) <= tolerances::recursion_met * size)) return false;
  }
  return true;
}

Answer Engine::solve(const State& bodies) {
  tree_.update(bodies);
  was_dense_ = false;
  try {
    const DenseSolution solution = articulated_.solve(problem());
    if (meets_rows(solution)) return tree_.expand(solution.y, solution.lambda);
  } catch (const NumericalError&) {  // the dense solution tells whether it is the rows or a lack of inertia
  }
  return solve_densely(bodies);
}

Answer Engine::solve_densely(const State& bodies) {
  tree_.update(bodies);
  was_dense_ = true;
  const TreeProblem& on = problem();
  const DenseSolution solution = dense_lagrange(on.M_u, on.J_u, on.f_u, on.b_u, on.rows);
  return tree_.expand(solution.y, solution.lambda);
}

}  // namespace tandem::oracle
