// No heap allocation in a step, for any method: malloc itself is counted, so that Eigen's own requests count too.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>

#include "support/method_case.hpp"
#include "tandem/tandem.hpp"

#if defined(__SANITIZE_ADDRESS__) || !defined(__GLIBC__)
#define TANDEM_COUNTS_ALLOCATIONS 0
#elif defined(__has_feature)  // clang has no such macro
#define TANDEM_COUNTS_ALLOCATIONS !__has_feature(address_sanitizer)
#else
#define TANDEM_COUNTS_ALLOCATIONS 1
#endif

namespace {
thread_local long allocations = 0;
}

#if TANDEM_COUNTS_ALLOCATIONS
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  ++allocations;
  return __libc_calloc(count, size);
}
void* realloc(void* memory, std::size_t size) {
  ++allocations;
  return __libc_realloc(memory, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++allocations;
  return __libc_memalign(alignment, size);
}
void* memalign(std::size_t alignment, std::size_t size) {
  ++allocations;
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  ++allocations;
  *memory = __libc_memalign(alignment, size);
  return *memory ? 0 : ENOMEM;
}
}
#endif

namespace tandem {
namespace {

// Under a sanitizer nothing is counted; there these are steps of every method on every example that it watches.
class NoAllocation : public ::testing::TestWithParam<MethodCase> {};

TEST(Allocations, AreCounted) {
  if (!TANDEM_COUNTS_ALLOCATIONS) GTEST_SKIP() << "the sanitizer has a malloc of its own";
  const long before = allocations;
  const std::vector<double> with_new(100);
  const Eigen::VectorXd of_eigen = Eigen::VectorXd::Zero(100);
  EXPECT_EQ(allocations - before, 2) << with_new.size() + static_cast<std::size_t>(of_eigen.size());
}

TEST_P(NoAllocation, InAStep) {
  const Model model = GetParam().model();
  Simulation simulation(model);
  const double h = 0.002 * one_second(model);
  for (int i = 0; i < 3; ++i) simulation.step(h);  // buffers take their sizes
  const long before = allocations;
  for (int i = 0; i < 5; ++i) simulation.step(h);
  EXPECT_EQ(allocations - before, 0);
}

TEST(NoAllocations, ByAnyIntegrator) {
  for (const char* example : {"bicycle", "four-bar", "swimmer"})
    for (const char* method : {"lagrange", "articulated"})
      for (const IntegratorInfo& integrator : all_integrators()) {
        Model model = load_model_or_example(example);
        model.setup.method = method;
        model.setup.integrator = integrator.name;
        Simulation simulation(model);
        for (int i = 0; i < 3; ++i) simulation.step(0.002);
        const long before = allocations;
        for (int i = 0; i < 5; ++i) simulation.step(0.002);
        EXPECT_EQ(allocations - before, 0) << example << " " << method << " " << integrator.name;
      }
}

TEST(NoAllocations, InTheLedgerAndTheStopsOfAStep) {
  const std::string stops =
      "[[stop]]\nname = \"lifts\"\nwhen = \"lowest_load < 1\"\n"
      "[[stop]]\nname = \"late\"\nwhen = \"t + largest_speed > energy\"\n"
      "[[force]]\ntype = \"damping\"\nbody = \"frame\"\nlinear = 0.1\n"
      "[[force]]\ntype = \"joint\"\njoint = \"steer\"\nstiffness = 1\ndamping = 0.1\n";
  const Model model = read_model(load_model_or_example("bicycle").text + "\n" + stops, "bicycle.toml");
  Simulation simulation(model);
  ForcePower power(model);
  double sum = 0.0;
  const auto ask = [&] {
    power.update(model, simulation.workspace().kinematics);
    sum += power.dampers() + power.forces();
    for (const ModelStop& stop : model.stops) sum += stop_margin(model, stop, simulation);
  };
  ask();
  simulation.step(0.002);
  const long before = allocations;
  ask();
  EXPECT_EQ(allocations - before, 0) << sum;
}

// Custom kernels of two sizes, of which one makes two blocks, a gear of three shafts, a massless rod in a loop.
TEST(NoAllocations, WithRowsOnManyLinks) {
  Builder build;
  const auto hinge = [&](const std::string& name, const std::string& a, const std::string& b, const Vector3& at,
                         bool cut = false) {
    build.joint(
        {.name = name, .type = Revolute{}, .bodies = {a, b}, .point = at, .axis = Vector3(0, 1, 0), .cut = cut});
  };
  const auto body = [&](const std::string& name, const Vector3& at) {
    build.body({.name = name, .mass = 1.0, .shapes = {Shape::box({0.5, 0.3, 0.2})}, .position = at});
  };
  body("crank", {0.5, 0, 0});
  build.body({.name = "rod", .mass = 0.0, .inertia = std::array<double, 6>{}, .position = {1, 0, 0.5}});
  body("rocker", {1.5, 0, 1});
  hinge("foot", "world", "crank", {0, 0, 0});
  hinge("knee", "crank", "rod", {1, 0, 0});
  hinge("head", "rod", "rocker", {1, 0, 1}, true);
  hinge("wall", "rocker", "world", {2, 0, 1});
  body("fan", {4, 0, 0});
  hinge("shaft", "world", "fan", {4, 0, 0});
  build.constraint(
      {.name = "gear",
       .type = Coupler{.coordinates = {{"shaft", ""}, {"foot", ""}, {"wall", ""}}, .coefficients = {1.0, 0.5, 0.25}}});
  for (int i = 0; i < 4; ++i) body("kite" + std::to_string(i), {5.0 + i, 0, 0});
  const auto distances = [](int count) {  // between neighbours and those behind them
    return custom_rows(count, 0, [count](auto bodies, auto t, auto& rows) {
      using S = decltype(t);
      for (int k = 0; k < count; ++k) {
        const int a = k % 4, b = (k + 1 + k / 4) % 4;
        const Vec3<S> arm(S(0.1 * k), S(0.2), S(0.3 - 0.1 * k));
        const Vec3<S> r = bodies[static_cast<std::size_t>(a)].X_WC.R * arm;
        const Vec3<S> d = bodies[static_cast<std::size_t>(a)].X_WC.p + r - bodies[static_cast<std::size_t>(b)].X_WC.p;
        const Vec3<S> turning = bodies[static_cast<std::size_t>(a)].X_WC.R.transpose() * r.cross(d);
        const double dx = 1.0 * (a - b) + 0.1 * k, dz = 0.3 - 0.1 * k;
        rows.phi[k] = S(0.5) * (d.dot(d) - S(dx * dx + 0.04 + dz * dz));
        for (int c = 0; c < 3; ++c) {
          rows.J(k, 6 * a + c) = turning[c];
          rows.J(k, 6 * a + 3 + c) += d[c];
          rows.J(k, 6 * b + 3 + c) -= d[c];
        }
      }
    });
  };
  build.constraint({.name = "many", .type = distances(7), .bodies = {"kite0", "kite1", "kite2", "kite3"}});
  build.constraint({.name = "height",
                    .type = custom_rows(1, 0,
                                        [](auto bodies, auto, auto& rows) {
                                          rows.phi[0] = bodies[0].X_WC.p.z();
                                          rows.J(0, 5) = 1.0;
                                        }),
                    .bodies = {"kite1"}});
  Model model = build.finish();
  model.setup.method = "articulated";
  model.setup.integrator = "rk4";
  Simulation simulation(model);
  for (int i = 0; i < 3; ++i) simulation.step(0.001);
  const long before = allocations;
  for (int i = 0; i < 10; ++i) simulation.step(0.001);
  EXPECT_TRUE(simulation.is_fast());
  EXPECT_EQ(allocations - before, 0);
}

INSTANTIATE_TEST_SUITE_P(Examples, NoAllocation, ::testing::ValuesIn(all_method_cases()),
                         [](const auto& each) { return method_case_name(each.param); });

}  // namespace
}  // namespace tandem
