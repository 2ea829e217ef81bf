#include "tandem/linearize/parameter_change.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tandem/base/larger.hpp"
#include "tandem/by_parameter/machine_values.hpp"
#include "tandem/by_parameter/parameter_tangent.hpp"
#include "tandem/linalg/independent_rows.hpp"
#include "tandem/linalg/row_space.hpp"

namespace tandem {

namespace {

using tandem_exchange::Answer;
using tandem_exchange::Question;

constexpr double round_off = 1e-8;

double value_of_parameter(const Model& model, const std::string& name) {
  for (const auto& parameter : model.parameters)
    if (parameter.first == name) return parameter.second;
  return 0.0;
}

Answer ask(const Model& model, const std::string& parameter, const std::vector<std::string>& states,
           const std::vector<std::string>& outputs, const Response& response) {
  const State& bodies = response.bodies();
  Question question{.text = model.text, .file = model.file, .set = model.set, .parameter = parameter};
  question.value = value_of_parameter(model, parameter);
  question.t = bodies.t;
  question.q = bodies.q();
  question.v = bodies.v();
  question.angles = bodies.angles();
  question.y = response.solution().y;
  question.lambda = response.solution().lambda;
  question.states = states;
  question.outputs = outputs;
  return tandem_on_duals::parameter_tangent(question);
}

// How large each of machine_values counts as the machine itself.
Eigen::VectorXd machine_sizes(const Model& model, const Rows<double>& rows) {
  const Scale& scale = model.scale;
  std::vector<double> all;
  const auto add = [&](double size, Eigen::Index times) {
    all.insert(all.end(), static_cast<std::size_t>(times), size);
  };
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    add(scale.mass, 1);
    add(scale.mass * scale.length * scale.length, 9);
    add(scale.energy(), 3);  // torques, then forces
    add(scale.force(), 3);
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::vector<double>& sizes = model.blocks[i].sizes;
    const auto add_rows = [&](double unit, Eigen::Index count) {
      for (Eigen::Index row = 0; row < count; ++row) add(sizes[static_cast<std::size_t>(row)] * unit, 1);
    };
    const RowBlock<double>& block = rows.block(i);
    for (Eigen::Index column = 0; column < block.J.cols(); ++column)
      add_rows(column % 6 < 3 ? 1.0 : 1.0 / model.blocks[i].length, block.J.rows());
    add_rows(1.0, block.phi.size());
    add_rows(1.0 / scale.time, block.phi_t.size());
    add_rows(1.0 / (scale.time * scale.time), block.b.size());
  }
  return Eigen::Map<const Eigen::VectorXd>(all.data(), static_cast<Eigen::Index>(all.size()));
}

void require_same_machine(const Model& model, const Response& response, const Eigen::VectorXd& seen) {
  const Workspace& at = response.workspace();
  const Eigen::VectorXd own = machine_values(model, at.applied, at.rows);
  const Eigen::VectorXd size = machine_sizes(model, at.rows);
  bool same = own.size() == seen.size();
  double most = 1.0;  // in parts of the machine
  for (const double value : own.cwiseQuotient(size)) keep_larger(most, std::abs(value));
  for (Eigen::Index i = 0; same && i < own.size(); ++i) same = std::abs(own[i] - seen[i]) <= round_off * most * size[i];
  if (!same)
    throw NumericalError(
        "the machine is not the one that its text describes: it was changed after it was read, so it has no "
        "derivatives by parameters");
}

// Which rows depend on which: what they ask for must depend in the same way.
class Dependence {
 public:
  // `J`: lengths in parts of the machine's. `motion`: the size of speeds and accelerations, of which round-off is a
  // part.
  Dependence(const Model& model, const std::string& parameter, const Eigen::MatrixXd& J, const std::vector<int>& rows,
             double motion)
      : model_(model), parameter_(parameter), dependent_(explain_rows(J, rows).dependent), motion_(motion) {}

  // `per_time`: what turns the right sides into changes of φ within the machine's time.
  void require(const Eigen::VectorXd& right, double per_time) const {
    double scale = 0.0;  // rows count by their sizes
    for (int row = 0; row < model_.rows; ++row)
      scale = std::max(scale, per_time * std::abs(right[row]) / model_.row_size(row));
    for (const DependentRow& each : dependent_) {
      const double own = per_time / model_.row_size(each.row);
      double gap = own * right[each.row], size = 1.0;
      for (std::size_t k = 0; k < each.on.size(); ++k) {
        gap -= own * each.coefficients[k] * right[each.on[k]];
        size += std::abs(each.coefficients[k]) * model_.row_size(each.on[k]) / model_.row_size(each.row);
      }
      if (!(std::abs(gap) <= size * (round_off * scale + 1e-12 * (1.0 + motion_)))) tell(each);
    }
  }

 private:
  [[noreturn]] void tell(const DependentRow& dependent) const {
    std::vector<std::string> others;
    for (const int row : dependent.on) {
      const std::string name = model_.block_name(model_.block_of_row(row));
      if (std::find(others.begin(), others.end(), name) == others.end()) others.push_back(name);
    }
    throw NumericalError(fmt::format("the constraints cannot all follow the parameter \"{}\": {} then contradicts {}",
                                     parameter_, model_.row_name(dependent.row), fmt::join(others, ", ")));
  }

  const Model& model_;
  const std::string& parameter_;
  std::vector<DependentRow> dependent_;
  double motion_;
};

}  // namespace

std::string parameter_obstacle(const Model& model) {
  if (model.text.empty()) return "the model was built in C++; only the parameters of a model file can be inputs";
  if (!model.own_types.empty())
    return fmt::format("the model uses {}, which the program added itself; it has no derivatives by parameters",
                       model.own_types.front());
  return "";
}

ParameterChange change_by_parameter(const Model& model, const std::string& parameter,
                                    const std::vector<std::string>& states, const std::vector<std::string>& outputs,
                                    Response& response) {
  const Answer by = ask(model, parameter, states, outputs, response);  // (1)
  require_same_machine(model, response, by.machine);
  if (!by.force.allFinite() || !by.rows.allFinite() || !by.phi.allFinite() || !by.rate.allFinite())
    throw NumericalError(
        fmt::format("a number of the model has no derivative by the parameter \"{}\" here", parameter));
  const Eigen::MatrixXd J = dense_rows(model, response.workspace().rows);
  std::vector<int> holonomic;
  for (int row = 0; row < model.rows; ++row)
    if (model.is_holonomic(row)) holonomic.push_back(row);

  ParameterChange out;
  const auto most = [](const Eigen::VectorXd& x) { return x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0.0; };
  const Eigen::VectorXd sizes = motion_sizes(model);
  const double time = model.scale.time;
  const double motion = time * most(response.bodies().v().cwiseQuotient(sizes)) +
                        time * time * most(response.solution().y.cwiseQuotient(sizes));
  const Eigen::MatrixXd sized = J * sizes.asDiagonal();
  const Dependence of_poses(model, parameter, sized, holonomic, motion);
  const Dependence of_motions(model, parameter, sized, all_rows(model.rows), motion);
  of_poses.require(by.phi, 1.0);
  out.along = {RowSpace(J(holonomic, Eigen::all), sizes).shortest(-by.phi(holonomic)), Eigen::VectorXd::Zero(model.nv),
               0.0};
  Tangent tangent(model);
  tangent.update(response.bodies(), out.along);
  Eigen::VectorXd rate;
  tangent.rate(rate);
  rate += by.rate;
  of_motions.require(rate, time);
  out.along.v = RowSpace(J, sizes).shortest(-rate);        // (2)
  out.change = response.to(out.along, by.force, by.rows);  // (3)
  Eigen::VectorXd rows;
  response.tangent().rows(response.solution().y, rows);
  of_motions.require(rows + by.rows, time * time);

  for (Eigen::Index i = 0; i < by.readings.cols(); ++i)
    out.readings.push_back({by.readings(0, i), by.readings(1, i), by.readings(2, i)});
  out.outputs.assign(by.outputs.begin(), by.outputs.end());
  return out;
}

}  // namespace tandem
