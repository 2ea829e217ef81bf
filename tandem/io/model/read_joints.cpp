#include <fmt/format.h>

#include "tandem/drives/hold.hpp"
#include "tandem/io/model/model_reader.hpp"
#include "tandem/joints/fixed.hpp"

namespace tandem {

static FramePlacement read_one_frame(TableReader& reader, const Node& given, std::size_t which) {
  FramePlacement frame;
  const std::string key = fmt::format("frames[{}]", which);
  if (given.is(Node::Kind::text)) {
    frame.name = given.text;
    if (frame.name.empty()) reader.fault(key, "the name of a frame must not be empty");
  } else if (given.is(Node::Kind::table)) {
    TableReader place(given, reader.parameters(), reader.faults());
    read_placement(place, frame.position, frame.rotation);
    place.finish();
    if (!place.is_sound()) reader.refuse(key);
  } else {
    reader.fault(key, fmt::format("each entry of frames must be the name of a frame or a table such as "
                                  "{{ position = [0, 0, 1] }}, not {}",
                                  given.kind_name()));
  }
  return frame;
}

std::optional<std::array<FramePlacement, 2>> read_frames(TableReader& reader) {
  const Node* given = reader.find("frames");
  if (!given) return std::nullopt;
  if (!given->is(Node::Kind::list) || given->items.size() != 2) {
    reader.fault("frames", "frames must be a list of two: [on the first body, on the second body]");
    return std::nullopt;
  }
  std::array<FramePlacement, 2> frames;
  for (std::size_t i = 0; i < 2; ++i) frames[i] = read_one_frame(reader, given->items[i], i);
  return frames;
}

void ModelReader::read_joint(const Node& table) {
  TableReader reader(table, parameters_, faults_);
  const std::string name = begin("joint", reader);
  const auto* factory = find_type(reader, "joint", options_.registry.joints);
  // A joint of unknown type still counts by its name; the type here is then never looked at.
  JointDescription out{.name = name, .type = factory ? (*factory)(reader) : Joint(Fixed{})};
  const std::vector<std::string> bodies = reader.texts("bodies");
  if (bodies.size() == 2)
    out.bodies = {bodies[0], bodies[1]};
  else if (!reader.source().is_refused("bodies"))
    reader.fault("bodies", "bodies must name two bodies: [first, second]");
  out.point = reader.optional_vector("point");
  out.axis = reader.optional_vector("axis");
  out.second_axis = reader.optional_vector("second_axis");
  out.frames = read_frames(reader);
  out.cut = reader.flag("cut", false);
  reader.finish(factory != nullptr);
  out.source = reader.source();
  out_.joints.push_back(std::move(out));
}

void ModelReader::read_drive(const Node& table) {
  TableReader reader(table, parameters_, faults_);
  const CoordinateName coordinate{reader.text("joint", ""), reader.text("coordinate", "")};
  std::string name = begin("drive", reader);
  const bool is_named = reader.has("name");
  if (!is_named && reader.has("joint")) {
    name = coordinate.coordinate.empty() ? coordinate.joint : coordinate.joint + "." + coordinate.coordinate;
    faults_.about_table(fmt::format("drive \"{}\"", name), reader.source());
  }
  if (!reader.has("joint")) reader.fault("joint", "joint is missing; name the joint it moves");
  const auto* factory = find_type(reader, "drive", options_.registry.drives);
  DriveDescription out{.name = name, .type = factory ? (*factory)(reader) : Drive(Hold{}), .coordinate = coordinate};
  reader.finish(factory != nullptr);
  out.source = reader.source();
  // Two drives of one joint get one name; that they drive the same coordinate is the better message.
  if (!is_named) out.source.refused.insert("name");
  out_.drives.push_back(std::move(out));
}

}  // namespace tandem
