#include "tandem/integrate/herk.hpp"

#include <array>
#include <cmath>

#include "tandem/integrate/flow.hpp"

namespace tandem {

namespace {

constexpr int stages = 5;
using Row = std::array<double, stages>;

struct Table {
  std::array<double, stages + 1> c;  // the end of the step is the last
  std::array<Row, stages + 1> a;     // b is the last
};

const Table& table() {
  static const Table hem4 = [] {
    const double r = std::sqrt(6.0);
    return Table{{0.0, 0.3, (4.0 - r) / 10.0, (4.0 + r) / 10.0, 1.0, 1.0},
                 {Row{}, Row{0.3}, Row{(1.0 + r) / 30.0, (11.0 - 4.0 * r) / 30.0},
                  Row{(-79.0 - 31.0 * r) / 150.0, (-1.0 - 4.0 * r) / 30.0, (24.0 + 11.0 * r) / 25.0},
                  Row{(14.0 + 5.0 * r) / 6.0, (-8.0 + 7.0 * r) / 6.0, (-9.0 - 7.0 * r) / 4.0, (9.0 - r) / 4.0},
                  Row{0.0, 0.0, (16.0 - r) / 36.0, (16.0 + r) / 36.0, 1.0 / 9.0}}};
  }();
  return hem4;
}

}  // namespace

void HalfExplicit::step(System& system, double h, State& state) {
  Flow& flow = system.equations();
  begin(state, h);
  k_.resize(stages);
  stage_ = start_;
  const Segment q = start_.parts.q;
  const Eigen::Index others = start_.x.size() - q.size;  // v, and what else is in x
  for (std::size_t i = 0; i < stages; ++i) {
    k_[i].resize(start_.x.size());
    flow.coordinate_rate(stage_, part(k_[i], q));
    next_ = start_;
    next_.t = start_.t + table().c[i + 1] * h;
    const Row& a = table().a[i + 1];
    for (std::size_t j = 0; j < i; ++j) next_.x += (h * a[j]) * k_[j];  // (1)
    next_.q() += (h * a[i]) * part(k_[i], q);
    flow.half_explicit_rate(stage_, next_, h * a[i], k_[i]);  // (2)
    next_.x.tail(others) += (h * a[i]) * k_[i].tail(others);
    std::swap(stage_, next_);
  }
  knows_first_ = false;  // k₁ belongs to the rows of the next stage
  state = stage_;
  state.t = start_.t + h;
  end(flow, state);
}

}  // namespace tandem
