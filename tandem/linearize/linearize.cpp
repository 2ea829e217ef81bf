#include "tandem/linearize/linearize.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>

#include "tandem/assemble/assemble.hpp"
#include "tandem/base/larger.hpp"
#include "tandem/linearize/linear_outputs.hpp"
#include "tandem/linearize/linear_states.hpp"

namespace tandem {

double LinearMode::damping_ratio() const {
  const double size = std::abs(eigenvalue);
  return size > 0.0 ? -eigenvalue.real() / size : 0.0;
}

bool Linearization::neutral(const std::complex<double>& eigenvalue) const {
  return std::abs(eigenvalue) <= tolerances::neutral * size();
}

namespace {

class Linearizer {
 public:
  Linearizer(const Model& model, const State& bodies, const Symmetry& symmetry, const GroupMotion* xi,
             const LinearizeOptions& options);
  Linearization run();

 private:
  Perturbations perturb(const State& bodies, const Symmetry& symmetry, const GroupMotion* xi);
  void write_states();
  void write_inputs();
  void write_parameter(std::size_t input);
  void write_effort(const LinearInputs& inputs, std::size_t input, const Tangent& still, Tangent& tangent);
  void write_outputs();
  void write_modes();
  void write_second_order();
  void require_finite() const;
  Eigen::VectorXd input_column(const Direction& along, const Tangent& tangent) const;
  std::vector<double> output_changes(const Response& response, const Tangent& tangent, const Solution& change) const;

  const Model& model_;
  LinearizeOptions options_;
  std::vector<ModelOutput> outputs_;
  std::vector<std::vector<double>> outputs_on_;  // per direction of the basis
  std::vector<std::vector<double>> outputs_by_;  // per input
  LinearStates states_;
  Perturbations perturbations_;
  Eigen::VectorXd sizes_;     // of the states
  Eigen::MatrixXd A_;         // A of states in parts of their sizes
  Eigen::MatrixXd to_basis_;  // from these states to the basis: E (C E)⁻¹
  Linearization out_;
};

LinearizeOptions completed(LinearizeOptions options, const LinearizeDescription& own) {
  if (options.states.empty()) options.states = own.states;
  if (options.inputs.empty()) options.inputs = own.inputs;
  if (options.outputs.empty()) options.outputs = own.outputs;
  return options;
}

Linearizer::Linearizer(const Model& model, const State& bodies, const Symmetry& symmetry, const GroupMotion* xi,
                       const LinearizeOptions& options)
    : model_(model),
      options_(completed(options, model.linearize)),
      outputs_(options_.modes_only ? std::vector<ModelOutput>{} : linear_outputs(model, options_.outputs)),
      states_(model, bodies, options_.states),
      perturbations_(perturb(bodies, symmetry, xi)) {
  out_.bodies = bodies;
  out_.steady = xi != nullptr;
}

Perturbations Linearizer::perturb(const State& bodies, const Symmetry& symmetry, const GroupMotion* xi) {
  return Perturbations(model_, bodies, symmetry, xi,
                       [&](const Direction& along, const Response& response, const Solution& change) {
                         states_.read(along, response.tangent());
                         outputs_on_.push_back(output_changes(response, response.tangent(), change));
                       });
}

std::vector<double> Linearizer::output_changes(const Response& response, const Tangent& tangent,
                                               const Solution& change) const {
  const auto with = [](const Eigen::VectorXd& value, const Eigen::VectorXd& derivative) {
    VecX<Tangential> out(value.size());
    for (Eigen::Index i = 0; i < out.size(); ++i) out[i] = Tangential(value[i], derivative[i]);
    return out;
  };
  const Solution& at = response.solution();
  const OutputTangent outputs(model_, tangent, with(at.y, change.y), with(at.lambda, change.lambda));
  std::vector<double> changes;
  for (const ModelOutput& output : outputs_) changes.push_back(outputs.change(output));
  return changes;
}

void Linearizer::write_states() {
  states_.choose(perturbations_);
  const auto add = [&](int i, bool is_rate) {
    const Reading& reading = states_.reading(i);
    const std::string unit = reading.angular ? "rad" : "m";
    out_.states.push_back({is_rate ? reading.name + ".rate" : reading.name, is_rate ? unit + "/s" : unit, is_rate});
  };
  for (const int i : states_.values()) add(i, false);
  for (const int i : states_.rates()) add(i, true);
  Eigen::MatrixXd C, CL;
  states_.functions(perturbations_, out_.steady, C, CL);
  const Eigen::MatrixXd& E = perturbations_.E();
  to_basis_ = E * (C * E).partialPivLu().inverse();
  sizes_ = states_.sizes();
  A_ = CL * to_basis_;  // (1)
  out_.A = sizes_.asDiagonal() * A_ * sizes_.cwiseInverse().asDiagonal();
  out_.time = model_.scale.time;
  out_.sizes = sizes_;
  out_.rate_size = 1.0 / model_.scale.time + (A_.size() > 0 ? A_.cwiseAbs().maxCoeff() : 0.0);
  if (!out_.A.allFinite()) throw NumericalError("a force or a constraint has no derivative here");
  out_.zeros = perturbations_.zeros();
  const Eigen::MatrixXd leak = CL * perturbations_.S();
  for (const double off : leak.reshaped()) keep_larger(out_.symmetry_error, std::abs(off));
}

// How the rates among the states answer to accelerations.
Eigen::VectorXd Linearizer::input_column(const Direction& along, const Tangent& tangent) const {
  Eigen::VectorXd column = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(out_.states.size()));
  auto row = static_cast<Eigen::Index>(states_.values().size());
  for (const int i : states_.rates())
    column[row++] = change_of(model_, states_.reading(i), along, tangent.kinematics()).rate;
  return column;
}

void Linearizer::write_inputs() {
  std::vector<std::string> names = options_.inputs;
  if (names.empty()) {  // an effort along each coordinate among the states, the acceleration of each drive
    for (const int i : states_.values())
      if (states_.reading(i).coordinate) names.push_back(states_.reading(i).name);
    for (const ModelDrive& drive : model_.drives) names.push_back(drive.name);
  }
  const LinearInputs inputs(model_, names);
  out_.B.resize(out_.A.rows(), static_cast<Eigen::Index>(names.size()));
  Tangent tangent(model_), still(model_);
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(model_.nv);
  if (!outputs_.empty()) still.update(perturbations_.bodies(), {none, none, 0.0});
  for (std::size_t i = 0; i < names.size(); ++i) {
    out_.inputs.push_back({names[i], inputs.unit(i), false});
    if (inputs.is_parameter(i))
      write_parameter(i);
    else
      write_effort(inputs, i, still, tangent);
  }
}

void Linearizer::write_effort(const LinearInputs& inputs, std::size_t input, const Tangent& still, Tangent& tangent) {
  Response& response = perturbations_.response();
  Eigen::VectorXd force, rows;
  inputs.right_sides(input, response.workspace(), force, rows);
  const Solution& change = response.to(force, rows);
  const Direction along{Eigen::VectorXd::Zero(model_.nv), change.y, 0.0};
  tangent.update_kinematics(perturbations_.bodies(), along);
  out_.B.col(static_cast<Eigen::Index>(input)) = input_column(along, tangent);  // (2)
  outputs_by_.push_back(output_changes(response, still, change));
}

void Linearizer::write_parameter(std::size_t input) {  // (5)
  Response& response = perturbations_.response();
  const ParameterChange by =
      change_by_parameter(model_, out_.inputs[input].name, options_.states, options_.outputs, response);
  std::vector<double> outputs = output_changes(response, response.tangent(), by.change);
  Eigen::VectorXd c, c_moving;
  states_.functions_by(by, perturbations_, out_.steady, c, c_moving);
  const Eigen::VectorXd back = to_basis_ * c;  // the states are held: what they changed is taken back
  out_.B.col(static_cast<Eigen::Index>(input)) = (c_moving - A_ * c).cwiseProduct(sizes_);
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    outputs[i] += by.outputs[i];
    for (Eigen::Index k = 0; k < back.size(); ++k) outputs[i] -= outputs_on_[static_cast<std::size_t>(k)][i] * back[k];
  }
  outputs_by_.push_back(std::move(outputs));
}

void Linearizer::write_outputs() {
  std::vector<std::size_t> kept;
  Eigen::MatrixXd on(static_cast<Eigen::Index>(outputs_.size()), perturbations_.size());
  for (Eigen::Index k = 0; k < on.cols(); ++k)
    for (Eigen::Index i = 0; i < on.rows(); ++i)
      on(i, k) = outputs_on_[static_cast<std::size_t>(k)][static_cast<std::size_t>(i)];
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const Eigen::RowVectorXd row = on.row(static_cast<Eigen::Index>(i));
    const bool by_inputs = std::all_of(outputs_by_.begin(), outputs_by_.end(),
                                       [&](const std::vector<double>& each) { return std::isfinite(each[i]); });
    if (!row.allFinite() || !by_inputs) {  // the length of a vector that is zero, or a kink
      out_.notes.push_back(fmt::format("output \"{}\" has no derivative here and is left out", outputs_[i].name));
    } else if (!((row * perturbations_.S()).norm() <=
                 tolerances::neutral * (model_.scale.of_unit(outputs_[i].unit) + row.norm()))) {
      out_.notes.push_back(
          fmt::format("output \"{}\" changes along a symmetry that was divided out; it is left out", outputs_[i].name));
    } else {
      kept.push_back(i);
      out_.outputs.push_back({outputs_[i].name, outputs_[i].unit, false});
    }
  }
  out_.C.resize(static_cast<Eigen::Index>(kept.size()), out_.A.rows());  // (3)
  out_.D.resize(out_.C.rows(), out_.B.cols());
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    out_.C.row(row) = on.row(static_cast<Eigen::Index>(kept[i])) * to_basis_ * sizes_.cwiseInverse().asDiagonal();
    for (Eigen::Index k = 0; k < out_.B.cols(); ++k) out_.D(row, k) = outputs_by_[static_cast<std::size_t>(k)][kept[i]];
  }
}

void Linearizer::write_modes() {
  if (out_.A.rows() == 0) return;
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(A_);
  if (solver.info() != Eigen::Success) throw NumericalError("the eigenvalues did not converge");
  for (Eigen::Index i = 0; i < out_.A.rows(); ++i) {
    LinearMode mode;
    mode.eigenvalue = solver.eigenvalues()[i];
    Eigen::VectorXcd shape = solver.eigenvectors().col(i);
    Eigen::Index largest = 0;
    shape.cwiseAbs().maxCoeff(&largest);
    shape /= std::complex<double>(shape[largest]) * sizes_[largest];
    mode.shape = shape.cwiseProduct(sizes_.cast<std::complex<double>>());
    const Eigen::VectorXcd in_basis = to_basis_ * shape;
    mode.bodies = mode.speeds = Eigen::VectorXcd::Zero(model_.nv);
    for (Eigen::Index k = 0; k < perturbations_.size(); ++k) {
      mode.bodies += in_basis[k] * perturbations_.direction(k).q;
      mode.speeds += in_basis[k] * perturbations_.direction(k).v;
    }
    out_.modes.push_back(std::move(mode));
  }
  std::stable_sort(out_.modes.begin(), out_.modes.end(), [](const LinearMode& a, const LinearMode& b) {
    if (a.eigenvalue.real() != b.eigenvalue.real()) return a.eigenvalue.real() > b.eigenvalue.real();
    return a.eigenvalue.imag() > b.eigenvalue.imag();
  });
}

void Linearizer::write_second_order() {  // (4)
  const auto n = static_cast<Eigen::Index>(states_.values().size());
  const auto speeds = static_cast<Eigen::Index>(states_.rates().size());
  if (n == 0 || speeds < n) return;
  SecondOrder form;
  for (std::size_t i = 0; i < states_.values().size(); ++i) {
    const int state = states_.values()[i];
    if (states_.rates()[i] != state || !states_.reading(state).coordinate) return;
    form.coordinates.push_back(states_.reading(state).name);
  }
  const Eigen::MatrixXd& A = out_.A;
  const double small = tolerances::steady * out_.size();
  Eigen::MatrixXd kinematic = Eigen::MatrixXd::Zero(n, A.cols());
  kinematic.middleCols(n, n).diagonal().setConstant(1.0 / model_.scale.time);
  if (!((A_.topRows(n) - kinematic).cwiseAbs().maxCoeff() <= small)) return;
  if (speeds > n && !(A_.block(n, 2 * n, n, speeds - n).cwiseAbs().maxCoeff() <= small)) return;
  const LinearInputs inputs(model_, form.coordinates);
  Response& response = perturbations_.response();
  Tangent tangent(model_);
  Eigen::MatrixXd inverse(n, n);
  for (Eigen::Index k = 0; k < n; ++k) {
    Eigen::VectorXd force, rows;
    inputs.right_sides(static_cast<std::size_t>(k), response.workspace(), force, rows);
    const Direction along{Eigen::VectorXd::Zero(model_.nv), response.to(force, rows).y, 0.0};
    tangent.update_kinematics(perturbations_.bodies(), along);
    inverse.col(k) = input_column(along, tangent).segment(n, n);
  }
  const Eigen::VectorXd own = sizes_.head(n).cwiseInverse();
  const Eigen::FullPivLU<Eigen::MatrixXd> lu(own.asDiagonal() * inverse * own.asDiagonal());
  if (!lu.isInvertible()) return;
  form.M = own.asDiagonal() * lu.inverse() * own.asDiagonal();
  form.C = -form.M * A.block(n, n, n, n);
  form.K = -form.M * A.block(n, 0, n, n);
  if (!form.M.allFinite() || !form.C.allFinite() || !form.K.allFinite()) return;
  out_.second_order = std::move(form);
}

// Outputs without a derivative are left out, with a note; without one of these there is nothing to tell.
void Linearizer::require_finite() const {
  for (Eigen::Index k = 0; k < out_.B.cols(); ++k)
    if (!out_.B.col(k).allFinite())
      throw NumericalError(fmt::format("the states have no finite derivative by input \"{}\"",
                                       out_.inputs[static_cast<std::size_t>(k)].name));
  for (Eigen::Index i = 0; i < out_.C.rows(); ++i)
    if (!out_.C.row(i).allFinite() || !out_.D.row(i).allFinite())
      throw NumericalError(
          fmt::format("the derivatives of output \"{}\" overflow", out_.outputs[static_cast<std::size_t>(i)].name));
  for (const LinearMode& mode : out_.modes)
    if (!std::isfinite(mode.eigenvalue.real()) || !std::isfinite(mode.eigenvalue.imag()) || !mode.shape.allFinite())
      throw NumericalError("an eigenvalue or its mode is not a finite number");
  if (!std::isfinite(out_.drift) || !std::isfinite(out_.symmetry_error))
    throw NumericalError("the accelerations at the point to linearize about are not finite numbers");
}

Linearization Linearizer::run() {
  write_states();
  if (!options_.modes_only) {
    write_inputs();
    write_second_order();
    write_outputs();
  }
  write_modes();
  if (!out_.steady) {
    const Eigen::VectorXd sizes = motion_sizes(model_);
    for (const double y : perturbations_.response().solution().y.cwiseQuotient(sizes))
      keep_larger(out_.drift, model_.scale.length * std::abs(y));
  }
  require_finite();
  return std::move(out_);
}

}  // namespace

Linearization linearize(const Model& model, const Steady& steady, const LinearizeOptions& options) {
  return Linearizer(model, steady.bodies, steady.symmetry, &steady.motion, options).run();
}

Linearization linearize_start(const Model& model, const LinearizeOptions& options) {
  const Assembly start = assemble(model, start_state(model), {.allow_large = false});
  const Symmetry symmetry = find_symmetry(model, start.bodies);
  return Linearizer(model, start.bodies, symmetry, nullptr, options).run();
}

}  // namespace tandem
