// The equations of TreeCoordinates: equations (2) and (4) to (7) of tree_coordinates.hpp. Where the bodies are is in
// tree_coordinates.cpp.
#include <Eigen/Cholesky>
#include <algorithm>

#include "tandem/dynamics/tree_coordinates.hpp"

namespace tandem {

using UpTo6Square = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>;

static double driven_acceleration(const Model& model, int drive, double t) {
  return model.drives[static_cast<std::size_t>(drive)].drive.motion<double>(t).acceleration;
}

// Whether speed k of a node is that of an angle.
static bool turns(const Model& model, const Forest::Node& node, int k) {
  if (node.joint < 0) return node.nv == 6 && k < 3;
  const Joint& joint = *model.joints[static_cast<std::size_t>(node.joint)].joint();
  return joint.traits().coordinates[static_cast<std::size_t>(k)].angular;
}

GaussProblem TreeCoordinates::structure(const Model& model) {
  GaussProblem problem;
  problem.names = this;
  problem.tree.emplace();
  TreeProblem& tree = *problem.tree;
  for (std::size_t i = 0; i < tree_first_.size(); ++i)
    problem.groups.push_back({tree_first_[i], tree_size_[i], {}});  // M grows with the square: made when asked for
  for (const Forest::Node& node : forest_.nodes) {
    TreeProblem::Link link;
    link.body = node.body;
    link.parent = node.parent;
    link.length = model.scale.of_body[static_cast<std::size_t>(node.body)];
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
    GaussProblem::Block block{.first_row = row, .rows = info.rows, .holonomic = info.holonomic, .length = info.length};
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
  problem.unit.setOnes(problem.f.size());
  for (const Forest::Node& node : forest_.nodes)
    for (int k = 0; k < node.nv; ++k)
      if (const int unknown = unknown_of_speed(node.v_first + k); unknown >= 0 && !turns(model, node, k))
        problem.unit[unknown] = model.scale.of_body[static_cast<std::size_t>(node.body)];
  problem.b.setZero(row);
  problem.phi.setZero(row);
  problem.rate.setZero(row);
  problem.row_size = row_sizes(model, problem.model_row);
  problem.mass = model.scale.mass;
  tree.b.setZero(row);
  tree.row_square.setZero(row);
  tree.left.assign(tree.links.size(), Vec6<double>::Zero());
  tree.q.setZero(forest_.nq);
  return problem;
}

void TreeCoordinates::update_motions(const Surroundings& at) {
  const Eigen::Ref<const Eigen::VectorXd> q = at.state.q(), v = at.state.v();
  for (std::size_t i = 0; i < forest_.nodes.size(); ++i) {
    const Forest::Node& node = forest_.nodes[i];
    Motion& motion = motions_[i];
    if (node.joint < 0) {
      motion.S = Mat6<double>::Identity().rightCols(node.nv);
      continue;
    }
    const ModelJoint& owner = at.model.joints[static_cast<std::size_t>(node.joint)];
    const PairMotion<double>& pair = at.kinematics.joint(node.joint).pair;
    const JointState<double> joint = joint_state<double>(at.model, node, at.state.t, q, v);
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
  tree.t = at.state.t;
  tree.q = at.state.q();
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
        link.c += driven_acceleration(at.model, drive, at.state.t) * motions_[i].S.col(k);
    }
  }
  walk_with_biases(problem);
}

// (4) from c and f of all links.
void TreeCoordinates::walk_with_biases(GaussProblem& problem) {
  TreeProblem& tree = *problem.tree;
  for (std::size_t i = 0; i < tree.links.size(); ++i) {
    const TreeProblem::Link& link = tree.links[i];
    bias_[i] = link.c;
    if (link.parent >= 0) bias_[i].noalias() += link.X.lazyProduct(bias_[static_cast<std::size_t>(link.parent)]);
    force_[i] = tree.left[i] = link.M * bias_[i] - link.f;
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
      const double length = at.model.scale.of_body[static_cast<std::size_t>(info.bodies[k])];
      square +=
          on.K.leftCols<3>().rowwise().squaredNorm() + length * length * on.K.rightCols<3>().rowwise().squaredNorm();
      rate.noalias() += on.K.lazyProduct(at.kinematics.body(info.bodies[k]).velocity());
      b.noalias() -= on.K.lazyProduct(bias_[node]);
      const int group = forest_.nodes[node].tree;
      auto part = std::find_if(block.parts.begin(), block.parts.end(), [=](const auto& p) { return p.group == group; });
      for (Eigen::Index row = 0; row < on.K.rows(); ++row) {  // (6)
        Eigen::Matrix<double, 1, 6> K = on.K.row(row);
        for (int link = on.link; link >= 0; link = tree.links[static_cast<std::size_t>(link)].parent) {
          const TreeProblem::Link& at_link = tree.links[static_cast<std::size_t>(link)];
          if (at_link.S.cols() > 0)  // the whole group may have none: rows of nothing
            part->J.row(row).segment(at_link.first - problem.groups[static_cast<std::size_t>(group)].first,
                                     at_link.S.cols()) += K.lazyProduct(at_link.S);
          K = K.lazyProduct(at_link.X).eval();
        }
      }
    }
  }
}

void TreeCoordinates::fill_mass(GaussProblem& problem) const {
  const std::vector<TreeProblem::Link>& links = problem.tree->links;
  for (GaussProblem::Group& group : problem.groups) group.M.setZero(group.size, group.size);
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
  if (with_mass) fill_mass(problem);
}

// c of a link is now any acceleration that meets the rows of its joint; the unknowns add what the joint allows.
void TreeCoordinates::fill_right_sides(const Surroundings& at, const Eigen::VectorXd& force,
                                       const Eigen::VectorXd& rows, GaussProblem& problem) {
  TreeProblem& tree = *problem.tree;
  Mat6UpTo6<double> Jt, Jt_parent;
  for (std::size_t i = 0; i < tree.links.size(); ++i) {
    TreeProblem::Link& link = tree.links[i];
    const Body& body = at.model.bodies[static_cast<std::size_t>(link.body)];
    link.f.setZero();
    link.f.tail(body.nv()) = force.segment(body.v_first, body.nv());
    link.c.setZero();
    joint_rows(at, forest_.nodes[i], Jt, Jt_parent);
    if (Jt.cols() == 0) continue;
    if (body.point_mass) Jt.topRows<3>().setZero();
    VecUpTo6<double> wanted(Jt.cols());
    Eigen::Index n = 0;
    for (const int index : joint_blocks_[i]) {
      const RowBlockInfo& info = at.model.blocks[static_cast<std::size_t>(index)];
      wanted.segment(n, info.rows) = rows.segment(info.first_row, info.rows);
      n += info.rows;
    }
    link.c = Jt * UpTo6Square(Jt.transpose().lazyProduct(Jt)).ldlt().solve(wanted);
  }
  walk_with_biases(problem);
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    const RowBlockInfo& info = at.model.blocks[static_cast<std::size_t>(kept_[i])];
    GaussProblem::Block& block = problem.blocks[i];
    tree.b.segment(block.first_row, block.rows) = rows.segment(info.first_row, info.rows);
    auto b = problem.b.segment(block.first_row, block.rows);
    b = rows.segment(info.first_row, info.rows);
    for (const TreeProblem::Part& part : tree.blocks[i].parts)
      b.noalias() -= part.K.lazyProduct(bias_[static_cast<std::size_t>(part.link)]);
  }
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

// The rows of a node's joint and its drives: their columns on the child and on the parent, transposed.
void TreeCoordinates::joint_rows(const Surroundings& at, const Forest::Node& node, Mat6UpTo6<double>& Jt,
                                 Mat6UpTo6<double>& Jt_parent) const {
  const auto own = static_cast<std::size_t>(forest_.node_of_body[static_cast<std::size_t>(node.body)]);
  const int parent = node.parent < 0 ? world : forest_.nodes[static_cast<std::size_t>(node.parent)].body;
  Eigen::Index n = 0;
  for (const int index : joint_blocks_[own]) n += at.model.blocks[static_cast<std::size_t>(index)].rows;
  Jt.setZero(6, n);
  Jt_parent.setZero(6, n);
  n = 0;
  for (const int index : joint_blocks_[own]) {
    const RowBlockInfo& info = at.model.blocks[static_cast<std::size_t>(index)];
    const RowBlock<double>& block = at.rows.block(static_cast<std::size_t>(index));
    for (std::size_t k = 0; k < info.bodies.size(); ++k) {
      const auto J = block.J.middleCols(6 * static_cast<Eigen::Index>(k), 6).transpose();
      if (info.bodies[k] == node.body) Jt.middleCols(n, info.rows) = J;
      if (info.bodies[k] == parent) Jt_parent.middleCols(n, info.rows) = J;
    }
    n += info.rows;
  }
}

// The multipliers of a joint and its drives from the force on the child; what they do to the parent is passed on.
void TreeCoordinates::solve_joint(const Surroundings& at, const Forest::Node& node, const Vec6<double>& force,
                                  Solution& out) {
  Mat6UpTo6<double> Jt, Jt_parent;
  joint_rows(at, node, Jt, Jt_parent);
  if (Jt.cols() == 0) return;
  const UpTo6Square gram = Jt.transpose().lazyProduct(Jt);
  const VecUpTo6<double> right = Jt.transpose().lazyProduct(force);
  const VecUpTo6<double> lambda = Eigen::LDLT<UpTo6Square>(gram).solve(right);
  Eigen::Index n = 0;
  for (const int index :
       joint_blocks_[static_cast<std::size_t>(forest_.node_of_body[static_cast<std::size_t>(node.body)])]) {
    const RowBlockInfo& info = at.model.blocks[static_cast<std::size_t>(index)];
    out.lambda.segment(info.first_row, info.rows) = lambda.segment(n, info.rows);
    n += info.rows;
  }
  if (node.parent >= 0) force_[static_cast<std::size_t>(node.parent)].noalias() -= Jt_parent.lazyProduct(lambda);
}

}  // namespace tandem
