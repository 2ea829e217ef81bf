#include "tandem/dynamics/row_system.hpp"

#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>
#include <random>

#include "tandem/base/same_bytes.hpp"
#include "tandem/base/tolerances.hpp"
#include "tandem/linalg/known_size.hpp"

namespace tandem {

namespace {

constexpr int of_a_body = 6;  // unknowns: most groups are one, and then sizes are known to the compiler

template <int size, int rows> auto known(const Eigen::MatrixXd& m) {
  return Eigen::Map<const Eigen::Matrix<double, size, rows>>(m.data(), m.rows(), m.cols());
}

// Yᵀ ← L⁻¹ Yᵀ
void divide_by_root(const Eigen::LLT<Eigen::MatrixXd>& llt, Eigen::MatrixXd& Yt) {
  if (Yt.rows() != of_a_body) return llt.matrixL().solveInPlace(Yt);
  const auto L = known<of_a_body, of_a_body>(llt.matrixLLT());
  for (Eigen::Index i = 0; i < Yt.cols(); ++i) {
    Eigen::Map<Vec6<double>> column(Yt.col(i).data());
    L.triangularView<Eigen::Lower>().solveInPlace(column);
  }
}

// x ← L⁻ᵀ L⁻¹ x
template <class Part> void divide_by_mass(const Eigen::LLT<Eigen::MatrixXd>& llt, Part x) {
  if (x.size() != of_a_body) {
    llt.solveInPlace(x);
    return;
  }
  const auto L = known<of_a_body, of_a_body>(llt.matrixLLT());
  Eigen::Map<Vec6<double>> six(x.data());
  L.triangularView<Eigen::Lower>().solveInPlace(six);
  L.transpose().triangularView<Eigen::Upper>().solveInPlace(six);
}

// S_ij += Y_i Y_jᵀ
void add_product(BlockLdlt& S, int i, const Eigen::MatrixXd& Yt_i, int j, const Eigen::MatrixXd& Yt_j) {
  if (Yt_i.rows() != of_a_body) return S.add_product(i, j, Yt_i.transpose(), Yt_j.transpose());
  with_known_size(static_cast<int>(Yt_i.cols()), [&]<int n>() {
    with_known_size(static_cast<int>(Yt_j.cols()), [&]<int m>() {
      S.add_product(i, j, known<of_a_body, n>(Yt_i).transpose(), known<of_a_body, m>(Yt_j).transpose());
    });
  });
}

// What a remainder has of another.
template <class Remainder> void take_out(const Remainder& taken, Remainder& other) {
  for (int pass = 0; pass < 2; ++pass) {  // the second for round-off
    const double c = taken.r.dot(other.r) / taken.r.squaredNorm();
    other.r -= c * taken.r;
    other.w -= c * taken.w;
  }
}

}  // namespace

void RowSystem::analyse(const GaussProblem& problem) {
  analysed_ = true;
  on_group_.assign(problem.groups.size(), {});
  Yt_.assign(problem.blocks.size(), {});
  roots_.resize(problem.groups.size());
  for (Root& root : roots_) root.known = false;
  std::vector<int> sizes;
  for (std::size_t i = 0; i < problem.blocks.size(); ++i) {
    const GaussProblem::Block& block = problem.blocks[i];
    sizes.push_back(block.rows);
    for (std::size_t k = 0; k < block.parts.size(); ++k) {
      on_group_[static_cast<std::size_t>(block.parts[k].group)].push_back({static_cast<int>(i), static_cast<int>(k)});
      Yt_[i].emplace_back(block.parts[k].J.cols(), block.rows);
    }
  }
  std::vector<std::vector<int>> cliques;
  for (const std::vector<OnGroup>& touching : on_group_) {
    std::vector<int> clique;
    for (const OnGroup& each : touching) clique.push_back(each.block);
    cliques.push_back(std::move(clique));
  }
  ldlt_.analyse(sizes, cliques);
  keep_.assign(static_cast<std::size_t>(problem.row_count()), 1);
}

int RowSystem::form(const GaussProblem& problem, Weight weight, const Eigen::VectorXd* shift) {
  weight_ = weight;
  ldlt_.set_zero();
  for (std::size_t g = 0; g < problem.groups.size(); ++g) {
    if (weight == Weight::inverse_mass && !find_root(problem.groups[g], shift, roots_[g])) return static_cast<int>(g);
    for (std::size_t a = 0; a < on_group_[g].size(); ++a) {
      const OnGroup& i = on_group_[g][a];
      const GaussProblem::Part& part =
          problem.blocks[static_cast<std::size_t>(i.block)].parts[static_cast<std::size_t>(i.part)];
      Eigen::MatrixXd& Yt = Yt_[static_cast<std::size_t>(i.block)][static_cast<std::size_t>(i.part)];
      const GaussProblem::Block& block = problem.blocks[static_cast<std::size_t>(i.block)];
      if (block.one_sided || block.soft)
        Yt.setZero();  // as if it were not there
      else
        Yt = part.J.transpose();  // (1)
      if (weight == Weight::unit)
        Yt.array().colwise() *= problem.unit.segment(problem.groups[g].first, problem.groups[g].size).array();
      if (weight == Weight::inverse_mass) divide_by_root(roots_[g].llt, Yt);
      for (std::size_t b = 0; b <= a; ++b) {
        const OnGroup& j = on_group_[g][b];
        const Eigen::MatrixXd& other = Yt_[static_cast<std::size_t>(j.block)][static_cast<std::size_t>(j.part)];
        add_product(ldlt_, i.block, Yt, j.block, other);
      }
    }
  }
  return -1;
}

// Whether `known` is M, or M with a shift, to the bit.
static bool is_mass(const Eigen::MatrixXd& known, const GaussProblem::Group& group, const Eigen::VectorXd* shift) {
  if (!shift) return same_bytes(known, group.M);
  if (known.size() != group.M.size()) return false;
  for (int j = 0; j < group.size; ++j)
    for (int i = 0; i < group.size; ++i)
      if (known(i, j) != (i == j ? group.M(i, j) + (*shift)[group.first + i] : group.M(i, j))) return false;
  return true;
}

// False when M has none.
bool RowSystem::find_root(const GaussProblem::Group& group, const Eigen::VectorXd* shift, Root& root) {
  if (root.known && is_mass(root.M, group, shift)) return true;
  root.M = group.M;
  if (shift) root.M.diagonal() += shift->segment(group.first, group.size);
  root.llt.compute(root.M);
  root.known = root.llt.info() == Eigen::Success;
  for (Eigen::Index k = 0; root.known && k < root.M.rows(); ++k)
    root.known = root.llt.matrixLLT()(k, k) * root.llt.matrixLLT()(k, k) > 1e-13 * root.M(k, k);
  return root.known;
}

void RowSystem::strong_rows(const GaussProblem& problem, double tolerance, std::vector<int>& rows) {
  ldlt_.factor(tolerance * tolerance, problem.tree ? &problem.tree->row_square : nullptr);
  rows.clear();
  for (std::size_t row = 0; row < ldlt_.kept().size(); ++row)
    if (ldlt_.kept()[row]) rows.push_back(static_cast<int>(row));
}

std::vector<int> RowSystem::find_sure_rows(const GaussProblem& problem, Among among) {
  form(problem, Weight::unit);
  among_.assign(keep_.size(), 0);
  for (const GaussProblem::Block& block : problem.blocks)
    if (!block.one_sided && !block.soft)
      std::fill_n(among_.begin() + block.first_row, among == Among::all ? block.rows : block.holonomic, char{1});
  ldlt_.factor(tolerances::sure_pivot, problem.tree ? &problem.tree->row_square : nullptr, &among_);  // (2)
  keep_ = ldlt_.kept();
  near_.clear();
  std::vector<int> doubtful;
  for (std::size_t row = 0; row < keep_.size(); ++row)
    if (among_[row] && !keep_[row]) doubtful.push_back(static_cast<int>(row));
  return doubtful;
}

void RowSystem::choose_rows(const GaussProblem& problem, double tolerance, Among among, std::vector<int>& rows) {
  if (const std::vector<int> doubtful = find_sure_rows(problem, among); !doubtful.empty()) {
    find_lengths(problem);
    std::vector<Remainder> found;
    search(problem, doubtful, found);
    for (const Remainder& of : found) keep_[static_cast<std::size_t>(of.row)] = 1;
    rank_remainders(found);
    leave_out(doubtful, std::move(found), tolerance);
  }
  rows.clear();
  for (std::size_t row = 0; row < keep_.size(); ++row)
    if (keep_[row]) rows.push_back(static_cast<int>(row));
}

void RowSystem::dependencies(const GaussProblem& problem, double tolerance,
                             const std::function<void(const Eigen::VectorXd& w)>& each) {
  const std::vector<int> doubtful = find_sure_rows(problem, Among::all);
  if (doubtful.empty()) return;
  find_lengths(problem);
  std::vector<Remainder> found;
  search(problem, doubtful, found);
  std::vector<char> done(keep_.size(), 0);
  for (const Remainder& of : found) done[static_cast<std::size_t>(of.row)] = 1;
  rank_remainders(found);
  const auto left =
      std::find_if(found.begin(), found.end(), [&](const Remainder& of) { return !(of.r.norm() > tolerance); });
  for (auto of = left; of != found.end(); ++of) each(of->w);  // (7)
  for (const int row : doubtful) {                            // those that repeat others
    if (done[static_cast<std::size_t>(row)]) continue;
    Remainder of;
    of.w = Eigen::VectorXd::Unit(problem.row_count(), row);
    reduce(problem, of);
    for (auto kept = found.begin(); kept != left; ++kept) take_out(*kept, of);
    each(of.w.normalized());
  }
}

void RowSystem::find_lengths(const GaussProblem& problem) {
  length_.setZero(problem.row_count());
  for (const GaussProblem::Block& block : problem.blocks)
    for (const GaussProblem::Part& part : block.parts) {
      const GaussProblem::Group& group = problem.groups[static_cast<std::size_t>(part.group)];
      length_.segment(block.first_row, block.rows) +=
          (part.J * problem.unit.segment(group.first, group.size).asDiagonal()).rowwise().squaredNorm();
    }
  if (problem.tree) length_ = length_.cwiseMax(problem.tree->row_square);
  length_ = length_.cwiseSqrt();
}

// `of` comes with w: r is found from it, and K taken out of both.
void RowSystem::reduce(const GaussProblem& problem, Remainder& of) {
  const auto divided = [&](const Eigen::VectorXd& x) {
    return (length_.array() > 0.0).select(x.array() / length_.array(), 0.0).matrix().eval();
  };
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(problem.unknowns());
  problem.add_Jt(divided(of.w), sum);
  of.r = problem.unit.cwiseProduct(sum);
  double before = std::numeric_limits<double>::infinity();
  for (int pass = 0; pass < 6; ++pass) {
    Eigen::VectorXd c;
    problem.multiply_J(problem.unit.cwiseProduct(of.r), c);
    ldlt_.solve_in_place(c);
    sum.setZero();
    problem.add_Jt(c, sum);
    of.r -= problem.unit.cwiseProduct(sum);
    of.w -= length_.cwiseProduct(c);
    const double size = length_.cwiseProduct(c).norm();
    if (!(size > 1e-15 * of.w.norm()) || !(size < 0.5 * before)) break;
    before = size;
  }
}

void RowSystem::search(const GaussProblem& problem, std::vector<int> rows, std::vector<Remainder>& found) {
  if (rows.size() == 1) {
    Remainder alone{.row = rows.front(), .r = {}, .w = Eigen::VectorXd::Unit(problem.row_count(), rows.front())};
    reduce(problem, alone);
    const double own = alone.w[alone.row];
    alone.r /= own;
    alone.w /= own;
    found.push_back(std::move(alone));
    return;
  }
  std::mt19937 random(static_cast<unsigned>(rows.front()));
  bool is_nothing = true;
  for (int look = 0; look < 3 && is_nothing; ++look) {
    Remainder sum;
    sum.w.setZero(problem.row_count());
    for (const int row : rows) sum.w[row] = 1.0 + 0x1p-32 * static_cast<double>(random());
    reduce(problem, sum);
    is_nothing = sum.r.norm() <= tolerances::repeated_row;
  }
  if (is_nothing) return;
  const auto middle = rows.begin() + static_cast<std::ptrdiff_t>(rows.size() / 2);
  search(problem, {rows.begin(), middle}, found);
  search(problem, {middle, rows.end()}, found);
}

// (5). R = [r_1 … r_m] has no more than the digits of its largest column, which is below 1e-3. By Jacobi's method, as
// divide and conquer (Eigen 3.4) goes wrong among values of round-off.
void RowSystem::rank_remainders(std::vector<Remainder>& found) {
  if (found.empty()) return;
  const auto m = static_cast<Eigen::Index>(found.size());
  Eigen::MatrixXd W(found.front().w.size(), m), R(found.front().r.size(), m);
  for (Eigen::Index k = 0; k < m; ++k) {
    const Remainder& of = found[static_cast<std::size_t>(k)];
    const double size = of.w.norm();
    W.col(k) = of.w / size;
    R.col(k) = of.r / size;
  }
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(W);
  W = qr.householderQ() * Eigen::MatrixXd::Identity(W.rows(), m);
  qr.matrixQR().topRows(m).triangularView<Eigen::Upper>().solveInPlace<Eigen::OnTheRight>(R);
  Eigen::MatrixXd V = Eigen::MatrixXd::Identity(m, m);
  if (R.rows() > 0) V = Eigen::JacobiSVD<Eigen::MatrixXd>(R, Eigen::ComputeFullV).matrixV();  // none: all is driven
  for (Eigen::Index k = 0; k < m; ++k) {
    Remainder& of = found[static_cast<std::size_t>(k)];
    of.r = R * V.col(k);
    of.w = W * V.col(k);
  }
}

void RowSystem::leave_out(const std::vector<int>& doubtful, std::vector<Remainder> found, double tolerance) {
  const double near = tolerances::nearly_dependent;
  std::vector<double> weight(keep_.size(), 1.0);  // rather a row that comes after those it follows from
  for (const int row : doubtful) weight[static_cast<std::size_t>(row)] = 2.0;
  const auto most = [&](const Eigen::VectorXd& w) {
    std::size_t best = 0;
    for (std::size_t row = 0; row < keep_.size(); ++row)
      if (weight[row] * std::abs(w[static_cast<Eigen::Index>(row)]) >
          weight[best] * std::abs(w[static_cast<Eigen::Index>(best)]))
        best = row;
    return best;
  };
  for (auto of = found.begin(); of != found.end(); ++of) {
    const double measure = of->r.norm();
    const std::size_t row = most(of->w);
    const bool kept = measure > tolerance;
    if (measure < near * tolerance && measure * near > tolerance)
      near_.push_back({static_cast<int>(row), measure, kept});
    if (kept) continue;
    keep_[row] = 0;
    const auto at = static_cast<Eigen::Index>(row);
    for (auto other = of + 1; other != found.end(); ++other) other->w -= other->w[at] / of->w[at] * of->w;
  }
}

bool RowSystem::factor(const std::vector<int>& rows, const Eigen::VectorXd* square) {
  std::fill(keep_.begin(), keep_.end(), char{0});
  for (const int row : rows) keep_[static_cast<std::size_t>(row)] = 1;
  return ldlt_.factor_kept(keep_, square);
}

void RowSystem::weigh(const GaussProblem& problem, Eigen::VectorXd& x) const {
  if (weight_ == Weight::one) return;
  if (weight_ == Weight::unit) {
    x.array() *= problem.unit.array().square();
    return;
  }
  for (std::size_t g = 0; g < problem.groups.size(); ++g)
    divide_by_mass(roots_[g].llt, x.segment(problem.groups[g].first, problem.groups[g].size));
}

}  // namespace tandem
