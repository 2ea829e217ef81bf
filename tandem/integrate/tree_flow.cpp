#include "tandem/integrate/tree_flow.hpp"

#include "tandem/base/flush_denormals.hpp"
#include "tandem/integrate/integrator.hpp"

namespace tandem {

// Below this the position is on its way to a singular one, where the plain projection closes rows to round-off or lets
// them rest (integrate/projection.hpp (4)).
static constexpr double least_pivot = 1e-4;

std::unique_ptr<TreeFlow> TreeFlow::make(const Model& model, const Setup& setup, Flow& plain) {
  if (setup.method != MethodName::articulated) return nullptr;
  if (setup.integrator == IntegratorName::herk || setup.integrator == IntegratorName::implicit) return nullptr;
  if (setup.stabilisation != Stabilisation::projection && setup.stabilisation != Stabilisation::none) return nullptr;
  if (TreeDynamics::obstacle(model, TreeDynamics::Acts::everything)) return nullptr;
  return std::unique_ptr<TreeFlow>(new TreeFlow(model, setup, plain));
}

void TreeFlow::follow(const GaussProblem& problem) {
  rows_.clear();
  position_rows_.clear();
  for (const int row : problem.rows) rows_.push_back(problem.model_row[static_cast<std::size_t>(row)]);
  for (const int row : problem.position_rows)
    position_rows_.push_back(problem.model_row[static_cast<std::size_t>(row)]);
  use_rows();
}

void TreeFlow::use_rows() {
  closed_.clear();
  for (const int row : rows_)
    if (holonomic_[static_cast<std::size_t>(row)]) closed_.push_back(row);
  same_rows_ = closed_ == position_rows_;
  usable_ = same_rows_ || !tree_.loops().is_crowded();
  tree_.use_rows(rows_);
  left_out_ = tree_.rows_in_use() < tree_.row_count();
  holds_ = Holds::nothing;
  reading_.forget();
}

void TreeFlow::save(MemoryWriter& out) const {
  out.put(rows_);
  out.put(position_rows_);
  tree_.save_places(out);
}

void TreeFlow::load(MemoryReader& in) {
  in.get_places(rows_, static_cast<Eigen::Index>(holonomic_.size()));
  in.get_places(position_rows_, static_cast<Eigen::Index>(holonomic_.size()));
  use_rows();
  tree_.load_places(in);
}

void TreeFlow::stand_beside(const TreeFlow& other) {
  if (other.tree_.loops().has_places()) {
    MemoryWriter out;
    other.save(out);
    MemoryReader in(out.numbers);
    return load(in);
  }
  if (rows_ == other.rows_ && position_rows_ == other.position_rows_) return;
  rows_ = other.rows_;
  position_rows_ = other.position_rows_;
  use_rows();
}

TreeFlow::TreeFlow(const Model& model, const Setup& setup, Flow& plain)
    : plain_(plain),
      tree_(model, TreeDynamics::Acts::everything),
      time_(model.scale.time),
      projects_(setup.projects() && tree_.row_count() > 0),
      rule_{.always = find_integrator(setup.integrator).adaptive},
      reading_(model, tree_.forest()) {
  for (int row = 0; row < model.rows; ++row) holonomic_.push_back(model.is_holonomic(row));
  for (std::vector<int>* rows : {&rows_, &closed_, &position_rows_}) rows->reserve(holonomic_.size());
  for (const auto& block : tree_.loops().blocks()) rows_move_ = rows_move_ || block.moves;
  q_held_.setZero(tree_.nq());
  v_held_.setZero(tree_.nv());
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

bool TreeFlow::stands_at(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v) const {
  return holds_ != Holds::nothing && (!rows_move_ || t == t_held_) && q == q_held_ && v == v_held_;
}

void TreeFlow::stand_at(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  t_held_ = t;
  q_held_ = q;
  v_held_ = v;
  holds_ = Holds::motions;
}

void TreeFlow::take_driven(const State& state) {
  q_ = state.q;
  v_ = state.v;
  tree_.prescribe(state.t, q_, v_);
}

void TreeFlow::locate(const State& state) {
  take_driven(state);
  if (stands_at(state.t, q_, v_)) return;
  tree_.count_turns_from(state.angles);
  tree_.locate(state.t, q_, v_);
  stand_at(state.t, q_, v_);
}

void TreeFlow::locate_by(const std::vector<int>& rows, const State& state) {
  tree_.use_rows(rows);
  tree_.locate(state.t, state.q, state.v);
}

void TreeFlow::rate(const State& stage, Rate& out) {  // (1)
  if (tree_.is_driven()) take_driven(stage);
  const Eigen::VectorXd &q = tree_.is_driven() ? q_ : stage.q, &v = tree_.is_driven() ? v_ : stage.v;
  const bool here = stands_at(stage.t, q, v);  // the end of a step is the beginning of the next
  if (here && holds_ == Holds::accelerations && stage.t == t_held_) {
    out = held_;
    return;
  }
  const bool located = here && holds_ == Holds::motions;
  tree_.rate(q, v, out.q);
  tree_.count_turns_from(stage.angles);
  holds_ = Holds::nothing;
  tree_.accelerate(stage.t, q, v, located, out.v);
  if (!(tree_.smallest_pivot() > least_pivot)) throw NumericalError("the rows are nearly dependent");
  out.work = tree_.power();
  if (!here || stage.t != t_held_) return;
  holds_ = Holds::accelerations;
  held_ = out;
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
      reading_.take_accelerations(tree_, read_rate_.v);
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

double TreeFlow::settle(State& state) {
  const double off = tree_.settle(state.q);
  tree_.prescribe(state.t, state.q, state.v);
  return off;
}

double TreeFlow::fastest_turn(const State& state) {
  locate(state);
  return tree_.fastest_turn();
}

bool TreeFlow::finish(double h, State& state, Report& report) {
  report = {};
  tree_.count_turns_from(state.angles);
  tree_.locate(state.t, state.q, state.v);
  holds_ = Holds::nothing;
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
  stand_at(state.t, state.q, state.v);
  return state.q.allFinite() && state.v.allFinite();
}

void TreeFlow::read_angles(State& state) const {
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

bool TreeFlow::project(State& state, double size, Report& report) {  // (2)
  const auto is_regular = [&] { return tree_.smallest_pivot() > least_pivot; };
  bool regular = true;
  const auto move = [&] {
    tree_.least_change_of_position(delta_);
    regular = is_regular();
    tree_.retract(delta_, state.q);
    tree_.locate(state.t, state.q, state.v);
    size = regular ? tree_.residuals().gap : 0.0;
  };
  if (!same_rows_) {
    locate_by(position_rows_, state);
    size = tree_.residuals().gap;
  }
  report.iterations = rule_.close([&] { return size; }, [] { return false; }, move);
  if (!same_rows_) locate_by(rows_, state);
  if (!regular || report.iterations == rule_.most_iterations) return false;
  tree_.least_change_of_velocity(delta_);
  if (!is_regular()) return false;
  state.v += delta_;
  tree_.locate(state.t, state.q, state.v);
  // What the plain step would refuse.
  const TreeResiduals left = tree_.residuals();
  return left.gap <= tolerances::met && left.rate * time_ <= tolerances::met;
}

}  // namespace tandem
