// Integrators on a vector x = (q | v | z | work) whose z is not empty, as states of force laws will make it.
#include <gtest/gtest.h>

#include <cmath>

#include "support/example_model.hpp"
#include "tandem/integrate/flow.hpp"
#include "tandem/integrate/integrator.hpp"

namespace tandem {
namespace {

// q̇ = v, v̇ = z − q, ż = −2 z, and the power z of forces:
//   z = e^(−2t),  q = z/5 + (4 cos t + 2 sin t)/5,  work = (1 − z)/2
class Filtered final : public System {
 public:
  Filtered() : layout_(Segments(1, 1, 0, 1)) {}
  void rate(const State& stage, Eigen::VectorXd& x_dot) override {
    const double q = stage.q()[0], v = stage.v()[0], z = stage.z()[0];
    x_dot.resize(layout_.x_size());
    x_dot.head<3>() << v, z - q, -2.0 * z;
    layout_.write_work({.forces = z}, x_dot);
  }
  void coordinate_rate(const State& state, VecOut<double> q_dot) override { q_dot = state.v(); }
  double settle(State&) override { return 0.0; }
  const Layout& layout() const override { return layout_; }
  Flow& equations() override { return plain_; }

  static State exact(double t) {
    State state{Segments(1, 1, 0, 1)};
    state.t = t;
    const double z = std::exp(-2.0 * t);
    state.x.head<3>() << (z + 4.0 * std::cos(t) + 2.0 * std::sin(t)) / 5.0,
        (-2.0 * z - 4.0 * std::sin(t) + 2.0 * std::cos(t)) / 5.0, z;
    state.add_work(1.0, {.forces = 0.5 * (1.0 - z)});
    return state;
  }
  Layout layout_;

 private:
  Model model_ = example_model("top");
  StepMemory memory_;
  std::unique_ptr<Method> method_ = find_method(MethodName::lagrange).make(memory_);
  Workspace workspace_{model_};
  Flow plain_{model_, model_.setup, workspace_, *method_};
};

constexpr IntegratorName on_any_vector[] = {IntegratorName::euler, IntegratorName::semi_implicit_euler,
                                            IntegratorName::rk4, IntegratorName::dopri5, IntegratorName::dop853};

double error_at_one(const IntegratorInfo& info, int steps) {
  Filtered system;
  StepMemory memory;
  const std::unique_ptr<Integrator> integrator = info.make(memory);
  State state = Filtered::exact(0.0);
  for (int i = 0; i < steps; ++i) integrator->step(system, 1.0 / steps, state);
  return (state.x - Filtered::exact(1.0).x).cwiseAbs().maxCoeff();
}

TEST(IntegratorsOnAVector, KeepTheirOrderInAllOfIt) {
  for (const IntegratorName name : on_any_vector) {
    const IntegratorInfo& info = find_integrator(name);
    const int steps = info.order == 1 ? 400 : info.order == 8 ? 4 : 16;
    const double order = std::log2(error_at_one(info, steps) / error_at_one(info, 2 * steps));
    EXPECT_NEAR(order, info.order, info.order == 8 ? 1.0 : 0.3) << info.name;
  }
}

TEST(IntegratorsOnAVector, InterpolateAllOfIt) {
  for (const auto& [name, allowed] : {std::pair{IntegratorName::rk4, 1e-5}, {IntegratorName::dop853, 1e-10}}) {
    Filtered system;
    StepMemory memory;
    const std::unique_ptr<Integrator> integrator = find_integrator(name).make(memory);
    State end = Filtered::exact(0.0), between;
    integrator->step(system, 0.1, end);
    integrator->interpolate(system, end, 0.04, between);
    EXPECT_EQ(between.t, 0.04);
    EXPECT_LE((between.x - Filtered::exact(0.04).x).cwiseAbs().maxCoeff(), allowed) << find_integrator(name).name;
  }
}

// At rest but for z: what it does counts by its size; the work does not, however large it is.
TEST(IntegratorsOnAVector, MeasureAnErrorByTheSizeOfEachNumber) {
  for (const IntegratorName name : {IntegratorName::dopri5, IntegratorName::dop853}) {
    const auto error = [&](double scale) {
      Filtered system;
      system.layout_.error_scale << 0.0, 0.0, scale, 0.0, 0.0, 0.0;
      StepMemory memory;
      const std::unique_ptr<Integrator> integrator = find_integrator(name).make(memory);
      State state = Filtered::exact(0.0);
      integrator->step(system, 0.5, state);
      return integrator->error(1e-12);
    };
    EXPECT_GT(error(1.0), 1.0);
    EXPECT_GT(error(1.0), 5.0 * error(1e4));
    EXPECT_EQ(error(0.0), 0.0);
  }
}

}  // namespace
}  // namespace tandem
