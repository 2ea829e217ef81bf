#include "tandem/dynamics/rows.hpp"

#include <algorithm>

#include "tandem/linalg/known_size.hpp"

namespace tandem {

// The first column of a body in a block; −1 for the world, which has none.
static Eigen::Index column_of(const RowBlockInfo& info, int body) {
  if (body == world) return -1;
  const auto found = std::find(info.bodies.begin(), info.bodies.end(), body);
  return 6 * (found - info.bodies.begin());
}

template <class S> Rows<S>::Rows(const Model& model) {
  for (const RowBlockInfo& info : model.blocks) {
    RowBlock<S> block;
    block.J.setZero(info.rows, 6 * static_cast<Eigen::Index>(info.bodies.size()));
    block.phi.setZero(info.rows);
    block.phi_t.setZero(info.rows);
    block.b.setZero(info.rows);
    blocks_.push_back(std::move(block));
  }
}

template <class S> void Rows<S>::update(const Model& model, const Kinematics<S>& kinematics) {
  for (std::size_t i = 0; i < blocks_.size(); ++i) update_block(model, kinematics, i);
}

template <class S> void Rows<S>::update_block(const Model& model, const Kinematics<S>& kinematics, std::size_t index) {
  const RowBlockInfo& info = model.blocks[index];
  RowBlock<S>& block = blocks_[index];
  const auto which = static_cast<std::size_t>(info.index);
  if (info.kind == RowBlockInfo::Kind::constraint) {
    constraint_rows(model, kinematics, info, block);
  } else if (info.kind == RowBlockInfo::Kind::drive) {
    const ModelDrive& drive = model.drives[which];
    const Jet<S> motion = drive.drive.motion<S>(kinematics.time());
    coordinate_row(model, kinematics, info, {&drive.coordinate, 1}, block);
    const JointCoordinate& coordinate = model.joints[static_cast<std::size_t>(drive.coordinate.joint)]
                                            .joint()
                                            ->traits()
                                            .coordinates[static_cast<std::size_t>(drive.coordinate.coordinate)];
    const S gap = block.phi[0] - motion.value;
    block.phi[0] = coordinate.angular && !coordinate.counts_turns ? wrap_angle<S>(gap) : gap;
    block.phi_t[0] = -motion.rate;
    block.b[0] += motion.acceleration;
  } else {
    const ModelJoint& joint = model.joints[which];
    if (const Joint* known = joint.joint()) {
      known->on<S>().forbid(kinematics.joint(info.index).pair.x, pair_rows_);
      pair_rows(info, joint.first.body, joint.second.body, kinematics.joint(info.index).pair, block);
    } else {
      const std::array<int, 2> bodies{joint.first.body, joint.second.body};
      custom_rows(kinematics, info, std::get<CustomRows>(joint.type), bodies, block);
    }
  }
}

template <class S>
void Rows<S>::constraint_rows(const Model& model, const Kinematics<S>& kinematics, const RowBlockInfo& info,
                              RowBlock<S>& block) {
  const ModelConstraint& constraint = model.constraints[static_cast<std::size_t>(info.index)];
  if (const auto* pair = std::get_if<PairConstraint>(&constraint.what)) {
    update_pair(kinematics.body(pair->first.body), pair->first.X_CF, kinematics.body(pair->second.body),
                pair->second.X_CF, pair_);
    pair->constraint.template on<S>().rows(pair_.x, kinematics.time(), pair_rows_);
    pair_rows(info, pair->first.body, pair->second.body, pair_, block);
  } else if (const auto* relation = std::get_if<CoordinateConstraint>(&constraint.what)) {
    coordinate_row(model, kinematics, info, relation->terms, block);
    if (relation->velocity_only) {
      block.phi[0] = S(0.0);
      block.phi_t[0] = S(-relation->value);
    } else {
      block.phi[0] -= relation->value;
    }
  } else {
    const auto& custom = std::get<CustomConstraint>(constraint.what);
    custom_rows(kinematics, info, custom.rows, custom.bodies, block);
  }
}

// J = Tᵀ G,  b = −(Tᵀ γ + bias), with n rows; G is lower triangular by blocks of three.
template <int n, class S>
static void pair_rows_of(const PairRows<S>& rows, const PairMotion<S>& pair, Eigen::Index first, Eigen::Index second,
                         RowBlock<S>& block) {
  const Eigen::Matrix<S, n, 3> turning = rows.T.template topLeftCorner<3, n>().transpose();
  const Eigen::Matrix<S, n, 3> moving = rows.T.template bottomLeftCorner<3, n>().transpose();
  const auto fill = [&](Eigen::Index at, const Mat6<S>& G) {
    if (at < 0) return;
    Eigen::Map<Eigen::Matrix<S, n, 6>> J(block.J.data() + n * at);
    J.template leftCols<3>().noalias() = turning.lazyProduct(G.template topLeftCorner<3, 3>());
    J.template leftCols<3>().noalias() += moving.lazyProduct(G.template bottomLeftCorner<3, 3>());
    J.template rightCols<3>().noalias() = moving.lazyProduct(G.template bottomRightCorner<3, 3>());
  };
  fill(first, pair.G_first);
  fill(second, pair.G_second);
  using Column = Eigen::Matrix<S, n, 1>;
  Eigen::Map<Column>(block.phi.data()) = rows.phi.template head<n>();
  Eigen::Map<Column>(block.phi_t.data()) = rows.phi_t.template head<n>();
  Eigen::Map<Column> b(block.b.data());
  b = -rows.bias.template head<n>();
  b.noalias() -= turning.lazyProduct(pair.gamma.template head<3>());
  b.noalias() -= moving.lazyProduct(pair.gamma.template tail<3>());
}

// A joint with a point mass keeps its leading rows only.
template <class S>
void Rows<S>::pair_rows(const RowBlockInfo& info, int first, int second, const PairMotion<S>& pair,
                        RowBlock<S>& block) {
  const Eigen::Index at = column_of(info, first), then = column_of(info, second);
  with_known_size(info.rows, [&]<int n>() {
    if constexpr (n != Eigen::Dynamic) pair_rows_of<n>(pair_rows_, pair, at, then, block);
  });
}

// φ = Σ c q,  J = Σ c Wᵀ G,  b = −Σ c (Wᵀ γ + bias)
template <class S>
void Rows<S>::coordinate_row(const Model& model, const Kinematics<S>& kinematics, const RowBlockInfo& info,
                             std::span<const CoordinateRef> terms, RowBlock<S>& block) {
  block.J.setZero();
  block.phi.setZero();
  block.phi_t.setZero();
  block.b.setZero();
  for (const CoordinateRef& term : terms) {
    const ModelJoint& joint = model.joints[static_cast<std::size_t>(term.joint)];
    const JointMotion<S>& motion = kinematics.joint(term.joint);
    const Vec6<S> w = term.coefficient * motion.W.col(term.coordinate);
    if (const Eigen::Index at = column_of(info, joint.first.body); at >= 0)
      block.J.middleCols(at, 6) += w.transpose() * motion.pair.G_first;
    if (const Eigen::Index at = column_of(info, joint.second.body); at >= 0)
      block.J.middleCols(at, 6) += w.transpose() * motion.pair.G_second;
    block.phi[0] += term.coefficient * motion.q[model_coordinate(joint, term.coordinate)];
    block.b[0] -= w.dot(motion.pair.gamma) + term.coefficient * motion.rate_bias[term.coordinate];
  }
}

template <class S>
void Rows<S>::custom_rows(const Kinematics<S>& kinematics, const RowBlockInfo& info, const CustomRows& rows,
                          std::span<const int> bodies, RowBlock<S>& block) {
  motions_.clear();
  for (const int body : bodies) motions_.push_back(kinematics.body(body));
  rows.rows<S>(std::span<const BodyMotion<S>>(motions_), kinematics.time(), body_rows_, custom_);
  block.J.setZero();
  for (std::size_t k = 0; k < bodies.size(); ++k)
    if (const Eigen::Index at = column_of(info, bodies[k]); at >= 0)
      block.J.middleCols(at, 6) += body_rows_.J.middleCols(6 * static_cast<Eigen::Index>(k), 6);
  block.phi = body_rows_.phi;
  block.phi_t = body_rows_.phi_t;
  block.b = -body_rows_.bias;
}

#define TANDEM_DEFINE(S) template class Rows<S>;
TANDEM_INSTANTIATE_FOR_SCALARS(TANDEM_DEFINE)
#undef TANDEM_DEFINE

}  // namespace tandem
