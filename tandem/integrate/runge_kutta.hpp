// Explicit Runge-Kutta methods, one table each (euler, rk4, dopri5, dop853).
//
//   (1)  x_i = x₀ + h Σ_{j<i} a_ij k_j,   k_i = ẋ(t₀ + c_i h, x_i)
//   (2)  x₁ = x₀ + h Σ b_i k_i
//   (3)  error = h Σ e_i k_i, where a table has e; its last entry may belong to k_{s+1} = ẋ(x₁)
//   (4)  on ẋ = μ x a step multiplies x by R(h μ); it is stable where |R| ≤ 1
//   (5)  where x follows c(t), stage i is off by h^k c⁽ᵏ⁾ (c_i^k/k! − Σ a_ij c_j^(k−1)/(k−1)!), k one above the order
//   that
//        all stages have; what pulls it back, ẋ = … + A (x − c), leaves −h^(p+1) e A^(p+1−k) c⁽ᵏ⁾ in a step of order p,
//        e = bᵀ a^(p−k) times these
#pragma once

#include <complex>

#include "tandem/integrate/integrator.hpp"

namespace tandem {

struct Tableau {
  std::vector<double> c;
  std::vector<std::vector<double>> a;  // rows of a, each as long as it has entries
  std::vector<double> b;
  std::vector<std::vector<double>> e;  // none, one or two estimates
  std::size_t stages() const { return b.size(); }
};

std::complex<double> amplification(const Tableau& tableau, std::complex<double> z);  // (4), z = h × eigenvalue
double steepest_decay(const Tableau& tableau);                                       // s > 0 with the least |R(−s)|
struct StageError {
  int derivative = 2;   // k of (5)
  double weight = 0.0;  // e; 0 where no stage is off, as in order one
};
StageError stage_error(const Tableau& tableau, int order);

class RungeKutta : public Integrator {
 public:
  explicit RungeKutta(const Tableau& tableau);
  void step(System& system, double h, State& state) override;
  double error(double tolerance) override;
  Gap widest_gap() const override { return widest_gap_; }

 protected:
  // How two estimates become one, where a table has two.
  virtual double combine(double first, double /*second*/) const { return first; }
  // k_i of a stage given by a row of a.
  void stage(System& system, double c, const std::vector<double>& a, Eigen::VectorXd& k);

  const Tableau& tableau_;
  std::vector<Eigen::VectorXd> k_;  // may be longer than the table: stages of dense output
  State stage_;
  void sum(const std::vector<double>& w);

 private:
  Eigen::VectorXd sum_;
  Gap widest_gap_;
};

}  // namespace tandem
