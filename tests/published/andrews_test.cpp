// Andrews' squeezing mechanism: seven bodies, three loops, up to 1145 rad/s.
// Reference: andrews_squeezer; Test Set for IVP Solvers, problem Andrews; Hairer and Wanner, Solving ODEs II, VII.7.
// The widely copied solution at 0.03 s is good to 9 or 10 digits only; these numbers are the recomputed ones: the same
// equations in 128-bit arithmetic at 0.03 s, an independent model in 80-bit arithmetic elsewhere.
#include "support/published.hpp"

namespace tandem {
namespace {

using Seven = std::array<double, 7>;
// In the order of the reference: β, θ, γ, φ, δ, ω, ε.
constexpr const char* joints[7] = {"motor",       "crank_pin", "plate_pivot", "upper_pin",
                                   "upper_pivot", "lower_pin", "lower_pivot"};
constexpr const char* parameters[7] = {"beta", "theta", "gamma", "phi", "delta", "omega", "epsilon"};

struct Squeezer {
  double t;
  Seven q, rate;
  std::array<double, 2> F;  // the crank pin
};

class Andrews : public test::BothCuts {
 protected:
  struct Errors {
    test::Error angle, rate, place, energy;  // parts of the largest angle and of the largest rate; metres
  };
  template <std::size_t n> static Errors follow(const Seven& start, const Squeezer (&reference)[n]) {
    std::vector<std::pair<std::string, double>> set;
    for (std::size_t i = 0; i < 7; ++i) set.emplace_back(parameters[i], start[i]);
    const Model model = precise(example_model("squeezer", set));
    Simulation simulation(model);
    const double energy = simulation.energy().total();
    const BodyFrame pin = model.point("rod", Vector3::Zero());
    Errors errors;
    for (const Squeezer& wanted : reference) {
      go_to(simulation, wanted.t);
      const auto largest = [](const Seven& x) { return std::max(std::abs(x[0]), std::abs(x[1])); };
      for (std::size_t i = 0; i < 7; ++i) {
        const double scale = std::max(1.0, largest(wanted.q));
        errors.angle.see((start[i] + simulation.coordinate(joints[i])) / scale, wanted.q[i] / scale);
        errors.rate.see(simulation.rate(joints[i]) / largest(wanted.rate), wanted.rate[i] / largest(wanted.rate));
      }
      errors.place.see(simulation.pose(pin).p, {wanted.F[0], wanted.F[1], 0.0});
      // What the motor puts in.
      errors.energy.see_relative(simulation.energy().total() - 0.033 * simulation.coordinate("motor"), energy);
    }
    return errors;
  }
};

constexpr Seven start_angles = {
    -0.06171389001427645, 0, 0.45527981916307037, 0.22266839016588588, 0.48736497954384256, -0.22266839016588588,
    1.2305474445498212};

TEST_P(Andrews, FollowsTheRecomputedSeries) {
  const Squeezer reference[] = {
      {0.005,
       {0.21107638590326666, -0.20158717093408013, 0.44911519001151434, 0.21025079793001447, 0.48874376546193515,
        -0.21025079793001447, 1.2258667940349073},
       {151.01070126923435, -110.4673331143686, -6.682659880912358, -13.427125804932292, 1.47852776983969,
        13.427125804932293, -5.044979345042518},
       {0.006844641754253787, 0.0014665876229961957}},
      {0.01,
       {2.1601131315315265, -1.8833642311070442, 0.1585167580012267, -0.3286410751746703, 0.5251547747977294,
        0.3286410751746702, 1.068427204632401},
       {711.923152831104, -786.7700808599396, -136.4381913781197, -240.29302926786454, 4.791548225371055,
        240.29302926786454, -41.1405669616105},
       {-0.003890552388649431, 0.005819244118541016}},
      {0.015,
       {5.655429749991794, -5.833796765108832, 0.42589192575237783, 0.16401283757260515, 0.49367652696864445,
        -0.16401283757260526, 1.2087125419091949},
       {441.7019932552524, -375.35949712887435, 46.63421226488549, 92.03152208827697, -9.501516255917513,
        -92.03152208827699, 33.69062862357234},
       {0.005665434415839355, -0.004111307928120076}},
      {0.02,
       {8.184905889661675, -7.890505363730447, 0.20953691338469813, -0.23832559659585023, 0.5225369171559964,
        0.23832559659585006, 1.0862751085998734},
       {726.558342609127, -748.6324206323279, -145.73923758440458, -259.50079947677483, 9.79050185516311,
        259.50079947677483, -57.7574717427461},
       {-0.0022744209241604913, 0.0066201970861705425}},
      {0.025,
       {12.10714923444766, -12.257030103575485, 0.4409733555830117, 0.19394516605445553, 0.4905195446815898,
        -0.1939451660544558, 1.2197667718104293},
       {587.4597890778033, -477.5571472642632, 43.07000570007451, 85.9778417967862, -9.259472882671798,
        -85.97784179678622, 32.02302709216545},
       {0.00627478524952557, -0.0031027520159265603}},
      {0.03,
       {15.810771195153706, -15.756371058411833, 0.040822240119645546, -0.5347301163420802, 0.524409965879954,
        0.53473011634208, 1.048080741041938},
       {1139.9203022591062, -1424.37929517754, 11.032911910616916, 19.29337410502909, 0.5735699148294168,
        -19.29337410502909, 0.32317914924909946},
       {-0.006963039427046853, -0.000718388430719088}},
      {0.035,
       {19.761503414451358, -19.5729578364865, 0.38460231558016217, 0.08368871928093001, 0.5014855238152953,
        -0.08368871928093026, 1.1800706991055168},
       {748.3473105890484, -583.5192358707505, -101.00702494711089, -193.8428149989032, 17.670002935451848,
        193.84281499890326, -67.15730107566279},
       {0.004285449235466289, 0.005534882550717892}},
      {0.04,
       {24.375304972013367, -24.571161222743083, 0.41062917626511675, 0.13405733008966078, 0.4967021496731842,
        -0.13405733008966075, 1.1978483112192622},
       {783.0850044853505, -689.7016091009485, 101.50514253220105, 198.14802483058548, -19.56937546193483,
        -198.14802483058543, 71.17406209995985},
       {0.005086198911145656, -0.004809426227343625}},
      {0.045,
       {29.162549312057468, -29.28455349020356, 0.11863660088090616, -0.39867312431956514, 0.5260267140794463,
        0.39867312431956553, 1.058020192936666},
       {1083.813913374249, -1284.187400337366, 189.03386447767588, 331.1465308495253, -1.5645054516750383,
        -331.1465308495252, 41.39601135757857},
       {-0.004415584339038445, -0.005431630965450287}},
      {0.05,
       {33.825867766954545, -33.58343151746389, 0.11339507381259621, -0.4078528656018889, 0.5260604449169961,
        0.4078528656018896, 1.0569024294349632},
       {1144.5355026538539, -1336.0337226512056, -190.9370686042928, -334.3170608708613, 0.8758650829427385,
        334.31706087086144, -39.617288978351205},
       {-0.005208504722296835, 0.004676695260310593}},
  };
  const Errors errors = follow(start_angles, reference);
  EXPECT_LE(errors.angle.largest(), 1e-13);
  EXPECT_LE(errors.rate.largest(), 1e-12);
  EXPECT_LE(errors.place.largest(), 1e-14);
  EXPECT_LE(errors.energy.largest(), 1e-13);
}

// The variant of IFToMM A03 starts with β = -0.062.
TEST_P(Andrews, FollowsTheSeriesOfIftommA03) {
  const Squeezer reference[] = {
      {0.01,
       {2.1533813401990143, -1.8759309127105253, 0.15980838109924297, -0.32636603605348147, 0.5251088729760263,
        0.3263660360534814, 1.0688183114124516},
       {709.9528894449398, -783.2821164200718, -136.37413758995956, -240.23326430608464, 4.903616521139422,
        240.23326430608464, -41.46744393653527},
       {-0.0038512905936274222, 0.0058453024526911295}},
      {0.02,
       {8.178115005483418, -7.883515067625805, 0.21089918254230566, -0.23589953320078527, 0.5224448351138454,
        0.23589953320078527, 1.086816613527307},
       {724.9046532959757, -745.4537653555896, -145.42682684257497, -259.0365194459798, 9.890600597646271,
        259.0365194459798, -57.98113165370794},
       {-0.002229411834531663, 0.0066354896482513}},
      {0.03,
       {15.800174670662727, -15.743129380967053, 0.040733697125381475, -0.5348849528458107, 0.5244053593807245,
        0.5348849528458108, 1.0480781581340426},
       {1140.1039755504726, -1424.7902720411962, 8.018019090535109, 14.021270115045459, 0.4174498076080195,
        -14.021270115045446, 0.23292477563915964},
       {-0.006970260781768035, -0.0006445654614905043}},
      {0.04,
       {24.36806492575056, -24.564778144237422, 0.4096859804714662, 0.13221671834037663, 0.4968836768760249,
        -0.1322167183403762, 1.1971875741454336},
       {782.4159682965592, -690.498794904688, 102.43916246414284, 199.84125844673267, -19.681402995499745,
        -199.84125844673258, 71.69445470062452},
       {0.005051245442674798, -0.0048461241707014775}},
      {0.05,
       {33.8153407213602, -33.5711553782194, 0.11515852759154487, -0.404764941308142, 0.5260512563221521,
        0.40476494130814256, 1.0572717559075686},
       {1140.942733447116, -1329.180879086409, -191.91026311679173, -336.0744173759465, 1.1194367971677577,
        336.0744173759465, -40.565106960042066},
       {-0.005158985250188789, 0.004731265284079357}},
  };
  const Errors errors = follow({-0.062, 0.00021458685379951544, 0.4552798121003702, 0.22266837590302746,
                                0.4873649811406328, -0.22266837590302746, 1.2305474391566007},
                               reference);
  EXPECT_LE(errors.angle.largest(), 1e-13);
  EXPECT_LE(errors.rate.largest(), 1e-12);
  EXPECT_LE(errors.place.largest(), 1e-14);
  EXPECT_LE(errors.energy.largest(), 1e-13);
}

TEST_P(Andrews, AccelerationsAndForcesAtTheEnd) {
  const Seven q = {15.810771195153707, -15.756371058411839, 0.0408222401196458, -0.5347301163420796,
                   0.524409965879954,  0.5347301163420796,  1.048080741041938};
  const Seven rate = {1139.9203022591062, -1424.3792951775401, 11.032911910618594, 19.29337410503204,
                      0.5735699148295025, -19.29337410503204,  0.3231791492491309};
  const Seven acceleration = {-24631.763122874636, 51850.31963646423,  324102.6007075786, 566749.4220009954,
                              16743.635418345446,  -566749.4220009954, 9826.507801544163};
  // M q̈ = f − Gᵀλ: what the rod does to plate, upper and lower link, x and y each.
  const double lambda[6] = {199.17534810453864, -29.755309974971762, 23.06654361162215,
                            31.452725275771137, 22.64249478639438,   11.617392352611256};
  const Model model = precise(example_model("squeezer"));
  Simulation simulation(model);
  go_to(simulation, 0.03);
  test::Error angle, speed, change, force;
  for (std::size_t i = 0; i < 7; ++i) {
    angle.see((start_angles[i] + simulation.coordinate(joints[i])) / q[0], q[i] / q[0]);
    speed.see(simulation.rate(joints[i]) / rate[0], rate[i] / rate[0]);
    change.see(simulation.joint_acceleration(model.joint(joints[i]))[0] / acceleration[3],
               acceleration[i] / acceleration[3]);
  }
  int k = 0;
  for (const char* joint : {"rod_plate", "rod_upper", "rod_lower"}) {
    const Vector3 on_second = simulation.reaction(joint).force;
    force.see(on_second.x() / lambda[0], lambda[k++] / lambda[0]);
    force.see(on_second.y() / lambda[0], lambda[k++] / lambda[0]);
  }
  EXPECT_LE(angle.largest(), 5e-14);
  EXPECT_LE(speed.largest(), 3e-13);
  EXPECT_LE(change.largest(), 2e-12);
  EXPECT_LE(force.largest(), 5e-13);
}

TEST_P(Andrews, StartsWithThePublishedAccelerationsAndForces) {
  const Model model = precise(example_model("squeezer"));
  Simulation simulation(model);
  const Seven acceleration = {14222.443919954114, -10666.832939965585, 0, 0, 0, 0, 0};
  test::Error change, force;
  for (std::size_t i = 0; i < 7; ++i)
    change.see(simulation.joint_acceleration(model.joint(joints[i]))[0] / acceleration[0],
               acceleration[i] / acceleration[0]);
  force.see(simulation.reaction("rod_plate").force, {98.56687039624109, -6.122688344255662, 0.0});
  force.see(simulation.reaction("rod_upper").force, Vector3::Zero());
  force.see(simulation.reaction("rod_lower").force, Vector3::Zero());
  EXPECT_LE(change.largest(), 5e-14);
  EXPECT_LE(force.largest(), 1e-12);
}

TANDEM_ON_BOTH_CUTS(Andrews);

}  // namespace
}  // namespace tandem
