// IFToMM A02, N four-bar linkages in a row: it passes singular positions, where all rods lie on one line, ten times in
// ten seconds, and must stay on its branch.
// Reference: iftomm_a02_n_four_bar; Gonzalez et al., Multibody Syst. Dyn. 16 (2006); Bayo and Avello (1994); closed
// form of the branch, 40 digits. Fixed steps; with error control: physics/error_control_test.cpp.
#include "support/published.hpp"

namespace tandem {
namespace {

Model n_four_bar(int loops) {
  Builder build("n-four-bar");
  build.gravity({0, -9.81, 0});
  const auto rod = [&](const std::string& name, const Vector3& centre, const Vector3& along, const Vector3& velocity,
                       const Vector3& spin) {
    build.body({.name = name,
                .mass = 1.0,
                .inertia = std::array{along.x() > 0.5 ? 1e-3 : 1.0 / 12.0, along.x() > 0.5 ? 1.0 / 12.0 : 1e-3,
                                      1.0 / 12.0, 0.0, 0.0, 0.0},
                .position = centre,
                .velocity = velocity,
                .angular_velocity = spin});
  };
  const auto hinge = [&](const std::string& name, const std::string& a, const std::string& b, const Vector3& at) {
    build.joint({.name = name, .type = Revolute{}, .bodies = {a, b}, .point = at, .axis = Vector3(0, 0, 1)});
  };
  for (int i = 0; i <= loops; ++i)
    rod("crank" + std::to_string(i), Vector3(i, 0.5, 0), {0, 1, 0}, {0.5, 0, 0}, {0, 0, -1});
  for (int i = 0; i < loops; ++i)
    rod("coupler" + std::to_string(i), Vector3(i + 0.5, 1, 0), {1, 0, 0}, {1, 0, 0}, {0, 0, 0});
  for (int i = 0; i <= loops; ++i)
    hinge("A" + std::to_string(i), "world", "crank" + std::to_string(i), Vector3(i, 0, 0));
  for (int i = 0; i < loops; ++i) {
    hinge("B" + std::to_string(i), "crank" + std::to_string(i), "coupler" + std::to_string(i), Vector3(i, 1, 0));
    hinge("C" + std::to_string(i), "crank" + std::to_string(i + 1), "coupler" + std::to_string(i),
          Vector3(i + 1, 1, 0));
  }
  return build.finish();
}

struct Branch {
  double t, x, y, vx, vy;  // tip of the first crank
};
const Branch one[] = {
    {0.5, 0.7015126789104769, 0.7126569731138861, 1.98589819011429, -1.9548433705817587},
    {1.0, -0.2607126751836504, -0.9654164391590732, -6.6378094961217515, 1.7925539703889306},
    {2.0, 0.07708547179286708, 0.9970244881839518, 1.031356872689423, -0.079739898127168},
    {4.0, 0.15895550425711777, 0.9872857477277617, 1.125395047766197, -0.18119145112531923},
    {5.0, -0.9449081860429539, -0.3273354853189835, -1.8589308912627245, 5.366112429670042},
    {6.0, 0.2503560563065217, 0.9681538333708366, 1.2806688798806596, -0.3311696955070596},
    {8.0, 0.3557306931279107, 0.9345885051544002, 1.4895031193991153, -0.5669468157994259},
    {9.99, 0.46126785133005366, 0.8872609364382924, 1.69611445117047, -0.8817733728274738},
    {10.0, 0.47838505776097057, 0.8781501787912093, 1.7272640755471536, -0.9409521793715157},
};
const Branch two[] = {
    {0.5, 0.6952866331644005, 0.7187325634357417, 1.9602054253718333, -1.8962611405865766},
    {1.0, -0.1950203019494351, -0.9807992056621738, -6.6766780368811585, 1.3275783251604871},
    {2.0, 0.05781579576801143, 0.9983272678634555, 1.0172601366204366, -0.05891224871344565},
    {4.0, 0.11761610237680861, 0.9930591384513251, 1.0690392650289686, -0.12661504916672028},
    {5.0, -0.8113104610051074, -0.5846155453489755, -3.5691173971932093, 4.953105171313327},
    {6.0, 0.18138112622340818, 0.9834128772036331, 1.1551142876921736, -0.21304981384230176},
    {8.0, 0.2510559146283013, 0.967972586249294, 1.2743121057406743, -0.3305089377254819},
    {9.99, 0.31436672846350944, 0.9493016169980698, 1.3953396891916703, -0.4620748193536126},
    {10.0, 0.3284581115408154, 0.944518538178601, 1.4230514702069441, -0.49486884548704296},
};
const Branch forty[] = {
    {0.5, 0.6879259707907727, 0.7257808613566309, 1.9291623112747427, -1.8285420937057935},
    {1.0, -0.1153568806321099, -0.9933241113004502, -6.669987523941772, 0.7746000986623434},
    {2.0, 0.03446630730040716, 0.9994058603295629, 1.0059511728141093, -0.03469203416516176},
    {4.0, 0.06934203222799917, 0.9975929443247337, 1.0238043879877687, -0.07116397251092174},
    {5.0, -0.5401900506755263, -0.841543052464443, -5.436369112578549, 3.489628365197338},
    {6.0, 0.10503646944431178, 0.9944683705813243, 1.0535497978857127, -0.1112766925799718},
    {8.0, 0.14195804135022544, 0.9898726759013038, 1.0951401972236754, -0.15705449921649645},
    {9.99, 0.1691120697113401, 0.9855968282609004, 1.131751965197339, -0.19418986724228207},
    {10.0, 0.1805122266867284, 0.9835727405823116, 1.1484412774694142, -0.21077006677942392},
};

struct Errors {
  test::Error position, velocity, alike, energy;
};

// All cranks must do the same: that is the branch.
template <std::size_t n> Errors follow(int loops, const char* method, double h, const Branch (&reference)[n]) {
  Model model = n_four_bar(loops);
  model.setup.method = method;
  Simulation simulation(model);
  const double energy = simulation.energy().total();
  Errors errors;
  for (const auto& [t, x, y, vx, vy] : reference) {
    if (test::shortened() && simulation.state().t > 0.9) break;  // behind the first of the singular positions, at 0.7 s
    advance(simulation, t, h);
    for (int i = 0; i <= loops; ++i) {
      const BodyFrame tip = model.point("crank" + std::to_string(i), {0, 0.5, 0});
      (i == 0 ? errors.position : errors.alike).see(simulation.pose(tip).p, {i + x, y, 0.0});
      if (i == 0) errors.velocity.see(simulation.velocity(tip).v, {vx, vy, 0.0});
    }
    errors.energy.see_relative(simulation.energy().total(), energy);
  }
  return errors;
}

class NFourBar : public ::testing::TestWithParam<const char*> {};

TEST_P(NFourBar, OneLoopStaysOnItsBranch) {
  const Errors errors = follow(1, GetParam(), 0.001, one);
  EXPECT_LE(errors.position.largest(), 2e-9);
  EXPECT_LE(errors.velocity.largest(), 1e-8);
  EXPECT_LE(errors.alike.largest(), 2e-9);
  EXPECT_LE(errors.energy.largest(), 1e-10);
}

TEST_P(NFourBar, TwoLoopsStayOnTheirBranch) {
  const Errors errors = follow(2, GetParam(), 0.001, two);
  EXPECT_LE(errors.position.largest(), 2e-9);
  EXPECT_LE(errors.velocity.largest(), 1e-8);
  EXPECT_LE(errors.alike.largest(), 2e-9);
  EXPECT_LE(errors.energy.largest(), 1e-10);
}

TEST_P(NFourBar, FortyLoopsStayOnTheirBranch) {
  const Errors errors = follow(40, GetParam(), 0.001, forty);
  EXPECT_LE(errors.position.largest(), 5e-8);
  EXPECT_LE(errors.velocity.largest(), 2e-7);
  EXPECT_LE(errors.alike.largest(), 5e-8);
  EXPECT_LE(errors.energy.largest(), 1e-8);
}

// Steps land near the singular positions by chance; few lengths land nowhere near, so many are tried.
TEST_P(NFourBar, WhereverTheStepsLand) {
  for (int steps = 4500; steps < 5500; steps += test::how_many(999, 99, 99)) {
    const Errors errors = follow(2, GetParam(), 10.0 / steps, {two[8]});
    EXPECT_LE(errors.position.largest(), 1e-6) << steps;
  }
}

INSTANTIATE_TEST_SUITE_P(Cuts, NFourBar, ::testing::Values("lagrange", "articulated"),
                         [](const auto& each) { return std::string(each.param); });

TEST(NFourBarCounts, RedundantRowsOfAPlanarMachineInSpace) {
  const Counts counts = count(n_four_bar(2));
  EXPECT_EQ(counts.dof, 1);
  EXPECT_EQ(counts.redundant, 6);  // three a loop
}

}  // namespace
}  // namespace tandem
