#include "tandem/model/scale.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "tandem/model/model.hpp"

namespace tandem {

namespace {

using Point = Eigen::Vector3d;

struct Extent {
  std::vector<Point> points;
  std::vector<double> around;  // the radius of gyration of a body whose mass centre the point is

  void add(const Point& point, double radius = 0.0) {
    if (!point.allFinite() || !std::isfinite(radius)) return;  // what is wrong with it is reported elsewhere
    points.push_back(point);
    around.push_back(radius);
  }
  double length() const {  // (1)
    Point low = Point::Constant(std::numeric_limits<double>::infinity()), high = -low;
    for (const Point& point : points) {
      low = low.cwiseMin(point);
      high = high.cwiseMax(point);
    }
    double length = 0.0;
    for (std::size_t i = 0; i < points.size(); ++i)
      length = std::max(length, (points[i] - 0.5 * (low + high)).norm() + around[i]);
    return length;
  }
};

Point in_doubles(const Vector3& p) { return {value_of(p.x()), value_of(p.y()), value_of(p.z())}; }

int find_root(std::vector<int>& parent, int i) {
  const auto nth = [](int k) { return static_cast<std::size_t>(k); };
  while (parent[nth(i)] != i) i = parent[nth(i)] = parent[nth(parent[nth(i)])];
  return i;
}

class ScaleFinder {
 public:
  explicit ScaleFinder(const Model& model) : model_(model), parent_(model.bodies.size()), extents_(parent_.size()) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }

  Scale run() {
    for (const RowBlockInfo& block : model_.blocks)
      for (const int body : block.bodies) join(body, block.bodies.front());
    for (const ModelForce& force : model_.forces) join_points(force);
    add_points();
    find_lengths();
    find_mass();
    find_time();
    return std::move(out_);
  }

 private:
  void join(int a, int b) {
    if (a != world && b != world) parent_[static_cast<std::size_t>(find_root(parent_, a))] = find_root(parent_, b);
  }
  void join_points(const ModelForce& force) {
    for (const BodyFrame& point : force.points) join(point.body, force.points.front().body);
  }

  Point place(const BodyFrame& frame) const {
    if (frame.body == world) return in_doubles(frame.X_CF.p);
    const Pose<Real>& X = model_.bodies[static_cast<std::size_t>(frame.body)].X_WC;
    return in_doubles(X.p + X.R * frame.X_CF.p);
  }
  void add(const BodyFrame& frame, int owner) {
    if (owner != world) extents_[static_cast<std::size_t>(find_root(parent_, owner))].add(place(frame));
  }
  // A point on the world counts where a point is meant, not the origin of a plane or a rail.
  void add_pair(const BodyFrame& first, const BodyFrame& second, bool points_of_world) {
    const int owner = first.body != world ? first.body : second.body;
    for (const BodyFrame* frame : {&first, &second})
      if (frame->body != world || points_of_world) add(*frame, owner);
  }

  void add_points() {
    for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
      const Body& body = model_.bodies[i];
      const double moment = value_of(body.inertia.trace()), mass = value_of(body.mass);
      const double radius = mass > 0.0 && moment > 0.0 ? std::sqrt(0.5 * moment / mass) : 0.0;
      extents_[static_cast<std::size_t>(find_root(parent_, static_cast<int>(i)))].add(in_doubles(body.X_WC.p), radius);
    }
    for (const ModelJoint& joint : model_.joints) add_pair(joint.first, joint.second, false);
    for (const ModelConstraint& constraint : model_.constraints)
      if (const auto* pair = std::get_if<PairConstraint>(&constraint.what))
        add_pair(pair->first, pair->second, pair->constraint.placement() == Placement::points);
    for (const ModelForce& force : model_.forces)
      if (force.points.size() == 2) add_pair(force.points[0], force.points[1], true);
  }

  void find_lengths() {
    std::vector<double> lengths(extents_.size(), 0.0);
    for (std::size_t i = 0; i < extents_.size(); ++i)
      if (parent_[i] == static_cast<int>(i)) lengths[i] = extents_[i].length();
    out_.length = lengths.empty() ? 0.0 : *std::max_element(lengths.begin(), lengths.end());
    if (!(out_.length > 0.0)) out_.length = travelled();
    out_.of_body.resize(lengths.size());
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      const double own = lengths[static_cast<std::size_t>(find_root(parent_, static_cast<int>(i)))];
      out_.of_body[i] = own > 0.0 ? own : out_.length;
    }
  }

  double travelled() const {
    const double duration = model_.simulation.duration;
    double most = std::abs(value_of(model_.gravity.norm())) * duration * duration;
    for (const Body& body : model_.bodies) most = std::max(most, value_of(body.velocity.norm()) * duration);
    return most > 0.0 && std::isfinite(most) ? most : 1.0;
  }

  void find_mass() {
    double most = 0.0;
    for (const Body& body : model_.bodies) most = std::max(most, value_of(body.mass));  // (2)
    if (most == 0.0)
      for (const Body& body : model_.bodies)
        most = std::max(most, value_of(body.inertia.trace()) / (out_.length * out_.length));
    out_.mass = most > 0.0 && std::isfinite(most) ? most : 1.0;
  }

  void find_time() {
    double rate = 0.0;
    const double gravity = value_of(model_.gravity.norm());
    for (std::size_t i = 0; i < model_.bodies.size(); ++i) {  // (3)
      const Body& body = model_.bodies[i];
      const double speed =
          std::max(value_of(body.velocity.norm()) / out_.of_body[i], value_of(body.angular_velocity.norm()));
      if (std::isfinite(speed)) rate = std::max(rate, speed);
      if (body.mass > 0.0) rate = std::max(rate, std::sqrt(gravity / out_.of_body[i]));
    }
    for (const ModelStart& start : model_.starts)
      if (start.rate) rate = std::max(rate, start_rate(start));
    out_.time = rate > 0.0 && std::isfinite(rate) ? 1.0 / rate : model_.simulation.duration;
    if (!(out_.time > 0.0 && std::isfinite(out_.time))) out_.time = 1.0;
  }

  double start_rate(const ModelStart& start) const {
    const double rate = std::abs(value_of(*start.rate));
    bool angle = start.is_angle_of_body();
    if (start.of == ModelStart::Of::joint) {
      const ModelJoint& joint = model_.joints[static_cast<std::size_t>(start.coordinate.joint)];
      angle = joint.joint()->traits().coordinates[static_cast<std::size_t>(start.coordinate.coordinate)].angular;
    }
    return angle ? rate : rate / out_.length;
  }

  const Model& model_;
  std::vector<int> parent_;
  std::vector<Extent> extents_;  // by the root of the island
  Scale out_;
};

}  // namespace

Scale find_scale(const Model& model) { return ScaleFinder(model).run(); }

}  // namespace tandem
