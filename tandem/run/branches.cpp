#include "tandem/run/branches.hpp"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseLU>
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "tandem/base/elementary.hpp"
#include "tandem/base/tolerances.hpp"
#include "tandem/model/forest.hpp"

namespace tandem {

namespace {

constexpr double squared(double x) { return x * x; }

constexpr std::size_t most_dense_rows = 800;

// Of a long step, in radians or parts of the size: what was seen a way of this before is another pose.
constexpr double long_way = 0.1 * tolerances::largest_turn;

// log det of J Jᵀ; minus infinity when it is not positive definite.
double log_determinant(const Eigen::SparseMatrix<double>& J) {
  const Eigen::SparseMatrix<double> G = J * J.transpose();
  const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factors(G);
  double sum = 0.0;
  if (factors.info() != Eigen::Success) return -std::numeric_limits<double>::infinity();
  for (const double d : factors.vectorD()) sum += d > 0.0 ? log(d) : -std::numeric_limits<double>::infinity();
  return sum;
}

// (1); 0 where one of the poses is singular.
double worst_direction(const Eigen::MatrixXd& from, const Eigen::MatrixXd& to) {
  const Eigen::LLT<Eigen::MatrixXd> first(from * from.transpose()), second(to * to.transpose());
  if (first.info() != Eigen::Success || second.info() != Eigen::Success) return 0.0;
  Eigen::MatrixXd C = to * from.transpose();
  second.matrixL().solveInPlace(C);
  C.transposeInPlace();
  first.matrixL().solveInPlace(C);
  double least = 1.0;
  for (Eigen::Index k = 0; k < C.rows(); ++k) {
    const double pivot = C(k, k);
    if (!(pivot >= least)) least = pivot;
    if (!(std::abs(pivot) > 1e-12)) return 0.0;
    const Eigen::Index rest = C.rows() - k - 1;
    C.bottomRightCorner(rest, rest) -= C.col(k).tail(rest) * C.row(k).tail(rest) / pivot;
  }
  return least;
}

double cosine(const Eigen::SparseMatrix<double>& from, const Eigen::SparseMatrix<double>& to) {
  if (static_cast<std::size_t>(from.rows()) <= most_dense_rows)
    return worst_direction(Eigen::MatrixXd(from), Eigen::MatrixXd(to));
  Eigen::SparseMatrix<double> product = to * from.transpose();
  product.makeCompressed();
  Eigen::SparseLU<Eigen::SparseMatrix<double>> factors;
  factors.compute(product);
  const double sizes = 0.5 * (log_determinant(from) + log_determinant(to));
  if (factors.info() != Eigen::Success || !std::isfinite(sizes)) return 0.0;
  return factors.signDeterminant() * exp(std::min(0.0, factors.logAbsDeterminant() - sizes));
}

// J of branches.hpp, of these rows.
Eigen::SparseMatrix<double> jacobian(const Model& model, const Workspace& at, const std::vector<int>& rows) {
  std::vector<Eigen::Triplet<double>> numbers;
  for (std::size_t line = 0; line < rows.size(); ++line) {
    const RowBlockInfo& info = model.block_of_row(rows[line]);
    const RowBlock<double>& block = at.rows.block(static_cast<std::size_t>(&info - model.blocks.data()));
    const std::size_t first = numbers.size();
    double length = 0.0;
    for (std::size_t k = 0; k < info.bodies.size(); ++k) {
      const Body& body = model.bodies[static_cast<std::size_t>(info.bodies[k])];
      for (int i = body.point_mass ? 3 : 0; i < 6; ++i) {
        const double size = i < 3 ? 1.0 : model.scale.of_body[static_cast<std::size_t>(info.bodies[k])];
        const double number = size * block.J(rows[line] - info.first_row, 6 * static_cast<Eigen::Index>(k) + i);
        if (number == 0.0) continue;
        numbers.emplace_back(static_cast<int>(line), body.v_first + i - (body.point_mass ? 3 : 0), number);
        length += number * number;
      }
    }
    for (std::size_t k = first; k < numbers.size(); ++k)
      numbers[k] = {numbers[k].row(), numbers[k].col(), numbers[k].value() / std::sqrt(length)};
  }
  Eigen::SparseMatrix<double> J(static_cast<Eigen::Index>(rows.size()), model.nv);
  J.setFromTriplets(numbers.begin(), numbers.end());
  return J;
}

// Where rows are redundant, those of J may become dependent while others take their place, and all together hold what
// they held. By QR of all holonomic rows: as many of them that are no nearer to each other than singular_pose, if there
// are so many, are J from now on.
bool take_other_rows(const Model& model, const Workspace& at, std::vector<int>& rows) {
  std::vector<int> all;
  for (const RowBlockInfo& info : model.blocks) {
    if (info.is_one_sided(model) || info.is_soft(model)) continue;
    for (int k = 0; k < info.holonomic; ++k) all.push_back(info.first_row + k);
  }
  if (all.size() == rows.size() || all.size() > most_dense_rows) return false;
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> factors(Eigen::MatrixXd(jacobian(model, at, all).transpose()));
  const auto count = static_cast<Eigen::Index>(rows.size());
  if (count > factors.matrixQR().rows()) return false;
  if (!(std::abs(factors.matrixQR()(count - 1, count - 1)) > tolerances::singular_pose)) return false;
  for (Eigen::Index k = 0; k < count; ++k)
    rows[static_cast<std::size_t>(k)] = all[static_cast<std::size_t>(factors.colsPermutation().indices()[k])];
  std::sort(rows.begin(), rows.end());
  return true;
}

}  // namespace

Branches::Branches(const Model& model, const Setup& setup)
    : model_(model), setup_(setup), closes_loop_(model.blocks.size(), 1) {
  for (const int joint : spanning_forest(model).tree)
    for (std::size_t i = 0; i < model.blocks.size(); ++i)
      if (model.blocks[i].kind == RowBlockInfo::Kind::joint && model.blocks[i].index == joint) closes_loop_[i] = 0;
}

// Of the rows in use, chosen anew. Without projection a simulation keeps those of its start.
double Branches::pivot_at(Simulation& simulation) {
  const Workspace& own = simulation.workspace();
  if (setup_.projects()) return own.smallest_pivot();
  if (!probe_) probe_ = std::make_unique<Workspace>(model_, setup_.cut, setup_.coordinates);
  probe_->update(model_, simulation.state());
  return probe_->smallest_pivot();
}

double Branches::way(Simulation& simulation, double h) const {
  const std::span<const BodyMotion<double>> bodies = simulation.motions();
  double most = 0.0;
  for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
    const BodyMotion<double>& body = bodies[i];
    most = std::max({most, body.w_B.norm(), body.v.norm() / model_.scale.of_body[i]});
  }
  return std::abs(h) * most;
}

// Those of the problem, and those of the joints that carry coordinates there, which are always independent.
void Branches::choose_rows(const Workspace& at) {
  std::vector<char> use(static_cast<std::size_t>(model_.rows), 1);
  for (const int row : at.problem.model_row)
    if (row >= 0) use[static_cast<std::size_t>(row)] = 0;
  for (const int row : at.problem.position_rows)
    if (const int own = at.problem.model_row[static_cast<std::size_t>(row)]; own >= 0)
      use[static_cast<std::size_t>(own)] = 1;
  rows_.clear();
  for (const RowBlockInfo& info : model_.blocks) {
    if (info.is_one_sided(model_) || info.is_soft(model_)) continue;
    for (int k = 0; k < info.holonomic; ++k)
      if (use[static_cast<std::size_t>(info.first_row + k)]) rows_.push_back(info.first_row + k);
  }
}

Branches::Pose Branches::pose(Simulation& at) const {
  Pose out{.t = at.state().t, .pivot = 0.0, .J = jacobian(model_, at.workspace(), rows_), .v = at.bodies().v()};
  const Eigen::SparseMatrix<double> G = out.J * out.J.transpose();
  const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factors(G);
  if (factors.info() == Eigen::Success) out.pivot = std::max(0.0, factors.vectorD().minCoeff());
  return out;
}

bool Branches::singular(const Pose& pose) const { return !(pose.pivot >= squared(tolerances::singular_pose)); }  // (2)

Branches::Found Branches::search(const View& view, Pose low, Pose high, Pose& found) const {
  const double shortest = tolerances::jump_within * (high.t - low.t);
  for (;;) {
    for (Pose* each : {&high, &low})
      if (singular(*each)) {
        found = std::move(*each);
        return Found::singular;
      }
    if (!(high.t - low.t > shortest)) break;
    Pose middle = pose(view(0.5 * (low.t + high.t)));
    const double before = cosine(low.J, middle.J), after = cosine(middle.J, high.J);
    if (!singular(middle) && std::min(before, after) >= tolerances::same_branch) return Found::nothing;
    (before < after ? high : low) = std::move(middle);
  }
  found = low.pivot < high.pivot ? std::move(low) : std::move(high);
  return Found::jump;
}

// The velocities shortly before the singular pose at `at`, which is entered after `from`.
void Branches::enter(const View& view, const Pose& from, double at, double speed) {
  const double before = std::max(from.t, at - tolerances::beside_pose / speed);
  entered_ = before > from.t ? view(before).bodies().v() : from.v;
  entered_way_ = speed * (at - before);
}

// The line is what counts: a machine may come to rest in the pose and go back.
bool Branches::goes_straight_on(const Eigen::VectorXd& from, const Eigen::VectorXd& to, double way) const {
  double product = 0.0, before = 0.0, after = 0.0;
  for (const Body& body : model_.bodies) {
    const auto add = [&](const auto& a, const auto& b, const auto& mass) {
      product += a.dot(mass * b);
      before += a.dot(mass * a);
      after += b.dot(mass * b);
    };
    const Matrix3 mass = body.mass * Matrix3::Identity();
    const int linear = body.v_first + body.nv() - 3;
    add(from.segment<3>(linear), to.segment<3>(linear), mass);
    if (!body.point_mass) add(from.segment<3>(body.v_first), to.segment<3>(body.v_first), body.inertia);
  }
  const double still = tolerances::energy_round_off * model_.scale.energy();
  if (!(before > still && after > still)) return true;
  return acos(std::min(1.0, std::abs(product) / std::sqrt(before * after))) <= tolerances::straight_on + 2.0 * way;
}

// Of the rows that make up each other there: one that closes a loop, the one with the largest part.
int Branches::weakest_row(const Pose& at) const {
  Eigen::SparseMatrix<double> G = at.J * at.J.transpose();
  Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factors;
  factors.setShift(1e-14);
  factors.compute(G);
  Eigen::VectorXd part(G.rows());
  for (Eigen::Index i = 0; i < part.size(); ++i) part[i] = 1.0 + 0.1 * sin(static_cast<double>(i));
  for (int k = 0; k < 3 && factors.info() == Eigen::Success; ++k) part = factors.solve(part).normalized();
  std::size_t best = 0;
  double most = -1.0;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const auto block = static_cast<std::size_t>(&model_.block_of_row(rows_[i]) - model_.blocks.data());
    const double size = std::abs(part[static_cast<Eigen::Index>(i)]) * (closes_loop_[block] ? 1.0 : 1e-2);
    if (!(size > most)) continue;
    most = size;
    best = i;
  }
  return rows_[best];
}

void Branches::begin(Simulation& simulation, Health& health) {
  if (model_.rows == 0 || setup_.by_impulses()) return;
  if (!(pivot_at(simulation) < squared(tolerances::singular_pose))) return;
  choose_rows(simulation.workspace());
  if (rows_.empty()) return;
  const Pose start = pose(simulation);
  if (!singular(start) || take_other_rows(model_, simulation.workspace(), rows_)) return;
  health.note(HealthEvent::Kind::singular_pose, weakest_row(start), start.t);
}

void Branches::save(MemoryWriter& out) const {
  out.put(sigma_);
  out.put(slope_);
  out.put(entered_);
  out.put(entered_way_);
}

void Branches::load(MemoryReader& in) {
  sigma_ = in.finite_number();
  slope_ = in.finite_number();
  in.get(entered_);
  if (entered_.size() != 0 && (entered_.size() != model_.nv || !entered_.allFinite()))
    throw std::invalid_argument("the memory is that of another model");
  entered_way_ = in.finite_number();
}

bool Branches::may_have_passed(double pivot, double h) {
  const double before = sigma_, fell = std::abs(slope_ * h);
  const bool known = slope_ >= 0.0;
  sigma_ = std::sqrt(std::max(0.0, pivot));
  slope_ = std::abs(sigma_ - before) / h;
  if (!known || !(pivot >= squared(tolerances::singular_pose))) return true;
  return before + sigma_ <= 4.0 * std::max(fell, std::abs(sigma_ - before));  // (5)
}

void Branches::watch(const StepReport& report, Simulation& simulation, const View& view, Health& health) {
  if (model_.rows == 0 || setup_.by_impulses()) return;
  const double h = simulation.state().t - simulation.before();
  const bool projects = setup_.projects();
  const bool near_enough = may_have_passed(projects ? report.pivot : pivot_at(simulation), h);
  // In long steps, how σ changed before does not tell how it changes next.
  const bool inside = entered_.size() > 0;
  if (!near_enough && !inside && report.turn < long_way) return;
  const double pivot = pivot_at(simulation), way = this->way(simulation, h);
  const double near = std::max(squared(tolerances::singular_pose), squared(tolerances::steps_around_singular * way));
  if (!(pivot < near) && !inside) return;
  Simulation& before = view(simulation.before());
  choose_rows(before.workspace());
  if (rows_.empty()) return;
  Pose from = pose(before), to = pose(view(simulation.state().t)), found;
  Found what = Found::nothing;
  bool began_there = false;
  for (int attempt = 0; attempt < 2; ++attempt) {
    began_there = inside || singular(from);  // and the step before ended there
    if (!began_there && !singular(to) && cosine(from.J, to.J) >= tolerances::same_branch) return;
    found = from;
    what = began_there ? Found::singular : search(view, from, to, found);
    if (what == Found::nothing) return;
    if (attempt > 0 || !take_other_rows(model_, view(found.t).workspace(), rows_)) break;
    from = pose(view(simulation.before()));
    to = pose(view(simulation.state().t));
  }
  const int row = weakest_row(found);
  if (what == Found::jump) return health.note(HealthEvent::Kind::branch_left, row, found.t);
  const double at = began_there && singular(to) ? to.t : found.t, speed = way / h;
  const double within = began_there ? at - from.t + tolerances::jump_within * h : h * std::min(5.0, long_way / way);
  health.note(HealthEvent::Kind::singular_pose, row, at, within);
  if (!inside) enter(view, from, found.t, speed);
  const double left = found.t + tolerances::beside_pose / speed;
  if (singular(to)) {
    entered_way_ += speed * (to.t - found.t);
    return;
  }
  const Pose behind = left < to.t ? pose(view(left)) : to;
  const Pose& after = singular(behind) ? to : behind;
  if (!goes_straight_on(entered_, after.v, entered_way_ + speed * (after.t - found.t)))
    health.note(HealthEvent::Kind::branch_changed, row, found.t, within);
  entered_.resize(0);
}

}  // namespace tandem
