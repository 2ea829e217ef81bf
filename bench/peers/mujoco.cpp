// MuJoCo: mj_forward, mj_inverse, kinematics with mj_makeM, and mj_step with RK4 under loads. Its loops are soft: the
// answer is not the rigid one.
#include <mujoco/mujoco.h>

#include <memory>

#include "../problems.hpp"
#include "driver.hpp"

namespace {

using namespace bench;

struct Delete {
  void operator()(mjSpec* spec) const { mj_deleteSpec(spec); }
  void operator()(mjModel* model) const { mj_deleteModel(model); }
  void operator()(mjData* data) const { mj_deleteData(data); }
};

// Rotation matrix by rows to quaternion w x y z.
void quaternion_of(const std::array<double, 9>& R, double* q) { mju_mat2Quat(q, R.data()); }

std::unique_ptr<mjModel, Delete> model_of(const Mechanism& mechanism) {
  const std::unique_ptr<mjSpec, Delete> spec(mj_makeSpec());
  std::copy(mechanism.gravity.begin(), mechanism.gravity.end(), spec->option.gravity);
  std::vector<mjsBody*> bodies;
  for (const Link& link : mechanism.links) {
    mjsBody* parent =
        link.parent < 0 ? mjs_findBody(spec.get(), "world") : bodies[static_cast<std::size_t>(link.parent)];
    mjsBody* body = mjs_addBody(parent, nullptr);
    mjs_setName(body->element, ("b" + std::to_string(bodies.size())).c_str());
    std::copy(link.p.begin(), link.p.end(), body->pos);
    quaternion_of(link.R, body->quat);
    body->mass = link.mass;
    std::copy(link.center.begin(), link.center.end(), body->ipos);
    std::copy(link.inertia.begin(), link.inertia.end(), body->fullinertia);
    body->explicitinertial = 1;
    if (link.joint == 'f') {
      mjsJoint* joint = mjs_addFreeJoint(body);
      joint->align = mjALIGNFREE_FALSE;  // speeds of the link's origin, not of its mass centre
    } else {
      mjsJoint* joint = mjs_addJoint(body, nullptr);
      joint->type = link.slides() ? mjJNT_SLIDE : mjJNT_HINGE;
      for (int k = 0; k < 3; ++k) joint->axis[k] = k == link.axis() ? 1.0 : 0.0;
    }
    bodies.push_back(body);
  }
  for (const Closure& closure : mechanism.closures) {
    mjsEquality* equality = mjs_addEquality(spec.get(), nullptr);
    equality->type = mjEQ_CONNECT;
    equality->objtype = mjOBJ_BODY;
    mjs_setString(equality->name1, ("b" + std::to_string(closure.a)).c_str());
    mjs_setString(equality->name2, ("b" + std::to_string(closure.b)).c_str());
    std::copy(closure.point_a.begin(), closure.point_a.end(), equality->data);
  }
  std::unique_ptr<mjModel, Delete> model(mj_compile(spec.get(), nullptr));
  if (!model) throw std::runtime_error(mjs_getError(spec.get()));
  if (model->nbody != static_cast<int>(mechanism.links.size()) + 1) throw std::runtime_error("bodies were left out");
  return model;
}

// The free joint: positions before the quaternion, v before ω; as a point of the world, so the placement is added.
struct Form {
  explicit Form(const Mechanism& mechanism) : links(mechanism.links) {
    for (const Sample& sample : mechanism.samples) {
      std::vector<double> at = sample.q;
      if (links[0].joint == 'f') {
        std::rotate(at.begin(), at.begin() + 4, at.begin() + 7);
        for (std::size_t k = 0; k < 3; ++k) at[k] += links[0].p[k];
      }
      q.push_back(at);
      v.push_back(swapped(sample.v));
      given.push_back(swapped(sample.given));
    }
  }
  std::vector<double> swapped(std::vector<double> numbers) const {
    if (links[0].joint == 'f' && !numbers.empty())
      std::rotate(numbers.begin(), numbers.begin() + 3, numbers.begin() + 6);
    return numbers;
  }
  const std::vector<Link>& links;
  std::vector<std::vector<double>> q, v, given;
};

// Efforts of time, which it asks for at every stage. Links are its joints, in their order.
const Loads* loads_in_use = nullptr;
void push(const mjModel* m, mjData* d) {
  for (const Wave& wave : loads_in_use->drives)
    d->qfrc_applied[m->jnt_dofadr[wave.link]] = Loads::armature * wave.acceleration(d->time);
  for (const Wave& wave : loads_in_use->efforts) d->qfrc_applied[m->jnt_dofadr[wave.link]] = wave.at(d->time);
}

std::vector<Line> steps(const Mechanism& mechanism, double budget) {
  const auto model = model_of(mechanism);
  mjModel* m = model.get();
  m->opt.integrator = mjINT_RK4;
  m->opt.timestep = Loads::step;
  for (std::size_t i = 0; i < mechanism.links.size(); ++i) {
    if (mechanism.links[i].nv() > 1) continue;
    m->dof_damping[m->jnt_dofadr[i]] = mechanism.links[i].damping;
    m->jnt_stiffness[i] = mechanism.links[i].stiffness;
  }
  for (const Wave& wave : mechanism.loads.drives) m->dof_armature[m->jnt_dofadr[wave.link]] = Loads::armature;
  const std::unique_ptr<mjData, Delete> data(mj_makeData(m));
  mjData* d = data.get();
  loads_in_use = &mechanism.loads;
  mjcb_control = push;
  const Form form(mechanism);
  Line line;
  line.job = "step";
  line.mechanism = mechanism.name;
  line.how = "mj_step, RK4";
  line.limit = 1e-6;
  const auto start = [&] {
    mj_resetData(m, d);
    mju_copy(d->qpos, form.q.front().data(), m->nq);
    mju_copy(d->qvel, form.v.front().data(), m->nv);
  };
  start();
  for (long i = std::lround(Loads::span / Loads::step); i > 0; --i) mj_step(m, d);
  const int first = mechanism.floats() ? 7 : 0;  // of hinges and sliders
  line.error = relative_error({d->qpos + first, d->qpos + m->nq}, mechanism.samples.front().end);
  line.seconds = seconds_per_call(budget, [&](std::size_t i) {
    if (i % 1000 == 0) start();
    mj_step(m, d);
  });
  mjcb_control = nullptr;
  return {line};
}

std::vector<Line> jobs(const Mechanism& mechanism, double budget) {
  if (mechanism.samples.empty()) return {};
  if (mechanism.is_loaded()) return mechanism.closures.empty() ? steps(mechanism, budget) : std::vector<Line>{};
  const auto model = model_of(mechanism);
  const std::unique_ptr<mjData, Delete> data(mj_makeData(model.get()));
  const mjModel* m = model.get();
  mjData* d = data.get();
  const Form form(mechanism);
  const auto place = [&](std::size_t i) {
    mju_copy(d->qpos, form.q[i].data(), m->nq);
    mju_copy(d->qvel, form.v[i].data(), m->nv);
  };
  const auto numbers = [&](const mjtNum* of) { return form.swapped({of, of + m->nv}); };
  const bool loops = !mechanism.closures.empty();
  std::vector<Line> lines;
  lines.push_back(measure(
      mechanism, budget, loops ? "loops" : "forward", loops ? "mj_forward, soft" : "mj_forward",
      [&](std::size_t i) {
        place(i);
        mj_forward(m, d);
      },
      [&](std::size_t) { return numbers(d->qacc); }, right_accelerations));
  if (loops) return lines;
  lines.push_back(measure(
      mechanism, budget, "inverse", "mj_inverse",
      [&](std::size_t i) {
        place(i);
        mju_copy(d->qacc, form.given[i].data(), m->nv);
        mj_inverse(m, d);
      },
      [&](std::size_t) { return numbers(d->qfrc_inverse); }, right_efforts));
  lines.push_back(measure(
      mechanism, budget, "mass", "mj_kinematics, mj_comPos, mj_makeM",
      [&](std::size_t i) {
        mju_copy(d->qpos, form.q[i].data(), m->nq);
        mj_kinematics(m, d);
        mj_comPos(m, d);
        mj_makeM(m, d);
      },
      [&](std::size_t i) {
        std::vector<double> product(form.v[i].size());
        mj_mulM(m, d, product.data(), form.v[i].data());
        return std::vector<double>{0.5 * mju_dot(product.data(), form.v[i].data(), m->nv)};
      },
      right_energy));
  return lines;
}

// CPU time against error, by its Runge-Kutta integrator; loops are soft, so a short step does not help there.
void accuracy(const Mechanism& mechanism) {
  const Problem problem = find_problem(mechanism.name);
  const std::vector<double> rates = start_rates(mechanism);
  const auto model = model_of(mechanism);
  mjModel* m = model.get();
  m->opt.integrator = mjINT_RK4;
  for (const double h : {0.02, 0.01, 0.005, 0.0025, 0.001, 0.0005}) {
    const std::unique_ptr<mjData, Delete> data(mj_makeData(m));
    mjData* d = data.get();
    mju_copy(d->qvel, rates.data(), m->nv);
    m->opt.timestep = h;
    const auto count = static_cast<int>(std::lround(problem.end / h));
    const double start = cpu_seconds();
    for (int i = 0; i < count; ++i) mj_step(m, d);
    const double seconds = cpu_seconds() - start;
    mj_kinematics(m, d);
    mjtNum at[3];
    mju_mulMatVec3(at, d->xmat + 9, problem.point.data());
    print_accuracy("mujoco", problem.name, "RK4", h, seconds,
                   error_of(problem, at[0] + d->xpos[3], at[1] + d->xpos[4]));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && argv[1] == std::string("accuracy")) {
    accuracy(read(argv[2]));
    return 0;
  }
  return run(argc, argv, "mujoco", jobs);
}
