// Counting by islands of bodies against one dense matrix of all rows.
#include "tandem/assemble/counts.hpp"

#include <gtest/gtest.h>

#include "support/defect_model.hpp"
#include "support/doors.hpp"
#include "tandem/dynamics/islands.hpp"
#include "tandem/linalg/independent_rows.hpp"
#include "tandem/tandem.hpp"

namespace tandem {
namespace {

TEST(Counts, OfEveryExampleAreThoseOfTheDenseRows) {
  for (const EmbeddedExample& example : embedded_examples()) {
    const std::string name(example.name);
    const Model model = load_model_or_example(name);
    Workspace workspace(model);
    workspace.update(model, start_state(model));
    const Eigen::MatrixXd J = dense_rows(model, workspace.rows);
    std::vector<int> rows;
    for (const RowBlockInfo& info : model.blocks)
      for (int k = 0; k < info.rows && !info.is_one_sided(model) && !info.is_soft(model); ++k)
        rows.push_back(info.first_row + k);
    const auto independent = first_independent_rows(J, rows).size();
    EXPECT_EQ(count(model).redundant_rows.size(), rows.size() - independent) << name;
    EXPECT_EQ(uniqueness(model, workspace).all(), rows.size() == independent) << name;
  }
}

// Two copies of a machine side by side: everything twice, and named apart.
TEST(Counts, OfTwoDoorsAreTwiceThoseOfOne) {
  const Counts one = count(test::doors(1)), two = count(test::doors(2));
  EXPECT_EQ(one.redundant, 5);
  EXPECT_EQ(two.redundant, 10);
  EXPECT_EQ(two.dof, 2);
  EXPECT_EQ(two.redundant_rows[0].depends_on, one.redundant_rows[0].depends_on);
  EXPECT_EQ(two.redundant_rows[5].depends_on, std::vector<std::string>{"joint \"lower1\""});
  EXPECT_EQ(two.shared_loads.size(), 4U);
  EXPECT_FALSE(two.singular);
}

// A start that is off by what a file's digits leave: rows are as redundant as the run will find them.
TEST(Counts, OfAStartThatIsOffALittleAreThoseOnTheConstraints) {
  for (const double turn : {1e-12, 1e-9, 1e-7, 5e-7}) {
    Model model = test::doors(1);
    model.bodies[0].X_WC.R = rotation_exp<double>(Vector3(turn, -0.5 * turn, 0.0)) * model.bodies[0].X_WC.R;
    const Counts counts = count(model);
    EXPECT_EQ(counts.redundant, 5) << turn;
    EXPECT_EQ(counts.redundant_rows.size(), 5U) << turn;
    EXPECT_EQ(counts.shared_loads.size(), 2U) << turn;
  }
}

// A rolling row may follow from all others; no row of positions follows from it.
TEST(Counts, NonholonomicRowsMayBeRedundant) {
  const Counts counts = count(defect_model("two_wheels"));
  EXPECT_EQ(counts.holonomic, 12);
  EXPECT_EQ(counts.nonholonomic, 4);
  EXPECT_EQ(counts.redundant, 1);
  EXPECT_EQ(counts.redundant_nonholonomic, 1);
  EXPECT_EQ(counts.redundant_rows.size(), 1U);
  EXPECT_EQ(counts.dof, 6);
  EXPECT_EQ(counts.mobility, 3);
}

TEST(Islands, AreBodiesThatRowsJoin) {
  Builder build;
  for (const char* name : {"a", "b", "c", "d"}) build.body({.name = name, .mass = 1.0, .point_mass = true});
  build.joint({.name = "ac", .type = Spherical{}, .bodies = {"a", "c"}, .point = Vector3(0, 0, 0)});
  build.joint({.name = "wd", .type = Spherical{}, .bodies = {"world", "d"}, .point = Vector3(0, 0, 0)});
  const Model model = build.finish();
  const Islands islands(model);
  ASSERT_EQ(islands.list().size(), 2U);  // the world joins nothing, and b has no row
  EXPECT_EQ(islands.list()[0].bodies, (std::vector<int>{0, 2}));
  EXPECT_EQ(islands.list()[0].columns, 6);
  EXPECT_EQ(islands.list()[1].bodies, std::vector<int>{3});
  EXPECT_EQ(islands.list()[1].rows.size(), 3U);
}

}  // namespace
}  // namespace tandem
