// How large a φ of each row counts as the machine itself: (4) of scale.hpp.
#include <cmath>

#include "tandem/model/model.hpp"

namespace tandem {

namespace {

// What a row turns and moves, at the start.
struct RowReach {
  double turns = 0.0, moves = 0.0;
};

class RowSizer {
 public:
  RowSizer(const Model& model, RowBlockInfo& block) : model_(model), block_(block) {
    reach_.resize(static_cast<std::size_t>(block.rows));
  }

  void run() {
    const auto which = static_cast<std::size_t>(block_.index);
    if (block_.kind == RowBlockInfo::Kind::drive) {
      read(std::span<const CoordinateRef>(&model_.drives[which].coordinate, 1));
    } else if (block_.kind == RowBlockInfo::Kind::joint) {
      const ModelJoint& joint = model_.joints[which];
      if (const Joint* known = joint.joint()) {
        known->on<Real>().forbid(relative(joint.first, joint.second), pair_rows_);
        read_pair_rows();
      } else {
        const int bodies[2] = {joint.first.body, joint.second.body};
        read(std::get<CustomRows>(joint.type), bodies);
      }
    } else if (const auto* pair = std::get_if<PairConstraint>(&model_.constraints[which].what)) {
      pair->constraint.on<Real>().rows(relative(pair->first, pair->second), Real(0.0), pair_rows_);
      read_pair_rows();
    } else if (const auto* relation = std::get_if<CoordinateConstraint>(&model_.constraints[which].what)) {
      read(relation->terms);
    } else {
      const auto& custom = std::get<CustomConstraint>(model_.constraints[which].what);
      read(custom.rows, custom.bodies);
    }
    finish();
  }

 private:
  Pose<Real> start_pose(int body) const {
    return body == world ? Pose<Real>{} : model_.bodies[static_cast<std::size_t>(body)].X_WC;
  }
  Relative<Real> relative(const BodyFrame& first, const BodyFrame& second) const {
    const Pose<Real> X_FM = (start_pose(first.body) * first.X_CF).inverse() * (start_pose(second.body) * second.X_CF);
    return {X_FM.R, X_FM.p};
  }
  template <class Six> static void add(const Six& T, RowReach& reach) {
    reach.turns = std::max(reach.turns, value_of(Vector3(T.template head<3>()).norm()));
    reach.moves = std::max(reach.moves, value_of(Vector3(T.template tail<3>()).norm()));
  }

  void read_pair_rows() {
    for (std::size_t i = 0; i < reach_.size(); ++i) add(pair_rows_.T.col(static_cast<Eigen::Index>(i)), reach_[i]);
  }
  void read(std::span<const CoordinateRef> terms) {
    for (const CoordinateRef& term : terms) {
      const ModelJoint& joint = model_.joints[static_cast<std::size_t>(term.joint)];
      Mat6UpTo6<Real> W;
      VecUpTo6<Real> bias;
      joint.joint()->on<Real>().rates(relative(joint.first, joint.second), W, bias);
      add(Vec6<Real>(term.coefficient * W.col(term.coordinate)), reach_[0]);
    }
  }
  void read(const CustomRows& rows, std::span<const int> bodies) {
    std::vector<BodyMotion<Real>> motions(bodies.size());
    for (std::size_t i = 0; i < bodies.size(); ++i) motions[i].X_WC = start_pose(bodies[i]);
    BodyRows<Real> found;
    CustomScratch<Real> scratch;
    rows.rows<Real>(std::span<const BodyMotion<Real>>(motions), Real(0.0), found, scratch);
    for (std::size_t row = 0; row < reach_.size(); ++row)
      for (std::size_t i = 0; i < bodies.size(); ++i)
        if (bodies[i] != world)
          add(found.J.row(static_cast<Eigen::Index>(row))
                  .template segment<6>(6 * static_cast<Eigen::Index>(i))
                  .transpose(),
              reach_[row]);
  }

  // A row without any effect at the start has the size of the largest beside it.
  void finish() {
    block_.length = block_.bodies.empty() ? model_.scale.length
                                          : model_.scale.of_body[static_cast<std::size_t>(block_.bodies.front())];
    block_.sizes.clear();
    double largest = 0.0;
    for (const RowReach& reach : reach_) {
      const double size = std::max(block_.length * reach.moves, reach.turns);
      block_.sizes.push_back(std::isfinite(size) ? size : 0.0);
      largest = std::max(largest, block_.sizes.back());
    }
    for (double& size : block_.sizes)
      if (!(size > 0.0)) size = largest > 0.0 ? largest : block_.length;
  }

  const Model& model_;
  RowBlockInfo& block_;
  std::vector<RowReach> reach_;
  PairRows<Real> pair_rows_;
};

}  // namespace

void set_row_sizes(const Model& model, RowBlockInfo& block) { RowSizer(model, block).run(); }

}  // namespace tandem
