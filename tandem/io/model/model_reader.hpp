// From the tables of a model file to a ModelDescription: one function a kind of table.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "tandem/io/model/model_file.hpp"
#include "tandem/io/model/table_reader.hpp"

namespace tandem {

class ModelReader {
 public:
  ModelReader(const Node& root, std::string file_name, const ReadOptions& options, Faults& faults,
              Evaluated* evaluated = nullptr)
      : root_(root), file_(std::move(file_name)), options_(options), faults_(faults), evaluated_(evaluated) {}

  ModelDescription read();
  std::vector<BodyDescription> read_bodies();  // them alone, whatever else is wrong

 private:
  bool format_is_known(TableReader& top);    // model_file.cpp
  void read_output(const Node& table);       // model_file.cpp
  void read_stop(const Node& table);         // model_file.cpp
  void read_simulation(TableReader& top);    // model_file.cpp
  void read_start(const Node& table);        // read_starts.cpp
  void read_steady(TableReader& top);        // read_steady.cpp
  void read_linearize(TableReader& top);     // read_steady.cpp
  void read_world_frame(const Node& table);  // read_bodies.cpp
  void read_body(const Node& table);         // read_bodies.cpp
  void read_joint(const Node& table);        // read_joints.cpp
  void read_drive(const Node& table);        // read_joints.cpp
  void read_constraint(const Node& table);   // read_constraints.cpp
  void read_force(const Node& table);        // read_constraints.cpp

  // Reads the name and says of what the next faults are: joint "steer".
  std::string begin(const char* kind, TableReader& reader);
  // Every table of [[key]], until there are too many faults to tell.
  void read_each(TableReader& top, std::string_view key, void (ModelReader::*read_one)(const Node& table));
  // The entries of [[key]]; a fault and what can be saved when it is written otherwise.
  std::vector<const Node*> tables(TableReader& top, std::string_view key);

  const Node& root_;
  std::string file_;
  const ReadOptions& options_;
  Faults& faults_;
  Evaluated* evaluated_;
  Parameters parameters_;
  ModelDescription out_;
  std::map<std::string, int> forces_of_type_;  // read so far
};

// Of a body or a frame: position, and one of quaternion, angles or z_axis.
void read_placement(TableReader& reader, Vector3& position, Matrix3& rotation);  // read_bodies.cpp
FrameDescription read_frame(TableReader& reader);                                // read_bodies.cpp
// frames = [A, B], each a name or a table; nothing when not given or at fault.
std::optional<std::array<FramePlacement, 2>> read_frames(TableReader& reader);  // read_joints.cpp

// The factory for the key type; nothing, with the fault told, when there is no such type.
template <class Thing>
const typename Factories<Thing>::Factory* find_type(TableReader& reader, const char* kind,
                                                    const Factories<Thing>& known,
                                                    std::vector<std::string> more_names = {});
void tell_unknown_type(TableReader& reader, const char* kind, const std::string& type, std::vector<std::string> names);

template <class Thing>
const typename Factories<Thing>::Factory* find_type(TableReader& reader, const char* kind,
                                                    const Factories<Thing>& known,
                                                    std::vector<std::string> more_names) {
  const std::string type = reader.text("type", "");
  if (!reader.is_sound() && reader.source().is_refused("type")) return nullptr;
  if (const auto* factory = known.find(type)) return factory;
  std::vector<std::string> names = known.names();
  names.insert(names.end(), more_names.begin(), more_names.end());
  tell_unknown_type(reader, kind, type, std::move(names));
  return nullptr;
}

}  // namespace tandem
