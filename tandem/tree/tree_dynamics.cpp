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

Matrix3 z_along(int axis) {
  Matrix3 A;  // its last column is the axis
  A.col(2) = Vector3::Unit(axis);
  A.col(0) = Vector3::Unit((axis + 1) % 3);
  A.col(1) = A.col(2).cross(A.col(0));
  return A;
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

}  // namespace

template <class S> Tree<S>::Tree(const Model& model, Acts acts) : forest_(spanning_forest(model)) {
  if (const auto reason = obstacle(model, acts)) {
    Faults faults;
    faults.about("", Location::top_of(model.file));
    faults.error(fmt::format("{}; the bare recursion is for trees of joints: use a Simulation", *reason));
    throw ModelError(std::move(faults));
  }
  add_link({}, {}, 0);
  for (const Forest::Node& node : forest_.nodes) add_node(model, node, acts);
  set_numbers(model);
  for (std::size_t i = links_.size(); i-- > 1;) {
    TreeLink<S>& parent = links_[static_cast<std::size_t>(links_[i].parent)];
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
  for (TreeLink<S>& link : links_) {
    if (link.kind == LinkKind::ball || link.kind == LinkKind::floating || link.kind == LinkKind::any) {
      link.wide = static_cast<int>(wide_.size());
      wide_.emplace_back().freedoms = link.any ? link.any->freedoms : link.kind == LinkKind::ball ? 3 : 6;
    } else if (link.kind == LinkKind::turn) {
      link.turn = static_cast<int>(turns_.q.size());
      turns_.q.push_back(link.q);
    }
  }
  for (auto* numbers : {&turns_.angles, &turns_.sines, &turns_.cosines})
    numbers->setZero(static_cast<Eigen::Index>(turns_.q.size()));
  loops_.build(model, forest_, link_of_node_, X_LC_, links_);
  if (acts == TreeActs::everything) loads_.build(model, forest_, link_of_node_, X_LC_);
  still_.setZero(nv());
  tau_.setZero(nv());
}

template <class S> void Turns<S>::update(const S* coordinates) {
  for (std::size_t i = 0; i < q.size(); ++i) angles[static_cast<Eigen::Index>(i)] = coordinates[q[i]];
  if constexpr (std::is_same_v<S, double>)
    sines_and_cosines(angles, sines, cosines);
  else
    for (Eigen::Index i = 0; i < angles.size(); ++i) {
      sines[i] = sin(angles[i]);
      cosines[i] = cos(angles[i]);
    }
}

template <class S> void Tree<S>::rate(VecIn<S> q, VecIn<S> v, VecX<S>& q_dot) const {
  q_dot.resize(nq());
  for (const TreeLink<S>& link : links_) {
    switch (link.kind) {
      case LinkKind::turn:
      case LinkKind::slide:
        q_dot[link.q] = v[link.v];
        break;
      case LinkKind::floating:
        q_dot.template segment<3>(link.q + 4) = v.template segment<3>(link.v + 3);
        [[fallthrough]];
      case LinkKind::ball:
        q_dot.template segment<4>(link.q) =
            quaternion_rate<S>(q.template segment<4>(link.q), v.template segment<3>(link.v));
        break;
      case LinkKind::any:
        q_dot.segment(link.q, link.any->nq) = link.any->rate(q.data() + link.q, v.data() + link.v);
        break;
      case LinkKind::weld:
        break;
    }
  }
}

template <class S> void Tree<S>::retract(VecIn<S> delta, VecOut<S> q) const {
  for (const TreeLink<S>& link : links_) {
    switch (link.kind) {
      case LinkKind::turn:
      case LinkKind::slide:
        q[link.q] += delta[link.v];
        break;
      case LinkKind::floating:
        q.template segment<3>(link.q + 4) += delta.template segment<3>(link.v + 3);
        [[fallthrough]];
      case LinkKind::ball: {
        const Vec4<S> turned = turned_by<S>(q.template segment<4>(link.q), delta.template segment<3>(link.v));
        q.template segment<4>(link.q) = turned;
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

template <class S> double Tree<S>::settle(VecOut<S> q) const {
  double off = 0.0;
  for (const TreeLink<S>& link : links_)
    if (link.any) {
      keep_larger(off, largest_of(link.any->settle(q.data() + link.q)));
    } else if (link.wide >= 0) {
      const S length = q.template segment<4>(link.q).norm();
      keep_larger(off, largest_of(S(length - 1.0)));
      q.template segment<4>(link.q) /= length;
    }
  return off;
}

template <class S> void Tree<S>::follow_quaternions(VecOut<S> bodies) const {
  for (std::size_t i = 0; i < link_of_node_.size(); ++i) {
    if (quaternion_of_node_[i] < 0) continue;  // a point mass
    const auto link = static_cast<std::size_t>(link_of_node_[i]);
    const Vec4<S> now = quaternion_of_rotation<S>(links_[link].R_W.matrix() * X_LC_[link].R);
    auto quaternion = bodies.template segment<4>(quaternion_of_node_[i]);
    const S sign = select(quaternion.dot(now) < S(0.0), S(-1.0), S(1.0));
    quaternion = sign * now;
  }
}

template <class S> Pose<S> Tree<S>::pose(const BodyFrame& frame) const {
  const Pose<S> X_CF = frame.X_CF.template cast<S>();
  if (frame.body == world) return X_CF;
  const std::size_t index = link_of(frame.body);
  const TreeLink<S>& link = links_[index];
  return Pose<S>{link.R_W.matrix(), link.p_W.vector()} * X_LC_[index] * X_CF;
}

template <class S> BodyMotion<S> Tree<S>::motion(int body) const {
  const std::size_t index = link_of(body);
  const TreeLink<S>& link = links_[index];
  const Pose<S>& X_LC = X_LC_[index];
  const Mat3<S> R_W = link.R_W.matrix();
  const Vec3<S> w = link.w.vector();
  return {.X_WC = Pose<S>{R_W, link.p_W.vector()} * X_LC,
          .w_B = X_LC.R.transpose() * w,
          .w_W = R_W * w,
          .v = R_W * (link.v_origin.vector() + w.cross(X_LC.p))};
}

// Of the link, a_v = d/dt v of its origin − w × v; the world has −g.
template <class S> Vec6<S> Tree<S>::acceleration(int body) const {
  const std::size_t index = link_of(body);
  const TreeLink<S>& link = links_[index];
  const Pose<S>& X_LC = X_LC_[index];
  const Vec3<S> w = link.w.vector(), alpha = link.a_w.vector();
  const Vec3<S> along =
      link.a_v.vector() + alpha.cross(X_LC.p) + w.cross(Vec3<S>(link.v_origin.vector() + w.cross(X_LC.p)));
  Vec6<S> out;
  out << X_LC.R.transpose() * alpha, link.R_W.matrix() * along - links_.front().a_v.vector();
  return out;
}

template <class S> void Tree<S>::prescribe(const S& t, VecOut<S> q, VecOut<S> v) {
  for (Driven& each : driven_) {
    each.motion = motion_of<S>(*each.drive, t);
    q[each.q] = each.motion.value;
    v[each.v] = each.motion.rate;
  }
}

template <class S> TreeResiduals Tree<S>::residuals() const {
  TreeResiduals out;
  for (const LoopBlock<S>& block : loops_.blocks())
    for (int k = 0; k < block.rows; ++k) {
      const double size = block.size_in_use(k);
      out.see(largest_of(block.phi[k]) / size, largest_of(block.rate[k]) / size, block.length);
    }
  return out;
}

template <class S> double Tree<S>::fastest_turn() const {
  double most = 0.0;
  for (const TreeLink<S>& link : links_) keep_larger(most, largest_of(dot(link.w, link.w)));
  return std::sqrt(most);
}

template <class S> int Tree<S>::rows_in_use() const {
  int rows = 0;
  for (const LoopBlock<S>& block : loops_.blocks()) rows += block.rows;
  return rows;
}

template <class S> void Tree<S>::add_link(const TreeLink<S>& link, const Axis& axis, int speeds) {
  first_column_.push_back(static_cast<int>(speed_of_column_.size()));
  for (int k = 0; k < speeds; ++k) speed_of_column_.push_back(link.v + k);
  links_.push_back(link);
  axes_.push_back(axis);
}

template <class S> void Tree<S>::make_any(const Model& model, const Forest::Node& node, Acts acts, TreeLink<S>& link) {
  any_.push_back(std::make_unique<AnyJoint<S>>());
  link.kind = LinkKind::any;
  link.any = any_.back().get();
  const Joint& joint = *model.joints[static_cast<std::size_t>(node.joint)].joint();
  std::vector<int> drives = node.drives;
  if (acts != TreeActs::everything) std::fill(drives.begin(), drives.end(), -1);
  link.any->take(joint, joint.traits(), node.reversed, drives);
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

// X_FM as a product of turns and slides, in the order of the product.
template <class S> std::vector<typename Tree<S>::Axis> Tree<S>::axes_of(const Joint& joint) {
  std::vector<Axis> out;
  for (const LinkAxis& axis : joint.traits().axes)
    out.push_back({axis.motion == LinkAxis::turn ? LinkKind::turn : LinkKind::slide, z_along(axis.axis), axis.speed});
  return out;
}

template <class S> void Tree<S>::add_node(const Model& model, const Forest::Node& node, Acts acts) {
  const Body& body = model.bodies[static_cast<std::size_t>(node.body)];
  TreeLink<S> link;
  link.parent = node.parent < 0 ? 0 : link_of_node_[static_cast<std::size_t>(node.parent)];
  link.q = node.q_first;
  link.v = node.v_first;
  const double length = model.scale.of_body[static_cast<std::size_t>(node.body)];
  link.area = length * length;
  std::vector<Axis> axes;
  if (node.joint >= 0) {
    const Joint& joint = *model.joints[static_cast<std::size_t>(node.joint)].joint();
    const LinkForm form = link_form(joint);
    if (form == LinkForm::axes) axes = axes_of(joint);
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
  first_link_of_node_.push_back(static_cast<int>(links_.size()));
  for (std::size_t k = 0; k < axes.size(); ++k) {  // all but the last one are massless
    link.kind = axes[k].kind;
    const int drive = acts == TreeActs::everything ? node.drives[static_cast<std::size_t>(axes[k].speed)] : -1;
    link.driven = drive >= 0;
    link.q = node.q_first + axes[k].speed;
    link.v = node.v_first + axes[k].speed;
    if (link.driven)
      driven_.push_back(
          {links_.size(), link.q, link.v, &model.drives[static_cast<std::size_t>(drive)].drive, 0, drive, {}});
    add_link(link, axes[k], 1);
    link.parent = static_cast<int>(links_.size()) - 1;
  }
  if (axes.empty()) add_link(link, {}, node.nv);
  link_of_node_.push_back(static_cast<int>(links_.size()) - 1);
  quaternion_of_node_.push_back(body.point_mass ? -1 : body.q_first);
}

template <class S> void Tree<S>::set_numbers(const Model& model) {
  const auto at = [](int index) { return static_cast<std::size_t>(index); };
  links_.front().a_v = V3<S>(Vec3<S>(-lift<S>(model.gravity)));
  X_LC_.resize(links_.size());
  for (std::size_t i = 0; i < forest_.nodes.size(); ++i) {
    const Forest::Node& node = forest_.nodes[i];
    const std::size_t first = at(first_link_of_node_[i]), last = at(link_of_node_[i]);
    Pose<S> X_PF, X_LC;  // the joint in its parent; the mass centre of this body in the axes of its link
    if (node.joint >= 0) {
      const ModelJoint& joint = model.joints[at(node.joint)];
      const BodyFrame& on_parent = node.reversed ? joint.second : joint.first;
      const BodyFrame& on_child = node.reversed ? joint.first : joint.second;
      X_PF = X_LC_[at(links_[first].parent)] * on_parent.X_CF.template cast<S>();
      X_LC = on_child.X_CF.inverse().template cast<S>();
    }
    links_[first].p_PF = V3<S>(X_PF.p);
    const bool has_axes = axes_[first].kind != LinkKind::weld;
    links_[first].R_PF = M3<S>(has_axes ? Mat3<S>(X_PF.R * lift<S>(axes_[first].A)) : X_PF.R);
    for (std::size_t k = first + 1; k <= last; ++k)
      links_[k].R_PF = M3<S>(lift<S>(Matrix3(axes_[k - 1].A.transpose() * axes_[k].A)));
    if (has_axes) X_LC = Pose<S>{lift<S>(axes_[last].A).transpose(), Vec3<S>::Zero()} * X_LC;
    X_LC_[last] = X_LC;
    const Body& body = model.bodies[at(node.body)];
    const S mass(body.mass);
    const Mat3<S> c = sk<S>(X_LC.p);
    links_[last].mass = mass;
    links_[last].h = V3<S>(Vec3<S>(mass * X_LC.p));
    links_[last].inertia = Sym3<S>::of(X_LC.R * lift<S>(body.inertia) * X_LC.R.transpose() + mass * c * c.transpose());
  }
  for (TreeLink<S>& link : links_) {
    link.R = link.R_PF;
    link.p = link.p_PF;
  }
}

#define TANDEM_INSTANTIATE(S) \
  template struct Turns<S>;   \
  template class Tree<S>;
TANDEM_TREE_SCALARS(TANDEM_INSTANTIATE)
#undef TANDEM_INSTANTIATE

}  // namespace tandem
