// Rows to the world that are eliminated on the way inward (tree/loop_places.cpp), against lagrange.
#include <gtest/gtest.h>

#include <random>

#include "tandem/tandem.hpp"
#include "tandem/tree/tree_dynamics.hpp"

namespace tandem::test {
namespace {

class Crowd {
 public:
  explicit Crowd(unsigned number) : random_(number) {}
  double number() { return std::uniform_real_distribution<double>(-1.0, 1.0)(random_); }
  int below(int end) { return static_cast<int>(random_() % static_cast<std::mt19937::result_type>(end)); }
  Vector3 vector() { return {number(), number(), number()}; }
  Vector3 direction() { return vector().normalized(); }
  static std::string name(int i) { return i < 0 ? "world" : "body" + std::to_string(i); }

  void body(int i, double mass, const Vector3& at) {
    build.body({.name = name(i), .mass = mass, .shapes = {Shape::box({1.0, 0.3, 0.2})}, .position = at});
  }
  void joint(int parent, int i, const Joint& type, const Vector3& at, const Vector3& axis) {
    JointDescription joint{.name = "joint" + std::to_string(i), .type = type};
    joint.bodies = {name(parent), name(i)};
    joint.point = at;
    if (type.traits().type != "spherical") joint.axis = axis;
    if (type.traits().type == "universal") joint.second_axis = axis.unitOrthogonal();
    build.joint(joint);
  }
  void knife(int i, const Vector3& at, const Vector3& blade) {
    build.constraint({.name = "edge" + std::to_string(edges_++),
                      .type = KnifeEdge{},
                      .bodies = {"world", name(i)},
                      .points = {at},
                      .blade = blade});
  }
  void distance(int i, int j, const Vector3& at_i, const Vector3& at_j) {
    build.constraint({.name = "rod" + std::to_string(edges_++),
                      .type = Distance{},
                      .bodies = {name(i), name(j)},
                      .points = {at_i, at_j}});
  }
  State state(const TreeDynamics& tree, const Model& model, double far) {
    State state({tree.nq(), tree.nv(), model.angles});
    for (double& q : state.q()) q = far * number();
    for (double& v : state.v()) v = number();
    for (const Forest::Node& node : tree.forest().nodes)
      if (node.nq != node.nv) {
        state.q()[node.q_first] += 1.0;
        state.q().segment<4>(node.q_first).normalize();
      }
    return state;
  }
  Builder build;

 private:
  std::mt19937 random_;
  int edges_ = 0;
};

// On a plane, a knife edge on every link: nothing is left open for long.
Model snake(Crowd& crowd, int n, double heavy = 1.0, int edges = 1) {
  crowd.build.gravity({1, 2, 0});
  for (int i = 0; i < n; ++i) {
    crowd.body(i, i % 2 == 0 ? 1.0 : heavy, Vector3(i, 0, 0));
    crowd.joint(i - 1, i, i == 0 ? Joint(Planar{}) : Joint(Revolute{}), Vector3(i - 0.5, 0, 0), Vector3(0, 0, 1));
    const double turned = 0.3 * crowd.number();
    for (int k = 0; k < edges; ++k) crowd.knife(i, Vector3(i, 0, 0), Vector3(std::cos(turned), std::sin(turned), 0));
  }
  return crowd.build.finish();
}

struct Tried {
  double off = 0.0;  // accelerations, in parts of the largest
  int rank = 0;
};

Tried tried(TreeDynamics& tree, const Model& model, const State& state) {
  Workspace workspace(model, Cut::loops);
  workspace.update(model, state);
  Solution plain;
  StepMemory memory;
  find_method(MethodName::lagrange).make(memory)->solve(model, workspace.problem, plain);
  Eigen::VectorXd v_dot;
  tree.forward(state.q(), state.v(), Eigen::VectorXd::Zero(tree.nv()), v_dot);
  return {(v_dot - plain.y).cwiseAbs().maxCoeff() / (1.0 + plain.y.cwiseAbs().maxCoeff()), plain.rank};
}

int at_the_world(const TreeDynamics& tree) {
  int count = 0;
  for (const auto& block : tree.loops().blocks()) count += block.meet == 0 ? 1 : 0;
  return count;
}
int moved_inward(const TreeDynamics& tree) {
  int count = 0;
  for (const auto& block : tree.loops().blocks()) count += block.inward_of != LoopBlock<double>::no_link ? 1 : 0;
  return count;
}

TEST(TreePlaces, SnakesOfAnyShape) {
  for (unsigned number = 0; number < 5; ++number) {
    SCOPED_TRACE(number);
    Crowd crowd(number);
    const Model model = snake(crowd, 24);
    TreeDynamics tree(model);
    tree.choose_rows(crowd.state(tree, model, 0.3).q());
    EXPECT_EQ(tree.rows_in_use(), 24);
    EXPECT_LE(at_the_world(tree), 6);
    for (int k = 0; k < 5; ++k) EXPECT_LT(tried(tree, model, crowd.state(tree, model, 0.3)).off, 1e-11);
  }
}

TEST(TreePlaces, MassesInTurnLightAndHeavy) {
  for (const double heavy : {1e4, 1e8}) {
    SCOPED_TRACE(heavy);
    Crowd crowd(11);
    const Model model = snake(crowd, 24, heavy);
    TreeDynamics tree(model);
    tree.choose_rows(crowd.state(tree, model, 0.3).q());
    for (int k = 0; k < 5; ++k) EXPECT_LT(tried(tree, model, crowd.state(tree, model, 0.3)).off, 1e-9);
  }
}

// Rows that repeat others wait for the world, where they are left out; the others then go early.
TEST(TreePlaces, RowsTwice) {
  Crowd crowd(5);
  const Model model = snake(crowd, 12, 1.0, 2);
  TreeDynamics tree(model);
  tree.choose_rows(crowd.state(tree, model, 0.3).q());
  EXPECT_EQ(tree.rows_in_use(), 12);
  EXPECT_LE(at_the_world(tree), 6);
  for (int k = 0; k < 5; ++k) EXPECT_LT(tried(tree, model, crowd.state(tree, model, 0.3)).off, 1e-11);
}

// Branches, joints of all kinds, rows of both sorts on every body, and loops across.
TEST(TreePlaces, TreesWithRowsAndLoops) {
  for (unsigned number = 0; number < 12; ++number) {
    SCOPED_TRACE(number);
    Crowd crowd(100 + number);
    const int n = 20;
    for (int i = 0; i < n; ++i) {
      crowd.body(i, 1.5 + crowd.number(), 2.0 * crowd.vector());
      const Joint types[] = {Revolute{}, Universal{}, Spherical{}, Prismatic{}, Cylindrical{}};
      const int parent = number % 2 == 0 ? std::max(-1, i - 1 - crowd.below(3)) : crowd.below(i + 1) - 1;
      crowd.joint(parent, i, types[crowd.below(5)], 2.0 * crowd.vector(), crowd.direction());
      if (i % 3 != 0) crowd.knife(i, 2.0 * crowd.vector(), crowd.direction());
      if (i % 3 == 0) crowd.distance(-1, i, 4.0 * crowd.vector(), 2.0 * crowd.vector());
      if (i % 7 == 6) crowd.distance(i - 3, i, 2.0 * crowd.vector(), 2.0 * crowd.vector());
    }
    const Model model = crowd.build.finish();
    TreeDynamics tree(model);
    tree.choose_rows(crowd.state(tree, model, 0.5).q());
    for (int k = 0; k < 5; ++k) {
      const Tried here = tried(tree, model, crowd.state(tree, model, 0.5));
      EXPECT_EQ(tree.rows_in_use(), here.rank);
      EXPECT_LT(here.off, 1e-9);
    }
  }
}

// Rows of a program's own on neighbours: they see the world, from where both have come together.
TEST(TreePlaces, CustomRowsOnTwoLinks) {
  for (unsigned number = 0; number < 3; ++number) {
    SCOPED_TRACE(number);
    Crowd crowd(400 + number);
    const int n = 20;
    crowd.build.gravity({1, 2, 0});
    for (int i = 0; i < n; ++i) {
      crowd.body(i, 1.0, Vector3(i, 0, 0));
      crowd.joint(i - 1, i, i == 0 ? Joint(Planar{}) : Joint(Revolute{}), Vector3(i - 0.5, 0, 0), Vector3(0, 0, 1));
      if (i > 0)
        crowd.build.constraint({.name = "row" + std::to_string(i),
                                .type = custom_rows(0, 1,
                                                    [](auto bodies, auto, auto& rows) {
                                                      rows.J.block(0, 3, 1, 3) = bodies[0].X_WC.R.col(1).transpose();
                                                      rows.J.block(0, 9, 1, 3) =
                                                          0.5 * bodies[1].X_WC.R.col(1).transpose();
                                                    }),
                                .bodies = {Crowd::name(i), Crowd::name(i - 1)}});
    }
    const Model model = crowd.build.finish();
    TreeDynamics tree(model, TreeDynamics::Acts::everything);
    tree.choose_rows(crowd.state(tree, model, 0.3).q());
    EXPECT_EQ(tree.rows_in_use(), n - 1);
    EXPECT_LE(at_the_world(tree), 6);
    for (int k = 0; k < 5; ++k) {
      const State state = crowd.state(tree, model, 0.3);
      Workspace workspace(model, Cut::loops);
      workspace.update(model, state);
      Solution plain;
      StepMemory memory;
      find_method(MethodName::lagrange).make(memory)->solve(model, workspace.problem, plain);
      Eigen::VectorXd v_dot;
      tree.accelerate(state.t, state.q(), state.v(), false, v_dot);
      EXPECT_LT((v_dot - plain.y).cwiseAbs().maxCoeff(),
                5e-11 * (1.0 + plain.y.cwiseAbs().maxCoeff()));  // as lagrange and null_space
    }
  }
}

// Rods to the world on a chain that is folded in every way.
TEST(TreePlaces, ServeAtOtherStates) {
  for (unsigned number = 0; number < 4; ++number) {
    SCOPED_TRACE(number);
    Crowd crowd(200 + number);
    for (int i = 0; i < 10; ++i) {
      crowd.body(i, 1.0, Vector3(i, 0, 0));
      crowd.joint(i - 1, i, i % 2 == 0 ? Joint(Revolute{}) : Joint(Universal{}), Vector3(i - 0.5, 0, 0),
                  Vector3(0, 0, 1));
      crowd.distance(-1, i, Vector3(i, 2, 0.5), Vector3(i + 0.4, 0, 0));
    }
    const Model model = crowd.build.finish();
    TreeDynamics tree(model);
    tree.choose_rows(crowd.state(tree, model, 0.1).q());
    for (int k = 0; k < 40; ++k) {
      const double off = tried(tree, model, crowd.state(tree, model, 1.5)).off;
      if (tree.smallest_pivot() > 1e-6) {
        EXPECT_LT(off, 1e-9) << k;
      }
    }
  }
}

// A rod in line with a chain: while the chain is bent, its last links give way to it; straight, only the first link
// does, on its plane.
TEST(TreePlaces, AreLeftWhereTheyAreWeak) {
  int moved = 0;
  for (unsigned number = 0; number < 10; ++number) {
    SCOPED_TRACE(number);
    Crowd crowd(300 + number);
    const int n = 10;
    for (int i = 0; i < n; ++i) {
      crowd.body(i, 1.0, Vector3(i, 0, 0));
      crowd.joint(i - 1, i, i == 0 ? Joint(Planar{}) : Joint(Revolute{}), Vector3(i - 0.5, 0, 0), Vector3(0, 0, 1));
      if (i < n - 1) crowd.knife(i, Vector3(i + 0.2 * crowd.number(), 0, 0), Vector3(1, 0.1 * crowd.number(), 0));
    }
    crowd.distance(-1, n - 1, Vector3(n + 2, 0, 0), Vector3(n - 1, 0, 0));
    const Model model = crowd.build.finish();
    TreeDynamics tree(model);
    tree.choose_rows(crowd.state(tree, model, 1.0).q());
    for (const double bent : {1e-2, 1e-5, 1e-10, 0.0, 1.0}) {
      SCOPED_TRACE(bent);
      EXPECT_LT(tried(tree, model, crowd.state(tree, model, bent)).off, 1e-9);
    }
    moved += moved_inward(tree);
  }
  EXPECT_GT(moved, 0);
}

}  // namespace
}  // namespace tandem::test
