#include "tandem/assemble/assemble.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tandem/assemble/held.hpp"
#include "tandem/assemble/nearest_pose.hpp"
#include "tandem/base/larger.hpp"
#include "tandem/dynamics/geometry.hpp"
#include "tandem/linalg/independent_rows.hpp"
#include "tandem/methods/lagrange.hpp"
#include "tandem/observe/momentum.hpp"

namespace tandem {

namespace {

// A row of the model, or of the copy with held rows behind.
std::string held_name(const Model& held, int row) {
  return "held " + held.constraints[static_cast<std::size_t>(held.block_of_row(row).index)].name;
}
std::string name_of(const Model& model, const Model& held, int row) {
  return row < model.rows ? model.row_name(row) : held_name(held, row);
}
std::string block_name_of(const Model& model, const Model& held, int row) {
  return row < model.rows ? model.block_name(model.block_of_row(row)) : held_name(held, row);
}

// What is held from the command line stands nowhere in the file.
Fault unmet_at(const Model& model, const Location& where, std::string message) {
  return {.warning = false,
          .where = where.file.empty() ? Location{model.file, 0, 0} : where,
          .object = "",
          .message = std::move(message)};
}

Kinematics<double> kinematics_at(const Model& model, const State& state) {
  Kinematics<double> kinematics(model);
  kinematics.update(model, state.t, state.q(), state.v(), state.angles());
  return kinematics;
}

// A held angle is known beyond one turn: the turn is the one that was asked for.
State on_held_turns(const Model& model, State state) {
  for (const ModelStart& held : model.starts) {
    if (held.of != ModelStart::Of::joint || !held.value) continue;
    const ModelJoint& joint = model.joints[static_cast<std::size_t>(held.coordinate.joint)];
    const auto k = static_cast<std::size_t>(held.coordinate.coordinate);
    const JointCoordinate& coordinate = joint.joint()->traits().coordinates[k];
    if (coordinate.angular && !coordinate.counts_turns)
      state.angles()[joint.turns_first + held.coordinate.coordinate] = *held.value;
  }
  return state;
}

Model holding_first(const Model& model, std::size_t count) {
  Model out = model;
  out.starts.resize(count);
  return out;
}

std::vector<Fault> unmet_rows(const Model& model, const NearestPose& pose) {
  std::vector<std::pair<double, int>> rows;
  for (int row = 0; row < model.rows; ++row) rows.emplace_back(std::abs(pose.residual(row)) / model.row_size(row), row);
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<Fault> unmet;
  for (const auto& [off, row] : rows)
    if (off > 1e-2 * rows.front().first)
      unmet.push_back(unmet_at(
          model, model.where(model.block_of_row(row)),
          fmt::format("no pose meets {}: it stays off by {:.3g}", model.row_name(row), off * model.row_size(row))));
  return unmet;
}

// About the last coordinate held. `pose` could not meet it.
Fault unmet_held(const Model& held, const Kinematics<double>& guess, NearestPose& pose) {
  const ModelStart& last = held.starts.back();
  const double wanted = last.value.value_or(read_coordinate(held, last, guess).value);
  pose.approach_with_weak_row(held.rows - 1);
  double off = 0.0;
  for (int row = 0; row + 1 < held.rows; ++row) keep_larger(off, std::abs(pose.residual(row)) / held.row_size(row));
  const double reading = read_coordinate(held, last, pose.workspace().kinematics).value;
  std::vector<std::string> against{"the rows of the model"};
  for (std::size_t i = 0; i + 1 < held.starts.size(); ++i)
    if (holds_position(held.starts[i])) against.push_back("held " + held.starts[i].name);
  return unmet_at(
      held, last.where,
      fmt::format("held {} cannot be {:.6g}: it contradicts {}{}", last.name, wanted, fmt::join(against, ", "),
                  off < 1e-3 ? fmt::format("; the nearest it comes is about {:.4g}", reading) : ""));
}

// Least squares spreads a contradiction over all rows it touches. So what is held is added one by one: the first that
// cannot be met contradicts the model's own rows and what is held before it.
std::vector<Fault> explain_pose(const Model& model, const State& guess) {
  const Kinematics<double> at_guess = kinematics_at(model, guess);
  for (std::size_t count = 0; count <= model.starts.size(); ++count) {
    if (count > 0 && !holds_position(model.starts[count - 1])) continue;
    const Model held = with_held_positions(holding_first(model, count), at_guess);
    NearestPose pose(held, guess);
    if (pose.find()) continue;
    return count == 0 ? unmet_rows(model, pose) : std::vector{unmet_held(held, at_guess, pose)};
  }
  return {unmet_at(model, {}, "no pose was found")};
}

bool is_asked(const Model& model, int row) {
  const RowBlockInfo& block = model.block_of_row(row);
  return !block.is_soft(model) && !block.is_one_sided(model);
}

// The rows that contradict others at the level of speeds, held ones last, so that they are what is named.
std::vector<Fault> explain_speeds(const Model& model, const Model& held, const Workspace& workspace, double tolerance) {
  const Eigen::MatrixXd J = dense_rows(held, workspace.rows, true);
  std::vector<int> order;
  for (int row = 0; row < held.rows; ++row)
    if (is_asked(held, row)) order.push_back(row);
  std::vector<Fault> unmet;
  for (const DependentRow& dependent : explain_rows(J, order).dependent) {
    double off = workspace.problem.rate[dependent.row];
    std::vector<std::string> others;
    for (std::size_t k = 0; k < dependent.on.size(); ++k) {
      off -= dependent.coefficients[k] * workspace.problem.rate[dependent.on[k]];
      const std::string name = block_name_of(model, held, dependent.on[k]);
      if (std::find(others.begin(), others.end(), name) == others.end())
        others.insert(dependent.on[k] < model.rows ? others.end() : others.begin(), name);
    }
    if (std::abs(off) <= tolerance * held.row_size(dependent.row)) continue;
    const std::size_t more = others.size() > 4 ? others.size() - 4 : 0;
    others.resize(others.size() - more);
    unmet.push_back(
        unmet_at(held, held.where(held.block_of_row(dependent.row)),
                 fmt::format("no speeds meet {}: its rate stays off by {:.3g}{}{}", name_of(model, held, dependent.row),
                             std::abs(off), others.empty() ? "" : fmt::format(" against {}", fmt::join(others, ", ")),
                             more > 0 ? fmt::format(" and {} more", more) : "")));
  }
  return unmet;
}

void find_speeds(const Model& model, const Model& held, Assembly& out) {
  Workspace workspace(held);
  workspace.update(held, out.bodies);
  Lagrange method;
  Solution solution;
  const auto worst = [&] {
    double most = 0.0;
    for (int row = 0; row < held.rows; ++row)
      if (is_asked(held, row))
        keep_larger(most, std::abs(workspace.problem.rate[row]) * held.scale.time / workspace.problem.row_size[row]);
    return most;
  };
  // Repeated, because near a singular pose one pass leaves its round-off.
  for (int pass = 0; pass < 3 && held.rows > 0 && !(worst() <= tolerances::projected); ++pass) {
    GaussProblem impulse = workspace.problem;
    impulse.f.setZero();
    impulse.b = -impulse.rate;
    method.solve(held, impulse, solution);  // (2)
    out.bodies.v() += solution.y;
    workspace.refresh(held, out.bodies);
  }
  const double fastest = held.nv > 0 ? out.bodies.v().cwiseQuotient(workspace.v_size()).cwiseAbs().maxCoeff() : 0.0;
  const double tolerance = tolerances::met * (1.0 + fastest);
  if (!(worst() <= tolerance)) out.unmet = explain_speeds(model, held, workspace, tolerance / held.scale.time);
  if (!(worst() <= tolerance) && out.unmet.empty())
    out.unmet.push_back(unmet_at(model, {}, "the speeds did not converge"));
}

void tell_moves(const Model& model, const State& guess, Assembly& out) {
  const Eigen::VectorXd d = pose_difference(model, out.bodies.q(), guess.q()), change = out.bodies.v() - guess.v();
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    BodyMove move{.body = body.name, .length = model.scale.of_body[i]};
    const int at = body.v_first + body.nv() - 3;
    move.distance = d.segment<3>(at).stableNorm();
    move.speed = change.segment<3>(at).stableNorm();
    if (!body.point_mass) {
      move.turn = d.segment<3>(body.v_first).stableNorm();
      move.angular_speed = change.segment<3>(body.v_first).stableNorm();
    }
    out.speed_moved = std::max(out.speed_moved, move.most_speed());
    out.moves.push_back(std::move(move));
  }
  std::stable_sort(out.moves.begin(), out.moves.end(),
                   [](const BodyMove& a, const BodyMove& b) { return a.most() > b.most(); });
  if (out.moves.empty() || !(out.moves.front().most() > 0.0)) return;
  out.moved = out.moves.front().most();
  out.most_moved = out.moves.front().body;
}

// What is held at a speed may not survive the rigid motion that takes the momentum away.
void remove_momentum(const Model& model, Assembly& out) {
  out.bodies = with_zero_momentum(model, out.bodies);
  const Kinematics<double> kinematics = kinematics_at(model, out.bodies);
  for (const ModelStart& held : model.starts) {
    if (!holds_speed(held)) continue;
    const double rate = read_coordinate(model, held, kinematics).rate;
    const double size = size_of(model, held) / model.scale.time;
    if (std::abs(rate - *held.rate) > tolerances::met * (size + std::abs(*held.rate)))
      out.unmet.push_back(
          unmet_at(model, held.where,
                   fmt::format("held {} cannot have the rate {:.6g} without momentum: its rate is then {:.6g}",
                               held.name, *held.rate, rate)));
  }
}

// A drive of a coordinate that is held at a value: where the bodies put that coordinate says nothing.
bool is_of_held(const Model& model, const RowBlockInfo& block) {
  if (block.kind != RowBlockInfo::Kind::drive) return false;
  const CoordinateRef& driven = model.drives[static_cast<std::size_t>(block.index)].coordinate;
  return std::any_of(model.starts.begin(), model.starts.end(), [&](const ModelStart& held) {
    return held.of == ModelStart::Of::joint && held.value && held.coordinate.joint == driven.joint &&
           held.coordinate.coordinate == driven.coordinate;
  });
}

void refuse_far_start(const Model& model, const Workspace& workspace, double tolerance) {
  Faults faults;
  for (int row = 0; row < model.rows; ++row) {
    const RowBlockInfo& block = model.block_of_row(row);
    const double off = workspace.problem.phi[row], most = tolerance * model.row_size(row);
    if (std::isfinite(off) && is_of_held(model, block)) continue;
    if (block.is_soft(model) || (block.is_one_sided(model) && off < most) || std::abs(off) <= most) continue;
    faults.about("", model.where(block));
    if (std::isnan(off)) {
      faults.error(fmt::format("the start cannot be measured: {} is not a finite number there; look at its numbers",
                               model.row_name(row)));
      continue;
    }
    faults.error(fmt::format(
        "the start does not meet its constraints: {} is off by {:.3g}; {}", model.row_name(row), off,
        block.kind == RowBlockInfo::Kind::drive ? "let the drive start where the joint is, or move the bodies"
                                                : "give the bodies a start that meets it (tandem assemble finds one)"));
  }
  if (faults.any_error()) throw FarStart(std::move(faults));
}

}  // namespace

// Each step has a workspace of its own that ends with it: of a large machine they take most of the memory.
Assembly try_to_assemble(const Model& model, const State& guess, const AssemblyOptions& options) {
  Assembly out;
  const bool any = !model.starts.empty();
  Model pose_model;
  {
    Workspace workspace(model);
    workspace.refresh(model, guess);
    out.given = residual_norms(workspace.problem);
    if (!options.allow_large) refuse_far_start(model, workspace, options.tolerance);
    if (any) pose_model = with_held_positions(model, workspace.kinematics);
  }
  const State start = on_held_turns(model, guess);
  bool found = false;
  {
    NearestPose pose(any ? pose_model : model, start);
    found = pose.find();  // (1)
    out.bodies = pose.state();
    out.iterations = pose.iterations();
    out.continued = pose.continued();
  }
  if (found) {
    const Model speed_model = any ? with_held_speeds(model) : Model{};
    find_speeds(model, any ? speed_model : model, out);
    if (options.zero_momentum) remove_momentum(model, out);
  } else {
    out.unmet = explain_pose(model, start);
  }
  Workspace workspace(model);
  workspace.refresh(model, out.bodies);
  workspace.kinematics.read_angles(model, out.bodies.angles());
  workspace.refresh(model, out.bodies);
  out.after = residual_norms(workspace.problem);
  require_finite_kinetic_energy(model, workspace.kinematics.bodies());
  if (found)
    for (const RowBlockInfo& block : model.blocks)
      if (const std::string trouble = geometry_trouble(model, block, workspace.kinematics); !trouble.empty())
        out.unmet.push_back(unmet_at(model, model.where(block), trouble));
  tell_moves(model, guess, out);
  return out;
}

void refuse_unmet(const Assembly& assembly) {
  Faults faults;
  for (const Fault& each : assembly.unmet) faults.error_at(each.where, each.message);
  throw ModelError(std::move(faults));
}

Assembly assemble(const Model& model, const State& guess, const AssemblyOptions& options) {
  Assembly out = try_to_assemble(model, guess, options);
  if (!out.unmet.empty()) refuse_unmet(out);
  return out;
}

}  // namespace tandem
