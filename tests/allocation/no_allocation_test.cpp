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

INSTANTIATE_TEST_SUITE_P(Examples, NoAllocation, ::testing::ValuesIn(all_method_cases()),
                         [](const auto& each) { return method_case_name(each.param); });

}  // namespace
}  // namespace tandem
