#include "tandem/compare/contact_check.hpp"

#include <algorithm>

#include "tandem/base/tolerances.hpp"
#include "tandem/dynamics/rows.hpp"

namespace tandem {

namespace {

using Shape = ContactGeometry::Shape;
using Point = Eigen::Vector3d;

// Pose and twist as the state has them, in world axes; quaternions by Eigen.
struct MovingBody {
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
  Point p = Point::Zero(), w = Point::Zero(), v = Point::Zero();

  MovingBody(const Model& model, const State& at, int index) {
    if (index == world) return;
    const Body& body = model.bodies[static_cast<std::size_t>(index)];
    p = at.q().segment<3>(body.q_first + body.nq() - 3);
    v = at.v().segment<3>(body.v_first + body.nv() - 3);
    if (body.point_mass) return;
    const Eigen::Vector4d q = at.q().segment<4>(body.q_first).normalized();
    R = Eigen::Quaterniond(q[3], q[0], q[1], q[2]).toRotationMatrix();
    w = R * at.v().segment<3>(body.v_first);
  }
  Point velocity(const Point& at) const { return v + w.cross(at - p); }
};

struct Touch {
  const RowBlockInfo* info = nullptr;
  const PairConstraint* pair = nullptr;
  MovingBody first, second;  // with F and with M
  double length = 1.0;       // of the machine there
  Point n, origin, P;
  std::vector<Point> directions;  // in which u must vanish
  bool rests = false;             // whether it must touch the plane

  Touch(const Model& model, const State& at, const RowBlockInfo& block, const PairConstraint& of)
      : info(&block), pair(&of), first(model, at, of.first.body), second(model, at, of.second.body) {
    const ContactGeometry& geometry = *of.constraint.contact_geometry();
    for (const int body : block.bodies) length = model.scale.of_body[static_cast<std::size_t>(body)];
    n = first.R * of.first.X_CF.R.col(2);
    origin = first.p + first.R * of.first.X_CF.p;
    const Point center = second.p + second.R * of.second.X_CF.p;
    const Point axis = second.R * (of.second.X_CF.R * geometry.axis).normalized();
    const Point across = n.cross(axis).normalized();
    P = center;
    if (geometry.shape == Shape::disc)
      P -= (geometry.radius - geometry.crown) * (n - n.dot(axis) * axis).normalized() + geometry.crown * n;  // (1)
    if (geometry.shape == Shape::ball) P -= geometry.radius * n;
    if (geometry.shape == Shape::ellipsoid) {
      const Eigen::Matrix3d L = second.R * of.second.X_CF.R * geometry.semi_axes.asDiagonal();
      P -= L * (L.transpose() * n).normalized();  // (1)
    }
    if (geometry.shape == Shape::blade) {
      directions = {across};
      return;
    }
    const Point along = n.unitOrthogonal();
    directions = {along, n.cross(along)};
    rests = block.holonomic > 0;
    if (rests) directions.push_back(n);
  }

  double gap() const { return n.dot(P - origin); }  // (2)
  double slip() const {                             // (3)
    const Point u = second.velocity(P) - first.velocity(P);
    double most = 0.0;
    for (const Point& direction : directions) most = std::max(most, std::abs(direction.dot(u)));
    return u.allFinite() ? most : std::numeric_limits<double>::quiet_NaN();
  }
  double speed() const {
    double most = 0.0;
    for (const MovingBody* body : {&first, &second})
      most = std::max(most, body->v.norm() + body->w.norm() * (P - body->p).norm());
    return most;
  }

  // (4): ∂u/∂V along the directions, laid out as the block's J: six columns a body, ω in body axes.
  Eigen::MatrixXd derivative(const Model& model) const {
    Eigen::MatrixXd out =
        Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(directions.size()), 6 * Eigen::Index(info->bodies.size()));
    for (std::size_t k = 0; k < info->bodies.size(); ++k) {
      const int body = info->bodies[k];
      const bool is_second = body == pair->second.body;
      const MovingBody& moving = is_second ? second : first;
      for (std::size_t i = 0; i < directions.size(); ++i)
        for (Eigen::Index column = 0; column < 3; ++column) {
          const Point turned = moving.R.col(column).cross(P - moving.p), shifted = Point::Unit(column);
          const auto row = static_cast<Eigen::Index>(i), at = 6 * static_cast<Eigen::Index>(k) + column;
          const double sign = is_second ? 1.0 : -1.0;
          if (!model.bodies[static_cast<std::size_t>(body)].point_mass) out(row, at) = sign * directions[i].dot(turned);
          out(row, at + 3) = sign * directions[i].dot(shifted);
        }
    }
    return out;
  }
};

template <class Visit> void for_each_touch(const Model& model, const State& at, Visit&& visit) {
  for (std::size_t i = 0; i < model.blocks.size(); ++i) {
    const RowBlockInfo& info = model.blocks[i];
    if (info.kind != RowBlockInfo::Kind::constraint) continue;
    const auto* pair = std::get_if<PairConstraint>(&model.constraints[static_cast<std::size_t>(info.index)].what);
    if (pair && pair->constraint.contact_geometry()) visit(Touch(model, at, info, *pair), i);
  }
}

// Rows of unit length, angles in parts of the size.
Eigen::MatrixXd scaled(Eigen::MatrixXd rows, double length) {
  for (Eigen::Index column = 0; column < rows.cols(); ++column)
    if (column % 6 < 3) rows.col(column) /= length;
  rows.rowwise().normalize();
  return rows;
}

// The largest part of a row of `rows` that does not lie in the row space of `space`.
double outside(const Eigen::MatrixXd& rows, const Eigen::MatrixXd& space) {
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(space.transpose());
  qr.setThreshold(tolerances::rank);
  const Eigen::MatrixXd Q =
      qr.householderQ() * Eigen::MatrixXd::Identity(space.cols(), std::min(qr.rank(), space.cols()));
  return (rows - rows * Q * Q.transpose()).rowwise().norm().maxCoeff();
}

}  // namespace

std::vector<ContactFault> check_contacts(const Model& model, const State& bodies) {
  std::vector<ContactFault> faults;
  for_each_touch(model, bodies, [&](const Touch& touch, std::size_t) {
    const auto fault = [&](const char* what, double error) {
      if (!(error <= tolerances::contact)) faults.push_back({model.block_name(*touch.info), what, error, bodies.t});
    };
    if (touch.rests) fault("what should touch the plane is off it", std::abs(touch.gap()) / touch.length);
    fault(touch.directions.size() == 1 ? "the blade slips sideways" : "the point in contact slips",
          touch.slip() / std::max(touch.speed(), model.scale.speed()));
  });
  return faults;
}

std::vector<ContactFault> check_contact_rows(const Model& model, const State& bodies) {
  Kinematics<double> kinematics(model);
  kinematics.update(model, bodies.t, bodies.q(), bodies.v(), bodies.angles());
  Rows<double> rows(model);
  rows.update(model, kinematics);
  std::vector<ContactFault> faults;
  for_each_touch(model, bodies, [&](const Touch& touch, std::size_t block) {
    const Eigen::MatrixXd J = scaled(rows.block(block).J, touch.length);
    const Eigen::MatrixXd geometry = scaled(touch.derivative(model), touch.length);
    const auto fault = [&](const char* what, double error) {
      if (!(error <= tolerances::contact)) faults.push_back({model.block_name(*touch.info), what, error, bodies.t});
    };
    fault(touch.directions.size() == 1 ? "its rows let the blade slip sideways"
                                       : "its rows let the point in contact slip",
          outside(geometry, J));
    fault(touch.directions.size() == 1 ? "its rows forbid what the blade allows" : "its rows forbid rolling",
          outside(J, geometry));
  });
  return faults;
}

ContactCover contact_cover(const Model& model) {
  ContactCover cover;
  for (const RowBlockInfo& info : model.blocks) {
    const bool has_rates = info.holonomic < info.rows;
    const auto* pair = info.kind == RowBlockInfo::Kind::constraint
                           ? std::get_if<PairConstraint>(&model.constraints[static_cast<std::size_t>(info.index)].what)
                           : nullptr;
    if (pair && pair->constraint.contact_geometry())
      ++cover.checked;
    else if (has_rates)
      cover.not_checked.push_back(model.block_name(info));
  }
  return cover;
}

}  // namespace tandem
