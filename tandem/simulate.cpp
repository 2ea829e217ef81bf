#include "tandem/simulate.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "tandem/base/suggest.hpp"
#include "tandem/methods/lagrange.hpp"

namespace tandem {

Simulation::Simulation(const Model& model, double tolerance)
    : model_(model),
      method_(make_method(model, model.simulation.method)),
      workspace_(model, cut_of(model, model.simulation.method), model.simulation.coordinates) {
  workspace_.with_mass = method_->needs_mass();
  by_impulses_ = model.simulation.method == "impulses";
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

// On the maximal cut, whatever the coordinates in use, so that all of them start at the same place.
void Simulation::make_start_consistent(double tolerance) {
  State start = start_state(model_);
  Workspace all(model_);
  Lagrange method;
  all.update(model_, start);
  start_.given = residual_norms(all.problem);
  // A soft row need not be met, a slack rope has nothing to meet.
  const auto asked = [&](int row) {
    const RowBlockInfo& info = model_.block_of_row(row);
    const GaussProblem::Block& block = all.problem.blocks[static_cast<std::size_t>(&info - model_.blocks.data())];
    return !block.soft && !(block.one_sided && all.problem.phi[row] < tolerance);
  };
  refuse_start([&](int row) { return asked(row) ? all.problem.phi[row] : 0.0; }, tolerance,
               "the start does not meet its constraints", "off by");
  const State given = start;
  projection_.project_positions(model_, start, all);
  all.update(model_, start);  // the rows are known exactly only now
  projection_.project_positions(model_, start, all);
  // Repeated, because near a singular pose one pass leaves its round-off.
  for (int pass = 0; pass < 3 && !(residual_norms(all.problem).velocity <= 1e-13); ++pass)
    project_velocities_by_mass(model_, start, all, method);
  refuse_start([&](int row) { return asked(row) ? all.problem.rate[row] : 0.0; }, 1e-8,
               "no speeds of the bodies meet the start", "rate off by");
  start_.moved = (start.q - given.q).cwiseAbs().maxCoeff();
  start_.speed_moved = (start.v - given.v).cwiseAbs().maxCoeff();
  all.kinematics.read_angles(model_, start.angles);
  all.refresh(model_, start);
  state_ = workspace_.coordinates->from_bodies(model_, start, all.kinematics);
  bodies_ = std::move(start);
  projection_ = Projection();  // the coordinates in use have a structure of their own
  workspace_.update(model_, state_);
}

void Simulation::set_bodies(const State& bodies) {
  Kinematics<double> kinematics(model_);
  kinematics.update(model_, bodies.t, bodies.q, bodies.v, bodies.angles);
  bodies_ = bodies;
  set_state(workspace_.coordinates->from_bodies(model_, bodies, kinematics));
}

void Simulation::set_state(State state) {
  impulse_step_.forget();
  state_ = std::move(state);
  workspace_.update(model_, state_);
  workspace_.kinematics.read_angles(model_, state_.angles);
  read_bodies();
  solved_ = false;
}

void Simulation::read_bodies() {
  bodies_.t = state_.t;
  bodies_.angles = state_.angles;
  if (workspace_.coordinates->name() == "quasi") {
    bodies_.q = state_.q;
    bodies_.v = state_.v;
    return;
  }
  for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
    const Body& body = model_.bodies[i];
    const BodyMotion<double>& motion = workspace_.kinematics.body(static_cast<int>(i));
    bodies_.q.segment<3>(body.q_first + body.nq() - 3) = motion.X_WC.p;
    bodies_.v.segment(body.v_first, body.nv()) = motion.velocity().tail(body.nv());
    if (body.point_mass) continue;
    auto quaternion = bodies_.q.segment<4>(body.q_first);
    const Vec4<double> now = quaternion_of<double>(motion.X_WC.R);
    quaternion = quaternion.dot(now) < 0.0 ? Vec4<double>(-now) : now;  // q and −q are one rotation: no jumps
  }
}

StepReport Simulation::step(double h) {
  next_ = state_;
  StepReport report;
  try {
    report = by_impulses_ ? step_by_impulses(h) : step_by_equations(h);
  } catch (const NumericalError& error) {
    impulse_step_.forget();
    workspace_.update(model_, state_);
    throw NumericalError(fmt::format("at t = {:.9g} s: {}", state_.t, error.what()));
  }
  std::swap(state_, next_);
  read_bodies();
  return report;
}

StepReport Simulation::step_by_equations(double h) {
  StepReport report;
  solved_ = false;
  integrator_.step(model_, *workspace_.coordinates, h, next_, [this](const State& stage, Eigen::VectorXd& v_dot) {
    workspace_.refresh(model_, stage);
    stabilise_rows();
    method_->solve(model_, workspace_.problem, stage_solution_);
    workspace_.coordinates->speed_rate(model_, stage.t, stage_solution_.y, v_dot);
  });
  if (!next_.q.allFinite() || !next_.v.allFinite()) throw NumericalError("the state is no longer finite");
  workspace_.refresh(model_, next_);
  workspace_.kinematics.read_angles(model_, next_.angles);
  report.before = residual_norms(workspace_.problem);
  require_sane_step(h, report.before.position);
  const bool project = model_.simulation.stabilisation == "projection";
  if (project) {
    report.iterations = projection_.project_positions(model_, next_, workspace_);
    projection_.project_velocities(model_, next_, workspace_);
  }
  report.after = residual_norms(workspace_.problem);
  if (!next_.q.allFinite() || !next_.v.allFinite()) throw NumericalError("the projection did not converge");
  // On the constraints again, the rows are chosen anew. Without projection the choice of the start is kept.
  if (project) {
    require_met();
    workspace_.update(model_, next_);
  }
  return report;
}

StepReport Simulation::step_by_impulses(double h) {
  StepReport report;
  report.impulses = impulse_step_.step(model_, h, next_, workspace_, reduced_);
  if (!next_.q.allFinite() || !next_.v.allFinite()) throw NumericalError("the state is no longer finite");
  report.before = report.after = residual_norms(workspace_.problem);
  report.before.position = report.impulses.position_gap;
  report.iterations = report.impulses.position_iterations;
  require_sane_step(h, 0.0);  // its gaps are reported, not refused
  // What the bodies did in the step, and the forces that made them: λ/h.
  workspace_.expand(model_, next_, reduced_, solution_);
  solved_ = true;
  return report;
}

// Baumgarte: φ̈ + α φ̇ + β φ = 0 in place of φ̈ = 0; nonholonomic rows have no φ.
void Simulation::stabilise_rows() {
  if (model_.simulation.stabilisation != "baumgarte") return;
  GaussProblem& problem = workspace_.problem;
  const double alpha = model_.simulation.alpha, beta = model_.simulation.beta;
  problem.b -= alpha * problem.rate + beta * problem.phi;
  if (problem.tree) problem.tree->b -= alpha * problem.rate + beta * problem.phi;
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
                  row_name(model_, workspace_.problem, worst), position_residual));
}

// A row that projection cannot meet is a failure, however finite the numbers look.
void Simulation::require_met() const {
  const GaussProblem& problem = workspace_.problem;
  const double fastest = next_.v.size() > 0 ? next_.v.cwiseAbs().maxCoeff() : 0.0;
  for (int row = 0; row < static_cast<int>(problem.row_count()); ++row) {
    if (!(std::abs(problem.phi[row]) <= 1e-8))
      throw NumericalError(
          fmt::format("{} cannot be met: it stays off by {:.3g}", row_name(model_, problem, row), problem.phi[row]));
    if (!(std::abs(problem.rate[row]) <= 1e-8 * (1.0 + fastest)))
      throw NumericalError(fmt::format("{} cannot be met by any speed: its rate stays off by {:.3g}",
                                       row_name(model_, problem, row), problem.rate[row]));
  }
}

const Solution& Simulation::reduced_solution() {
  solution();
  return reduced_;
}

const Solution& Simulation::solution() {
  if (!solved_) {
    method_->solve(model_, workspace_.problem, reduced_);
    require_rows_met(model_, workspace_.problem, reduced_);
    workspace_.expand(model_, state_, reduced_, solution_);
  }
  solved_ = true;
  return solution_;
}

Energy Simulation::energy() const {
  return {kinetic_energy(model_, workspace_.kinematics), workspace_.applied.gravity_potential(),
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
