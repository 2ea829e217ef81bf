#include "tandem/analysis/momentum.hpp"

#include <fmt/format.h>

#include <Eigen/LU>

#include "tandem/model/forest.hpp"

namespace tandem {

Momentum momentum(const Model& model, const Kinematics<double>& kinematics) {
  Momentum sum;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {  // (1)
    const Body& body = model.bodies[i];
    const BodyMotion<double>& motion = kinematics.body(static_cast<int>(i));
    const Vector3 linear = body.mass * motion.v;
    sum.linear += linear;
    sum.angular += motion.X_WC.p.cross(linear);
    if (!body.point_mass) sum.angular += motion.X_WC.R * (body.inertia * motion.w_B);
  }
  return sum;
}

// Machines are the bodies that joints and rows tie together; the world ties nothing together but holds what it touches.
static std::vector<int> machine_of_body(const Model& model, const Forest& forest) {
  std::vector<int> machine(model.bodies.size(), -1);
  Faults faults;
  faults.about("", {model.file, 0, 0});
  for (const Forest::Node& node : forest.nodes) machine[static_cast<std::size_t>(node.body)] = node.tree;
  std::vector<bool> floats(static_cast<std::size_t>(forest.trees), false);
  for (const Forest::Node& node : forest.nodes)
    if (node.parent < 0) floats[static_cast<std::size_t>(node.tree)] = node.joint < 0 || node.nv == 6;
  for (const RowBlockInfo& block : model.blocks) {
    const bool one_body = block.bodies.size() == 1;
    for (const int body : block.bodies) {
      const int here = machine[static_cast<std::size_t>(body)],
                there = machine[static_cast<std::size_t>(block.bodies[0])];
      if (floats[static_cast<std::size_t>(here)] && (one_body || here != there)) {
        faults.error(fmt::format("{} holds body \"{}\": its momentum cannot be chosen", model.block_name(block),
                                 model.bodies[static_cast<std::size_t>(body)].name));
        throw ModelError(std::move(faults));
      }
    }
  }
  for (int& each : machine)
    if (!floats[static_cast<std::size_t>(each)]) each = -1;
  return machine;
}

State with_zero_momentum(const Model& model, const State& bodies) {
  const Forest forest = spanning_forest(model);
  const std::vector<int> machine = machine_of_body(model, forest);
  Kinematics<double> kinematics(model);
  kinematics.update(model, bodies.t, bodies.q, bodies.v, bodies.angles);
  State out = bodies;
  for (int tree = 0; tree < forest.trees; ++tree) {
    Mat6<double> composite = Mat6<double>::Zero();  // (2), about the origin of the world
    Vec6<double> has = Vec6<double>::Zero();
    for (std::size_t i = 0; i < model.bodies.size(); ++i) {
      if (machine[i] != tree) continue;
      const Body& body = model.bodies[i];
      const BodyMotion<double>& motion = kinematics.body(static_cast<int>(i));
      const Matrix3 r = sk<double>(motion.X_WC.p);
      composite.topLeftCorner<3, 3>() -= body.mass * r * r;
      if (!body.point_mass) {
        composite.topLeftCorner<3, 3>() += motion.X_WC.R * body.inertia * motion.X_WC.R.transpose();
        has.head<3>() += motion.X_WC.R * (body.inertia * motion.w_B);
      }
      composite.topRightCorner<3, 3>() += body.mass * r;
      composite.bottomLeftCorner<3, 3>() -= body.mass * r;
      composite.bottomRightCorner<3, 3>().diagonal().array() += body.mass;
      has.head<3>() += body.mass * motion.X_WC.p.cross(motion.v);
      has.tail<3>() += body.mass * motion.v;
    }
    if (!(composite.diagonal().maxCoeff() > 0.0)) continue;       // a machine that is held, or without mass
    const Vec6<double> move = -composite.fullPivLu().solve(has);  // (3)
    for (std::size_t i = 0; i < model.bodies.size(); ++i) {
      if (machine[i] != tree) continue;
      const Body& body = model.bodies[i];
      const BodyMotion<double>& motion = kinematics.body(static_cast<int>(i));
      const Vector3 w = move.head<3>();
      out.v.segment<3>(body.v_first + body.nv() - 3) += move.tail<3>() + w.cross(motion.X_WC.p);
      if (!body.point_mass) out.v.segment<3>(body.v_first) += motion.X_WC.R.transpose() * w;
    }
  }
  return out;
}

}  // namespace tandem
