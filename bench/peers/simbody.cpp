// Simbody: realize(Acceleration) for forward dynamics and loops, calcResidualForce for inverse dynamics, calcM.
#include <Simbody.h>

#include "../problems.hpp"
#include "driver.hpp"

namespace {

using namespace bench;
using namespace SimTK;

Vec3 vector(const bench::Three& v) { return {v[0], v[1], v[2]}; }

// Turns the axis that Simbody's joint moves about (z) or along (x) onto the link's axis.
Rotation onto_axis(const Link& link) {
  if (link.joint == 'f' || link.joint == 'b') return {};
  const Vec3 from = link.slides() ? Vec3(1, 0, 0) : Vec3(0, 0, 1);
  Vec3 to(0);
  to[link.axis()] = 1.0;
  const Vec3 axis = from % to;
  return axis.norm() < 0.5 ? Rotation() : Rotation(Pi / 2, UnitVec3(axis));
}

struct Machine {
  explicit Machine(const Mechanism& mechanism)
      : matter(system), forces(system), gravity(forces, matter, vector(mechanism.gravity)) {
    for (const Link& link : mechanism.links) {
      const auto& I = link.inertia;
      const Inertia central(I[0], I[1], I[2], I[3], I[4], I[5]);
      const Body::Rigid body(
          MassProperties(link.mass, vector(link.center), central.shiftFromMassCenter(-vector(link.center), link.mass)));
      const auto& R = link.R;
      const Rotation placed(Mat33(R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8]), true);
      const Rotation turned = onto_axis(link);
      const Transform on_parent(placed * turned, vector(link.p)), on_child(turned);
      MobilizedBody& parent = link.parent < 0 ? static_cast<MobilizedBody&>(matter.updGround())
                                              : bodies[static_cast<std::size_t>(link.parent)];
      if (link.joint == 'f')
        bodies.push_back(MobilizedBody::Free(parent, on_parent, body, on_child));
      else if (link.slides())
        bodies.push_back(MobilizedBody::Slider(parent, on_parent, body, on_child));
      else
        bodies.push_back(MobilizedBody::Pin(parent, on_parent, body, on_child));
    }
    for (const Closure& closure : mechanism.closures)
      Constraint::Ball(bodies[static_cast<std::size_t>(closure.a)], vector(closure.point_a),
                       bodies[static_cast<std::size_t>(closure.b)], vector(closure.point_b));
    system.realizeTopology();
    state = system.getDefaultState();
    matter.setUseEulerAngles(state, false);
    system.realizeModel(state);
    for (const Link& link : mechanism.links) {
      const MobilizedBody& body = bodies[q_first.size()];
      q_first.push_back(int(body.getFirstQIndex(state)));
      u_first.push_back(int(body.getFirstUIndex(state)));
      free.push_back(link.joint == 'f');
    }
    for (const Sample& sample : mechanism.samples) {
      q.push_back(positions(mechanism, sample));
      u.push_back(speeds(mechanism, sample, sample.v));
      if (!sample.given.empty()) given.push_back(speeds(mechanism, sample, sample.given));
    }
  }
  Vector positions(const Mechanism& mechanism, const Sample& sample) const {
    Vector out(state.getNQ());
    std::size_t from = 0;
    for (std::size_t i = 0; i < mechanism.links.size(); ++i)
      for (int k = 0; k < mechanism.links[i].nq(); ++k) out[q_first[i] + k] = sample.q[from++];
    return out;
  }
  static Rotation base(const Sample& sample) {
    return Rotation(Quaternion(sample.q[0], sample.q[1], sample.q[2], sample.q[3]));
  }
  // Simbody has ω of a free body in the parent's axes.
  Vector speeds(const Mechanism& mechanism, const Sample& sample, const std::vector<double>& ours) const {
    Vector out(state.getNU());
    std::size_t from = 0;
    for (std::size_t i = 0; i < mechanism.links.size(); ++i) {
      for (int k = 0; k < mechanism.links[i].nv(); ++k) out[u_first[i] + k] = ours[from++];
      if (free[i]) turn(base(sample), out, u_first[i]);
    }
    return out;
  }
  std::vector<double> numbers(const Mechanism& mechanism, const Sample& sample, Vector theirs) const {
    std::vector<double> out;
    for (std::size_t i = 0; i < mechanism.links.size(); ++i) {
      if (free[i]) turn(~base(sample), theirs, u_first[i]);
      for (int k = 0; k < mechanism.links[i].nv(); ++k) out.push_back(theirs[u_first[i] + k]);
    }
    return out;
  }
  static void turn(const Rotation& R, Vector& numbers, int first) {
    const Vec3 turned = R * Vec3(numbers[first], numbers[first + 1], numbers[first + 2]);
    for (int k = 0; k < 3; ++k) numbers[first + k] = turned[k];
  }

  MultibodySystem system;
  SimbodyMatterSubsystem matter;
  GeneralForceSubsystem forces;
  Force::UniformGravity gravity;
  std::vector<MobilizedBody> bodies;
  State state;
  std::vector<int> q_first, u_first;
  std::vector<bool> free;
  std::vector<Vector> q, u, given;
};

std::vector<Line> jobs(const Mechanism& mechanism, double budget) {
  if (mechanism.samples.empty()) return {};
  Machine machine(mechanism);
  State& state = machine.state;
  Vector efforts;
  Matrix M;
  const bool loops = !mechanism.closures.empty();
  std::vector<Line> lines;
  lines.push_back(measure(
      mechanism, budget, loops ? "loops" : "forward", loops ? "realize, ball constraints" : "realize",
      [&](std::size_t i) {
        state.updQ() = machine.q[i];
        state.updU() = machine.u[i];
        machine.system.realize(state, Stage::Acceleration);
      },
      [&](std::size_t i) { return machine.numbers(mechanism, mechanism.samples[i], state.getUDot()); },
      right_accelerations));
  if (loops) return lines;
  lines.push_back(measure(
      mechanism, budget, "inverse", "calcResidualForceIgnoringConstraints",
      [&](std::size_t i) {
        state.updQ() = machine.q[i];
        state.updU() = machine.u[i];
        machine.system.realize(state, Stage::Dynamics);
        machine.matter.calcResidualForceIgnoringConstraints(
            state, machine.system.getMobilityForces(state, Stage::Dynamics),
            machine.system.getRigidBodyForces(state, Stage::Dynamics), machine.given[i], efforts);
      },
      [&](std::size_t i) { return machine.numbers(mechanism, mechanism.samples[i], efforts); }, right_efforts));
  if (mechanism.links.size() > 500) return lines;  // seconds a matrix
  lines.push_back(measure(
      mechanism, budget, "mass", "calcM",
      [&](std::size_t i) {
        state.updQ() = machine.q[i];
        machine.system.realize(state, Stage::Position);
        machine.matter.calcM(state, M);
      },
      [&](std::size_t i) {
        const Vector product = M * machine.u[i];
        return std::vector<double>{0.5 * (~product * machine.u[i])};
      },
      right_energy));
  return lines;
}

// CPU time against error, by its Runge-Kutta-Merson integrator with error control and projection.
void accuracy(const Mechanism& mechanism) {
  const Problem problem = find_problem(mechanism.name);
  const std::vector<double> rates = start_rates(mechanism);
  for (const double wanted : {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9}) {
    Machine machine(mechanism);
    for (std::size_t i = 0; i < rates.size(); ++i) machine.state.updU()[machine.u_first[i]] = rates[i];
    RungeKuttaMersonIntegrator integrator(machine.system);
    integrator.setAccuracy(wanted);
    integrator.setFinalTime(problem.end);
    integrator.initialize(machine.state);
    const double start = cpu_seconds();
    try {
      while (integrator.getTime() < problem.end) {
        integrator.stepTo(problem.end);
        if (cpu_seconds() - start > 30.0) throw std::runtime_error("too slow");
      }
    } catch (const std::exception& error) {
      std::fprintf(stderr, "simbody: %s, accuracy %g: %s\n", problem.name.c_str(), wanted, error.what());
      continue;
    }
    const double seconds = cpu_seconds() - start;
    const Vec3 at = machine.bodies[0].findStationLocationInGround(integrator.getState(), vector(problem.point));
    print_accuracy("simbody", problem.name, "Runge-Kutta-Merson", wanted, seconds, error_of(problem, at[0], at[1]));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && argv[1] == std::string("accuracy")) {
    accuracy(read(argv[2]));
    return 0;
  }
  return run(argc, argv, "simbody", jobs);
}
