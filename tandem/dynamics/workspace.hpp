// Workspace: all that can be recomputed from a State. Each step overwrites it; nothing is allocated after construction.
#pragma once

#include "tandem/dynamics/coordinates.hpp"
#include "tandem/dynamics/row_system.hpp"

namespace tandem {

class Workspace {
 public:
  explicit Workspace(const Model& model, std::string_view cut = "all", std::string_view coordinates = "quasi");

  // bodies → joints → applied forces → rows → problem, at a state that meets its constraints: chooses the rows anew
  void update(const Model& model, const State& state);
  // The same at a state nearby, keeping the rows chosen before
  void refresh(const Model& model, const State& state);
  // From a solution of `problem` at `state` to all bodies and all rows.
  void expand(const Model& model, const State& state, const Solution& in, Solution& out);

  Kinematics<double> kinematics;
  AppliedForces<double> applied;
  Rows<double> rows;
  std::unique_ptr<Coordinates> coordinates;
  GaussProblem problem;
  Eigen::VectorXd q_size, v_size;  // of the coordinates and speeds of a state: model/scale.hpp; speeds per its time
  bool with_mass = true;  // whether problem holds M; a method that never looks at M on the reduced cut may do without

 private:
  RowSystem system_;
};

// Of the velocities of all bodies, as displacements (model/scale.hpp): the length of the island, or a radian.
Eigen::VectorXd motion_sizes(const Model& model);

double kinetic_energy(const Model& model, const Kinematics<double>& kinematics);

// J of all rows over the velocities of all bodies, dense: what is said about redundancy does not depend on the cut.
Eigen::MatrixXd dense_rows(const Model& model, const Rows<double>& rows);

}  // namespace tandem
