// Rows that repeat each other: the accelerations are the same by all methods, and reactions say whether they are
// unique.
#include <gtest/gtest.h>

#include <cmath>

#include "support/defect_model.hpp"
#include "support/example_model.hpp"
#include "tandem/methods/dense_lagrange.hpp"
#include "tandem/tandem.hpp"

namespace tandem {
namespace {

BodyDescription box(const std::string& name, const Vector3& position) {
  return {.name = name, .mass = 2.0, .shapes = {Shape::box({0.8, 0.1, 1.9})}, .position = position};
}

Model door_on_two_hinges() {
  Builder build("door");
  build.body(box("door", {0.4, 0, 1}));
  for (const double z : {0.3, 1.7})
    build.joint({.name = z < 1.0 ? "lower" : "upper",
                 .type = Revolute{},
                 .bodies = {"world", "door"},
                 .point = z * Vector3(0.1, 0, 1),
                 .axis = Vector3(0.1, 0, 1)});
  build.gravity({0.5, 1.5, -9.81});
  return build.finish();
}

Model doubled_joint() {
  Builder build("doubled");
  build.body(box("arm", {0.4, 0, 0}));
  for (const char* name : {"pin", "same_pin"})
    build.joint({.name = name,
                 .type = Revolute{},
                 .bodies = {"world", "arm"},
                 .point = Vector3(0, 0, 0),
                 .axis = Vector3(0, 1, 0)});
  build.constraint({.name = "strut",
                    .type = Distance{},
                    .bodies = {"world", "arm"},
                    .points = {Vector3(0, 0.3, 0), Vector3(0, -0.3, 0)}});  // along the axis: it never changes
  return build.finish();
}

// Six hinges along edges of a cube: one degree of freedom although the count says none.
Model bricard() {
  const std::array<Vector3, 7> vertex{Vector3(0, 0, 0), Vector3(1, 0, 0), Vector3(1, 1, 0), Vector3(1, 1, 1),
                                      Vector3(0, 1, 1), Vector3(0, 0, 1), Vector3(0, 0, 0)};
  Builder build("bricard");
  const auto name = [](std::size_t i) { return i == 0 ? std::string("world") : "rod" + std::to_string(i); };
  for (std::size_t i = 1; i < 6; ++i) {
    const Vector3 along = vertex[i + 1] - vertex[i];
    build.body({.name = name(i),
                .mass = 1.0,
                .shapes = {Shape::box(Vector3(0.05, 0.05, 0.05) + along.cwiseAbs())},
                .position = 0.5 * (vertex[i] + vertex[i + 1])});
  }
  for (std::size_t i = 0; i < 6; ++i) {  // hinge between edge i and edge i + 1, across both
    const Vector3 axis = (vertex[i + 1] - vertex[i]).cross(vertex[i + 1 < 6 ? i + 2 : 1] - vertex[i + 1]);
    build.joint({.name = "hinge" + std::to_string(i + 1),
                 .type = Revolute{},
                 .bodies = {name(i), name((i + 1) % 6)},
                 .point = vertex[i + 1],
                 .axis = axis});
  }
  return build.finish();
}

struct Redundant {
  const char* name;
  Model (*make)();
  int redundant, dof;
  friend void PrintTo(const Redundant& c, std::ostream* out) { *out << c.name; }
};

class RedundantRows : public ::testing::TestWithParam<Redundant> {};

TEST_P(RedundantRows, AreCountedAndDoNotMoveTheAccelerations) {
  const Model model = GetParam().make();
  const Counts counts = count(model);
  EXPECT_EQ(counts.redundant, GetParam().redundant);
  EXPECT_EQ(counts.dof, GetParam().dof);
  EXPECT_EQ(static_cast<int>(counts.redundant_rows.size()), GetParam().redundant);
  Simulation along(model);
  for (int i = 0; i < 4; ++i) {
    for (const MethodInfo& method : all_methods())
      for (const std::string& cut : method.cuts) {
        Model other = model;
        other.setup.method = method.name;
        other.setup.cut = cut;
        Simulation simulation(other);
        simulation.set_bodies(along.bodies());
        const double tolerance = method.name == "impulses" ? 1e-8 : 1e-10;
        EXPECT_LE((simulation.solution().y - along.solution().y).norm(), tolerance * (1.0 + along.solution().y.norm()))
            << method.name << " on cut " << cut;
      }
    EXPECT_EQ(uniqueness(model, along.workspace()).all(), GetParam().redundant == 0);
    advance(along, along.state().t + 0.1, 0.01);
  }
}

INSTANTIATE_TEST_SUITE_P(Mechanisms, RedundantRows,
                         ::testing::Values(Redundant{"door", door_on_two_hinges, 5, 1},
                                           Redundant{"doubled", doubled_joint, 6, 1},
                                           Redundant{"bricard", bricard, 1, 1}),
                         [](const auto& each) { return std::string(each.param.name); });

// A stage lies off the constraints, where redundant rows differ. A choice among them that changes from stage to stage
// would cost an order: with pivots, udwadia_kalaba had three in place of four.
TEST(RedundantRows, CostNoOrder) {
  const auto apart = [](double step) {
    std::vector<Eigen::VectorXd> ends;
    for (const char* method : {"lagrange", "udwadia_kalaba"}) {
      Model model = defect_model("tricycle");
      model.setup.method = method;
      model.setup.cut = "all";
      Simulation simulation(model);
      for (int i = 0; i < static_cast<int>(std::lround(1.0 / step)); ++i) simulation.step(step);
      ends.push_back(simulation.bodies().q());
    }
    return (ends[0] - ends[1]).cwiseAbs().maxCoeff();
  };
  const double coarse = apart(0.01), fine = apart(0.005);
  EXPECT_GT(fine, 1e-13);
  EXPECT_GT(std::log2(coarse / fine), 3.7);
}

TEST(RedundantRows, SumOfReactionsIsUniqueWhereTheSharesAreNot) {
  for (const MethodInfo& method : all_methods()) {
    Model model = door_on_two_hinges();
    model.setup.method = method.name;
    Simulation simulation(model);
    const Vector3 sum = simulation.reaction("lower").force + simulation.reaction("upper").force;
    const Vec6<double> y = simulation.solution().y.segment<6>(0);
    const Vector3 needed = 2.0 * (y.tail<3>() - Vector3(0.5, 1.5, -9.81));
    EXPECT_LE((sum - needed).norm(), 1e-6) << method.name;
  }
}

}  // namespace
}  // namespace tandem
