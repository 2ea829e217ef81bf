// The recursion against the equations of the same tree multiplied out: dense_lagrange, inverse_dynamics,
// joint_space_mass.
#include "tandem/tree/tree_dynamics.hpp"

#include <gtest/gtest.h>

#include <random>

#include "support/example_model.hpp"
#include "tandem/dynamics/inverse_dynamics.hpp"
#include "tandem/joints/all.hpp"
#include "tandem/methods/dense_lagrange.hpp"
#include "tandem/tandem.hpp"

namespace tandem::test {
namespace {

class RandomTree {
 public:
  explicit RandomTree(unsigned number) : random_(number) { description_.name = "tree"; }

  double number() { return std::uniform_real_distribution<double>(-1.0, 1.0)(random_); }
  Vector3 vector() { return {number(), number(), number()}; }
  Matrix3 rotation() { return rotation_exp<double>(Vector3(2.0 * vector())); }

  void add(int parent, const Joint& type, bool reversed = false) {
    const std::string name = add_body();
    JointDescription joint{.name = "joint" + name, .type = type};
    joint.bodies = {parent < 0 ? "world" : "body" + std::to_string(parent), name};
    if (reversed) std::swap(joint.bodies[0], joint.bodies[1]);
    joint.frames = {FramePlacement{"", 0.5 * vector(), rotation()}, FramePlacement{"", 0.5 * vector(), rotation()}};
    description_.joints.push_back(joint);
  }
  std::string add_body() {
    BodyDescription body;
    body.name = "body" + std::to_string(description_.bodies.size());
    body.mass = 1.5 + number();
    const Matrix3 axes = rotation();
    const Vector3 moments = 0.1 * (Vector3::Ones() + 0.2 * vector());
    const Matrix3 I = axes * moments.asDiagonal() * axes.transpose();
    body.inertia = {I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)};
    body.center = 0.3 * vector();
    body.position = vector();
    body.rotation = rotation();
    description_.bodies.push_back(body);
    return body.name;
  }
  Model model() {
    description_.simulation.method = "articulated";
    Faults faults;
    Model model = compile(description_, faults);
    if (faults.any_error()) throw ModelError(std::move(faults));
    return model;
  }
  State state(const TreeDynamics& tree, const Model& model) {
    State state({tree.nq(), tree.nv(), model.angles});
    for (double& q : state.q()) q = 2.0 * number();
    for (double& v : state.v()) v = 2.0 * number();
    for (const Forest::Node& node : tree.forest().nodes)
      if (node.nq != node.nv) state.q().segment<4>(node.q_first).normalize();
    return state;
  }

 private:
  std::mt19937 random_;
  ModelDescription description_;
};

// The same joint without what its header declares: taken through its kernel.
template <class J> struct Undeclared : J { static constexpr int axes = 0, form = 0; };
constexpr unsigned kinds = 14;  // that joint_of knows

Joint joint_of(std::mt19937::result_type kind) {
  switch (kind) {
    case 0:
      return Revolute{};
    case 1:
      return Prismatic{};
    case 2:
      return Universal{};
    case 3:
      return Cylindrical{};
    case 4:
      return Planar{};
    case 5:
      return Translational{};
    case 6:
      return Spherical{};
    case 7:
      return Free{};
    case 9: {
      Helical screw;
      screw.pitch = 0.3;
      return screw;
    }
    case 10:
      return Undeclared<Universal>{};
    case 11:
      return Undeclared<Planar>{};
    case 12:
      return Undeclared<Spherical>{};
    case 13:
      return Undeclared<Fixed>{};
    default:
      return Fixed{};
  }
}

void compare(RandomTree& random, const Model& model, double digits = 1e-10) {
  TreeDynamics tree(model);
  const State state = random.state(tree, model);
  Workspace workspace(model, Cut::loops);
  workspace.update(model, state);
  Solution plain;
  DenseLagrange().solve(model, workspace.problem, plain);
  if (tree.nv() == 0) return;  // welded
  const double size = plain.y.cwiseAbs().maxCoeff();

  Eigen::VectorXd tau = Eigen::VectorXd::Zero(tree.nv()), v_dot, back;
  tree.forward(state.q(), state.v(), tau, v_dot);
  EXPECT_LT((v_dot - plain.y).cwiseAbs().maxCoeff(), 0.1 * digits * size);

  for (double& t : tau) t = 3.0 * random.number();
  tree.forward(state.q(), state.v(), tau, v_dot);
  tree.inverse(state.q(), state.v(), v_dot, back);
  EXPECT_LT((back - tau).cwiseAbs().maxCoeff(), 1e-10 * (1.0 + v_dot.cwiseAbs().maxCoeff()));
  const Eigen::VectorXd plain_back = inverse_dynamics(workspace, v_dot);
  EXPECT_LT((back - plain_back).cwiseAbs().maxCoeff(), digits * (1.0 + v_dot.cwiseAbs().maxCoeff()));

  Eigen::MatrixXd M;
  tree.mass(state.q(), M);
  const Eigen::MatrixXd H = joint_space_mass(workspace);
  const Eigen::MatrixXd off = (M - H).triangularView<Eigen::Lower>();
  EXPECT_LT(off.cwiseAbs().maxCoeff(), 1e-11 * H.cwiseAbs().maxCoeff());
}

TEST(TreeDynamics, ChainsOfEveryJoint) {
  for (unsigned kind = 0; kind < kinds; ++kind) {
    SCOPED_TRACE(kind);
    RandomTree random(kind);
    random.add(-1, Revolute{});
    for (int i = 0; i < 4; ++i) random.add(i, joint_of(kind));
    random.add(4, Revolute{});
    compare(random, random.model());
  }
}

TEST(TreeDynamics, JointsListedFromTheFarSide) {
  for (unsigned kind = 0; kind < kinds; ++kind) {
    SCOPED_TRACE(kind);
    RandomTree random(100 + kind);
    random.add(-1, joint_of(kind), true);
    for (int i = 0; i < 3; ++i) random.add(i, joint_of(kind), i % 2 == 0);
    compare(random, random.model());
  }
}

TEST(TreeDynamics, RandomTrees) {
  for (unsigned number = 0; number < 40; ++number) {
    SCOPED_TRACE(number);
    RandomTree random(1000 + number);
    std::mt19937 choice(number);
    if (number % 3 == 0)
      random.add_body();  // floats
    else
      random.add(-1, joint_of(choice() % kinds), number % 2 == 0);
    for (int i = 1; i < 12; ++i) {
      const auto parent = static_cast<int>(choice() % static_cast<std::mt19937::result_type>(i));
      random.add(parent, joint_of(choice() % kinds), choice() % 2 == 0);
    }
    compare(random, random.model());
  }
}

TEST(TreeDynamics, LongChainKeepsItsDigits) {
  RandomTree random(7);
  for (int i = 0; i < 300; ++i) random.add(i - 1, Revolute{});
  compare(random, random.model(), 1e-9);  // the equations multiplied out lose some
}

void compare_multipliers(const TreeDynamics& tree, const Model& model, const Eigen::VectorXd& lambda) {
  for (const auto& block : tree.loops().blocks()) {
    const int first = model.blocks[static_cast<std::size_t>(block.index)].first_row;
    for (int k = 0; k < block.rows; ++k)
      EXPECT_NEAR(block.lambda[k], lambda[first + block.row[static_cast<std::size_t>(k)]],
                  1e-8 * (1.0 + std::abs(block.lambda[k])));
  }
}

// Loops and rolling: the accelerations of null_space on the same cut, at the start and on the way.
void compare_with_rows(const Model& given, double seconds) {
  Model model = given;
  model.setup.method = "null_space";
  model.setup.cut = "loops";
  model.setup.integrator = "";
  ASSERT_EQ(TreeDynamics::obstacle(model), std::nullopt);
  TreeDynamics tree(model);
  Simulation simulation(model);
  tree.choose_rows(simulation.state().q());
  Eigen::VectorXd v_dot;
  const Eigen::VectorXd tau = Eigen::VectorXd::Zero(tree.nv());
  for (int i = 0; i < 3; ++i) {
    tree.forward(simulation.state().q(), simulation.state().v(), tau, v_dot);
    const Solution& plain = simulation.reduced_solution();
    EXPECT_EQ(tree.rows_in_use(), plain.rank);
    EXPECT_LT((v_dot - plain.y).cwiseAbs().maxCoeff(), 1e-10 * (1.0 + plain.y.cwiseAbs().maxCoeff()));
    if (tree.rows_in_use() == tree.row_count()) compare_multipliers(tree, model, simulation.solution().lambda);
    for (int step = 0; step < 20; ++step) simulation.step(seconds / 20.0);
  }
}

TEST(TreeDynamics, BicycleRolls) { compare_with_rows(example_model("bicycle"), 0.1); }
TEST(TreeDynamics, DiscRolls) { compare_with_rows(example_model("rolling-disc"), 0.1); }

TEST(TreeDynamics, SaysWhatItCannot) {
  const Model swimmer = example_model("swimmer");
  const auto reason = TreeDynamics::obstacle(swimmer);
  ASSERT_TRUE(reason.has_value());
  EXPECT_NE(reason->find("drive"), std::string::npos);
  EXPECT_THROW(TreeDynamics{swimmer}, ModelError);
}

TEST(TreeDynamics, MotionWithoutInertiaIsTold) {
  ModelDescription description;
  BodyDescription body;
  body.name = "nothing";
  body.mass = 0.0;
  body.inertia = std::array<double, 6>{};
  description.bodies.push_back(body);
  JointDescription joint{.name = "hinge", .type = Joint(Revolute{})};
  joint.bodies = {"world", "nothing"};
  joint.point = Vector3::Zero();
  joint.axis = Vector3::UnitX();
  description.joints.push_back(joint);
  Faults faults;
  const Model model = compile(description, faults);
  ASSERT_FALSE(faults.any_error());
  TreeDynamics tree(model);
  const Eigen::VectorXd one = Eigen::VectorXd::Ones(1);
  Eigen::VectorXd v_dot;
  EXPECT_THROW(tree.forward(one, one, one, v_dot), NumericalError);
}

}  // namespace
}  // namespace tandem::test
