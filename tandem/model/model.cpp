#include "tandem/model/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "tandem/base/suggest.hpp"

namespace tandem {

template <class Things> static int find(const Things& things, std::string_view name, const char* kind) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < things.size(); ++i) {
    if (things[i].name == name) return static_cast<int>(i);
    names.push_back(things[i].name);
  }
  throw std::out_of_range(fmt::format("there is no {} \"{}\"{}", kind, name, did_you_mean(name, names)));
}

int Model::body(std::string_view wanted) const { return wanted == world_name ? world : find(bodies, wanted, "body"); }
int Model::joint(std::string_view wanted) const { return find(joints, wanted, "joint"); }
int Model::constraint(std::string_view wanted) const { return find(constraints, wanted, "constraint"); }
int Model::drive(std::string_view wanted) const { return find(drives, wanted, "drive"); }

BodyFrame Model::frame(std::string_view owner, std::string_view wanted) const {
  const int b = body(owner);
  const auto& frames = b == world ? world_frames : bodies[static_cast<std::size_t>(b)].frames;
  return {b, frames[static_cast<std::size_t>(find(frames, wanted, "frame"))].X_CF};
}

BodyFrame Model::point(std::string_view owner, const Vector3& in_body_frame) const {
  const int b = body(owner);
  const Vector3 center = b == world ? Vector3(Vector3::Zero()) : bodies[static_cast<std::size_t>(b)].center;
  return {b, {Matrix3::Identity(), in_body_frame - center}};
}

bool Model::conserves_energy() const {
  const auto workless = [](const ModelConstraint& constraint) {
    const auto* pair = std::get_if<PairConstraint>(&constraint.what);
    const auto* relation = std::get_if<CoordinateConstraint>(&constraint.what);
    return (pair && !pair->constraint.time_dependent()) || (relation && !relation->velocity_only);
  };
  return drives.empty() && std::all_of(constraints.begin(), constraints.end(), workless) &&
         std::all_of(forces.begin(), forces.end(), [](const ModelForce& f) { return f.force.conservative(); });
}

bool ModelConstraint::carries_load() const {
  const auto* pair = std::get_if<PairConstraint>(&what);
  if (!pair || pair->constraint.traits().holonomic != 1) return false;
  const Placement placement = pair->constraint.placement();
  return placement == Placement::rolling_body || placement == Placement::surface;
}

bool RowBlockInfo::is_one_sided(const Model& model) const {
  return kind == Kind::constraint && model.constraints[static_cast<std::size_t>(index)].one_sided;
}

bool RowBlockInfo::is_soft(const Model& model) const {
  return kind == Kind::constraint && model.constraints[static_cast<std::size_t>(index)].soft.has_value();
}

std::string Model::block_name(const RowBlockInfo& block) const {
  const auto i = static_cast<std::size_t>(block.index);
  switch (block.kind) {
    case RowBlockInfo::Kind::joint:
      return fmt::format("joint \"{}\"", joints[i].name);
    case RowBlockInfo::Kind::constraint:
      return fmt::format("constraint \"{}\"", constraints[i].name);
    case RowBlockInfo::Kind::drive:
      return fmt::format("drive \"{}\"", drives[i].name);
  }
  return "";
}

Location Model::where(const RowBlockInfo& block) const {
  const auto i = static_cast<std::size_t>(block.index);
  switch (block.kind) {
    case RowBlockInfo::Kind::joint:
      return joints[i].where;
    case RowBlockInfo::Kind::constraint:
      return constraints[i].where;
    case RowBlockInfo::Kind::drive:
      return drives[i].where;
  }
  return {};
}

const RowBlockInfo& Model::block_of_row(int row) const {
  const auto found = std::partition_point(
      blocks.begin(), blocks.end(), [row](const RowBlockInfo& block) { return block.first_row + block.rows <= row; });
  if (row < 0 || found == blocks.end()) throw std::out_of_range(fmt::format("there is no row {}", row));
  return *found;
}

std::string Model::row_name(int row) const {
  const RowBlockInfo& block = block_of_row(row);
  return fmt::format("{}, {}", block_name(block), block.row_names[static_cast<std::size_t>(row - block.first_row)]);
}

double Model::row_size(int row) const {
  const RowBlockInfo& block = block_of_row(row);
  return block.sizes[static_cast<std::size_t>(row - block.first_row)];
}

bool Model::is_holonomic(int row) const {
  const RowBlockInfo& block = block_of_row(row);
  return row - block.first_row < block.holonomic;
}

}  // namespace tandem
