// IFToMM A01, the simple pendulum: a point mass on a massless rod, released from the horizontal.
// Reference: iftomm_a01_simple_pendulum; Gonzalez et al., Multibody Syst. Dyn. 16 (2006); closed form in Jacobi
// elliptic functions, 40 digits. The published bar is 5e-5 J of energy in 10 s.
#include "support/published.hpp"

namespace tandem {
namespace {

constexpr double pendulum_reference[][6] = {
    // t, x, y, vx, vy, tension of the rod
    {0.5, -0.3910487915505464, -0.9203699487851922, 3.9110480039555524, -1.6617346075474144, 27.086487592748206},
    {1.0, 0.9862917511318753, -0.16501085312554117, 0.2969055159163158, 1.7746436411126556, 4.856269407484676},
    {2.0, -0.7935661953433217, -0.6084839304437916, -2.102437874436126, 2.7419353930105093, 17.907682072960785},
    {3.0, 0.1766517899228382, -0.9842734097378926, 4.325368674538742, 0.7762925533433997, 28.96716644858618},
    {4.0, 0.5775636282486314, -0.8163456714678389, -3.2670865745707705, -2.311460012299246, 24.025053111298497},
    {5.0, -0.9423054350437573, -0.3347543384140006, 0.8579042568859491, -2.4149286543704886, 9.851820179524037},
    {6.0, 0.9994975399393528, -0.03169649278992706, -0.02499575832338751, -0.7882007362367837, 0.9328277828075535},
    {7.0, -0.9986187791754798, -0.052540782998298716, -0.0533450728427387, 1.0139055506456327, 1.5462752436399312},
    {8.0, 0.9198579831077385, -0.39225156585151255, 1.0881694534505062, 2.551835214621803, 11.543963583010015},
    {9.0, -0.49837370905755896, -0.8669623095153627, -3.5756074003064944, 2.0554396686755, 25.514700769037123},
    {9.99, -0.3164364699130323, -0.9486137045757765, 4.092451991494021, -1.3651511202403046, 27.917701325665103},
    {10.0, -0.2750874625761169, -0.961419205099125, 4.175598100951729, -1.1947490545604753, 28.29456720606725},
};

Model by_distance() {
  Builder build("pendulum");
  build.gravity({0, -9.81, 0});
  build.body({.name = "mass", .mass = 1.0, .point_mass = true, .position = {-1, 0, 0}});
  build.constraint({.name = "rod",
                    .type = Distance{},
                    .bodies = {"world", "mass"},
                    .points = {Vector3(0, 0, 0), Vector3(-1, 0, 0)}});
  return build.finish();
}

Model by_hinge() {
  Builder build("pendulum");
  build.gravity({0, -9.81, 0});
  build.body(
      {.name = "mass", .mass = 1.0, .inertia = std::array{0.0, 0.0, 0.0, 0.0, 0.0, 0.0}, .position = {-1, 0, 0}});
  build.joint({.name = "rod",
               .type = Revolute{},
               .bodies = {"world", "mass"},
               .point = Vector3(0, 0, 0),
               .axis = Vector3(0, 0, 1)});
  return build.finish();
}

class Pendulum : public test::BothCuts {
 protected:
  static void follow(const Model& model) {
    Simulation simulation(model);
    const BodyFrame mass = model.point("mass", Vector3::Zero());
    test::Error position, velocity, tension, energy;
    for (const auto& [t, x, y, vx, vy, pull] : pendulum_reference) {
      go_to(simulation, t);
      position.see(simulation.pose(mass).p, {x, y, 0});
      velocity.see(simulation.velocity(mass).v, {vx, vy, 0});
      tension.see(simulation.reaction("rod").force, pull * Vector3(-x, -y, 0));
      energy.see(simulation.energy().total(), 0.0);
    }
    EXPECT_LE(position.largest(), 5e-12);
    EXPECT_LE(velocity.largest(), 2e-11);
    EXPECT_LE(tension.largest(), 1e-10);
    EXPECT_LE(energy.largest(), 2e-12);
  }
};

TEST_P(Pendulum, AsAPointAtADistance) { follow(precise(by_distance())); }
TEST_P(Pendulum, AsABodyOnAHinge) { follow(precise(by_hinge())); }

TEST_P(Pendulum, SwingsBackInOnePeriod) {
  const Model model = precise(by_distance());
  Simulation simulation(model);
  go_to(simulation, 2.3678419475762373 / 4.0);  // lowest, fastest, most tension: 3 m g
  EXPECT_NEAR(simulation.reaction("rod").force.norm(), 29.43, 1e-12);
  go_to(simulation, 2.3678419475762373);
  const BodyFrame mass = model.point("mass", Vector3::Zero());
  EXPECT_LE((simulation.pose(mass).p - Vector3(-1, 0, 0)).norm(), 1e-13);
  EXPECT_LE(simulation.velocity(mass).v.norm(), 5e-13);
}

TANDEM_ON_BOTH_CUTS(Pendulum);

}  // namespace
}  // namespace tandem
