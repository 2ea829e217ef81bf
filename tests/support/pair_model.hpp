// Every joint and pair constraint between two general bodies (or the world and one), placed by general frames.
#pragma once

#include <ostream>
#include <variant>

#include "support/mechanism.hpp"
#include "support/samples.hpp"

namespace tandem::test {

// A joint or a constraint of the library's lists, as a value.
struct PairCase {
  std::string type;
  std::variant<Joint, Constraint> what;
  bool symmetric = false;  // says the same with first and second exchanged, frames with them
  int rows = 0, holonomic = 0;

  // φ and the rows Tᵀ V + φ_t with one more derivative than the kernels of the library have.
  std::function<void(const Relative<Dual<D>>&, const Dual<D>&, PairRows<Dual<D>>&)> nested;
  // A motion at which the laws hold exactly: anywhere, except for point_on_curve.
  std::function<Relative<double>(Random&)> motion;
  // A motion on the manifold (joints only).
  std::function<Relative<double>(Random&)> allowed;

  const Joint* joint() const { return std::get_if<Joint>(&what); }
  void rows_of(const Relative<D>& x, const D& t, PairRows<D>& out) const {
    if (joint())
      joint()->on<D>().forbid(x, out);
    else
      std::get<Constraint>(what).on<D>().rows(x, t, out);
  }
};
inline std::ostream& operator<<(std::ostream& out, const PairCase& pair) { return out << pair.type; }

const std::vector<PairCase>& all_pairs();

struct PairName {
  std::string operator()(const testing::TestParamInfo<PairCase>& info) const { return info.param.type; }
};

enum class First { world, body };

struct PairModel {
  Model model;
  State state;
  BodyFrame first, second;  // F and M
};

// The pair at the relative pose and twist `x`. With `swapped` the two bodies and their frames change places in the
// description; the motion stays the same.
PairModel pair_model(const PairCase& pair, First first_body, const Relative<double>& x, unsigned seed_number,
                     bool swapped = false);

// The laws of rows by duals, for every block of any model:  φ̇ = J v + φ_t on holonomic rows, J = ∂φ̇/∂v there,
// b = −d/dt (J v + φ_t), and duals have the doubles as their values.
void check_rows_by_duals(const Model& model, const State& state, double tolerance);

// Every row of every block of a closed system (no world) pushes with no total force and no total torque.
void check_momentum_balance(const Model& model, const State& state, double tolerance);

}  // namespace tandem::test
