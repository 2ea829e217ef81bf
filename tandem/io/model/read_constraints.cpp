#include <fmt/format.h>

#include "tandem/constraints/point_on_plane.hpp"
#include "tandem/io/model/model_reader.hpp"

namespace tandem {

namespace {

// `one` = a single value, or `many` = a list of them: never both.
bool given_twice(TableReader& reader, std::string_view one, std::string_view many) {
  if (!reader.has(one) || !reader.has(many)) return false;
  reader.fault(many, fmt::format("give {} or {}, not both", one, many));
  return true;
}

std::vector<Vector3> read_points(TableReader& reader) {
  if (given_twice(reader, "point", "points")) return {};
  std::vector<Vector3> points = reader.vectors("points");
  if (const auto point = reader.optional_vector("point")) points.push_back(*point);
  reader.also_known_as("point", "points");
  return points;
}

std::vector<std::string> read_force_bodies(TableReader& reader) {
  if (given_twice(reader, "body", "bodies")) return {};
  std::vector<std::string> bodies;
  if (reader.has("bodies")) bodies = reader.texts("bodies");
  if (reader.has("body")) bodies.push_back(reader.text("body"));
  reader.also_known_as("body", "bodies");
  return bodies;
}

Coupler read_coupler(TableReader& reader) {
  Coupler coupler;
  for (const std::string& joint : reader.texts("joints")) coupler.coordinates.push_back({joint, ""});
  if (reader.has("coordinates")) {
    const std::vector<std::string> names = reader.texts("coordinates");
    if (names.size() != coupler.coordinates.size() && reader.is_sound())
      reader.fault("coordinates", fmt::format("coordinates must hold one name per joint: {} here, not {}",
                                              coupler.coordinates.size(), names.size()));
    for (std::size_t i = 0; i < std::min(names.size(), coupler.coordinates.size()); ++i)
      coupler.coordinates[i].coordinate = names[i];
  }
  coupler.coefficients = reader.numbers("coefficients");
  coupler.offset = reader.optional_number("offset");
  return coupler;
}

ConstantSpeed read_constant_speed(TableReader& reader) {
  ConstantSpeed constraint;
  constraint.coordinate = {reader.text("joint"), reader.text("coordinate", "")};
  constraint.speed = reader.number("speed");
  return constraint;
}

void read_pair_placement(TableReader& reader, ConstraintDescription& out) {
  out.bodies = reader.texts("bodies");
  out.points = read_points(reader);
  out.axis = reader.optional_vector("axis");
  out.frames = read_frames(reader);
  out.plane_point = reader.optional_vector("plane_point");
  out.normal = reader.optional_vector("normal");
  out.blade = reader.optional_vector("blade");
}

// soft = { frequency = 5, damping_ratio = 0.7 }
std::optional<Softness> read_softness(TableReader& reader) {
  const Node* given = reader.find("soft");
  if (!given) return std::nullopt;
  if (!given->is(Node::Kind::table)) {
    reader.fault("soft", fmt::format("soft must be a table such as {{ frequency = 5, damping_ratio = 0.7 }}, not {}",
                                     given->kind_name()));
    return std::nullopt;
  }
  TableReader soft(*given, reader.parameters(), reader.faults());
  Softness out{value_of(soft.number("frequency")), value_of(soft.number("damping_ratio", 1.0))};  // impulses alone
  soft.finish();
  if (!soft.is_sound()) reader.refuse("soft");
  return out;
}

}  // namespace

void ModelReader::read_constraint(const Node& table) {
  TableReader reader(table, parameters_, faults_);
  const std::string name = begin("constraint", reader);
  // A constraint of unknown type still counts by its name; the type here is then never looked at.
  ConstraintDescription out{.name = name, .type = Constraint(PointOnPlane{})};
  const std::string type = reader.text("type", "");
  bool known = true;
  if (type == Coupler::type) {
    out.type = read_coupler(reader);
  } else if (type == ConstantSpeed::type) {
    out.type = read_constant_speed(reader);
  } else {
    const auto* factory =
        find_type(reader, "constraint", options_.registry.constraints, {Coupler::type, ConstantSpeed::type});
    known = factory != nullptr;
    if (known) {
      out.type = (*factory)(reader);
      read_pair_placement(reader, out);
    }
  }
  out.soft = read_softness(reader);
  reader.finish(known);
  out.source = reader.source();
  out_.constraints.push_back(std::move(out));
}

void ModelReader::read_force(const Node& table) {
  TableReader reader(table, parameters_, faults_);
  std::string name = begin("force", reader);
  const auto* factory = find_type(reader, "force", options_.registry.forces);
  if (!factory) return reader.finish(false);  // nothing refers to a force
  const std::string type = reader.text("type");
  if (!reader.has("name")) {
    name = fmt::format("{} {}", type, 1 + forces_of_type_[type]);
    faults_.about_table(fmt::format("force \"{}\"", name), reader.source());
  }
  ForceDescription out{.name = std::move(name), .type = (*factory)(reader)};
  out.bodies = read_force_bodies(reader);
  out.points = read_points(reader);
  const bool on_joint = reader.has("joint");
  const CoordinateName coordinate{reader.text("joint", ""), reader.text("coordinate", "")};
  if (on_joint) out.coordinates.push_back(coordinate);
  reader.finish();
  out.source = reader.source();
  ++forces_of_type_[type];
  out_.forces.push_back(std::move(out));
}

}  // namespace tandem
