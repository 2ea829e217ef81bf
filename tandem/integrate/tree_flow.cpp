#include "tandem/integrate/tree_flow.hpp"

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
  located_ = false;
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

TreeFlow::TreeFlow(const Model& model, const Setup& setup, Flow& plain)
    : plain_(plain),
      tree_(model, TreeDynamics::Acts::everything),
      time_(model.scale.time),
      projects_(setup.projects() && tree_.row_count() > 0),
      rule_{.always = find_integrator(setup.integrator).adaptive} {
  for (int row = 0; row < model.rows; ++row) holonomic_.push_back(model.is_holonomic(row));
  for (std::vector<int>* rows : {&rows_, &closed_, &position_rows_}) rows->reserve(holonomic_.size());
  for (const LoopBlock& block : tree_.loops().blocks()) rows_move_ = rows_move_ || block.moves;
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
    if (!joint.joint()) continue;  // custom
    for (int k = 0; k < joint.joint()->traits().nv; ++k)
      if (model_coordinate(joint, k) >= 0) {
        loops_.push_back(&joint);
        break;
      }
  }
}

bool TreeFlow::is_located(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v) const {
  return located_ && (!rows_move_ || t == t_located_) && q == q_located_ && v == v_located_;
}

void TreeFlow::locate(const State& state) {
  tree_.count_turns_from(state.angles);
  tree_.locate(state.t, state.q, state.v);
  t_located_ = state.t;
  q_located_ = state.q;
  v_located_ = state.v;
  located_ = true;
}

void TreeFlow::locate_by(const std::vector<int>& rows, const State& state) {
  tree_.use_rows(rows);
  tree_.locate(state.t, state.q, state.v);
}

void TreeFlow::rate(const State& stage, Rate& out) {  // (1)
  if (tree_.is_driven()) {
    q_ = stage.q;
    v_ = stage.v;
    tree_.prescribe(stage.t, q_, v_);
  }
  const Eigen::VectorXd &q = tree_.is_driven() ? q_ : stage.q, &v = tree_.is_driven() ? v_ : stage.v;
  tree_.rate(q, v, out.q);
  tree_.count_turns_from(stage.angles);
  const bool here = is_located(stage.t, q, v);  // the end of a step is the beginning of the next
  located_ = false;
  tree_.accelerate(stage.t, q, v, here, out.v);
  if (!(tree_.smallest_pivot() > least_pivot)) throw NumericalError("the rows are nearly dependent");
  out.work = tree_.power();
}

double TreeFlow::settle(State& state) {
  const double off = tree_.settle(state.q);
  tree_.prescribe(state.t, state.q, state.v);
  return off;
}

double TreeFlow::fastest_turn(const State& state) {
  if (!is_located(state.t, state.q, state.v)) locate(state);
  return tree_.fastest_turn();
}

bool TreeFlow::finish(double h, State& state, Report& report) {
  report = {};
  tree_.count_turns_from(state.angles);
  tree_.locate(state.t, state.q, state.v);
  located_ = false;
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
  t_located_ = state.t;
  q_located_ = state.q;
  v_located_ = state.v;
  located_ = true;
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
