// Free swimming, rails and momentum: machines that nothing holds.
#include <gtest/gtest.h>

#include "support/example_model.hpp"
#include "support/numbers.hpp"
#include "tandem/observe/momentum.hpp"
#include "tandem/tandem.hpp"

namespace tandem {
namespace {

// A spatial swimmer: a body with three driven links of general shape, joined in different ways.
Model swimmer(const std::string& method, bool passive_tail = false) {
  test::Random random(5);
  Builder build("swimmer");
  build.gravity({0, 0, 0});
  const auto body = [&](const std::string& name, const Vector3& at) {
    build.body({.name = name,
                .mass = random.number(0.5, 2.0),
                .inertia = std::array{0.2 + random.number(0.0, 0.1), 0.25, 0.3, 0.02, -0.03, 0.01},
                .position = at,
                .rotation = random.rotation<double>(),
                .velocity = random.vec3<double>(1.0),
                .angular_velocity = random.vec3<double>(1.0)});
  };
  body("trunk", {0, 0, 0});
  body("arm", {1, 0, 0.2});
  body("tail", {-1, 0.3, 0});
  body("fin", {-2, 0.1, 0.4});
  build.joint({.name = "shoulder",
               .type = Universal{},
               .bodies = {"trunk", "arm"},
               .point = Vector3(0.5, 0, 0.1),
               .axis = Vector3(0, 0, 1),
               .second_axis = Vector3(0, 1, 0)});
  build.joint({.name = "hip",
               .type = Cylindrical{},
               .bodies = {"tail", "trunk"},  // listed from the child to the parent
               .point = Vector3(-0.5, 0.1, 0),
               .axis = Vector3(1, 2, 0.5)});
  build.joint({.name = "knee",
               .type = Revolute{},
               .bodies = {"tail", "fin"},
               .point = Vector3(-1.5, 0.2, 0.2),
               .axis = Vector3(0.3, 1, 0)});
  const auto drive = [&](const std::string& joint, const std::string& coordinate, double amplitude) {
    build.drive(
        {.name = joint + coordinate,
         .type = Oscillation{.amplitude = amplitude, .frequency = 0.3 + amplitude, .phase = -1.5707963267948966},
         .coordinate = {joint, coordinate}});
  };
  drive("shoulder", "first", 0.5);
  drive("shoulder", "second", 0.7);
  drive("hip", "angle", 0.4);
  drive("hip", "displacement", 0.2);
  if (!passive_tail) drive("knee", "angle", 0.6);
  Model model = build.finish();
  model.setup.method = method;
  return model;
}

// dP/dt and dH/dt of all bodies from their accelerations, and the largest term of the sums.
std::pair<double, double> momentum_rate(const Model& model, Simulation& simulation) {
  Vector3 force = Vector3::Zero(), torque = Vector3::Zero();
  double largest = 0.0;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    const BodyMotion<double>& motion = simulation.workspace().kinematics.body(static_cast<int>(i));
    const Vec6<double> y = simulation.solution().y.segment<6>(body.v_first);
    const Vector3 f = body.mass * y.tail<3>();
    const Vector3 t =
        motion.X_WC.R * (body.inertia * y.head<3>() + motion.w_B.cross(Vector3(body.inertia * motion.w_B)));
    force += f;
    torque += t + motion.X_WC.p.cross(f);
    largest = std::max({largest, f.norm(), t.norm()});
  }
  return {std::max(force.norm(), torque.norm()), largest};
}

TEST(Swimming, KeepsItsMomentumToRoundOff) {
  for (const char* method : {"articulated", "lagrange", "null_space", "udwadia_kalaba"}) {
    const Model model = swimmer(method);
    Simulation simulation(model);
    simulation.set_bodies(with_zero_momentum(model, simulation.bodies()));
    for (int i = 0; i < 5; ++i) {
      const auto [rate, largest] = momentum_rate(model, simulation);
      EXPECT_LE(rate, 1e-12 * largest) << method << " at t = " << simulation.state().t;
      advance(simulation, simulation.state().t + 0.1, 0.01);
    }
  }
}

TEST(Swimming, ZeroMomentumStartKeepsTheMassCentreWhereItIs) {
  const Model model = swimmer("articulated");
  Simulation simulation(model);
  simulation.set_bodies(with_zero_momentum(model, simulation.bodies()));
  const Momentum start = momentum(model, simulation.motions());
  double parts = 0.0;  // what the sum is made of
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    parts += model.bodies[i].mass * simulation.workspace().kinematics.body(static_cast<int>(i)).v.norm();
  EXPECT_LE(start.linear.norm(), 1e-14 * parts);
  EXPECT_LE(start.angular.norm(), 2e-14);  // round-off in sums of parts of size 1
  const Vector3 centre = simulation.mass_center();
  advance(simulation, 2.0, 0.002);
  EXPECT_LE((simulation.mass_center() - centre).norm(), 1e-9);
  EXPECT_LE(momentum(model, simulation.motions()).angular.norm(), 1e-7);
  EXPECT_GT((simulation.pose({model.body("trunk"), {}}).R - model.bodies[0].X_WC.R).norm(), 0.05);  // and yet it turns
}

TEST(Swimming, PassiveJointsKeepTheirRatesAndTheRootTakesUpTheMomentum) {
  const Model model = swimmer("articulated", true);
  Simulation simulation(model);
  const double knee = simulation.rate("knee"), shoulder = simulation.rate("shoulder", "first");
  simulation.set_bodies(with_zero_momentum(model, simulation.bodies()));
  EXPECT_GT(std::abs(knee), 0.1);
  EXPECT_NEAR(simulation.rate("knee"), knee, 1e-13);
  EXPECT_NEAR(simulation.rate("shoulder", "first"), shoulder, 1e-13);
  const Momentum now = momentum(model, simulation.motions());
  EXPECT_LE(now.linear.norm() + now.angular.norm(), 1e-13);
}

TEST(Swimming, FormulaOfCompositeInertias) {  // y_0 = −I_0⁻¹ p_0, all internal joints prescribed
  const Model model = swimmer("articulated");
  Simulation simulation(model);
  const TreeProblem& tree = *simulation.workspace().problem.tree;
  std::vector<Mat6<double>> I(tree.links.size());
  std::vector<Vec6<double>> p(tree.links.size());
  for (std::size_t i = 0; i < tree.links.size(); ++i) {
    I[i] = tree.links[i].M;
    p[i] = -tree.links[i].f;
  }
  for (std::size_t i = tree.links.size(); i-- > 1;) {
    const auto parent = static_cast<std::size_t>(tree.links[i].parent);
    const Mat6<double>& X = tree.links[i].X;
    p[parent] += X.transpose() * (p[i] + I[i] * tree.links[i].c);
    I[parent] += X.transpose() * I[i] * X;
  }
  const Vec6<double> root = -I[0].ldlt().solve(p[0]);
  EXPECT_LE((root - simulation.reduced_solution().y).norm(), 1e-12 * root.norm());
}

// What docs/methods/linked_bodies.md says of trees, dense and literally, against the library.
struct Stacked {  // (1) to (3) there: y = X y_parent + c + S u̇ for all links
  explicit Stacked(const TreeProblem& problem) : tree(problem) {
    const auto n = static_cast<Eigen::Index>(tree.links.size());
    D.setIdentity(6 * n, 6 * n);
    M.setZero(6 * n, 6 * n);
    f.resize(6 * n);
    c.resize(6 * n);
    Eigen::Index unknowns = 0;
    for (const TreeProblem::Link& link : tree.links) unknowns += link.S.cols();
    P.setZero(6 * n, unknowns);
    T.setZero(6 * n, 6 * n - unknowns);
    Eigen::Index forbidden = 0;
    for (Eigen::Index i = 0; i < n; ++i) {
      const TreeProblem::Link& link = tree.links[static_cast<std::size_t>(i)];
      if (link.parent >= 0) D.block<6, 6>(6 * i, 6 * link.parent) = -link.X;
      M.block<6, 6>(6 * i, 6 * i) = link.M;
      f.segment<6>(6 * i) = link.f;
      c.segment<6>(6 * i) = link.c;
      P.block(6 * i, link.first, 6, link.S.cols()) = link.S;
      const Eigen::MatrixXd all =
          Eigen::MatrixXd(link.S).householderQr().householderQ() * Eigen::MatrixXd::Identity(6, 6);
      const Eigen::Index left = 6 - link.S.cols();
      T.block(6 * i, forbidden, 6, left) =
          link.S.cols() > 0 ? all.rightCols(left).eval() : Eigen::MatrixXd::Identity(6, 6);
      forbidden += left;
    }
    Z = D.fullPivLu().solve(P);
  }
  Vec6<double> link(const Eigen::VectorXd& stacked, std::size_t i) const {
    return stacked.segment<6>(6 * static_cast<Eigen::Index>(i));
  }
  const TreeProblem& tree;
  Eigen::MatrixXd D, M, P, T, Z;
  Eigen::VectorXd f, c;
};

TEST(Linkage, NullSpaceOfATreeIsMethodOneOfAllLinksTogether) {
  const Model model = swimmer("articulated", true);
  Simulation simulation(model);
  const Stacked all(*simulation.workspace().problem.tree);
  const Eigen::MatrixXd inverse = all.D.inverse(), K = all.T.transpose() * all.D;
  for (std::size_t i = 0; i < all.tree.links.size(); ++i) {  // (2): a path of X, or nothing
    Mat6<double> path = Mat6<double>::Identity();
    for (int j = static_cast<int>(i); j >= 0; j = all.tree.links[static_cast<std::size_t>(j)].parent) {
      EXPECT_LE((inverse.block<6, 6>(6 * static_cast<Eigen::Index>(i), 6 * j) - path).norm(), 1e-13 * path.norm());
      path *= all.tree.links[static_cast<std::size_t>(j)].X;
    }
  }
  EXPECT_LE((K * all.Z).norm(), 1e-13 * K.norm() * all.Z.norm());  // (3)
  EXPECT_EQ(K.rows() + all.Z.cols(), all.D.rows());
  const Eigen::MatrixXd H = all.Z.transpose() * all.M * all.Z;
  const Eigen::VectorXd bias = all.D.fullPivLu().solve(all.c);
  const Eigen::VectorXd speeds = H.ldlt().solve(all.Z.transpose() * (all.f - all.M * bias));  // (4)
  const Eigen::VectorXd& found = simulation.reduced_solution().y;
  EXPECT_LE((speeds - found).norm(), 1e-12 * found.norm());
  const Eigen::MatrixXd Phi = all.Z * H.ldlt().solve(all.Z.transpose());  // (5)
  EXPECT_LE((Phi * all.M * Phi - Phi).norm(), 1e-12 * Phi.norm());
  const Eigen::VectorXd y = Phi * all.f + bias - Phi * (all.M * bias);
  EXPECT_LE((y - all.Z * speeds - bias).norm(), 1e-12 * y.norm());
  const Eigen::Index n = all.D.rows(), m = K.rows();
  Eigen::MatrixXd full = Eigen::MatrixXd::Zero(n + m, n + m);  // (6), which is method 2
  full << all.M, K.transpose(), K, Eigen::MatrixXd::Zero(m, m);
  Eigen::VectorXd right(n + m);
  right << all.f, all.T.transpose() * all.c;
  EXPECT_LE((full.fullPivLu().solve(right).head(n) - y).norm(), 1e-11 * y.norm());
}

TEST(Linkage, ZeroMomentumStartByCompositeInertias) {  // (9)
  const Model model = swimmer("articulated");
  Simulation simulation(model);
  const Stacked all(*simulation.workspace().problem.tree);
  const auto& links = all.tree.links;
  const auto speed = [&](const State& bodies, const TreeProblem::Link& link) -> Vec6<double> {
    return bodies.v().segment<6>(model.bodies[static_cast<std::size_t>(link.body)].v_first);
  };
  const State given = simulation.bodies(), wanted = with_zero_momentum(model, given);
  std::vector<Mat6<double>> I(links.size());
  std::vector<Vec6<double>> m(links.size(), Vec6<double>::Zero());
  for (std::size_t i = 0; i < links.size(); ++i) I[i] = links[i].M;
  for (std::size_t i = links.size(); i-- > 1;) {
    const auto parent = static_cast<std::size_t>(links[i].parent);
    const Vec6<double> v_J = speed(given, links[i]) - links[i].X * speed(given, links[parent]);
    m[parent] += links[i].X.transpose() * (m[i] + I[i] * v_J);
    I[parent] += links[i].X.transpose() * I[i] * links[i].X;
  }
  const Vec6<double> root = -I[0].ldlt().solve(m[0]);
  EXPECT_LE((root - speed(wanted, links[0])).norm(), 1e-12 * root.norm());
}

TEST(Linkage, ActiveAndPassiveJointsInOneRecursion) {  // (10) to (13)
  const Model passive = swimmer("articulated", true), active = swimmer("articulated");
  Simulation without(passive), with(active);
  without.set_bodies(with.bodies());
  const TreeProblem &free = *without.workspace().problem.tree, &driven = *with.workspace().problem.tree;
  const auto& links = driven.links;
  std::vector<Mat6<double>> I(links.size());
  std::vector<Vec6<double>> p(links.size()), y(links.size());
  for (std::size_t i = 0; i < links.size(); ++i) {
    I[i] = links[i].M;
    p[i] = -links[i].f;
  }
  const std::vector<Mat6<double>> rigid = I;
  for (std::size_t i = links.size(); i-- > 1;) {
    ASSERT_EQ(links[i].S.cols(), 0);  // every internal joint is active
    const auto parent = static_cast<std::size_t>(links[i].parent);
    p[parent] += links[i].X.transpose() * (p[i] + I[i] * links[i].c);
    I[parent] += links[i].X.transpose() * I[i] * links[i].X;
  }
  const std::size_t knee = links.size() - 1;
  ASSERT_EQ(active.bodies[static_cast<std::size_t>(links[knee].body)].name, "fin");
  ASSERT_EQ(free.links[knee].S.cols(), 1);
  const Vec6<double> P_A = free.links[knee].S.col(0);
  const int hinge = 2;
  const double rate = with.joint_acceleration(hinge)[0];
  EXPECT_NEAR(with.rate("knee"), without.rate("knee"), 1e-13);
  EXPECT_LE((links[knee].c - free.links[knee].c - P_A * rate).norm(), 1e-12 * links[knee].c.norm());  // c′ = c + P_A q̈
  y[0] = -I[0].ldlt().solve(p[0]);
  for (std::size_t i = 1; i < links.size(); ++i)
    y[i] = links[i].X * y[static_cast<std::size_t>(links[i].parent)] + links[i].c;
  int drives = 0;
  const double effort = P_A.dot(I[knee] * y[knee] + p[knee]);  // τ_A = P_Aᵀ f
  for (const RowBlockInfo& block : active.blocks) {
    const bool of_drive = block.kind == RowBlockInfo::Kind::drive;
    if (!of_drive || active.drives[static_cast<std::size_t>(block.index)].name != "kneeangle") continue;
    EXPECT_NEAR(with.force_along(block.first_row), effort, 1e-12 * (1.0 + std::abs(effort)));
    ++drives;
  }
  EXPECT_EQ(drives, 1);
  // The passive one: U, D, I^a, p^a at the knee alone, composite inertias elsewhere.
  I = rigid;
  for (std::size_t i = 0; i < links.size(); ++i) p[i] = -free.links[i].f;
  const Vec6<double> U = I[knee] * P_A;
  const double D = P_A.dot(U), u = -P_A.dot(p[knee]);
  for (std::size_t i = links.size(); i-- > 1;) {
    const auto parent = static_cast<std::size_t>(links[i].parent);
    const Mat6<double>& X = free.links[i].X;
    Mat6<double> I_a = I[i];
    Vec6<double> p_a = p[i];
    if (i == knee) I_a -= U * U.transpose() / D;
    p_a += I_a * free.links[i].c;
    if (i == knee) p_a += U * u / D;
    p[parent] += X.transpose() * p_a;
    I[parent] += X.transpose() * I_a * X;
  }
  y[0] = -I[0].ldlt().solve(p[0]);
  for (std::size_t i = 1; i < links.size(); ++i) {
    y[i] = free.links[i].X * y[static_cast<std::size_t>(links[i].parent)] + free.links[i].c;
    if (i == knee) y[i] += P_A * ((u - U.dot(y[i])) / D);
  }
  for (std::size_t i = 0; i < links.size(); ++i) {
    const Vec6<double> found =
        without.accelerations().segment<6>(passive.bodies[static_cast<std::size_t>(links[i].body)].v_first);
    EXPECT_LE((y[i] - found).norm(), 1e-11 * (1.0 + found.norm())) << i;
  }
  EXPECT_LE(std::abs(P_A.dot(rigid[knee] * y[knee] + p[knee])), 1e-11);  // P_pᵀ f = τ_p, here 0
}

TEST(Momentum, OfAMachineThatIsHeldCannotBeChosen) {
  const Model model = example_model("bicycle");
  EXPECT_THROW(with_zero_momentum(model, start_state(model)), ModelError);
}

TEST(Rail, DrivenArmShakesTheCarriage) {  // (M + m) Ẍ = −m l (θ̈ cos θ − θ̇² sin θ)
  for (const std::string cut : {"all", "loops"}) {
    Builder build("rail");
    const double M = 3.0, m = 2.0, l = 0.7;
    build.body({.name = "carriage", .mass = M, .shapes = {Shape::box({0.2, 0.2, 0.2})}});
    build.body({.name = "arm", .mass = m, .shapes = {Shape::box({0.1, 0.1, 0.3})}, .position = {0, 0, -l}});
    build.joint({.name = "rail",
                 .type = Prismatic{},
                 .bodies = {"world", "carriage"},
                 .point = Vector3(0, 0, 0),
                 .axis = Vector3(1, 0, 0)});
    build.joint({.name = "hinge",
                 .type = Revolute{},
                 .bodies = {"carriage", "arm"},
                 .point = Vector3(0, 0, 0),
                 .axis = Vector3(0, -1, 0)});
    build.drive(
        {.name = "motor", .type = Polynomial{.coefficients = {0.0, 1.5, 0.8}}, .coordinate = {"hinge", "angle"}});
    Model model = build.finish();
    model.setup.cut = cut;
    Simulation simulation(model);
    advance(simulation, 0.4, 0.01);
    const double t = simulation.state().t, angle = 1.5 * t + 0.8 * t * t, rate = 1.5 + 1.6 * t, acceleration = 1.6;
    EXPECT_NEAR(simulation.coordinate("hinge"), angle, 1e-9);
    const double wanted = -m * l * (acceleration * std::cos(angle) - rate * rate * std::sin(angle)) / (M + m);
    EXPECT_NEAR(simulation.joint_acceleration(0)[0], wanted, 1e-8);
    // Reaction of the rail: it carries the weight and what the arm pulls down.
    const double lift = (M + m) * 9.81 + m * l * (acceleration * std::sin(angle) + rate * rate * std::cos(angle));
    EXPECT_NEAR(simulation.reaction("rail").force.z(), lift, 1e-7);
    EXPECT_NEAR(simulation.reaction("rail").force.x(), 0.0, 1e-9);
  }
}

}  // namespace
}  // namespace tandem
