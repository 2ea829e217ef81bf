// Pinocchio: aba, rnea, crba on trees; constraintDynamics and lcaba on loops; aba in a plain rk4 loop under loads.
//
// Its templates are instantiated here, by this compiler, and not taken from the prebuilt library.
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/constrained-dynamics.hpp>
#include <pinocchio/algorithm/crba.hpp>
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

// Hinges only. The loop is as plain as it can be: no projection, no checks, everything allocated beforehand.
std::vector<Line> steps(const Mechanism& mechanism, double budget) {
  pin::Model model = model_of(mechanism);
  const Loads& loads = mechanism.loads;
  model.armature[loads.drive] = Loads::armature;
  pin::Data data(model);
  Vector damping(model.nv), stiffness(model.nv), tau(model.nv);
  for (std::size_t i = 0; i < mechanism.links.size(); ++i) {
    damping[static_cast<Eigen::Index>(i)] = mechanism.links[i].damping;
    stiffness[static_cast<Eigen::Index>(i)] = mechanism.links[i].stiffness;
  }
  const Sample& sample = mechanism.samples.front();
  const Vector q0 = Eigen::Map<const Vector>(sample.q.data(), model.nq),
               v0 = Eigen::Map<const Vector>(sample.v.data(), model.nv);
  std::vector<Line> lines;
  for (const auto convention : {pin::Convention::LOCAL, pin::Convention::WORLD}) {
    Vector q = q0, v = v0, at_q = q0, at_v = v0, sum_v(model.nv), sum_a(model.nv);
    double t = 0.0;
    const auto acceleration = [&](double at) -> const Vector& {
      tau = -damping.cwiseProduct(at_v) - stiffness.cwiseProduct(at_q);
      tau[loads.effort] += loads.effort_at(at);
      tau[loads.drive] += Loads::armature * loads.driven_acceleration(at);
      return pin::aba(model, data, at_q, at_v, tau, convention);
    };
    const auto step = [&] {
      constexpr double h = Loads::step;
      sum_v.setZero();
      sum_a.setZero();
      at_q = q;
      at_v = v;
      for (int stage = 0; stage < 4; ++stage) {
        const double weight = stage == 0 || stage == 3 ? h / 6.0 : h / 3.0, on = stage == 2 ? h : 0.5 * h;
        const Vector& a = acceleration(stage == 0 ? t : stage == 3 ? t + h : t + 0.5 * h);
        sum_v += weight * at_v;
        sum_a += weight * a;
        if (stage == 3) break;
        at_q = q + on * at_v;
        at_v = v + on * a;
      }
      q += sum_v;
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
    line.how = convention == pin::Convention::LOCAL ? "aba, local, plain rk4" : "aba, world, plain rk4";
    line.limit = 1e-6;
    for (long i = std::lround(Loads::span / Loads::step); i > 0; --i) step();
    line.error = relative_error({q.begin(), q.end()}, sample.end);
    line.seconds = seconds_per_call(budget, [&](std::size_t i) {
      if (i % 1000 == 0) start();
      step();
    });
    lines.push_back(line);
  }
  return lines;
}

// Proximal steps with μ, repeated until they change little: ten digits.
template <class Solve>
void loops_by(const char* name, const Mechanism& mechanism, const Form& form, const pin::Data& data, double budget,
              Solve&& solve, std::vector<Line>& lines) {
  for (const double mu : {1e-3, 1e-4, 1e-6, 1e-8}) {
    char how[60];
    std::snprintf(how, sizeof how, "%s, mu %.0e", name, mu);
    pin::ProximalSettings settings(1e-11, mu, 100);
    lines.push_back(measure(
        mechanism, budget, "loops", how, [&](std::size_t i) { solve(form.q[i], form.v[i], settings); },
        [&](std::size_t i) { return form.accelerations(mechanism.samples[i], data.ddq); }, right_accelerations));
  }
}

std::vector<Line> loops(const Mechanism& mechanism, double budget) {
  const pin::Model model = model_of(mechanism);
  pin::Data data(model);
  const Form form(mechanism);
  const Vector none = Vector::Zero(model.nv);
  std::vector<pin::RigidConstraintModel> rigid;
  std::vector<pin::RigidConstraintData> rigid_data;
  for (const Closure& closure : mechanism.closures) {
    const auto a = static_cast<pin::JointIndex>(closure.a + 1), b = static_cast<pin::JointIndex>(closure.b + 1);
    const pin::SE3 on_a = at_point(closure.point_a), on_b = at_point(closure.point_b);
    rigid.emplace_back(pin::CONTACT_3D, model, a, on_a, b, on_b, pin::LOCAL);
    rigid_data.emplace_back(rigid.back());
  }
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
    if (mechanism.is_loaded()) return steps(mechanism, budget);
    return mechanism.closures.empty() ? trees(mechanism, budget) : loops(mechanism, budget);
  });
}
