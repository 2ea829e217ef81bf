// Response: how accelerations and multipliers answer to a change, by a method, cut and coordinates.
//
//   (1)  at a state:   M y − Jᵀ λ = f,        J y = b
//   (2)  along a direction of the state, by dynamics/tangent.hpp:   M y′ − Jᵀ λ′ = force′,   J y′ = rows′
// The same matrices with other right sides, so what solves (1) solves (2). Bodies and rows are all of the model's.
#pragma once

#include "tandem/choose.hpp"
#include "tandem/dynamics/tangent.hpp"

namespace tandem {

class Response {
 public:
  // The model must outlive it. Throws ModelError with the obstacles of the method; impulses has no accelerations.
  Response(const Model& model, const Setup& asked);
  explicit Response(const Model& model) : Response(model, model.setup) {}
  Response(const Response&) = delete;
  Response& operator=(const Response&) = delete;

  // (1) at a state on the maximal cut that meets its constraints.
  void place(const State& bodies);
  const State& bodies() const { return bodies_; }
  const Solution& solution() const { return solution_; }
  const Workspace& workspace() const { return workspace_; }

  // (2). The directions must stay on the constraints.
  const Solution& to(const Direction& along);
  // With right sides of a change that goes along with the direction, such as that of a parameter.
  const Solution& to(const Direction& along, const Eigen::VectorXd& more_force, const Eigen::VectorXd& more_rows);
  const Solution& to(const Eigen::VectorXd& force, const Eigen::VectorXd& rows);
  // With its derivatives along the direction of the last to(Direction, …).
  const Tangent& tangent() const { return tangent_; }

 private:
  const Model& model_;
  Setup setup_;
  StepMemory memory_;
  std::unique_ptr<Method> method_;
  Workspace workspace_;
  Tangent tangent_;
  State bodies_, state_;
  Solution reduced_, solution_, change_, reduced_change_;
  Eigen::VectorXd force_, rows_;
};

}  // namespace tandem
