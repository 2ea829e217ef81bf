// Rows on joint coordinates through Rows: coupler, constant speed and every drive, by duals.
#include "support/pair_model.hpp"
#include "tandem/dynamics/kinematics.hpp"

namespace tandem::test {
namespace {

// World, a, b, c in a chain of joints with seven scalar coordinates; the poses are general, so the joints gape.
class Chain : public testing::Test {
 public:
  Random random{2024};
  Builder build;
  State state;

  Chain() {
    for (const char* name : {"a", "b", "c"}) build.body(general_body(name, random, near_identity()));
    join("hinge", Revolute{}, "world", "a");
    join("tube", Cylindrical{}, "a", "b");
    join("cross", Universal{}, "b", "c");
    join("screw", sample<Helical>(), "world", "c");
    join("table", Planar{}, "a", "c");
    join("float", Free{}, "world", "b");
  }
  Pose<double> near_identity() { return {random.rotation<double>(0.4), random.vec3<double>(0.5)}; }
  void join(const char* name, const Joint& joint, const char* first, const char* second) {
    build.joint({.name = name,
                 .type = joint,
                 .bodies = {first, second},
                 .frames = std::array{placement_of(near_identity()), placement_of(near_identity())}});
  }
  void check() {
    const Model model = build.finish();
    state = start_state(model);
    state.t = 0.83;
    check_rows_by_duals(model, state, 1e-11);
  }
};

TEST_F(Chain, CouplerAndConstantSpeed) {
  build.constraint({.name = "gear",
                    .type = Coupler{.coordinates = {{"hinge", ""}, {"tube", "angle"}, {"cross", "second"}},
                                    .coefficients = {2.0, -0.7, 1.3}}});
  build.constraint({.name = "rack",
                    .type = Coupler{.coordinates = {{"tube", "displacement"}, {"screw", ""}, {"float", "y"}},
                                    .coefficients = {1.0, 0.2, -0.4},
                                    .offset = 0.9}});
  build.constraint({.name = "motor", .type = ConstantSpeed{.coordinate = {"cross", "first"}, .speed = 1.7}});
  check();
  const Model model = build.finish();
  const Equations<double> e = equations(model, state);
  EXPECT_NEAR(e.phi[model.rows - 3], 0.0, 1e-14);     // the offset comes from the assembled pose
  EXPECT_EQ(e.phi[model.rows - 1], 0.0);              // no position to keep
  EXPECT_NEAR(e.phi_t[model.rows - 1], -1.7, 1e-15);  // J v = speed
}

template <class T> class Drives : public Chain {};
TYPED_TEST_SUITE(Drives, Types<AllDrives>::Each, CaseName);

TYPED_TEST(Drives, MoveTheirCoordinate) {
  const CoordinateName coordinates[] = {{"hinge", ""},      {"tube", "displacement"}, {"cross", "second"},
                                        {"screw", "angle"}, {"table", "y"},           {"float", "z"}};
  for (const CoordinateName& coordinate : coordinates)
    this->build.drive({.name = coordinate.joint, .type = sample<TypeParam>(), .coordinate = coordinate});
  this->check();
  // J y = b is q̈ = q̈_A(t): the row's right side exceeds that of a held coordinate by the acceleration.
  const Model model = this->build.finish();
  const Jet<double> motion = sample<TypeParam>().template motion<double>(this->state.t);
  const Equations<double> e = equations(model, this->state);
  Kinematics<double> kinematics(model);
  kinematics.update(model, this->state.t, this->state.q(), this->state.v(), this->state.angles());
  for (int i = 0; i < 6; ++i) {
    const ModelDrive& drive = model.drives[static_cast<std::size_t>(i)];
    const JointMotion<double>& joint = kinematics.joint(drive.coordinate.joint);
    const int row = model.rows - 6 + i;
    EXPECT_NEAR(e.phi_t[row], -motion.rate, 1e-14);
    EXPECT_NEAR((e.J * this->state.v())[row], joint.v[drive.coordinate.coordinate], 1e-12);
  }
}

// Angles count their turns: a joint that stands beyond half a turn starts on a coupler without a gap.
TEST(Coupler, StartsWithoutAGapOnAnyTurn) {
  for (const double angle : {0.0, 0.5 * pi, pi, -pi, 3.0, 9.5, -20.0}) {
    SCOPED_TRACE(angle);
    const Pose<double> X_FM = sample<Helical>().pose<double>(VecUpTo7<double>::Constant(1, angle));
    Random random(1);
    Builder build;
    build.body(general_body("a", random, X_FM));
    build.body(general_body("b", random, X_FM));
    build.joint({.name = "screw",
                 .type = sample<Helical>(),
                 .bodies = {"world", "a"},
                 .frames = std::array<FramePlacement, 2>{}});
    build.joint(
        {.name = "hinge", .type = Revolute{}, .bodies = {"world", "b"}, .frames = std::array<FramePlacement, 2>{}});
    build.constraint(
        {.name = "gear", .type = Coupler{.coordinates = {{"screw", ""}, {"hinge", ""}}, .coefficients = {1.0, -2.5}}});
    const Model model = build.finish();
    const State state = start_state(model);
    EXPECT_NEAR(equations(model, state).phi[10], 0.0, 1e-12);
    EXPECT_NEAR(state.angles()[0], angle, 1e-12);  // the screw knows its turns
  }
}

}  // namespace
}  // namespace tandem::test
