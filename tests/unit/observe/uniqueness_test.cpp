// Which loads are unique, against plain geometry by hand, a dense decomposition of all rows, and other methods.
#include "tandem/observe/uniqueness.hpp"

#include <gtest/gtest.h>

#include <Eigen/SVD>

#include "support/defect_model.hpp"
#include "support/doors.hpp"
#include "support/example_model.hpp"
#include "support/near_locked.hpp"
#include "tandem/io/report/report.hpp"
#include "tandem/run/run.hpp"
#include "tandem/tandem.hpp"

namespace tandem {
namespace {

Uniqueness unique_at_start(const Model& model) {
  Simulation simulation(model);
  return uniqueness(model, simulation.workspace());
}

const ModelOutput& output_of(const Model& model, const std::string& name) {
  return *std::find_if(model.outputs.begin(), model.outputs.end(), [&](const auto& each) { return each.name == name; });
}

int joint_of(const Model& model, const std::string& name) {
  return static_cast<int>(
      std::find_if(model.joints.begin(), model.joints.end(), [&](const auto& each) { return each.name == name; }) -
      model.joints.begin());
}

// A planar linkage of joints in space: what acts in the plane is determined, what acts across it is shared.
TEST(Uniqueness, OfAPlanarLinkageIsThatOfThePlane) {
  const Model model = defect_model("quick_return");
  const Uniqueness unique = unique_at_start(model);
  for (const UniqueReaction& joint : unique.joints) EXPECT_EQ(joint.missing(), "force y, torque x z");
  EXPECT_TRUE(unique.effort(model, 0));
  EXPECT_TRUE(unique.of(model, output_of(model, "torque")));
  EXPECT_TRUE(unique.of(model, output_of(model, "pin A x")));
  EXPECT_FALSE(unique.of(model, output_of(model, "pin A")));  // a magnitude needs all three components
  EXPECT_TRUE(unique.of(model, output_of(model, "ram speed")));
  EXPECT_TRUE(unique_at_start(defect_model("quick_return_not_redundant")).all());
}

TEST(Uniqueness, UniqueComponentsAreThoseOfTheMachineWithoutRedundantRows) {
  const Model shared = defect_model("quick_return"), plain = defect_model("quick_return_not_redundant");
  Simulation one(shared), other(plain);
  advance(one, 0.3, 0.002);
  advance(other, 0.3, 0.002);
  EXPECT_NEAR(drive_effort(shared, one.solution(), 0), drive_effort(plain, other.solution(), 0), 1e-6);
  for (const char* name : {"O2", "A", "slot"}) {
    const Vector3 a = one.reaction(name).force, b = other.reaction(name).force;
    EXPECT_NEAR(a.x(), b.x(), 1e-6) << name;
    EXPECT_NEAR(a.z(), b.z(), 1e-6) << name;
  }
}

TEST(Uniqueness, OfHookesJoint) {
  const Model model = defect_model("hooke");
  const Uniqueness unique = unique_at_start(model);
  EXPECT_TRUE(unique.effort(model, 0));  // power alone determines it
  EXPECT_EQ(unique.joints[static_cast<std::size_t>(joint_of(model, "in"))].missing(), "force x y z, torque y z");
  EXPECT_EQ(unique.joints[static_cast<std::size_t>(joint_of(model, "cross"))].missing(), "force x y z");
}

// Two wheels on one axle: the forces along the axle are shared, the normal forces are not.
TEST(Uniqueness, OfTwoWheelsOnOneAxle) {
  for (const double l : {0.6, -0.1}) {
    const Model model = defect_model("cart", {{"l", l}});
    const Uniqueness unique = unique_at_start(model);
    for (const UniqueReaction& contact : unique.constraints) EXPECT_EQ(contact.missing(), "force y");
    for (const UniqueReaction& hub : unique.joints) EXPECT_EQ(hub.missing(), "force y, torque x");
    for (const Contact& contact : contacts(model)) EXPECT_TRUE(unique.load(contact));
    EXPECT_FALSE(unique.of(model, output_of(model, "left_y")));
    EXPECT_TRUE(unique.of(model, output_of(model, "left_z")));
  }
}

TEST(Uniqueness, OfEffortsOfDrivesAndCouplers) {
  const Model model = load_model(TANDEM_SOURCE_DIR "/tests/cli/degenerate/drives-that-agree.toml");
  const Uniqueness unique = unique_at_start(model);
  EXPECT_FALSE(unique.effort(model, 0));
  EXPECT_FALSE(unique.effort(model, 1));
  EXPECT_FALSE(unique.relation_effort(model, 0));
}

// λ moved along ker Jᵀ of all rows, by a decomposition of the whole machine. False where the rank is in doubt.
bool is_as_by_svd(const Model& model, const Workspace& workspace, const std::string& name) {
  const Uniqueness unique = uniqueness(model, workspace);
  Eigen::MatrixXd J = dense_rows(model, workspace.rows, true);
  Eigen::VectorXd scale = Eigen::VectorXd::Zero(J.rows());
  for (Eigen::Index i = 0; i < J.rows(); ++i) {
    if (J.row(i).norm() > 0.0) scale[i] = 1.0 / J.row(i).norm();
    J.row(i) *= scale[i];
  }
  const Eigen::BDCSVD<Eigen::MatrixXd> svd(J, Eigen::ComputeFullU);
  const auto above = [&](double least) { return (svd.singularValues().array() > least).count(); };
  if (above(1e-12) != above(1e-5)) return false;
  const Eigen::MatrixXd null = scale.asDiagonal() * svd.matrixU().rightCols(J.rows() - above(1e-9));
  std::vector<Vec6<double>> joints(model.joints.size(), Vec6<double>::Zero()), constraints(model.constraints.size());
  for (Vec6<double>& each : constraints) each.setZero();
  Solution rest, moved;
  rest.lambda = Eigen::VectorXd::Zero(model.rows);
  for (Eigen::Index k = 0; k < null.cols(); ++k) {
    moved.lambda = null.col(k);
    const auto add = [&](const Reaction& at, const Reaction& zero, Vec6<double>& to) {
      to.head<3>() += (model.scale.length * (at.force - zero.force)).cwiseAbs2();
      to.tail<3>() += (at.torque - zero.torque).cwiseAbs2();
    };
    for (std::size_t i = 0; i < joints.size(); ++i) {
      const auto joint = static_cast<int>(i);
      add(joint_reaction(model, workspace, moved, joint), joint_reaction(model, workspace, rest, joint), joints[i]);
    }
    for (std::size_t i = 0; i < constraints.size(); ++i) {
      const auto constraint = static_cast<int>(i);
      add(constraint_reaction(model, workspace, moved, constraint),
          constraint_reaction(model, workspace, rest, constraint), constraints[i]);
    }
  }
  const auto compare = [&](bool told, double moves, const std::string& what) {
    if (!(moves > 1e-11 && moves < 1e-7)) {
      EXPECT_EQ(told, moves < 1e-9) << name << ", " << what << " moves by " << moves;
    }
  };
  const auto compare_all = [&](const UniqueReaction& told, const Vec6<double>& moves, const std::string& owner) {
    for (std::size_t k = 0; k < 3; ++k) {
      compare(told.force[k], std::sqrt(moves[static_cast<Eigen::Index>(k)]), owner + ", force " + "xyz"[k]);
      compare(told.torque[k], std::sqrt(moves[static_cast<Eigen::Index>(k + 3)]), owner + ", torque " + "xyz"[k]);
    }
  };
  for (std::size_t i = 0; i < joints.size(); ++i) compare_all(unique.joints[i], joints[i], model.joints[i].name);
  for (std::size_t i = 0; i < constraints.size(); ++i)
    compare_all(unique.constraints[i], constraints[i], model.constraints[i].name);
  for (int i = 0; i < model.rows; ++i)
    if (scale[i] > 0.0)
      compare(unique.rows[static_cast<std::size_t>(i)], null.row(i).norm() / scale[i], model.row_name(i));
  return true;
}

bool is_as_by_svd(const Model& model, const std::string& name) {
  Workspace workspace(model);
  workspace.update(model, start_state(model));
  return is_as_by_svd(model, workspace, name);
}

TEST(Uniqueness, IsThatOfADenseDecompositionOfAllRows) {
  int redundant = 0;
  for (const EmbeddedExample& example : embedded_examples()) {
    const Model model = load_model_or_example(std::string(example.name));
    const bool plain = std::all_of(model.constraints.begin(), model.constraints.end(),
                                   [](const ModelConstraint& each) { return !each.one_sided && !each.soft; });
    if (!plain || model.rows == 0 || model.rows > 400) continue;
    EXPECT_TRUE(is_as_by_svd(model, std::string(example.name))) << example.name;
    if (!unique_at_start(model).all()) ++redundant;
  }
  EXPECT_GE(redundant, 3);
  for (const char* name : {"quick_return", "hooke", "cart", "two_wheels", "snake_wheels_5", "four-balls-under-a-plate"})
    EXPECT_TRUE(is_as_by_svd(defect_model(name), name)) << name;
  EXPECT_TRUE(is_as_by_svd(test::doors(3), "doors"));
}

// Redundant rows of every kind beside rows that are almost redundant. Where an offset is near the tolerance, a row is
// named by check, and either answer is right.
TEST(Uniqueness, OfMechanismsThatAreAlmostLocked) {
  int clear = 0, shared = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    const Model model = read_model(test::near_locked(seed), "near-locked.toml");
    if (!is_as_by_svd(model, "seed " + std::to_string(seed))) continue;
    ++clear;
    if (!unique_at_start(model).all()) ++shared;
  }
  EXPECT_GE(clear, 40);
  EXPECT_GE(shared, 20);
}

// A run that nothing brings back to its constraints: dependence is blurred there by as much as it is off.
TEST(Uniqueness, OffTheConstraintsIsThatOnThem) {
  Model model = defect_model("quick_return");
  const Uniqueness wanted = unique_at_start(model);
  model.setup.stabilisation = "none";
  for (const char* cut : {"all", "loops"}) {
    model.setup.cut = cut;
    Simulation simulation(model);
    advance(simulation, 0.4, 0.01);
    const double gap = simulation.workspace().problem.largest_gap();
    EXPECT_GT(gap, 1e-10) << cut;
    const Uniqueness given = uniqueness(model, simulation.workspace());
    EXPECT_EQ(given.rows, wanted.rows) << cut << ", off by " << gap;
    for (const UniqueReaction& joint : given.joints) EXPECT_EQ(joint.missing(), "force y, torque x z") << cut;
  }
}

// On a cut, in coordinates and by a method of any kind: the same answer, and the same loads where they are unique.
TEST(Uniqueness, HoldsForEveryMethodAndCut) {
  for (const char* name : {"quick_return", "hooke", "four-balls-under-a-plate"}) {
    const Model model = defect_model(name);
    Simulation wanted(model);
    const Uniqueness unique = uniqueness(model, wanted.workspace());
    for (const MethodInfo& method : all_methods())
      for (const std::string& cut : method.cuts) {
        Model other = model;
        other.setup.method = method.name;
        other.setup.cut = cut;
        Simulation simulation(other);
        const Uniqueness given = uniqueness(other, simulation.workspace());
        EXPECT_EQ(given.rows, unique.rows) << name << " by " << method.name << " on " << cut;
        for (std::size_t i = 0; i < model.joints.size(); ++i) {
          EXPECT_EQ(given.joints[i].missing(), unique.joints[i].missing()) << name << " by " << method.name;
          const Reaction a = wanted.reaction(model.joints[i].name), b = simulation.reaction(model.joints[i].name);
          const double size = 1.0 + a.force.norm() + a.torque.norm();
          for (std::size_t k = 0; k < 3; ++k) {
            const auto at = static_cast<Eigen::Index>(k);
            if (unique.joints[i].force[k]) {
              EXPECT_NEAR(a.force[at], b.force[at], 1e-7 * size) << name << " by " << method.name << " on " << cut;
            }
            if (unique.joints[i].torque[k]) {
              EXPECT_NEAR(a.torque[at], b.torque[at], 1e-7 * size) << name << " by " << method.name << " on " << cut;
            }
          }
        }
      }
  }
}

// Over a run the pose decides which components are shared; what was shared once stays marked, and is remembered.
TEST(Uniqueness, OfARunIsThatOfItsRows) {
  Builder build;  // two hinges of one door, whose common axis turns with an arm
  build.body({.name = "arm", .mass = 1.0, .inertia = {{0.1, 0.1, 0.1, 0, 0, 0}}});
  build.body({.name = "door", .mass = 1.0, .inertia = {{0.1, 0.1, 0.1, 0, 0, 0}}, .position = Vector3(1, 0, 1)});
  build.joint({.name = "shoulder",
               .type = Revolute{},
               .bodies = {"world", "arm"},
               .point = Vector3(0, 0, 0),
               .axis = Vector3(0, 0, 1)});
  for (const double x : {0.5, 1.5})
    build.joint({.name = x < 1.0 ? "near" : "far",
                 .type = Revolute{},
                 .bodies = {"arm", "door"},
                 .point = Vector3(x, 0, 1),
                 .axis = Vector3(1, 0, 0)});
  build.drive({.name = "motor", .type = ConstantSpeedDrive{.speed = 1.0}, .coordinate = {"shoulder", ""}});
  const Model model = build.finish();
  Simulation simulation(model);
  const auto nearest = static_cast<std::size_t>(joint_of(model, "near"));
  EXPECT_EQ(uniqueness(model, simulation.workspace()).joints[nearest].missing(), "force x y z, torque y z");
  UniquenessRecord record(model), rest(model);
  for (int i = 0; i < 12; ++i) {
    record.row(simulation.workspace(), simulation.solution().rank);
    simulation.step(0.1);
  }
  EXPECT_EQ(record.of_all().joints[nearest].missing(), "force x y z, torque x y z");  // the axis has turned
  EXPECT_TRUE(record.of_all().effort(model, 0));
  MemoryWriter out;
  record.save(out);
  MemoryReader in(out.numbers);
  rest.load(in);
  EXPECT_TRUE(in.rest().empty());
  EXPECT_EQ(rest.of_all().rows, record.of_all().rows);
  EXPECT_EQ(rest.of_all().joints[nearest].missing(), record.of_all().joints[nearest].missing());
}

// A rod held at both ends by a carrier: along the rod the load is shared. The carrier leaves its pose between the rows
// 128 and 256 only, and there the rod points elsewhere.
TEST(Uniqueness, OfARunSeesWhatIsSharedForAWhile) {
  const Model model = defect_model("rod-turned-for-a-while");
  Simulation simulation(model);
  UniquenessRecord record(model);
  tandem::Run run(model, simulation,
                  {.on_row = [&](Simulation& at, const HealthRow& row) { record.row(at.workspace(), row.rank); }});
  while (run.advance()) {
  }
  ASSERT_EQ(run.status(), RunStatus::finished) << run.reason();
  const UniqueReaction& foot = record.of_all().joints[1];
  EXPECT_FALSE(foot.force[2]);
  EXPECT_FALSE(foot.force[0]);  // only on the way
  EXPECT_TRUE(foot.force[1]);
}

// A load that redundant rows share is no evidence that a contact would lift off.
TEST(Uniqueness, LoadsThatAreSharedDoNotLiftOff) {
  const Model model = defect_model("four-balls-under-a-plate");
  Simulation simulation(model);
  tandem::Run run(model, simulation, {});
  while (run.advance()) {
  }
  ASSERT_EQ(run.status(), RunStatus::finished);
  double lowest = 0.0;
  for (std::size_t i = 0; i < 4; ++i) {
    lowest = std::min(lowest, run.health().lowest_loads[i].value);
    EXPECT_TRUE(run.health().shared_loads[i]);
  }
  EXPECT_LT(lowest, -1.0);
  EXPECT_EQ(run.judgement().of("lift_off"), Trust::trusted);
}

}  // namespace
}  // namespace tandem
