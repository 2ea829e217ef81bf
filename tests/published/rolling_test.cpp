// Rolling and sliding: the thin disc, the spinning coin, Euler's disc, the Chaplygin sleigh.
// References: rolling_disc (Neimark and Fufaev; Schwab and Meijaard, Multibody Syst. Dyn. 10 (2003); two formulations
// that agree to 1e-14), chaplygin_sleigh (closed form, position by 40-digit quadrature).
#include "support/published.hpp"
#include "tandem/math/euler312.hpp"

namespace tandem {
namespace {

class Rolling : public test::BothCuts {};

struct Disc {
  double t, yaw, lean, spin;
  std::array<double, 2> contact;
};
struct DiscState : Disc {
  std::array<double, 3> center, u, force;  // u along heading, axis and the direction across both
};

class DiscRun {
 public:
  explicit DiscRun(const Model& model) : simulation(model), body_{model.body("disc"), {}} {}
  Vec3<double> angles() { return euler312_of<double>(simulation.pose(body_).R); }
  Vector3 center() { return simulation.pose(body_).p; }
  Vector3 contact() { return simulation.reaction("contact").point; }
  Vector3 force() { return simulation.reaction("contact").force; }
  Vector3 u() {
    const Vec3<double> p = angles();
    return (rotation_about_z(p[0]) * rotation_about_x(p[1])).transpose() * simulation.velocity(body_).w;
  }
  void compare(const Disc& wanted, test::Error& angle, test::Error& place) {
    angle.see_angle(angles()[0], wanted.yaw);
    angle.see(angles()[1], wanted.lean);
    angle.see_angle(angles()[2], wanted.spin);
    place.see(contact(), {wanted.contact[0], wanted.contact[1], 0.0});
  }
  Simulation simulation;

 private:
  BodyFrame body_;
};

TEST_P(Rolling, DiscFollowsTheReference) {
  const DiscState reference[] = {
      {{0.5, -0.36792921704419085, 0.1962467634764398, 3.1133637977190682, {1.489565755023149, -0.40734428217920254}},
       {1.454498449028029, -0.4983141240319922, 0.49040266304693236},
       {0.07799655829615505, 5.974369937931679, 0.251827525027035},
       {-2.314904259719359, -6.041613662332386, 37.33142427524854}},
      {{1.0, -0.7740813690681213, 0.28293634210699936, 6.237600876322638, {2.84569621289174, -1.1511490826830213}},
       {2.748115742640867, -1.2509635259407246, 0.48011991079601474},
       {-0.5634925914104757, 5.989815589531744, -0.7908278280463821},
       {-4.763368457919393, -5.2973956881081925, 39.37767316634114}},
      {{2.0, -1.2248168000629396, 0.20138575321580107, 12.364210802578848, {4.509361197414029, -3.658567678974555}},
       {4.415273997513898, -3.6924841351978634, 0.48989516512434067},
       {0.2328677371509544, 5.973611950898352, 0.19065608513588717},
       {-6.087007755184972, -2.225701043976787, 37.33155921144342}},
      {{3.0, -1.8101180819236167, 0.3255561865090682, 18.53220275032395, {4.607585158148498, -6.6890027002408665}},
       {4.4522250792963405, -6.6510951580168145, 0.4737364923051453},
       {0.2559628460391797, 6.01972939271651, -1.316745612011288},
       {-7.676675014596402, 2.104376834628886, 42.063875272432114}},
      {{4.0, -2.5411955382553093, 0.2450259193744991, 24.75284630552995, {2.8993458895768507, -9.228577303514603}},
       {2.8308202408965784, -9.128498944829854, 0.4850655188692703},
       {-0.5599664682944147, 5.975647183447838, -0.3314813046834781},
       {-3.8854344557977107, 5.4554566688523565, 37.940208119824895}},
      {{5.0, -2.9494918962404313, 0.22541140557797135, 30.867958242592803, {0.13337865106691413, -10.397280058109924}},
       {0.11204247693628225, -10.287582041777522, 0.4873511186877512},
       {0.4798506094319194, 5.972852906491814, -0.09611483917179234},
       {-1.2241940963451492, 6.455129842035769, 37.53106811975552}},
  };
  const Model model = precise(example_model("rolling-disc"));
  DiscRun run(model);
  test::Error angle, place, rate, force, energy;
  for (const DiscState& wanted : reference) {
    go_to(run.simulation, wanted.t);
    run.compare(wanted, angle, place);
    place.see(run.center(), test::vector(wanted.center));
    rate.see(run.u(), test::vector(wanted.u));
    force.see(run.force(), test::vector(wanted.force));
    energy.see(run.simulation.energy().total(), 46.02495191664439);
  }
  EXPECT_LE(angle.largest(), 2e-13);
  EXPECT_LE(place.largest(), 1e-12);
  EXPECT_LE(rate.largest(), 5e-13);
  EXPECT_LE(force.largest(), 2e-12);
  EXPECT_LE(energy.largest(), 5e-13);
}

TEST_P(Rolling, CoinFollowsTheReference) {
  const double lean = -pi / 180.0, turn = 10.0 * pi, radius = 0.01;
  const Disc reference[] = {
      {0.1,
       3.1613502374028326,
       -0.14700829568076354,
       0.24552677884211072,
       {-0.0014551832483463345, 0.0014070838046036844}},
      {0.2,
       6.546797245259372,
       -0.25323713196649716,
       1.3942140001793704,
       {0.0007707284189030639, -0.005307686230847757}},
      {0.3,
       9.832874772429436,
       -0.07543839243602177,
       2.2304610095442428,
       {0.0010102564200036516, 0.00023663624335402964}},
      {0.4,
       12.976954331071802,
       -0.03772722919951423,
       2.3095899827510604,
       {0.0007586495838992138, -0.000229550214377139}},
      {0.5,
       16.193849755499386,
       -0.2191279551531812,
       2.872551623452027,
       {-0.0025969231036023785, 0.0020049470207619898}},
      {1.0,
       32.634912185328375,
       -0.12644443304609101,
       6.7066761723328705,
       {0.0012933783807289846, -0.002971005660766657}},
      {2.0,
       65.09388767031706,
       -0.26056720023264623,
       12.650418309893428,
       {0.0035219082102762936, 0.0019362097624008405}},
      {4.0,
       130.1783694070641,
       -0.017582178581666764,
       25.26161402836844,
       {0.0008983799507154993, -0.0012037401308316422}},
  };
  const Model model = precise(example_model("rolling-disc", {{"m", 1.0},
                                                             {"r", radius},
                                                             {"lean", lean},
                                                             {"u1", 0.0},
                                                             {"u2", turn * std::sin(lean)},
                                                             {"u3", turn * std::cos(lean)}}));
  DiscRun run(model);
  test::Error angle, place;
  for (const Disc& wanted : reference) {
    go_to(run.simulation, wanted.t);
    run.compare(wanted, angle, place);
  }
  EXPECT_LE(angle.largest(), 5e-12);
  EXPECT_LE(place.largest(), 2e-14);
}

TEST_P(Rolling, DiscStaysOnItsSteadyCircle) {
  const double lean = 20.0 * pi / 180.0, yaw_rate = 1.5, radius = 1.2004485406527903;
  const Model model = precise(example_model(
      "rolling-disc", {{"lean", lean}, {"u1", 0.0}, {"u2", -3.0883154069698673}, {"u3", yaw_rate * std::cos(lean)}}));
  DiscRun run(model);
  test::Error angle, place;
  for (int i = 1; i <= 4; ++i) {
    const double t = 0.5 * pi * i / yaw_rate;
    go_to(run.simulation, t);
    const Vector3 on_circle(-radius * std::sin(yaw_rate * t), -radius * (1.0 - std::cos(yaw_rate * t)), 0.0);
    run.compare({t, yaw_rate * t, lean, -3.6013456219583704 * t, {on_circle.x(), on_circle.y()}}, angle, place);
  }
  EXPECT_LE(angle.largest(), 5e-12);
  EXPECT_LE(place.largest(), 5e-12);
}

// Lying nearly flat with its centre at rest; the face turns slowly, the contact fast.
TEST_P(Rolling, EulersDiscPrecessesAboutItsRestingCentre) {
  const double reference[][3] = {{0.1, 28.03764482995491, 0.1400714395638701},
                                 {0.05, 39.62643298103295, 0.04952272270261261},
                                 {0.01, 88.58967660809027, 0.0044294469181623015}};
  for (const auto& [tilt, precession, face_rate] : reference) {
    const double lean = 0.5 * pi - tilt;
    const Model model = precise(
        example_model("rolling-disc", {{"lean", lean}, {"u1", 0.0}, {"u2", 0.0}, {"u3", precession * std::sin(tilt)}}));
    DiscRun run(model);
    EXPECT_NEAR(run.simulation.energy().total(), 1.5 * 4.0 * 9.81 * 0.5 * std::sin(tilt), 1e-13);
    const Vector3 center = run.center();
    test::Error face, place;
    for (int i = 1; i <= 4; ++i) {
      const double t = 0.5 * pi * i / precession;
      go_to(run.simulation, t);
      face.see_angle(run.angles()[0] + run.angles()[2], face_rate * t);
      place.see(run.center(), center);
    }
    EXPECT_LE(face.largest(), 1e-14) << tilt;
    EXPECT_LE(place.largest(), 1e-14) << tilt;
  }
}

// Straight rolling: lean¨ = s² lean, when the turn rate is the one that goes with the lean.
TEST_P(Rolling, StraightRollingIsStableAboveTheCriticalSpeed) {
  const double reference[][2] = {{0.5, 13.296}, {1.0, 6.096}, {1.5, -5.904}, {2.0, -22.704}, {3.0, -70.704}};
  const double lean = 1e-5;
  for (const auto& [speed, square] : reference) {
    const double u2 = speed / 0.5;
    const Model model =
        precise(example_model("rolling-disc", {{"lean", lean}, {"u1", 0.0}, {"u2", u2}, {"u3", -2.0 * u2 * lean}}));
    Simulation simulation(model);
    // In axes that do not spin with the disc, whose spin is u₂ to first order.
    const Vector3 w_dot = simulation.solution().y.head<3>();
    EXPECT_NEAR((w_dot.x() + u2 * (-2.0 * u2 * lean)) / lean, square, 1e-7) << speed;
  }
}

TEST_P(Rolling, SleighFollowsTheClosedForm) {
  const double reference[][7] = {
      // t, speed, turn rate, heading, x, y, lateral force to the left
      {0.5, 0.3713234295317196, 1.7857588775393503, 0.962944308581753, 0.07484254691555747, 0.05666139258596141,
       0.5070719670247137},
      {1.0, 0.6174490042109901, 1.3256668182218527, 1.7444855231635774, 0.11553879797436976, 0.30035914273081454,
       0.6259359728674265},
      {2.0, 0.7912706419429016, 0.5630315590322482, 2.649967228536312, -0.34289011263612673, 0.8348746799221793,
       0.34068438005554574},
      {5.0, 0.8245202038944668, 0.03128929245783123, 3.2060260056199925, -2.761294367361044, 1.0612195170531018,
       0.01972838231538705},
      {10.0, 0.8246211189471556, 0.00024478491178803505, 3.2380272673414527, -6.8674967586805815, 0.6902879820964878,
       0.00015435955895178784},
  };
  const Model model = precise(example_model("chaplygin-sleigh"));
  Simulation simulation(model);
  const BodyFrame edge = model.point("sleigh", Vector3::Zero());
  test::Error rate, heading, place, force;
  for (const auto& [t, speed, turn, angle, x, y, lateral] : reference) {
    go_to(simulation, t);
    const Vector3 ahead(std::cos(angle), std::sin(angle), 0.0), left(-ahead.y(), ahead.x(), 0.0);
    rate.see(simulation.velocity(edge).v, speed * ahead);
    rate.see(simulation.rate("ice", "angle"), turn);
    heading.see(simulation.coordinate("ice", "angle"), angle);
    place.see(simulation.pose(edge).p, {x, y, 0.0});
    force.see(simulation.reaction("edge").force, lateral * left);
  }
  EXPECT_LE(rate.largest(), 2e-13);
  EXPECT_LE(heading.largest(), 3e-13);
  EXPECT_LE(place.largest(), 2e-12);
  EXPECT_LE(force.largest(), 1e-13);
}

TANDEM_ON_BOTH_CUTS(Rolling);

}  // namespace
}  // namespace tandem
