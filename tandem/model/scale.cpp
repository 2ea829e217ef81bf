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
      length = std::max(length, (points[i] - 0.5 * low - 0.5 * high).stableNorm() + around[i]);
    return length;
  }
};

Point in_doubles(const Vector3& p) { return {value_of(p.x()), value_of(p.y()), value_of(p.z())}; }

int find_root(std::vector<int>& parent, int i) {
  const auto nth = [](int k) { return static_cast<std::size_t>(k); };
  while (parent[nth(i)] != i) i = parent[nth(i)] = parent[nth(parent[nth(i)])];
  return i;
}

bool is_angle(const Model& model, const CoordinateRef& ref) {
  const ModelJoint& joint = model.joints[static_cast<std::size_t>(ref.joint)];
  return joint.joint()->traits().coordinates[static_cast<std::size_t>(ref.coordinate)].angular;
}
bool is_angle(const Model& model, const ModelStart& start) {
  return start.of == ModelStart::Of::joint ? is_angle(model, start.coordinate) : start.is_angle_of_body();
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
  // A point on the world counts where a point is meant; of a plane, what lies below the body.
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
    for (const ModelConstraint& constraint : model_.constraints) {
      const auto* pair = std::get_if<PairConstraint>(&constraint.what);
      if (!pair) continue;
      const Placement placement = pair->constraint.placement();
      add_pair(pair->first, pair->second, placement == Placement::points || placement == Placement::axis);
      if (is_on_plane(placement)) add_foot(pair->first, pair->second);
    }
    for (const ModelForce& force : model_.forces) {
      if (force.points.size() == 2) add_pair(force.points[0], force.points[1], true);
      if (force.points.size() == 1) add(force.points[0], force.points[0].body);
    }
  }
  // Where the ground is: below the hub of a wheel or the centre of a surface.
  void add_foot(const BodyFrame& plane, const BodyFrame& hub) {
    if (hub.body == world) return;
    Matrix3 R = plane.X_CF.R;
    if (plane.body != world) R = model_.bodies[static_cast<std::size_t>(plane.body)].X_WC.R * R;
    const Point n = in_doubles(R.col(2)), above = place(hub);
    extents_[static_cast<std::size_t>(find_root(parent_, hub.body))].add(above - n * n.dot(above - place(plane)));
  }

  void find_lengths() {
    std::vector<double> lengths(extents_.size(), 0.0);
    for (std::size_t i = 0; i < extents_.size(); ++i)
      if (parent_[i] == static_cast<int>(i)) lengths[i] = extents_[i].length();
    for (double& length : lengths)
      if (!std::isfinite(length)) length = 0.0;
    out_.length = lengths.empty() ? 0.0 : *std::max_element(lengths.begin(), lengths.end());
    if (!(out_.length > 0.0)) out_.length = travelled();
    out_.of_body.resize(lengths.size());
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      const double own = lengths[static_cast<std::size_t>(find_root(parent_, static_cast<int>(i)))];
      out_.of_body[i] = own > 0.0 ? own : out_.length;
    }
  }

  double travelled() const {
    const double duration = model_.setup.duration;
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
    const auto take = [&](double speed) {
      if (std::isfinite(speed)) rate = std::max(rate, speed);
    };
    const double gravity = value_of(model_.gravity.norm());
    for (std::size_t i = 0; i < model_.bodies.size(); ++i) {  // (3)
      const Body& body = model_.bodies[i];
      const double speed =
          std::max(value_of(body.velocity.norm()) / out_.of_body[i], value_of(body.angular_velocity.norm()));
      take(speed);
      if (body.mass > 0.0) take(std::sqrt(gravity / out_.of_body[i]));
    }
    for (const ModelStart& start : model_.starts)
      if (start.rate) take(start_rate(start));
    for (const ModelDrive& drive : model_.drives) {
      const Jet<Real> motion = drive.drive.motion<Real>(Real(0.0));
      const double size = is_angle(model_, drive.coordinate) ? 1.0 : out_.length;
      take(std::abs(value_of(motion.rate)) / size);
      take(std::sqrt(std::abs(value_of(motion.acceleration)) / size));
    }
    const double duration = model_.setup.duration;
    take(duration > 0.0 ? 1.0 / duration : 0.0);
    out_.time = rate > 0.0 ? 1.0 / rate : 1.0;
    if (!(out_.time > 0.0 && std::isfinite(out_.time))) out_.time = 1.0;
  }

  double start_rate(const ModelStart& start) const {
    return std::abs(value_of(*start.rate)) / (is_angle(model_, start) ? 1.0 : out_.length);
  }

  const Model& model_;
  std::vector<int> parent_;
  std::vector<Extent> extents_;  // by the root of the island
  Scale out_;
};

}  // namespace

double Scale::of_unit(std::string_view unit) const {
  if (unit == "m") return length;
  if (unit == "m/s") return speed();
  if (unit == "m/s^2") return speed() / time;
  if (unit == "rad/s") return 1.0 / time;
  if (unit == "rad/s^2") return 1.0 / (time * time);
  if (unit == "N") return force();
  if (unit == "N m" || unit == "J") return energy();
  if (unit == "W") return energy() / time;
  if (unit == "s") return time;
  return 1.0;
}

Scale find_scale(const Model& model) { return ScaleFinder(model).run(); }

double size_of(const Model& model, const CoordinateRef& coordinate) {
  return is_angle(model, coordinate) ? 1.0 : model.scale.length;
}
double size_of(const Model& model, const ModelStart& start) {
  return is_angle(model, start) ? 1.0 : model.scale.length;
}
double size_of(const Model& model, const ModelReading& reading) {
  if (reading.what == ModelReading::What::speed) return model.scale.speed();
  const double size = size_of(model, reading.coordinate);
  return reading.what == ModelReading::What::rate ? size / model.scale.time : size;
}

}  // namespace tandem
