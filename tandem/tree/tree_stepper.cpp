#include "tandem/tree/tree_stepper.hpp"

#include "tandem/integrate/rk4.hpp"

namespace tandem {

// Below this the position is on its way to a singular one, where the plain projection closes rows to round-off or lets
// them rest (integrate/projection.hpp (4)).
static constexpr double least_pivot = 1e-4;

std::unique_ptr<TreeStepper> TreeStepper::make(const Model& model, const Setup& setup) {
  if (setup.method != MethodName::articulated || setup.integrator != IntegratorName::rk4) return nullptr;
  if (setup.stabilisation != Stabilisation::projection && setup.stabilisation != Stabilisation::none) return nullptr;
  if (TreeDynamics::obstacle(model, TreeDynamics::Acts::everything)) return nullptr;
  return std::unique_ptr<TreeStepper>(new TreeStepper(model, setup));
}

void TreeStepper::follow(const GaussProblem& problem) {
  rows_.clear();
  closed_.clear();
  to_close_.clear();
  for (const int row : problem.rows) rows_.push_back(problem.model_row[static_cast<std::size_t>(row)]);
  for (const int row : problem.position_rows) to_close_.push_back(problem.model_row[static_cast<std::size_t>(row)]);
  for (const int row : rows_)
    if (holonomic_[static_cast<std::size_t>(row)]) closed_.push_back(row);
  usable_ = closed_ == to_close_;
  use_rows();
}

void TreeStepper::use_rows() {
  tree_.use_rows(rows_);
  left_out_ = tree_.rows_in_use() < tree_.row_count();
  located_ = false;
}

void TreeStepper::save(MemoryWriter& out) const {
  out.put(rows_);
  out.put(usable_ ? 1.0 : 0.0);
}

void TreeStepper::load(MemoryReader& in) {
  in.get_places(rows_, static_cast<Eigen::Index>(holonomic_.size()));
  usable_ = in.number() != 0.0;
  use_rows();
}

TreeStepper::TreeStepper(const Model& model, const Setup& setup)
    : tree_(model, TreeDynamics::Acts::everything),
      time_(model.scale.time),
      projects_(setup.projects() && tree_.row_count() > 0) {
  k_q_.resize(4);
  k_v_.resize(4);
  k_work_.resize(4);
  for (int row = 0; row < model.rows; ++row) holonomic_.push_back(model.is_holonomic(row));
  for (std::vector<int>* rows : {&rows_, &closed_, &to_close_}) rows->reserve(holonomic_.size());
  q_located_.setZero(tree_.nq());
  v_located_.setZero(tree_.nv());
  for (const Forest::Node& node : tree_.forest().nodes)
    if (node.joint >= 0)
      for (int k = 0; k < node.nv; ++k) {
        const ModelJoint& joint = model.joints[static_cast<std::size_t>(node.joint)];
        if (const int at = model_coordinate(joint, k); at >= 0)
          angles_.emplace_back(joint.turns_first + k, node.q_first + at);
      }
  for (const int loop : tree_.forest().loops) {
    const ModelJoint& joint = model.joints[static_cast<std::size_t>(loop)];
    for (int k = 0; k < joint.joint()->traits().nv; ++k)
      if (model_coordinate(joint, k) >= 0) {
        loops_.push_back(&joint);
        break;
      }
  }
}

// A motion that nothing resists may still be one that a loop holds: the plain recursion finds out.
bool TreeStepper::accelerate(double t, Eigen::VectorXd& v_dot) {
  // The end of a step is the beginning of the next.
  const bool here = located_ && q_ == q_located_ && v_ == v_located_;
  located_ = false;
  try {
    tree_.accelerate(t, q_, v_, here, v_dot);
  } catch (const NumericalError&) {
    return false;
  }
  return tree_.smallest_pivot() > least_pivot;
}

bool TreeStepper::step(double h, State& state, Report& report) {
  if (!usable_) return false;
  report = {};
  static constexpr double c[4] = {0.0, 0.5, 0.5, 1.0};  // (1)
  for (std::size_t i = 0; i < 4; ++i) {
    q_ = state.q;
    v_ = state.v;
    if (i > 0) {
      q_ += c[i] * h * k_q_[i - 1];
      v_ += c[i] * h * k_v_[i - 1];
    }
    tree_.prescribe(state.t + c[i] * h, q_, v_);
    tree_.rate(q_, v_, k_q_[i]);
    if (!accelerate(state.t + c[i] * h, k_v_[i])) return false;
    k_work_[i] = tree_.power();
  }
  state.q += h / 6.0 * (k_q_[0] + 2.0 * k_q_[1] + 2.0 * k_q_[2] + k_q_[3]);
  state.v += h / 6.0 * (k_v_[0] + 2.0 * k_v_[1] + 2.0 * k_v_[2] + k_v_[3]);
  static constexpr double b[4] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
  for (std::size_t i = 0; i < 4; ++i) add(state.work, h * b[i], k_work_[i]);
  state.t += h;
  report.quaternion_error = tree_.settle(state.q);
  tree_.prescribe(state.t, state.q, state.v);
  tree_.locate(state.q, state.v);
  const TreeResiduals before = tree_.residuals();
  report.before = norms(before);
  report.turn = std::abs(h) * tree_.fastest_turn();
  if (!is_sane(report.turn, before.gap)) return false;
  if (projects_ && !project(state, before.gap, report)) return false;
  report.after = norms(tree_.residuals());
  // Rows that followed from the others and are no longer met do so no more: the plain step chooses anew.
  if (left_out_ && projects_) {
    const TreeResiduals others = tree_.left_out();
    if (!(others.gap <= tolerances::left_out_met && others.rate * time_ <= tolerances::left_out_met)) return false;
  }
  report.pivot = tree_.smallest_pivot();
  read_angles(state);
  q_located_ = state.q;
  v_located_ = state.v;
  located_ = true;
  return state.q.allFinite() && state.v.allFinite();
}

void TreeStepper::read_angles(State& state) const {
  for (const auto& [angle, q] : angles_) state.angles[angle] = state.q[q];
  for (const ModelJoint* joint : loops_) {
    const Pose<double> X_FM = tree_.pose(joint->first).inverse() * tree_.pose(joint->second);
    const VecUpTo7<double> measured =
        joint->joint()->on<double>().measure({X_FM.R, X_FM.p, Vector3::Zero(), Vector3::Zero()});
    const auto& coordinates = joint->joint()->traits().coordinates;
    for (std::size_t k = 0; k < coordinates.size(); ++k)
      if (const int at = model_coordinate(*joint, static_cast<int>(k)); at >= 0) {
        double& angle = state.angles[joint->turns_first + static_cast<int>(k)];
        const bool turns = coordinates[k].angular && !coordinates[k].counts_turns;
        angle = turns ? unwrap_angle<double>(measured[at], angle) : measured[at];
      }
  }
}

ResidualNorms TreeStepper::norms(const TreeResiduals& of_rows) const {
  ResidualNorms out{of_rows.position, of_rows.velocity, of_rows.gap};
  if (!left_out_) return out;
  const TreeResiduals others = tree_.left_out();
  keep_larger(out.position, others.position);
  keep_larger(out.velocity, others.velocity);
  keep_larger(out.share, others.gap);
  return out;
}

// As Simulation::require_sane_step, which says what is wrong.
bool TreeStepper::is_sane(double turn, double gap) const {
  if (!(turn <= tolerances::largest_turn) || !(gap <= tolerances::step)) return false;
  return !tree_.in_trouble();
}

bool TreeStepper::project(State& state, double size, Report& report) {  // (2)
  const Projection rule;
  double before = std::numeric_limits<double>::infinity();
  while (size > rule.tolerance && !(size < tolerances::stalled && size > 0.5 * before)) {
    if (report.iterations == rule.most_iterations) return false;
    tree_.least_change_of_position(delta_);
    if (!(tree_.smallest_pivot() > least_pivot)) return false;
    tree_.retract(delta_, state.q);
    tree_.locate(state.q, state.v);
    ++report.iterations;
    before = size;
    size = tree_.residuals().gap;
  }
  tree_.least_change_of_velocity(delta_);
  if (!(tree_.smallest_pivot() > least_pivot)) return false;
  state.v += delta_;
  tree_.locate(state.q, state.v);
  // What the plain step would refuse.
  const TreeResiduals left = tree_.residuals();
  return left.gap <= tolerances::met && left.rate * time_ <= tolerances::met;
}

}  // namespace tandem
