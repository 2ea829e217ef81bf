// Counting coordinates, rows and degrees of freedom, with the redundant rows by name.
//
//   (1)  dof      = coordinates − holonomic − driven + those of them that are redundant       positions one can choose
//   (2)  mobility = coordinates − all rows + all that are redundant                           speeds one can choose
// Rows are tried in the order holonomic, drives, nonholonomic: a nonholonomic row may follow from all others, and is
// redundant then, but no row of positions follows from it. The rank is taken at the start; a note says when a perturbed
// pose has another. One-sided and soft rows are not among them.
#pragma once

#include <string>
#include <vector>

#include "tandem/observe/uniqueness.hpp"

namespace tandem {

struct RedundantRow {
  std::string row;
  std::vector<std::string> depends_on;  // names of joints, constraints and drives
};

struct RowResidual {
  std::string row;
  double position = 0.0, velocity = 0.0;  // in the unit of the row
  bool holonomic = true;
  double size = 1.0, metres = 1.0;  // what is as large as the machine (model/scale.hpp), what one of its unit counts as
  Location where{};                 // of its joint, constraint or drive in the file
};

struct Counts {
  int bodies = 0, joints = 0, constraints = 0, drives = 0, forces = 0;
  int coordinates = 0, holonomic = 0, nonholonomic = 0, one_sided = 0, soft = 0, driven = 0;
  int redundant = 0, redundant_nonholonomic = 0;  // of all rows; of the nonholonomic ones among them
  int dof = 0, mobility = 0;
  std::vector<RedundantRow> redundant_rows;
  std::vector<SharedLoad> shared_loads;  // of joints, constraints and drives
  std::vector<RowResidual> residuals;    // of the start, all rows
  bool singular = false;                 // more rows are independent at a pose nearby than at the start
  std::vector<std::string> notes;        // begins with file:line:column where it is about one thing
};

Counts count(const Model& model);

}  // namespace tandem
