#include "tandem/integrate/tree_flow.hpp"

#include "tandem/base/flush_denormals.hpp"
#include "tandem/integrate/integrator.hpp"

namespace tandem {

// Below this the position is on its way to a singular one, where the plain projection closes rows to round-off or lets
// them rest (integrate/projection.hpp (4)).
static constexpr double least_pivot = 1e-4;

std::unique_ptr<TreeFlow> TreeFlow::make(const Model& model, const Setup& setup, Flow& plain, StepMemory& memory) {
  if (setup.method != MethodName::articulated) return nullptr;
  if (setup.integrator == IntegratorName::herk || setup.integrator == IntegratorName::implicit) return nullptr;
  if (setup.stabilisation != Stabilisation::projection && setup.stabilisation != Stabilisation::none) return nullptr;
  if (TreeDynamics::obstacle(model, TreeDynamics::Acts::everything)) return nullptr;
  return std::unique_ptr<TreeFlow>(new TreeFlow(model, setup, plain, memory));
}

void TreeFlow::follow(const GaussProblem& problem) {
  ChosenRows& rows = memory_.tree_rows;
  rows.velocity.clear();
  rows.position.clear();
  for (const int row : problem.rows) rows.velocity.push_back(problem.model_row[static_cast<std::size_t>(row)]);
  for (const int row : problem.position_rows) rows.position.push_back(problem.model_row[static_cast<std::size_t>(row)]);
  use_rows();
}

void TreeFlow::use_rows() {
  const ChosenRows& rows = memory_.tree_rows;
  closed_.clear();
  for (const int row : rows.velocity)
    if (holonomic_[static_cast<std::size_t>(row)]) closed_.push_back(row);
  same_rows_ = closed_ == rows.position;
  usable_ = same_rows_ || !tree_.loops().is_crowded();
  tree_.use_rows(rows.velocity);
  left_out_ = tree_.rows_in_use() < tree_.row_count();
  holds_ = Holds::nothing;
  reading_.forget();
}

void TreeFlow::go_on() {
  use_rows();
  tree_.load_places(memory_.tree_places);
}

void TreeFlow::stand_beside(const TreeFlow& other) {
  const bool has_places = other.tree_.loops().has_places();
  if (!has_places && memory_.tree_rows == other.memory_.tree_rows) return;
  memory_.tree_rows = other.memory_.tree_rows;
  if (!has_places) return use_rows();
  other.tree_.save_places(memory_.tree_places);
  go_on();
}

TreeFlow::TreeFlow(const Model& model, const Setup& setup, Flow& plain, StepMemory& memory)
    : plain_(plain),
      memory_(memory),
      tree_(model, TreeDynamics::Acts::everything),
      time_(model.scale.time),
      projects_(setup.projects() && tree_.row_count() > 0),
      rule_{.always = find_integrator(setup.integrator).adaptive},
      reading_(model, tree_.forest()) {
  for (int row = 0; row < model.rows; ++row) holonomic_.push_back(model.is_holonomic(row));
  for (std::vector<int>* rows : {&memory.tree_rows.velocity, &memory.tree_rows.position, &closed_})
    rows->reserve(holonomic_.size());
  for (const auto& block : tree_.loops().blocks()) rows_move_ = rows_move_ || block.moves;
  for (Eigen::VectorXd* q : {&q_, &q_dot_, &q_held_}) q->setZero(tree_.nq());
  for (Eigen::VectorXd* v : {&v_, &v_dot_, &v_held_}) v->setZero(tree_.nv());
  for (const Forest::Node& node : tree_.forest().nodes)
    if (node.joint >= 0)
      for (int k = 0; k < node.nv; ++k) {
        const ModelJoint& joint = model.joints[static_cast<std::size_t>(node.joint)];
        if (const int at = model_coordinate(joint, k); at >= 0)
          angles_.emplace_back(joint.turns_first + k, node.q_first + at);
      }
  for (const int loop : tree_.forest().loops) {
    const ModelJoint& joint = model.joints[static_cast<std::size_t>(loop)];
    if (!joint.joint()) continue;  // custom
    for (int k = 0; k < joint.joint()->traits().nv; ++k)
      if (model_coordinate(joint, k) >= 0) {
        loops_.push_back(&joint);
        break;
      }
  }
}

void TreeFlow::take(const State& state) {
  q_ = state.q();
  v_ = state.v();
}

void TreeFlow::put_back(State& state) const {
  state.q() = q_;
  state.v() = v_;
}

bool TreeFlow::stands_at(double t) const {
  return holds_ != Holds::nothing && (!rows_move_ || t == t_held_) && q_ == q_held_ && v_ == v_held_;
}

void TreeFlow::stand_at(double t) {
  t_held_ = t;
  q_held_ = q_;
  v_held_ = v_;
  holds_ = Holds::motions;
}

void TreeFlow::locate(const State& state) {
  take(state);
  tree_.prescribe(state.t, q_, v_);
  if (stands_at(state.t)) return;
  tree_.count_turns_from(state.angles());
  tree_.locate(state.t, q_, v_);
  stand_at(state.t);
}

void TreeFlow::locate_by(const std::vector<int>& rows, double t) {
  tree_.use_rows(rows);
  tree_.locate(t, q_, v_);
}

void TreeFlow::rate(const State& stage, Eigen::VectorXd& x_dot) {  // (1)
  take(stage);
  tree_.prescribe(stage.t, q_, v_);
  const bool here = stands_at(stage.t);  // the end of a step is the beginning of the next
  if (here && holds_ == Holds::accelerations && stage.t == t_held_) {
    x_dot = held_;
    return;
  }
  const bool located = here && holds_ == Holds::motions;
  tree_.rate(q_, v_, q_dot_);
  tree_.count_turns_from(stage.angles());
  holds_ = Holds::nothing;
  tree_.accelerate(stage.t, q_, v_, located, v_dot_);
  if (!(tree_.smallest_pivot() > least_pivot)) throw NumericalError("the rows are nearly dependent");
  x_dot.resize(stage.x.size());
  part(x_dot, stage.parts.q) = q_dot_;
  part(x_dot, stage.parts.v) = v_dot_;
  stage.parts.write_work(tree_.power(), x_dot);
  if (!here || stage.t != t_held_) return;
  holds_ = Holds::accelerations;
  held_ = x_dot;
}

const TreeReading* TreeFlow::read_motions(const State& state) {
  if (!usable_) return nullptr;
  if (reading_.is_of(state)) return &reading_;
  const FlushDenormals flush;
  locate(state);
  reading_.take_motions(state, tree_);
  return &reading_;
}

const TreeReading* TreeFlow::read_accelerations(const State& state) {
  if (!read_motions(state)) return nullptr;
  if (!reading_.has_tried()) {
    const FlushDenormals flush;
    reading_.give_up();
    try {
      locate(state);
      rate(state, read_rate_);
      v_dot_ = part(read_rate_, state.parts.v);
      reading_.take_accelerations(tree_, v_dot_);
    } catch (const NumericalError&) {  // the plain equations find out and name it
    }
  }
  return reading_.has_accelerations() ? &reading_ : nullptr;
}

const TreeReading* TreeFlow::read_forces(const State& state) {
  if (!read_accelerations(state) || reading_.has_forces()) return read_accelerations(state);
  const FlushDenormals flush;
  locate(state);
  rate(state, read_rate_);  // where it stands already nothing is done
  tree_.find_joint_forces(state.t, q_, v_);
  reading_.take_forces(tree_);
  return &reading_;
}

void TreeFlow::coordinate_rate(const State& state, VecOut<double> q_dot) {
  take(state);
  tree_.rate(q_, v_, q_dot_);
  q_dot = q_dot_;
}

double TreeFlow::settle(State& state) {
  take(state);
  const double off = tree_.settle(q_);
  tree_.prescribe(state.t, q_, v_);
  put_back(state);
  return off;
}

double TreeFlow::fastest_turn(const State& state) {
  locate(state);
  return tree_.fastest_turn();
}

bool TreeFlow::finish(double h, State& state, Report& report) {
  report = {};
  take(state);
  tree_.count_turns_from(state.angles());
  tree_.locate(state.t, q_, v_);
  holds_ = Holds::nothing;
  const TreeResiduals before = tree_.residuals();
  report.before = norms(before);
  report.turn = std::abs(h) * tree_.fastest_turn();
  if (!is_sane(report.turn, before.gap)) return false;
  if (projects_ && !project(state.t, before.gap, report)) return false;
  report.after = norms(tree_.residuals());
  // Rows that followed from the others and are no longer met do so no more: the plain step chooses anew.
  if (left_out_ && projects_) {
    const TreeResiduals others = tree_.left_out();
    if (!(others.gap <= tolerances::left_out_met && others.rate * time_ <= tolerances::left_out_met)) return false;
  }
  report.pivot = tree_.smallest_pivot();
  put_back(state);
  read_angles(state);
  stand_at(state.t);
  return q_.allFinite() && v_.allFinite();
}

void TreeFlow::read_angles(State& state) const {
  auto angles = state.angles();
  for (const auto& [angle, q] : angles_) angles[angle] = q_[q];
  for (const ModelJoint* joint : loops_) {
    const Pose<double> X_FM = tree_.pose(joint->first).inverse() * tree_.pose(joint->second);
    const VecUpTo7<double> measured =
        joint->joint()->on<double>().measure({X_FM.R, X_FM.p, Vector3::Zero(), Vector3::Zero()});
    const auto& coordinates = joint->joint()->traits().coordinates;
    for (std::size_t k = 0; k < coordinates.size(); ++k)
      if (const int at = model_coordinate(*joint, static_cast<int>(k)); at >= 0) {
        double& angle = angles[joint->turns_first + static_cast<int>(k)];
        const bool turns = coordinates[k].angular && !coordinates[k].counts_turns;
        angle = turns ? unwrap_angle<double>(measured[at], angle) : measured[at];
      }
  }
}

ResidualNorms TreeFlow::norms(const TreeResiduals& of_rows) const {
  ResidualNorms out{of_rows.position, of_rows.velocity, of_rows.gap};
  if (!left_out_) return out;
  const TreeResiduals others = tree_.left_out();
  keep_larger(out.position, others.position);
  keep_larger(out.velocity, others.velocity);
  keep_larger(out.share, others.gap);
  return out;
}

// As Simulation::require_sane_step, which says what is wrong.
bool TreeFlow::is_sane(double turn, double gap) const {
  if (!(turn <= tolerances::largest_turn) || !(gap <= tolerances::step)) return false;
  return !tree_.in_trouble();
}

bool TreeFlow::project(double t, double size, Report& report) {  // (2)
  const auto is_regular = [&] { return tree_.smallest_pivot() > least_pivot; };
  bool regular = true;
  const auto move = [&] {
    tree_.least_change_of_position(delta_);
    regular = is_regular();
    tree_.retract(delta_, q_);
    tree_.locate(t, q_, v_);
    size = regular ? tree_.residuals().gap : 0.0;
  };
  if (!same_rows_) {
    locate_by(memory_.tree_rows.position, t);
    size = tree_.residuals().gap;
  }
  report.iterations = rule_.close([&] { return size; }, [] { return false; }, move);
  if (!same_rows_) locate_by(memory_.tree_rows.velocity, t);
  if (!regular || report.iterations == rule_.most_iterations) return false;
  tree_.least_change_of_velocity(delta_);
  if (!is_regular()) return false;
  v_ += delta_;
  tree_.locate(t, q_, v_);
  // What the plain step would refuse.
  const TreeResiduals left = tree_.residuals();
  return left.gap <= tolerances::met && left.rate * time_ <= tolerances::met;
}

}  // namespace tandem
