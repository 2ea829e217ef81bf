// Inputs of a linearisation: an effort along a coordinate (the row w with rate = w·v:  force = wᵀ u), the acceleration
// of a drive, or one of [parameters] (parameter_change.hpp). Outputs are in output_tangent.hpp.
#pragma once

#include "tandem/linearize/output_tangent.hpp"
#include "tandem/steady/response.hpp"

namespace tandem {

class LinearInputs {
 public:
  // Throws ModelError for names that are neither a drive, a coordinate nor a parameter; they are tried in this order.
  LinearInputs(const Model& model, const std::vector<std::string>& names);
  std::string unit(std::size_t input) const;
  bool is_parameter(std::size_t input) const { return inputs_[input].parameter; }
  // Of an effort or a drive: M y′ − Jᵀ λ′ = force, J y′ = rows for one unit of it.
  void right_sides(std::size_t input, const Workspace& at, Eigen::VectorXd& force, Eigen::VectorXd& rows) const;

 private:
  struct Input {
    std::optional<ModelStart> coordinate{};
    int drive = -1;
    bool parameter = false;
    std::string unit{};
  };
  Input find(const std::string& name, Faults& faults) const;

  const Model& model_;
  std::vector<Input> inputs_;
};

}  // namespace tandem
