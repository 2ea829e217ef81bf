#include "tandem/integrate/runge_kutta.hpp"

#include <algorithm>

#include "tandem/base/elementary.hpp"

namespace tandem {

std::complex<double> amplification(const Tableau& tableau, std::complex<double> z) {
  std::vector<std::complex<double>> k;
  std::complex<double> end = 1.0;
  for (std::size_t i = 0; i < tableau.stages(); ++i) {
    std::complex<double> x = 1.0;
    for (std::size_t j = 0; j < i && j < tableau.a[i].size(); ++j) x += tableau.a[i][j] * k[j];
    k.push_back(z * x);
    end += tableau.b[i] * k[i];
  }
  return end;
}

double steepest_decay(const Tableau& tableau) {
  constexpr int fine = 1000, furthest = 8;
  double least = 1.0, best = 0.0;
  for (int i = 1; i <= fine * furthest; ++i) {
    const double s = static_cast<double>(i) / fine, left = std::abs(amplification(tableau, -s));
    if (left < least) {
      least = left;
      best = s;
    }
  }
  return best;
}

StageError stage_error(const Tableau& tableau, int order) {  // (5)
  const std::size_t stages = tableau.stages();
  double factorial = 1.0;
  for (int k = 2; k <= order; ++k) {
    factorial *= k;
    std::vector<double> off(stages);
    double most = 0.0;
    for (std::size_t i = 0; i < stages; ++i) {
      off[i] = pow(tableau.c[i], k) / factorial;
      for (std::size_t j = 0; j < std::min(stages, tableau.a[i].size()); ++j)
        off[i] -= tableau.a[i][j] * pow(tableau.c[j], k - 1) * k / factorial;
      most = std::max(most, std::abs(off[i]));
    }
    if (most < 1e-12) continue;
    for (int n = 0; n < order - k; ++n) {
      const std::vector<double> before = off;
      for (std::size_t i = 0; i < stages; ++i) {
        off[i] = 0.0;
        for (std::size_t j = 0; j < std::min(stages, tableau.a[i].size()); ++j) off[i] += tableau.a[i][j] * before[j];
      }
    }
    StageError error{.derivative = k};
    for (std::size_t i = 0; i < stages; ++i) error.weight += tableau.b[i] * off[i];
    return error;
  }
  return {};
}

RungeKutta::RungeKutta(const Tableau& tableau) : tableau_(tableau) {
  k_.resize(std::max(tableau.c.size(), tableau.stages() + 1));
  std::vector<double> moments = tableau.c;
  moments.push_back(1.0);
  std::sort(moments.begin(), moments.end());
  widest_gap_ = {0.0, 0.0};
  for (std::size_t i = 1; i < moments.size(); ++i)
    if (moments[i] - moments[i - 1] > widest_gap_.to - widest_gap_.from) widest_gap_ = {moments[i - 1], moments[i]};
}

void RungeKutta::stage(System& system, double c, const std::vector<double>& a, Eigen::VectorXd& k) {
  const auto is_used = [](double weight) { return weight != 0.0; };
  const auto used = std::count_if(a.begin(), a.end(), is_used);
  if (used == 0 && c == 0.0) return system.rate(start_, k);
  stage_.t = start_.t + c * h_;
  if (used == 1) {  // rk4: no sum to be made
    const auto i = static_cast<std::size_t>(std::find_if(a.begin(), a.end(), is_used) - a.begin());
    stage_.x = start_.x + (h_ * a[i]) * k_[i];
  } else {
    sum(a);
    stage_.x = start_.x + h_ * sum_;
  }
  system.rate(stage_, k);  // (1)
}

// Σ w_i k_i. Added to the state at once: the parts would each lose their own last digit.
void RungeKutta::sum(const std::vector<double>& w) {
  bool any = false;
  for (std::size_t i = 0; i < w.size(); ++i) {
    if (w[i] == 0.0) continue;
    if (any)
      sum_ += w[i] * k_[i];
    else
      sum_ = w[i] * k_[i];
    any = true;
  }
  if (!any) sum_.setZero(start_.x.size());
}

void RungeKutta::step(System& system, double h, State& state) {
  begin(state, h);
  stage_.d = start_.d;
  stage_.parts = start_.parts;
  const std::size_t stages = tableau_.stages();
  for (std::size_t i = 0; i < stages; ++i) stage(system, tableau_.c[i], tableau_.a[i], k_[i]);
  first_ = k_[0];
  sum(tableau_.b);
  state.x += h * sum_;  // (2)
  state.t = start_.t + h;
  const bool wants_end_rate = !tableau_.e.empty() && tableau_.e[0].size() > stages;
  if (wants_end_rate) stage(system, 1.0, tableau_.b, k_[stages]);
  end(system, state);
}

double RungeKutta::error(double tolerance) {  // (3)
  double sizes[2] = {0.0, 0.0};
  for (std::size_t which = 0; which < tableau_.e.size(); ++which) {
    sum(tableau_.e[which]);
    sum_ *= h_;
    sizes[which] = scaled(tolerance, sum_);
  }
  return combine(sizes[0], sizes[1]);
}

}  // namespace tandem
