// docs/model.schema.json says what the reader says, as far as a schema can: of the shape of tables, not of their
// meaning.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "support/broken_model.hpp"
#include "support/schema.hpp"
#include "tandem/io/model/document.hpp"
#include "tandem/io/model/write_document.hpp"
#include "tandem/model/registry.hpp"

namespace tandem {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const Json& schema() {
  static const Json all = Json::parse(std::ifstream(TANDEM_SOURCE_DIR "/docs/model.schema.json"));
  return all;
}

std::optional<Json> json_of(const std::string& text, const std::string& file) {
  Faults faults;
  const std::optional<Node> root = parse_document(text, file, ReadLimits::of_accepted_text(), faults);
  if (!root) return std::nullopt;
  const Json json = Json::parse(write_json(*root), nullptr, false);
  return json.is_discarded() ? std::nullopt : std::optional(json);  // nan and inf are not of JSON
}

// What is told of a model, a line each; empty when it is accepted.
std::string told_of(const std::string& text, const std::string& file, const ReadOptions& options = {}) {
  try {
    read_model(text, file, options);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}

// Faults of shape, which a schema must see too: a word of each message.
bool is_about_shape(const std::string& told) {
  static const std::vector<std::string> words{"unknown key",
                                              "must be a number or an expression in quotes",
                                              "must be three numbers",
                                              "must be a list",
                                              "must be true or false",
                                              "must be a text in quotes",
                                              "must be a table",
                                              "format is missing",
                                              "there is no joint type",
                                              "there is no shape type",
                                              "there is no force type",
                                              "there is no drive type",
                                              "there is no constraint type",
                                              "must be four numbers",
                                              "inertia must be three numbers",
                                              "each shape must be",
                                              "each body must be",
                                              "type is missing",
                                              "name is missing",
                                              "needs a name",
                                              "joint is missing",
                                              "there is no quantity",
                                              "instead of ["};
  return std::any_of(words.begin(), words.end(),
                     [&](const std::string& word) { return told.find(word) != std::string::npos; });
}

std::vector<fs::path> good_models() {
  std::vector<fs::path> out{TANDEM_SOURCE_DIR "/tests/by_parameter/everything.toml",
                            TANDEM_SOURCE_DIR "/tests/published/strandbeest.toml"};
  for (const auto& entry : fs::directory_iterator(TANDEM_SOURCE_DIR "/examples")) out.push_back(entry.path());
  return out;
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST(Schema, AcceptsEveryGoodModel) {
  for (const fs::path& path : good_models())
    EXPECT_EQ(violation(schema(), json_of(text_of(path), path.string()).value()), "") << path;
}

TEST(Schema, RefusesEveryBrokenModelWhoseShapeIsWrong) {
  int refused = 0;
  for (const fs::path& path : broken_models()) {
    const BrokenModel broken = read_broken(path);
    const std::optional<Json> json = json_of(broken.text, path.string());
    if (!json) continue;
    const std::string told = told_of(broken.text, path.string(), broken.options);
    const bool refuses = !violation(schema(), *json).empty();
    refused += refuses ? 1 : 0;
    EXPECT_TRUE(refuses || !is_about_shape(told)) << path << "\n" << told;
  }
  EXPECT_GT(refused, 60);
}

// What can be seen of a number that is no expression.
TEST(Schema, RefusesNumbersOutOfRange) {
  for (const char* name :
       {"mass-negative", "shape-radius-negative", "wheel-radius-negative", "simulation-step-zero", "damping-negative",
        "spring-stiffness-negative", "joint-damping-negative", "simulation-time-constant", "constraint-soft-values"}) {
    const fs::path path = fs::path(TANDEM_SOURCE_DIR "/tests/model/broken") / (std::string(name) + ".toml");
    EXPECT_NE(violation(schema(), json_of(read_broken(path).text, path.string()).value()), "") << name;
  }
}

// Every value of every good model replaced by one of another kind, and every key left out or misspelt: the schema never
// refuses what the reader accepts, and sees every fault of shape that the reader tells.
void compare_verdicts(const Json& json, const std::string& what, std::set<std::string>& seen) {
  const std::string told = told_of(json.dump(), "changed.json"), refusal = violation(schema(), json);
  EXPECT_TRUE(refusal.empty() || !told.empty()) << what << ": accepted by the reader, but: " << refusal;
  EXPECT_TRUE(!refusal.empty() || !is_about_shape(told)) << what << ": " << told;
  seen.insert(told.empty() ? "accepted" : is_about_shape(told) ? "shape" : "meaning");
}

void change_everything(Json& root, Json& at, const std::string& where, std::set<std::string>& seen) {
  static const std::vector<Json> others{true,           1.5,     "not an expression of this", Json::array(),
                                        Json::object(), nullptr, Json::array({1, 2, 3}),      Json{{"strange", 1}}};
  const Json before = at;
  for (const Json& other : others) {
    at = other;
    compare_verdicts(root, where + " = " + other.dump(), seen);
  }
  at = before;
  if (at.is_object()) {
    for (const auto& [key, value] : before.items()) {
      at.erase(key);
      compare_verdicts(root, where + " without " + key, seen);
      at[key + "x"] = value;
      compare_verdicts(root, where + " with " + key + "x", seen);
      at = before;
    }
    for (auto& [key, value] : at.items()) change_everything(root, value, where + "." + key, seen);
  } else if (at.is_array()) {
    // Entries of a list are alike: the first two will do.
    for (std::size_t i = 0; i < std::min<std::size_t>(at.size(), 2); ++i)
      change_everything(root, at[i], fmt::format("{}[{}]", where, i), seen);
  }
}

TEST(Schema, AgreesWithTheReaderOnChangedModels) {
  std::set<std::string> seen;
  for (const char* name : {"/tests/by_parameter/everything.toml", "/examples/swimmer.toml", "/examples/bicycle.toml"}) {
    const fs::path path = std::string(TANDEM_SOURCE_DIR) + name;
    Json json = json_of(text_of(path), path.string()).value();
    for (auto& [key, value] : json.items()) change_everything(json, value, key, seen);
  }
  EXPECT_EQ(seen.size(), 3U);
}

TEST(Schema, NamesEveryType) {
  const std::string text = schema().dump();
  const Registry registry = Registry::standard();
  for (const auto& names : {registry.joints.names(), registry.constraints.names(), registry.forces.names(),
                            registry.drives.names(), shape_names()})
    for (const std::string& name : names) EXPECT_NE(text.find('"' + name + '"'), std::string::npos) << name;
}

TEST(Schema, ValidatorKnowsRightFromWrong) {
  const Json small = Json::parse(R"({"type": "object", "properties": {"a": {"anyOf": [{"const": 1}, {"type": "string",
      "minLength": 2}]}, "b": {"type": "array", "items": {"type": "number"}, "maxItems": 2}}, "required": ["a"],
      "additionalProperties": false})");
  for (const char* good : {R"({"a": 1})", R"({"a": "xy", "b": [1, 2]})"})
    EXPECT_EQ(violation(small, Json::parse(good)), "") << good;
  for (const char* bad : {"3", "{}", R"({"a": 2})", R"({"a": "x"})", R"({"a": 1, "c": 1})",
                          R"({"a": 1, "b": [1, "x"]})", R"({"a": 1, "b": [1, 2, 3]})"})
    EXPECT_NE(violation(small, Json::parse(bad)), "") << bad;
  EXPECT_THROW(violation({{"multipleOf", 2}}, 4), std::logic_error);
}

}  // namespace
}  // namespace tandem
