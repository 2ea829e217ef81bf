// Workspace: all that can be recomputed from a State. Each step overwrites it; nothing is allocated after construction.
#pragma once

#include "tandem/dynamics/coordinates.hpp"
#include "tandem/dynamics/row_system.hpp"

namespace tandem {

class Workspace {
 public:
  explicit Workspace(const Model& model, Choice<Cut> of_cut = Cut::all,
                     Choice<CoordinatesName> of_coordinates = CoordinatesName::quasi);
  // Whether the state is that of the bodies themselves: the maximal cut in quasi-velocities.
  bool holds_bodies() const { return cut == Cut::all && coordinates_name == CoordinatesName::quasi; }

  // bodies → joints → applied forces → rows → problem, at a state that meets its constraints: chooses the rows anew
  void update(const Model& model, const State& state);
  // The same at the end of a step: keeps the rows while they are independent beyond doubt and as many as ever, and
  // chooses them anew where a pivot is small or rows had to be left out that once counted.
  void follow(const Model& model, const State& state);
  // The same at a state nearby, keeping the rows chosen before
  void refresh(const Model& model, const State& state);
  // The same, unless it holds that state already. Angles are not looked at: of a motion they are a function of it.
  void bring(const Model& model, const State& state);
  bool holds(const State& state) const;  // and nothing else was made of it since
  // Of its coordinates and speeds.
  Eigen::Map<const Eigen::VectorXd> q_size() const { return part(layout.error_scale, layout.q); }
  Eigen::Map<const Eigen::VectorXd> v_size() const { return part(layout.error_scale, layout.v); }
  // The bodies alone, where the rest is left for later; and whatever else makes it hold no state: other right sides.
  void place_bodies(const Model& model, const State& state);
  void forget() { holds_ = false; }
  // The choice alone, where the workspace stands.
  void choose_rows();
  // From a solution of `problem` at `state` to all bodies and all rows.
  void expand(const Model& model, const State& state, const Solution& in, Solution& out);

  // At the last update() or follow(): what is left of the row that the others most nearly make up, squared, of rows
  // that were independent before; 1 without rows.
  double smallest_pivot() const { return smallest_pivot_; }
  // The same at any state, which is then that of the workspace; what smallest_pivot() tells stays.
  double pivot_at(const Model& model, const State& state);

  Cut cut;
  CoordinatesName coordinates_name;  // on the cut all
  Kinematics<double> kinematics;
  AppliedForces<double> applied;
  Rows<double> rows;
  std::unique_ptr<Coordinates> coordinates;
  Layout layout;  // of a state
  GaussProblem problem;
  bool with_mass = true;  // whether problem holds M; a method that never looks at M on the reduced cut may do without
  std::vector<NearRow> near_rows;  // of the last choice, as rows of the problem
  std::size_t most_rows = 0;       // that were ever independent

 private:
  bool find_pivot();  // of the rows in use; false when they depend on each other

  bool holds_ = false, holds_mass_ = false;
  double held_t_ = 0.0;
  Eigen::VectorXd held_q_, held_v_;

  RowSystem system_;
  double smallest_pivot_ = 1.0;
};

// At which rows of `problem` depend on others: a state that is off its constraints blurs dependence by as much.
double rank_tolerance(const GaussProblem& problem);

// Of the velocities of all bodies, as displacements (model/scale.hpp): the length of the island, or a radian.
Eigen::VectorXd motion_sizes(const Model& model);

double kinetic_energy(const Model& model, std::span<const BodyMotion<double>> bodies);

// J of all rows over the velocities of all bodies, dense: what is said about redundancy does not depend on the cut.
// With `in_units`, velocities are those of GaussProblem::unit: for questions of rank.
Eigen::MatrixXd dense_rows(const Model& model, const Rows<double>& rows, bool in_units = false);

}  // namespace tandem
