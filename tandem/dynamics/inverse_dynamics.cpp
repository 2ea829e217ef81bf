#include "tandem/dynamics/inverse_dynamics.hpp"

#include <stdexcept>

#include "tandem/dynamics/tree_coordinates.hpp"

namespace tandem {

static const TreeCoordinates& tree_of(const Workspace& workspace) {
  const auto* tree = dynamic_cast<const TreeCoordinates*>(workspace.coordinates.get());
  if (!tree) throw std::invalid_argument("inverse dynamics needs a workspace on the cut \"loops\"");
  return *tree;
}

Eigen::VectorXd inverse_dynamics(const Workspace& workspace, const Eigen::VectorXd& v_dot,
                                 const Eigen::VectorXd& lambda) {
  const TreeCoordinates& tree = tree_of(workspace);
  const std::vector<Forest::Node>& nodes = tree.forest().nodes;
  const TreeProblem& problem = *workspace.problem.tree;
  std::vector<Vec6<double>> y(nodes.size()), F(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {  // (1)
    const TreeCoordinates::Motion& motion = tree.motions()[i];
    y[i] = motion.c + motion.S * v_dot.segment(nodes[i].v_first, nodes[i].nv);
    if (nodes[i].parent >= 0) y[i] += motion.X * y[static_cast<std::size_t>(nodes[i].parent)];
    F[i] = problem.links[i].M * y[i] - problem.links[i].f;
  }
  for (std::size_t i = 0; lambda.size() > 0 && i < problem.blocks.size(); ++i) {
    const GaussProblem::Block& block = workspace.problem.blocks[i];
    for (const TreeProblem::Part& part : problem.blocks[i].parts)
      F[static_cast<std::size_t>(part.link)] -= part.K.transpose() * lambda.segment(block.first_row, block.rows);
  }
  Eigen::VectorXd effort(tree.forest().nv);
  for (std::size_t i = nodes.size(); i-- > 0;) {
    effort.segment(nodes[i].v_first, nodes[i].nv) = tree.motions()[i].S.transpose() * F[i];  // (2)
    if (nodes[i].parent >= 0) F[static_cast<std::size_t>(nodes[i].parent)] += tree.motions()[i].X.transpose() * F[i];
  }
  return effort;
}

Eigen::MatrixXd joint_space_mass(const Workspace& workspace) {
  const TreeCoordinates& tree = tree_of(workspace);
  const std::vector<Forest::Node>& nodes = tree.forest().nodes;
  Eigen::MatrixXd H = Eigen::MatrixXd::Zero(tree.forest().nv, tree.forest().nv);
  std::vector<Mat6<double>> composite(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) composite[i] = workspace.problem.tree->links[i].M;
  for (std::size_t i = nodes.size(); i-- > 0;) {  // (3)
    const Mat6<double>& X = tree.motions()[i].X;
    Mat6UpTo6<double> F = composite[i] * tree.motions()[i].S;
    for (std::size_t j = i;;) {
      const Forest::Node& node = nodes[j];
      H.block(node.v_first, nodes[i].v_first, node.nv, nodes[i].nv) = tree.motions()[j].S.transpose() * F;
      H.block(nodes[i].v_first, node.v_first, nodes[i].nv, node.nv) =
          H.block(node.v_first, nodes[i].v_first, node.nv, nodes[i].nv).transpose().eval();
      if (node.parent < 0) break;
      F = (tree.motions()[j].X.transpose() * F).eval();
      j = static_cast<std::size_t>(node.parent);
    }
    if (nodes[i].parent >= 0) composite[static_cast<std::size_t>(nodes[i].parent)] += X.transpose() * composite[i] * X;
  }
  return H;
}

}  // namespace tandem
