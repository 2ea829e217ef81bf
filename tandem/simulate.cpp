#include "tandem/simulate.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "tandem/base/suggest.hpp"

namespace tandem {

Simulation::Simulation(const Model& model, double tolerance)
    : model_(model),
      state_(start_state(model)),
      workspace_(model),
      method_(make_method(model, model.simulation.method)) {
  make_start_consistent(tolerance);
}

// Throws ModelError with a fault for every row whose residual is beyond the tolerance.
template <class Residual>
void Simulation::refuse_start(Residual&& residual, double tolerance, const char* what, const char* how) const {
  Faults faults;
  faults.about("", {model_.file, 0, 0});
  for (int row = 0; row < model_.rows; ++row)
    if (const double off = residual(row); !(std::abs(off) <= tolerance))
      faults.error(fmt::format("{}: {} is {} {:.3g}; {}", what, model_.row_name(row), how, off,
                               model_.block_of_row(row).kind == RowBlockInfo::Kind::drive
                                   ? "let the drive start where the joint is, or move the bodies"
                                   : "give the bodies a start that meets it"));
  if (faults.any_error()) throw ModelError(std::move(faults));
}

void Simulation::make_start_consistent(double tolerance) {
  workspace_.update(model_, state_);
  start_.given = residual_norms(workspace_.problem, state_.v);
  refuse_start([this](int row) { return workspace_.problem.phi[row]; }, tolerance,
               "the start does not meet its constraints", "off by");
  const State given = state_;
  projection_.project_positions(model_, state_, workspace_);
  workspace_.update(model_, state_);  // the rows are known exactly only now
  projection_.project_positions(model_, state_, workspace_);
  // Repeated, because near a singular pose one pass leaves its round-off.
  for (int pass = 0; pass < 3 && !(residual_norms(workspace_.problem, state_.v).velocity <= 1e-13); ++pass)
    project_velocities_by_mass(model_, state_, workspace_, *method_);
  refuse_start([this](int row) { return workspace_.problem.J.row(row).dot(state_.v) + workspace_.problem.phi_t[row]; },
               1e-8, "no speeds of the bodies meet the start", "rate off by");
  start_.moved = (state_.q - given.q).cwiseAbs().maxCoeff();
  start_.speed_moved = (state_.v - given.v).cwiseAbs().maxCoeff();
  workspace_.kinematics.read_angles(model_, state_.angles);
  workspace_.update(model_, state_);
}

void Simulation::set_state(State state) {
  state_ = std::move(state);
  workspace_.update(model_, state_);
  workspace_.kinematics.read_angles(model_, state_.angles);
  solved_ = false;
}

StepReport Simulation::step(double h) {
  StepReport report;
  next_ = state_;
  try {
    integrator_.step(model_, h, next_, [this](const State& stage, Eigen::VectorXd& y) {
      workspace_.refresh(model_, stage);
      method_->solve(model_, workspace_.problem, stage_solution_);
      y = stage_solution_.y;
    });
    if (!next_.q.allFinite() || !next_.v.allFinite()) throw NumericalError("the state is no longer finite");
    workspace_.refresh(model_, next_);
    workspace_.kinematics.read_angles(model_, next_.angles);
    report.before = residual_norms(workspace_.problem, next_.v);
    require_sane_step(h, report.before.position);
    if (model_.simulation.stabilisation == "projection") {
      report.iterations = projection_.project_positions(model_, next_, workspace_);
      projection_.project_velocities(model_, next_, workspace_);
    }
    report.after = residual_norms(workspace_.problem, next_.v);
    if (!next_.q.allFinite() || !next_.v.allFinite()) throw NumericalError("the projection did not converge");
    // On the constraints again, the rows are chosen anew. Without projection the choice of the start is kept.
    if (model_.simulation.stabilisation == "projection") {
      require_met();
      workspace_.update(model_, next_);
    }
  } catch (const NumericalError& error) {
    workspace_.update(model_, state_);
    throw NumericalError(fmt::format("at t = {:.9g} s: {}", state_.t, error.what()));
  }
  std::swap(state_, next_);
  solved_ = false;
  return report;
}

// Where geometry degenerates, or one step leaves the constraints by centimetres, the numbers that follow mean nothing.
void Simulation::require_sane_step(double h, double position_residual) const {
  for (const ModelConstraint& constraint : model_.constraints) {
    const auto* pair = std::get_if<PairConstraint>(&constraint.what);
    if (!pair) continue;
    PairMotion<double> motion;
    update_pair(workspace_.kinematics.body(pair->first.body), pair->first.X_CF,
                workspace_.kinematics.body(pair->second.body), pair->second.X_CF, motion);
    if (const std::string trouble = pair->constraint.trouble(motion.x); !trouble.empty())
      throw NumericalError(fmt::format("constraint \"{}\": {}", constraint.name, trouble));
  }
  for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
    const double turn = std::abs(h) * workspace_.kinematics.body(static_cast<int>(i)).w_B.norm();
    if (turn > largest_turn)
      throw NumericalError(
          fmt::format("a step of {:.3g} s is too long here: body \"{}\" turns by {:.3g} rad in it; use a "
                      "smaller step",
                      h, model_.bodies[i].name, turn));
  }
  if (position_residual <= largest_step_residual) return;
  int worst = 0;
  workspace_.problem.phi.cwiseAbs().maxCoeff(&worst);
  throw NumericalError(
      fmt::format("a step of {:.3g} s is too long here: it leaves {} off by {:.3g}; use a smaller step", h,
                  model_.row_name(worst), position_residual));
}

// A row that projection cannot meet is a failure, however finite the numbers look.
void Simulation::require_met() const {
  const GaussProblem& problem = workspace_.problem;
  const double fastest = next_.v.cwiseAbs().maxCoeff();
  for (int row = 0; row < model_.rows; ++row) {
    const double position = problem.phi[row], velocity = problem.J.row(row).dot(next_.v) + problem.phi_t[row];
    if (!(std::abs(position) <= 1e-8))
      throw NumericalError(fmt::format("{} cannot be met: it stays off by {:.3g}", model_.row_name(row), position));
    if (!(std::abs(velocity) <= 1e-8 * (1.0 + fastest)))
      throw NumericalError(
          fmt::format("{} cannot be met by any speed: its rate stays off by {:.3g}", model_.row_name(row), velocity));
  }
}

const Solution& Simulation::solution() {
  if (!solved_) {
    method_->solve(model_, workspace_.problem, solution_);
    require_rows_met(model_, workspace_.problem, solution_);
  }
  solved_ = true;
  return solution_;
}

Energy Simulation::energy() const {
  return {kinetic_energy(model_, state_.v), workspace_.applied.gravity_potential(),
          workspace_.applied.spring_potential()};
}

Vector3 Simulation::mass_center() const {
  Vector3 sum = Vector3::Zero();
  double mass = 0.0;
  for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
    sum += model_.bodies[i].mass * workspace_.kinematics.body(static_cast<int>(i)).X_WC.p;
    mass += model_.bodies[i].mass;
  }
  return sum / mass;
}

Pose<double> Simulation::pose(const BodyFrame& frame) const {
  return workspace_.kinematics.body(frame.body).X_WC * frame.X_CF;
}

Twist<double> Simulation::velocity(const BodyFrame& frame) const {
  const PointMotion<double> point = workspace_.kinematics.point(frame);
  return {point.w, point.v};
}

Twist<double> Simulation::acceleration(const BodyFrame& frame) {
  if (frame.body == world) return {};
  const Body& body = model_.bodies[static_cast<std::size_t>(frame.body)];
  const BodyMotion<double>& motion = workspace_.kinematics.body(frame.body);
  const Eigen::VectorXd& y = solution().y;
  const Vector3 r = motion.X_WC.R * frame.X_CF.p;
  const Vector3 alpha =
      body.point_mass ? Vector3(Vector3::Zero()) : Vector3(motion.X_WC.R * y.segment<3>(body.v_first));
  const Vector3 a = y.segment<3>(body.v_first + body.nv() - 3);
  return {alpha, a + alpha.cross(r) + motion.w_W.cross(Vector3(motion.w_W.cross(r)))};
}

Eigen::MatrixXd Simulation::jacobian(const BodyFrame& frame) const {
  Eigen::MatrixXd jacobian = Eigen::MatrixXd::Zero(6, model_.nv);
  if (frame.body == world) return jacobian;
  const Body& body = model_.bodies[static_cast<std::size_t>(frame.body)];
  const BodyMotion<double>& motion = workspace_.kinematics.body(frame.body);
  Mat6<double> six = Mat6<double>::Zero();
  six.topLeftCorner<3, 3>() = motion.X_WC.R;
  six.bottomRows<3>() = point_jacobian<double>(motion, motion.X_WC.R * frame.X_CF.p);
  jacobian.middleCols(body.v_first, body.nv()) = body_columns(body, six);
  return jacobian;
}

CoordinateRef Simulation::find_coordinate(std::string_view joint, std::string_view coordinate) const {
  const int index = model_.joint(joint);
  const Joint* known = model_.joints[static_cast<std::size_t>(index)].joint();
  std::vector<std::string> names;
  if (known)
    for (const JointCoordinate& each : known->traits().coordinates) names.emplace_back(each.name);
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == coordinate || (coordinate.empty() && names.size() == 1)) return {index, static_cast<int>(i), 1.0};
  throw std::out_of_range(
      fmt::format("joint \"{}\" has no coordinate \"{}\"{}", joint, coordinate, did_you_mean(coordinate, names)));
}

double Simulation::coordinate(std::string_view joint, std::string_view coordinate) const {
  const CoordinateRef ref = find_coordinate(joint, coordinate);
  const int at = model_coordinate(model_.joints[static_cast<std::size_t>(ref.joint)], ref.coordinate);
  if (at < 0)
    throw std::out_of_range(fmt::format("\"{}\" of joint \"{}\" is a speed without a coordinate", coordinate, joint));
  return workspace_.kinematics.joint(ref.joint).q[at];
}

double Simulation::rate(std::string_view joint, std::string_view coordinate) const {
  const CoordinateRef ref = find_coordinate(joint, coordinate);
  return workspace_.kinematics.joint(ref.joint).v[ref.coordinate];
}

Eigen::VectorXd Simulation::joint_acceleration(int joint) {
  const ModelJoint& owner = model_.joints[static_cast<std::size_t>(joint)];
  const JointMotion<double>& motion = workspace_.kinematics.joint(joint);
  if (!owner.joint()) return {};
  const Eigen::VectorXd& y = solution().y;
  Vec6<double> relative = motion.pair.gamma;
  const auto add = [&](int index, const Mat6<double>& G) {
    if (index == world) return;
    const Body& body = model_.bodies[static_cast<std::size_t>(index)];
    relative += body_columns(body, G) * y.segment(body.v_first, body.nv());
  };
  add(owner.first.body, motion.pair.G_first);
  add(owner.second.body, motion.pair.G_second);
  return motion.W.transpose() * relative + motion.rate_bias;
}

Reaction Simulation::reaction(std::string_view name) {
  const auto named = [name](const auto& thing) { return thing.name == name; };
  const auto joint = std::find_if(model_.joints.begin(), model_.joints.end(), named);
  if (joint != model_.joints.end())
    return joint_reaction(model_, workspace_, solution(), static_cast<int>(joint - model_.joints.begin()));
  return constraint_reaction(model_, workspace_, solution(), model_.constraint(name));
}

}  // namespace tandem
