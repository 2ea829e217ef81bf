// A State and a StepMemory as numbers and back, and how a state is laid out.
#include "tandem/dynamics/step_memory.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <span>

#include "support/example_model.hpp"

namespace tandem {
namespace {

StepMemory full() {
  StepMemory out;
  out.h = 0.125;
  out.rows = {{0, 2, 5}, {2, 5}};
  out.most_rows = 7;
  out.tree_rows = {{1, 4}, {4}};
  out.tree_places = {true, 0.75, Eigen::Vector3d(1.0, -0.0, 3.0), {std::numeric_limits<int>::max(), 3}};
  out.speeds = {{0, 1}, {3, 4}, {0, 1, 2}, 1.5};
  out.last_rate = Eigen::Vector2d(std::nan(""), 2.0);
  out.impulses = Eigen::Vector3d(0.5, 0.25, 1e-300);
  out.impulse_h = 0.01;
  out.found_in_step = true;
  out.y = Eigen::Vector2d(4.0, 5.0);
  out.lambda = Eigen::Vector3d(6.0, 7.0, 8.0);
  out.bodies_q = Eigen::Vector4d(0.0, 0.0, 0.0, -1.0);
  return out;
}

std::vector<double> numbers_of(const StepMemory& memory) {
  MemoryWriter out;
  save(memory, out);
  return out.numbers;
}

TEST(StepMemory, ComesBackAsItWas) {
  const std::vector<double> numbers = numbers_of(full());
  MemoryReader in(numbers);
  StepMemory back;
  load(in, back);
  EXPECT_TRUE(in.rest().empty());
  const std::vector<double> again = numbers_of(back);
  ASSERT_EQ(again.size(), numbers.size());
  EXPECT_EQ(std::memcmp(again.data(), numbers.data(), numbers.size() * sizeof(double)), 0);
  EXPECT_EQ(back.h, 0.125);
  EXPECT_EQ(back.rows, full().rows);
  EXPECT_EQ(back.most_rows, 7U);
  EXPECT_EQ(back.tree_rows, full().tree_rows);
  EXPECT_TRUE(back.tree_places.found);
  EXPECT_EQ(back.tree_places.inward_of, full().tree_places.inward_of);
  EXPECT_EQ(back.speeds.dependent, full().speeds.dependent);
  EXPECT_EQ(back.speeds.growth, 1.5);
  EXPECT_TRUE(std::isnan(back.last_rate[0]));
  EXPECT_EQ(back.impulses, full().impulses);
  EXPECT_TRUE(back.found_in_step);
  EXPECT_EQ(back.lambda, full().lambda);
  EXPECT_EQ(back.bodies_q, full().bodies_q);
}

TEST(StepMemory, IsRefusedWhenItIsTooShort) {
  const std::vector<double> numbers = numbers_of(full());
  for (std::size_t length = 0; length < numbers.size(); ++length) {
    MemoryReader in{std::span<const double>(numbers).first(length)};
    StepMemory back;
    EXPECT_THROW(load(in, back), std::invalid_argument) << length;
  }
}

TEST(StateLayout, PartsOfAStateAreItsNumbers) {
  State state{Segments(2, 1, 3, 2)};
  EXPECT_EQ(state.x.size(), 2 + 1 + 2 + 3);
  EXPECT_EQ(state.d.size(), 3);
  state.q()[1] = 1.0;
  state.v()[0] = 2.0;
  state.z()[1] = 3.0;
  state.angles()[2] = 4.0;
  state.add_work(0.5, {.dampers = 2.0, .drives = 4.0, .forces = 8.0});
  EXPECT_EQ(state.x, (Eigen::VectorXd(8) << 0, 1, 2, 0, 3, 1, 2, 4).finished());
  EXPECT_EQ(state.d, Eigen::Vector3d(0, 0, 4));
  EXPECT_EQ(state.work().drives, 2.0);
  MemoryWriter out;
  save(state, out);
  State back{Segments(2, 1, 3, 2)};
  MemoryReader in(out.numbers);
  load(in, back);
  EXPECT_EQ(back.x, state.x);
  EXPECT_EQ(back.d, state.d);
}

// What an error is measured in: lengths of the machine, radians, both per its time for speeds; nothing for work.
TEST(StateLayout, ErrorsOfWorkDoNotCount) {
  const Model model = example_model("four-bar");
  for (const Cut cut : {Cut::all, Cut::loops}) {
    const Layout layout = Workspace(model, cut).layout;
    ASSERT_EQ(layout.error_scale.size(), layout.x_size());
    EXPECT_GT(layout.error_scale.head(layout.v.end()).minCoeff(), 0.0);
    EXPECT_EQ(layout.z.size, 0);
    EXPECT_EQ(layout.error_scale.tail(layout.work.size).maxCoeff(), 0.0);
  }
}

// What comes from a file is held against the model that is to go on from it.
TEST(StepMemory, OfAnotherModelIsRefused) {
  const Model one = example_model("four-bar"), other = example_model("bicycle");
  Simulation a(one), b(other);
  EXPECT_THROW(b.restore(a.state(), b.memory()), std::invalid_argument);
  EXPECT_THROW(b.restore(b.state(), a.memory()), std::invalid_argument);
  EXPECT_NO_THROW(b.restore(b.state(), b.memory()));
  const auto refused = [&](auto&& change) {
    StepMemory memory = b.memory();
    change(memory);
    EXPECT_THROW(b.restore(b.state(), memory), std::invalid_argument);
  };
  refused([](StepMemory& memory) { memory.h = -1.0; });
  refused([](StepMemory& memory) { memory.rows.velocity.push_back(1 << 20); });
  refused([](StepMemory& memory) { memory.speeds.rows.push_back(0); });
  refused([](StepMemory& memory) { memory.last_rate.setZero(1); });
  refused([](StepMemory& memory) { memory.bodies_q[0] = std::nan(""); });
}

}  // namespace
}  // namespace tandem
