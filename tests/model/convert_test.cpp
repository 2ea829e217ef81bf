// A model that is written back and read again is the same model.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <filesystem>
#include <set>

#include "support/broken_model.hpp"
#include "tandem/io/model/convert.hpp"
#include "tandem/io/model/document.hpp"
#include "tandem/io/model/write_document.hpp"

namespace tandem {
namespace {

namespace fs = std::filesystem;

// The same but for places and the order of keys.
bool same(const Node& a, const Node& b) {
  if (a.kind != b.kind || a.items.size() != b.items.size()) return false;
  if (a.is(Node::Kind::number)) return a.number == b.number && std::signbit(a.number) == std::signbit(b.number);
  if (a.is(Node::Kind::text)) return a.text == b.text;
  if (a.is(Node::Kind::flag)) return a.flag == b.flag;
  for (std::size_t i = 0; i < a.items.size(); ++i) {
    const Node* other = a.is(Node::Kind::table) ? b.find(a.items[i].key) : &b.items[i];
    if (!other || !same(a.items[i], *other)) return false;
  }
  return true;
}

Node parsed(const std::string& text, const std::string& file) {
  Faults faults;
  std::optional<Node> root = parse_document(text, file, ReadLimits::of_accepted_text(), faults);
  for (const Fault& fault : faults.list()) ADD_FAILURE() << fault.text() << '\n' << text;
  return root.value_or(Node{});
}

// ---- documents of any kind ----

rc::Gen<std::string> any_text() {
  const auto piece = rc::gen::element<std::string>("a", "Z", "0", "_", "-", " ", ".", "=", "#", "\"", "'", "\\", "\n",
                                                   "\t", "\r", "\x01", "\x7f", "[", "{", ",", "é", "π", "🚲", "\"\"\"");
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(piece), [](const std::vector<std::string>& pieces) {
    std::string text;
    for (const std::string& each : pieces) text += each;
    return text;
  });
}

Node any_node(int depth) {
  Node node;
  const int kind = *rc::gen::inRange(0, depth > 0 ? 5 : 3);
  if (kind == 0) {
    node.kind = Node::Kind::number;
    const double unusual = *rc::gen::element(0.0, -0.0, 1.0, -3.0, 1e300, 5e-324, 0.1, 9007199254740993.0, 1e15, 1e16,
                                             123456789012345678.0, -2.5e-10);
    const double any = *rc::gen::arbitrary<double>();
    node.number = std::isfinite(any) && *rc::gen::arbitrary<bool>() ? any : unusual;
  } else if (kind == 1) {
    node.kind = Node::Kind::text;
    node.text = *any_text();
  } else if (kind == 2) {
    node.kind = Node::Kind::flag;
    node.flag = *rc::gen::arbitrary<bool>();
  } else {
    node.kind = kind == 3 ? Node::Kind::list : Node::Kind::table;
    std::set<std::string> keys;
    for (int i = *rc::gen::inRange(0, 5); i > 0; --i) {
      Node item = any_node(depth - 1);
      if (kind == 4) {
        item.key = *any_text();
        if (!keys.insert(item.key).second) continue;
      }
      node.items.push_back(std::move(item));
    }
  }
  return node;
}

RC_GTEST_PROP(WriteBack, ReadsToTheSameDocument, ()) {
  Node root = any_node(3);
  if (!root.is(Node::Kind::table)) {
    Node item = std::exchange(root, Node{});
    item.key = "item";
    root.kind = Node::Kind::table;
    root.items = {item};
  }
  RC_ASSERT(same(parsed(write_toml(root), "any.toml"), root));
  RC_ASSERT(same(parsed(write_json(root), "any.json"), root));
}

TEST(WriteBack, KeepsWholeNumbersAboveTwoToThe53) {
  for (const double number : {9007199254740992.0, 9007199254740994.0, 9716070123456788.0, 4e18, -9854170248444336.0})
    EXPECT_EQ(parsed(fmt::format("a = {:.0f}", number), "whole.toml").items.at(0).number, number);
}

// ---- models ----

void expect_same_model(const Model& a, const Model& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.gravity, b.gravity);
  ASSERT_EQ(a.bodies.size(), b.bodies.size());
  for (std::size_t i = 0; i < a.bodies.size(); ++i) {
    EXPECT_EQ(a.bodies[i].name, b.bodies[i].name);
    EXPECT_EQ(a.bodies[i].mass, b.bodies[i].mass);
    EXPECT_EQ(a.bodies[i].inertia, b.bodies[i].inertia);
    EXPECT_EQ(a.bodies[i].X_WC.R, b.bodies[i].X_WC.R);
    EXPECT_EQ(a.bodies[i].X_WC.p, b.bodies[i].X_WC.p);
    EXPECT_EQ(a.bodies[i].velocity, b.bodies[i].velocity);
    EXPECT_EQ(a.bodies[i].angular_velocity, b.bodies[i].angular_velocity);
  }
  ASSERT_EQ(a.joints.size(), b.joints.size());
  for (std::size_t i = 0; i < a.joints.size(); ++i) {
    EXPECT_EQ(a.joints[i].name, b.joints[i].name);
    EXPECT_EQ(a.joints[i].type_name(), b.joints[i].type_name());
    EXPECT_EQ(a.joints[i].first.X_CF.p, b.joints[i].first.X_CF.p);
    EXPECT_EQ(a.joints[i].second.X_CF.R, b.joints[i].second.X_CF.R);
  }
  EXPECT_EQ(a.rows, b.rows);
  EXPECT_EQ(a.constraints.size(), b.constraints.size());
  EXPECT_EQ(a.forces.size(), b.forces.size());
  EXPECT_EQ(a.outputs.size(), b.outputs.size());
  EXPECT_EQ(a.stops.size(), b.stops.size());
  EXPECT_EQ(a.starts.size(), b.starts.size());
  ASSERT_EQ(a.drives.size(), b.drives.size());
  for (std::size_t i = 0; i < a.drives.size(); ++i)
    for (const double t : {0.0, 0.3, 2.0})
      EXPECT_NEAR(a.drives[i].drive.motion(t).value, b.drives[i].drive.motion(t).value, 1e-14);
  ASSERT_EQ(a.held_steady.size(), b.held_steady.size());
  for (std::size_t i = 0; i < a.held_steady.size(); ++i) EXPECT_EQ(a.held_steady[i].value, b.held_steady[i].value);
  EXPECT_EQ(a.setup.step, b.setup.step);
  EXPECT_EQ(a.setup.method, b.setup.method);
}

std::vector<fs::path> models() {
  std::vector<fs::path> out{TANDEM_SOURCE_DIR "/tests/by_parameter/everything.toml"};
  for (const auto& entry : fs::directory_iterator(TANDEM_SOURCE_DIR "/examples")) out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

class Converted : public testing::TestWithParam<fs::path> {};

TEST_P(Converted, IsTheSameModel) {
  const Model model = load_model(GetParam());
  for (const bool json : {false, true}) {
    const std::string text = convert(model, {.json = json}), file = json ? "again.json" : "again.toml";
    const Model again = read_model(text, file);
    expect_same_model(model, again);
    EXPECT_EQ(model.parameters, again.parameters);
    // Once more: nothing is left to change.
    EXPECT_EQ(convert(again, {.json = json}), text);
    if (!model.parameters.empty()) {  // expressions follow their parameters as before
      ReadOptions options;
      options.set = {{model.parameters[0].first, 1.01 * model.parameters[0].second + 0.01}};
      try {
        expect_same_model(load_model(GetParam(), options), read_model(text, file, options));
      } catch (const ModelError& error) {
        EXPECT_THROW(read_model(text, file, options), ModelError) << error.what();
      }
    }
  }
}

TEST_P(Converted, FlatIsTheSameModelWithoutParameters) {
  const Model model = load_model(GetParam());
  for (const bool json : {false, true}) {
    const std::string text = convert(model, {.json = json, .flatten = true});
    const Model flat = read_model(text, json ? "flat.json" : "flat.toml");
    expect_same_model(model, flat);
    EXPECT_TRUE(flat.parameters.empty());
    EXPECT_EQ(convert(flat, {.json = json, .flatten = true}), text);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Converted, testing::ValuesIn(models()), [](const auto& each) {
  std::string name = each.param.stem().string();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

constexpr const char* machine_file = R"(format = 1
[parameters]
m = "2*w"
w = 1.5
low = -0.5

[[body]]
name = "rod"
mass = "m"
inertia = ["m^2", "m*m", "m^2"]

[[joint]]
name = "hinge"
type = "revolute"
bodies = ["world", "rod"]
point = [0, 0, 0]
axis = [0, 1, 0]

[[force]]
type = "joint"
joint = "hinge"
effort = "low*sin(w*t) + 1.e1*w"
stiffness = "w"

[[output]]
name = "angle"
quantity = "coordinate"
joint = "hinge"

[[stop]]
name = "fallen"
when = "angle^2 > w - low"

[steady]
hold = ["hinge = 2*low"]

[linearize]
inputs = ["w", "hinge"]
units = { w = "rad/s" }
)";

TEST(Convert, KeepsWhatWasSet) {
  ReadOptions options;
  options.set = {{"w", 1.25}};
  const std::string text = convert(read_model(machine_file, "machine.toml", options));
  EXPECT_NE(text.find("w = 1.25\n"), std::string::npos) << text;
  EXPECT_NE(text.find("m = \"2*w\"\n"), std::string::npos) << text;
  EXPECT_NE(text.find("name = \"machine\"\n"), std::string::npos) << text;
  EXPECT_EQ(read_model(text, "other.toml").bodies[0].mass, 2.5);
}

TEST(Convert, FlatHoldsNumbers) {
  const std::string text = convert(read_model(machine_file, "machine.toml"), {.flatten = true});
  for (const char* line :
       {"mass = 3\n", "inertia = [9, 9, 9]\n", "effort = \"(-0.5)*sin(1.5*t) + 1.e1*1.5\"\n", "stiffness = 1.5\n",
        "when = \"angle^2 > 1.5 - (-0.5)\"\n", "hold = [\"hinge = -1\"]\n", "inputs = [\"hinge\"]\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << "is not in\n" << text;
  EXPECT_EQ(text.find("parameters"), std::string::npos);
  EXPECT_EQ(text.find("units"), std::string::npos);
}

TEST(Convert, NeedsAModelOfAFile) { EXPECT_THROW(convert(Model{}), std::invalid_argument); }

}  // namespace
}  // namespace tandem
