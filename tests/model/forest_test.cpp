// The spanning tree: which bodies carry which.
#include <gtest/gtest.h>

#include "support/example_model.hpp"
#include "tandem/io/model/model_file.hpp"
#include "tandem/model/forest.hpp"

namespace tandem::test {
namespace {

std::string root_of(const Model& model) {
  const Forest forest = spanning_forest(model);
  EXPECT_EQ(forest.roots.size(), 1U);
  return forest.roots.empty() ? "" : model.bodies[static_cast<std::size_t>(forest.roots.front())].name;
}

// Three bodies in a row that nothing ties to the world, the masses of two of them by parameters.
constexpr std::string_view swimmer = R"toml(
format = 1
[parameters]
middle = 2
last = 1
[[body]]
name = "first"
mass = 1.5
inertia = [1, 1, 1]
[[body]]
name = "middle"
mass = "middle"
inertia = [1, 1, 1]
position = [1, 0, 0]
[[body]]
name = "last"
shape = [{type = "box", size = [1, 1, 1], mass = "last"}]
position = [2, 0, 0]
[[joint]]
name = "a"
type = "revolute"
bodies = ["first", "middle"]
point = [0.5, 0, 0]
axis = [0, 0, 1]
[[joint]]
name = "b"
type = "revolute"
bodies = ["middle", "last"]
point = [1.5, 0, 0]
axis = [0, 0, 1]
)toml";

Model swimmer_with(std::vector<std::pair<std::string, Real>> set) {
  ReadOptions options;
  options.set = std::move(set);
  return read_model(swimmer, "swimmer.toml", options);
}

TEST(Forest, HangsFromTheHeaviestBody) {
  EXPECT_EQ(root_of(swimmer_with({})), "middle");
  EXPECT_EQ(root_of(example_model("bicycle")), "frame");
}

// The first listed of equals; and it is the file that says which is the heaviest, so that states of one tree compare.
TEST(Forest, StaysAsTheFileHasItWhateverIsSet) {
  EXPECT_EQ(root_of(swimmer_with({{"middle", 0.5}, {"last", 100.0}})), "middle");
  EXPECT_DOUBLE_EQ(swimmer_with({{"last", 100.0}}).bodies[2].mass, 100.0);
  const Model equal =
      read_model(std::string(swimmer).replace(swimmer.find("mass = 1.5"), 10, "mass = 2.0"), "swimmer.toml");
  EXPECT_EQ(root_of(equal), "first");
}

// A file whose own numbers are no machine: then those that are set say it.
TEST(Forest, TakesWhatIsSetWhereTheFileSaysNothing) {
  ReadOptions options;
  options.set = {{"middle", 1.0}, {"last", 3.0}};
  const Model model = read_model(std::string(swimmer).replace(swimmer.find("last = 1"), 8, "last = \"nobody\""),
                                 "swimmer.toml", options);
  EXPECT_EQ(root_of(model), "last");
}

}  // namespace
}  // namespace tandem::test
