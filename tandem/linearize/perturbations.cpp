#include "tandem/linearize/perturbations.hpp"

#include "tandem/linalg/row_space.hpp"

namespace tandem {

Perturbations::Perturbations(const Model& model, const State& bodies, const Symmetry& symmetry, const GroupMotion* xi,
                             const Visitor& visit)
    : model_(model),
      xi_(xi),
      response_(model),
      pose_size_(motion_sizes(model)),
      speed_size_(pose_size_ / model.scale.time) {
  response_.place(bodies);
  span(visit);
  find_symmetric(symmetry);
}

Direction Perturbations::moving(const Direction& w, const Eigen::VectorXd& y_change) const {
  Direction out{w.v, y_change, 0.0};
  for (std::size_t i = 0; i < model_.bodies.size(); ++i) {  // (2)
    const Body& body = model_.bodies[i];
    if (body.point_mass) continue;
    const Vector3 omega = bodies().v().segment<3>(body.v_first);
    const Vector3 slip = xi_ ? Vector3(omega - xi_->spin[i]) : omega;
    out.q.segment<3>(body.v_first) -= slip.cross(Vector3(w.q.segment<3>(body.v_first)));
  }
  if (!xi_) return out;
  out.v -= turned_by(model_, w.v, *xi_);
  for (const Body& body : model_.bodies) {
    const int linear = body.v_first + body.nv() - 3;
    out.q.segment<3>(linear) -= xi_->rotation.cross(Vector3(w.q.segment<3>(linear)));
  }
  return out;
}

void Perturbations::add(Direction along, const Visitor& visit) {
  changes_.push_back(response_.to(along));
  if (visit) visit(along, response_, changes_.back());
  basis_.push_back(std::move(along));
}

void Perturbations::span(const Visitor& visit) {
  const Eigen::MatrixXd J = dense_rows(model_, response_.workspace().rows);
  std::vector<int> holonomic;
  for (int row = 0; row < model_.rows; ++row)
    if (model_.is_holonomic(row)) holonomic.push_back(row);
  const RowSpace poses(J(holonomic, Eigen::all), pose_size_), motions(J, speed_size_);
  poses_ = poses.null().cols();
  speeds_ = motions.null().cols();
  Tangent tangent(model_);
  Eigen::VectorXd rate;
  for (Eigen::Index k = 0; k < poses_; ++k) {  // (1)
    Direction along{poses.null().col(k), Eigen::VectorXd::Zero(model_.nv), 0.0};
    tangent.update(bodies(), along);
    tangent.rate(rate);
    along.v = motions.shortest(-rate);
    add(std::move(along), visit);
  }
  for (Eigen::Index k = 0; k < speeds_; ++k) add({Eigen::VectorXd::Zero(model_.nv), motions.null().col(k), 0.0}, visit);
}

// The basis is orthonormal in δ of its first and in δv of its last directions, both by their sizes.
Eigen::VectorXd Perturbations::in_basis(const Direction& along) const {
  Eigen::VectorXd out(size()), rest = along.v;
  for (Eigen::Index i = 0; i < poses_; ++i) {
    out[i] = direction(i).q.cwiseQuotient(pose_size_).dot(along.q.cwiseQuotient(pose_size_));
    rest -= out[i] * direction(i).v;
  }
  rest = rest.cwiseQuotient(speed_size_).eval();
  for (Eigen::Index i = poses_; i < size(); ++i) out[i] = direction(i).v.cwiseQuotient(speed_size_).dot(rest);
  return out;
}

void Perturbations::find_symmetric(const Symmetry& symmetry) {
  const Eigen::Index first = symmetry.moves_time ? 1 : 0;  // what takes time along is no symmetry at one time
  constexpr double small = tolerances::steady;
  const double time = model_.scale.time;
  Eigen::MatrixXd found(size(), symmetry.dimension());
  Eigen::Index used = 0;
  std::vector<std::string> names;
  for (Eigen::Index k = first; k < symmetry.dimension(); ++k) {
    const GroupMotion element = symmetry.element(k, model_.bodies.size());
    const Direction along = moved_by(model_, bodies(), element);
    const double unit = symmetry.unit(k, model_.scale);
    if (!xi_) {
      const auto speed = [&](const Eigen::VectorXd& v) { return v.cwiseQuotient(speed_size_).norm(); };
      const Direction after = moving(along, turned_by(model_, response_.solution().y, element));
      if (unit * (speed(after.q) + time * speed(after.v)) > small * (1.0 + unit * speed(along.v) + speed(bodies().v())))
        continue;
    }
    found.col(used) = unit * in_basis(along);
    if (found.col(used).norm() <= small) continue;
    names.push_back(symmetry.names[static_cast<std::size_t>(k)]);
    ++used;
  }
  Eigen::MatrixXd Q = Eigen::MatrixXd::Identity(size(), size());
  Eigen::Index rank = 0;
  if (used > 0) {
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(found.leftCols(used));
    qr.setThreshold(small);
    rank = qr.rank();
    Q.applyOnTheLeft(qr.householderQ());
    // Directions that coincide here, yaw and the spin of a top that stands upright, are one zero.
    for (Eigen::Index i = 0; i < rank; ++i)
      zeros_.push_back(names[static_cast<std::size_t>(qr.colsPermutation().indices()[i])]);
  }
  S_ = Q.leftCols(rank);
  E_ = Q.rightCols(size() - rank);
}

}  // namespace tandem
