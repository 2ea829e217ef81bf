#include "tandem/integrate/impulse_rows.hpp"

#include <algorithm>

#include "tandem/linalg/known_size.hpp"
#include "tandem/tree/lanes.hpp"

namespace tandem {

std::unique_ptr<ImpulseRows> ImpulseRows::make(const Model& model, const Workspace& workspace) {
  if (!model.drives.empty() || !model.forces.empty() || !workspace.holds_bodies()) return nullptr;
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
      rows->pairs_.back().is_point = joint.type_name() == "spherical";
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
      if (pair_of_joint[i] < 0) return nullptr;                                   // it forbids nothing
      rows->pairs_[static_cast<std::size_t>(pair_of_joint[i])].is_point = false;  // its whole pose is read
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
  pair.R_AF = M3<double>(first.X_CF.R);
  pair.p_AF = V3<double>(first.X_CF.p);
  pair.R_BM = M3<double>(second.X_CF.R);
  pair.p_BM = V3<double>(second.X_CF.p);
  pairs_.push_back(pair);
}

bool ImpulseRows::update(const Model& model, const State& state, Workspace& workspace) {
  workspace.place_bodies(model, state);
  const Kinematics<double>& bodies = workspace.kinematics;
  for (std::size_t i = 0; i < inertias_.size(); ++i) {  // (3)
    const Inertia& body = inertias_[i];
    problem.f.segment<3>(body.first + (body.point_mass ? 0 : 3)) = body.weight;
    if (body.point_mass) continue;
    const Vec3<double>& w = bodies.body(static_cast<int>(i)).w_B;
    problem.f.segment<3>(body.first) = Vec3<double>(body.I * w).cross(w);
  }
  moving_ = points_before_ = false;
  Relative<double> x;
  for (std::size_t i = 0; i < pairs_.size(); ++i)
    fill(pairs_[i], bodies, state.t, measured_.empty() ? x : measured_[i], problem.blocks[i]);
  q_ = state.q();
  v_ = state.v();
  return !moving_;
}

// Kernels see the pose alone: a velocity would make a bias, which impulses never use.
void ImpulseRows::fill(const Pair& pair, const Kinematics<double>& bodies, double t, Relative<double>& x,
                       GaussProblem::Block& block) {
  const BodyMotion<double>&a = bodies.body(pair.first), &b = bodies.body(pair.second);
  const M3<double> R_A(a.X_WC.R), R_B(b.X_WC.R), R_WF = R_A * pair.R_AF;
  const V3<double> p_M = V3<double>(b.X_WC.p) + R_B * pair.p_BM;
  const V3<double> p = R_WF.transposed_times(p_M - V3<double>(a.X_WC.p) - R_A * pair.p_AF);
  if (pair.is_point) {  // φ = p, T = (0, 1)
    if (!points_before_) {
      rows_.resize(3);
      rows_.T.bottomRows<3>().setIdentity();
    }
    rows_.phi.head<3>() = p.vector();
  } else {
    x.R = (R_WF.transposed() * (R_B * pair.R_BM)).matrix();
    x.p = p.vector();
    if (pair.joint)
      pair.joint->forbid(x, rows_);
    else
      pair.constraint->rows(x, t, rows_);
  }
  points_before_ = pair.is_point;
  with_known_size(pair.rows, [&]<int n>() {
    if constexpr (n != Eigen::Dynamic) fill_rows<n>(pair, a, b, R_WF, p_M, block);
  });
}

// Of up to four rows at a time.
template <int n>
void ImpulseRows::fill_rows(const Pair& pair, const BodyMotion<double>& a, const BodyMotion<double>& b,
                            const M3<double>& R_WF, const V3<double>& p_M, GaussProblem::Block& block) {
  // A body's last columns are those of its mass centre; a point mass has no others.
  const auto write = [&]<int rows>(int part, int first, const V3<Lanes<double>>& turn, const V3<Lanes<double>>& move) {
    Eigen::MatrixXd& J = block.parts[static_cast<std::size_t>(part)].J;
    double* to = J.data() + first;
    const auto put = [&](const Lanes<double>& column) {
      double all[Lanes<double>::count];
      column.store(all);
      std::copy_n(all, rows, to);
      to += n;
    };
    if (J.cols() == 6) put(turn.x), put(turn.y), put(turn.z);
    put(move.x), put(move.y), put(move.z);
  };
  const auto four = [&]<int first>() {
    constexpr int rows = std::min(n - first, Lanes<double>::count);
    const auto rows_of = [&](const double* values, int stride) {  // behind the last: one that is there
      const auto at = [&](int k) { return values[stride * (first + std::min(k, rows - 1))]; };
      return Lanes<double>(at(0), at(1), at(2), at(3));
    };
    const double* T = rows_.T.data();
    const V3<Lanes<double>> torque =
        R_WF * V3<Lanes<double>>(rows_of(T, 6), rows_of(T + 1, 6), rows_of(T + 2, 6));  // (1)
    const V3<Lanes<double>> force = R_WF * V3<Lanes<double>>(rows_of(T + 3, 6), rows_of(T + 4, 6), rows_of(T + 5, 6));
    Lanes<double> rate = rows_of(rows_.phi_t.data(), 1);
    const auto add = [&](int part, const BodyMotion<double>& on, const V3<Lanes<double>>& turn,
                         const V3<Lanes<double>>& move) {
      rate = rate + dot(turn, V3<double>(on.w_B)) + dot(move, V3<double>(on.v));
      write.template operator()<rows>(part, first, turn, move);
    };
    const auto torque_on = [&](const BodyMotion<double>& on) {  // R_onᵀ ((p_M − p_on) × t + τ)
      return transposed_times(M3<double>(on.X_WC.R), cross(p_M - V3<double>(on.X_WC.p), force) + torque);
    };
    if (pair.first_part >= 0) {  // (2)
      const V3<Lanes<double>> turn = torque_on(a);
      add(pair.first_part, a, {-turn.x, -turn.y, -turn.z}, {-force.x, -force.y, -force.z});
    }
    if (pair.second_part >= 0) add(pair.second_part, b, torque_on(b), force);  // (2)
    double rates[Lanes<double>::count];
    rate.store(rates);
    std::copy_n(rates, rows, problem.rate.data() + pair.first_row + first);
  };
  four.template operator()<0>();
  if constexpr (n > Lanes<double>::count) four.template operator()<Lanes<double>::count>();
  for (int i = 0; i < n; ++i) {
    problem.phi[pair.first_row + i] = i < pair.holonomic ? rows_.phi[i] : 0.0;
    moving_ = moving_ || rows_.phi_t[i] != 0.0;
  }
}

void ImpulseRows::read_angles(VecOut<double> angles) const {
  for (const Angle& angle : angles_) {
    const auto pair = static_cast<std::size_t>(angle.pair);
    const double now = pairs_[pair].joint->measure(measured_[pair])[angle.at];
    angles[angle.angle] = angle.unwrapped ? unwrap_angle<double>(now, angles[angle.angle]) : now;
  }
}

}  // namespace tandem
