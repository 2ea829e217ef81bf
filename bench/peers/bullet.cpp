// Bullet: a rope of bodies on point-to-point joints by sequential impulses, double precision, ten iterations.
#include <btBulletDynamicsCommon.h>

#include <memory>

#include "driver.hpp"

namespace {

using namespace bench;

struct Rope {
  explicit Rope(const Mechanism& mechanism)
      : dispatcher(&configuration), world(&dispatcher, &broadphase, &solver, &configuration) {
    world.setGravity({mechanism.gravity[0], mechanism.gravity[1], mechanism.gravity[2]});
    world.getSolverInfo().m_numIterations = 10;
    world.setForceUpdateAllAabbs(false);
    btVector3 end(0, 0, 0);
    for (const Link& link : mechanism.links) {
      const btVector3 centre(link.center[0], link.center[1], link.center[2]);
      const btVector3 joint(link.p[0], link.p[1], link.p[2]);
      end += joint;
      btTransform at(btQuaternion::getIdentity(), end + centre);
      start.push_back(at);
      btRigidBody::btRigidBodyConstructionInfo info(link.mass, nullptr, &shape,
                                                    {link.inertia[0], link.inertia[1], link.inertia[2]});
      info.m_startWorldTransform = at;
      auto body = std::make_unique<btRigidBody>(info);
      body->setDamping(0, 0);
      body->setActivationState(DISABLE_DEACTIVATION);
      world.addRigidBody(body.get(), 0, 0);  // meets nothing
      if (bodies.empty())
        joints.push_back(std::make_unique<btPoint2PointConstraint>(*body, -centre));
      else
        joints.push_back(
            std::make_unique<btPoint2PointConstraint>(*bodies.back(), *body, joint - last_centre, -centre));
      world.addConstraint(joints.back().get(), true);
      bodies.push_back(std::move(body));
      last_centre = centre;
    }
  }
  ~Rope() {
    for (const auto& joint : joints) world.removeConstraint(joint.get());
    for (const auto& body : bodies) world.removeRigidBody(body.get());
  }
  void reset() {
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      bodies[i]->setWorldTransform(start[i]);
      bodies[i]->setInterpolationWorldTransform(start[i]);
      bodies[i]->setLinearVelocity({0, 0, 0});
      bodies[i]->setAngularVelocity({0, 0, 0});
      bodies[i]->clearForces();
    }
  }
  void step(double h) { world.stepSimulation(h, 0); }
  double largest_gap() const {
    double largest = 0.0;
    for (std::size_t i = 0; i < joints.size(); ++i) {
      // The first joint's second pivot is a point of the world.
      const btVector3 a =
          i == 0 ? joints[0]->getPivotInB() : bodies[i - 1]->getWorldTransform() * joints[i]->getPivotInA();
      const btVector3 b =
          bodies[i]->getWorldTransform() * (i == 0 ? joints[0]->getPivotInA() : joints[i]->getPivotInB());
      largest = std::max<double>(largest, (a - b).length());
    }
    return largest;
  }

  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher;
  btDbvtBroadphase broadphase;
  btSequentialImpulseConstraintSolver solver;
  btDiscreteDynamicsWorld world;
  btSphereShape shape{0.01};
  btVector3 last_centre{0, 0, 0};
  std::vector<btTransform> start;
  std::vector<std::unique_ptr<btRigidBody>> bodies;
  std::vector<std::unique_ptr<btPoint2PointConstraint>> joints;
};

Line fall(const Mechanism& mechanism, double budget, int substeps) {
  constexpr double h = 1.0 / 240.0;
  const std::size_t steps = mechanism.links.size() >= 1000 ? 300 : 600;
  Rope rope(mechanism);
  const auto step = [&] {
    for (int k = 0; k < substeps; ++k) rope.step(h / substeps);
  };
  double gap = 0.0;
  for (std::size_t i = 0; i < steps; ++i) {
    step();
    gap = std::max(gap, rope.largest_gap());
  }
  Line line;
  line.job = "impulses";
  line.mechanism = mechanism.name;
  line.how =
      substeps == 1 ? "sequential impulses, 10 iterations, double" : "sequential impulses in 4 sub-steps, double";
  line.error = gap;
  line.limit = 0.2;
  line.also = {{"gap_m", gap}};
  line.seconds = seconds_per_call(budget, [&](std::size_t i) {
    if (i % steps == 0) rope.reset();
    step();
  });
  return line;
}

std::vector<Line> jobs(const Mechanism& mechanism, double budget) {
  if (mechanism.name.compare(0, 5, "rope-") != 0) return {};
  return {fall(mechanism, budget, 1), fall(mechanism, budget, 4)};
}

}  // namespace

int main(int argc, char** argv) { return run(argc, argv, "bullet", jobs); }
