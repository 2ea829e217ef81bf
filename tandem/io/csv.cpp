#include "tandem/io/csv.hpp"

#include <fmt/format.h>

#include <system_error>

#include "tandem/analysis/outputs.hpp"

namespace tandem {

// A name with a comma, quote or line break would break the header.
static std::string csv_quoted(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::vector<std::string> result_columns(const Model& model) {
  std::vector<std::string> columns{"t [s]"};
  for (const ModelOutput& output : model.outputs)
    columns.push_back(output.unit.empty() ? output.name : fmt::format("{} [{}]", output.name, output.unit));
  for (const Body& body : model.bodies) {
    for (const char* part : {"x [m]", "y [m]", "z [m]"}) columns.push_back(body.name + "." + part);
    if (!body.point_mass)
      for (const char* part : {"qx", "qy", "qz", "qw"}) columns.push_back(body.name + "." + part);
    for (const char* part : {"vx [m/s]", "vy [m/s]", "vz [m/s]"}) columns.push_back(body.name + "." + part);
    if (!body.point_mass)
      for (const char* part : {"wx [rad/s]", "wy [rad/s]", "wz [rad/s]"}) columns.push_back(body.name + "." + part);
  }
  for (const ModelJoint& joint : model.joints) {
    if (!joint.joint()) continue;
    for (const JointCoordinate& coordinate : joint.joint()->traits().coordinates) {
      if (!coordinate.scalar || (joint.positions_only && coordinate.angular)) continue;
      const char* unit = coordinate.angular ? "rad" : "m";
      columns.push_back(fmt::format("{}.{} [{}]", joint.name, coordinate.name, unit));
      columns.push_back(fmt::format("{}.{}_rate [{}/s]", joint.name, coordinate.name, unit));
    }
  }
  for (const char* name : {"kinetic_energy [J]", "potential_energy [J]", "position_residual_before",
                           "velocity_residual_before", "position_residual", "velocity_residual"})
    columns.emplace_back(name);
  return columns;
}

CsvWriter::CsvWriter(const std::filesystem::path& file, const Model& model) {
  namespace fs = std::filesystem;
  std::error_code error;
  file_ = fs::weakly_canonical(file, error);
  if (error) file_ = file;
  if (fs::is_directory(file_, error))
    throw FileError(fmt::format("cannot write \"{}\": it is a folder", file.string()));
  if (fs::equivalent(file_, model.file, error))
    throw FileError(fmt::format("cannot write \"{}\": it is the model file itself", file.string()));
  part_ = fs::exists(file_, error) && !fs::is_regular_file(file_, error) ? file_ : fs::path(file_.string() + ".part");
  out_.open(part_);
  if (!out_) fail();
  std::string header;
  for (const std::string& column : result_columns(model)) header += (header.empty() ? "" : ",") + csv_quoted(column);
  out_ << header << '\n';
}

CsvWriter::~CsvWriter() {
  std::error_code error;
  if (!finished_ && part_ != file_ && out_.is_open()) std::filesystem::remove(part_, error);
}

void CsvWriter::fail() const {
  throw FileError(fmt::format("cannot write \"{}\": {}", file_.string(), std::generic_category().message(errno)));
}

void CsvWriter::put(double value) {
  if (!line_.empty()) line_ += ',';
  line_ += fmt::format("{}", value);
}

void CsvWriter::write(const Model& model, Simulation& simulation, const StepReport& report) {
  line_.clear();
  put(simulation.state().t);
  for (const ModelOutput& output : model.outputs) put(output_value(model, output, simulation));
  for (const Body& body : model.bodies) {
    const auto q = simulation.bodies().q.segment(body.q_first, body.nq());
    const auto v = simulation.bodies().v.segment(body.v_first, body.nv());
    for (const double x : q.tail<3>()) put(x);
    if (!body.point_mass)
      for (const double x : q.head<4>()) put(x);
    for (const double x : v.tail<3>()) put(x);
    if (!body.point_mass)
      for (const double x : v.head<3>()) put(x);
  }
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    const ModelJoint& joint = model.joints[i];
    if (!joint.joint()) continue;
    const JointMotion<double>& motion = simulation.workspace().kinematics.joint(static_cast<int>(i));
    for (int k = 0; k < joint.joint()->traits().nv; ++k) {
      const int at = model_coordinate(joint, k);
      if (at < 0 || (joint.positions_only && joint.joint()->traits().coordinates[static_cast<std::size_t>(k)].angular))
        continue;
      put(motion.q[at]);
      put(motion.v[k]);
    }
  }
  const Energy energy = simulation.energy();
  put(energy.kinetic);
  put(energy.gravity + energy.spring);
  put(report.before.position);
  put(report.before.velocity);
  put(report.after.position);
  put(report.after.velocity);
  if (line_.find("nan") != std::string::npos || line_.find("inf") != std::string::npos)
    throw NumericalError(fmt::format("at t = {:.9g} s: a result is not a finite number", simulation.state().t));
  out_ << line_ << '\n';
  if (!out_) fail();
}

void CsvWriter::finish() {
  out_.close();
  if (out_.fail()) fail();
  finished_ = true;
  if (part_ == file_) return;
  std::error_code error;
  std::filesystem::rename(part_, file_, error);
  if (error) throw FileError(fmt::format("cannot write \"{}\": {}", file_.string(), error.message()));
}

}  // namespace tandem
