// Rolling and gliding by plain geometry. Each mutant below has rows that are consistent in themselves (their biases are
// the derivatives of their rows), so that methods, cuts, coordinates, herk, impulses, energy and duals all agree on it.
#include "tandem/compare/contact_check.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/example_model.hpp"
#include "support/read_text.hpp"
#include "tandem/compare/compare.hpp"
#include "tandem/tandem.hpp"

namespace tandem {
namespace {

// The contact row of a wheel, the rolling rows of a larger one.
struct WheelWithAWrongArm {
  static constexpr std::string_view type = "wheel_with_a_wrong_arm";
  static constexpr int holonomic = 1, nonholonomic = 2;
  static constexpr Placement placement = Placement::rolling_body;
  static constexpr auto row_names = Wheel::row_names;
  Wheel right{}, wrong{};

  ContactGeometry contact_geometry() const { return right.contact_geometry(); }
  template <class S> void rows(const Relative<S>& x, const S& t, PairRows<S>& rows) const {
    PairRows<S> contact;
    contact.resize(3);
    right.rows<S>(x, t, contact);
    wrong.rows<S>(x, t, rows);
    rows.phi[0] = contact.phi[0];
    rows.T.col(0) = contact.T.col(0);
    rows.bias[0] = contact.bias[0];
  }
};

// Turned about the normal of its body.
struct KnifeEdgeWithAWrongDirection : KnifeEdge {
  static constexpr std::string_view type = "knife_edge_with_a_wrong_direction";
  double angle = 0.0;

  template <class S> void rows(const Relative<S>& x, const S& t, PairRows<S>& rows) const {
    Relative<S> turned = x;
    turned.R.col(0) = std::cos(angle) * x.R.col(0) + std::sin(angle) * x.R.col(1);
    KnifeEdge::rows<S>(turned, t, rows);
  }
};

// A sign of ω × r is wrong.
struct BallThatRollsBackwards : RollingBall {
  static constexpr std::string_view type = "ball_that_rolls_backwards";

  template <class S> void rows(const Relative<S>& x, const S& t, PairRows<S>& rows) const {
    RollingBall::rows<S>(x, t, rows);
    rows.T(1, 1) = -rows.T(1, 1);
  }
};

// Touches the plane where its normal is vertical in the body, not in the world.
struct StoneOnAWrongPoint : RollingSurface<Ellipsoid> {
  static constexpr std::string_view type = "stone_on_a_wrong_point";

  template <class S> void rows(const Relative<S>& x, const S& t, PairRows<S>& rows) const {
    RollingSurface<Ellipsoid>::rows<S>(x, t, rows);
    const S c = S(surface.semi_axes[2]);
    const Vec3<S> s = -c * x.R.col(2), s_dot = x.w.cross(s);
    for (int row = 1; row < 3; ++row) {
      const Vec3<S> e = Vec3<S>::Unit(row - 1);
      rows.T.col(row).template head<3>() = s.cross(e);
      rows.bias[row] = x.w.cross(s_dot)[row - 1];
    }
  }
};

// Holds the disc up, but lets it slide across.
struct WheelThatSlidesAcross {
  static constexpr std::string_view type = "wheel_that_slides_across";
  static constexpr int holonomic = 1, nonholonomic = 1;
  static constexpr Placement placement = Placement::rolling_body;
  static constexpr std::array<std::string_view, 2> row_names{"contact", "longitudinal"};
  Wheel wheel{};

  template <class S> void rows(const Relative<S>& x, const S& t, PairRows<S>& rows) const {
    PairRows<S> all;
    all.resize(3);
    wheel.rows<S>(x, t, all);
    for (int row = 0; row < 2; ++row) {
      rows.phi[row] = all.phi[row];
      rows.T.col(row) = all.T.col(row);
      rows.bias[row] = all.bias[row];
    }
  }
};

const char* const ball_text = R"(format = 1
[[body]]
name = "globe"
mass = 2
inertia = [0.02, 0.03, 0.04]
position = [0, 0, 0.3]
velocity = [0.6, 0.3, 0]
angular_velocity = [-1, 2, 0.5]
[[constraint]]
name = "ground"
type = "rolling_ball"
bodies = ["world", "globe"]
radius = 0.3
[simulation]
step = 0.005
duration = 1
)";

Model ball_model() {
  Faults faults;
  return compile(read(ball_text), faults);
}

Model with_constraint(Model model, const std::string& name, Constraint constraint) {
  const auto at = static_cast<std::size_t>(model.constraint(name));
  std::get<PairConstraint>(model.constraints[at].what).constraint = std::move(constraint);
  return model;
}

struct Mutant {
  const char* name;
  const char* constraint;
  Model model;
};

std::vector<Mutant> mutants() {
  const Wheel disc{.radius = 0.5};
  KnifeEdgeWithAWrongDirection edge;
  edge.angle = 0.1;
  BallThatRollsBackwards ball;
  ball.radius = 0.3;
  StoneOnAWrongPoint stone;
  stone.surface.semi_axes = Vector3(0.2, 0.03, 0.02);
  return {{"wheel", "contact",
           with_constraint(example_model("rolling-disc"), "contact",
                           WheelWithAWrongArm{.right = disc, .wrong = {.radius = 0.505}})},
          {"crown", "contact",
           with_constraint(example_model("rolling-disc"), "contact",
                           WheelWithAWrongArm{.right = disc, .wrong = {.radius = 0.5, .crown = 0.01}})},
          {"edge", "edge", with_constraint(example_model("chaplygin-sleigh"), "edge", edge)},
          {"ball", "ground", with_constraint(ball_model(), "ground", ball)},
          {"stone", "contact", with_constraint(example_model("rattleback"), "contact", stone)}};
}

TEST(ContactCheck, FindsAWrongRollingRowThatAllOtherChecksPass) {
  for (const Mutant& mutant : mutants()) {
    const Comparison result = compare(mutant.model, {.duration = 0.2});
    EXPECT_FALSE(result.agree) << mutant.name;
    EXPECT_EQ(result.cause, "contact") << mutant.name << ": " << result.verdict;
    EXPECT_NE(result.verdict.find("constraint \"" + std::string(mutant.constraint) + "\""), std::string::npos)
        << result.verdict;
    for (const Check& check : result.checks)
      EXPECT_EQ(check.passed, check.name != "contact") << mutant.name << ", " << check.name << ": " << check.detail;
  }
}

// The rows themselves are looked at, so it takes no motion to find it.
TEST(ContactCheck, FindsAWrongRowAtRest) {
  for (const Mutant& mutant : mutants()) {
    State state = start_state(mutant.model);
    state.v().setZero();
    EXPECT_TRUE(check_contacts(mutant.model, state).empty()) << mutant.name;  // nothing moves, nothing slips
    const std::vector<ContactFault> faults = check_contact_rows(mutant.model, state);
    ASSERT_FALSE(faults.empty()) << mutant.name;
    EXPECT_EQ(faults.front().block, "constraint \"" + std::string(mutant.constraint) + "\"");
    EXPECT_GT(faults.front().error, 1e-3) << mutant.name;
  }
}

TEST(ContactCheck, FindsADiscThatDoesNotTouchThePlane) {
  WheelWithAWrongArm raised{.right = {.radius = 0.5}, .wrong = {.radius = 0.5}};
  Model model = with_constraint(example_model("rolling-disc"), "contact", raised);
  State state = start_state(model);
  EXPECT_TRUE(check_contacts(model, state).empty());
  state.q()[6] += 1e-6;  // the height of the only body
  const std::vector<ContactFault> faults = check_contacts(model, state);
  ASSERT_FALSE(faults.empty());
  EXPECT_EQ(faults.front().what, "what should touch the plane is off it");
  EXPECT_NEAR(faults.front().error, 1e-6 / model.scale.of_body[0], 1e-11);
}

TEST(ContactCheck, SaysWhatItDoesNotCover) {
  Model model = example_model("rolling-disc");
  EXPECT_EQ(contact_cover(model).checked, 1);
  EXPECT_TRUE(contact_cover(model).not_checked.empty());
  Builder build("slider");
  build.body({.name = "disc",
              .mass = 1.0,
              .inertia = std::array{0.1, 0.2, 0.1, 0.0, 0.0, 0.0},
              .position = Vector3(0, 0, 0.5),
              .velocity = Vector3(1, 0, 0),
              .angular_velocity = Vector3(0, 2, 0)});
  build.constraint({.name = "slick",
                    .type = WheelThatSlidesAcross{.wheel = {.radius = 0.5}},
                    .bodies = {"world", "disc"},
                    .axis = Vector3(0, 1, 0)});
  model = build.finish();
  EXPECT_EQ(contact_cover(model).checked, 0);
  EXPECT_EQ(contact_cover(model).not_checked, std::vector<std::string>{"constraint \"slick\""});
  const Comparison result = compare(model, {.duration = 0.05});
  const auto contact = std::find_if(result.checks.begin(), result.checks.end(),
                                    [](const Check& check) { return check.name == "contact"; });
  ASSERT_NE(contact, result.checks.end());
  EXPECT_FALSE(contact->asked);
  EXPECT_NE(contact->detail.find("constraint \"slick\""), std::string::npos) << contact->detail;
}

// Every built-in constraint with rows of velocities declares what touches the plane.
template <class... C> void expect_declared(TypeList<C...>) {
  (
      [] {
        if constexpr (C::nonholonomic > 0) {
          EXPECT_TRUE(requires(const C& c) { c.contact_geometry(); }) << C::type;
        }
      }(),
      ...);
}
TEST(ContactCheck, EveryRollingConstraintDeclaresItsGeometry) { expect_declared(AllConstraints{}); }

TEST(ContactCheck, PassesOnEveryExample) {
  int checked = 0;
  for (const EmbeddedExample& example : embedded_examples()) {
    const Model model = example_model(std::string(example.name));
    checked += contact_cover(model).checked;
    Simulation simulation(model);
    for (int i = 0; i < 3; ++i) simulation.step(0.001);
    for (const auto& faults :
         {check_contacts(model, simulation.bodies()), check_contact_rows(model, simulation.bodies())})
      for (const ContactFault& fault : faults)
        ADD_FAILURE() << example.name << ": " << fault.block << ": " << fault.what << " by " << fault.error;
  }
  EXPECT_EQ(checked, 8);  // of six examples
}

// A disc that rolls on a body which moves itself: the plane's material point counts too.
TEST(ContactCheck, PassesOnAPlaneThatMoves) {
  Builder build("tray");
  build.body({.name = "tray",
              .mass = 5.0,
              .inertia = std::array{1.0, 1.0, 1.0, 0.0, 0.0, 0.0},
              .velocity = Vector3(0.3, 0.1, 0.2),
              .angular_velocity = Vector3(0.2, -0.3, 0.4)});
  build.body({.name = "disc",
              .mass = 1.0,
              .inertia = std::array{0.1, 0.2, 0.1, 0.0, 0.0, 0.0},
              .position = Vector3(0.2, 0, 0.5),
              .velocity = Vector3(1, 0, 0),
              .angular_velocity = Vector3(0.3, 2, 0.1)});
  build.constraint(
      {.name = "contact", .type = Wheel{.radius = 0.5}, .bodies = {"tray", "disc"}, .axis = Vector3(0, 1, 0)});
  const Model model = build.finish();
  Simulation simulation(model);
  for (int i = 0; i < 20; ++i) {
    simulation.step(0.005);
    for (const auto& faults :
         {check_contacts(model, simulation.bodies()), check_contact_rows(model, simulation.bodies())})
      for (const ContactFault& fault : faults) ADD_FAILURE() << fault.what << " by " << fault.error;
  }
}

}  // namespace
}  // namespace tandem
