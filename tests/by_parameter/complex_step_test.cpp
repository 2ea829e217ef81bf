// Derivatives by dual numbers against complex-step, which shares no rule of differentiation with them: by every
// parameter and along directions of the state, for every example and for a model with every type in it.
#include <gtest/gtest.h>

#include "support/example_model.hpp"
#include "support/how_long.hpp"
#include "support/numbers.hpp"
#include "tandem/by_parameter/parameter_tangent.hpp"
#include "tandem/dynamics/tangent.hpp"

namespace tandem_on_complex {
tandem_exchange::Answer parameter_tangent(const tandem_exchange::Question& question);
}

namespace tandem {
namespace {

using tandem_exchange::Answer;
using tandem_exchange::Question;
using test::Random;

const std::string everything = TANDEM_SOURCE_DIR "/tests/by_parameter/everything.toml";

Question at_random_state(const Model& model, Random& random) {
  Question question{.text = model.text, .file = model.file};
  State state = start_state(model);
  const auto some = [&](Eigen::Index size) { return Eigen::VectorXd(random.vector<Eigen::VectorXd>(size)); };
  retract(model, 0.3 * some(model.nv), state.q());
  question.t = random.number(0.1, 0.6);
  question.q = state.q();
  question.v = state.v() + some(model.nv);
  question.angles = state.angles();
  question.y = some(model.nv);
  question.lambda = some(model.rows);
  return question;
}

// |a − b| relative to the largest entry.
double off(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols() || !a.allFinite() || !b.allFinite()) return 1e300;
  return a.size() == 0 ? 0.0 : (a - b).cwiseAbs().maxCoeff() / std::max(1.0, b.cwiseAbs().maxCoeff());
}

void expect_same(const Question& question, const std::string& what, double& largest) {
  const Answer dual = tandem_on_duals::parameter_tangent(question);
  const Answer complex = tandem_on_complex::parameter_tangent(question);
  const std::pair<const char*, double> parts[] = {{"force", off(dual.force, complex.force)},
                                                  {"rows", off(dual.rows, complex.rows)},
                                                  {"phi", off(dual.phi, complex.phi)},
                                                  {"rate", off(dual.rate, complex.rate)},
                                                  {"readings", off(dual.readings, complex.readings)},
                                                  {"outputs", off(dual.outputs, complex.outputs)},
                                                  {"machine", off(dual.machine, complex.machine)}};
  for (const auto& [name, error] : parts) {
    EXPECT_LE(error, 1e-13) << name << " " << what;
    keep_larger(largest, error);
  }
}

class ComplexStep : public ::testing::TestWithParam<std::string> {};

TEST_P(ComplexStep, AgreesWithDualsByEveryParameter) {
  const Model model = example_model(GetParam());
  Random random(1);
  double largest = 0.0;
  for (int state = 0; state < test::how_many(1, 3, 3); ++state) {
    Question question = at_random_state(model, random);
    for (const auto& [name, value] : model.parameters) {
      question.parameter = name;
      question.value = value;
      expect_same(question, "by " + name, largest);
    }
  }
  RecordProperty("largest", std::to_string(largest * 1e15) + "e-15");
}

// Also as the library itself finds them, where the numbers of the model are doubles.
TEST_P(ComplexStep, AgreesWithDualsAlongDirectionsOfTheState) {
  const Model model = example_model(GetParam());
  Random random(2);
  double largest = 0.0;
  for (int state = 0; state < test::how_many(1, 3, 3); ++state) {
    Question question = at_random_state(model, random);
    question.along_q = random.vector<Eigen::VectorXd>(model.nv);
    question.along_v = random.vector<Eigen::VectorXd>(model.nv);
    question.along_t = random.number(-1.0, 1.0);
    expect_same(question, "along a direction", largest);
    const Answer complex = tandem_on_complex::parameter_tangent(question);
    Tangent tangent(model);
    State bodies(segments_of_bodies(model));
    bodies.t = question.t;
    bodies.q() = question.q;
    bodies.v() = question.v;
    bodies.angles() = question.angles;
    tangent.update(bodies, {question.along_q, question.along_v, question.along_t});
    Eigen::VectorXd force, rows, phi, rate;
    tangent.force(question.lambda, force);
    tangent.rows(question.y, rows);
    tangent.phi(phi);
    tangent.rate(rate);
    EXPECT_LE(off(force, complex.force), 1e-13);
    EXPECT_LE(off(rows, complex.rows), 1e-13);
    EXPECT_LE(off(phi, complex.phi), 1e-13);
    EXPECT_LE(off(rate, complex.rate), 1e-13);
    for (const auto& [name, value] : model.parameters) {  // and along both at once
      if (test::shortened() && name != model.parameters.front().first) break;
      question.parameter = name;
      question.value = value;
      expect_same(question, "along a direction and by " + name, largest);
    }
  }
  RecordProperty("largest", std::to_string(largest * 1e15) + "e-15");
}

std::vector<std::string> models() {
  std::vector<std::string> names{everything};
  for (const EmbeddedExample& example : embedded_examples()) names.emplace_back(example.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Models, ComplexStep, ::testing::ValuesIn(models()), [](const auto& each) {
  std::string name = each.param == everything ? "everything" : each.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

// What is checked above is checked on something: all parameters but one matter.
TEST(ComplexStep, EveryParameterOfEverythingHasAnEffect) {
  const Model model = load_model(everything);
  Random random(3);
  Question question = at_random_state(model, random);
  for (const auto& [name, value] : model.parameters) {
    question.parameter = name;
    question.value = value;
    const Answer answer = tandem_on_duals::parameter_tangent(question);
    const double size = answer.force.norm() + answer.rows.norm() + answer.phi.norm() + answer.rate.norm();
    EXPECT_EQ(size > 1e-6, name != "unused") << name << " " << size;
  }
}

}  // namespace
}  // namespace tandem
