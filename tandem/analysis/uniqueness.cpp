#include "tandem/analysis/uniqueness.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <set>

#include "tandem/base/tolerances.hpp"
#include "tandem/linalg/row_space.hpp"

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

// The rows of an island that act, and how far each of their loads moves along ker Jᵀ.
class FreeMultipliers {
 public:
  FreeMultipliers(const Model& model, const Workspace& workspace, const Islands& islands, const Island& island)
      : model_(model), workspace_(workspace), island_(island), scale_(static_cast<Eigen::Index>(island.rows.size())) {
    if (island.bodies.empty()) return;  // rows between the world and itself: all of them vanish
    length_ = model.scale.of_body[static_cast<std::size_t>(island.bodies.front())];
    find_null(islands);
  }

  // `n`: of all rows, zero; so it is left.
  void mark(Uniqueness& out, Eigen::VectorXd& n) const {
    for (Eigen::Index k = 0; k < scale_.size(); ++k) {
      const double moves = null_.cols() > 0 ? null_.row(k).norm() : 0.0;
      if (!(moves <= tolerances::rank)) out.rows[static_cast<std::size_t>(model_row(k))] = false;
    }
    std::set<int> joints, constraints;
    for (const int i : island_.blocks) {
      const RowBlockInfo& info = model_.blocks[static_cast<std::size_t>(i)];
      if (info.kind == RowBlockInfo::Kind::constraint)
        constraints.insert(info.index);
      else if (info.kind == RowBlockInfo::Kind::joint)
        joints.insert(info.index);
      else
        joints.insert(model_.drives[static_cast<std::size_t>(info.index)].coordinate.joint);
    }
    std::vector<Moves> of_joints(joints.size()), of_constraints(constraints.size());
    for (Eigen::Index k = 0; k < null_.cols(); ++k) {
      for (Eigen::Index i = 0; i < scale_.size(); ++i) n[model_row(i)] = scale_[i] * null_(i, k);  // (2)
      const Loaded<double> at{model_, workspace_.kinematics, workspace_.applied, workspace_.rows, n};
      auto moves = of_joints.begin();
      for (const int joint : joints) (moves++)->add(reaction_of_rows(at, joint), length_);
      moves = of_constraints.begin();
      for (const int constraint : constraints) (moves++)->add(constraint_reaction(at, constraint), length_);
    }
    for (Eigen::Index i = 0; i < scale_.size(); ++i) n[model_row(i)] = 0.0;
    auto moves = of_joints.begin();
    for (const int joint : joints) (moves++)->mark(out.joints[static_cast<std::size_t>(joint)]);
    moves = of_constraints.begin();
    for (const int constraint : constraints) (moves++)->mark(out.constraints[static_cast<std::size_t>(constraint)]);
  }

 private:
  struct Moves {  // (3), squared
    Vector3 force = Vector3::Zero(), torque = Vector3::Zero();
    void add(const ReactionOf<double>& r, double length) {
      force += (length * r.force).cwiseAbs2();
      torque += r.torque.cwiseAbs2();
    }
    void mark(UniqueReaction& out) const {
      constexpr double most = tolerances::rank * tolerances::rank;
      for (std::size_t k = 0; k < 3; ++k) {
        if (!(force[static_cast<Eigen::Index>(k)] <= most)) out.force[k] = false;
        if (!(torque[static_cast<Eigen::Index>(k)] <= most)) out.torque[k] = false;
      }
    }
  };

  int model_row(Eigen::Index local) const { return island_.rows[static_cast<std::size_t>(local)]; }

  bool is_active(int row) const {
    const RowBlockInfo& info = model_.block_of_row(row);
    if (info.is_soft(model_)) return false;
    const auto block = static_cast<std::size_t>(&info - model_.blocks.data());
    return !info.is_one_sided(model_) ||
           workspace_.rows.block(block).phi[row - info.first_row] >= -tolerances::taut * length_;
  }

  void find_null(const Islands& islands) {  // (2)
    const Eigen::MatrixXd J = islands.dense_rows(model_, workspace_.rows, island_, true);
    if (!J.allFinite()) return;  // the run has failed, and says why
    for (Eigen::Index k = 0; k < J.rows(); ++k) {
      const double row_length = J.row(k).norm();
      scale_[k] = row_length > 0.0 ? 1.0 / row_length : 0.0;
    }
    std::vector<Eigen::Index> active;
    for (Eigen::Index k = 0; k < J.rows(); ++k)
      if (is_active(model_row(k))) active.push_back(k);
    const Eigen::MatrixXd of_active = (scale_.asDiagonal() * J)(active, Eigen::all);
    const Eigen::MatrixXd null = RowSpace(of_active, tolerances::rank).dependencies();
    null_ = Eigen::MatrixXd::Zero(J.rows(), null.cols());
    null_(active, Eigen::all) = null;
  }

  const Model& model_;
  const Workspace& workspace_;
  const Island& island_;
  double length_ = 1.0;
  Eigen::VectorXd scale_;  // D
  Eigen::MatrixXd null_;   // n̂, a column each
};

// Those with a row that follows from others, as far as the rows in use tell, or with a rope.
std::vector<int> doubtful_islands(const Model& model, const Islands& islands, const GaussProblem& problem) {
  std::vector<int> numbers = islands.with_dependent_rows(problem);
  for (const RowBlockInfo& info : model.blocks)
    if (info.rows > 0 && info.is_one_sided(model)) numbers.push_back(islands.of_row(info.first_row));
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
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
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = each(rows[i]);
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
  Eigen::VectorXd n = Eigen::VectorXd::Zero(model.rows);
  for (const int number : doubtful_islands(model, islands, workspace.problem))
    FreeMultipliers(model, workspace, islands, islands.list()[static_cast<std::size_t>(number)]).mark(out, n);
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
  if (rank == rank_ && !std::has_single_bit(static_cast<unsigned long>(rows_))) return;
  rank_ = rank;
  look(workspace);
}

void UniquenessRecord::look(const Workspace& workspace) { all_.take(uniqueness(model_, workspace)); }

void UniquenessRecord::save(MemoryWriter& out) const {
  out.put(static_cast<double>(rows_));
  out.put(static_cast<double>(rank_));
  Uniqueness flags = all_;
  flags.visit([&](bool unique) {
    out.put(unique ? 1.0 : 0.0);
    return unique;
  });
}

void UniquenessRecord::load(MemoryReader& in) {
  rows_ = in.whole_number(0, largest_exact);
  rank_ = static_cast<int>(in.whole_number(-1, std::numeric_limits<int>::max()));
  all_.visit([&](bool) { return in.whole_number(0, 1) == 1; });
}

}  // namespace tandem
