// Inputs and outputs of a linearisation.
//
//   inputs:   an effort along a coordinate (the row w with rate = w·v:  force = wᵀ u), or the acceleration of a drive
//   outputs:  the model's own, as functions of state, accelerations and multipliers, by duals
#pragma once

#include "tandem/analysis/reactions.hpp"
#include "tandem/methods/response.hpp"

namespace tandem {

class LinearInputs {
 public:
  // Throws ModelError for names that are neither a coordinate nor a drive.
  LinearInputs(const Model& model, const std::vector<std::string>& names);
  std::string unit(std::size_t input) const;
  // M y′ − Jᵀ λ′ = force, J y′ = rows for one unit of it.
  void right_sides(std::size_t input, const Workspace& at, Eigen::VectorXd& force, Eigen::VectorXd& rows) const;

 private:
  struct Input {
    std::optional<ModelStart> coordinate{};
    int drive = -1;
  };
  const Model& model_;
  std::vector<Input> inputs_;
};

// The named outputs; all that can be differentiated when none are named. Throws ModelError for unknown names.
std::vector<ModelOutput> linear_outputs(const Model& model, const std::vector<std::string>& names);

class OutputTangent {
 public:
  // All along one direction; `at` and `change`: accelerations and multipliers, and how they change along it.
  OutputTangent(const Model& model, const Tangent& tangent, const Solution& at, const Solution& change);
  double change(const ModelOutput& output) const;

 private:
  using D = Dual<double>;
  const Model& model_;
  const Tangent& tangent_;
  VecX<D> y_, lambda_;
};

}  // namespace tandem
