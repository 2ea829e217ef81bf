#include "tandem/tree/tree_stepper.hpp"

#include "tandem/integrate/rk4.hpp"

namespace tandem {

// Below this the position is nearly singular, and the plain projection knows what to do there.
static constexpr double least_pivot = 1e-7;

// Angles of joints that close a loop are counted over their turns at every step: not here.
static bool counts_loop_angles(const Model& model, const Forest& forest) {
  for (const int loop : forest.loops)
    for (const JointCoordinate& coordinate : model.joints[static_cast<std::size_t>(loop)].joint()->traits().coordinates)
      if (coordinate.scalar) return true;
  return false;
}

std::unique_ptr<TreeStepper> TreeStepper::make(const Model& model, const Setup& setup, const State& start) {
  if (setup.method != MethodName::articulated || setup.integrator != IntegratorName::rk4 || !model.forces.empty())
    return nullptr;
  if (setup.stabilisation != Stabilisation::projection && setup.stabilisation != Stabilisation::none) return nullptr;
  if (TreeDynamics::obstacle(model)) return nullptr;
  std::unique_ptr<TreeStepper> stepper(new TreeStepper(model, setup));
  if (counts_loop_angles(model, stepper->tree_.forest())) return nullptr;
  stepper->tree_.choose_rows(start.q);
  return stepper->tree_.rows_in_use() == stepper->tree_.row_count() ? std::move(stepper) : nullptr;
}

TreeStepper::TreeStepper(const Model& model, const Setup& setup)
    : tree_(model), time_(model.scale.time), projects_(setup.projects() && tree_.row_count() > 0) {
  k_q_.resize(4);
  k_v_.resize(4);
  none_.setZero(tree_.nv());
  q_located_.setZero(tree_.nq());
  v_located_.setZero(tree_.nv());
  for (const Forest::Node& node : tree_.forest().nodes)
    if (node.joint >= 0)
      for (int k = 0; k < node.nv; ++k) {
        const ModelJoint& joint = model.joints[static_cast<std::size_t>(node.joint)];
        if (const int at = model_coordinate(joint, k); at >= 0)
          angles_.emplace_back(joint.turns_first + k, node.q_first + at);
      }
}

// A motion that nothing resists may still be one that a loop holds: the plain recursion finds out.
bool TreeStepper::accelerate(Eigen::VectorXd& v_dot) {
  // The end of a step is the beginning of the next.
  const bool here = located_ && q_ == q_located_ && v_ == v_located_;
  located_ = false;
  try {
    if (here)
      tree_.forward_where_located(none_, v_dot);
    else
      tree_.forward(q_, v_, none_, v_dot);
  } catch (const NumericalError&) {
    return false;
  }
  return tree_.smallest_pivot() > least_pivot;
}

bool TreeStepper::step(double h, State& state, Report& report) {
  report = {};
  static constexpr double c[4] = {0.0, 0.5, 0.5, 1.0};  // (1)
  for (std::size_t i = 0; i < 4; ++i) {
    q_ = state.q;
    v_ = state.v;
    if (i > 0) {
      q_ += c[i] * h * k_q_[i - 1];
      v_ += c[i] * h * k_v_[i - 1];
    }
    tree_.rate(q_, v_, k_q_[i]);
    if (!accelerate(k_v_[i])) return false;
  }
  state.q += h / 6.0 * (k_q_[0] + 2.0 * k_q_[1] + 2.0 * k_q_[2] + k_q_[3]);
  state.v += h / 6.0 * (k_v_[0] + 2.0 * k_v_[1] + 2.0 * k_v_[2] + k_v_[3]);
  state.t += h;
  report.quaternion_error = tree_.settle(state.q);
  tree_.locate(state.q, state.v);
  const TreeResiduals before = tree_.residuals();
  report.before = {before.position, before.velocity};
  report.turn = std::abs(h) * tree_.fastest_turn();
  if (!is_sane(report.turn, before.gap)) return false;
  if (projects_ && !project(state, before.gap, report)) return false;
  const TreeResiduals after = tree_.residuals();
  report.after = {after.position, after.velocity};
  report.pivot = tree_.smallest_pivot();
  for (const auto& [angle, q] : angles_) state.angles[angle] = state.q[q];
  q_located_ = state.q;
  v_located_ = state.v;
  located_ = true;
  return state.q.allFinite() && state.v.allFinite();
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
