#include "tandem/run/health.hpp"

#include <fmt/format.h>

#include <bit>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "tandem/base/larger.hpp"
#include "tandem/observe/outputs.hpp"

namespace tandem {

namespace {

void keep_larger_norms(ResidualNorms& most, const ResidualNorms& value) {
  keep_larger(most.position, value.position);
  keep_larger(most.velocity, value.velocity);
  keep_larger(most.share, value.share);
}

// |J y − b| and λᵀ(J v + φ_t) over rows of the model, on the bodies: whatever the coordinates are.
void measure_rows(const Model& model, const RowsHere& here, VecIn<double> v, HealthRow& row) {
  row.acceleration = row.acceleration_share = row.power = 0.0;
  for (const int index : here.blocks) {
    const RowBlockInfo& info = model.blocks[static_cast<std::size_t>(index)];
    if (info.rows == 0 || info.is_one_sided(model) || info.is_soft(model)) continue;
    const RowBlock<double>& block = here.rows.block(static_cast<std::size_t>(index));
    Eigen::VectorXd rest = -block.b, rate = block.phi_t;
    Eigen::VectorXd terms = block.b.cwiseAbs();
    for (std::size_t k = 0; k < info.bodies.size(); ++k) {
      const Body& body = model.bodies[static_cast<std::size_t>(info.bodies[k])];
      const auto J = body_columns(body, block.J.middleCols(6 * static_cast<Eigen::Index>(k), 6));
      rest += J * here.y.segment(body.v_first, body.nv());
      terms += J.cwiseAbs() * here.y.segment(body.v_first, body.nv()).cwiseAbs();
      rate += J * v.segment(body.v_first, body.nv());
    }
    for (int k = 0; k < info.rows; ++k) {
      const double size = info.sizes[static_cast<std::size_t>(k)];
      const double off = std::abs(rest[k]);
      keep_larger(row.acceleration, off * info.length / size);  // (2)
      keep_larger(row.acceleration_share, off / (terms[k] + size / (model.scale.time * model.scale.time)));
    }
    row.power += here.lambda.segment(info.first_row, info.rows).dot(rate);  // (3)
  }
}

// Before it counts: what is not finite would spoil every summary that follows.
void require_finite(const HealthRow& row, const Model& model, std::span<const BodyMotion<double>> bodies) {
  const auto require = [&](const char* name, double value) {
    if (!std::isfinite(value))
      throw NumericalError(fmt::format("{} is {}, which is not a finite number; the fastest body is \"{}\"", name,
                                       value, fastest_body(model, bodies)));
  };
  require("the kinetic energy", row.energy.kinetic);
  require("the energy of gravity", row.energy.gravity);
  require("the energy of springs", row.energy.spring);
  require("the work done", row.work.total());
  require("the energy of all kinds together", row.energy.total());
  require("the momentum", row.momentum.linear.sum() + row.momentum.angular.sum());
  require("the residual of accelerations", row.acceleration);
  require("the power of constraint forces", row.power);
}

}  // namespace

void require_finite(const Model& model, Simulation& simulation) {
  Health(model, simulation.setup()).record(simulation, {});
  const auto require = [](const std::string& name, double value) {
    if (!std::isfinite(value)) throw NumericalError(fmt::format("{} is {}, which is not a finite number", name, value));
  };
  const Workspace& at = simulation.workspace();
  const auto reaction = [&](const char* kind, const std::string& name, const Reaction& of) {
    require(fmt::format("the reaction of {} \"{}\"", kind, name), of.force.sum() + of.torque.sum() + of.point.sum());
  };
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    const auto index = static_cast<int>(i);
    reaction("joint", model.joints[i].name, joint_reaction(model, at, simulation.solution(), index));
    if (model.joints[i].positions_only) continue;  // it measures no angles
    require(fmt::format("the motion of joint \"{}\"", model.joints[i].name),
            at.kinematics.joint(index).q.sum() + at.kinematics.joint(index).v.sum() +
                simulation.joint_acceleration(index).sum());
  }
  for (std::size_t i = 0; i < model.constraints.size(); ++i)
    reaction("constraint", model.constraints[i].name,
             constraint_reaction(model, at, simulation.solution(), static_cast<int>(i)));
  for (std::size_t i = 0; i < model.drives.size(); ++i)
    require(fmt::format("the effort of drive \"{}\"", model.drives[i].name),
            drive_effort(model, simulation.solution(), static_cast<int>(i)));
  for (const ModelOutput& output : model.outputs)
    require(fmt::format("output \"{}\"", output.name), output_value(model, output, simulation));
}

double energy_of_lift(const Model& model) { return model.scale.mass * model.gravity.norm() * model.scale.length; }

Health::Health(const Model& model, const Setup& setup)
    : model_(model), setup_(setup), contacts_(tandem::contacts(model)), unique_(model) {
  row_.loads.resize(contacts_.size());
  summary_.lowest_loads.resize(contacts_.size());
  summary_.shared_loads.resize(contacts_.size());
  summary_.energy_lift = energy_of_lift(model);
}

void Health::watch(const StepReport& report, Simulation& after) {
  summary_.steps += report.steps;
  summary_.rejected += report.rejected;
  summary_.general_steps += report.general;
  summary_.iterations += report.iterations;
  keep_larger_norms(summary_.before, report.before);
  keep_larger_norms(summary_.after, report.after);
  keep_larger(summary_.quaternion_error, report.quaternion_error);
  keep_larger(summary_.turn, report.turn);
  if (!setup_.by_impulses()) return;
  summary_.impulses.sweeps += report.impulses.sweeps;
  summary_.impulses.position_iterations += report.impulses.position_iterations;
  keep_larger(summary_.impulses.position_gap, report.impulses.position_gap);
  if (!(report.impulses.unsolved <= summary_.impulses.unsolved) && !std::isnan(summary_.impulses.unsolved)) {
    summary_.impulses.unsolved = report.impulses.unsolved;
    summary_.impulses.worst_row = report.impulses.worst_row;
  }
  const Eigen::VectorXd& lambda = after.solution().lambda;
  if (lambda.size() > 0) keep_larger(summary_.largest_force, lambda.cwiseAbs().maxCoeff());
}

bool Health::is_full(bool last) {
  const auto number = static_cast<unsigned long>(++summary_.samples);
  const bool general = summary_.general_steps != general_seen_;
  general_seen_ = summary_.general_steps;
  return last || general || std::has_single_bit(number) || number % 64 == 0;
}

const HealthRow& Health::record(Simulation& simulation, const StepReport& report, bool last) {
  row_.t = simulation.state().t;
  row_.energy = simulation.energy();
  row_.work = simulation.state().work();
  row_.momentum = momentum(model_, simulation.motions());
  row_.before = report.before;
  row_.after = report.after;
  row_.quaternion_error = report.quaternion_error;
  row_.iterations = report.iterations + report.impulses.sweeps;
  const RowsHere rows = simulation.rows(is_full(last));
  if (rows.all) ++summary_.full_samples;
  row_.rank = rows.rank;
  measure_rows(model_, rows, simulation.bodies().v(), row_);
  for (std::size_t i = 0; i < contacts_.size(); ++i) row_.loads[i] = rows.lambda[contacts_[i].row];
  require_finite(row_, model_, simulation.motions());
  if (!started_) {
    summary_.energy_start = row_.energy;
    summary_.momentum_start = row_.momentum;
    summary_.least_rank = summary_.most_rank = row_.rank;
    for (std::size_t i = 0; i < contacts_.size(); ++i) summary_.lowest_loads[i] = {row_.loads[i], row_.t};
    started_ = true;
  }
  row_.balance = row_.energy.total() - summary_.energy_start.total() - row_.work.total();  // (1)
  keep_larger(summary_.energy_scale, row_.energy.kinetic);
  for (const double part : {row_.energy.kinetic, row_.energy.gravity, row_.energy.spring})
    keep_larger(summary_.energy_size, std::abs(part));
  keep_larger(summary_.energy_scale, std::abs(row_.energy.gravity + row_.energy.spring - summary_.energy_start.gravity -
                                              summary_.energy_start.spring));
  for (const double done : {row_.work.dampers, row_.work.drives, row_.work.forces})
    keep_larger(summary_.energy_scale, std::abs(done));
  if (!(std::abs(row_.balance) <= std::abs(summary_.balance.value))) summary_.balance = {row_.balance, row_.t};
  summary_.energy_end = row_.energy;
  summary_.work = row_.work;
  summary_.momentum_end = row_.momentum;
  keep_larger(summary_.acceleration, row_.acceleration);
  keep_larger(summary_.acceleration_share, row_.acceleration_share);
  keep_larger(summary_.power, std::abs(row_.power));
  if (summary_.rank_changed < 0.0 && row_.rank != summary_.most_rank) summary_.rank_changed = row_.t;
  summary_.least_rank = std::min(summary_.least_rank, row_.rank);
  summary_.most_rank = std::max(summary_.most_rank, row_.rank);
  for (std::size_t i = 0; i < contacts_.size(); ++i)
    if (row_.loads[i] < summary_.lowest_loads[i].value) summary_.lowest_loads[i] = {row_.loads[i], row_.t};
  if (rows.all) {
    unique_.row(simulation.workspace(), row_.rank);
    mark_loads();
  }
  return row_;
}

void Health::look(const Workspace& workspace) {
  unique_.look(workspace);
  mark_loads();
}

void Health::mark_loads() {
  for (std::size_t i = 0; i < contacts_.size(); ++i) summary_.shared_loads[i] = !unique().load(contacts_[i]);
}

// The summary is plain numbers and one list of them; visited in one place, so that save and load cannot differ.
template <class Summary, class Visit> static void visit(Summary& s, Visit&& number) {
  for (auto* energy : {&s.energy_start, &s.energy_end}) {
    number(energy->kinetic);
    number(energy->gravity);
    number(energy->spring);
  }
  number(s.work.dampers);
  number(s.work.drives);
  number(s.work.forces);
  number(s.energy_scale);
  number(s.energy_size);
  number(s.balance.value);
  number(s.balance.t);
  for (auto* each : {&s.momentum_start, &s.momentum_end})
    for (Eigen::Index k = 0; k < 3; ++k) {
      number(each->linear[k]);
      number(each->angular[k]);
    }
  for (auto* each : {&s.before, &s.after}) {
    number(each->position);
    number(each->velocity);
    number(each->share);
  }
  number(s.acceleration);
  number(s.acceleration_share);
  number(s.turn);
  number(s.power);
  number(s.quaternion_error);
  number(s.least_rank);
  number(s.most_rank);
  number(s.rank_changed);
  number(s.steps);
  number(s.rejected);
  number(s.general_steps);
  number(s.samples);
  number(s.full_samples);
  number(s.iterations);
  number(s.impulses.sweeps);
  number(s.impulses.unsolved);
  number(s.impulses.worst_row);
  number(s.impulses.position_gap);
  number(s.impulses.position_iterations);
  number(s.largest_force);
  for (auto& load : s.lowest_loads) {
    number(load.value);
    number(load.t);
  }
}

// How many there are of what events of a kind are about.
static long things_of(const Model& model, HealthEvent::Kind kind) {
  switch (kind) {
    case HealthEvent::Kind::breakpoint_of_force:
      return static_cast<long>(model.forces.size());
    case HealthEvent::Kind::breakpoint_of_drive:
      return static_cast<long>(model.drives.size());
    case HealthEvent::Kind::breakpoint_of_constraint:
      return static_cast<long>(model.constraints.size());
    case HealthEvent::Kind::stop:
      return static_cast<long>(model.stops.size());
    default:
      return model.rows;
  }
}

void Health::save(MemoryWriter& out) const {
  out.put(started_ ? 1.0 : 0.0);
  out.put(static_cast<double>(general_seen_));
  visit(summary_, [&](const auto& value) { out.put(static_cast<double>(value)); });
  unique_.save(out);
  out.put(static_cast<double>(summary_.events.size()));
  for (const HealthEvent& event : summary_.events) {
    out.put(static_cast<double>(event.kind));
    out.put(static_cast<double>(event.index));
    out.put(event.t);
    out.put(event.last);
    out.put(static_cast<double>(event.count));
  }
}

void Health::load(MemoryReader& in) {
  started_ = in.number() != 0.0;
  general_seen_ = in.whole_number(0, largest_exact);
  visit(summary_, [&]<class T>(T& value) {
    if constexpr (std::is_integral_v<T>)
      value =
          static_cast<T>(in.whole_number(-1, std::is_same_v<T, int> ? std::numeric_limits<int>::max() : largest_exact));
    else
      value = in.number();
  });
  unique_.load(in);
  mark_loads();
  if (summary_.impulses.worst_row >= model_.rows) throw std::invalid_argument("the memory is that of another model");
  summary_.events.resize(in.size());
  for (HealthEvent& event : summary_.events) {
    event.kind = static_cast<HealthEvent::Kind>(in.whole_number(0, static_cast<long>(HealthEvent::Kind::stop)));
    event.index = static_cast<int>(in.whole_number(0, things_of(model_, event.kind) - 1));
    event.t = in.finite_number();
    event.last = in.finite_number();
    event.count = in.whole_number(1, largest_exact);
  }
}

void Health::note(HealthEvent::Kind kind, int index, double t, double within) {
  HealthEvent* known = nullptr;
  for (HealthEvent& event : summary_.events) {
    if (event.kind != kind) continue;
    if (within > 0.0 && t - event.last <= within) {
      event.last = t;
      return;
    }
    if (event.index == index) known = &event;
  }
  if (!known) {
    summary_.events.push_back({kind, index, t, t, 1});
    return;
  }
  known->last = t;
  ++known->count;
}

}  // namespace tandem
