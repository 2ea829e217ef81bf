#include <fmt/format.h>

#include <cmath>

#include "tandem/base/suggest.hpp"
#include "tandem/io/model/model_reader.hpp"
#include "tandem/math/euler312.hpp"

namespace tandem {

namespace {

constexpr double unit_tolerance = 1e-6;

// Directions and quaternions are used normalised; whoever wrote one that was not is told.
Real checked_length(TableReader& reader, std::string_view key, Real length) {
  if (!(length > 1e-12)) {
    reader.fault(key, fmt::format("{} must not be zero", key));
    return 1.0;
  }
  if (std::abs(value_of(length) - 1.0) > unit_tolerance)
    reader.faults().warning_at(reader.source().at(key),
                               fmt::format("{} has length {:.6g}; it is used normalised", key, value_of(length)));
  return length;
}

Matrix3 read_quaternion(TableReader& reader) {
  const std::vector<Real> q = reader.numbers("quaternion");
  if (q.size() != 4) {
    if (!reader.source().is_refused("quaternion"))
      reader.fault("quaternion", fmt::format("quaternion must be four numbers [x, y, z, w], not {}", q.size()));
    return Matrix3::Identity();
  }
  const Vec4<Real> given(q[0], q[1], q[2], q[3]);
  const Real length = checked_length(reader, "quaternion", given.norm());
  return reader.is_sound() ? rotation_of<Real>(given / length) : Matrix3(Matrix3::Identity());
}

Matrix3 read_axes(TableReader& reader) {
  const auto z = reader.optional_vector("z_axis"), x = reader.optional_vector("x_axis");
  if (!z) return Matrix3::Identity();
  checked_length(reader, "z_axis", z->norm());
  if (!x) return reader.is_sound() ? rotation_with_z(*z) : Matrix3(Matrix3::Identity());
  checked_length(reader, "x_axis", x->norm());
  if (reader.is_sound() && !(z->normalized().cross(x->normalized()).norm() > unit_tolerance))
    reader.fault("x_axis", "x_axis must not point along z_axis");
  return reader.is_sound() ? rotation_with_z_and_x(*z, *x) : Matrix3(Matrix3::Identity());
}

Matrix3 read_orientation(TableReader& reader) {
  std::string first;
  for (const char* key : {"quaternion", "angles", "z_axis"}) {
    if (!reader.has(key)) continue;
    if (!first.empty())
      reader.fault(
          key, fmt::format("the orientation is already given by {}; give one of quaternion, angles or z_axis", first));
    else
      first = key;
  }
  if (reader.has("x_axis") && first != "z_axis") reader.fault("x_axis", "x_axis goes with z_axis only");
  if (first == "quaternion") return read_quaternion(reader);
  if (first == "angles") return rotation_of_euler312<Real>(reader.vector("angles"));
  if (first == "z_axis") return read_axes(reader);
  return Matrix3::Identity();
}

Shape read_shape(const Node& table, const Parameters& parameters, Faults& faults) {
  TableReader reader(table, parameters, faults);
  Shape shape;
  const std::string type = reader.text("type", "");
  const std::optional<ShapeKind> kind = shape_kind(type);
  if (!kind && !reader.source().is_refused("type")) tell_unknown_type(reader, "shape", type, shape_names());
  shape.kind = kind.value_or(ShapeKind::sphere);
  shape.mass = reader.optional_number("mass");
  shape.density = reader.optional_number("density");
  shape.position = reader.vector("position", shape.position);
  shape.color = reader.text("color", "");
  if (kind) {
    if (shape.has_radius()) shape.radius = reader.number("radius");
    if (shape.has_length()) shape.length = reader.number("length");
    if (shape.has_size()) shape.size = reader.vector("size");
    if (shape.has_axis()) shape.axis = reader.optional_vector("axis");
  }
  reader.finish(kind.has_value());
  shape.source = reader.source();
  return shape;
}

void read_shapes(TableReader& reader, std::vector<Shape>& shapes) {
  const Node* given = reader.find("shape");
  if (!given) return;
  if (given->is(Node::Kind::table)) {
    shapes.push_back(read_shape(*given, reader.parameters(), reader.faults()));
  } else if (given->is(Node::Kind::list)) {
    for (const Node& item : given->items) {
      if (item.is(Node::Kind::table))
        shapes.push_back(read_shape(item, reader.parameters(), reader.faults()));
      else
        reader.fault_at(item.where, "shape", fmt::format("each shape must be a table, not {}", item.kind_name()));
    }
  } else {
    reader.fault("shape", fmt::format("shape must be a table such as {{ type = \"sphere\", radius = 0.1 }}, not {}",
                                      given->kind_name()));
  }
}

std::optional<std::array<Real, 6>> read_inertia(TableReader& reader) {
  if (!reader.has("inertia")) return std::nullopt;
  const std::vector<Real> given = reader.numbers("inertia");
  if (reader.source().is_refused("inertia")) return std::nullopt;
  std::array<Real, 6> inertia{};
  if (given.size() != 3 && given.size() != 6) {
    reader.fault("inertia", fmt::format("inertia must be three numbers [Ixx, Iyy, Izz] or six "
                                        "[Ixx, Iyy, Izz, Ixy, Ixz, Iyz], not {}",
                                        given.size()));
    return std::nullopt;
  }
  std::copy(given.begin(), given.end(), inertia.begin());
  return inertia;
}

}  // namespace

void read_placement(TableReader& reader, Vector3& position, Matrix3& rotation) {
  position = reader.vector("position", Vector3::Zero());
  rotation = read_orientation(reader);
}

FrameDescription read_frame(TableReader& reader) {
  FrameDescription frame;
  frame.name = reader.text("name");
  read_placement(reader, frame.position, frame.rotation);
  reader.finish();
  frame.source = reader.source();
  return frame;
}

void ModelReader::read_world_frame(const Node& table) {
  TableReader reader(table, parameters_, faults_);
  begin("world frame", reader);
  out_.world_frames.push_back(read_frame(reader));
}

void ModelReader::read_body(const Node& table) {
  TableReader reader(table, parameters_, faults_);
  BodyDescription out;
  out.name = begin("body", reader);
  out.mass = reader.optional_number("mass");
  out.center = reader.optional_vector("center");
  out.inertia = read_inertia(reader);
  read_shapes(reader, out.shapes);
  out.point_mass = reader.flag("point_mass", false);
  read_placement(reader, out.position, out.rotation);
  out.velocity = reader.vector("velocity", out.velocity);
  out.angular_velocity = reader.vector("angular_velocity", out.angular_velocity);
  for (const Node* frame : tables(reader, "frame")) {
    TableReader frame_reader(*frame, parameters_, faults_);
    out.frames.push_back(read_frame(frame_reader));
  }
  reader.finish();
  out.source = reader.source();
  out_.bodies.push_back(std::move(out));
}

}  // namespace tandem
