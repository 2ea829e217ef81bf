// The verdict: sound models agree, and five prepared ones are told apart, each with its cause.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/defect_model.hpp"
#include "support/example_model.hpp"
#include "support/how_long.hpp"
#include "tandem/compare/compare.hpp"
#include "tandem/compare/row_check.hpp"
#include "tandem/tandem.hpp"

namespace tandem {
namespace {

const Check& check_named(const Comparison& result, const std::string& name) {
  static const Check none;
  const auto found =
      std::find_if(result.checks.begin(), result.checks.end(), [&](const Check& check) { return check.name == name; });
  EXPECT_NE(found, result.checks.end()) << name;
  return found == result.checks.end() ? none : *found;
}

bool says(const Comparison& result, const std::string& text) { return result.verdict.find(text) != std::string::npos; }

class SoundModel : public ::testing::TestWithParam<const char*> {};

TEST_P(SoundModel, Agrees) {
  const Comparison result = compare(example_model(GetParam()), {.duration = 0.3});
  EXPECT_TRUE(result.agree) << result.verdict;
  EXPECT_TRUE(result.cause.empty());
  ASSERT_EQ(result.methods.size(), 5U);
  for (const MethodResult& method : result.methods) {
    EXPECT_TRUE(method.agrees) << method.name << ": " << method.difference.size();
    if (method.name == "impulses") continue;
    EXPECT_LE(method.difference.size(), 1e-11) << method.name;  // one cut, one step: round-off
  }
  for (const Check& check : result.checks) EXPECT_TRUE(check.passed) << check.name << ": " << check.detail;
  EXPECT_TRUE(check_named(result, "impulses").asked);
  EXPECT_TRUE(check_named(result, "energy").asked);
  EXPECT_LE(result.richardson, 1e-10);
}

INSTANTIATE_TEST_SUITE_P(Examples, SoundModel,
                         ::testing::Values("bicycle", "rolling-disc", "two-body", "swimmer", "distance",
                                           "chaplygin-sleigh"),
                         [](const auto& each) {
                           std::string name = each.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// QuIRK's ball joint with the centripetal term of one body left out of b.
// `size` and `pace` are the units of length and of rates.
Model wrong_bias(double size = 1.0, double pace = 1.0) {
  const Vector3 p_B(0.0, 0.0, -0.5 * size), p_C(0.0, 0.0, 0.5 * size);
  const auto rows = quirk_rows(3, [=](const auto& B, const auto& C, const auto& t, auto& A, auto& b, auto& phi) {
    using S = std::decay_t<decltype(t)>;
    const Mat3<S> Q_B = rotation_of<S>(B.q), Q_C = rotation_of<S>(C.q);
    const Vec3<S> arm_B = Q_B * lift<S>(p_B), arm_C = Q_C * lift<S>(p_C);
    const Mat34<S> T_B = quaternion_rate_matrix<S>(B.q), T_C = quaternion_rate_matrix<S>(C.q);
    const Vec3<S> w_B = Q_B * T_B * B.q_dot;
    A.middleCols(0, 3) = Mat3<S>::Identity();
    A.middleCols(3, 3) = -Mat3<S>::Identity();
    A.middleCols(6, 4) = -sk<S>(arm_B) * Q_B * T_B;
    A.middleCols(10, 4) = sk<S>(arm_C) * Q_C * T_C;
    b = -w_B.cross(Vec3<S>(w_B.cross(arm_B)));  // and + ω_C × (ω_C × arm_C), which is missing
    phi = B.r + arm_B - C.r - arm_C;
  });
  Builder build("wrong-bias");
  build.gravity(Vector3(0, 0, -9.81 * size * pace * pace));
  const auto rod = [&](const char* name, double z, const Vector3& spin, const Vector3& velocity) {
    build.body({.name = name,
                .mass = 1.0,
                .inertia = std::array{0.1 * size * size, 0.12 * size * size, 0.05 * size * size, 0.0, 0.0, 0.0},
                .position = Vector3(0, 0, z * size),
                .velocity = velocity * size * pace,
                .angular_velocity = spin * pace});
  };
  rod("upper", 0.0, {1.0, 0.5, 0.2}, {0, 0, 0});
  rod("lower", -1.0, {-1.0, 1.0, 0.3}, {-1.0, 1.0, 0});
  build.joint({.name = "ball", .type = JointType(rows), .bodies = {"upper", "lower"}});
  SimulationDescription simulation;
  simulation.duration /= pace;
  build.simulation(simulation);
  Model model = build.finish();
  model.setup.duration = 1.0 / pace;
  return model;
}

TEST(Verdict, NamesTheConstraintWhoseBiasIsWrong) {
  const Model model = wrong_bias();
  const Comparison result = compare(model, {.most_halvings = 3});
  EXPECT_FALSE(result.agree);
  EXPECT_EQ(result.cause, "bias") << result.verdict;
  EXPECT_TRUE(says(result, "joint \"ball\"")) << result.verdict;
  EXPECT_TRUE(says(result, "bias")) << result.verdict;
  EXPECT_FALSE(check_named(result, "rows").passed);
  EXPECT_FALSE(check_named(result, "herk").passed);  // the integrator that never uses it
  EXPECT_FALSE(check_named(result, "residuals").passed);
  EXPECT_FALSE(check_named(result, "energy").passed);
  // The methods that share the row agree with each other all the same: agreement alone proves linear algebra.
  for (const MethodResult& method : result.methods) {
    if (method.name == "impulses" || !method.refused.empty()) continue;
    EXPECT_TRUE(method.agrees) << method.name;
  }
}

TEST(Verdict, NamesASoftConstraint) {
  Model model = example_model("chain", {{"angle", 1.0}});
  model.constraints[1].soft = Softness{.frequency = 3.0, .damping_ratio = 0.3};
  const Comparison result = compare(model, {.duration = 1.0});
  EXPECT_FALSE(result.agree);
  EXPECT_EQ(result.cause, "soft") << result.verdict;
  EXPECT_TRUE(says(result, "\"link2\" is soft")) << result.verdict;
  EXPECT_TRUE(says(result, "first seen in impulses")) << result.verdict;
}

// A parallelogram that starts stretched out: it can go on as a parallelogram or crosswise.
Model dead_point() {
  Builder build("dead-point");
  build.gravity({0, -9.81, 0});
  const auto rod = [&](const char* name, const Vector3& at, const Vector3& velocity, double spin) {
    build.body({.name = name,
                .mass = 1.0,
                .inertia = std::array{0.001, 1.0 / 12.0, 1.0 / 12.0, 0.0, 0.0, 0.0},
                .position = at,
                .velocity = velocity,
                .angular_velocity = Vector3(0, 0, spin)});
  };
  rod("crank", {0.5, 0, 0}, {0, 0.5, 0}, 1.0);
  rod("coupler", {1.5, 0, 0}, {0, 1, 0}, 0.0);
  rod("rocker", {1.5, 0, 0}, {0, 0.5, 0}, 1.0);
  const auto hinge = [&](const char* name, const char* a, const char* b, double x) {
    build.joint(
        {.name = name, .type = Revolute{}, .bodies = {a, b}, .point = Vector3(x, 0, 0), .axis = Vector3(0, 0, 1)});
  };
  hinge("ground_crank", "world", "crank", 0.0);
  hinge("crank_coupler", "crank", "coupler", 1.0);
  hinge("coupler_rocker", "coupler", "rocker", 2.0);
  hinge("ground_rocker", "world", "rocker", 1.0);
  Model model = build.finish();
  model.setup.duration = 1.0;
  return model;
}

TEST(Verdict, NamesALostRank) {
  const Comparison result = compare(dead_point(), {.duration = 0.3, .most_halvings = 2});
  EXPECT_FALSE(result.agree) << result.verdict;
  EXPECT_EQ(result.cause, "rank") << result.verdict;
  EXPECT_TRUE(says(result, "lose rank at t = 0")) << result.verdict;
}

TEST(Verdict, ComparesAChaoticModelUpToItsHorizon) {
  // Almost upright it is so chaotic that the horizon comes after 1.4 s, not after 8 s.
  Model model = example_model("chain", {{"angle", test::how_many(3.0, 1.5707963267948966, 1.5707963267948966)}});
  model.setup.step = 0.004;
  const Comparison result = compare(model, {.tolerance = 1e-10, .duration = 20.0});
  EXPECT_TRUE(result.agree) << result.verdict;
  EXPECT_TRUE(result.chaotic);
  EXPECT_LT(result.horizon, 15.0);
  EXPECT_GT(result.horizon, 1.0);
  EXPECT_TRUE(says(result, "chaotic")) << result.verdict;
}

TEST(Verdict, NamesAStepThatIsTooLong) {
  Builder build("stiff");
  build.gravity({0, 0, 0});
  build.body({.name = "mass", .mass = 1.0, .point_mass = true, .position = Vector3(1.1, 0, 0)});
  build.body({.name = "other", .mass = 1.0, .point_mass = true, .position = Vector3(0, 0, 0)});
  build.force({.name = "spring",
               .type = SpringDamper{.stiffness = 1e6, .length = 1.0},
               .bodies = {"mass", "other"},
               .points = {Vector3(1.1, 0, 0), Vector3(0, 0, 0)}});
  Model model = build.finish();
  model.setup.step = 0.01;
  model.setup.duration = 1.0;
  const Comparison result = compare(model, {.most_halvings = 4});
  EXPECT_FALSE(result.agree);
  EXPECT_EQ(result.cause, "step") << result.verdict;
  EXPECT_TRUE(says(result, "step")) << result.verdict;
}

// A closed loop of six revolutes has redundant rows. udwadia_kalaba takes all of them, lagrange some: off the
// constraints, in the stages of a step, that differs, by the error of the step.
TEST(Verdict, DoesNotBlameAMethodForTheErrorOfTheStep) {
  Model model = example_model("bricard");
  model.setup.step = 0.01;
  const Comparison result = compare(model, {.duration = 0.3});
  EXPECT_TRUE(result.agree) << result.verdict;
  const MethodResult& method = result.methods[1];
  ASSERT_EQ(method.name, "udwadia_kalaba");
  EXPECT_TRUE(method.agrees);
  EXPECT_LT(method.step, 0.0051);  // at the model's step it is more than the tolerance off
  EXPECT_NE(method.note.find("it falls with order"), std::string::npos) << method.note;
  EXPECT_LE(method.difference.size(), 1e-9);
}

// A spin about the middle axis turns over: rounding errors grow, and a shorter step makes more of them.
TEST(Verdict, DoesNotBlameTheStepForRoundOff) {
  const Comparison result = compare(example_model("t-handle"));
  EXPECT_TRUE(result.agree) << result.verdict;
  EXPECT_FALSE(result.chaotic);
  EXPECT_LT(result.horizon, result.duration);
  EXPECT_GT(result.horizon, 2.0);
  EXPECT_TRUE(says(result, "magnifies rounding errors")) << result.verdict;
}

TEST(Verdict, SaysThatAToleranceIsBelowRoundOff) {
  const Comparison result = compare(example_model("two-body"), {.tolerance = 2e-15, .duration = 0.5});
  EXPECT_FALSE(result.agree);
  EXPECT_EQ(result.cause, "round-off") << result.verdict;
  EXPECT_FALSE(says(result, "step is too long")) << result.verdict;
}

// Whenever all rods lie on one line round-off decides on velocities. Behind such a pose they are determined again.
TEST(Verdict, LeavesOutPosesThatAreNearlySingular) {
  Model model = example_model("n-four-bar");
  model.setup.step = 0.002;
  const Comparison result = compare(model, {.duration = 1.0});
  EXPECT_TRUE(result.agree) << result.verdict;
  ASSERT_FALSE(result.nearly_singular.empty());
  for (const double t : result.nearly_singular) EXPECT_NEAR(t, 0.714, 0.03);
  EXPECT_TRUE(says(result, "nearly singular")) << result.verdict;
}

// A cart of one milligram is whipped through below its bob of one kilogram within a microsecond: no step fits all of
// the motion, so steps must follow it. Joints as coordinates lose digits there, which is no difference of the methods.
TEST(Verdict, FollowsAMotionThatNoStepFits) {
  const Comparison result =
      compare(defect_model("light_cart_pole"), {.tolerance = 1e-8, .duration = 0.8, .most_halvings = 3});
  EXPECT_TRUE(result.agree) << result.verdict;
  EXPECT_GT(result.horizon, 0.4516);  // behind the whip
  EXPECT_TRUE(says(result, "dop853 with error control, because fixed steps down to 0.00125 s")) << result.verdict;
  for (const char* asked : {"cut", "quaternion", "energy", "impulses", "rows"})
    EXPECT_TRUE(check_named(result, asked).asked) << asked;
}

// At a knot the acceleration of a drive jumps, or its speed: impulses has the speed before the jump in the row there,
// the others that behind it. Neither is wrong, and what follows is judged to the end.
TEST(Verdict, DoesNotBlameImpulsesForTheSideOfAJump) {
  for (const char* name : {"table-monotone", "drive-starts-at-once"}) {
    const Comparison result = compare(defect_model(name));
    EXPECT_TRUE(result.agree) << result.verdict;
    const Check& impulses = check_named(result, "impulses");
    EXPECT_TRUE(impulses.passed) << impulses.detail;
    EXPECT_EQ(impulses.detail.find("up to"), std::string::npos) << impulses.detail;
  }
}

// Blows of a millisecond, which the reference must not step over either.
TEST(Verdict, AgreesOnShortForces) {
  for (const char* name : {"box-pulse", "hammer"}) {
    const Comparison result = compare(defect_model(name), {.duration = std::string(name) == "hammer" ? 5.1 : 0.0});
    EXPECT_TRUE(result.agree) << name << ": " << result.verdict;
  }
}

// Two wheels on one axle: on all rows and on chosen ones a step has another error, and half the step a sixteenth of it.
// The model's step is too long to show that.
TEST(Verdict, AgreesOnWheelsThatRepeatEachOther) {
  for (const char* name : {"two_wheels", "tricycle"}) {
    const Comparison result = compare(defect_model(name), {.duration = test::how_many(0.2, 2.0, 2.0)});
    EXPECT_TRUE(result.agree) << name << ": " << result.verdict;
  }
  const Comparison straight = compare(defect_model("axle-rolls-straight"), {.duration = test::how_many(0.1, 0.5, 1.0)});
  EXPECT_TRUE(straight.agree) << straight.verdict;
  EXPECT_TRUE(check_named(straight, "herk").asked);
}

// A spring turns the body round: there its speed vanishes, and what is left of the error of the step does not.
TEST(Verdict, JudgesASpeedByTheFastestThatItWas) {
  const Comparison result = compare(defect_model("stop-late"), {.duration = test::how_many(0.2, 1.0, 10.0)});
  EXPECT_TRUE(result.agree) << result.verdict;
}

// Locked but for 1e-4: nothing moves, and impulses leave what their sweeps leave, which has no order.
TEST(Verdict, AsksForNoOrderWhereImpulsesAreAsNearAsTheOthers) {
  const Comparison result =
      compare(defect_model("nearly-locked-parallelograms"), {.duration = test::how_many(0.1, 0.5, 1.0)});
  EXPECT_TRUE(result.agree) << result.verdict;
}

TEST(RowCheck, EveryExampleIsSound) {
  for (const EmbeddedExample& example : embedded_examples()) {
    const Model model = example_model(std::string(example.name));
    Simulation simulation(model);
    for (int i = 0; i < 3; ++i) simulation.step(0.001);
    for (const RowFault& fault : check_rows(model, simulation.bodies()))
      ADD_FAILURE() << example.name << ": " << fault.block << ": " << fault.what << " by " << fault.error;
  }
}

// A machine of micrometres or kilometres, fast or slow: the same rows are right and wrong.
TEST(RowCheck, DoesNotDependOnUnits) {
  const std::vector<RowFault> faults = check_rows(wrong_bias(), start_state(wrong_bias()));
  ASSERT_EQ(faults.size(), 1U);
  for (const double size : {1e-6, 1e-3, 1e3, 1e6})
    for (const double pace : {1e-3, 1.0, 1e3}) {
      const Model model = wrong_bias(size, pace);
      const std::vector<RowFault> same = check_rows(model, start_state(model));
      ASSERT_EQ(same.size(), 1U) << size << ", " << pace;
      EXPECT_EQ(same[0].what, faults[0].what);
      EXPECT_NEAR(same[0].error / faults[0].error, 1.0, 1e-9) << size << ", " << pace;
    }
}

}  // namespace
}  // namespace tandem
