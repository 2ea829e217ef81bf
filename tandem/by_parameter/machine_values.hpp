// All that the equations of motion are made of at one state, as doubles in a row: to see that two readings of a model
// are the same machine.
#pragma once

#include "tandem/dynamics/applied.hpp"
#include "tandem/dynamics/rows.hpp"

namespace tandem {

template <class S>
Eigen::VectorXd machine_values(const Model& model, const AppliedForces<S>& applied, const Rows<S>& rows) {
  std::vector<double> all;
  const auto add = [&](const auto& matrix) {
    for (const auto& entry : matrix.reshaped()) all.push_back(value_of(entry));
  };
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    all.push_back(value_of(model.bodies[i].mass));
    add(model.bodies[i].inertia);
    add(applied.on_body(i));
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    add(rows.block(i).J);
    for (const VecX<S>* each : {&rows.block(i).phi, &rows.block(i).phi_t, &rows.block(i).b}) add(*each);
  }
  return Eigen::Map<const Eigen::VectorXd>(all.data(), static_cast<Eigen::Index>(all.size()));
}

}  // namespace tandem
