// Modes and ghosts of a report.
#include "tandem/io/report/report_json.hpp"
#include "tandem/math/quaternion.hpp"

namespace tandem {

using Json = nlohmann::ordered_json;

Json report_modes_json(const Sweep& sweep, const std::string& unit) {
  Json json{{"parameter", sweep.parameter}, {"unit", unit}, {"modes", Json::array()}, {"crossings", Json::array()}};
  for (const SweepMode& mode : sweep.modes) {
    Json eigenvalues = Json::array();
    for (const std::complex<double>& value : mode.eigenvalues) eigenvalues.push_back({value.real(), value.imag()});
    json["modes"].push_back({{"name", mode.name}, {"neutral", mode.neutral}, {"eigenvalues", eigenvalues}});
  }
  for (const SweepCrossing& crossing : sweep.crossings)
    json["crossings"].push_back(
        {{"value", crossing.value}, {"mode", crossing.mode}, {"loses_stability", crossing.loses_stability}});
  json["stable"] = sweep.stable;
  json["zeros"] = sweep.points.empty() ? std::vector<std::string>{} : sweep.points.front().zeros;
  return json;
}

static void put_bodies(const Model& model, const State& state, std::vector<double>& out) {
  for (const Body& body : model.bodies) {
    const auto q = state.q().segment(body.q_first, body.nq());
    for (const double x : q.tail<3>()) out.push_back(x);
    if (!body.point_mass)
      for (const double x : q.head<4>()) out.push_back(x);
  }
}

// Laid out as State::v: a turn in body axes, then a shift.
static void put_shape(const Model& model, const Eigen::VectorXd& part, std::vector<double>& out) {
  for (Eigen::Index i = 0; i < model.nv; ++i) out.push_back(i < part.size() ? part[i] : 0.0);
}

ReportTable report_modes_table(const Model& model, const Sweep& sweep) {
  std::vector<ResultColumn> columns;
  for (const Body& body : model.bodies)
    for (const char* part : {"x", "y", "z", "qx", "qy", "qz", "qw"})
      if (!body.point_mass || part[0] != 'q') columns.push_back({body.name + "." + part, part[0] == 'q' ? "" : "m"});
  const std::size_t shapes = 2 * sweep.modes.size() * static_cast<std::size_t>(model.nv);
  for (std::size_t i = 0; i < shapes; ++i) columns.push_back({"", ""});
  ReportTable table(std::move(columns), largest_report * 100);  // never thinned: its rows go with the eigenvalues
  std::vector<double> values;
  for (std::size_t k = 0; k < sweep.points.size(); ++k) {
    values.assign(1, sweep.values[k]);
    put_bodies(model, sweep.points[k].bodies, values);
    for (const SweepMode& mode : sweep.modes) {
      const Eigen::VectorXcd& shape = sweep.points[k].modes[static_cast<std::size_t>(mode.index[k])].bodies;
      put_shape(model, shape.real(), values);
      put_shape(model, shape.imag(), values);
    }
    table.row(values);
  }
  return table;
}

std::vector<ResultColumn> ghost_columns(const Model& model) {
  std::vector<ResultColumn> columns{{"pose_difference", ""}, {"velocity_difference", ""}};
  for (const Body& body : model.bodies) {
    for (const char* part : {"dx", "dy", "dz"}) columns.push_back({body.name + "." + part, "m"});
    if (!body.point_mass)
      for (const char* part : {"turn_x", "turn_y", "turn_z"}) columns.push_back({body.name + "." + part, "rad"});
  }
  return columns;
}

void ghost_values(const Model& model, const State& from, const State& to, std::vector<double>& out) {
  for (const Body& body : model.bodies) {
    const auto a = from.q().segment(body.q_first, body.nq()), b = to.q().segment(body.q_first, body.nq());
    for (Eigen::Index i = body.nq() - 3; i < body.nq(); ++i) out.push_back(b[i] - a[i]);
    if (body.point_mass) continue;
    // The turn between nearly equal attitudes, without the loss of an arc cosine.
    const Eigen::Quaterniond qa(a[3], a[0], a[1], a[2]), qb(b[3], b[0], b[1], b[2]);
    const Eigen::Quaterniond d = qb * qa.conjugate();
    const double sine = d.vec().norm(), angle = 2.0 * std::atan2(sine, std::abs(d.w()));
    const double factor = (d.w() < 0.0 ? -1.0 : 1.0) * (sine > 1e-300 ? angle / sine : 2.0);
    for (const double x : d.vec()) out.push_back(factor * x);
  }
}

}  // namespace tandem
