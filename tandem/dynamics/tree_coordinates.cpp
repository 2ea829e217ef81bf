#include "tandem/dynamics/tree_coordinates.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>

namespace tandem {

namespace {

const Joint& joint_of(const Model& model, const Forest::Node& node) {
  return *model.joints[static_cast<std::size_t>(node.joint)].joint();
}

Jet<double> motion_of(const Model& model, int drive, double t) {
  return model.drives[static_cast<std::size_t>(drive)].drive.motion<double>(t);
}

}  // namespace

TreeCoordinates::TreeCoordinates(const Model& model) : forest_(spanning_forest(model)) {
  tree_first_.assign(static_cast<std::size_t>(forest_.trees), 0);
  tree_size_.assign(static_cast<std::size_t>(forest_.trees), 0);
  int unknowns = 0;
  for (const Forest::Node& node : forest_.nodes) {
    const auto tree = static_cast<std::size_t>(node.tree);
    if (node.parent < 0) tree_first_[tree] = unknowns;
    for (const int drive : node.drives) unknown_of_speed_.push_back(drive < 0 ? unknowns++ : -1);
    tree_size_[tree] = unknowns - tree_first_[tree];
  }
  joint_blocks_.resize(forest_.nodes.size());
  std::vector<int> node_of_joint(model.joints.size(), -1);
  for (std::size_t i = 0; i < forest_.nodes.size(); ++i)
    if (forest_.nodes[i].joint >= 0)
      node_of_joint[static_cast<std::size_t>(forest_.nodes[i].joint)] = static_cast<int>(i);
  for (std::size_t i = 0; i < model.blocks.size(); ++i) {
    const RowBlockInfo& info = model.blocks[i];
    int joint = -1;
    if (info.kind == RowBlockInfo::Kind::joint) joint = info.index;
    if (info.kind == RowBlockInfo::Kind::drive)
      joint = model.drives[static_cast<std::size_t>(info.index)].coordinate.joint;
    const int node = joint < 0 ? -1 : node_of_joint[static_cast<std::size_t>(joint)];
    if (node < 0)
      kept_.push_back(static_cast<int>(i));
    else
      joint_blocks_[static_cast<std::size_t>(node)].push_back(static_cast<int>(i));
  }
  motions_.resize(forest_.nodes.size());
  bias_.resize(forest_.nodes.size());
  force_.resize(forest_.nodes.size());
  composite_.resize(forest_.nodes.size());
}

std::string TreeCoordinates::describe(const Model& model, int unknown) const {
  for (const Forest::Node& node : forest_.nodes)
    for (int k = 0; k < node.nv; ++k) {
      if (unknown_of_speed(node.v_first + k) != unknown) continue;
      const std::string& body = model.bodies[static_cast<std::size_t>(node.body)].name;
      if (node.joint < 0)
        return fmt::format("body \"{}\" can {} with no inertia to resist; give it mass and moments of inertia", body,
                           node.nv == 6 && k < 3 ? "turn" : "move");
      const JointCoordinate& coordinate = joint_of(model, node).traits().coordinates[static_cast<std::size_t>(k)];
      return fmt::format(
          "joint \"{}\" can move along \"{}\" with no inertia to resist; give what it carries (body \"{}\") mass or a "
          "moment of inertia",
          model.joints[static_cast<std::size_t>(node.joint)].name, coordinate.name, body);
    }
  return "some motion has no inertia";
}

State TreeCoordinates::from_bodies(const Model& model, const State& bodies,
                                   const Kinematics<double>& kinematics) const {
  State state;
  state.t = bodies.t;
  state.angles = bodies.angles;
  state.q.resize(forest_.nq);
  state.v.resize(forest_.nv);
  for (const Forest::Node& node : forest_.nodes) {
    const Body& body = model.bodies[static_cast<std::size_t>(node.body)];
    if (node.joint < 0) {
      state.q.segment(node.q_first, node.nq) = bodies.q.segment(body.q_first, node.nq);
      state.v.segment(node.v_first, node.nv) = bodies.v.segment(body.v_first, node.nv);
    } else {
      state.q.segment(node.q_first, node.nq) = kinematics.joint(node.joint).q;
      state.v.segment(node.v_first, node.nv) = kinematics.joint(node.joint).v;
    }
  }
  settle(model, state);
  return state;
}

// The joint's coordinates and speeds: those of the state, quaternions of unit length, driven ones by their drives.
TreeCoordinates::JointState TreeCoordinates::joint_state(const Model& model, const Forest::Node& node,
                                                         const State& state) const {
  JointState joint{state.q.segment(node.q_first, node.nq), state.v.segment(node.v_first, node.nv)};
  if (node.nq != node.nv)
    joint.q = joint_of(model, node).on<double>().retract(joint.q, VecUpTo6<double>::Zero(node.nv));
  for (int k = 0; k < node.nv; ++k)
    if (const int drive = node.drives[static_cast<std::size_t>(k)]; drive >= 0) {
      const Jet<double> motion = motion_of(model, drive, state.t);
      joint.q[k + node.nq - node.nv] = motion.value;
      joint.v[k] = motion.rate;
    }
  return joint;
}

void TreeCoordinates::place_bodies(const Model& model, const State& state, Kinematics<double>& kinematics) {
  for (const Forest::Node& node : forest_.nodes) {
    if (node.joint >= 0) {
      place_child(model, node, joint_state(model, node, state), kinematics);
      continue;
    }
    BodyMotion<double>& motion = kinematics.writable_body(node.body);
    motion.X_WC.p = state.q.segment<3>(node.q_first + node.nq - 3);
    motion.v = state.v.segment<3>(node.v_first + node.nv - 3);
    if (node.nv == 3) continue;  // a point mass
    motion.X_WC.R = rotation_of<double>(quaternion_normalized<double>(state.q.segment<4>(node.q_first)));
    motion.w_B = state.v.segment<3>(node.v_first);
    motion.w_W = motion.X_WC.R * motion.w_B;
  }
}

// The pose and velocity of the child from those of the parent and of the joint; pair_motion.hpp (1) solved for the
// child.
void TreeCoordinates::place_child(const Model& model, const Forest::Node& node, const JointState& joint,
                                  Kinematics<double>& kinematics) const {
  const ModelJoint& owner = model.joints[static_cast<std::size_t>(node.joint)];
  const JointKernel<double>& kernel = owner.joint()->on<double>();
  const Pose<double> X_FM = kernel.pose(joint.q);
  Mat6UpTo6<double> S;
  Vec6<double> c;
  kernel.motion(joint.q, joint.v, S, c);
  const Vec6<double> V = S * joint.v;
  const BodyFrame& parent_frame = node.reversed ? owner.second : owner.first;
  const BodyFrame& child_frame = node.reversed ? owner.first : owner.second;
  const BodyMotion<double>& parent = kinematics.body(parent_frame.body);
  BodyMotion<double>& child = kinematics.writable_body(node.body);
  const Pose<double> X_WP = parent.X_WC * parent_frame.X_CF;
  child.X_WC = X_WP * (node.reversed ? X_FM.inverse() : X_FM) * child_frame.X_CF.inverse();
  const Pose<double> X_WF = node.reversed ? child.X_WC * child_frame.X_CF : X_WP;
  const Vector3 w = X_WF.R * V.head<3>(), v = X_WF.R * V.tail<3>();
  const Vector3 p_M = X_WF * X_FM.p;
  const Vector3 from_parent = p_M - parent.X_WC.p, from_child = p_M - child.X_WC.p;
  const double sign = node.reversed ? -1.0 : 1.0;
  child.w_W = parent.w_W + sign * w;
  child.v = parent.v + parent.w_W.cross(from_parent) + sign * v - child.w_W.cross(from_child);
  child.w_B = child.X_WC.R.transpose() * child.w_W;
}

void TreeCoordinates::rate(const Model& model, const State& state, Eigen::VectorXd& q_dot) const {
  q_dot.resize(forest_.nq);
  for (const Forest::Node& node : forest_.nodes) {
    auto out = q_dot.segment(node.q_first, node.nq);
    if (node.joint >= 0) {
      out = joint_of(model, node)
                .on<double>()
                .coordinate_rate(state.q.segment(node.q_first, node.nq), state.v.segment(node.v_first, node.nv));
      continue;
    }
    out.tail<3>() = state.v.segment<3>(node.v_first + node.nv - 3);
    if (node.nv == 6)
      out.head<4>() = quaternion_rate<double>(state.q.segment<4>(node.q_first), state.v.segment<3>(node.v_first));
  }
}

void TreeCoordinates::retract(const Model& model, const Eigen::VectorXd& delta, Eigen::VectorXd& q) const {
  for (const Forest::Node& node : forest_.nodes) {
    VecUpTo6<double> move = VecUpTo6<double>::Zero(node.nv);
    for (int k = 0; k < node.nv; ++k)
      if (const int unknown = unknown_of_speed(node.v_first + k); unknown >= 0) move[k] = delta[unknown];
    auto at = q.segment(node.q_first, node.nq);
    if (node.joint >= 0) {
      const VecUpTo7<double> moved = joint_of(model, node).on<double>().retract(at, move);
      at = moved;
      continue;
    }
    at.tail<3>() += move.tail<3>();
    if (node.nv == 6) {
      const Vec4<double> turned = quaternion_retract<double>(at.head<4>(), move.head<3>());
      at.head<4>() = turned;
    }
  }
}

void TreeCoordinates::add_speeds(const Eigen::VectorXd& delta, Eigen::VectorXd& v) const {
  for (std::size_t k = 0; k < unknown_of_speed_.size(); ++k)
    if (unknown_of_speed_[k] >= 0) v[static_cast<Eigen::Index>(k)] += delta[unknown_of_speed_[k]];
}

void TreeCoordinates::speed_rate(const Model& model, double t, const Eigen::VectorXd& y, Eigen::VectorXd& v_dot) const {
  v_dot.resize(forest_.nv);
  for (const Forest::Node& node : forest_.nodes)
    for (int k = 0; k < node.nv; ++k) {
      const int unknown = unknown_of_speed(node.v_first + k);
      v_dot[node.v_first + k] =
          unknown >= 0 ? y[unknown] : motion_of(model, node.drives[static_cast<std::size_t>(k)], t).acceleration;
    }
}

void TreeCoordinates::settle(const Model& model, State& state) const {
  for (const Forest::Node& node : forest_.nodes) {
    if (node.joint >= 0) {
      const JointState joint = joint_state(model, node, state);
      state.q.segment(node.q_first, node.nq) = joint.q;
      state.v.segment(node.v_first, node.nv) = joint.v;
    } else if (node.nv == 6) {
      state.q.segment<4>(node.q_first).normalize();
    }
  }
}

GaussProblem TreeCoordinates::structure(const Model& model) {
  GaussProblem problem;
  problem.names = this;
  problem.tree.emplace();
  TreeProblem& tree = *problem.tree;
  for (std::size_t i = 0; i < tree_first_.size(); ++i)
    problem.groups.push_back({tree_first_[i], tree_size_[i], Eigen::MatrixXd::Zero(tree_size_[i], tree_size_[i])});
  for (const Forest::Node& node : forest_.nodes) {
    TreeProblem::Link link;
    link.body = node.body;
    link.parent = node.parent;
    link.first = tree_first_[static_cast<std::size_t>(node.tree)];
    for (int k = node.nv - 1; k >= 0; --k)
      if (const int unknown = unknown_of_speed(node.v_first + k); unknown >= 0) link.first = unknown;
    link.S.setZero(6, std::count(node.drives.begin(), node.drives.end(), -1));
    link.M = body_inertia(model.bodies[static_cast<std::size_t>(node.body)]);
    tree.links.push_back(std::move(link));
  }
  int row = 0;
  for (const int index : kept_) {
    const RowBlockInfo& info = model.blocks[static_cast<std::size_t>(index)];
    GaussProblem::Block block{.first_row = row, .rows = info.rows, .holonomic = info.holonomic};
    TreeProblem::Block on_links;
    for (const int body : info.bodies) {
      const int node = forest_.node_of_body[static_cast<std::size_t>(body)];
      const int group = forest_.nodes[static_cast<std::size_t>(node)].tree;
      on_links.parts.push_back({node, Eigen::Matrix<double, Eigen::Dynamic, 6>::Zero(info.rows, 6)});
      if (std::none_of(block.parts.begin(), block.parts.end(), [=](const auto& part) { return part.group == group; }))
        block.parts.push_back({group, Eigen::MatrixXd::Zero(info.rows, tree_size_[static_cast<std::size_t>(group)])});
    }
    for (int k = 0; k < info.rows; ++k) problem.model_row.push_back(info.first_row + k);
    problem.blocks.push_back(std::move(block));
    tree.blocks.push_back(std::move(on_links));
    row += info.rows;
  }
  problem.f.setZero(
      unknown_of_speed_.empty() ? 0 : 1 + *std::max_element(unknown_of_speed_.begin(), unknown_of_speed_.end()));
  problem.b.setZero(row);
  problem.phi.setZero(row);
  problem.rate.setZero(row);
  tree.b.setZero(row);
  tree.row_square.setZero(row);
  return problem;
}

void TreeCoordinates::update_motions(const Surroundings& at) {
  for (std::size_t i = 0; i < forest_.nodes.size(); ++i) {
    const Forest::Node& node = forest_.nodes[i];
    Motion& motion = motions_[i];
    if (node.joint < 0) {
      motion.S = Mat6<double>::Identity().rightCols(node.nv);
      continue;
    }
    const ModelJoint& owner = at.model.joints[static_cast<std::size_t>(node.joint)];
    const PairMotion<double>& pair = at.kinematics.joint(node.joint).pair;
    const JointState joint = joint_state(at.model, node, at.state);
    Mat6UpTo6<double> S;
    Vec6<double> c;
    owner.joint()->on<double>().motion(joint.q, joint.v, S, c);
    const Mat6<double>& G = node.reversed ? pair.G_first : pair.G_second;
    // G = ±[A 0; B C] with rotations A and C: G⁻¹ = ±[Aᵀ 0; −Cᵀ B Aᵀ, Cᵀ]
    const Matrix3 At = G.topLeftCorner<3, 3>().transpose(), Ct = G.bottomRightCorner<3, 3>().transpose();
    Mat6<double> inverse = Mat6<double>::Zero();
    inverse.topLeftCorner<3, 3>() = At;
    inverse.bottomRightCorner<3, 3>() = Ct;
    inverse.bottomLeftCorner<3, 3>() = -Ct * G.bottomLeftCorner<3, 3>() * At;
    motion.S.noalias() = inverse.lazyProduct(S);  // (1)
    motion.X.noalias() = -inverse.lazyProduct(node.reversed ? pair.G_second : pair.G_first);
    motion.c.noalias() = inverse.lazyProduct(c - pair.gamma);  // (2)
  }
}

void TreeCoordinates::update_links(const Surroundings& at, GaussProblem& problem) {
  update_motions(at);
  TreeProblem& tree = *problem.tree;
  for (std::size_t i = 0; i < forest_.nodes.size(); ++i) {
    const Forest::Node& node = forest_.nodes[i];
    TreeProblem::Link& link = tree.links[i];
    link.X = motions_[i].X;
    link.c = motions_[i].c;
    link.f = at.applied.on_body(static_cast<std::size_t>(node.body));
    if (at.model.bodies[static_cast<std::size_t>(node.body)].point_mass) link.f.head<3>().setZero();
    Eigen::Index column = 0;
    for (int k = 0; k < node.nv; ++k) {
      const int drive = node.drives[static_cast<std::size_t>(k)];
      if (drive < 0)
        link.S.col(column++) = motions_[i].S.col(k);
      else
        link.c += motion_of(at.model, drive, at.state.t).acceleration * motions_[i].S.col(k);
    }
    bias_[i] = link.c;
    if (link.parent >= 0) bias_[i].noalias() += link.X.lazyProduct(bias_[static_cast<std::size_t>(link.parent)]);
    force_[i] = link.M * bias_[i] - link.f;
  }
  for (std::size_t i = tree.links.size(); i-- > 0;) {  // (4)
    const TreeProblem::Link& link = tree.links[i];
    problem.f.segment(link.first, link.S.cols()).noalias() = -link.S.transpose().lazyProduct(force_[i]);
    if (link.parent >= 0)
      force_[static_cast<std::size_t>(link.parent)].noalias() += link.X.transpose().lazyProduct(force_[i]);
  }
}

void TreeCoordinates::update_rows(const Surroundings& at, GaussProblem& problem) {
  TreeProblem& tree = *problem.tree;
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    const RowBlockInfo& info = at.model.blocks[static_cast<std::size_t>(kept_[i])];
    const RowBlock<double>& in = at.rows.block(static_cast<std::size_t>(kept_[i]));
    GaussProblem::Block& block = problem.blocks[i];
    auto b = problem.b.segment(block.first_row, block.rows);
    auto rate = problem.rate.segment(block.first_row, block.rows);
    tree.b.segment(block.first_row, block.rows) = in.b;
    b = in.b;
    rate = in.phi_t;
    problem.phi.segment(block.first_row, block.rows) = in.phi;
    problem.phi.segment(block.first_row + info.holonomic, info.rows - info.holonomic).setZero();
    for (GaussProblem::Part& part : block.parts) part.J.setZero();
    auto square = tree.row_square.segment(block.first_row, block.rows);
    square.setZero();
    for (std::size_t k = 0; k < info.bodies.size(); ++k) {
      TreeProblem::Part& on = tree.blocks[i].parts[k];
      on.K = in.J.middleCols(6 * static_cast<Eigen::Index>(k), 6);
      const auto node = static_cast<std::size_t>(on.link);
      if (at.model.bodies[static_cast<std::size_t>(info.bodies[k])].point_mass) on.K.leftCols<3>().setZero();
      square += on.K.rowwise().squaredNorm();
      rate.noalias() += on.K.lazyProduct(at.kinematics.body(info.bodies[k]).velocity());
      b.noalias() -= on.K.lazyProduct(bias_[node]);
      const int group = forest_.nodes[node].tree;
      auto part = std::find_if(block.parts.begin(), block.parts.end(), [=](const auto& p) { return p.group == group; });
      for (Eigen::Index row = 0; row < on.K.rows(); ++row) {  // (6)
        Eigen::Matrix<double, 1, 6> K = on.K.row(row);
        for (int link = on.link; link >= 0; link = tree.links[static_cast<std::size_t>(link)].parent) {
          const TreeProblem::Link& at_link = tree.links[static_cast<std::size_t>(link)];
          part->J.row(row).segment(at_link.first - problem.groups[static_cast<std::size_t>(group)].first,
                                   at_link.S.cols()) += K.lazyProduct(at_link.S);
          K = K.lazyProduct(at_link.X).eval();
        }
      }
    }
  }
}

void TreeCoordinates::update_mass(GaussProblem& problem) {
  const std::vector<TreeProblem::Link>& links = problem.tree->links;
  for (GaussProblem::Group& group : problem.groups) group.M.setZero();
  for (std::size_t i = 0; i < links.size(); ++i) composite_[i] = links[i].M;
  for (std::size_t i = links.size(); i-- > 0;) {  // (5)
    const TreeProblem::Link& link = links[i];
    const int group_index = forest_.nodes[i].tree;
    GaussProblem::Group& group = problem.groups[static_cast<std::size_t>(group_index)];
    Mat6UpTo6<double> F = composite_[i].lazyProduct(link.S);
    const Eigen::Index columns = link.S.cols(), at = link.first - group.first;
    group.M.block(at, at, columns, columns).noalias() = link.S.transpose().lazyProduct(F);
    const TreeProblem::Link* below = &link;
    for (int j = link.parent; j >= 0; j = below->parent) {
      F = below->X.transpose().lazyProduct(F).eval();
      below = &links[static_cast<std::size_t>(j)];
      const Eigen::Index above = below->first - group.first;
      group.M.block(above, at, below->S.cols(), columns).noalias() = below->S.transpose().lazyProduct(F);
      group.M.block(at, above, columns, below->S.cols()) =
          group.M.block(above, at, below->S.cols(), columns).transpose();
    }
    if (link.parent >= 0)
      composite_[static_cast<std::size_t>(link.parent)].noalias() +=
          link.X.transpose().lazyProduct((composite_[i] * link.X).eval());
  }
}

void TreeCoordinates::fill(const Surroundings& at, bool with_mass, GaussProblem& problem) {
  update_links(at, problem);
  update_rows(at, problem);
  if (with_mass) update_mass(problem);
}

void TreeCoordinates::expand(const Surroundings& at, const GaussProblem& problem, const Solution& in, Solution& out) {
  const TreeProblem& tree = *problem.tree;
  out.y.resize(at.model.nv);
  out.lambda.setZero(at.model.rows);
  out.rank = in.rank + at.model.rows - static_cast<int>(problem.row_count());
  for (std::size_t i = 0; i < tree.links.size(); ++i) {
    const TreeProblem::Link& link = tree.links[i];
    Vec6<double>& y = bias_[i];
    y = link.c;
    y.noalias() += link.S.lazyProduct(in.y.segment(link.first, link.S.cols()));
    if (link.parent >= 0) y.noalias() += link.X.lazyProduct(bias_[static_cast<std::size_t>(link.parent)]);
    const Body& body = at.model.bodies[static_cast<std::size_t>(link.body)];
    out.y.segment(body.v_first, body.nv()) = y.tail(body.nv());
    force_[i] = link.M * y - link.f;
  }
  for (std::size_t i = 0; i < tree.blocks.size(); ++i) {
    const GaussProblem::Block& block = problem.blocks[i];
    const auto lambda = in.lambda.segment(block.first_row, block.rows);
    out.lambda.segment(problem.model_row[static_cast<std::size_t>(block.first_row)], block.rows) = lambda;
    for (const TreeProblem::Part& part : tree.blocks[i].parts)
      force_[static_cast<std::size_t>(part.link)].noalias() -= part.K.transpose().lazyProduct(lambda);
  }
  for (std::size_t i = tree.links.size(); i-- > 0;)  // (7)
    if (forest_.nodes[i].joint >= 0) solve_joint(at, forest_.nodes[i], force_[i], out);
}

// The multipliers of a joint and its drives from the force on the child; what they do to the parent is passed on.
void TreeCoordinates::solve_joint(const Surroundings& at, const Forest::Node& node, const Vec6<double>& force,
                                  Solution& out) {
  Mat6UpTo6<double> Jt(6, 0), Jt_parent(6, 0);
  Eigen::Index n = 0;
  const std::vector<int>& blocks =
      joint_blocks_[static_cast<std::size_t>(forest_.node_of_body[static_cast<std::size_t>(node.body)])];
  const int parent = node.parent < 0 ? world : forest_.nodes[static_cast<std::size_t>(node.parent)].body;
  for (const int index : blocks) {
    const RowBlockInfo& info = at.model.blocks[static_cast<std::size_t>(index)];
    const RowBlock<double>& block = at.rows.block(static_cast<std::size_t>(index));
    Jt.conservativeResize(6, n + info.rows);
    Jt_parent.conservativeResize(6, n + info.rows);
    for (std::size_t k = 0; k < info.bodies.size(); ++k) {
      const auto J = block.J.middleCols(6 * static_cast<Eigen::Index>(k), 6).transpose();
      if (info.bodies[k] == node.body) Jt.middleCols(n, info.rows) = J;
      if (info.bodies[k] == parent) Jt_parent.middleCols(n, info.rows) = J;
    }
    n += info.rows;
  }
  if (n == 0) return;
  using Square = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>;
  const Square gram = Jt.transpose().lazyProduct(Jt);
  const VecUpTo6<double> right = Jt.transpose().lazyProduct(force);
  const VecUpTo6<double> lambda = Eigen::LDLT<Square>(gram).solve(right);
  n = 0;
  for (const int index : blocks) {
    const RowBlockInfo& info = at.model.blocks[static_cast<std::size_t>(index)];
    out.lambda.segment(info.first_row, info.rows) = lambda.segment(n, info.rows);
    n += info.rows;
  }
  if (node.parent >= 0) force_[static_cast<std::size_t>(node.parent)].noalias() -= Jt_parent.lazyProduct(lambda);
}

}  // namespace tandem
