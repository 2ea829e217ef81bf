// Planar pendulums of 2 to 40 links, released from the horizontal.
// Reference: planar_pendulum_chains; quadruple precision, step halving agrees to 1e-18 or better. Chaotic: up to 1 s
// all digits are asked for, later the digits that the motion leaves.
#include "support/published.hpp"

namespace tandem {
namespace {

struct Links {
  int count;
  double length, mass;
  bool points = false;  // masses at the ends of massless rods
};

Model chain(const Links& links) {
  Builder build("chain");
  build.gravity({0, -9.81, 0});
  const double l = links.length, thin = links.points ? 0.0 : links.mass * l * l / 12.0;
  for (int i = 0; i < links.count; ++i) {
    const std::string name = std::to_string(i);
    build.body({.name = name,
                .mass = links.mass,
                .center = Vector3(links.points ? l : 0.5 * l, 0, 0),
                .inertia = std::array{0.0, thin, thin, 0.0, 0.0, 0.0},
                .position = {i * l, 0, 0}});
    build.joint({.name = "hinge" + name,
                 .type = Revolute{},
                 .bodies = {i == 0 ? "world" : std::to_string(i - 1), name},
                 .point = Vector3(i * l, 0, 0),
                 .axis = Vector3(0, 0, 1)});
  }
  return build.finish();
}

struct Hanging {
  double t;
  std::array<double, 2> tip;
  std::vector<double> angles, rates;  // of the links from the vertical, as many as the reference has
};

class ChainRun {
 public:
  ChainRun(const Model& model, const Links& links)
      : model_(model), tip_(model.point(std::to_string(links.count - 1), {links.length, 0, 0})), simulation(model) {}

  double angle(std::size_t link) {
    const Matrix3 R = simulation.pose(body(link)).R;
    return std::atan2(R(0, 0), -R(1, 0));
  }
  double rate(std::size_t link) { return simulation.velocity(body(link)).w.z(); }
  Vector3 tip() { return simulation.pose(tip_).p; }

 private:
  BodyFrame body(std::size_t link) const { return {model_.body(std::to_string(link)), {}}; }
  const Model& model_;
  BodyFrame tip_;

 public:
  Simulation simulation;
};

class Chains : public test::BothCuts {
 protected:
  struct Errors {
    test::Error tip, angle, rate;
  };
  static Errors compare(ChainRun& run, const Hanging& wanted) {
    go_to(run.simulation, wanted.t);
    Errors errors;
    errors.tip.see(run.tip(), {wanted.tip[0], wanted.tip[1], 0.0});
    for (std::size_t i = 0; i < wanted.angles.size(); ++i) errors.angle.see_angle(run.angle(i), wanted.angles[i]);
    for (std::size_t i = 0; i < wanted.rates.size(); ++i) errors.rate.see(run.rate(i), wanted.rates[i]);
    return errors;
  }
  // A bar for each time: of tip and angles, and of the rates.
  static void follow(const Links& links, const std::vector<Hanging>& reference,
                     const std::vector<std::array<double, 2>>& bars) {
    const Model model = precise(chain(links));
    ChainRun run(model, links);
    for (std::size_t i = 0; i < (test::shortened() ? 1 : reference.size()); ++i) {
      const Errors errors = compare(run, reference[i]);
      EXPECT_LE(errors.tip.largest(), bars[i][0]) << "tip at " << reference[i].t;
      EXPECT_LE(errors.angle.largest(), bars[i][0]) << "angles at " << reference[i].t;
      EXPECT_LE(errors.rate.largest(), bars[i][1]) << "rates at " << reference[i].t;
    }
  }
};

TEST_P(Chains, TwoPointMasses) {
  follow({2, 1.0, 1.0, true},
         {{1.0,
           {-1.4448188499434758, -1.3217944613814645},
           {-0.6250876998063907, -1.0345850856800123},
           {-3.9222795728879767, -1.3030992486963313}},
          {2.0,
           {-1.4341248174642767, -1.129870195647158},
           {-0.4829715342517544, -1.3240487123023625},
           {3.0652881920734014, 2.949271547571619}},
          {3.0,
           {1.876250850682071, -0.22403849791281738},
           {1.7857955220774167, 1.1181074612051554},
           {0.3279806195144561, -0.5044551039453119}},
          {5.0,
           {-1.5507784694704427, -1.0759127348126525},
           {-0.6271867050665307, -1.3013155502098117},
           {2.1254086738429105, 3.8818887272656073}},
          {10.0,
           {-1.0407657832461705, -1.7073476624693273},
           {-0.5684746640159501, -0.5263937279324047},
           {6.078384885761965, -9.68136068170888}}},
         {{1e-13, 5e-13}, {2e-13, 5e-13}, {4e-13, 5e-13}, {5e-13, 2e-12}, {2e-11, 4e-11}});
}

TEST_P(Chains, TwoRods) {
  follow({2, 1.0, 1.0},
         {{1.0,
           {-1.6621151358161277, -1.0414666371932246},
           {-1.207716238190638, -0.8143910230912964},
           {-3.4065175329719577, -0.5160454721052089}},
          {2.0,
           {0.31352477645018156, -1.9147466175623054},
           {-0.08275830682057085, 0.40736207491190723},
           {-0.9611454445459985, 11.898955053045295}},
          {3.0,
           {1.330436825144049, -1.398644860519204},
           {1.025086012288729, 0.4957346476269754},
           {-4.59335710547498, 1.18432088061423}},
          {5.0,
           {1.8552219377580892, -0.7395679325467959},
           {1.1385437966718797, 1.2443799277502559},
           {4.910950024004454, -5.424710593158876}},
          {10.0,
           {-1.6558674241800306, -0.5284454810249524},
           {-0.7444070885090411, -14.345719734713967},
           {-4.035171320493371, 4.896814078173598}}},
         {{1e-13, 2e-12}, {5e-13, 3e-12}, {2e-12, 2e-12}, {5e-11, 4e-11}, {1e-8, 5e-8}});
}

TEST_P(Chains, ThreeRods) {
  follow({3, 1.0, 1.0},
         {{0.5,
           {2.4419603519059545, -1.1969596039082222},
           {0.6196485491969406, 1.0506483116515115, 1.6851771611747954},
           {-1.656489945825681, -4.334716264178762, -0.5391249730994133}},
          {1.0,
           {-1.7235510295120882, -2.2995878854140206},
           {-0.23534690227389327, -0.7771528564705273, -0.9093720655986927},
           {-3.5203979636504132, -3.2424482238504266, -0.3984466188340983}},
          {2.0,
           {-1.9457796523927082, -0.0747020157134559},
           {-0.5184985370790168, -1.4739587130023384, -2.6693460163735576},
           {1.2279559045367165, 4.165774105519941, -3.569498059942795}},
          {3.0,
           {1.6951360338675017, 0.7158816254739849},
           {0.7647345371596997, 2.029868499767769, 3.035064743538509},
           {0.6004941777028366, 2.8060928870010025, -3.0958505047543494}},
          {5.0,
           {-1.505177618424723, -1.139973051288435},
           {-1.7295409718888748, -1.176678053937226, 0.41761807526040484},
           {0.4008689540402226, 2.4227916009846457, 2.794177184567296}}},
         {{5e-14, 3e-13}, {5e-14, 5e-13}, {3e-13, 5e-13}, {5e-12, 1e-11}, {3e-11, 1e-10}});
}

TEST_P(Chains, TenRods) {
  follow({10, 0.1, 0.1},
         {{0.1,
           {0.9908841562386639, -0.04904971230844012},
           {1.160786780903381, 1.4472453183685463, 1.6066625471434184, 1.5665010463907305, 1.5701876828662815,
            1.5713751193213954, 1.5705569350288695, 1.5708759194951356, 1.5707720630694484, 1.5708048535316086},
           {-4.677596374636384, -6.038931924938831, 0.14386321343178698, 0.5176436383280439, -0.25567883342301034,
            0.087061260776344, -0.025471732887156668, 0.006938803599060884, -0.0018654665656978517,
            0.0006109359579619872}},
          {0.25,
           {0.8774625247754898, -0.30665667115790096},
           {0.6530151462151789, 0.7322644754029386, 0.8127551798648849, 0.9905076495486683, 1.2161124684542397,
            1.598017225270698, 1.6168641526568082, 1.54667476181398, 1.5788759092881655, 1.5679776906137817},
           {-2.6582711360427376, -3.388036258216861, -4.336323120431718, -6.100691529904368, -9.389161503320128,
            -6.704697590429049, 4.018053549974715, -1.0577976984214292, 0.1748194404897357, -0.021300133432584314}},
          {0.5,
           {-0.2646451120018376, -0.8635467547502828},
           {0.04316938682087527, -0.07842155331928519, 0.022730664547500154, 0.03157121780399744, -0.19325454296502295,
            -0.0809580782982126, -0.106530853119455, -0.4937464629965462, -1.0058408908847083, -1.3162074418197616},
           {-4.684487035562296, -2.634011103018855, -0.12735414174597626, -7.104676527148305, -9.550079801016391,
            5.431330613968324, -12.203978026406833, -18.955215458403668, -12.010632840796216, -1.1940168189923408}},
          {0.75,
           {-0.90844521187591, -0.3839787609987679},
           {-1.3833485418478142, -1.4519753624913014, -1.2486181700983252, -1.0925583189629098, -1.2535337576269219,
            -1.2541699597395133, -1.0061949389494387, -1.1151931365055556, -0.9492095064309832, -0.9553700140624336},
           {-6.529891920907578, -4.678077065703193, -8.379900822255243, -1.833389321085096, 9.187646171543957,
            -11.07944880111367, 3.7145197846182576, -1.1202895683941423, 0.8392243802070576, 1.4450537759840698}},
          {1.0,
           {-0.89431685236128, -0.14656506474688336},
           {-0.924936709294026, -1.2374257835120521, -1.8413694567732275, -2.1494406949721325, -1.778652705482484,
            -1.8546887549383704, -1.0618102051655123, -1.37611463559838, -1.0916286473406007, -0.8018491093798434},
           {0.9963656228551198, 9.982400381703192, 3.727507221632151, -1.140318402244543, -0.6329722547576258,
            -8.426020282863865, -4.323735301192576, 4.2648526363681984, -5.132266645373965, 0.9818681353450027}}},
         {{5e-14, 1e-12}, {5e-14, 2e-12}, {1e-13, 4e-12}, {2e-13, 1e-11}, {3e-13, 1e-11}});
}

TEST_P(Chains, FortyRods) {
  const Links links{40, 0.025, 0.025};
  const double reference[][6] = {
      // t, tip, angles of the first, the twentieth and the last link
      {0.1, 0.9904061298042084, -0.04905, 1.0710073014290888, 1.570796428220448, 1.5707963267948966},
      {0.25, 0.8773080287525656, -0.3065625001715777, 0.6316473988721872, 1.579344747231595, 1.5707963062906323},
      {0.4, 0.4666875963480475, -0.7848667909996179, 0.2730183381185172, 0.3665033803760989, 1.561785796451466},
  };
  const Model model = precise(chain(links));
  ChainRun run(model, links);
  for (const auto& [t, x, y, first, middle, last] : reference) {
    go_to(run.simulation, t);
    test::Error tip, angle;
    tip.see(run.tip(), {x, y, 0.0});
    angle.see(run.angle(0), first);
    angle.see(run.angle(20), middle);
    angle.see(run.angle(39), last);
    EXPECT_LE(tip.largest(), 1e-14) << t;
    EXPECT_LE(angle.largest(), 3e-13) << t;
  }
}

// Chaos takes digits, a smaller tolerance brings them back.
TEST_P(Chains, LaterDigitsComeWithTheTolerance) {
  const Links links{2, 1.0, 1.0};
  double before = 1.0;
  for (const double tolerance : {1e-7, 1e-9, 1e-11, 1e-13}) {
    if (test::shortened() && tolerance < 1e-9) break;
    const Model model = precise(chain(links), tolerance);
    ChainRun run(model, links);
    go_to(run.simulation, 10.0);
    const double error = (run.tip() - Vector3(-1.6558674241800306, -0.5284454810249524, 0.0)).norm();
    EXPECT_LE(error, 0.2 * before) << tolerance;
    before = error;
  }
}

TANDEM_ON_BOTH_CUTS(Chains);

}  // namespace
}  // namespace tandem
