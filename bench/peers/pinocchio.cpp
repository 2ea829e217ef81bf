// Pinocchio: aba, rnea, crba on trees; constraintDynamics and lcaba on loops; each of these in a plain rk4 loop under
// loads.
//
// Its templates are instantiated here, by this compiler, and not taken from the prebuilt library.
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/constrained-dynamics.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/algorithm/loop-constrained-aba.hpp>
#include <pinocchio/algorithm/rnea.hpp>

#include "driver.hpp"

namespace {

using namespace bench;
namespace pin = pinocchio;
using Vector = Eigen::VectorXd;
using Vector3 = Eigen::Vector3d;

Vector3 vector(const Three& v) { return {v[0], v[1], v[2]}; }
pin::SE3 at_point(const Three& p) { return {pin::SE3::Matrix3::Identity(), vector(p)}; }

pin::Model model_of(const Mechanism& mechanism) {
  pin::Model model;
  model.gravity.linear() = vector(mechanism.gravity);
  for (const Link& link : mechanism.links) {
    const pin::SE3 placement(Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(link.R.data()),
                             vector(link.p));
    const auto parent = static_cast<pin::JointIndex>(link.parent + 1);
    const std::string name = "j" + std::to_string(model.njoints);
    const auto add = [&](const auto& joint) { return model.addJoint(parent, joint, placement, name); };
    const pin::JointIndex id = link.joint == 'x'   ? add(pin::JointModelRX())
                               : link.joint == 'y' ? add(pin::JointModelRY())
                               : link.joint == 'z' ? add(pin::JointModelRZ())
                               : link.joint == 'Z' ? add(pin::JointModelPZ())
                               : link.joint == 'f' ? add(pin::JointModelFreeFlyer())
                                                   : throw std::runtime_error("a joint is missing here");
    const auto& I = link.inertia;
    Eigen::Matrix3d inertia;
    inertia << I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2];
    model.appendBodyToJoint(id, pin::Inertia(link.mass, vector(link.center), inertia), pin::SE3::Identity());
  }
  return model;
}

// The constructor of Data takes four arrays of nv³ numbers, which these algorithms never use: 32 GB for 1000 joints.
// So for large models only what they use is made.
pin::Data data_of(const pin::Model& model) {
  if (model.nv < 500) return pin::Data(model);
  pin::Data data;
  const auto n = static_cast<std::size_t>(model.njoints);
  for (const pin::JointModel& joint : model.joints) data.joints.push_back(joint.createData());
  for (auto* motions : {&data.a, &data.oa, &data.a_gf, &data.oa_gf, &data.v, &data.ov})
    motions->assign(n, pin::Motion::Zero());
  for (auto* forces : {&data.f, &data.of, &data.h, &data.oh}) forces->assign(n, pin::Force::Zero());
  for (auto* poses : {&data.oMi, &data.liMi}) poses->assign(n, pin::SE3::Identity());
  for (auto* inertias : {&data.Ycrb, &data.oYcrb, &data.oinertias}) inertias->assign(n, pin::Inertia::Zero());
  for (auto* squares : {&data.Yaba, &data.oYaba}) squares->assign(n, pin::Inertia::Matrix6::Zero());
  for (auto* vectors : {&data.tau, &data.nle, &data.g, &data.ddq, &data.u}) vectors->setZero(model.nv);
  for (auto* columns : {&data.J, &data.dJ, &data.Ag}) columns->setZero(6, model.nv);
  data.M.setZero(model.nv, model.nv);
  data.com.assign(n, Vector3::Zero());
  data.mass.assign(n, -1.0);
  data.Fcrb.assign(n, pin::Data::Matrix6x::Zero(6, model.nv));
  data.nvSubtree.assign(n, 0);
  for (std::size_t i = n; i-- > 1;) {
    data.nvSubtree[i] += model.joints[i].nv();
    data.nvSubtree[model.parents[i]] += data.nvSubtree[i];
  }
  data.joint_apparent_inertia = pin::Data::DynamicMatrixStack(n, 1);
  for (std::size_t i = 0; i < n; ++i) {
    data.joint_apparent_inertia.push_back(model.nvs[i], model.nvs[i]);
    data.joint_apparent_inertia.back().setZero();
  }
  data.a_gf[0] = -model.gravity;
  return data;
}

// The free joint has its twist (v, ω) in body axes here; position before quaternion, and that with w last.
struct Form {
  explicit Form(const Mechanism& mechanism) : links(mechanism.links) {
    for (const Sample& sample : mechanism.samples) {
      q.push_back(positions(sample.q));
      v.push_back(map(sample, sample.v, false));
      if (!sample.given.empty()) given.push_back(map(sample, sample.given, true));
    }
  }
  Vector positions(const std::vector<double>& ours) const {
    Vector out = Eigen::Map<const Vector>(ours.data(), static_cast<Eigen::Index>(ours.size()));
    if (links[0].joint == 'f') out.head<7>() << ours[4], ours[5], ours[6], ours[1], ours[2], ours[3], ours[0];
    return out;
  }
  static Eigen::Matrix3d rotation(const Sample& sample) {
    return Eigen::Quaterniond(sample.q[0], sample.q[1], sample.q[2], sample.q[3]).toRotationMatrix();
  }
  Vector map(const Sample& sample, const std::vector<double>& ours, bool rate) const {
    Vector out = Eigen::Map<const Vector>(ours.data(), static_cast<Eigen::Index>(ours.size()));
    if (links[0].joint != 'f') return out;
    const Eigen::Matrix3d R = rotation(sample);
    const Vector3 angular = out.head<3>(), linear = R.transpose() * out.segment<3>(3);
    const Vector3 w = Eigen::Map<const Vector3>(sample.v.data());
    const Vector3 velocity = R.transpose() * Eigen::Map<const Vector3>(sample.v.data() + 3);
    out.head<3>() = rate ? Vector3(linear - w.cross(velocity)) : linear;
    out.segment<3>(3) = angular;
    return out;
  }
  std::vector<double> accelerations(const Sample& sample, Vector found) const {
    if (links[0].joint == 'f') {
      const Vector3 w = Eigen::Map<const Vector3>(sample.v.data());
      const Vector3 velocity = rotation(sample).transpose() * Eigen::Map<const Vector3>(sample.v.data() + 3);
      const Vector3 linear = rotation(sample) * (found.head<3>() + w.cross(velocity));
      found.head<3>() = found.segment<3>(3).eval();
      found.segment<3>(3) = linear;
    }
    return {found.begin(), found.end()};
  }
  std::vector<double> efforts(const Sample& sample, Vector found) const {
    if (links[0].joint == 'f') {
      const Vector3 force = rotation(sample) * found.head<3>();
      found.head<3>() = found.segment<3>(3).eval();
      found.segment<3>(3) = force;
    }
    return {found.begin(), found.end()};
  }
  const std::vector<Link>& links;
  std::vector<Vector> q, v, given;
};

std::vector<Line> trees(const Mechanism& mechanism, double budget) {
  const pin::Model model = model_of(mechanism);
  pin::Data data = data_of(model);
  const Form form(mechanism);
  const Vector none = Vector::Zero(model.nv);
  std::vector<Line> lines;
  for (const auto convention : {pin::Convention::LOCAL, pin::Convention::WORLD}) {
    const bool local = convention == pin::Convention::LOCAL;
    lines.push_back(measure(
        mechanism, budget, "forward", local ? "aba, local" : "aba, world",
        [&](std::size_t i) { keep(pin::aba(model, data, form.q[i], form.v[i], none, convention).data()); },
        [&](std::size_t i) { return form.accelerations(mechanism.samples[i], data.ddq); }, right_accelerations));
    lines.push_back(measure(
        mechanism, budget, "mass", local ? "crba, local" : "crba, world",
        [&](std::size_t i) { keep(pin::crba(model, data, form.q[i], convention).data()); },
        [&](std::size_t i) {
          const Vector Mv = data.M.selfadjointView<Eigen::Upper>() * form.v[i];
          return std::vector<double>{0.5 * form.v[i].dot(Mv)};
        },
        right_energy));
  }
  lines.push_back(measure(
      mechanism, budget, "inverse", "rnea",
      [&](std::size_t i) { keep(pin::rnea(model, data, form.q[i], form.v[i], form.given[i]).data()); },
      [&](std::size_t i) { return form.efforts(mechanism.samples[i], data.tau); }, right_efforts));
  return lines;
}

// The loads of a mechanism, as efforts. What follows a free joint is hinges and sliders.
struct LoadsOf {
  LoadsOf(const Mechanism& mechanism, pin::Model& model)
      : loads(mechanism.loads), damping(Vector::Zero(model.nv)), stiffness(damping), tau(damping) {
    for (std::size_t i = 0; i < mechanism.links.size(); ++i) {
      if (mechanism.links[i].nv() > 1) continue;
      at.push_back(model.idx_vs[i + 1]);
      damping[at.back()] = mechanism.links[i].damping;
      stiffness[at.back()] = mechanism.links[i].stiffness;
    }
    hinges = static_cast<Eigen::Index>(at.size());
    first = mechanism.floats() ? 1 : 0;
    for (const Wave& wave : loads.drives) model.armature[place(wave)] = Loads::armature;
  }
  Eigen::Index place(const Wave& wave) const { return at[static_cast<std::size_t>(wave.link - first)]; }
  const Vector& efforts(double t, const Vector& q, const Vector& v) {
    tau = -damping.cwiseProduct(v);
    tau.tail(hinges) -= stiffness.tail(hinges).cwiseProduct(q.tail(hinges));
    for (const Wave& wave : loads.efforts) tau[place(wave)] += wave.at(t);
    for (const Wave& wave : loads.drives) tau[place(wave)] += Loads::armature * wave.acceleration(t);
    return tau;
  }
  const Loads& loads;
  std::vector<Eigen::Index> at;
  Eigen::Index hinges = 0;
  int first = 0;
  Vector damping, stiffness, tau;
};

// Steps by rk4 with acceleration(q, v, efforts). The loop is as plain as it can be: no projection, no checks,
// everything allocated beforehand. A free joint moves along its group; numbers of hinges are added.
template <class Acceleration>
Line steps_by(const char* how, const Mechanism& mechanism, const pin::Model& model, LoadsOf& loads, double budget,
              Acceleration&& acceleration) {
  const Form form(mechanism);
  const Vector &q0 = form.q.front(), &v0 = form.v.front();
  const bool floats = mechanism.floats();
  Vector q = q0, v = v0, at_q = q0, at_v = v0, sum_v(model.nv), sum_a(model.nv);
  double t = 0.0;
  const auto moved = [&](const Vector& by, Vector& out) {
    if (floats)
      pin::integrate(model, q, by, out);
    else
      out = q + by;
  };
  const auto step = [&] {
    constexpr double h = Loads::step;
    sum_v.setZero();
    sum_a.setZero();
    at_q = q;
    at_v = v;
    for (int stage = 0; stage < 4; ++stage) {
      const double weight = stage == 0 || stage == 3 ? h / 6.0 : h / 3.0, on = stage == 2 ? h : 0.5 * h;
      const double at = stage == 0 ? t : stage == 3 ? t + h : t + 0.5 * h;
      const Vector& a = acceleration(at_q, at_v, loads.efforts(at, at_q, at_v));
      sum_v += weight * at_v;
      sum_a += weight * a;
      if (stage == 3) break;
      moved(on * at_v, at_q);
      at_v = v + on * a;
    }
    moved(sum_v, at_q);
    q = at_q;
    v += sum_a;
    t += h;
  };
  const auto start = [&] {
    q = q0;
    v = v0;
    t = 0.0;
  };
  Line line;
  line.job = "step";
  line.mechanism = mechanism.name;
  line.how = how;
  line.limit = 1e-6;
  for (long i = std::lround(Loads::span / Loads::step); i > 0; --i) step();
  const Vector end = q.tail(loads.hinges);
  line.error = relative_error({end.begin(), end.end()}, mechanism.samples.front().end);
  line.seconds = seconds_per_call(budget, [&](std::size_t i) {
    if (i % 1000 == 0) start();
    step();
  });
  return line;
}

std::vector<Line> tree_steps(const Mechanism& mechanism, double budget) {
  pin::Model model = model_of(mechanism);
  LoadsOf loads(mechanism, model);
  pin::Data data(model);
  std::vector<Line> lines;
  for (const auto convention : {pin::Convention::LOCAL, pin::Convention::WORLD})
    lines.push_back(steps_by(convention == pin::Convention::LOCAL ? "aba, local, plain rk4" : "aba, world, plain rk4",
                             mechanism, model, loads, budget,
                             [&](const Vector& q, const Vector& v, const Vector& tau) -> const Vector& {
                               return pin::aba(model, data, q, v, tau, convention);
                             }));
  return lines;
}

struct Closures {
  Closures(const Mechanism& mechanism, const pin::Model& model) {
    for (const Closure& closure : mechanism.closures) {
      const auto a = static_cast<pin::JointIndex>(closure.a + 1), b = static_cast<pin::JointIndex>(closure.b + 1);
      rigid.emplace_back(pin::CONTACT_3D, model, a, at_point(closure.point_a), b, at_point(closure.point_b),
                         pin::LOCAL);
      data.emplace_back(rigid.back());
    }
  }
  std::vector<pin::RigidConstraintModel> rigid;
  std::vector<pin::RigidConstraintData> data;
};

constexpr double all_mu[] = {1e-3, 1e-4, 1e-6, 1e-8};

std::string with_mu(const char* name, double mu) {
  char how[60];
  std::snprintf(how, sizeof how, "%s, mu %.0e", name, mu);
  return how;
}

// It prescribes no motion, and beside a motor of 1e9 kg its proximal steps find no loop: no line for driven loops.
std::vector<Line> loop_steps(const Mechanism& mechanism, double budget) {
  if (!mechanism.loads.drives.empty()) return {};
  pin::Model model = model_of(mechanism);
  LoadsOf loads(mechanism, model);
  pin::Data data(model);
  Closures closures(mechanism, model);
  std::vector<Line> lines;
  pin::initConstraintDynamics(model, data, closures.rigid, closures.data);
  for (const double mu : all_mu) {
    pin::ProximalSettings settings(1e-11, mu, 100);
    lines.push_back(steps_by(with_mu("constraintDynamics, plain rk4", mu).c_str(), mechanism, model, loads, budget,
                             [&](const Vector& q, const Vector& v, const Vector& tau) -> const Vector& {
                               return pin::constraintDynamics(model, data, q, v, tau, closures.rigid, closures.data,
                                                              settings);
                             }));
  }
  pin::computeJointMinimalOrdering(model, data, closures.rigid);
  for (const double mu : all_mu) {
    pin::ProximalSettings settings(1e-11, mu, 100);
    lines.push_back(steps_by(with_mu("lcaba, plain rk4", mu).c_str(), mechanism, model, loads, budget,
                             [&](const Vector& q, const Vector& v, const Vector& tau) -> const Vector& {
                               return pin::lcaba(model, data, q, v, tau, closures.rigid, closures.data, settings);
                             }));
  }
  return lines;
}

// Proximal steps with μ, repeated until they change little: ten digits.
template <class Solve>
void loops_by(const char* name, const Mechanism& mechanism, const Form& form, const pin::Data& data, double budget,
              Solve&& solve, std::vector<Line>& lines) {
  for (const double mu : all_mu) {
    const std::string how = with_mu(name, mu);
    pin::ProximalSettings settings(1e-11, mu, 100);
    lines.push_back(measure(
        mechanism, budget, "loops", how.c_str(), [&](std::size_t i) { solve(form.q[i], form.v[i], settings); },
        [&](std::size_t i) { return form.accelerations(mechanism.samples[i], data.ddq); }, right_accelerations));
  }
}

std::vector<Line> loops(const Mechanism& mechanism, double budget) {
  const pin::Model model = model_of(mechanism);
  pin::Data data(model);
  const Form form(mechanism);
  const Vector none = Vector::Zero(model.nv);
  Closures closures(mechanism, model);
  auto& [rigid, rigid_data] = closures;
  std::vector<Line> lines;
  pin::initConstraintDynamics(model, data, rigid, rigid_data);
  loops_by(
      "constraintDynamics", mechanism, form, data, budget,
      [&](const Vector& q, const Vector& v, pin::ProximalSettings& settings) {
        keep(pin::constraintDynamics(model, data, q, v, none, rigid, rigid_data, settings).data());
      },
      lines);
  pin::computeJointMinimalOrdering(model, data, rigid);
  loops_by(
      "lcaba", mechanism, form, data, budget,
      [&](const Vector& q, const Vector& v, pin::ProximalSettings& settings) {
        keep(pin::lcaba(model, data, q, v, none, rigid, rigid_data, settings).data());
      },
      lines);
  return lines;
}

}  // namespace

int main(int argc, char** argv) {
  return run(argc, argv, "pinocchio", [](const Mechanism& mechanism, double budget) {
    if (mechanism.samples.empty()) return std::vector<Line>{};
    if (mechanism.is_loaded())
      return mechanism.closures.empty() ? tree_steps(mechanism, budget) : loop_steps(mechanism, budget);
    return mechanism.closures.empty() ? trees(mechanism, budget) : loops(mechanism, budget);
  });
}
