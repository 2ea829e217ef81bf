#include "tandem/baumgarte.hpp"

#include <fmt/format.h>

#include "tandem/base/elementary.hpp"
#include "tandem/base/larger.hpp"
#include "tandem/integrate/runge_kutta.hpp"
#include "tandem/simulate.hpp"

namespace tandem {

namespace {

// Of all rows, where the coarse run took a step.
struct RowErrors {
  double h = 0.0;
  Eigen::VectorXd phi, rate;  // D of (3), in parts of the sizes of the rows
  Eigen::VectorXd b;
};

class BaumgarteRule {
 public:
  BaumgarteRule(const Model& model, const Setup& setup, const StartOptions& options)
      : model_(model),
        without_(setup),
        info_(find_integrator(setup.integrator)),
        options_(options),
        table_(tableau_of(setup.integrator)),
        stage_(stage_error(*table_, info_.order)) {
    without_.stabilisation = Stabilisation::none;
  }

  double find() {
    measure();
    if (moments_.size() < 3) return 1.0 / model_.scale.time;
    double shortest = std::numeric_limits<double>::infinity(), all = 0.0;
    for (const RowErrors& at : moments_) {
      shortest = std::min(shortest, at.h);
      keep_larger(longest_, at.h);
      all += at.h;
    }
    constexpr double finer = 1.1, fastest = 1.0, near = 1.1;
    std::vector<double> rates, errors;
    double least = std::numeric_limits<double>::infinity();
    for (double r = 1.0 / all; r < fastest / shortest; r *= finer) {
      rates.push_back(r);
      errors.push_back(largest_error(r));
      least = std::min(least, errors.back());
    }
    for (std::size_t i = 0; i < rates.size() && least > 0.0; ++i)
      if (errors[i] <= near * least) return rates[i];  // (4)
    return 1.0 / model_.scale.time;                    // nothing moves
  }

 private:
  // The coarse run: as many digits as tell how fast things change.
  void measure() {
    constexpr double coarse = 1e-5, share = 0.5;
    constexpr std::size_t most = 500;
    Setup setup = without_;
    setup.stabilisation = Stabilisation::projection;
    setup.integrator = IntegratorName::dopri5;
    setup.tolerance = coarse;
    Simulation machine(model_, setup, options_);
    Workspace workspace(model_, setup.cut, setup.coordinates);
    StepMemory memory;
    const std::unique_ptr<Method> method = find_method(setup.method).make(memory);
    workspace.with_mass = method->needs_mass();
    Flow flow(model_, without_, workspace, *method);
    const std::unique_ptr<Integrator> integrator = info_.make(memory);
    const double end = machine.state().t + setup.duration;
    try {
      while (machine.state().t < end && moments_.size() < most) {
        State state = machine.state();
        machine.advance(end);
        const double h = machine.state().t - state.t;
        if (!(h > 0.0)) continue;
        workspace.update(model_, state);
        RowErrors at{.h = h, .phi = {}, .rate = {}, .b = in_parts(workspace.problem, workspace.problem.b)};
        integrator->forget();
        integrator->step(flow, share * h, state);
        workspace.refresh(model_, state);
        const double unit = pow(share * h, info_.order + 1);
        at.phi = in_parts(workspace.problem, workspace.problem.phi) / unit;
        at.rate = in_parts(workspace.problem, workspace.problem.rate) / unit;
        note_kinds(workspace.problem);
        moments_.push_back(std::move(at));
      }
    } catch (const NumericalError&) {  // what there is until then has to do
    }
  }

  static Eigen::VectorXd in_parts(const GaussProblem& problem, const Eigen::VectorXd& of_rows) {
    return of_rows.cwiseQuotient(problem.row_size);
  }

  void note_kinds(const GaussProblem& problem) {
    if (!holonomic_.empty()) return;
    for (const GaussProblem::Block& block : problem.blocks)
      for (int i = 0; i < block.rows; ++i) {
        holonomic_.push_back(i < block.holonomic);
        any_holonomic_ = any_holonomic_ || i < block.holonomic;
      }
  }

  // c⁽ᵏ⁾ of a row at a moment, from the k − 2 first differences of b.
  double derivative(std::size_t moment, Eigen::Index row, int k) const {
    moment = std::min(moment, moments_.size() - static_cast<std::size_t>(k - 1));
    const auto slope = [&](std::size_t i) { return (moments_[i + 1].b[row] - moments_[i].b[row]) / moments_[i].h; };
    if (k == 2) return moments_[moment].b[row];
    if (k == 3) return slope(moment);
    return (slope(moment + 1) - slope(moment)) / (0.5 * (moments_[moment].h + moments_[moment + 1].h));
  }

  double largest_error(double r) const {
    double largest = 0.0;
    for (std::size_t row = 0; row < holonomic_.size(); ++row) {
      const auto i = static_cast<Eigen::Index>(row);
      if (holonomic_[row])
        keep_larger(largest, largest_gap(r, i));
      else if (!any_holonomic_)
        keep_larger(largest, largest_slip(r, i));
    }
    return largest;
  }

  // h^p of (3): the same everywhere, or as error control has it.
  double weight(const RowErrors& at) const { return info_.adaptive ? pow(at.h / longest_, info_.order) : 1.0; }

  double largest_gap(double r, Eigen::Index row) const {
    double phi = 0.0, rate = 0.0, largest = 0.0;
    for (std::size_t i = 0; i < moments_.size(); ++i) {
      const RowErrors& at = moments_[i];
      const int k = stage_.derivative;
      double off = derivative(i, row, k), off_rate = derivative(i, row, k + 1);
      for (int n = 0; n < info_.order + 1 - k; ++n)
        off = std::exchange(off_rate, -r * r * off - 2.0 * r * off_rate);  // A
      const double d = weight(at) * (at.phi[row] - stage_.weight * off);
      const double d_rate = weight(at) * (at.rate[row] - stage_.weight * off_rate);  // (3)
      const double phi_end = (d_rate + 2.0 * r * d) / (r * r), rate_end = -d;
      const double x = r * at.h, left = exp(-x), y = phi - phi_end, y_rate = rate - rate_end;
      phi = phi_end + left * ((1.0 + x) * y + at.h * y_rate);  // (2)
      rate = rate_end + left * ((1.0 - x) * y_rate - r * x * y);
      keep_larger(largest, std::abs(phi));
    }
    return largest;
  }

  // The same of a speed row, with ċ = b and −2r for A.
  double largest_slip(double r, Eigen::Index row) const {
    double slip = 0.0, largest = 0.0;
    for (std::size_t i = 0; i < moments_.size(); ++i) {
      const RowErrors& at = moments_[i];
      const int k = stage_.derivative;
      const double off = pow(-2.0 * r, info_.order + 1 - k) * derivative(i, row, k + 1);
      const double end = weight(at) * (at.rate[row] - stage_.weight * off) / (2.0 * r);
      slip = end + exp(-2.0 * r * at.h) * (slip - end);
      keep_larger(largest, std::abs(slip));
    }
    return largest;
  }

  const Model& model_;
  Setup without_;
  const IntegratorInfo& info_;
  const StartOptions& options_;
  const Tableau* table_;
  StageError stage_;
  std::vector<RowErrors> moments_;
  std::vector<bool> holonomic_;
  bool any_holonomic_ = false;
  double longest_ = 0.0;
};

}  // namespace

static bool has_speed_rows(const Model& model) {
  return std::any_of(model.blocks.begin(), model.blocks.end(),
                     [](const RowBlockInfo& block) { return block.holonomic < block.rows; });
}

Setup with_baumgarte(const Model& model, Setup setup, const StartOptions& options) {
  if (!setup.has_baumgarte()) return setup;  // impulses has its own
  if (setup.alpha && !setup.beta) setup.beta = *setup.alpha * *setup.alpha / 4.0;
  if (setup.beta && !setup.alpha) setup.alpha = 2.0 * std::sqrt(*setup.beta);
  if (setup.alpha) return setup;
  setup.chosen_constants = true;
  const IntegratorInfo& info = find_integrator(setup.integrator);
  const double h = std::min({setup.step, setup.max_step, setup.duration});
  if (info.id == IntegratorName::semi_implicit_euler) {  // (5)
    setup.alpha = 1.0 / h;
    setup.beta = 1.0 / (h * h);
    return setup;
  }
  const double furthest = info.adaptive || info.id == IntegratorName::implicit
                              ? std::numeric_limits<double>::infinity()
                              : steepest_decay(*tableau_of(info.id)) / (has_speed_rows(model) ? 2.0 * h : h);
  const double r = info.order == 1 ? furthest : std::min(furthest, BaumgarteRule(model, setup, options).find());
  setup.alpha = 2.0 * r;
  setup.beta = r * r;
  return setup;
}

std::string stabilisation_text(const Setup& resolved) {
  std::string name(resolved.stabilisation.word());
  if (!resolved.has_baumgarte() || !resolved.alpha) return name;
  return fmt::format("{}, alpha = {:.4g}, beta = {:.4g}{}", name, *resolved.alpha, *resolved.beta,
                     resolved.chosen_constants ? " (chosen)" : "");
}

}  // namespace tandem
