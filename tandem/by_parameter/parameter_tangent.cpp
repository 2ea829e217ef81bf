// Built only where Real carries a derivative; see CMakeLists.txt.
#include "tandem/by_parameter/parameter_tangent.hpp"

#include <algorithm>

#include "tandem/by_parameter/machine_values.hpp"
#include "tandem/io/model/model_file.hpp"
#include "tandem/linearize/output_tangent.hpp"
#include "tandem/linearize/readings.hpp"

namespace tandem {

static_assert(carries_derivative<Real>);

using tandem_exchange::Answer;
using tandem_exchange::Question;

static Model read_again(const Question& question) {
  ReadOptions options;
  options.limits = ReadLimits::of_accepted_text();
  for (const auto& [name, value] : question.set)
    if (name != question.parameter) options.set.emplace_back(name, Real(value));
  if (!question.parameter.empty()) options.set.emplace_back(question.parameter, Real(question.value, 1.0));
  return read_model(question.text, question.file, options);
}

static VecX<Tangential> held(const Eigen::VectorXd& values) {
  return values.unaryExpr([](double x) { return Tangential(x); });
}

Answer parameter_tangent(const Question& question) {
  const Model model = read_again(question);
  State bodies(segments_of_bodies(model));
  bodies.t = question.t;
  bodies.q() = question.q;
  bodies.v() = question.v;
  bodies.angles() = question.angles;
  Direction along{question.along_q, question.along_v, question.along_t};
  if (along.q.size() == 0) along.q = Eigen::VectorXd::Zero(model.nv);
  if (along.v.size() == 0) along.v = Eigen::VectorXd::Zero(model.nv);
  Tangent tangent(model);
  tangent.update(bodies, along);

  Answer answer;
  tangent.force(question.lambda, answer.force);  // (1)
  tangent.subtract_inertia(question.y, answer.force);
  tangent.rows(question.y, answer.rows);
  tangent.phi(answer.phi);
  tangent.rate(answer.rate);
  const VecX<Tangential> y = held(question.y);
  std::vector<Reading> readings = usual_readings(model, bodies, question.states);
  add_other_readings(model, bodies, readings);
  answer.readings.resize(3, static_cast<Eigen::Index>(readings.size()));
  for (std::size_t i = 0; i < readings.size(); ++i) {
    const ReadingChange change = change_of(model, readings[i], along, tangent.kinematics(), &y);
    answer.readings.col(static_cast<Eigen::Index>(i)) << change.value, change.rate, change.acceleration;
  }
  const OutputTangent with(model, tangent, y, held(question.lambda));
  const std::vector<ModelOutput> outputs = linear_outputs(model, question.outputs);
  answer.outputs.resize(static_cast<Eigen::Index>(outputs.size()));
  std::transform(outputs.begin(), outputs.end(), answer.outputs.begin(),
                 [&](const ModelOutput& output) { return with.change(output); });
  answer.machine = machine_values(model, tangent.applied(), tangent.all_rows());
  return answer;
}

}  // namespace tandem
