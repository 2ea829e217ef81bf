#include "tandem/dynamics/force_power.hpp"

namespace tandem {

template <int rows, int columns>
static Eigen::Matrix<Dual<double>, rows, columns> seeded(const Eigen::Matrix<double, rows, columns>& value,
                                                         const Eigen::Matrix<double, rows, columns>& rate) {
  Eigen::Matrix<Dual<double>, rows, columns> out;
  for (Eigen::Index i = 0; i < out.size(); ++i) out(i) = Dual<double>(value(i), rate(i));
  return out;
}

ForcePower::ForcePower(const Model& model, Laws laws) {
  for (std::size_t i = 0; i < model.forces.size(); ++i) {
    const Force& law = model.forces[i].force;
    if (!law.conservative() && !(laws == Laws::undeclared && law.declares_power())) working_.push_back(i);
  }
}

void ForcePower::update(const Model& model, const Kinematics<double>& kinematics) {
  reset();
  for (const std::size_t i : working_) {
    attach(model, model.forces[i], kinematics, moving_);
    add(model, model.forces[i], moving_, kinematics.time());
  }
}

void ForcePower::add(const Model& model, const ModelForce& force, const Attachments<double>& at, double t) {
  resting_ = at;
  for (PointMotion<double>& point : resting_.points) {
    point.v.setZero();
    point.w.setZero();
  }
  for (CoordinateMotion<double>& coordinate : resting_.coordinates) coordinate.v = 0.0;
  const double total = power(force, at, at, t), at_rest = power(force, resting_, at, t);
  dampers_ += total - at_rest;                             // (4)
  forces_ += at_rest + storing_rate(model, force, at, t);  // (4)
}

// (1), (2): the loads of one motion on another.
double ForcePower::power(const ModelForce& force, const Attachments<double>& loaded, const Attachments<double>& at,
                         double t) {
  loads_.reset(at.points.size(), at.coordinates.size());
  force.force.apply<double>(loaded, t, loads_);
  double sum = 0.0;
  for (std::size_t i = 0; i < at.points.size(); ++i)
    sum += loads_.forces[i].dot(at.points[i].v) + loads_.torques[i].dot(at.points[i].w);
  for (std::size_t i = 0; i < at.coordinates.size(); ++i) sum += loads_.efforts[i] * at.coordinates[i].v;
  return sum;
}

double ForcePower::storing_rate(const Model& model, const ModelForce& force, const Attachments<double>& at,
                                double t) {  // (3)
  seeded_.points.clear();
  seeded_.coordinates.clear();
  for (const PointMotion<double>& point : at.points)
    seeded_.points.push_back({seeded<3, 3>(point.R, sk<double>(point.w) * point.R), seeded<3, 1>(point.p, point.v),
                              lift<Dual<double>>(point.v), lift<Dual<double>>(point.w)});
  for (std::size_t i = 0; i < at.coordinates.size(); ++i) {
    const CoordinateMotion<double>& motion = at.coordinates[i];
    const CoordinateRef& ref = force.coordinates[i];
    // A component of angular velocity is the rate of no coordinate: the law sees q = 0 there, and it stays 0.
    const bool scalar = model_coordinate(model.joints[static_cast<std::size_t>(ref.joint)], ref.coordinate) >= 0;
    seeded_.coordinates.push_back({Dual<double>(motion.q, scalar ? motion.v : 0.0), Dual<double>(motion.v)});
  }
  seeded_loads_.reset(seeded_.points.size(), seeded_.coordinates.size());
  force.force.apply<Dual<double>>(seeded_, Dual<double>(t, 1.0), seeded_loads_);
  return seeded_loads_.potential.derivative;
}

}  // namespace tandem
