// The tree on duals and on packs of worlds, held against itself on doubles, against differences in long steps, and
// against the exact derivatives on the bodies (dynamics/tangent.hpp), which share no recursion with it.
#include <gtest/gtest.h>

#include <Eigen/QR>
#include <random>

#include "oracle/states.hpp"
#include "support/example_model.hpp"
#include "support/how_long.hpp"
#include "support/on_bodies.hpp"
#include "support/random_mechanism.hpp"
#include "tandem/base/pack.hpp"
#include "tandem/steady/response.hpp"
#include "tandem/tree/tree_dynamics.hpp"

namespace tandem::test {
namespace {

using D = Dual<double>;
using Worlds = Pack<4>;

// Accelerations of the speeds and multipliers of the rows in use.
template <class S> struct Answer { VecX<S> v_dot, lambda; };

template <class S>
Answer<S> accelerate(Tree<S>& tree, const Model& model, const Eigen::VectorXd& angles, const S& t, VecX<S> q,
                     VecX<S> v) {
  tree.prescribe(t, q, v);
  tree.count_turns_from(angles.cast<S>());
  Answer<S> out;
  tree.locate(t, q, v);
  tree.accelerate(t, q, v, true, out.v_dot);
  out.lambda.setZero(model.rows);
  tree.loops().visit_multipliers([&](int row, const S& lambda) { out.lambda[row] = lambda; });
  return out;
}

Eigen::VectorXd values(const VecX<D>& x) {
  return x.unaryExpr([](const D& each) { return each.value; });
}
Eigen::VectorXd derivatives(const VecX<D>& x) {
  return x.unaryExpr([](const D& each) { return each.derivative; });
}
Eigen::VectorXd of(const VecX<Worlds>& x, int w) {
  return x.unaryExpr([w](const Worlds& each) { return each.lane[w]; });
}
double largest(const Eigen::VectorXd& x) { return x.size() == 0 ? 0.0 : x.cwiseAbs().maxCoeff(); }

// A model on its tree, at a state that meets its rows.
class Case {
 public:
  Case(const std::string& name_, Model model_, unsigned number)
      : name(name_), model(as_tree(std::move(model_))), simulation(model), tree(model, everything), random_(number) {
    for (int i = 0; i < 5; ++i) simulation.step(0.01 * model.scale.time);
    state = simulation.state();
    const GaussProblem& problem = simulation.workspace().problem;
    for (const int row : problem.rows) rows.push_back(problem.model_row[static_cast<std::size_t>(row)]);
    tree.use_rows(rows);
  }
  template <class S> Tree<S> tree_on() const {
    Tree<S> out(model, everything);
    out.use_rows(rows);
    return out;
  }
  Eigen::VectorXd numbers() {
    Eigen::VectorXd out(tree.nv());
    for (double& each : out) each = std::uniform_real_distribution<double>(-1.0, 1.0)(random_);
    return out;
  }
  VecX<D> seeded(const Tree<D>& dual, const Eigen::VectorXd& along) const {  // q ⊞ ε along
    VecX<D> q = state.q().cast<D>();
    dual.retract(carrying(Eigen::VectorXd::Zero(along.size()), along), q);
    return q;
  }
  static VecX<D> carrying(const Eigen::VectorXd& x, const Eigen::VectorXd& along) {
    return x.binaryExpr(along, [](double value, double derivative) { return D(value, derivative); });
  }
  std::vector<int> driven() const {  // speeds
    std::vector<int> out;
    for (const Forest::Node& node : tree.forest().nodes)
      for (std::size_t k = 0; k < node.drives.size(); ++k)
        if (node.drives[k] >= 0) out.push_back(node.v_first + static_cast<int>(k));
    return out;
  }

  static constexpr auto everything = TreeActs::everything;
  std::string name;
  const Model model;
  Simulation simulation;
  TreeDynamics tree;
  State state;
  std::vector<int> rows;  // in use, of the model

 private:
  static Model as_tree(Model model) {
    model.setup.method = MethodName::articulated;
    model.setup.cut = Cut::loops;
    model.setup.coordinates = CoordinatesName::quasi;
    model.setup.integrator = IntegratorName::rk4;
    return model;
  }
  std::mt19937 random_;
};

void visit_cases(const std::function<void(Case&)>& each) {
  const auto visit = [&](const std::string& name, Model model, unsigned number) {
    SCOPED_TRACE(name);
    if (tree_obstacle(model, TreeActs::everything)) return;
    Case at(name, std::move(model), number);
    if (oracle::body_equations(at.model, at.simulation.bodies()).kappa < 1e4) each(at);
  };
  for (const EmbeddedExample& example : embedded_examples())
    visit(std::string(example.name), example_model(std::string(example.name)), 0);
  for (unsigned number = 0; number < how_many(30U, 100U, 300U); ++number) {
    MechanismOptions options;
    options.bodies = 1 + static_cast<int>(number % 7);
    options.number = number;
    visit("random " + std::to_string(number), RandomMechanism(options).model(), number);
  }
}

// f′ of f(h) to order six.
Eigen::VectorXd difference(double h, const std::function<Eigen::VectorXd(double)>& f) {
  return ((f(3.0 * h) - f(-3.0 * h)) - 9.0 * (f(2.0 * h) - f(-2.0 * h)) + 45.0 * (f(h) - f(-h))) / (60.0 * h);
}

TEST(TreeScalars, DualsCarryTheValueAndItsDerivative) {
  int seen = 0;
  visit_cases([&](Case& at) {
    ++seen;
    Tree<D> dual = at.tree_on<D>();
    const Eigen::VectorXd along = at.numbers(), change = at.numbers();
    const auto on_doubles = [&](double h) {
      Eigen::VectorXd q = at.state.q();
      at.tree.retract(h * along, q);
      return accelerate<double>(at.tree, at.model, at.state.angles(), at.state.t + h, q, at.state.v() + h * change);
    };
    const Answer<double> here = on_doubles(0.0);
    const Answer<D> found = accelerate<D>(dual, at.model, at.state.angles(), D(at.state.t, 1.0), at.seeded(dual, along),
                                          Case::carrying(at.state.v(), change));
    EXPECT_LE(largest(values(found.v_dot) - here.v_dot), 1e-11 * (1.0 + largest(here.v_dot))) << at.name;
    EXPECT_LE(largest(values(found.lambda) - here.lambda), 1e-11 * (1.0 + largest(here.lambda))) << at.name;
    const double h = 1e-3 * std::min(1.0, at.model.scale.time);
    const Eigen::VectorXd v_dot = difference(h, [&](double x) { return on_doubles(x).v_dot; });
    const Eigen::VectorXd lambda = difference(h, [&](double x) { return on_doubles(x).lambda; });
    EXPECT_LE(largest(derivatives(found.v_dot) - v_dot), 1e-8 * (1.0 + largest(v_dot) + largest(here.v_dot)))
        << at.name;
    EXPECT_LE(largest(derivatives(found.lambda) - lambda), 1e-8 * (1.0 + largest(lambda) + largest(here.lambda)))
        << at.name;
  });
  EXPECT_GT(seen, 30);
}

// A direction that keeps to the rows, of drives too: φ′ = 0, (J v + φ_t)′ = 0.
void keep_to_rows(Case& at, Tree<D>& dual, Eigen::VectorXd& along, Eigen::VectorXd& change) {
  const auto n = static_cast<Eigen::Index>(at.tree.nv());
  const std::vector<int> driven = at.driven();
  const auto rows = static_cast<Eigen::Index>(dual.rows_in_use()),
             all = rows + static_cast<Eigen::Index>(driven.size());
  Eigen::MatrixXd positions = Eigen::MatrixXd::Zero(all, n), velocities = positions, by_position = positions;
  for (Eigen::Index i = 0; i < n; ++i)
    for (const bool of_position : {true, false}) {
      const Eigen::VectorXd unit = Eigen::VectorXd::Unit(n, i), none = Eigen::VectorXd::Zero(n);
      const VecX<D> q = at.seeded(dual, of_position ? unit : none);
      dual.locate(D(at.state.t), q, Case::carrying(at.state.v(), of_position ? none : unit));
      Eigen::Index row = 0;
      for (const auto& block : dual.loops().blocks())
        for (int k = 0; k < block.rows; ++k, ++row) {
          (of_position ? by_position : velocities)(row, i) = block.rate[k].derivative;
          if (of_position) positions(row, i) = block.phi[k].derivative;
        }
    }
  for (std::size_t k = 0; k < driven.size(); ++k)
    positions(rows + static_cast<Eigen::Index>(k), driven[k]) =
        velocities(rows + static_cast<Eigen::Index>(k), driven[k]) = 1.0;
  if (all == 0) return;
  along -= positions.completeOrthogonalDecomposition().solve(positions * along);
  change -= velocities.completeOrthogonalDecomposition().solve(by_position * along + velocities * change);
}

Direction on_bodies_along(const Case& at, const Tree<D>& dual) {
  Direction out{.q = Eigen::VectorXd::Zero(at.model.nv), .v = Eigen::VectorXd::Zero(at.model.nv)};
  for (std::size_t i = 0; i < at.model.bodies.size(); ++i) {
    const Body& body = at.model.bodies[i];
    const BodyMotion<D> motion = dual.motion(static_cast<int>(i));
    const auto R_dot = motion.X_WC.R.unaryExpr([](const D& x) { return x.derivative; }).eval();
    const Matrix3 turned = values_of(motion.X_WC.R).transpose() * R_dot;
    Vec6<double> shift, speed;
    shift << turned(2, 1), turned(0, 2), turned(1, 0), derivatives(motion.X_WC.p);
    speed << derivatives(motion.w_B), derivatives(motion.v);
    out.q.segment(body.v_first, body.nv()) = shift.tail(body.nv());
    out.v.segment(body.v_first, body.nv()) = speed.tail(body.nv());
  }
  return out;
}

TEST(TreeScalars, DerivativesAreThoseOfTheBodies) {
  int seen = 0, with_loads = 0;
  visit_cases([&](Case& at) {
    if (at.tree.nv() == 0 || at.tree.nv() > 60) return;
    ++seen;
    Tree<D> dual = at.tree_on<D>();
    dual.count_turns_from(at.state.angles().cast<D>());
    Eigen::VectorXd along = at.numbers(), change = at.numbers();
    keep_to_rows(at, dual, along, change);
    const Answer<D> found = accelerate<D>(dual, at.model, at.state.angles(), D(at.state.t), at.seeded(dual, along),
                                          Case::carrying(at.state.v(), change));
    Response response(at.model, on_bodies(at.model));
    response.place(at.simulation.bodies());
    const Solution& wanted = response.to(on_bodies_along(at, dual));
    Eigen::VectorXd y(at.model.nv);
    for (std::size_t i = 0; i < at.model.bodies.size(); ++i) {
      const Body& body = at.model.bodies[i];
      y.segment(body.v_first, body.nv()) = derivatives(dual.acceleration(static_cast<int>(i))).tail(body.nv());
    }
    const double usual = 1.0 + largest(wanted.y) + largest(response.solution().y);
    EXPECT_LE(largest(y - wanted.y), 1e-9 * usual) << at.name;
    if (response.solution().rank < at.model.rows) return;  // loads of redundant rows are not unique
    ++with_loads;
    for (const int row : at.rows)
      EXPECT_NEAR(found.lambda[row].derivative, wanted.lambda[row],
                  1e-9 * (1.0 + largest(wanted.lambda) + largest(response.solution().lambda)))
          << at.name << ", row " << row;
  });
  EXPECT_GT(seen, 30);
  EXPECT_GT(with_loads, 15);
}

TEST(TreeScalars, EveryWorldOfAPackGoesItsOwnWay) {
  int seen = 0;
  visit_cases([&](Case& at) {
    if (at.tree.nv() == 0) return;
    ++seen;
    Tree<Worlds> pack = at.tree_on<Worlds>();
    std::vector<Eigen::VectorXd> q(4, at.state.q()), v(4, at.state.v());
    for (std::size_t w = 1; w < 4; ++w) {
      at.tree.retract(0.02 * static_cast<double>(w) * at.numbers(), q[w]);
      v[w] += 0.3 * static_cast<double>(w) * at.numbers();
    }
    if (at.tree.row_count() == 0)
      for (const Forest::Node& node : at.tree.forest().nodes)  // a world where angles are zero
        if (node.nq == node.nv) q[2].segment(node.q_first, node.nq).setZero();
    VecX<Worlds> q_all(at.tree.nq()), v_all(at.tree.nv()), none = VecX<Worlds>::Zero(at.tree.nv()), tau;
    Worlds t;
    for (int w = 0; w < 4; ++w) {
      const auto k = static_cast<std::size_t>(w);
      t.lane[w] = at.state.t + 0.001 * w * at.model.scale.time;
      for (Eigen::Index i = 0; i < q_all.size(); ++i) q_all[i].lane[w] = q[k][i];
      for (Eigen::Index i = 0; i < v_all.size(); ++i) v_all[i].lane[w] = v[k][i];
    }
    const Answer<Worlds> found = accelerate<Worlds>(pack, at.model, at.state.angles(), t, q_all, v_all);
    MatX<Worlds> M = MatX<Worlds>::Zero(at.tree.nv(), at.tree.nv());
    pack.mass(q_all, M);
    pack.inverse(q_all, v_all, none, tau);
    const double digits = at.tree.row_count() == 0 ? 1e-13 : 1e-11;
    for (int w = 0; w < 4; ++w) {
      const auto k = static_cast<std::size_t>(w);
      const std::string what = at.name + ", world " + std::to_string(w);
      TreeDynamics alone = at.tree_on<double>();
      const Answer<double> wanted = accelerate<double>(alone, at.model, at.state.angles(), t.lane[w], q[k], v[k]);
      EXPECT_LE(largest(of(found.v_dot, w) - wanted.v_dot), digits * (1.0 + largest(wanted.v_dot))) << what;
      EXPECT_LE(largest(of(found.lambda, w) - wanted.lambda), digits * (1.0 + largest(wanted.lambda))) << what;
      Eigen::MatrixXd M_alone = Eigen::MatrixXd::Zero(at.tree.nv(), at.tree.nv());
      Eigen::VectorXd tau_alone;
      alone.mass(q[k], M_alone);
      alone.inverse(q[k], v[k], Eigen::VectorXd::Zero(at.tree.nv()), tau_alone);
      EXPECT_LE(largest(of(tau, w) - tau_alone), 1e-13 * (1.0 + largest(tau_alone))) << what;
      for (Eigen::Index j = 0; j < M.cols(); ++j)
        EXPECT_LE(largest(of(M.col(j), w) - M_alone.col(j)), 1e-13 * M_alone.cwiseAbs().maxCoeff()) << what;
    }
  });
  EXPECT_GT(seen, 30);
}

}  // namespace
}  // namespace tandem::test
