#include "tandem/observe/uniqueness.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

#include "tandem/base/tolerances.hpp"
#include "tandem/dynamics/islands.hpp"

namespace tandem {

namespace {

constexpr char axes[] = {'x', 'y', 'z'};

std::string listed_parts(const char* what, const std::array<bool, 3>& unique) {
  std::string parts;
  for (std::size_t k = 0; k < 3; ++k)
    if (!unique[k]) parts += fmt::format("{}{}", parts.empty() ? what : "", std::string(" ") + axes[k]);
  return parts;
}

bool both(const std::array<bool, 3>& unique) { return unique[0] && unique[1] && unique[2]; }

// Those with a row that follows from others, as far as the rows in use tell, or with a rope.
std::vector<int> doubtful_islands(const Model& model, const Islands& islands, const GaussProblem& problem) {
  std::vector<int> numbers = islands.with_dependent_rows(problem);
  for (const RowBlockInfo& info : model.blocks)
    if (info.rows > 0 && info.is_one_sided(model)) numbers.push_back(islands.of_row(info.first_row));
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

double length_of(const Model& model, const Island& island) {
  return island.bodies.empty() ? 1.0 : model.scale.of_body[static_cast<std::size_t>(island.bodies.front())];
}

// The rows of an island that act, over the speeds of its bodies: no more of a problem than is asked for.
GaussProblem active_rows(const Model& model, const Rows<double>& rows, const Island& island) {
  GaussProblem problem;
  problem.unit.setOnes(island.columns);
  problem.f.setZero(island.columns);
  problem.b.setZero(static_cast<Eigen::Index>(island.rows.size()));
  problem.phi = problem.b;
  const double length = length_of(model, island);
  int column = 0, row = 0;
  for (const int i : island.bodies) {
    const int nv = model.bodies[static_cast<std::size_t>(i)].nv();
    problem.groups.push_back({column, nv, {}});
    column += nv;
    problem.unit.segment<3>(column - 3).setConstant(length);
  }
  for (const int i : island.blocks) {
    const RowBlockInfo& info = model.blocks[static_cast<std::size_t>(i)];
    const RowBlock<double>& in = rows.block(static_cast<std::size_t>(i));
    GaussProblem::Block block{.first_row = row, .rows = info.rows, .holonomic = info.holonomic};
    if (info.is_soft(model)) block.soft = model.constraints[static_cast<std::size_t>(info.index)].soft;
    block.one_sided = info.is_one_sided(model) && !(in.phi[0] >= -tolerances::taut * length);
    for (std::size_t k = 0; k < info.bodies.size(); ++k) {
      const auto at = std::lower_bound(island.bodies.begin(), island.bodies.end(), info.bodies[k]);
      block.parts.push_back({static_cast<int>(at - island.bodies.begin()),
                             body_columns(model.bodies[static_cast<std::size_t>(*at)],
                                          in.J.middleCols(6 * static_cast<Eigen::Index>(k), 6))});
    }
    problem.phi.segment(row, info.holonomic) = in.phi.head(info.holonomic);
    problem.blocks.push_back(std::move(block));
    row += info.rows;
  }
  return problem;
}

// Marks what moves along one n̂ of the kernel.
class Marker {
 public:
  Marker(const Model& model, const Workspace& workspace, Uniqueness& out)
      : model_(model), workspace_(workspace), out_(out) {
    n_.setZero(model.rows);
  }

  void mark(const Island& island, const Eigen::VectorXd& unit, const Eigen::VectorXd& lengths, double tolerance) {
    Eigen::Index k = 0;  // of the island's rows
    for (const int i : island.blocks) {
      const RowBlockInfo& info = model_.blocks[static_cast<std::size_t>(i)];
      bool moves = false;
      for (int row = info.first_row; row < info.first_row + info.rows; ++row, ++k) {
        if (!(std::abs(unit[k]) <= tolerance)) out_.rows[static_cast<std::size_t>(row)] = false;
        if (std::abs(unit[k]) <= negligible * tolerance) continue;
        moves = true;
        if (lengths[k] > 0.0) n_[row] = unit[k] / lengths[k];  // (2)
      }
      if (moves) moved_.push_back(&info);
    }
    const Loaded<double> at{model_, workspace_.kinematics, workspace_.applied, workspace_.rows, n_};
    for (const RowBlockInfo* info : moved_) {
      const bool constraint = info->kind == RowBlockInfo::Kind::constraint;
      const int index = info->kind == RowBlockInfo::Kind::drive
                            ? model_.drives[static_cast<std::size_t>(info->index)].coordinate.joint
                            : info->index;
      const ReactionOf<double> moved = constraint ? constraint_reaction(at, index) : reaction_of_rows(at, index);
      UniqueReaction& unique = (constraint ? out_.constraints : out_.joints)[static_cast<std::size_t>(index)];
      for (std::size_t part = 0; part < 3; ++part) {  // (3)
        const auto axis = static_cast<Eigen::Index>(part);
        if (!(std::abs(length_of(model_, island) * moved.force[axis]) <= tolerance)) unique.force[part] = false;
        if (!(std::abs(moved.torque[axis]) <= tolerance)) unique.torque[part] = false;
      }
    }
    for (const RowBlockInfo* info : moved_) n_.segment(info->first_row, info->rows).setZero();
    moved_.clear();
  }

 private:
  static constexpr double negligible = 1e-3;  // of the tolerance: the rows of a joint together stay below it

  const Model& model_;
  const Workspace& workspace_;
  Uniqueness& out_;
  Eigen::VectorXd n_;
  std::vector<const RowBlockInfo*> moved_;
};

// What the kernel of Jᵀ goes by, as one number: how many rows are independent, which are in use, which ropes are taut,
// and where J has zeros, in parts of the length of a row. Nothing is shared where all rows are in use.
int structure_of(const Model& model, const Workspace& workspace, int rank) {
  std::uint64_t hash = 14695981039346656037ULL;  // Fowler, Noll, Vo 1a, over numbers in place of bytes
  const auto take = [&](auto number) { hash = (hash ^ static_cast<std::uint64_t>(number)) * 1099511628211ULL; };
  take(rank);
  const GaussProblem& problem = workspace.problem;
  bool all_in_use = static_cast<Eigen::Index>(problem.rows.size()) == problem.row_count();
  for (const int row : problem.rows) take(row);
  for (std::size_t i = 0; i < model.blocks.size(); ++i) {
    const RowBlockInfo& info = model.blocks[i];
    if (info.rows == 0 || !info.is_one_sided(model)) continue;
    all_in_use = false;
    take(workspace.rows.block(i).phi[0] >= -tolerances::taut * info.length ? 1 : 0);
  }
  for (std::size_t i = 0; i < model.blocks.size() && !all_in_use; ++i) {
    const RowBlockInfo& info = model.blocks[i];
    const RowBlock<double>& block = workspace.rows.block(i);
    const auto entry = [&](Eigen::Index row, Eigen::Index k) {
      return std::abs(block.J(row, k)) * (k % 6 < 3 ? 1.0 : info.length);
    };
    for (Eigen::Index row = 0; row < info.rows; ++row) {
      double largest = 0.0;
      for (Eigen::Index k = 0; k < block.J.cols(); ++k) largest = std::max(largest, entry(row, k));
      for (Eigen::Index k = 0; k < block.J.cols(); ++k) take(entry(row, k) > tolerances::rank * largest ? 1 : 0);
    }
  }
  return static_cast<int>((hash ^ (hash >> 32)) & 0x7fffffffU);
}

bool row_of(const Model& model, RowBlockInfo::Kind kind, int index, const std::vector<bool>& rows) {
  std::size_t at = 0;
  const RowBlockInfo* block = find_block(model, kind, index, at);
  return !block || block->rows == 0 || rows[static_cast<std::size_t>(block->first_row)];
}

}  // namespace

bool UniqueReaction::all() const { return both(force) && both(torque); }

std::string UniqueReaction::missing() const {
  const std::string forces = listed_parts("force", force), torques = listed_parts("torque", torque);
  return forces + (forces.empty() || torques.empty() ? "" : ", ") + torques;
}

Uniqueness::Uniqueness(const Model& model)
    : joints(model.joints.size()),
      constraints(model.constraints.size()),
      rows(static_cast<std::size_t>(model.rows), true) {}

bool Uniqueness::all() const {
  const auto each = [](const UniqueReaction& reaction) { return reaction.all(); };
  return std::all_of(joints.begin(), joints.end(), each) && std::all_of(constraints.begin(), constraints.end(), each) &&
         std::all_of(rows.begin(), rows.end(), [](bool row) { return row; });
}

bool Uniqueness::effort(const Model& model, int drive) const {
  return row_of(model, RowBlockInfo::Kind::drive, drive, rows);
}

bool Uniqueness::relation_effort(const Model& model, int constraint) const {
  return row_of(model, RowBlockInfo::Kind::constraint, constraint, rows);
}

bool is_reaction(const ModelOutput& output) {
  return output.quantity == Quantity::force || output.quantity == Quantity::torque ||
         output.quantity == Quantity::effort || output.quantity == Quantity::lowest_load;
}

bool Uniqueness::of(const Model& model, const ModelOutput& output) const {
  if (!is_reaction(output)) return true;
  if (output.quantity == Quantity::lowest_load) {
    const std::vector<Contact> every = contacts(model);
    return std::all_of(every.begin(), every.end(), [&](const Contact& each) { return load(each); });
  }
  if (output.quantity == Quantity::effort) return output.drive < 0 || effort(model, output.drive);
  const UniqueReaction& reaction = output.joint >= 0 ? joints[static_cast<std::size_t>(output.joint)]
                                                     : constraints[static_cast<std::size_t>(output.constraint)];
  const std::array<bool, 3>& parts = output.quantity == Quantity::force ? reaction.force : reaction.torque;
  return output.component == Component::norm ? both(parts) : parts[static_cast<std::size_t>(output.component)];
}

void Uniqueness::visit(const std::function<bool(bool)>& each) {
  for (std::vector<UniqueReaction>* list : {&joints, &constraints})
    for (UniqueReaction& reaction : *list)
      for (std::array<bool, 3>* parts : {&reaction.force, &reaction.torque})
        for (bool& part : *parts) part = each(part);
  for (auto&& row : rows) row = each(row);
}

void Uniqueness::take(const Uniqueness& other) {
  const auto join = [](UniqueReaction& mine, const UniqueReaction& theirs) {
    for (std::size_t k = 0; k < 3; ++k) {
      mine.force[k] = mine.force[k] && theirs.force[k];
      mine.torque[k] = mine.torque[k] && theirs.torque[k];
    }
  };
  for (std::size_t i = 0; i < joints.size(); ++i) join(joints[i], other.joints[i]);
  for (std::size_t i = 0; i < constraints.size(); ++i) join(constraints[i], other.constraints[i]);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = rows[i] && other.rows[i];
}

Uniqueness uniqueness(const Model& model, const Workspace& workspace) {
  Uniqueness out(model);
  if (model.rows == 0) return out;
  const Islands islands(model);
  Marker marker(model, workspace, out);
  for (const int number : doubtful_islands(model, islands, workspace.problem)) {
    const Island& island = islands.list()[static_cast<std::size_t>(number)];
    const GaussProblem problem = active_rows(model, workspace.rows, island);
    RowSystem system;
    system.analyse(problem);
    const double tolerance = rank_tolerance(problem);
    system.dependencies(problem, tolerance,
                        [&](const Eigen::VectorXd& unit) { marker.mark(island, unit, system.lengths(), tolerance); });
  }
  return out;
}

std::vector<SharedLoad> shared_loads(const Model& model, const Uniqueness& unique) {
  std::vector<SharedLoad> shared;
  const auto add = [&](const char* kind, const std::string& name, std::string parts) {
    if (!parts.empty()) shared.push_back({fmt::format("{} \"{}\"", kind, name), std::move(parts)});
  };
  for (std::size_t i = 0; i < model.joints.size(); ++i) add("joint", model.joints[i].name, unique.joints[i].missing());
  for (std::size_t i = 0; i < model.constraints.size(); ++i) {
    std::string parts = unique.constraints[i].missing();
    if (std::holds_alternative<CoordinateConstraint>(model.constraints[i].what) &&
        !unique.relation_effort(model, static_cast<int>(i)))
      parts = "efforts";
    add("constraint", model.constraints[i].name, std::move(parts));
  }
  for (std::size_t i = 0; i < model.drives.size(); ++i)
    add("drive", model.drives[i].name, unique.effort(model, static_cast<int>(i)) ? "" : "effort");
  return shared;
}

void UniquenessRecord::row(const Workspace& workspace, int rank) {
  ++rows_;
  const int structure = structure_of(model_, workspace, rank);
  if (structure == structure_ && !std::has_single_bit(static_cast<unsigned long>(rows_))) return;
  structure_ = structure;
  look(workspace);
}

void UniquenessRecord::look(const Workspace& workspace) { all_.take(uniqueness(model_, workspace)); }

void UniquenessRecord::save(MemoryWriter& out) const {
  out.put(static_cast<double>(rows_));
  out.put(static_cast<double>(structure_));
  Uniqueness flags = all_;
  flags.visit([&](bool unique) {
    out.put(unique ? 1.0 : 0.0);
    return unique;
  });
}

void UniquenessRecord::load(MemoryReader& in) {
  rows_ = in.whole_number(0, largest_exact);
  structure_ = static_cast<int>(in.whole_number(-1, std::numeric_limits<int>::max()));
  all_.visit([&](bool) { return in.whole_number(0, 1) == 1; });
}

}  // namespace tandem
