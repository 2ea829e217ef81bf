// A model's equations put together densely, by no method of the library: what the laws of rows are tested with.
//
//   M y − Jᵀ λ = f,   J y = b
#pragma once

#include "support/numbers.hpp"
#include "tandem/dynamics/state.hpp"
#include "tandem/model/builder.hpp"

namespace tandem::test {

template <class S> struct Equations {
  VecX<S> phi, phi_t, b, f;
  MatX<S> J;
};

template <class S> Equations<S> equations(const Model& model, const S& t, VecIn<S> q, VecIn<S> v, VecIn<double> angles);
extern template Equations<double> equations(const Model&, const double&, VecIn<double>, VecIn<double>, VecIn<double>);
extern template Equations<D> equations(const Model&, const D&, VecIn<D>, VecIn<D>, VecIn<double>);

Equations<double> equations(const Model& model, const State& state);
// The equations carried along q̇ = N(q) v and ṫ = 1 with v held: their derivative part is d/dt.
Equations<D> equations_along(const Model& model, const State& state);

Eigen::MatrixXd mass_matrix(const Model& model);
Eigen::VectorXd acceleration(const Model& model, const State& state);

// A body that is not symmetric in any way. Its frame is placed at `X_WB`.
inline BodyDescription general_body(const std::string& name, Random& random, const Pose<double>& X_WB) {
  return {.name = name,
          .mass = random.number(1.0, 3.0),
          .center = random.vec3<double>(0.3),
          .inertia = std::array{1.0 + random.number(0.0, 0.2), 1.2, 1.1, 0.1, -0.15, random.number(0.05, 0.2)},
          .position = X_WB.p,
          .rotation = X_WB.R,
          .velocity = random.vec3<double>(1.5),
          .angular_velocity = random.vec3<double>(1.5)};
}
inline Pose<double> random_pose(Random& random) { return {random.rotation<double>(), random.vec3<double>()}; }
inline FramePlacement placement_of(const Pose<double>& X_BF) {
  return {.name = "", .position = X_BF.p, .rotation = X_BF.R};
}

// The velocity of the second body that makes F see M move with the twist `V_FM`.
void set_relative_velocity(const Model& model, const BodyFrame& first, const BodyFrame& second,
                           const Vec6<double>& V_FM, State& state);

}  // namespace tandem::test
