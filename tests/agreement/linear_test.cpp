// The same linear equations by every method, on both cuts, in all coordinates; and against what the equations of motion
// themselves do when the state is changed a little.
#include <gtest/gtest.h>

#include <map>

#include "support/method_case.hpp"
#include "tandem/linearize/linearize.hpp"
#include "tandem/linearize/perturbations.hpp"
#include "tandem/model/coordinate_names.hpp"
#include "tandem/observe/coordinate_reading.hpp"

namespace tandem {
namespace {

class LinearAgreement : public ::testing::TestWithParam<MethodCase> {};

void expect_same(const Linearization& found, const Linearization& oracle) {
  ASSERT_EQ(found.states.size(), oracle.states.size());
  for (std::size_t i = 0; i < found.states.size(); ++i) EXPECT_EQ(found.states[i].name, oracle.states[i].name);
  const auto off = [](const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
    return a.size() == 0 ? 0.0 : (a - b).cwiseAbs().maxCoeff() / (1.0 + b.cwiseAbs().maxCoeff());
  };
  EXPECT_LE(off(found.A, oracle.A), 1e-9);
  EXPECT_LE(off(found.B, oracle.B), 1e-9);
  EXPECT_LE(off(found.C, oracle.C), 1e-9);
  EXPECT_LE(off(found.D, oracle.D), 1e-9);
}

TEST_P(LinearAgreement, GivesTheSameMatricesAsLagrange) {
  if (GetParam().method == "impulses") GTEST_SKIP() << "impulses has no accelerations";
  expect_same(linearize_start(GetParam().model()), linearize_start(example_model(GetParam().example)));
}

// About the steady motion near the start; none where there is no such motion.
std::optional<Linearization> about_steady(const Model& model) {
  try {
    return linearize(model, find_steady(model));
  } catch (const NumericalError&) {
    return std::nullopt;
  }
}

const std::optional<Linearization>& steady_oracle(const std::string& example) {
  static std::map<std::string, std::optional<Linearization>> known;
  const auto found = known.find(example);
  return found != known.end() ? found->second : known[example] = about_steady(example_model(example));
}

TEST_P(LinearAgreement, GivesTheSameMatricesAboutASteadyMotion) {
  if (GetParam().method == "impulses") GTEST_SKIP() << "impulses has no accelerations";
  const std::optional<Linearization> found = about_steady(GetParam().model());
  ASSERT_EQ(found.has_value(), steady_oracle(GetParam().example).has_value());
  if (!found) GTEST_SKIP() << "it has no steady motion";
  expect_same(*found, *steady_oracle(GetParam().example));
}

INSTANTIATE_TEST_SUITE_P(Examples, LinearAgreement, ::testing::ValuesIn(method_cases()),
                         [](const auto& each) { return method_case_name(each.param); });

// The states and their rates of change at a state near the start, from the equations of motion alone.
class NearStart {
 public:
  NearStart(const Model& model, const Linearization& linear) : model_(model), response_(model) {
    for (const LinearState& state : linear.states) {
      const std::string name = state.is_rate ? state.name.substr(0, state.name.size() - 5) : state.name;
      readings_.push_back({find_reading(model, name).coordinate, state.is_rate});
    }
  }
  struct Found {
    Eigen::VectorXd z, z_dot;
  };
  Found at(const State& start, const Direction& along, double share) {
    State state = start;
    retract(model_, share * along.q, state.q());
    state.v() += share * along.v;
    response_.place(state);
    const VecX<double> y = response_.solution().y;
    const auto n = static_cast<Eigen::Index>(readings_.size());
    Found out{Eigen::VectorXd(n), Eigen::VectorXd(n)};
    for (Eigen::Index i = 0; i < n; ++i) {
      const auto& [coordinate, is_rate] = readings_[static_cast<std::size_t>(i)];
      const CoordinateReading<double> read =
          read_coordinate<double>(model_, coordinate, response_.workspace().kinematics, &y);
      out.z[i] = is_rate ? read.rate : read.value;
      out.z_dot[i] = is_rate ? read.acceleration : read.rate;
    }
    return out;
  }

 private:
  const Model& model_;
  Response response_;
  std::vector<std::pair<ModelStart, bool>> readings_;
};

class LinearStart : public ::testing::TestWithParam<std::string> {};

// ż = f(z): A is ∂f/∂z, by central differences with two steps.
TEST_P(LinearStart, IsTheDerivativeOfTheEquationsOfMotion) {
  const Model model = example_model(GetParam());
  const Linearization linear = linearize_start(model);
  const Perturbations perturbations(model, linear.bodies, find_symmetry(model, linear.bodies), nullptr);
  NearStart near(model, linear);
  const double h = 2e-4;
  for (Eigen::Index k = 0; k < perturbations.S().cols(); ++k) {
    Direction along{Eigen::VectorXd::Zero(model.nv), Eigen::VectorXd::Zero(model.nv), 0.0};
    for (Eigen::Index i = 0; i < perturbations.size(); ++i) {
      along.q += perturbations.S()(i, k) * perturbations.direction(i).q;
      along.v += perturbations.S()(i, k) * perturbations.direction(i).v;
    }
    const Eigen::VectorXd change = near.at(linear.bodies, along, h).z - near.at(linear.bodies, along, -h).z;
    if (change.norm() > 1e-9) GTEST_SKIP() << "its states are corrected for symmetries, which readings alone are not";
  }
  for (Eigen::Index k = 0; k < perturbations.size(); ++k) {
    const auto difference = [&](double step) {
      const NearStart::Found up = near.at(linear.bodies, perturbations.direction(k), step);
      const NearStart::Found down = near.at(linear.bodies, perturbations.direction(k), -step);
      return std::pair<Eigen::VectorXd, Eigen::VectorXd>((up.z - down.z) / (2.0 * step),
                                                         (up.z_dot - down.z_dot) / (2.0 * step));
    };
    const auto coarse = difference(h), fine = difference(0.5 * h);
    const Eigen::VectorXd z = (4.0 * fine.first - coarse.first) / 3.0;
    const Eigen::VectorXd z_dot = (4.0 * fine.second - coarse.second) / 3.0;
    const double size = 1.0 + z_dot.cwiseAbs().maxCoeff() + linear.A.cwiseAbs().maxCoeff();
    EXPECT_LE((z_dot - linear.A * z).cwiseAbs().maxCoeff(), 1e-8 * size) << GetParam() << ", direction " << k;
  }
}

std::vector<std::string> example_names() {
  std::vector<std::string> names;
  for (const EmbeddedExample& example : embedded_examples()) names.emplace_back(example.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Examples, LinearStart, ::testing::ValuesIn(example_names()), [](const auto& each) {
  std::string name = each.param;
  for (char& letter : name)
    if (letter == '-') letter = '_';
  return name;
});

}  // namespace
}  // namespace tandem
