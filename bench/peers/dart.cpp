// DART: computeForwardDynamics, computeInverseDynamics and getMassMatrix of trees.
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>

#include "driver.hpp"

namespace {

using namespace bench;
namespace dd = dart::dynamics;
using Vector = Eigen::VectorXd;
using Vector3 = Eigen::Vector3d;

Vector3 vector(const Three& v) { return {v[0], v[1], v[2]}; }

dd::SkeletonPtr skeleton_of(const Mechanism& mechanism) {
  const dd::SkeletonPtr skeleton = dd::Skeleton::create(mechanism.name);
  skeleton->setGravity(vector(mechanism.gravity));
  std::vector<dd::BodyNode*> bodies;
  for (const Link& link : mechanism.links) {
    dd::BodyNode* parent = link.parent < 0 ? nullptr : bodies[static_cast<std::size_t>(link.parent)];
    Eigen::Isometry3d placed = Eigen::Isometry3d::Identity();
    placed.linear() = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(link.R.data());
    placed.translation() = vector(link.p);
    dd::Joint* joint = nullptr;
    dd::BodyNode* body = nullptr;
    const std::string number = std::to_string(bodies.size());
    const dd::BodyNode::AspectProperties name("b" + number);
    if (link.joint == 'f') {
      dd::FreeJoint::Properties properties;
      properties.mName = "j" + number;
      std::tie(joint, body) = skeleton->createJointAndBodyNodePair<dd::FreeJoint>(parent, properties, name);
    } else {
      dd::RevoluteJoint::Properties properties;
      properties.mName = "j" + number;
      properties.mAxis = Vector3::Unit(link.axis());
      std::tie(joint, body) = skeleton->createJointAndBodyNodePair<dd::RevoluteJoint>(parent, properties, name);
    }
    joint->setTransformFromParentBodyNode(placed);
    const auto& I = link.inertia;
    Eigen::Matrix3d inertia;
    inertia << I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2];
    body->setInertia(dd::Inertia(link.mass, vector(link.center), inertia));
    bodies.push_back(body);
  }
  return skeleton;
}

Eigen::Matrix3d rotation(const Sample& sample) {
  return Eigen::Quaterniond(sample.q[0], sample.q[1], sample.q[2], sample.q[3]).toRotationMatrix();
}

// The free joint has a rotation vector, and its twist (ω, v) in body axes.
struct Form {
  explicit Form(const Mechanism& mechanism) : free(mechanism.links[0].joint == 'f') {
    for (const Sample& sample : mechanism.samples) {
      Vector at = Vector::Zero(mechanism.nv());
      if (free) {
        Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
        pose.linear() = rotation(sample);
        pose.translation() = Vector3(sample.q[4], sample.q[5], sample.q[6]);
        at.head<6>() = dd::FreeJoint::convertToPositions(pose);
      }
      const Eigen::Index first = free ? 6 : 0;
      for (Eigen::Index i = first; i < at.size(); ++i) at[i] = sample.q[static_cast<std::size_t>(i + (free ? 1 : 0))];
      q.push_back(at);
      v.push_back(map(sample, sample.v, false));
      given.push_back(map(sample, sample.given, true));
    }
  }
  Vector map(const Sample& sample, const std::vector<double>& ours, bool rate) const {
    Vector out = Eigen::Map<const Vector>(ours.data(), static_cast<Eigen::Index>(ours.size()));
    if (free)
      out.segment<3>(3) = rotation(sample).transpose() * out.segment<3>(3) - (rate ? spin(sample) : Vector3::Zero());
    return out;
  }
  std::vector<double> accelerations(const Sample& sample, Vector found) const {
    if (free) found.segment<3>(3) = rotation(sample) * (found.segment<3>(3) + spin(sample));
    return {found.data(), found.data() + found.size()};
  }
  std::vector<double> efforts(const Sample& sample, Vector found) const {
    if (free) found.segment<3>(3) = rotation(sample) * found.segment<3>(3);
    return {found.data(), found.data() + found.size()};
  }
  static Vector3 spin(const Sample& sample) {
    const Vector3 w(sample.v[0], sample.v[1], sample.v[2]), v(sample.v[3], sample.v[4], sample.v[5]);
    return w.cross(rotation(sample).transpose() * v);
  }
  bool free;
  std::vector<Vector> q, v, given;
};

std::vector<Line> jobs(const Mechanism& mechanism, double budget) {
  if (mechanism.samples.empty() || !mechanism.closures.empty()) return {};
  const dd::SkeletonPtr skeleton = skeleton_of(mechanism);
  const Form form(mechanism);
  const Vector none = Vector::Zero(mechanism.nv());
  const auto place = [&](std::size_t i) {
    skeleton->setPositions(form.q[i]);
    skeleton->setVelocities(form.v[i]);
  };
  std::vector<Line> lines;
  lines.push_back(measure(
      mechanism, budget, "forward", "computeForwardDynamics",
      [&](std::size_t i) {
        place(i);
        skeleton->setForces(none);
        skeleton->computeForwardDynamics();
      },
      [&](std::size_t i) { return form.accelerations(mechanism.samples[i], skeleton->getAccelerations()); },
      right_accelerations));
  lines.push_back(measure(
      mechanism, budget, "inverse", "computeInverseDynamics",
      [&](std::size_t i) {
        place(i);
        skeleton->setAccelerations(form.given[i]);
        skeleton->computeInverseDynamics();
      },
      [&](std::size_t i) { return form.efforts(mechanism.samples[i], skeleton->getForces()); }, right_efforts));
  if (mechanism.links.size() > 500) return lines;  // seconds a matrix
  lines.push_back(measure(
      mechanism, budget, "mass", "getMassMatrix",
      [&](std::size_t i) {
        skeleton->setPositions(form.q[i]);
        keep(skeleton->getMassMatrix().data());
      },
      [&](std::size_t i) {
        const Vector product = skeleton->getMassMatrix() * form.v[i];
        return std::vector<double>{0.5 * form.v[i].dot(product)};
      },
      right_energy));
  return lines;
}

}  // namespace

int main(int argc, char** argv) { return run(argc, argv, "dart", jobs); }
