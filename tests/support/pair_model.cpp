#include "support/pair_model.hpp"

namespace tandem::test {

template <class J> static PairCase joint_case() {
  PairCase out{
      std::string(J::type), Joint(sample<J>()), !std::is_same_v<J, Universal>, 6 - J::nv, 6 - J::nv, {}, {}, {}};
  const J joint = sample<J>();
  out.nested = [joint](const Relative<Dual<D>>& x, const Dual<D>&, PairRows<Dual<D>>& rows) {
    rows.resize(6 - J::nv);
    joint.template forbid<Dual<D>>(x, rows);
  };
  out.motion = [](Random& random) { return random_relative<double>(random); };
  out.allowed = [joint](Random& random) {
    const VecUpTo7<double> q = random_coordinates<J, double>(random);
    const VecUpTo6<double> v = random.vector<VecUpTo6<double>>(J::nv);
    Mat6UpTo6<double> S = Mat6UpTo6<double>::Zero(6, J::nv);
    Vec6<double> c;
    joint.template motion<double>(q, v, S, c);
    const Pose<double> X = joint.template pose<double>(q);
    const Vec6<double> V = S * v;
    return Relative<double>{X.R, X.p, V.head<3>(), V.tail<3>()};
  };
  return out;
}

template <class C> static PairCase constraint_case() {
  PairCase out{
      std::string(C::type), Constraint(sample<C>()), false, C::holonomic + C::nonholonomic, C::holonomic, {}, {}, {}};
  const C constraint = sample<C>();
  out.symmetric = std::is_same_v<C, Distance> || std::is_same_v<C, Rope>;
  out.nested = [constraint](const Relative<Dual<D>>& x, const Dual<D>& t, PairRows<Dual<D>>& rows) {
    rows.resize(C::holonomic + C::nonholonomic);
    constraint.template rows<Dual<D>>(x, t, rows);
  };
  out.motion = [](Random& random) { return sample_relative<C, double>(random); };
  out.allowed = out.motion;
  return out;
}

const std::vector<PairCase>& all_pairs() {
  static const std::vector<PairCase> all = [] {
    std::vector<PairCase> cases;
    for_each_type(AllJoints{}, [&]<class J>() { cases.push_back(joint_case<J>()); });
    for_each_type(AllConstraints{}, [&]<class C>() { cases.push_back(constraint_case<C>()); });
    return cases;
  }();
  return all;
}

PairModel pair_model(const PairCase& pair, First first_body, const Relative<double>& x, unsigned seed_number,
                     bool swapped) {
  Random random(seed_number);
  const Pose<double> X_WA = random_pose(random), X_AF = random_pose(random), X_BM = random_pose(random);
  const Pose<double> X_WF = first_body == First::world ? X_AF : X_WA * X_AF;
  const BodyDescription a = general_body("a", random, X_WA);
  const BodyDescription b = general_body("b", random, X_WF * Pose<double>{x.R, x.p} * X_BM.inverse());
  const std::string name_a = first_body == First::world ? "world" : "a";
  Builder build;
  if (first_body == First::body) build.body(a);
  build.body(b);
  std::array<FramePlacement, 2> frames{placement_of(X_AF), placement_of(X_BM)};
  std::array<std::string, 2> bodies{name_a, "b"};
  if (swapped) {
    std::swap(frames[0], frames[1]);
    std::swap(bodies[0], bodies[1]);
  }
  if (pair.joint())
    build.joint({.name = "it", .type = *pair.joint(), .bodies = bodies, .frames = frames});
  else
    build.constraint(
        {.name = "it", .type = std::get<Constraint>(pair.what), .bodies = {bodies[0], bodies[1]}, .frames = frames});
  PairModel out{build.finish(), {}, {}, {}};
  out.state = start_state(out.model);
  out.state.t = 0.7;
  out.first = {out.model.body(name_a), X_AF};
  if (first_body == First::body) out.first.X_CF.p -= *a.center;
  out.second = {out.model.body("b"), X_BM};
  out.second.X_CF.p -= *b.center;
  set_relative_velocity(out.model, out.first, out.second, x.twist(), out.state);
  return out;
}

void check_rows_by_duals(const Model& model, const State& state, double tolerance) {
  const Equations<double> e = equations(model, state);
  const Equations<D> along = equations_along(model, state);
  EXPECT_TRUE(near(values(along.phi), e.phi, tolerance));
  EXPECT_TRUE(near(values(along.phi_t), e.phi_t, tolerance));
  EXPECT_TRUE(near(values(along.J), e.J, tolerance));
  EXPECT_TRUE(near(values(along.b), e.b, tolerance));
  EXPECT_TRUE(near(values(along.f), e.f, tolerance));
  const VecX<D> row = along.J * held(state.v()) + along.phi_t;
  EXPECT_TRUE(near(e.b, -derivatives(row), tolerance));

  const Eigen::VectorXd phi_dot = derivatives(along.phi), row_value = values(row);
  State still = state;
  still.v().setZero();
  const Eigen::VectorXd time_part = derivatives(equations_along(model, still).phi);
  for (int i = 0; i < model.rows; ++i) {
    if (!model.is_holonomic(i)) continue;
    SCOPED_TRACE(model.row_name(i));
    EXPECT_TRUE(near(row_value[i], phi_dot[i], tolerance));
    EXPECT_TRUE(near(e.phi_t[i], time_part[i], tolerance));
  }
  for (int k = 0; k < model.nv; ++k) {  // J column by column: q̇ = N(q) e_k
    still.v() = Eigen::VectorXd::Unit(model.nv, k);
    const Eigen::VectorXd column = derivatives(equations_along(model, still).phi) - time_part;
    for (int i = 0; i < model.rows; ++i) {
      if (!model.is_holonomic(i)) continue;
      EXPECT_TRUE(near(e.J(i, k), column[i], tolerance)) << model.row_name(i) << ", speed " << k;
    }
  }
}

void check_momentum_balance(const Model& model, const State& state, double tolerance) {
  const Equations<double> e = equations(model, state);
  for (int i = 0; i < model.rows; ++i) {
    Vector3 force = Vector3::Zero(), torque = Vector3::Zero();
    for (const Body& body : model.bodies) {
      const Vec6<double> wrench = e.J.row(i).segment<6>(body.v_first).transpose();
      const Vector3 p = state.q().segment<3>(body.q_first + 4), f = wrench.tail<3>();
      force += f;
      torque += rotation_of<double>(state.q().segment<4>(body.q_first)) * wrench.head<3>() + p.cross(f);
    }
    EXPECT_TRUE(near_zero(force, tolerance)) << model.row_name(i);
    EXPECT_TRUE(near_zero(torque, tolerance)) << model.row_name(i);
  }
}

}  // namespace tandem::test
