// evaluate --rows: the rows of a model in the coordinates in use, with names, as the method sees them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tandem/simulate.hpp"

namespace tandem::cli {

//   (1)  J y = b,   M y − Jᵀλ = f,   K = J M⁻¹ Jᵀ
// Columns are in the order of the literature: a body's velocity before its ω; in quaternion rates all positions before
// all quaternions. In these A ẍ = b, of the model's rows alone, is what the first body has minus what the second has.
struct NamedRows {
  NamedRows(const Model& model, Simulation& simulation);

  std::vector<std::string> columns, groups;  // groups: what is printed side by side
  std::vector<std::string> names, all_names;
  std::vector<bool> in_use;
  Eigen::VectorXd speeds, f, b, phi, rate, lambda;
  Eigen::VectorXd multipliers;  // of all rows of the model, those of joints that carry coordinates too
  Eigen::MatrixXd J, M, K;      // K is empty where M is singular
  Eigen::MatrixXd A;            // empty in other coordinates
  Eigen::VectorXd A_b;

  nlohmann::ordered_json json() const;
  void print() const;
};

}  // namespace tandem::cli
