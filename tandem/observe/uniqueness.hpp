// Which loads are unique where rows are redundant: one answer for every command, file and page.
//
// J holds all active rows over the speeds of the bodies (the cut `all`), drives and couplers included, whatever the cut
// and the method in use. λ may move along n without moving a body when Jᵀ n = 0. So a load r = cᵀ λ, a component of a
// force or torque, an effort or a normal force,
//
//   (1)  is unique  ⇔  cᵀ n = 0 for every n of ker Jᵀ
//   (2)  Ĵ = D J L: lengths in parts of the island's size ℓ, rows scaled to unit length;  Ĵᵀ n̂ = 0,  n = D n̂
//   (3)  moves by r(n) over n̂ of unit length that span the kernel: forces in parts of 1/ℓ, multipliers in parts of D
// and counts as unique up to the tolerance of the rank. The kernel comes from dynamics/row_system, sparsely. A
// magnitude is unique only if all three components are. Rows of springs of the method impulses are force laws, and a
// rope that is slack carries nothing: neither is in J.
#pragma once

#include <array>

#include "tandem/dynamics/workspace.hpp"
#include "tandem/observe/reactions.hpp"

namespace tandem {

struct UniqueReaction {  // by component, world axes
  std::array<bool, 3> force{true, true, true}, torque{true, true, true};
  bool all() const;
  std::string missing() const;  // "force x y, torque z": the components that are not unique; empty when all are
};

struct Uniqueness {
  std::vector<UniqueReaction> joints, constraints;  // of what joint_reaction and constraint_reaction give
  std::vector<bool> rows;                           // of every multiplier: efforts, normal forces

  explicit Uniqueness(const Model& model);  // all are unique
  bool all() const;
  bool effort(const Model& model, int drive) const;
  bool relation_effort(const Model& model, int constraint) const;  // of a coupler or constant speed
  bool load(const Contact& contact) const { return rows[static_cast<std::size_t>(contact.row)]; }
  bool of(const Model& model, const ModelOutput& output) const;  // true for outputs that are no reaction
  void take(const Uniqueness& other);                            // unique is what is unique in both
  void visit(const std::function<bool(bool)>& each);             // every flag in turn: gets it, gives what it becomes
};

Uniqueness uniqueness(const Model& model, const Workspace& workspace);
bool is_reaction(const ModelOutput& output);

// The joints, constraints and drives that have a load that is not unique, each with the components.
struct SharedLoad {
  std::string name, parts;  // joint "hinge", "force z"; drive "motor", "effort"
};
std::vector<SharedLoad> shared_loads(const Model& model, const Uniqueness& unique);

// Over a run: unique is what is unique at every row of results that was looked at. Of those that it is shown (all, or
// where steps go by the recursion those of Health::record) these are the first, second, fourth, eighth, …, every one at
// which the number of independent rows, the rows in use, the ropes that are taut or the zeros of J differ from those of
// the one before, and the last of the run.
class UniquenessRecord {
 public:
  explicit UniquenessRecord(const Model& model) : model_(model), all_(model) {}
  void row(const Workspace& workspace, int rank);
  void look(const Workspace& workspace);
  const Uniqueness& of_all() const { return all_; }
  void save(MemoryWriter& out) const;
  void load(MemoryReader& in);

 private:
  const Model& model_;
  Uniqueness all_;
  long rows_ = 0;
  int structure_ = -1;  // of the row before
};

}  // namespace tandem
