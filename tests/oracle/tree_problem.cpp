#include "oracle/tree_problem.hpp"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "tandem/base/tolerances.hpp"

namespace tandem::oracle {

namespace {

template <class T> auto& at(T& list, int index) { return list[static_cast<std::size_t>(index)]; }

Mat6<double> inertia_of(const Body& body) {
  Mat6<double> M = Mat6<double>::Zero();
  if (!body.point_mass) M.topLeftCorner<3, 3>() = body.inertia;
  M.bottomRightCorner<3, 3>().diagonal().setConstant(body.mass);
  return M;
}

bool turns(const Model& model, const Forest::Node& node, int speed) {
  if (node.joint < 0) return node.nv == 6 && speed < 3;
  return at(at(model.joints, node.joint).joint()->traits().coordinates, speed).angular;
}

}  // namespace

Tree::Tree(const Model& model)
    : model_(model), forest_(spanning_forest(model)), kinematics_(model), applied_(model), rows_(model) {
  std::vector<double> units;
  std::vector<int> node_of_joint(model.joints.size(), -1);
  for (const Forest::Node& node : forest_.nodes) {
    TreeProblem::Link link;
    link.body = node.body;
    link.parent = node.parent;
    link.first = static_cast<int>(units.size());
    link.length = at(model.scale.of_body, node.body);
    link.M = inertia_of(at(model.bodies, node.body));
    for (int k = 0; k < node.nv; ++k)
      if (at(node.drives, k) < 0) units.push_back(turns(model, node, k) ? 1.0 : link.length);
    link.S.setZero(6, static_cast<Eigen::Index>(units.size()) - link.first);
    if (node.joint >= 0) at(node_of_joint, node.joint) = static_cast<int>(problem_.links.size());
    problem_.links.push_back(std::move(link));
  }
  problem_.unit = Eigen::Map<Eigen::VectorXd>(units.data(), static_cast<Eigen::Index>(units.size()));
  problem_.time = model.scale.time;
  joint_blocks_.resize(forest_.nodes.size());
  int row = 0;
  for (std::size_t i = 0; i < model.blocks.size(); ++i) {
    const RowBlockInfo& info = model.blocks[i];
    int joint = -1;
    if (info.kind == RowBlockInfo::Kind::joint) joint = info.index;
    if (info.kind == RowBlockInfo::Kind::drive) joint = at(model.drives, info.index).coordinate.joint;
    if (const int node = joint < 0 ? -1 : at(node_of_joint, joint); node >= 0) {
      at(joint_blocks_, node).push_back(static_cast<int>(i));
      continue;
    }
    TreeProblem::Block block{row, info.rows, static_cast<int>(i), {}};
    for (const int body : info.bodies) block.parts.push_back({at(forest_.node_of_body, body), {}});
    problem_.blocks.push_back(std::move(block));
    row += info.rows;
  }
  problem_.b.setZero(row);
}

void Tree::update(const State& bodies) {
  kinematics_.update(model_, bodies.t, bodies.q(), bodies.v(), bodies.angles());
  applied_.update(model_, kinematics_);
  rows_.update(model_, kinematics_);
  for (std::size_t i = 0; i < forest_.nodes.size(); ++i) update_link(forest_.nodes[i], bodies.t, problem_.links[i]);
  update_rows();
  multiply_out();
  choose_rows();
}

void Tree::update_link(const Forest::Node& node, double t, TreeProblem::Link& link) {
  link.c.setZero();
  link.f = applied_.on_body(static_cast<std::size_t>(node.body));
  if (at(model_.bodies, node.body).point_mass) link.f.head<3>().setZero();
  if (node.joint < 0) {
    link.S = Mat6<double>::Identity().rightCols(node.nv);
    return;
  }
  const JointMotion<double>& motion = kinematics_.joint(node.joint);
  VecUpTo7<double> q = motion.q;
  VecUpTo6<double> v = motion.v, acceleration = VecUpTo6<double>::Zero(node.nv);
  for (int k = 0; k < node.nv; ++k)
    if (const int drive = at(node.drives, k); drive >= 0) {
      const Jet<double> jet = at(model_.drives, drive).drive.motion<double>(t);
      q[k + node.nq - node.nv] = jet.value;
      v[k] = jet.rate;
      acceleration[k] = jet.acceleration;
    }
  Mat6UpTo6<double> S;
  Vec6<double> c;
  at(model_.joints, node.joint).joint()->on<double>().motion(q, v, S, c);
  const Mat6<double>& G = node.reversed ? motion.pair.G_first : motion.pair.G_second;
  // G = ±[A 0; B C] with rotations A and C: G⁻¹ = ±[Aᵀ 0; −Cᵀ B Aᵀ, Cᵀ]
  const Matrix3 At = G.topLeftCorner<3, 3>().transpose(), Ct = G.bottomRightCorner<3, 3>().transpose();
  Mat6<double> inverse = Mat6<double>::Zero();
  inverse.topLeftCorner<3, 3>() = At;
  inverse.bottomRightCorner<3, 3>() = Ct;
  inverse.bottomLeftCorner<3, 3>() = -Ct * G.bottomLeftCorner<3, 3>() * At;
  S = (inverse * S).eval();
  link.X = -inverse * (node.reversed ? motion.pair.G_second : motion.pair.G_first);
  link.c = inverse * (c - motion.pair.gamma) + S * acceleration;  // (1)
  Eigen::Index column = 0;
  for (int k = 0; k < node.nv; ++k)
    if (at(node.drives, k) < 0) link.S.col(column++) = S.col(k);
}

void Tree::update_rows() {
  problem_.row_square.setZero(problem_.b.size());
  for (TreeProblem::Block& block : problem_.blocks) {
    const RowBlock<double>& in = rows_.block(static_cast<std::size_t>(block.of_model));
    problem_.b.segment(block.first_row, block.rows) = in.b;
    for (std::size_t k = 0; k < block.parts.size(); ++k) {
      TreeProblem::Part& part = block.parts[k];
      const TreeProblem::Link& link = at(problem_.links, part.link);
      part.K = in.J.middleCols(6 * static_cast<Eigen::Index>(k), 6);
      if (at(model_.bodies, link.body).point_mass) part.K.leftCols<3>().setZero();
      problem_.row_square.segment(block.first_row, block.rows) +=
          part.K.leftCols<3>().rowwise().squaredNorm() +
          link.length * link.length * part.K.rightCols<3>().rowwise().squaredNorm();
    }
  }
}

// (3)
void Tree::multiply_out() {
  const Eigen::Index n = problem_.unknowns();
  std::vector<Eigen::MatrixXd> Z;
  std::vector<Vec6<double>> a;
  problem_.M_u.setZero(n, n);
  problem_.f_u.setZero(n);
  problem_.J_u.setZero(problem_.b.size(), n);
  problem_.b_u = problem_.b;
  for (const TreeProblem::Link& link : problem_.links) {
    Z.push_back(link.parent < 0 ? Eigen::MatrixXd::Zero(6, n) : Eigen::MatrixXd(link.X * at(Z, link.parent)));
    Z.back().middleCols(link.first, link.S.cols()) += link.S;
    a.push_back(link.c);
    if (link.parent >= 0) a.back() += link.X * at(a, link.parent);
    problem_.M_u += Z.back().transpose() * link.M * Z.back();
    problem_.f_u += Z.back().transpose() * (link.f - link.M * a.back());
  }
  for (const TreeProblem::Block& block : problem_.blocks)
    for (const TreeProblem::Part& part : block.parts) {
      problem_.J_u.middleRows(block.first_row, block.rows) += part.K * at(Z, part.link);
      problem_.b_u.segment(block.first_row, block.rows) -= part.K * at(a, part.link);
    }
}

// Rows of unit length, lengths in parts of the island's; a row that vanishes in the coordinates and not on the bodies
// is none. A state off its constraints blurs dependence by as much as it is off.
void Tree::choose_rows() {
  Eigen::MatrixXd Jt = problem_.unit.asDiagonal() * problem_.J_u.transpose();
  double gap = 0.0;
  for (const TreeProblem::Block& block : problem_.blocks) {
    const RowBlockInfo& info = at(model_.blocks, block.of_model);
    for (int k = 0; k < info.holonomic; ++k)
      gap = std::max(gap, std::abs(rows_.block(static_cast<std::size_t>(block.of_model)).phi[k]) /
                              model_.row_size(info.first_row + k));
  }
  for (Eigen::Index row = 0; row < Jt.cols(); ++row) {
    const double length = Jt.col(row).norm();
    Jt.col(row) *= length > tolerances::rank * std::sqrt(problem_.row_square[row]) ? 1.0 / length : 0.0;
  }
  problem_.rows.clear();
  if (Jt.size() == 0) return;
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(Jt.rows(), Jt.cols());
  qr.setThreshold(std::max(tolerances::rank, std::min(100.0 * gap, 1e-3)));
  qr.compute(Jt);
  for (Eigen::Index k = 0; k < qr.rank(); ++k)
    problem_.rows.push_back(static_cast<int>(qr.colsPermutation().indices()[k]));
  std::sort(problem_.rows.begin(), problem_.rows.end());
}

Answer Tree::expand(const Eigen::VectorXd& u_dot, const Eigen::VectorXd& lambda) const {
  Answer out{Eigen::VectorXd::Zero(model_.nv), Eigen::VectorXd::Zero(model_.rows),
             static_cast<int>(problem_.rows.size()) + model_.rows - static_cast<int>(problem_.b.size())};
  std::vector<Vec6<double>> y, force;
  for (const TreeProblem::Link& link : problem_.links) {
    y.emplace_back(link.c + link.S * u_dot.segment(link.first, link.S.cols()));
    if (link.parent >= 0) y.back() += link.X * at(y, link.parent);
    const Body& body = at(model_.bodies, link.body);
    out.y.segment(body.v_first, body.nv()) = y.back().tail(body.nv());
    force.emplace_back(link.M * y.back() - link.f);
  }
  for (const TreeProblem::Block& block : problem_.blocks) {
    const auto own = lambda.segment(block.first_row, block.rows);
    out.lambda.segment(at(model_.blocks, block.of_model).first_row, block.rows) = own;
    for (const TreeProblem::Part& part : block.parts) at(force, part.link) -= part.K.transpose() * own;
  }
  for (std::size_t i = problem_.links.size(); i-- > 0;) {  // (4): all rows of the joint at once, on child and parent
    const int parent = problem_.links[i].parent < 0 ? world : at(problem_.links, problem_.links[i].parent).body;
    Eigen::MatrixXd Jt(6, 0), Jt_parent(6, 0);
    std::vector<int> rows;
    for (const int index : joint_blocks_[i]) {
      const RowBlockInfo& info = at(model_.blocks, index);
      for (int k = 0; k < info.rows; ++k) rows.push_back(info.first_row + k);
      const auto columns = static_cast<Eigen::Index>(rows.size());
      Jt.conservativeResize(6, columns);
      Jt_parent.conservativeResize(6, columns);
      Jt.rightCols(info.rows).setZero();
      Jt_parent.rightCols(info.rows).setZero();
      for (std::size_t k = 0; k < info.bodies.size(); ++k) {
        const auto J = rows_.block(static_cast<std::size_t>(index)).J.middleCols(6 * static_cast<Eigen::Index>(k), 6);
        if (info.bodies[k] == problem_.links[i].body) Jt.rightCols(info.rows) = J.transpose();
        if (info.bodies[k] == parent) Jt_parent.rightCols(info.rows) = J.transpose();
      }
    }
    if (rows.empty()) continue;
    const Eigen::VectorXd own = Eigen::MatrixXd(Jt.transpose() * Jt).ldlt().solve(Jt.transpose() * force[i]);
    for (std::size_t k = 0; k < rows.size(); ++k) out.lambda[rows[k]] = own[static_cast<Eigen::Index>(k)];
    if (parent != world) at(force, problem_.links[i].parent) -= Jt_parent * own;
  }
  return out;
}

}  // namespace tandem::oracle
