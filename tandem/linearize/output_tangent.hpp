// Outputs of a linearisation: the model's own, as functions of state, accelerations and multipliers, with their
// derivatives.
#pragma once

#include "tandem/dynamics/tangent.hpp"

namespace tandem {

// The named outputs; all that can be differentiated when none are named. Throws ModelError for unknown names.
std::vector<ModelOutput> linear_outputs(const Model& model, const std::vector<std::string>& names);

class OutputTangent {
 public:
  using D = Tangential;

  // All along one direction: the tangent, and the accelerations and multipliers with their change along it.
  OutputTangent(const Model& model, const Tangent& tangent, VecX<D> y, VecX<D> lambda);
  double change(const ModelOutput& output) const;

 private:
  const Model& model_;
  const Tangent& tangent_;
  VecX<D> y_, lambda_;
};

}  // namespace tandem
