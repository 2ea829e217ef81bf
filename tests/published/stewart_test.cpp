// A Stewart platform on six massless legs whose lengths are functions of time: the pose follows, and so do the forces.
// Reference: stewart_platform; exact pose, 6 × 6 balance of wrenches in 80-bit arithmetic.
#include <fmt/format.h>

#include "support/published.hpp"

namespace tandem {
namespace {

constexpr double degree = pi / 180.0;
constexpr double base_angles[6] = {-10, 10, 110, 130, 230, 250}, platform_angles[6] = {-50, 50, 70, 170, 190, 290};

Vector3 on_circle(double radius, double degrees) {
  return {radius * std::cos(degrees * degree), radius * std::sin(degrees * degree), 0.0};
}

// |p(t) + R(t) b − a|, written out.
TimeFunction leg_length(const Vector3& a, const Vector3& b) {
  const std::string roll = "(0.1*sin(2*t))", pitch = "(0.15*sin(t))", yaw = "(0.2*sin(2*t))";
  const auto number = [](double x) { return fmt::format("({:.17g})", x); };
  // Ry Rx b, then Rz.
  const std::string y = fmt::format("({0}*cos{1})", number(b.y()), roll),
                    z = fmt::format("({0}*sin{1})", number(b.y()), roll);
  const std::string x1 = fmt::format("({0}*cos{1} + {2}*sin{1})", number(b.x()), pitch, z);
  const std::string z1 = fmt::format("({2}*cos{1} - {0}*sin{1})", number(b.x()), pitch, z);
  const std::string dx = fmt::format("0.05*sin(2*t) + cos{0}*{1} - sin{0}*{2} - {3}", yaw, x1, y, number(a.x()));
  const std::string dy = fmt::format("0.04*sin(3*t) + sin{0}*{1} + cos{0}*{2} - {3}", yaw, x1, y, number(a.y()));
  const std::string dz = fmt::format("0.6 + 0.03*(1 - cos(2*t)) + {}", z1);
  const std::vector<std::string> names{"t"};
  return TimeFunction(
      std::get<Expression>(Expression::parse(fmt::format("sqrt(({})^2 + ({})^2 + ({})^2)", dx, dy, dz), names)));
}

std::string leg_name(int i) { return "leg" + std::to_string(i + 1); }

Model platform() {
  Builder build("stewart platform");
  build.body({.name = "platform",
              .mass = 10.0,
              .inertia = std::array{0.3, 0.3, 0.5, 0.0, 0.0, 0.0},
              .position = {0, 0, 0.6},
              .velocity = {0.1, 0.12, 0.0},
              .angular_velocity = {0.2, 0.15, 0.4}});
  for (int i = 0; i < 6; ++i) {
    const Vector3 a = on_circle(0.5, base_angles[i]), b = on_circle(0.3, platform_angles[i]);
    build.constraint({.name = leg_name(i),
                      .type = Distance{.length = leg_length(a, b)},
                      .bodies = {"world", "platform"},
                      .points = {a, b + Vector3(0, 0, 0.6)}});
  }
  return build.finish();
}

struct Platform {
  double t;
  std::array<double, 3> position, roll_pitch_yaw, velocity, spin;  // spin in world axes
  std::array<double, 6> length, length_rate, push;
};

const Platform stewart_reference[] = {
    {0.0,
     {0.0, 0.0, 0.6},
     {0.0, 0.0, 0.0},
     {0.1, 0.12, 0.0},
     {0.2, 0.15, 0.4},
     {0.6857015874739584, 0.6857015874739584, 0.6857015874739584, 0.6857015874739584, 0.6857015874739584,
      0.6857015874739584},
     {-0.19048459713862667, 0.05248863596302971, -0.013364235555089834, 0.050010407789329143, 0.03511396047355965,
      0.06623582846779802},
     {18.934296752823414, 18.88453501336599, 18.91928821135627, 18.90723117355524, 18.941559514177833,
      18.896702061661365}},
    {0.25,
     {0.02397127693021015, 0.027265550400933366, 0.6036725231432888},
     {0.0479425538604203, 0.03711059388817844, 0.0958851077208406},
     {0.08775825618903726, 0.08780266426485851, 0.02876553231625218},
     {0.16067569697767223, 0.16146133853988745, 0.34452099770794103},
     {0.6458226191434087, 0.7022300706749693, 0.6875093417687438, 0.7024156238558575, 0.6978079047000811,
      0.7069810475841066},
     {-0.12225503783195932, 0.07296426768996439, 0.027281583630155818, 0.08458488643114767, 0.05809970149504729,
      0.09534563206627082},
     {26.408593477053792, 15.858469005098613, 19.407529190594627, 21.845579501587718, 16.534959331658587,
      12.63371828760209}},
    {0.5,
     {0.042073549240394824, 0.03989979946416218, 0.6137909308239559},
     {0.08414709848078965, 0.07191383079063045, 0.1682941969615793},
     {0.05403023058681397, 0.008488464200124349, 0.05048825908847379},
     {0.08420903949043415, 0.14783104146193535, 0.20835657701414656},
     {0.6258793103929302, 0.7188029929948289, 0.6982075398275306, 0.7276238026589597, 0.7129070518816887,
      0.728769459567968},
     {-0.03764027044095506, 0.05406912136733808, 0.05500841964708542, 0.11466578457446404, 0.059522697505040204,
      0.07091461979262675},
     {30.895741787263375, 14.282053286492985, 19.401843895874823, 22.608449501772572, 15.71110097808484,
      8.138543882886369}},
    {1.0,
     {0.04546487134128408, 0.005644800322394689, 0.6424844050964142},
     {0.09092974268256816, 0.12622064772118446, 0.18185948536513633},
     {-0.04161468365471424, -0.11879909959205345, 0.054557845609540905},
     {-0.0958634035061135, 0.06477582717606684, -0.15598134212583667},
     {0.6442894671541327, 0.7271921954856352, 0.72795601094083, 0.7855363728765284, 0.7376970698984927,
      0.7381315666850841},
     {0.10354668689440465, -0.01701699577391693, 0.051724692791458436, 0.09401612762648572, 0.041206418221648264,
      -0.027362647044214206},
     {27.299105680700922, 18.090489421383598, 17.19084060825397, 15.960945190121066, 21.128533924628513,
      9.388472279557709}},
    {2.0,
     {-0.037840124765396416, -0.011176619927957035, 0.6496093086259084},
     {-0.07568024953079283, 0.13639461402385225, -0.15136049906158566},
     {-0.06536436208636119, 0.11522043439804393, -0.0454081497184757},
     {-0.13744603704415342, -0.042179716932862515, -0.24368198859237805},
     {0.7631303409459096, 0.6877848551634179, 0.7069825844912399, 0.7480733777828532, 0.7837494052425759,
      0.7044671821492661},
     {0.0413622601301175, -0.04087808303048949, -0.08920523079957718, -0.14009507763693976, 0.040811073348863275,
      -0.016384292683188747},
     {9.112068963225747, 19.66275166282065, 20.160295621158625, 17.66510906270334, 15.905801401096825,
      26.320197807363392}},
    {3.0,
     {-0.013970774909946294, 0.01648473940967026, 0.601194891400489},
     {-0.027941549819892587, 0.021168001208980082, -0.055883099639785175},
     {0.0960170286650366, -0.10933563142616123, -0.01676492989193555},
     {0.183397068050224, -0.15899053040562425, 0.3800034410710073},
     {0.6997337575366651, 0.6794231804801033, 0.6757864594504732, 0.675496390384047, 0.709478449152512,
      0.6837400366464234},
     {-0.10691599297177852, 0.035739334371996834, 0.05954134650021219, 0.05374653521200043, -0.1740219976895259,
      0.0009340015638614781},
     {17.947004805526767, 17.08742463543486, 20.545130052321742, 22.262643572209555, 14.504289620930008,
      20.870039021263324}},
};

class Stewart : public test::BothCuts {};

TEST_P(Stewart, FollowsItsLegsAndFeelsTheirForces) {
  const Model model = precise(platform());
  Simulation simulation(model);
  const BodyFrame body{model.body("platform"), {}};
  test::Error pose, velocity, length, force;
  for (const Platform& wanted : stewart_reference) {
    go_to(simulation, wanted.t);
    const Pose<double> X = simulation.pose(body);
    const Twist<double> V = simulation.velocity(body);
    pose.see(X.p, test::vector(wanted.position));
    pose.see(std::atan2(X.R(2, 1), X.R(2, 2)), wanted.roll_pitch_yaw[0]);
    pose.see(std::asin(-X.R(2, 0)), wanted.roll_pitch_yaw[1]);
    pose.see(std::atan2(X.R(1, 0), X.R(0, 0)), wanted.roll_pitch_yaw[2]);
    velocity.see(V.v, test::vector(wanted.velocity));
    velocity.see(V.w, test::vector(wanted.spin));
    for (int i = 0; i < 6; ++i) {
      const auto k = static_cast<std::size_t>(i);
      const Vector3 arm = X.R * on_circle(0.3, platform_angles[i]), leg = X.p + arm - on_circle(0.5, base_angles[i]);
      length.see(leg.norm(), wanted.length[k]);
      velocity.see(leg.normalized().dot(V.v + V.w.cross(arm)), wanted.length_rate[k]);
      force.see(simulation.reaction(leg_name(i)).force, wanted.push[k] * leg.normalized());
    }
  }
  EXPECT_LE(pose.largest(), 5e-14);
  EXPECT_LE(velocity.largest(), 2e-14);
  EXPECT_LE(length.largest(), 5e-14);
  EXPECT_LE(force.largest(), 2e-12);
}

TANDEM_ON_BOTH_CUTS(Stewart);

}  // namespace
}  // namespace tandem
