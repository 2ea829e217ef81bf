#include "tandem/linearize/readings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "tandem/base/elementary.hpp"
#include "tandem/math/euler312.hpp"
#include "tandem/model/coordinate_names.hpp"

namespace tandem {

namespace {

bool same_coordinate(const ModelStart& a, const ModelStart& b) {
  if (a.of != b.of) return false;
  if (a.of == ModelStart::Of::joint)
    return a.coordinate.joint == b.coordinate.joint && a.coordinate.coordinate == b.coordinate.coordinate;
  return a.point.body == b.point.body && (a.is_angle_of_body() || a.point.X_CF.p == b.point.X_CF.p);
}

void add(const Model& model, ModelStart coordinate, std::string name, int rank, std::vector<Reading>& all) {
  for (const Reading& other : all)
    if (other.coordinate && same_coordinate(*other.coordinate, coordinate)) return;
  Reading reading{.name = std::move(name), .rank = rank, .angular = is_angular(model, coordinate)};
  reading.coordinate = std::move(coordinate);
  all.push_back(std::move(reading));
}

void add_wanted(const Model& model, const std::vector<std::string>& wanted, std::vector<Reading>& all) {
  Faults faults;
  faults.about_table("linearize", model.linearize.source);
  for (const std::string& name : wanted) {
    try {
      const ModelReading reading = find_reading(model, name);
      if (reading.what == ModelReading::What::value)
        add(model, reading.coordinate, name, 0, all);
      else
        faults.error(fmt::format("state \"{}\": name a coordinate; its rate comes along", name));
    } catch (const std::out_of_range& error) {
      faults.error(fmt::format("state \"{}\": {}", name, error.what()));
    }
  }
  if (faults.any_error()) throw ModelError(std::move(faults));
}

// Near 90° of lean the angles of a body mean nothing.
bool has_angles(const Model& model, const State& bodies, const ModelStart& coordinate) {
  if (!coordinate.is_angle_of_body()) return true;
  const Body& body = model.bodies[static_cast<std::size_t>(coordinate.point.body)];
  const Mat3<double> R = rotation_of<double>(Vec4<double>(bodies.q().segment<4>(body.q_first)));
  return std::abs(cos(euler312_angles<double>(R)[1])) > 0.05;
}

}  // namespace

ReadingChange change_of(const Model& model, const Reading& reading, const Direction& along,
                        const Kinematics<Tangential>& kinematics, const VecX<Tangential>* y) {
  if (!reading.coordinate) {
    const int at = model.bodies[static_cast<std::size_t>(reading.body)].v_first + reading.axis;
    return {along.q[at], along.v[at], y ? derivative_of((*y)[at]) : 0.0};
  }
  const CoordinateReading<Tangential> read = read_coordinate(model, *reading.coordinate, kinematics, y);
  return {derivative_of(read.value), derivative_of(read.rate), derivative_of(read.acceleration)};
}

std::vector<Reading> usual_readings(const Model& model, const State& bodies, const std::vector<std::string>& wanted) {
  std::vector<Reading> all;
  add_wanted(model, wanted, all);
  for (const ModelOutput& output : model.outputs)
    if (const auto reading = reading_of(model, output); reading && reading->what == ModelReading::What::value)
      add(model, reading->coordinate, output.name, 1, all);
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    const ModelJoint& joint = model.joints[i];
    if (!joint.joint()) continue;
    const auto& coordinates = joint.joint()->traits().coordinates;
    for (std::size_t k = 0; k < coordinates.size(); ++k) {
      if (!coordinates[k].scalar || (joint.positions_only && coordinates[k].angular)) continue;
      ModelStart coordinate;
      coordinate.name = coordinates.size() == 1 ? joint.name : fmt::format("{}.{}", joint.name, coordinates[k].name);
      coordinate.coordinate = {static_cast<int>(i), static_cast<int>(k), 1.0};
      add(model, coordinate, coordinate.name, 2, all);
    }
  }
  std::erase_if(all, [&](const Reading& reading) { return !has_angles(model, bodies, *reading.coordinate); });
  return all;
}

void add_other_readings(const Model& model, const State& bodies, std::vector<Reading>& all) {
  constexpr const char* quantities[6] = {"lean", "pitch", "yaw", "x", "y", "z"};
  for (const Body& body : model.bodies)
    for (int k = body.point_mass ? 3 : 0; k < 6; ++k) {
      const std::string name = fmt::format("{}.{}", body.name, quantities[k]);
      const ModelStart coordinate = find_coordinate(model, name);
      if (has_angles(model, bodies, coordinate)) add(model, coordinate, name, 3, all);
    }
  constexpr const char* turns[3] = {"turn_x", "turn_y", "turn_z"};
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    for (int k = 0; k < 3 && !model.bodies[i].point_mass; ++k) {
      Reading turn{.name = fmt::format("{}.{}", model.bodies[i].name, turns[k]), .rank = 4};
      turn.body = static_cast<int>(i);
      turn.axis = k;
      all.push_back(std::move(turn));
    }
}

void choose_independent(const Eigen::MatrixXd& rows, const std::vector<int>& ranks, Eigen::Index wanted, double good,
                        std::vector<int>& chosen) {
  Eigen::MatrixXd left = rows;  // what is new in each row
  const Eigen::VectorXd lengths = rows.rowwise().norm();
  const auto take = [&](int row) {
    const Eigen::RowVectorXd unit = left.row(row).normalized();
    left -= (left * unit.transpose()) * unit;
    left -= (left * unit.transpose()) * unit;  // again, for orthogonality to round-off
  };
  for (const int row : chosen) take(row);
  const int last = ranks.empty() ? -1 : *std::max_element(ranks.begin(), ranks.end());
  for (int rank = 0; rank <= last && static_cast<Eigen::Index>(chosen.size()) < wanted;) {
    std::vector<double> share(static_cast<std::size_t>(rows.rows()), 0.0);
    double most = 0.0;
    for (int i = 0; i < static_cast<int>(rows.rows()); ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (ranks[at] != rank || !(lengths[i] > 1e-9)) continue;
      if (std::find(chosen.begin(), chosen.end(), i) != chosen.end()) continue;
      share[at] = left.row(i).norm() / lengths[i];
      most = std::max(most, share[at]);
    }
    // The first that is not much worse than the best, so that the choice stays the same along a sweep.
    int best = -1;
    for (int i = 0; i < static_cast<int>(rows.rows()) && most > good && best < 0; ++i)
      if (share[static_cast<std::size_t>(i)] > std::max(good, 0.3 * most)) best = i;
    if (best < 0) {
      ++rank;
      continue;
    }
    take(best);
    chosen.push_back(best);
  }
}

}  // namespace tandem
