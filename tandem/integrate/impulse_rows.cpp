#include "tandem/integrate/impulse_rows.hpp"

#include "tandem/linalg/known_size.hpp"

namespace tandem {

std::unique_ptr<ImpulseRows> ImpulseRows::make(const Model& model, const Workspace& workspace) {
  if (!model.drives.empty() || !model.forces.empty() || workspace.coordinates->name() != "quasi") return nullptr;
  auto rows = std::make_unique<ImpulseRows>();
  std::vector<int> pair_of_joint(model.joints.size(), -1);
  for (const RowBlockInfo& info : model.blocks) {
    const auto which = static_cast<std::size_t>(info.index);
    if (info.kind == RowBlockInfo::Kind::constraint) {
      const auto* pair = std::get_if<PairConstraint>(&model.constraints[which].what);
      if (!pair || pair->constraint.time_dependent()) return nullptr;
      rows->add_pair(info, pair->first, pair->second, nullptr, &pair->constraint.on<double>());
    } else {
      const ModelJoint& joint = model.joints[which];
      if (!joint.joint()) return nullptr;
      pair_of_joint[which] = static_cast<int>(rows->pairs_.size());
      rows->add_pair(info, joint.first, joint.second, &joint.joint()->on<double>(), nullptr);
    }
  }
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    const ModelJoint& joint = model.joints[i];
    if (!joint.joint()) return nullptr;
    const auto& coordinates = joint.joint()->traits().coordinates;
    for (int k = 0; k < static_cast<int>(coordinates.size()); ++k) {
      const int at = model_coordinate(joint, k);
      if (at < 0) continue;
      const JointCoordinate& coordinate = coordinates[static_cast<std::size_t>(k)];
      if (pair_of_joint[i] < 0) return nullptr;  // it forbids nothing
      rows->angles_.push_back(
          {pair_of_joint[i], at, joint.turns_first + k, coordinate.angular && !coordinate.counts_turns});
    }
  }
  if (!rows->angles_.empty()) rows->measured_.resize(rows->pairs_.size());
  for (const Body& body : model.bodies)
    rows->inertias_.push_back({body.inertia, body.mass * model.gravity, body.v_first, body.point_mass});
  rows->problem = workspace.problem;
  return rows;
}

void ImpulseRows::add_pair(const RowBlockInfo& info, const BodyFrame& first, const BodyFrame& second,
                           const JointKernel<double>* joint, const ConstraintKernel<double>* constraint) {
  Pair pair;
  pair.joint = joint;
  pair.constraint = constraint;
  const auto part_of = [&](int body) {
    const auto found = std::find(info.bodies.begin(), info.bodies.end(), body);
    return found == info.bodies.end() ? -1 : static_cast<int>(found - info.bodies.begin());
  };
  pair.first = first.body;
  pair.second = second.body;
  pair.first_part = first.body == world ? -1 : part_of(first.body);
  pair.second_part = second.body == world ? -1 : part_of(second.body);
  pair.first_row = info.first_row;
  pair.rows = info.rows;
  pair.holonomic = info.holonomic;
  pair.X_AF = first.X_CF;
  pair.X_BM = second.X_CF;
  pairs_.push_back(pair);
}

bool ImpulseRows::update(const Model& model, const State& state, Workspace& workspace) {
  workspace.coordinates->place_bodies(model, state, workspace.kinematics);
  const Kinematics<double>& bodies = workspace.kinematics;
  for (std::size_t i = 0; i < inertias_.size(); ++i) {  // (3)
    const Inertia& body = inertias_[i];
    problem.f.segment<3>(body.first + (body.point_mass ? 0 : 3)) = body.weight;
    if (body.point_mass) continue;
    const Vec3<double>& w = bodies.body(static_cast<int>(i)).w_B;
    problem.f.segment<3>(body.first) = Vec3<double>(body.I * w).cross(w);
  }
  moving_ = false;
  Relative<double> x;
  for (std::size_t i = 0; i < pairs_.size(); ++i)
    fill(pairs_[i], bodies, state.t, measured_.empty() ? x : measured_[i], problem.blocks[i]);
  q_ = state.q;
  v_ = state.v;
  return !moving_;
}

// Kernels see the pose alone: a velocity would make a bias, which impulses never use.
void ImpulseRows::fill(const Pair& pair, const Kinematics<double>& bodies, double t, Relative<double>& x,
                       GaussProblem::Block& block) {
  const BodyMotion<double>&a = bodies.body(pair.first), &b = bodies.body(pair.second);
  const Mat3<double> R_WF = a.X_WC.R * pair.X_AF.R;
  const Vec3<double> p_M = b.X_WC * pair.X_BM.p;
  x.R.noalias() = R_WF.transpose() * Mat3<double>(b.X_WC.R * pair.X_BM.R);
  x.p.noalias() = R_WF.transpose() * (p_M - a.X_WC * pair.X_AF.p);
  if (pair.joint)
    pair.joint->forbid(x, rows_);
  else
    pair.constraint->rows(x, t, rows_);
  with_known_size(pair.rows, [&]<int n>() {
    if constexpr (n != Eigen::Dynamic) fill_rows<n>(pair, a, b, R_WF, p_M, block);
  });
}

template <int n>
void ImpulseRows::fill_rows(const Pair& pair, const BodyMotion<double>& a, const BodyMotion<double>& b,
                            const Mat3<double>& R_WF, const Vec3<double>& p_M, GaussProblem::Block& block) {
  const Vec3<double> o = p_M - a.X_WC.p, r = p_M - b.X_WC.p;
  double *first = nullptr, *second = nullptr;
  Eigen::Index first_size = 0, second_size = 0;
  if (pair.first_part >= 0) {
    Eigen::MatrixXd& J = block.parts[static_cast<std::size_t>(pair.first_part)].J;
    first = J.data();
    first_size = J.cols();
  }
  if (pair.second_part >= 0) {
    Eigen::MatrixXd& J = block.parts[static_cast<std::size_t>(pair.second_part)].J;
    second = J.data();
    second_size = J.cols();
  }
  // A body's last columns are those of its mass centre; a point mass has no others.
  const auto write = [](double* J, Eigen::Index size, int row, const Vec3<double>& turn, const Vec3<double>& move) {
    if (size == 6)
      for (int k = 0; k < 3; ++k) J[n * k + row] = turn[k];
    for (int k = 0; k < 3; ++k) J[n * (size - 3 + k) + row] = move[k];
  };
  for (int i = 0; i < n; ++i) {
    const Vec3<double> torque = R_WF * rows_.T.col(i).template head<3>();  // (1)
    const Vec3<double> force = R_WF * rows_.T.col(i).template tail<3>();
    double rate = rows_.phi_t[i];
    if (first) {  // (2)
      const Vec3<double> turn = a.X_WC.R.transpose() * Vec3<double>(force.cross(o) - torque);
      write(first, first_size, i, turn, -force);
      rate += turn.dot(a.w_B) - force.dot(a.v);
    }
    if (second) {  // (2)
      const Vec3<double> turn = b.X_WC.R.transpose() * Vec3<double>(r.cross(force) + torque);
      write(second, second_size, i, turn, force);
      rate += turn.dot(b.w_B) + force.dot(b.v);
    }
    const int row = pair.first_row + i;
    problem.rate[row] = rate;
    problem.phi[row] = i < pair.holonomic ? rows_.phi[i] : 0.0;
    moving_ = moving_ || rows_.phi_t[i] != 0.0;
  }
}

void ImpulseRows::read_angles(Eigen::VectorXd& angles) const {
  for (const Angle& angle : angles_) {
    const auto pair = static_cast<std::size_t>(angle.pair);
    const double now = pairs_[pair].joint->measure(measured_[pair])[angle.at];
    angles[angle.angle] = angle.unwrapped ? unwrap_angle<double>(now, angles[angle.angle]) : now;
  }
}

}  // namespace tandem
