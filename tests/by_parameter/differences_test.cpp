// Columns of B and D by every parameter of every example, against differences of models that are read again, and the
// same by every method, on both cuts.
#include <gtest/gtest.h>

#include <limits>
#include <optional>

#include "support/method_case.hpp"
#include "tandem/assemble/assemble.hpp"
#include "tandem/linearize/linearize.hpp"
#include "tandem/linearize/perturbations.hpp"
#include "tandem/model/coordinate_names.hpp"
#include "tandem/observe/coordinate_reading.hpp"
#include "tandem/observe/outputs.hpp"

namespace tandem {
namespace {

std::vector<std::string> parameters_of(const Model& model) {
  std::vector<std::string> names;
  for (const auto& parameter : model.parameters) {
    try {
      find_reading(model, parameter.first);  // an output or coordinate of the same name goes before it
    } catch (const std::out_of_range&) {
      names.push_back(parameter.first);
    }
  }
  return names;
}

struct Held {
  ModelReading reading;
  bool is_rate = false;
};

Held held_by(const Model& model, const LinearState& state) {
  const std::string name = state.is_rate ? state.name.substr(0, state.name.size() - 5) : state.name;
  return {find_reading(model, name), state.is_rate};
}

struct Found {
  Eigen::VectorXd z, z_dot, outputs;
};

Found look(const Model& model, const Linearization& linear, const State& bodies) {
  Response response(model);
  response.place(bodies);
  const VecX<double> y = response.solution().y;
  const auto n = static_cast<Eigen::Index>(linear.states.size());
  Found out{Eigen::VectorXd(n), Eigen::VectorXd(n), Eigen::VectorXd(static_cast<Eigen::Index>(linear.outputs.size()))};
  for (Eigen::Index i = 0; i < n; ++i) {
    const Held held = held_by(model, linear.states[static_cast<std::size_t>(i)]);
    const auto read = read_coordinate<double>(model, held.reading.coordinate, response.workspace().kinematics, &y);
    out.z[i] = held.is_rate ? read.rate : read.value;
    out.z_dot[i] = held.is_rate ? read.acceleration : read.rate;
  }
  Simulation simulation(model);
  simulation.set_bodies(bodies);
  for (std::size_t i = 0; i < linear.outputs.size(); ++i)
    for (const ModelOutput& output : model.outputs)
      if (output.name == linear.outputs[i].name)
        out.outputs[static_cast<Eigen::Index>(i)] = output_value(model, output, simulation);
  return out;
}

// The model with one parameter changed, at a state nearby with the same readings.
Found with_parameter(const std::string& example, const std::string& name, double value, const Linearization& linear,
                     const Eigen::VectorXd& z) {
  const Model model = example_model(example, {{name, value}});
  Model held = model;
  held.starts.clear();
  for (std::size_t i = 0; i < linear.states.size(); ++i) {
    const Held state = held_by(model, linear.states[i]);
    ModelStart start = state.reading.coordinate;
    const auto same = std::find_if(held.starts.begin(), held.starts.end(), [&](const ModelStart& other) {
      return other.of == start.of && other.point.body == start.point.body &&
             other.coordinate.joint == start.coordinate.joint &&
             other.coordinate.coordinate == start.coordinate.coordinate && other.point.X_CF.p == start.point.X_CF.p;
    });
    ModelStart& into = same == held.starts.end() ? held.starts.emplace_back(start) : *same;
    (state.is_rate ? into.rate : into.value) = z[static_cast<Eigen::Index>(i)];
  }
  return look(model, linear, assemble(held, linear.bodies).bodies);
}

class Differences : public ::testing::TestWithParam<std::string> {};

TEST_P(Differences, AreMetByEveryParameter) {
  const Model model = example_model(GetParam());
  const std::vector<std::string> names = parameters_of(model);
  if (names.empty()) GTEST_SKIP() << "no parameters";
  if (one_second(model) < 1.0)
    GTEST_SKIP() << "so fast and small a machine leaves no digits: see complex_step_test.cpp";
  const Linearization linear = linearize_start(model, {.inputs = names});
  const Perturbations perturbations(model, linear.bodies, find_symmetry(model, linear.bodies), nullptr);
  const Found here = look(model, linear, linear.bodies);
  int with_effect = 0;
  double largest = 0.0;
  const std::size_t tried = test::shortened() ? std::min<std::size_t>(names.size(), 2) : names.size();
  for (std::size_t k = 0; k < tried; ++k) {
    double value = 0.0;
    for (const auto& parameter : model.parameters)
      if (parameter.first == names[k]) value = parameter.second;
    const auto difference = [&](double step) {
      const Found up = with_parameter(GetParam(), names[k], value + step, linear, here.z);
      const Found down = with_parameter(GetParam(), names[k], value - step, linear, here.z);
      return Found{(up.z - down.z) / (2.0 * step), (up.z_dot - down.z_dot) / (2.0 * step),
                   (up.outputs - down.outputs) / (2.0 * step)};
    };
    const auto off = [&](const Eigen::VectorXd& found, const Eigen::VectorXd& wanted) {
      return found.size() == 0 ? 0.0 : (found - wanted).cwiseAbs().maxCoeff() / (1.0 + wanted.cwiseAbs().maxCoeff());
    };
    // Of steps from rough to fine, what two agree on best: masses of milligrams and lengths of metres alike.
    // A rough one may leave what the start or the states allow.
    const double whole = 2e-3 * (value == 0.0 ? 1.0 : std::abs(value));
    Eigen::VectorXd B, D, B_before, D_before;
    double least = std::numeric_limits<double>::infinity();
    std::optional<Found> coarse;
    bool first = true;
    for (double h = whole; h > (std::isfinite(least) ? 1e-3 : 1e-4) * whole; h *= 0.5) {
      Found fine;
      try {
        fine = difference(h);
      } catch (const ModelError&) {
        ASSERT_FALSE(coarse) << names[k];
        continue;
      }
      if (!coarse) {
        coarse = fine;
        continue;
      }
      ASSERT_LE(fine.z.lpNorm<Eigen::Infinity>(), 1e-7) << names[k] << ": the states were not held";
      const Eigen::VectorXd B_now = (4.0 * fine.z_dot - coarse->z_dot) / 3.0;
      const Eigen::VectorXd D_now = (4.0 * fine.outputs - coarse->outputs) / 3.0;
      if (!first) {
        const double apart = off(B_before, B_now) + off(D_before, D_now);
        if (apart < least) {
          least = apart;
          B = B_now;
          D = D_now;
        }
      }
      B_before = B_now;
      D_before = D_now;
      first = false;
      coarse = fine;
    }
    ASSERT_LT(least, 1e-3) << names[k] << ": no two steps agree";
    const auto column = static_cast<Eigen::Index>(k);
    EXPECT_LE(off(linear.B.col(column), B), 1e-7) << names[k] << "\n" << linear.B.col(column) << "\n\n" << B;
    EXPECT_LE(off(linear.D.col(column), D), 1e-7) << names[k] << "\n" << linear.D.col(column) << "\n\n" << D;
    keep_larger(largest, off(linear.B.col(column), B));
    keep_larger(largest, off(linear.D.col(column), D));
    if (B.norm() + D.norm() > 1e-6) ++with_effect;
  }
  RecordProperty("with_effect", with_effect);
  RecordProperty("largest", std::to_string(largest * 1e9) + "e-9");
}

std::vector<std::string> example_names() {
  std::vector<std::string> names;
  for (const EmbeddedExample& example : embedded_examples()) names.emplace_back(example.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Examples, Differences, ::testing::ValuesIn(example_names()), [](const auto& each) {
  std::string name = each.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

class EveryMethod : public ::testing::TestWithParam<MethodCase> {};

TEST_P(EveryMethod, GivesTheSameColumns) {
  if (GetParam().method == "impulses") GTEST_SKIP() << "impulses has no accelerations";
  const Model model = GetParam().model();
  const std::vector<std::string> names = parameters_of(model);
  if (names.empty()) GTEST_SKIP() << "no parameters";
  const Linearization oracle = linearize_start(example_model(GetParam().example), {.inputs = names});
  const Linearization found = linearize_start(model, {.inputs = names});
  const auto off = [](const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
    return a.size() == 0 ? 0.0 : (a - b).cwiseAbs().maxCoeff() / (1.0 + b.cwiseAbs().maxCoeff());
  };
  // Inertias from 1e-7 to 1e-2 side by side leave the pseudo-inverse fewer digits.
  const bool few = GetParam().example == "squeezer" && GetParam().method == "udwadia_kalaba";
  EXPECT_LE(off(found.B, oracle.B), few ? 1e-8 : 1e-9);
  EXPECT_LE(off(found.D, oracle.D), few ? 1e-8 : 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Examples, EveryMethod, ::testing::ValuesIn(method_cases()),
                         [](const auto& each) { return method_case_name(each.param); });

}  // namespace
}  // namespace tandem
