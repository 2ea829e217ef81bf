#include "tandem/tree/tree_dynamics.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tandem/base/elementary.hpp"
#include "tandem/base/larger.hpp"
#include "tandem/math/quaternion.hpp"
#include "tandem/model/builder.hpp"
#include "tandem/tree/link_form.hpp"

namespace tandem {

namespace {

// One axis of a joint: a turn about or a slide along z of the axes A within its frame F.
struct Axis {
  LinkKind kind = LinkKind::turn;
  Matrix3 A = Matrix3::Identity();
  int speed = 0;  // which of the joint's
};

Matrix3 z_along(int axis) {
  Matrix3 A;  // its last column is the axis
  A.col(2) = Vector3::Unit(axis);
  A.col(0) = Vector3::Unit((axis + 1) % 3);
  A.col(1) = A.col(2).cross(A.col(0));
  return A;
}

// X_FM as a product of turns and slides, in the order of the product; empty when it is none.
std::vector<Axis> axes_of(const Joint& joint, LinkForm form) {
  std::vector<Axis> out;
  if (form == LinkForm::axes)
    for (const LinkAxis& axis : joint.traits().axes)
      out.push_back({axis.motion == LinkAxis::turn ? LinkKind::turn : LinkKind::slide, z_along(axis.axis), axis.speed});
  return out;
}

bool has_drive(const Forest::Node& node) {
  return std::any_of(node.drives.begin(), node.drives.end(), [](int drive) { return drive >= 0; });
}

bool is_coupled(const Model& model, int joint) {
  return std::any_of(model.constraints.begin(), model.constraints.end(), [&](const ModelConstraint& constraint) {
    const auto* relation = std::get_if<CoordinateConstraint>(&constraint.what);
    return relation && std::any_of(relation->terms.begin(), relation->terms.end(),
                                   [&](const CoordinateRef& term) { return term.joint == joint; });
  });
}

bool is_of_axes(const Model& model, int joint) {
  return link_form(*model.joints[static_cast<std::size_t>(joint)].joint()) == LinkForm::axes;
}

// A body without mass in it or in what hangs from it, on a joint that no row holds along a single turn or slide
// (loop_rows.hpp (8)): no force decides how it moves.
std::optional<std::string> massless_branch(const Model& model, const Forest& forest) {
  std::vector<bool> has_mass(forest.nodes.size(), false);
  for (std::size_t i = forest.nodes.size(); i-- > 0;) {
    const Forest::Node& node = forest.nodes[i];
    const Body& body = model.bodies[static_cast<std::size_t>(node.body)];
    has_mass[i] = has_mass[i] || body.mass > 0.0 || !body.inertia.isZero(0.0);
    const bool moves = std::any_of(node.drives.begin(), node.drives.end(), [](int drive) { return drive < 0; });
    const bool single = node.joint >= 0 && is_of_axes(model, node.joint);
    if (!has_mass[i] && moves && !single)
      return fmt::format("body \"{}\" has no mass, nor has anything that hangs from it", body.name);
    if (has_mass[i] && node.parent >= 0) has_mass[static_cast<std::size_t>(node.parent)] = true;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> TreeDynamics::obstacle(const Model& model, Acts acts) {
  if (acts == Acts::gravity && !model.drives.empty())
    return fmt::format("drive \"{}\" prescribes a motion", model.drives.front().name);
  for (const ModelConstraint& constraint : model.constraints) {
    const auto* pair = std::get_if<PairConstraint>(&constraint.what);
    const bool custom = std::holds_alternative<CustomConstraint>(constraint.what);
    if (acts == Acts::gravity && (custom || (pair && pair->constraint.time_dependent())))
      return fmt::format("constraint \"{}\" {} with time", constraint.name, custom ? "may change" : "changes");
    if (constraint.one_sided || constraint.soft)
      return fmt::format("constraint \"{}\" is of type {}", constraint.name,
                         constraint.soft ? "soft" : constraint.type);
  }
  if (acts == Acts::everything)
    if (auto reason = massless_branch(model, spanning_forest(model))) return reason;
  if (acts == Acts::gravity)
    for (const ModelJoint& joint : model.joints)
      if (!joint.joint()) return fmt::format("joint \"{}\" may change with time", joint.name);
  return std::nullopt;
}

TreeDynamics::TreeDynamics(const Model& model, Acts acts) : forest_(spanning_forest(model)) {
  if (const auto reason = obstacle(model, acts)) {
    Faults faults;
    faults.about("", Location::top_of(model.file));
    faults.error(fmt::format("{}; the bare recursion is for trees of joints: use a Simulation", *reason));
    throw ModelError(std::move(faults));
  }
  add_link({}, {}, 0);
  links_.front().a_v = V3<double>(-model.gravity);
  for (const Forest::Node& node : forest_.nodes) add_node(model, node, acts);
  for (std::size_t i = links_.size(); i-- > 1;) {
    TreeLink<double>& parent = links_[static_cast<std::size_t>(links_[i].parent)];
    links_[i].is_last_child = !parent.has_children;
    parent.has_children = true;
  }
  columns_.resize(speed_of_column_.size());
  for (std::size_t k = 0; k < speed_of_column_.size(); ++k)
    in_order_ = in_order_ && speed_of_column_[k] == static_cast<int>(k);
  std::vector<std::size_t> end(links_.size());  // one past the last link of each subtree
  for (std::size_t i = links_.size(); i-- > 0;) {
    end[i] = std::max(end[i], i + 1);
    if (i > 0)
      end[static_cast<std::size_t>(links_[i].parent)] =
          std::max(end[static_cast<std::size_t>(links_[i].parent)], end[i]);
  }
  first_column_.push_back(static_cast<int>(speed_of_column_.size()));
  for (const std::size_t last : end) last_column_.push_back(first_column_[last]);
  for (TreeLink<double>& link : links_) {
    if (link.kind == LinkKind::ball || link.kind == LinkKind::floating || link.kind == LinkKind::any) {
      link.wide = static_cast<int>(wide_.size());
      wide_.emplace_back().freedoms = link.any ? link.any->freedoms : link.kind == LinkKind::ball ? 3 : 6;
    } else if (link.kind == LinkKind::turn) {
      link.turn = static_cast<int>(turns_.q.size());
      turns_.q.push_back(link.q);
    }
  }
  for (Eigen::ArrayXd* numbers : {&turns_.angles, &turns_.sines, &turns_.cosines})
    numbers->setZero(static_cast<Eigen::Index>(turns_.q.size()));
  loops_.build(model, forest_, link_of_node_, X_LC_, links_);
  if (acts == Acts::everything) loads_.build(model, forest_, link_of_node_, X_LC_);
  still_.setZero(nv());
  tau_.setZero(nv());
}

void Turns::update(const Eigen::VectorXd& coordinates) {
  for (std::size_t i = 0; i < q.size(); ++i) angles[static_cast<Eigen::Index>(i)] = coordinates[q[i]];
  sines_and_cosines(angles, sines, cosines);
}

void TreeDynamics::rate(const Eigen::VectorXd& q, const Eigen::VectorXd& v, Eigen::VectorXd& q_dot) const {
  q_dot.resize(nq());
  for (const TreeLink<double>& link : links_) {
    switch (link.kind) {
      case LinkKind::turn:
      case LinkKind::slide:
        q_dot[link.q] = v[link.v];
        break;
      case LinkKind::floating:
        q_dot.segment<3>(link.q + 4) = v.segment<3>(link.v + 3);
        [[fallthrough]];
      case LinkKind::ball:
        q_dot.segment<4>(link.q) = quaternion_rate<double>(q.segment<4>(link.q), v.segment<3>(link.v));
        break;
      case LinkKind::any:
        q_dot.segment(link.q, link.any->nq) = link.any->rate(q.data() + link.q, v.data() + link.v);
        break;
      case LinkKind::weld:
        break;
    }
  }
}

void TreeDynamics::retract(const Eigen::VectorXd& delta, Eigen::VectorXd& q) const {
  for (const TreeLink<double>& link : links_) {
    switch (link.kind) {
      case LinkKind::turn:
      case LinkKind::slide:
        q[link.q] += delta[link.v];
        break;
      case LinkKind::floating:
        q.segment<3>(link.q + 4) += delta.segment<3>(link.v + 3);
        [[fallthrough]];
      case LinkKind::ball: {
        const Vec4<double> turned = quaternion_retract<double>(q.segment<4>(link.q), delta.segment<3>(link.v));
        q.segment<4>(link.q) = turned;
        break;
      }
      case LinkKind::any:
        link.any->retract(delta.data() + link.v, q.data() + link.q);
        break;
      case LinkKind::weld:
        break;
    }
  }
}

double TreeDynamics::settle(Eigen::VectorXd& q) const {
  double off = 0.0;
  for (const TreeLink<double>& link : links_)
    if (link.any) {
      keep_larger(off, link.any->settle(q.data() + link.q));
    } else if (link.wide >= 0) {
      const double length = q.segment<4>(link.q).norm();
      keep_larger(off, std::abs(length - 1.0));
      q.segment<4>(link.q) /= length;
    }
  return off;
}

void TreeDynamics::follow_quaternions(VecOut<double> bodies) const {
  for (std::size_t i = 0; i < link_of_node_.size(); ++i) {
    if (quaternion_of_node_[i] < 0) continue;  // a point mass
    const auto link = static_cast<std::size_t>(link_of_node_[i]);
    const Vec4<double> now = quaternion_of<double>(links_[link].R_W.matrix() * X_LC_[link].R);
    auto quaternion = bodies.segment<4>(quaternion_of_node_[i]);
    quaternion = quaternion.dot(now) < 0.0 ? Vec4<double>(-now) : now;
  }
}

Pose<double> TreeDynamics::pose(const BodyFrame& frame) const {
  if (frame.body == world) return frame.X_CF;
  const std::size_t index = link_of(frame.body);
  const TreeLink<double>& link = links_[index];
  return Pose<double>{link.R_W.matrix(), link.p_W.vector()} * X_LC_[index] * frame.X_CF;
}

BodyMotion<double> TreeDynamics::motion(int body) const {
  const std::size_t index = link_of(body);
  const TreeLink<double>& link = links_[index];
  const Pose<double>& X_LC = X_LC_[index];
  const Matrix3 R_W = link.R_W.matrix();
  const Vector3 w = link.w.vector();
  return {.X_WC = Pose<double>{R_W, link.p_W.vector()} * X_LC,
          .w_B = X_LC.R.transpose() * w,
          .w_W = R_W * w,
          .v = R_W * (link.v_origin.vector() + w.cross(X_LC.p))};
}

// Of the link, a_v = d/dt v of its origin − w × v; the world has −g.
Vec6<double> TreeDynamics::acceleration(int body) const {
  const std::size_t index = link_of(body);
  const TreeLink<double>& link = links_[index];
  const Pose<double>& X_LC = X_LC_[index];
  const Vector3 w = link.w.vector(), alpha = link.a_w.vector();
  const Vector3 along =
      link.a_v.vector() + alpha.cross(X_LC.p) + w.cross(Vector3(link.v_origin.vector() + w.cross(X_LC.p)));
  Vec6<double> out;
  out << X_LC.R.transpose() * alpha, link.R_W.matrix() * along - links_.front().a_v.vector();
  return out;
}

void TreeDynamics::prescribe(double t, Eigen::VectorXd& q, Eigen::VectorXd& v) {
  for (Driven& each : driven_) {
    each.motion = each.drive->motion<double>(t);
    q[each.q] = each.motion.value;
    v[each.v] = each.motion.rate;
  }
}

Work TreeDynamics::power() const {
  Work power = loads_.power();
  power.drives += loops_.power();
  for (const Driven& each : driven_) power.drives += effort_of(each) * each.motion.rate;
  return power;
}

TreeResiduals TreeDynamics::residuals() const {
  TreeResiduals out;
  for (const LoopBlock& block : loops_.blocks())
    for (int k = 0; k < block.rows; ++k) {
      const double size = block.size_in_use(k);
      out.see(std::abs(block.phi[k]) / size, std::abs(block.rate[k]) / size, block.length);
    }
  return out;
}

double TreeDynamics::fastest_turn() const {
  double most = 0.0;
  for (const TreeLink<double>& link : links_) keep_larger(most, dot(link.w, link.w));
  return std::sqrt(most);
}

int TreeDynamics::rows_in_use() const {
  int rows = 0;
  for (const LoopBlock& block : loops_.blocks()) rows += block.rows;
  return rows;
}

void TreeDynamics::add_link(TreeLink<double> link, const Pose<double>& X_LC, int speeds) {
  link.R = link.R_PF;
  link.p = link.p_PF;
  first_column_.push_back(static_cast<int>(speed_of_column_.size()));
  for (int k = 0; k < speeds; ++k) speed_of_column_.push_back(link.v + k);
  links_.push_back(link);
  X_LC_.push_back(X_LC);
}

void TreeDynamics::make_any(const Model& model, const Forest::Node& node, Acts acts, TreeLink<double>& link) {
  any_.push_back(std::make_unique<AnyJoint<double>>());
  link.kind = LinkKind::any;
  link.any = any_.back().get();
  const Joint& joint = *model.joints[static_cast<std::size_t>(node.joint)].joint();
  std::vector<int> drives = node.drives;
  if (acts != Acts::everything) std::fill(drives.begin(), drives.end(), -1);
  link.any->take(joint.on<double>(), joint.traits(), node.reversed, drives);
  for (int column = link.any->freedoms; column < node.nv; ++column) {
    const int speed = link.any->speed[column], drive = drives[static_cast<std::size_t>(speed)];
    driven_.push_back({links_.size(),
                       node.q_first + speed + node.nq - node.nv,
                       node.v_first + speed,
                       &model.drives[static_cast<std::size_t>(drive)].drive,
                       column,
                       drive,
                       {}});
  }
}

void TreeDynamics::add_node(const Model& model, const Forest::Node& node, Acts acts) {
  const Body& body = model.bodies[static_cast<std::size_t>(node.body)];
  TreeLink<double> link;
  link.parent = node.parent < 0 ? 0 : link_of_node_[static_cast<std::size_t>(node.parent)];
  link.q = node.q_first;
  link.v = node.v_first;
  const double length = model.scale.of_body[static_cast<std::size_t>(node.body)];
  link.area = length * length;
  Pose<double> X_LC;  // of this body: its mass centre in the axes of its link
  std::vector<Axis> axes;
  if (node.joint >= 0) {
    const ModelJoint& joint = model.joints[static_cast<std::size_t>(node.joint)];
    const BodyFrame& on_parent = node.reversed ? joint.second : joint.first;
    const BodyFrame& on_child = node.reversed ? joint.first : joint.second;
    const Pose<double> X_PF = X_LC_[static_cast<std::size_t>(link.parent)] * on_parent.X_CF;
    link.R_PF = M3<double>(X_PF.R);
    link.p_PF = V3<double>(X_PF.p);
    X_LC = on_child.X_CF.inverse();
    const LinkForm form = link_form(*joint.joint());
    axes = axes_of(*joint.joint(), form);
    if (node.reversed) {  // E(−q) = Rx(π) E(q) Rx(π), for turns and slides alike
      std::reverse(axes.begin(), axes.end());
      for (Axis& axis : axes) axis.A = axis.A * rotation_about_x(pi);
    }
    if (form == LinkForm::ball) link.kind = LinkKind::ball;
    if (form == LinkForm::floating) link.kind = LinkKind::floating;
    const bool single = has_drive(node) || is_coupled(model, node.joint);  // one of its freedoms is asked for
    if (form == LinkForm::any || (link.kind != LinkKind::weld && (node.reversed || single)))
      make_any(model, node, acts, link);
  } else if (body.point_mass) {
    for (int k = 0; k < 3; ++k) axes.push_back({LinkKind::slide, z_along(k), k});
  } else {
    link.kind = LinkKind::floating;
  }
  const Matrix3 R_PF = link.R_PF.matrix();
  for (std::size_t k = 0; k < axes.size(); ++k) {
    link.kind = axes[k].kind;
    const int drive = acts == Acts::everything ? node.drives[static_cast<std::size_t>(axes[k].speed)] : -1;
    link.driven = drive >= 0;
    link.q = node.q_first + axes[k].speed;
    link.v = node.v_first + axes[k].speed;
    if (link.driven)
      driven_.push_back(
          {links_.size(), link.q, link.v, &model.drives[static_cast<std::size_t>(drive)].drive, 0, drive, {}});
    link.R_PF = M3<double>(k == 0 ? Matrix3(R_PF * axes[k].A) : Matrix3(axes[k - 1].A.transpose() * axes[k].A));
    if (k + 1 == axes.size()) break;
    add_link(link, {}, 1);  // massless
    link.parent = static_cast<int>(links_.size()) - 1;
    link.p_PF = {};
  }
  if (!axes.empty()) X_LC = Pose<double>{axes.back().A.transpose(), Vector3::Zero()} * X_LC;
  link.mass = body.mass;
  link.h = V3<double>(body.mass * X_LC.p);
  const Matrix3 c = sk<double>(X_LC.p);
  link.inertia = Sym3<double>::of(X_LC.R * body.inertia * X_LC.R.transpose() + body.mass * c * c.transpose());
  const bool has_axes = link.kind == LinkKind::turn || link.kind == LinkKind::slide;
  add_link(link, X_LC, has_axes ? 1 : node.nv);
  link_of_node_.push_back(static_cast<int>(links_.size()) - 1);
  quaternion_of_node_.push_back(body.point_mass ? -1 : body.q_first);
}

}  // namespace tandem
