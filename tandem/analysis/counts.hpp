// Counting coordinates, rows and degrees of freedom, with the redundant rows by name.
//
//   (1)  dof      = coordinates − (holonomic − redundant) − driven       positions that can be chosen
//   (2)  mobility = dof − independent nonholonomic rows                  speeds that can be chosen
// `holonomic` counts all holonomic rows of joints and constraints; a drive that depends on other rows counts as
// redundant too, so that (1) holds. The rank is taken at the start; a note tells when a perturbed pose has another.
#pragma once

#include <string>
#include <vector>

#include "tandem/dynamics/workspace.hpp"

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
  int coordinates = 0, holonomic = 0, nonholonomic = 0, one_sided = 0, soft = 0, redundant = 0, driven = 0;
  int independent_nonholonomic = 0;
  int dof = 0, mobility = 0;
  std::vector<RedundantRow> redundant_rows;
  std::vector<std::string> shared_reactions;  // joints, constraints and drives whose reaction is not unique
  std::vector<RowResidual> residuals;         // of the start, all rows
  bool singular = false;                      // more rows are independent at a pose nearby than at the start
  std::vector<std::string> notes;             // begins with file:line:column where it is about one thing
};

Counts count(const Model& model);

}  // namespace tandem
