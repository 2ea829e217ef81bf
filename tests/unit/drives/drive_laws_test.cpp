// Every drive: its rate and acceleration are the derivatives of its own value, on double and duals.
#include "support/samples.hpp"

namespace tandem::test {
namespace {

template <class TheCase> class DriveLaws : public testing::Test {};
TYPED_TEST_SUITE(DriveLaws, Types<AllDrives>::WithScalars, CaseName);

TYPED_TEST(DriveLaws, RateAndAccelerationAreDerivatives) {
  using T = typename TypeParam::Type;
  using S = typename TypeParam::Scalar;
  const DriveKernelOf<T, S> drive{sample<T>()};
  const DriveKernelOf<T, Dual<S>> moving{sample<T>()};
  Random random(17);
  for (int i = 0; i < 20; ++i) {
    const S t = random.scalar<S>(0.0, 3.0);
    const Jet<S> jet = drive.motion(t);
    const Jet<Dual<S>> moved = moving.motion(Dual<S>(t, S(1.0)));
    EXPECT_TRUE(near(moved.value.value, jet.value, 1e-13));
    EXPECT_TRUE(near(jet.rate, moved.value.derivative, 1e-12));
    EXPECT_TRUE(near(jet.acceleration, moved.rate.derivative, 1e-12));
  }
  const Drive any = sample<T>();
  EXPECT_EQ(any.type(), T::type);
  EXPECT_TRUE(near(any.motion<S>(S(0.4)).value, drive.motion(S(0.4)).value, 0.0));
}

TEST(Drives, FillWhatIsLeftOpenFromTheStart) {
  EXPECT_EQ(Drive(Hold{}).at_start(0.7).motion(3.0).value, 0.7);
  EXPECT_EQ(Drive(Hold{.value = 0.2}).at_start(0.7).motion(3.0).value, 0.2);
  EXPECT_NEAR(Drive(ConstantSpeedDrive{.speed = 2.0}).at_start(0.7).motion(3.0).value, 6.7, 1e-15);
  EXPECT_NEAR(Drive(ConstantSpeedDrive{.speed = 2.0, .start = 1.0}).at_start(0.7).motion(3.0).value, 7.0, 1e-15);
  EXPECT_EQ(Drive(Ramp{.to = 2.0}).at_start(0.7).motion(-1.0).value, 0.7);
}

TEST(RampDrive, IsSmoothAndStays) {
  const Ramp ramp = sample<Ramp>();  // 0.2 → 1.5 within [0.25, 1.75]
  EXPECT_EQ(ramp.motion(0.0).value, 0.2);
  EXPECT_NEAR(ramp.motion(1.0).value, 0.85, 1e-14);  // half way at half time
  EXPECT_NEAR(ramp.motion(9.0).value, 1.5, 1e-15);
  for (const double end : {0.25, 1.75}) {
    const Jet<double> before = ramp.motion(end - 1e-9), after = ramp.motion(end + 1e-9);
    EXPECT_NEAR(before.value, after.value, 1e-12);
    EXPECT_NEAR(before.rate, after.rate, 1e-12);
    EXPECT_NEAR(before.acceleration, after.acceleration, 1e-6);
    EXPECT_NEAR(after.rate, 0.0, 1e-12);
  }
  double last = 0.2;  // never backwards
  for (int i = 0; i <= 200; ++i) {
    EXPECT_GE(ramp.motion(0.01 * i).value, last);
    last = ramp.motion(0.01 * i).value;
  }
}

TEST(OscillationDrive, HasItsFrequencyAndPhase) {
  const Oscillation drive = sample<Oscillation>();  // −0.1 + 0.4 cos(2π 1.7 t + 0.6)
  EXPECT_NEAR(drive.motion(0.0).value, -0.1 + 0.4 * std::cos(0.6), 1e-15);
  EXPECT_NEAR(drive.motion(0.3 + 1.0 / 1.7).value, drive.motion(0.3).value, 1e-14);
}

TEST(PolynomialDrive, LowestPowerFirst) {
  const Polynomial drive{.coefficients = {1.0, 2.0, 3.0}};
  EXPECT_NEAR(drive.motion(2.0).value, 17.0, 1e-14);
  EXPECT_NEAR(drive.motion(2.0).rate, 14.0, 1e-14);
  EXPECT_NEAR(drive.motion(2.0).acceleration, 6.0, 1e-14);
}

TEST(TableDriveTest, InterpolatesAndRefusesBadTables) {
  const TableDrive drive = sample<TableDrive>();
  for (const auto& row : drive.points) EXPECT_NEAR(drive.motion(row[0]).value, row[1], 1e-14);
  for (const double knot : {0.4, 0.9, 1.6}) {
    EXPECT_NEAR(drive.motion(knot - 1e-9).rate, drive.motion(knot + 1e-9).rate, 1e-6);
    EXPECT_NEAR(drive.motion(knot - 1e-9).acceleration, drive.motion(knot + 1e-9).acceleration, 1e-6);
  }
  const std::vector<std::vector<std::vector<double>>> bad{{{0.0, 1.0}}, {{0.0, 1.0}, {0.0, 2.0}}, {{0.0, 1.0}, {1.0}}};
  for (const auto& points : bad) {
    Faults faults;
    TableDrive::through(points).check(faults);
    EXPECT_TRUE(faults.any_error());
  }
}

const std::vector<std::vector<double>> step_of_a_millisecond{{0, 0}, {1, 0}, {1.001, 1}, {2, 1}, {3, 1}};

// Every warning about a table, in one text.
std::string warnings_of(const std::vector<std::vector<double>>& points, TableDrive::Between between) {
  Faults faults;
  TableDrive::through(points, between).check(faults);
  std::string all;
  for (const Fault& fault : faults.list()) all += fault.message;
  return all;
}

TEST(TableDriveTest, MonotoneStaysBetweenNeighbours) {
  using Between = TableDrive::Between;
  std::vector<std::vector<double>> wild{{0, 0.0}};
  Random random(5);
  for (int i = 0; i < 200; ++i)
    wild.push_back(
        {wild.back()[0] + std::pow(10.0, random.number(-4.0, 0.0)), std::round(4.0 * random.number(-1.0, 1.0))});
  for (const auto& points : {step_of_a_millisecond, wild}) {
    const TableDrive drive = TableDrive::through(points, Between::monotone);
    EXPECT_EQ(drive.knots().size(), points.size());
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
      const double t = points[i][0], h = points[i + 1][0] - t;
      const auto [low, high] = std::minmax(points[i][1], points[i + 1][1]);
      const double slack = 1e-12 * (1.0 + std::abs(low) + std::abs(high));
      for (int k = 0; k <= 50; ++k) {
        const Jet<double> jet = drive.motion(t + h * k / 50.0);
        EXPECT_GE(jet.value, low - slack);
        EXPECT_LE(jet.value, high + slack);
        const double uphill = points[i + 1][1] - points[i][1];
        if (k > 0 && k < 50) {
          EXPECT_GE(jet.rate * uphill, -1e-9 * std::abs(jet.rate));
        }
      }
      EXPECT_NEAR(drive.motion(t).value, points[i][1], slack);
      if (i > 0) {  // the speed is continuous, from the piece before
        const double before = points[i][0] - points[i - 1][0];
        const Jet<double> left = drive.motion(t - 1e-7 * before), right = drive.motion(t + 1e-7 * h);
        const double bend = before * std::abs(left.acceleration) + h * std::abs(right.acceleration);
        EXPECT_NEAR(left.rate, right.rate, 1e-6 * (1.0 + bend));
      }
    }
  }
  const TableDrive line = TableDrive::through({{0, 1}, {2, 5}}, Between::monotone);
  EXPECT_NEAR(line.motion(3.0).value, 7.0, 1e-14);
}

TEST(TableDriveTest, MonotoneFollowsSmoothPointsToSecondOrderAndMore) {
  double before = 0.0;
  for (const int n : {20, 40, 80}) {
    std::vector<std::vector<double>> points;
    for (int i = 0; i <= n; ++i) points.push_back({1.0 * i / n, std::exp(1.0 * i / n)});
    const TableDrive drive = TableDrive::through(points, TableDrive::Between::monotone);
    double worst = 0.0;
    for (int i = 0; i <= 1000; ++i)
      worst = std::max(worst, std::abs(drive.motion(0.001 * i).value - std::exp(0.001 * i)));
    if (before > 0.0) {
      EXPECT_GE(before / worst, 6.0);  // h³
    }
    before = worst;
  }
}

TEST(TableDriveTest, ASplineThatSwingsBeyondItsPointsIsReported) {
  using Between = TableDrive::Between;
  const std::string swing = warnings_of(step_of_a_millisecond, Between::spline);
  EXPECT_NE(swing.find("swings to -192.4 between the times 0 and 1, where the points go from 0 to 0"),
            std::string::npos)
      << swing;
  EXPECT_NE(swing.find("between = \"monotone\""), std::string::npos);
  EXPECT_EQ(warnings_of(step_of_a_millisecond, Between::monotone), "");
  EXPECT_NE(warnings_of({{0, 0}, {1, 0}, {2, 0}, {3, 1}, {4, 1}, {5, 1}}, Between::spline), "");  // by 10 %
  // Where the points themselves turn, the curve goes beyond them, as it should.
  for (const int n : {6, 10, 25, 100})
    for (const double phase : {0.0, 0.1, 0.5, 1.2}) {
      std::vector<std::vector<double>> points;
      for (int i = 0; i <= 2 * n; ++i) points.push_back({1.0 * i, std::sin(2.0 * pi * i / n + phase)});
      EXPECT_EQ(warnings_of(points, Between::spline), "") << n << ", " << phase;
    }
  EXPECT_EQ(warnings_of({{0, 3}, {1, 3}, {2, 3}}, Between::spline), "");
  EXPECT_EQ(warnings_of({{0, 0}, {1, 1}}, Between::spline), "");
}

TEST(TableDriveTest, LiesOnTheSplineUnlessSaidOtherwise) {
  const TableDrive drive = TableDrive::through({{0, 0}, {1, 1}, {2, 0}});
  EXPECT_NEAR(drive.motion(0.5).value, 0.6875, 1e-15);  // natural: (3 u − u³)/2
  EXPECT_NEAR(TableDrive::through({{0, 0}, {1, 1}, {2, 0}}, TableDrive::Between::monotone).motion(0.5).value, 0.75,
              1e-15);
}

TEST(FunctionDrive, TakesAnyCallable) {
  const Drive drive = DriveFunction{[](auto t) {
    using std::sin;
    return 0.1 * sin(3.0 * t);
  }};
  const Jet<double> jet = drive.motion(0.4);
  EXPECT_NEAR(jet.value, 0.1 * std::sin(1.2), 1e-15);
  EXPECT_NEAR(jet.rate, 0.3 * std::cos(1.2), 1e-15);
  EXPECT_NEAR(jet.acceleration, -0.9 * std::sin(1.2), 1e-15);
  EXPECT_NEAR(drive.motion(D(0.4, 1.0)).acceleration.derivative, -2.7 * std::cos(1.2), 1e-14);
}

}  // namespace
}  // namespace tandem::test
