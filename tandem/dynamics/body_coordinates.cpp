#include "tandem/dynamics/body_coordinates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numbers>

#include "tandem/linalg/known_size.hpp"

namespace tandem {

// Of the bodies that have any: what a body without inertia is given along the length of its quaternion.
static double least_trace(const Model& model) {
  double least = std::numeric_limits<double>::infinity();
  for (const Body& body : model.bodies)
    if (body.inertia.trace() > 0.0) least = std::min(least, body.inertia.trace());
  return std::isfinite(least) ? least : model.scale.mass * model.scale.length * model.scale.length;
}

template <class Attitude> BodyCoordinates<Attitude>::BodyCoordinates(const Model& model) {
  for (const Body& body : model.bodies) {
    Place place;
    place.q = nq_;
    place.v = nv_;
    place.rotates = !body.point_mass;
    place.nv = (place.rotates ? Attitude::nv : 0) + 3;
    place.M = body_inertia(body);
    place.Z.setZero(6, place.nv);
    place.Z.template bottomRightCorner<3, 3>().setIdentity();
    if (std::is_same_v<Attitude, QuasiAttitude> && place.rotates) place.Z.setIdentity();
    if constexpr (Attitude::has_length_row)
      if (place.rotates)
        place.weight = 4.0 / 3.0 * (body.inertia.trace() > 0.0 ? body.inertia.trace() : least_trace(model));
    nq_ += (place.rotates ? Attitude::nq : 0) + 3;
    nv_ += place.nv;
    places_.push_back(std::move(place));
  }
}

std::string motion_of_body(const Body& body, int speed, bool can) {
  constexpr const char* axes[3] = {"x", "y", "z"};
  const int turns = body.nv() - 3;
  if (speed >= turns)
    return fmt::format("body \"{}\" {} along {}", body.name, can ? "can move" : "moves", axes[speed - turns]);
  return fmt::format("body \"{}\" {} about its {} axis", body.name, can ? "can turn" : "turns", axes[speed]);
}

template <class Attitude> std::string BodyCoordinates<Attitude>::motion(const Model& model, int speed, bool can) const {
  std::size_t i = 0;
  while (speed >= places_[i].v + places_[i].nv) ++i;
  const int k = speed - places_[i].v, turns = places_[i].nv - 3;
  const Body& body = model.bodies[i];
  if (k >= turns) return motion_of_body(body, body.nv() - 3 + k - turns, can);
  if constexpr (std::is_same_v<Attitude, QuasiAttitude>) return motion_of_body(body, k, can);
  return fmt::format("body \"{}\" {}", body.name, can ? "can turn" : "turns");
}

template <class Attitude>
std::string BodyCoordinates<Attitude>::without_inertia(const Model& model, int unknown) const {
  std::size_t i = 0;
  while (unknown >= places_[i].v + places_[i].nv) ++i;
  const bool turns = unknown - places_[i].v < places_[i].nv - 3;
  return fmt::format("{} with {} to resist; give it {}, or a joint that forbids the {}", motion(model, unknown, true),
                     turns ? "no inertia" : "no mass", turns ? "a moment of inertia there" : "mass",
                     turns ? "turn" : "motion");
}

// Whatever is singular, with the name of the body.
template <class Act> static void about_body(const Body& body, const Act& act) {
  try {
    act();
  } catch (const EulerSingularity& error) {
    throw EulerSingularity(fmt::format("body \"{}\": {}", body.name, error.what()));
  }
}

template <class Attitude>
State BodyCoordinates<Attitude>::from_bodies(const Model& model, const State& bodies, const Kinematics<double>&) const {
  State state({nq_, nv_, model.angles});
  state.t = bodies.t;
  state.angles() = bodies.angles();
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const Place& place = places_[i];
    const Body& body = model.bodies[i];
    if (place.rotates) {
      about_body(body, [&] {
        const Q q = Attitude::from_rotation(bodies.q().segment<4>(body.q_first));
        state.q().segment<Attitude::nq>(place.q) = q;
        state.v().segment<Attitude::nv>(place.v) = Attitude::from_velocity(q, bodies.v().segment<3>(body.v_first));
      });
    }
    state.q().segment<3>(place.q + (place.rotates ? Attitude::nq : 0)) =
        bodies.q().segment<3>(body.q_first + body.nq() - 3);
    state.v().segment<3>(place.v + place.nv - 3) = bodies.v().segment<3>(body.v_first + body.nv() - 3);
  }
  return state;
}

template <class Attitude>
void BodyCoordinates<Attitude>::place_bodies(const Model& model, const State& state, Kinematics<double>& kinematics) {
  for (std::size_t i = 0; i < places_.size(); ++i) {
    Place& place = places_[i];
    BodyMotion<double>& motion = kinematics.writable_body(static_cast<int>(i));
    motion.X_WC.p = state.q().segment<3>(place.q + (place.rotates ? Attitude::nq : 0));
    motion.v = state.v().segment<3>(place.v + place.nv - 3);
    if (!place.rotates) continue;
    const Q q = state.q().segment<Attitude::nq>(place.q);
    const V v = state.v().segment<Attitude::nv>(place.v);
    motion.X_WC.R = Attitude::rotation(q);
    if constexpr (std::is_same_v<Attitude, QuasiAttitude>) {  // Z = 1 and c = 0, as they were made
      motion.w_B = v;
      motion.w_W = motion.X_WC.R * v;
      continue;
    }
    Eigen::Matrix<double, 3, Attitude::nv> Z;
    Vector3 c;
    about_body(model.bodies[i], [&] { Attitude::map(q, v, Z, c); });
    place.Z.template topLeftCorner<3, Attitude::nv>() = Z;  // (1)
    place.c.template head<3>() = c;
    motion.w_B = Z * v;
    motion.w_W = motion.X_WC.R * motion.w_B;
  }
}

template <class Attitude>
void BodyCoordinates<Attitude>::rate(const Model&, const State& state, VecOut<double> q_dot) const {
  for (const Place& place : places_) {
    if (place.rotates)
      q_dot.segment<Attitude::nq>(place.q) =
          Attitude::rate(state.q().segment<Attitude::nq>(place.q), state.v().segment<Attitude::nv>(place.v));
    q_dot.segment<3>(place.q + (place.rotates ? Attitude::nq : 0)) = state.v().segment<3>(place.v + place.nv - 3);
  }
}

template <class Attitude>
void BodyCoordinates<Attitude>::retract(const Model&, VecIn<double> delta, VecOut<double> q) const {
  for (const Place& place : places_) {
    if (place.rotates) {
      const Q moved = Attitude::retract(q.segment<Attitude::nq>(place.q), delta.segment<Attitude::nv>(place.v));
      q.segment<Attitude::nq>(place.q) = moved;
    }
    q.segment<3>(place.q + (place.rotates ? Attitude::nq : 0)) += delta.segment<3>(place.v + place.nv - 3);
  }
}

template <class Attitude>
void BodyCoordinates<Attitude>::place_along(const Model&, double, const VecX<Dual<double>>& q,
                                            const VecX<Dual<double>>& v, Kinematics<Dual<double>>& kinematics) const {
  using D = Dual<double>;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const Place& place = places_[i];
    BodyMotion<D>& motion = kinematics.writable_body(static_cast<int>(i));
    motion.X_WC.p = q.segment<3>(place.q + (place.rotates ? Attitude::nq : 0));
    motion.v = v.segment<3>(place.v + place.nv - 3);
    if (!place.rotates) continue;
    const Eigen::Matrix<D, Attitude::nq, 1> attitude = q.segment<Attitude::nq>(place.q);
    const Eigen::Matrix<D, Attitude::nv, 1> speeds = v.segment<Attitude::nv>(place.v);
    Eigen::Matrix<D, 3, Attitude::nv> Z;
    Vec3<D> c;
    Attitude::template map<D>(attitude, speeds, Z, c);
    motion.X_WC.R = Attitude::template rotation<D>(attitude);
    motion.w_B = Z * speeds;
    motion.w_W = motion.X_WC.R * motion.w_B;
  }
}

template <class Attitude>
void BodyCoordinates<Attitude>::speed_rate_along(const Model& model, const VecX<Dual<double>>& q,
                                                 const VecX<Dual<double>>& v, const Kinematics<Dual<double>>&,
                                                 const VecX<Dual<double>>& y, VecX<Dual<double>>& v_dot) const {
  using D = Dual<double>;
  v_dot.resize(nv_);
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const Place& place = places_[i];
    const Body& body = model.bodies[i];
    v_dot.segment<3>(place.v + place.nv - 3) = y.segment<3>(body.v_first + body.nv() - 3);
    if (place.rotates)
      v_dot.segment<Attitude::nv>(place.v) = Attitude::template acceleration<D>(
          q.segment<Attitude::nq>(place.q), v.segment<Attitude::nv>(place.v), y.segment<3>(body.v_first));
  }
}

template <class Attitude>
void BodyCoordinates<Attitude>::solve_positions(const Model&, VecIn<double> q0, double w, const VecX<Dual<double>>& v,
                                                VecX<Dual<double>>& q) const {
  using D = Dual<double>;
  q.resize(nq_);
  for (const Place& place : places_) {
    const int at = place.q + (place.rotates ? Attitude::nq : 0);
    q.segment<3>(at) = lift<D>(q0.segment<3>(at)) + w * v.segment<3>(place.v + place.nv - 3);
    if (place.rotates)
      q.segment<Attitude::nq>(place.q) = Attitude::template implicit_step<D>(lift<D>(q0.segment<Attitude::nq>(place.q)),
                                                                             w, v.segment<Attitude::nv>(place.v));
  }
}

template <class Attitude> double BodyCoordinates<Attitude>::settle(const Model& model, State& state) const {
  double off = 0.0;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const Place& place = places_[i];
    if (!place.rotates) continue;
    Q q = state.q().segment<Attitude::nq>(place.q);
    V v = state.v().segment<Attitude::nv>(place.v);
    off = std::max(off, Attitude::settle(q, v));
    if constexpr (std::is_same_v<Attitude, Euler312Attitude>) {
      // A step may leap over the singularity unseen; behind it the angles are those of another branch.
      if (!(std::abs(q[1]) < 0.5 * std::numbers::pi))
        throw EulerSingularity(
            fmt::format("body \"{}\" leans by 90 degrees, where 3-1-2 Euler angles are singular; use quasi or "
                        "quaternion coordinates",
                        model.bodies[i].name));
    }
    state.q().segment<Attitude::nq>(place.q) = q;
    state.v().segment<Attitude::nv>(place.v) = v;
  }
  return off;
}

template <class Attitude> GaussProblem BodyCoordinates<Attitude>::structure(const Model& model) {
  GaussProblem problem;
  problem.names = this;
  for (const Place& place : places_)
    problem.groups.push_back({place.v, place.nv, place.Z.transpose() * place.M * place.Z});
  int row = 0;
  for (const RowBlockInfo& info : model.blocks) {
    GaussProblem::Block block{.first_row = row, .rows = info.rows, .holonomic = info.holonomic, .length = info.length};
    block.one_sided = info.is_one_sided(model);
    if (info.is_soft(model)) block.soft = model.constraints[static_cast<std::size_t>(info.index)].soft;
    for (const int body : info.bodies)
      block.parts.push_back({body, Eigen::MatrixXd::Zero(info.rows, places_[static_cast<std::size_t>(body)].nv)});
    for (int k = 0; k < info.rows; ++k) problem.model_row.push_back(info.first_row + k);
    problem.blocks.push_back(std::move(block));
    row += info.rows;
  }
  if constexpr (Attitude::has_length_row)
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (!places_[i].rotates) continue;
      const auto body = static_cast<int>(i);
      GaussProblem::Block length{.first_row = row++, .rows = 1, .holonomic = 1, .length = model.scale.of_body[i]};
      length.parts.push_back({body, Eigen::MatrixXd::Zero(1, places_[i].nv)});
      problem.blocks.push_back(std::move(length));
      problem.model_row.push_back(-1 - body);
    }
  problem.f.setZero(nv_);
  problem.unit.setOnes(nv_);
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const Place& place = places_[i];
    problem.unit.segment(place.v, place.nv - 3).setConstant(Attitude::has_length_row ? 0.5 : 1.0);  // ω = 2 q̇
    problem.unit.segment<3>(place.v + place.nv - 3).setConstant(model.scale.of_body[i]);
  }
  problem.b.setZero(row);
  problem.phi.setZero(row);
  problem.rate.setZero(row);
  problem.row_size = row_sizes(model, problem.model_row);
  problem.mass = model.scale.mass;
  return problem;
}

template <class Attitude> Layout BodyCoordinates<Attitude>::layout(const Model& model) const {
  Layout layout(Segments{nq_, nv_, model.angles});
  auto of_q = part(layout.error_scale, layout.q), of_v = part(layout.error_scale, layout.v);
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const Place& place = places_[i];
    of_q.segment<3>(place.q + (place.rotates ? Attitude::nq : 0)).setConstant(model.scale.of_body[i]);
    of_v.segment<3>(place.v + place.nv - 3).setConstant(model.scale.of_body[i]);
  }
  return layout;
}

// out += J V, six columns
template <class Rows> static void add_product(const double* J, const Vec6<double>& V, Rows& out) {
  with_known_size(static_cast<int>(out.size()), [&]<int n>() {
    Eigen::Map<Eigen::Matrix<double, n, 1>>(out.data(), out.size()).noalias() +=
        Eigen::Map<const Eigen::Matrix<double, n, 6>>(J, out.size(), 6).lazyProduct(V);
  });
}

template <class Attitude> void BodyCoordinates<Attitude>::fill(const Surroundings& at, bool, GaussProblem& problem) {
  constexpr bool same = std::is_same_v<Attitude, QuasiAttitude>;  // Z = 1: M is constant
  for (std::size_t i = 0; i < places_.size(); ++i) {
    Place& place = places_[i];
    auto f = problem.f.segment(place.v, place.nv);
    if constexpr (same) {
      f = at.applied.on_body(i).tail(place.nv);
    } else {
      f.noalias() = place.Z.transpose().lazyProduct(at.applied.on_body(i) - place.M * place.c);
      if (place.rotates) {
        place.MZ.noalias() = place.M.lazyProduct(place.Z);
        problem.groups[i].M.noalias() = place.Z.transpose().lazyProduct(place.MZ);
      }
    }
  }
  for (std::size_t i = 0; i < at.rows.size(); ++i) {
    const RowBlockInfo& info = at.model.blocks[i];
    const RowBlock<double>& in = at.rows.block(i);
    GaussProblem::Block& block = problem.blocks[i];
    auto b = problem.b.segment(block.first_row, block.rows);
    auto rate = problem.rate.segment(block.first_row, block.rows);
    b = in.b;
    rate = in.phi_t;
    problem.phi.segment(block.first_row, block.rows) = in.phi;
    problem.phi.segment(block.first_row + info.holonomic, info.rows - info.holonomic).setZero();
    for (std::size_t k = 0; k < info.bodies.size(); ++k) {
      const Place& place = places_[static_cast<std::size_t>(info.bodies[k])];
      const auto J = in.J.middleCols(6 * static_cast<Eigen::Index>(k), 6);
      add_product(J.data(), at.kinematics.body(info.bodies[k]).velocity(), rate);
      if constexpr (same) {  // the last columns of J as they are
        const Eigen::Index taken = info.rows * place.nv;
        std::copy_n(J.data() + J.size() - taken, taken, block.parts[k].J.data());
      } else {
        block.parts[k].J.noalias() = J.lazyProduct(place.Z);
        b.noalias() -= J.lazyProduct(place.c);
      }
    }
  }
  if constexpr (Attitude::has_length_row) {
    std::size_t block = at.rows.size();
    for (std::size_t i = 0; i < places_.size(); ++i) {
      const Place& place = places_[i];
      if (!place.rotates) continue;
      const Q q = at.state.q().segment<Attitude::nq>(place.q);
      const V v = at.state.v().segment<Attitude::nv>(place.v);
      GaussProblem::Block& length = problem.blocks[block++];
      length.parts[0].J.template leftCols<4>() = q.transpose();
      problem.phi[length.first_row] = 0.5 * (q.squaredNorm() - 1.0);
      problem.rate[length.first_row] = q.dot(v);
      problem.b[length.first_row] = -v.squaredNorm();
      problem.groups[i].M.template topLeftCorner<4, 4>() += place.weight * q * q.transpose();  // (2)
      problem.f.segment<4>(place.v) -= place.weight * v.squaredNorm() * q;
    }
  }
}

template <class Attitude>
void BodyCoordinates<Attitude>::fill_right_sides(const Surroundings& at, const Eigen::VectorXd& force,
                                                 const Eigen::VectorXd& rows, GaussProblem& problem) {
  for (std::size_t i = 0; i < places_.size(); ++i) {
    Place& place = places_[i];
    const Body& body = at.model.bodies[i];
    place.c.setZero();  // y = Z u̇ says it all: the length of a quaternion stays as it is
    problem.f.segment(place.v, place.nv).noalias() =
        place.Z.bottomRows(body.nv()).transpose().lazyProduct(force.segment(body.v_first, body.nv()));
  }
  problem.b.setZero();
  problem.b.head(at.model.rows) = rows;
}

template <class Attitude>
void BodyCoordinates<Attitude>::expand(const Surroundings& at, const GaussProblem&, const Solution& in, Solution& out) {
  out.rank = in.rank;
  out.lambda = in.lambda.head(at.model.rows);
  if constexpr (std::is_same_v<Attitude, QuasiAttitude>) {
    out.y = in.y;
    return;
  }
  out.y.resize(at.model.nv);
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const Place& place = places_[i];
    const Body& body = at.model.bodies[i];
    const Vec6<double> y = place.Z.lazyProduct(in.y.segment(place.v, place.nv)) + place.c;  // (1)
    out.y.segment(body.v_first, body.nv()) = y.tail(body.nv());
  }
  if constexpr (Attitude::has_length_row) {
    int lengths = 0;
    for (const Place& place : places_) lengths += place.rotates ? 1 : 0;
    out.rank -= lengths;  // of the model's own rows
  }
}

template class BodyCoordinates<QuasiAttitude>;
template class BodyCoordinates<QuaternionAttitude>;
template class BodyCoordinates<Euler312Attitude>;

}  // namespace tandem
