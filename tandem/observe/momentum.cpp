#include "tandem/observe/momentum.hpp"

#include <fmt/format.h>

#include <Eigen/LU>

#include "tandem/dynamics/workspace.hpp"
#include "tandem/model/forest.hpp"

namespace tandem {

Momentum momentum(const Model& model, std::span<const BodyMotion<double>> bodies) {
  Momentum sum;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {  // (1)
    const Body& body = model.bodies[i];
    const BodyMotion<double>& motion = bodies[i];
    const Vector3 linear = body.mass * motion.v;
    sum.linear += linear;
    sum.angular += motion.X_WC.p.cross(linear);
    if (!body.point_mass) sum.angular += motion.X_WC.R * (body.inertia * motion.w_B);
  }
  return sum;
}

// The rigid motions (ω, v of the origin of the world) that the root of a tree leaves free and in which a machine
// floats: all, those in a plane, or shifts alone. No columns: the machine is held.
static Eigen::MatrixXd floating_motions(const Model& model, const Forest::Node& root) {
  if (root.joint < 0 || root.nv == 6) return Mat6<double>::Identity();
  const ModelJoint& joint = model.joints[static_cast<std::size_t>(root.joint)];
  const Matrix3& axes = (joint.first.body == world ? joint.first : joint.second).X_CF.R;
  Eigen::MatrixXd motions = Eigen::MatrixXd::Zero(6, 3);
  if (joint.type_name() == "translational") {
    motions.bottomRows<3>().setIdentity();
  } else if (joint.type_name() == "planar") {
    motions.col(0).head<3>() = axes.col(2);
    motions.bottomRightCorner<3, 2>() = axes.leftCols<2>();
  } else {
    motions.resize(6, 0);
  }
  return motions;
}

[[noreturn]] static void refuse(const Location& where, const std::string& message) {
  Faults faults;
  faults.error_at(where, message);
  throw ModelError(std::move(faults));
}

// For each tree, the motions in which it floats. What ties it to the world or to another tree beside its root is
// refused.
static std::vector<Eigen::MatrixXd> floating_trees(const Model& model, const Forest& forest) {
  std::vector<Eigen::MatrixXd> motions(static_cast<std::size_t>(forest.trees), Eigen::MatrixXd(6, 0));
  std::vector<int> root_joint(motions.size(), -1);
  for (const Forest::Node& node : forest.nodes) {
    if (node.parent >= 0) continue;
    motions[static_cast<std::size_t>(node.tree)] = floating_motions(model, node);
    root_joint[static_cast<std::size_t>(node.tree)] = node.joint;
  }
  const auto tree_of = [&](int body) {
    return static_cast<std::size_t>(
        forest.nodes[static_cast<std::size_t>(forest.node_of_body[static_cast<std::size_t>(body)])].tree);
  };
  for (const RowBlockInfo& block : model.blocks)
    for (const int body : block.bodies) {
      const std::size_t here = tree_of(body);
      const bool is_root = block.kind == RowBlockInfo::Kind::joint && block.index == root_joint[here];
      const bool tied = block.bodies.size() == 1 || here != tree_of(block.bodies[0]);
      if (motions[here].cols() > 0 && tied && !is_root)
        refuse(model.where(block),
               fmt::format("{} holds body \"{}\": its momentum cannot be chosen", model.block_name(block),
                           model.bodies[static_cast<std::size_t>(body)].name));
    }
  if (std::all_of(motions.begin(), motions.end(), [](const auto& each) { return each.cols() == 0; }))
    refuse(Location::top_of(model.file),
           "nothing floats: joints hold every machine to the world, so no momentum can be chosen");
  return motions;
}

State with_zero_momentum(const Model& model, const State& bodies) {
  const Forest forest = spanning_forest(model);
  const std::vector<Eigen::MatrixXd> trees = floating_trees(model, forest);
  const auto tree_of = [&](std::size_t body) {
    return forest.nodes[static_cast<std::size_t>(forest.node_of_body[body])].tree;
  };
  Kinematics<double> kinematics(model);
  kinematics.update(model, bodies.t, bodies.q(), bodies.v(), bodies.angles());
  State out = bodies;
  for (int tree = 0; tree < forest.trees; ++tree) {
    const Eigen::MatrixXd& motions = trees[static_cast<std::size_t>(tree)];
    Mat6<double> composite = Mat6<double>::Zero();  // (2), about the origin of the world
    Vec6<double> has = Vec6<double>::Zero();
    for (std::size_t i = 0; i < model.bodies.size(); ++i) {
      if (tree_of(i) != tree) continue;
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
    if (motions.cols() == 0 || !(composite.diagonal().maxCoeff() > 0.0)) continue;  // held, or without mass
    Eigen::MatrixXd sized = motions;  // what only moves, by the length of the machine: then all are moments of inertia
    for (Eigen::Index k = 0; k < sized.cols(); ++k)
      if (sized.col(k).head<3>().isZero(0.0)) sized.col(k) *= model.scale.length;
    const Eigen::MatrixXd inertia = sized.transpose() * composite * sized;
    const Vec6<double> move = -sized * inertia.fullPivLu().solve(sized.transpose() * has);  // (3)
    for (std::size_t i = 0; i < model.bodies.size(); ++i) {
      if (tree_of(i) != tree) continue;
      const Body& body = model.bodies[i];
      const BodyMotion<double>& motion = kinematics.body(static_cast<int>(i));
      const Vector3 w = move.head<3>();
      out.v().segment<3>(body.v_first + body.nv() - 3) += move.tail<3>() + w.cross(motion.X_WC.p);
      if (!body.point_mass) out.v().segment<3>(body.v_first) += motion.X_WC.R.transpose() * w;
    }
  }
  return out;
}

std::string fastest_body(const Model& model, std::span<const BodyMotion<double>> bodies) {
  std::size_t found = 0;
  double most = -1.0;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const BodyMotion<double>& motion = bodies[i];
    const double speed = std::max(model.scale.of_body[i] * motion.w_B.cwiseAbs().sum(), motion.v.cwiseAbs().sum());
    if (speed <= most) continue;
    found = i;
    most = speed;
  }
  return model.bodies[found].name;
}

void require_finite_kinetic_energy(const Model& model, std::span<const BodyMotion<double>> bodies) {
  const double energy = kinetic_energy(model, bodies);
  if (!std::isfinite(energy))
    throw NumericalError(
        fmt::format("the kinetic energy is {}, which is not a finite number; the fastest body is \"{}\"", energy,
                    fastest_body(model, bodies)));
}

}  // namespace tandem
