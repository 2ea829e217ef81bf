#include "tandem/integrate/implicit.hpp"

#include <fmt/format.h>

#include "tandem/integrate/flow.hpp"

namespace tandem {

static constexpr const char* no_convergence =
    "the implicit stage does not converge: the step is too long here, or leads into a singular pose; use another one";

const Implicit::Row& Implicit::c() {
  static const Row c{0.0, 0.5, 83.0 / 250, 31.0 / 50, 17.0 / 20, 1.0};
  return c;
}

const std::array<Implicit::Row, Implicit::stages>& Implicit::a() {
  static const std::array<Row, stages> a{
      Row{},
      Row{0.25, gamma},
      Row{8611.0 / 62500, -1743.0 / 31250, gamma},
      Row{5012029.0 / 34652500, -654441.0 / 2922500, 174375.0 / 388108, gamma},
      Row{15267082809.0 / 155376265600, -71443401.0 / 120774400, 730878875.0 / 902184768, 2285395.0 / 8070912, gamma},
      Row{82889.0 / 524892, 0.0, 15625.0 / 83664, 69875.0 / 102672, -2260.0 / 8211, gamma}};
  return a;
}

const Tableau& Implicit::table() {
  static const Tableau tableau = [] {
    Tableau out{.c = {c().begin(), c().end()}, .a = {}, .b = {a().back().begin(), a().back().end()}, .e = {}};
    for (const Row& row : a()) out.a.emplace_back(row.begin(), row.end());
    return out;
  }();
  return tableau;
}

Implicit::Row Implicit::b(double x) {  // (6)
  static const std::array<std::array<double, 4>, stages> terms{
      {{2730611.0 / 1312230, -303504119.0 / 29218988, 1661475152.0 / 109571205, -1468075291.0 / 219142410},
       {1700.0 / 189, -218347.0 / 3507, 1026182.0 / 10521, -1397323.0 / 31563},
       {-409375.0 / 53784, 38609375.0 / 665328, -242271875.0 / 2619729, 2656240625.0 / 62873496},
       {744925.0 / 462024, -27907375.0 / 1905136, 87388925.0 / 3214917, -1038976925.0 / 77158008},
       {-60568.0 / 8211, 23827180.0 / 457079, -114128192.0 / 1371237, 52384088.0 / 1371237},
       {33.0 / 10, -15273.0 / 668, 29916.0 / 835, -26743.0 / 1670}}};
  Row out{};
  for (std::size_t i = 0; i < stages; ++i)
    out[i] = x * (terms[i][0] + x * (terms[i][1] + x * (terms[i][2] + x * terms[i][3])));
  return out;
}

void Implicit::step(System& system, double h, State& state) {
  Flow& flow = system.equations();
  begin(state, h);
  has_factors_ = false;
  evaluations_ = jacobians_ = 0;
  stages_[0] = start_;
  if (memory_.last_rate.size() > 0) {
    k_[0] = memory_.last_rate;
    flow.coordinate_rate(start_, part(k_[0], start_.parts.q));
  } else {
    flow.rate(start_, k_[0]);
    ++evaluations_;
  }
  for (std::size_t i = 1; i < stages; ++i) {
    base_ = start_;
    base_.t = start_.t + c()[i] * h;
    for (std::size_t j = 0; j < i; ++j) base_.x += (h * a()[i][j]) * k_[j];
    solve_stage(flow, i);
  }
  state = stages_.back();  // (2)
  state.t = start_.t + h;
  end(flow, state);
}

void Implicit::accept() { memory_.last_rate = k_.back(); }

void Implicit::place(Flow& flow, State& stage) {
  const auto speeds = stage.v();
  v_.resize(speeds.size());
  for (Eigen::Index k = 0; k < v_.size(); ++k) v_[k] = speeds[k];
  flow.coordinates().solve_positions(flow.model(), base_.q(), h_ * gamma, v_, q_);
  auto q = stage.q();
  for (Eigen::Index k = 0; k < q_.size(); ++k) q[k] = q_[k].value;
}

// The first guess goes on from the start through the last stage: stages stay bounded, rates do not.
void Implicit::solve_stage(Flow& flow, std::size_t i) {
  const double w = h_ * gamma;
  State& stage = stages_[i];
  stage = base_;
  stage.v() = start_.v();
  if (i > 1) stage.v() += c()[i] / c()[i - 1] * (stages_[i - 1].v() - start_.v());
  iterate(flow, stage);
  place(flow, stage);
  flow.rate(stage, k_[i]);
  ++evaluations_;
  part(k_[i], stage.parts.v) = (stage.v() - base_.v()) / w;  // (1)
  const Eigen::Index others = stage.x.size() - stage.parts.v.end();
  stage.x.tail(others) += w * k_[i].tail(others);  // (5)
}

// (4) until what a pass adds is round-off. Of a D that is not of this stage, a pass that leads away is taken back.
void Implicit::iterate(Flow& flow, State& stage) {
  constexpr int most_passes = 40;
  bool fresh = false;   // whether D is that of an iterate of this stage
  double before = 0.0;  // the last change with this D; 0: none yet
  for (int pass = 0; pass < most_passes; ++pass) {
    if (!has_factors_) {
      fresh = true;
      before = 0.0;
    }
    const double change = newton_step(flow, stage, pass);
    const double size =
        1.0 + (stage.v().size() > 0 ? stage.v().cwiseQuotient(flow.v_size()).cwiseAbs().maxCoeff() : 0.0);
    if (!std::isfinite(change)) break;
    if (change <= 1e-15 * size) return;
    const double rate = change / before;
    const bool rated = before > 0.0, slow = rated && rate > 0.3;
    if (rated && !slow && change * rate / (1.0 - rate) <= 1e-15 * size) return;  // the next pass would add round-off
    if (slow && change <= (fresh ? 1e-9 : 1e-13) * size) return;                 // this one did
    if (slow) has_factors_ = false;
    if (slow && !fresh && rate > 1.0) stage.v() -= change_;
    before = change;
  }
  throw NumericalError(no_convergence);
}

// A pass of (4). From a state that Newton led astray a failure says nothing about the model.
double Implicit::newton_step(Flow& flow, State& stage, int pass) {
  if (pass == 0) return newton_step(flow, stage);
  try {
    return newton_step(flow, stage);
  } catch (const NumericalError& error) {
    throw NumericalError(fmt::format("{} (the last pass: {})", no_convergence, error.what()));
  }
}

// The largest change of a speed, in parts of the machine's.
double Implicit::newton_step(Flow& flow, State& stage) {
  const double w = h_ * gamma;
  if (!has_factors_) {
    find_jacobian(flow, base_.q(), w, stage, D_);
    D_ *= -w;
    D_.diagonal().array() += 1.0;
    lu_.compute(D_);
    has_factors_ = true;
  }
  place(flow, stage);
  flow.rate(stage, rate_);
  ++evaluations_;
  rest_ = base_.v() + w * part(rate_, stage.parts.v) - stage.v();
  if (rest_.size() == 0) return 0.0;
  change_.noalias() = lu_.permutationP() * rest_;
  lu_.matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(change_);
  lu_.matrixLU().triangularView<Eigen::Upper>().solveInPlace(change_);
  stage.v() += change_;
  return change_.cwiseQuotient(flow.v_size()).cwiseAbs().maxCoeff();
}

void Implicit::find_jacobian(Flow& flow, VecIn<double> q_base, double w, State& stage, Eigen::MatrixXd& D) {
  const Eigen::Index n = stage.parts.v.size;
  v_.resize(n);
  for (Eigen::Index k = 0; k < n; ++k) v_[k] = stage.v()[k];
  flow.coordinates().solve_positions(flow.model(), q_base, w, v_, q_);
  for (Eigen::Index k = 0; k < q_.size(); ++k) stage.q()[k] = q_[k].value;
  flow.linearise(stage);
  D.resize(n, n);
  for (Eigen::Index k = 0; k < n; ++k) {
    v_[k].derivative = 1.0;
    flow.coordinates().solve_positions(flow.model(), q_base, w, v_, q_);
    flow.rate_along(q_, v_, v_dot_);
    for (Eigen::Index row = 0; row < n; ++row) D(row, k) = v_dot_[row].derivative;
    v_[k].derivative = 0.0;
  }
  ++jacobians_;
}

void Implicit::interpolate(System& system, const State& end, double t, State& out) {
  const double x = (t - start_.t) / h_;
  const Row weights = b(x);
  out = start_;
  out.t = t;
  for (std::size_t i = 0; i < stages; ++i) out.x += (h_ * weights[i]) * k_[i];  // (6)
  const Eigen::Index moved = out.parts.v.end();                                 // by the projection
  out.x.head(moved) += x * (end.x.head(moved) - finish_.x.head(moved));
  system.settle(out);
}

}  // namespace tandem
