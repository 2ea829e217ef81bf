#include "tandem/methods/articulated.hpp"

#include <Eigen/Cholesky>
#include <algorithm>

#include "tandem/base/tolerances.hpp"

namespace tandem {

// A row is eliminated below the root only when what lies below gives way at least this much, compared with the body
// itself: a smaller pivot would stiffen I beyond the digits that the rest needs. What one stiffens, the next one above
// it stiffens again, so that some pivots of a hundredth one above the other cost half of the digits.
static constexpr double least_compliance = 0.1;

// The lowest body that carries both; −1 when only the world does. Parents have smaller numbers.
static int meeting_link(const TreeProblem& tree, int a, int b) {
  while (a != b) {
    int& lower = a > b ? a : b;
    lower = tree.links[static_cast<std::size_t>(lower)].parent;
    if (lower < 0) return -1;
  }
  return a;
}

void Articulated::analyse(const GaussProblem& problem) {
  analysed_ = true;
  const TreeProblem& tree = *problem.tree;
  const auto rows = static_cast<std::size_t>(problem.row_count());
  fronts_.resize(tree.links.size());
  own_rows_.assign(tree.links.size(), {});
  block_of_row_.assign(rows, 0);
  index_.assign(rows, -1);
  y_.resize(tree.links.size());
  std::vector<int> sizes;
  std::vector<std::vector<int>> on_tree;  // blocks that touch each tree
  std::vector<int> tree_of(tree.links.size(), 0);
  for (std::size_t i = 0; i < tree.links.size(); ++i) {
    if (tree.links[i].parent < 0) on_tree.emplace_back();
    tree_of[i] = tree.links[i].parent < 0 ? static_cast<int>(on_tree.size()) - 1
                                          : tree_of[static_cast<std::size_t>(tree.links[i].parent)];
  }
  for (std::size_t b = 0; b < tree.blocks.size(); ++b) {
    const GaussProblem::Block& block = problem.blocks[b];
    sizes.push_back(block.rows);
    for (std::size_t k = 0; k < tree.blocks[b].parts.size(); ++k) {
      const auto link = static_cast<std::size_t>(tree.blocks[b].parts[k].link);
      std::vector<int>& blocks = on_tree[static_cast<std::size_t>(tree_of[link])];
      if (std::find(blocks.begin(), blocks.end(), static_cast<int>(b)) == blocks.end())
        blocks.push_back(static_cast<int>(b));
      for (int line = 0; line < block.rows; ++line) {
        const int row = block.first_row + line;
        own_rows_[link].push_back({row, static_cast<int>(b), static_cast<int>(k), line});
        block_of_row_[static_cast<std::size_t>(row)] = static_cast<int>(b);
      }
    }
  }
  world_.analyse(sizes, on_tree);
  meeting_rows_.assign(tree.links.size(), {});
  for (std::size_t b = 0; b < tree.blocks.size(); ++b) {
    int meet = tree.blocks[b].parts.front().link;
    for (const TreeProblem::Part& part : tree.blocks[b].parts) meet = meeting_link(tree, meet, part.link);
    for (int line = 0; line < problem.blocks[b].rows; ++line)
      (meet < 0 ? world_rows_ : meeting_rows_[static_cast<std::size_t>(meet)])
          .push_back(problem.blocks[b].first_row + line);
  }
}

void Articulated::solve(const Model& model, const GaussProblem& problem, Solution& solution) {
  require_finite(model, problem);
  if (!analysed_) analyse(problem);
  const bool small = problem.unknowns() <= tolerances::most_dense;
  try {
    solve_by_recursion(model, problem, solution);
  } catch (const NumericalError&) {
    if (!small) throw;
    return solve_densely(model, problem, solution);  // which knows whether it is the rows or a lack of inertia
  }
  if (small && !meets_rows(model, problem, solution)) solve_densely(model, problem, solution);
}

bool Articulated::meets_rows(const Model& model, const GaussProblem& problem, const Solution& solution) {
  if (problem.rows.empty()) return true;
  problem.multiply_J(solution.y, product_);
  problem.term_sizes(solution.y, solution.lambda, sizes_);
  // At rest all terms vanish but for round-off: then the machine's own accelerations are what counts.
  const double usual = 1.0 / (model.scale.time * model.scale.time);
  for (const int row : problem.rows) {
    const double size =
        sizes_.rows[row] + usual * std::sqrt(problem.tree->row_square[row]) + std::abs(problem.tree->b[row]);
    if (!(std::abs(product_[row] - problem.b[row]) <= tolerances::recursion_met * size)) return false;
  }
  return true;
}

void Articulated::solve_densely(const Model& model, const GaussProblem& problem, Solution& solution) {
  GaussProblem with_mass = problem;
  problem.names->fill_mass(with_mass);
  dense_.solve(model, with_mass, solution);
}

void Articulated::solve_by_recursion(const Model& model, const GaussProblem& problem, Solution& solution) {
  armature_.setZero(problem.unknowns());
  given_.setZero(problem.unknowns());
  has_armature_ = false;
  sweep(model, problem, solution);
  if (has_armature_) take_armature_back(model, problem, solution);
}

// (6). A motion that nothing determines would keep whatever it is given, so it is given something first.
void Articulated::take_armature_back(const Model& model, const GaussProblem& problem, Solution& solution) {
  const auto refuse = [&] {
    Eigen::Index without = 0;
    armature_.cwiseProduct(problem.unit.cwiseAbs2()).maxCoeff(&without);
    throw NumericalError("the accelerations are not determined: " +
                         problem.names->without_inertia(model, static_cast<int>(without)));
  };
  const auto moved = [&](const Eigen::VectorXd& from) {
    return (solution.y - from).cwiseProduct(armature_.cwiseSign()).cwiseQuotient(problem.unit).cwiseAbs().maxCoeff();
  };
  first_ = solution.y;
  const double time = model.scale.time;
  const double push = 1.0 / (time * time) + first_.cwiseQuotient(problem.unit).cwiseAbs().maxCoeff();
  given_ = first_ + push * armature_.cwiseSign().cwiseProduct(problem.unit);
  sweep(model, problem, solution);
  if (!(moved(first_) <= 0.5 * push)) refuse();
  for (int pass = 0; !(moved(given_) <= 1e-14 * push); ++pass) {
    if (pass == 100) refuse();
    given_ = solution.y;
    sweep(model, problem, solution);
  }
}

void Articulated::sweep(const Model& model, const GaussProblem& problem, Solution& solution) {
  const TreeProblem& tree = *problem.tree;
  const auto rows = static_cast<std::size_t>(problem.row_count());
  chosen_.assign(rows, 0);
  at_world_.assign(rows, 0);
  complete_.assign(rows, 0);
  for (const int row : problem.rows) chosen_[static_cast<std::size_t>(row)] = 1;
  pivots_.clear();
  couplings_.clear();
  solution.y.resize(problem.unknowns());
  solution.lambda.setZero(problem.row_count());
  solution.rank = static_cast<int>(problem.rows.size());
  world_right_.setZero(problem.row_count());
  if (rows > 0) world_.set_zero();
  for (std::size_t i = 0; i < fronts_.size(); ++i) {
    Front& front = fronts_[i];
    front.I = tree.links[i].M;
    front.p = -tree.links[i].f;
    front.rows.clear();
    front.K.clear();
    front.L.clear();
    front.r.clear();
  }
  for (int i = static_cast<int>(fronts_.size()) - 1; i >= 0; --i) {
    open_rows(problem, i);
    eliminate_rows(i);
    pass_joint(model, problem, i);
  }
  if (rows > 0) solve_world(problem, solution);
  walk_outward(problem, solution);
  require_finite_accelerations(model, problem, solution.y);
}

// Where D has no pivot, the joint gets a hundredth of what the machine has on average along it.
void Articulated::add_armature(const GaussProblem& problem, int link, Square6& D) {
  const std::vector<TreeProblem::Link>& links = problem.tree->links;
  const TreeProblem::Link& on = links[static_cast<std::size_t>(link)];
  const Eigen::LLT<Square6> llt(D);
  const auto pivot = [&](Eigen::Index k) {
    const double root = llt.matrixLLT()(k, k);
    return llt.info() == Eigen::Success ? root * root : 0.0;
  };
  const Vec6<double> diagonal = fronts_[static_cast<std::size_t>(link)].I.diagonal();
  const double area = on.length * on.length;  // what makes masses and moments of inertia compare
  const double largest = std::max(diagonal.head<3>().maxCoeff(), area * diagonal.tail<3>().maxCoeff());
  const auto size = [&](Eigen::Index k) {
    return on.S.col(k).head<3>().squaredNorm() + on.S.col(k).tail<3>().squaredNorm() / area;
  };
  for (Eigen::Index k = 0; k < D.rows(); ++k) {
    const bool regular = pivot(k) > 1e-12 * D(k, k) && pivot(k) > 1e-12 * size(k) * largest;
    double& armature = armature_[on.first + k];
    if (!regular && armature == 0.0) {
      Mat6<double> mean = Mat6<double>::Zero();
      for (const TreeProblem::Link& each : links) mean += each.M / static_cast<double>(links.size());
      armature = 0.01 * on.S.col(k).dot(mean * on.S.col(k));
      has_armature_ = true;
    }
    D(k, k) += armature;
  }
}

std::size_t Articulated::place_of(Front& front, int row) {
  const auto found = std::find(front.rows.begin(), front.rows.end(), row);
  if (found != front.rows.end()) return static_cast<std::size_t>(found - front.rows.begin());
  const std::size_t n = front.rows.size();
  front.rows.push_back(row);
  front.K.resize(6 * (n + 1), 0.0);
  front.r.resize(n + 1, 0.0);
  front.L.resize((n + 1) * (n + 1), 0.0);
  for (std::size_t column = n; column-- > 0;)  // from n × n to (n + 1) × (n + 1), column by column from behind
    for (std::size_t line = n; line-- > 0;) front.L[column * (n + 1) + line] = front.L[column * n + line];
  for (std::size_t k = 0; k <= n; ++k) front.L[k * (n + 1) + n] = front.L[n * (n + 1) + k] = 0.0;
  return n;
}

// The rows on this very body. A row whose branches meet here is complete and takes its right side.
void Articulated::open_rows(const GaussProblem& problem, int link) {
  Front& front = fronts_[static_cast<std::size_t>(link)];
  for (const OwnRow& own : own_rows_[static_cast<std::size_t>(link)]) {
    if (!chosen_[static_cast<std::size_t>(own.row)]) continue;
    const std::size_t at = place_of(front, own.row);
    const auto& K =
        problem.tree->blocks[static_cast<std::size_t>(own.block)].parts[static_cast<std::size_t>(own.part)].K;
    for (int k = 0; k < 6; ++k) front.K[6 * at + static_cast<std::size_t>(k)] += K(own.line, k);
  }
  for (const int row : meeting_rows_[static_cast<std::size_t>(link)]) {
    if (!chosen_[static_cast<std::size_t>(row)]) continue;
    complete_[static_cast<std::size_t>(row)] = 1;
    front.r[place_of(front, row)] += problem.tree->b[row];
  }
}

void Articulated::eliminate_rows(int link) {
  Front& front = fronts_[static_cast<std::size_t>(link)];
  front.first_pivot = static_cast<int>(pivots_.size());
  while (true) {
    double best = least_compliance;
    std::size_t which = front.rows.size();
    for (std::size_t k = 0; k < front.rows.size(); ++k) {
      if (!complete_[static_cast<std::size_t>(front.rows[k])]) continue;
      const double below = front.L[k * front.rows.size() + k];
      double here = 0.0;
      for (std::size_t c = 0; c < 6; ++c)
        if (const double K = front.K[6 * k + c]; K != 0.0)
          here += K * K / front.I(static_cast<int>(c), static_cast<int>(c));
      if (below > best * (below + here)) {
        best = below / (below + here);
        which = k;
      }
    }
    if (which == front.rows.size()) break;
    eliminate(front, which);
  }
  front.pivots = static_cast<int>(pivots_.size()) - front.first_pivot;
}

void Articulated::eliminate(Front& front, std::size_t at) {
  const auto n = static_cast<Eigen::Index>(front.rows.size());
  const auto a = static_cast<Eigen::Index>(at);
  RowsMap K(front.K.data(), n, 6);
  SquareMap L(front.L.data(), n, n);
  Eigen::Map<Eigen::VectorXd> r(front.r.data(), n);
  Pivot pivot;
  pivot.row = front.rows[at];
  pivot.d = L(a, a);
  pivot.r = r[a];
  pivot.K = K.row(a);
  pivot.first_coupling = static_cast<int>(couplings_.size());
  front.I.noalias() += (1.0 / pivot.d) * pivot.K * pivot.K.transpose();  // (2)
  front.p.noalias() -= (pivot.r / pivot.d) * pivot.K;
  for (Eigen::Index k = 0; k < n; ++k) {
    if (k == a) continue;
    const double coupling = L(k, a);
    couplings_.push_back({front.rows[static_cast<std::size_t>(k)], coupling});
    if (coupling == 0.0) continue;
    const double factor = coupling / pivot.d;
    K.row(k) -= factor * pivot.K.transpose();
    r[k] -= factor * pivot.r;
    for (Eigen::Index j = 0; j < n; ++j)
      if (j != a) L(k, j) -= factor * L(a, j);
  }
  pivot.couplings = static_cast<int>(couplings_.size()) - pivot.first_coupling;
  pivots_.push_back(pivot);
  // Take the row out: squeeze K, L and r.
  const auto size = static_cast<std::size_t>(n);
  std::size_t to = 0;
  for (std::size_t column = 0; column < size; ++column) {
    if (column == at) continue;
    for (std::size_t line = 0; line < size; ++line)
      if (line != at) front.L[to++] = front.L[column * size + line];
  }
  front.L.resize(to);
  front.K.erase(front.K.begin() + static_cast<std::ptrdiff_t>(6 * at),
                front.K.begin() + static_cast<std::ptrdiff_t>(6 * at + 6));
  front.r.erase(front.r.begin() + static_cast<std::ptrdiff_t>(at));
  front.rows.erase(front.rows.begin() + static_cast<std::ptrdiff_t>(at));
}

void Articulated::pass_joint(const Model& model, const GaussProblem& problem, int link) {
  Front& front = fronts_[static_cast<std::size_t>(link)];
  const TreeProblem::Link& on = problem.tree->links[static_cast<std::size_t>(link)];
  const auto n = static_cast<Eigen::Index>(front.rows.size());
  const Eigen::Index dof = on.S.cols();
  RowsMap K(front.K.data(), n, 6);
  SquareMap L(front.L.data(), n, n);
  Eigen::Map<Eigen::VectorXd> r(front.r.data(), n);
  front.joint_rows = front.rows;
  front.KS.resize(static_cast<std::size_t>(n * dof));
  if (dof > 0) {
    SquareMap KS(front.KS.data(), n, dof);
    front.U.noalias() = front.I.lazyProduct(on.S);  // (3)
    Square6 D = on.S.transpose().lazyProduct(front.U);
    add_armature(problem, link, D);
    const Eigen::LLT<Square6> llt(D);
    if (llt.info() != Eigen::Success)
      throw NumericalError("the accelerations are not determined: " + problem.names->without_inertia(model, on.first));
    front.D_inverse = llt.solve(Square6::Identity(dof, dof));
    front.Stp.noalias() = on.S.transpose().lazyProduct(front.p);
    front.Stp -= armature_.segment(on.first, dof).cwiseProduct(given_.segment(on.first, dof));  // (6)
    KS.noalias() = K.lazyProduct(on.S);
    const Mat6UpTo6<double> UD = front.U.lazyProduct(front.D_inverse);
    front.I.noalias() -= UD.lazyProduct(front.U.transpose());  // (4)
    front.p.noalias() -= UD.lazyProduct(front.Stp);
    for (Eigen::Index k = 0; k < n; ++k) {
      const VecUpTo6<double> KSD = front.D_inverse.lazyProduct(KS.row(k).transpose());
      K.row(k).noalias() -= UD.lazyProduct(KS.row(k).transpose()).transpose();
      r[k] += KSD.dot(front.Stp);
      for (Eigen::Index j = 0; j < n; ++j) L(k, j) += KSD.dot(KS.row(j).transpose());
    }
  }
  front.p.noalias() += front.I.lazyProduct(on.c);
  r.noalias() -= K.lazyProduct(on.c);
  if (on.parent >= 0) return merge(front, on.X, fronts_[static_cast<std::size_t>(on.parent)]);
  for (Eigen::Index k = 0; k < n; ++k) {  // (5)
    const int row = front.rows[static_cast<std::size_t>(k)];
    at_world_[static_cast<std::size_t>(row)] = 1;
    world_right_[row] += r[k];
    for (Eigen::Index j = 0; j <= k; ++j) {
      const int other = front.rows[static_cast<std::size_t>(j)];
      const int block = block_of_row_[static_cast<std::size_t>(row)],
                beside = block_of_row_[static_cast<std::size_t>(other)];
      world_.add_number(block, row - problem.blocks[static_cast<std::size_t>(block)].first_row, beside,
                        other - problem.blocks[static_cast<std::size_t>(beside)].first_row, L(k, j));
    }
  }
}

void Articulated::merge(const Front& child, const Mat6<double>& X, Front& parent) {
  const Mat6<double> IX = child.I * X;
  parent.I.noalias() += X.transpose() * IX;
  parent.p.noalias() += X.transpose() * child.p;
  const std::size_t n = child.rows.size();
  for (std::size_t k = 0; k < n; ++k)
    index_[static_cast<std::size_t>(child.rows[k])] = static_cast<int>(place_of(parent, child.rows[k]));
  const std::size_t size = parent.rows.size();
  for (std::size_t k = 0; k < n; ++k) {
    const auto at = static_cast<std::size_t>(index_[static_cast<std::size_t>(child.rows[k])]);
    Eigen::Map<Eigen::Matrix<double, 1, 6>>(parent.K.data() + 6 * at).noalias() +=
        Eigen::Map<const Eigen::Matrix<double, 1, 6>>(child.K.data() + 6 * k) * X;
    parent.r[at] += child.r[k];
    for (std::size_t j = 0; j < n; ++j)
      parent.L[at * size + static_cast<std::size_t>(index_[static_cast<std::size_t>(child.rows[j])])] +=
          child.L[k * n + j];
  }
}

void Articulated::solve_world(const GaussProblem& problem, Solution& solution) {
  for (const int row : world_rows_) world_right_[row] += problem.tree->b[row];
  if (!world_.factor_kept(at_world_))
    throw NumericalError("rows that were chosen as independent turn out to depend on each other");
  solution.lambda = world_right_;
  world_.solve_in_place(solution.lambda);
}

void Articulated::walk_outward(const GaussProblem& problem, Solution& solution) {
  const std::vector<TreeProblem::Link>& links = problem.tree->links;
  for (std::size_t i = 0; i < links.size(); ++i) {
    const TreeProblem::Link& link = links[i];
    const Front& front = fronts_[i];
    Vec6<double>& y = y_[i];
    y = link.c;
    if (link.parent >= 0) y.noalias() += link.X.lazyProduct(y_[static_cast<std::size_t>(link.parent)]);
    const Eigen::Index dof = link.S.cols();
    if (dof > 0) {  // (3)
      VecUpTo6<double> right = -front.Stp - front.U.transpose().lazyProduct(y);
      const auto n = static_cast<Eigen::Index>(front.joint_rows.size());
      for (Eigen::Index k = 0; k < n; ++k) {
        const double lambda = solution.lambda[front.joint_rows[static_cast<std::size_t>(k)]];
        for (Eigen::Index d = 0; d < dof; ++d) right[d] += front.KS[static_cast<std::size_t>(d * n + k)] * lambda;
      }
      const VecUpTo6<double> rate = front.D_inverse.lazyProduct(right);
      solution.y.segment(link.first, dof) = rate;
      y.noalias() += link.S.lazyProduct(rate);
    }
    for (int k = front.pivots - 1; k >= 0; --k) {  // (2), the last eliminated first
      const Pivot& pivot = pivots_[static_cast<std::size_t>(front.first_pivot + k)];
      double rest = pivot.r - pivot.K.dot(y);
      for (int c = 0; c < pivot.couplings; ++c) {
        const Coupling& coupling = couplings_[static_cast<std::size_t>(pivot.first_coupling + c)];
        rest -= coupling.L * solution.lambda[coupling.row];
      }
      solution.lambda[pivot.row] = rest / pivot.d;
    }
  }
}

}  // namespace tandem
