// Numbers that no model should have, put into every key of the schema: a diagnostic with its place, or a run that
// finishes, stops or fails by name. Never a row that is not finite, never a run without end.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "support/how_long.hpp"
#include "support/injected_run.hpp"
#include "support/numeric_keys.hpp"
#include "tandem/io/model/document.hpp"
#include "tandem/io/model/model_file.hpp"
#include "tandem/io/model/write_document.hpp"

namespace tandem {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// The text that stands for the number until it is put in: JSON has no words for some of them.
const std::string hole = "@@";

// Written as in TOML; the last three go wrong at some time of the run, where a key takes functions of time.
const std::vector<std::string> literals{
    "nan",     "inf",          "-inf",         "1e300",     "-1e300",         "0",
    "-1",      "5e-324",       "-1e-310",      "1e16",      "1e154",          "1e160",
    "\"0/0\"", "\"1e308*10\"", "\"sqrt(-1)\"", "\"0/0*t\"", "\"1/(0.02-t)\"", "\"sqrt(0.015-t)\""};

const Json& schema() {
  static const Json all = Json::parse(std::ifstream(TANDEM_SOURCE_DIR "/docs/model.schema.json"));
  return all;
}

Node document_of(const std::string& text, const std::string& file) {
  Faults faults;
  return parse_document(text, file, {}, faults).value();
}

struct Case {
  std::string carrier;
  std::string text;  // with the hole in it
  NumericPlace place;
};

// A few places of every key in every carrier; where none has it, one to which it was added.
std::vector<Case> all_cases() {
  std::vector<Case> out, added;
  std::set<std::string> known;
  for (const fs::path& path : carriers()) {
    const Json json = Json::parse(write_json(document_of(text_of(path), path.string())));
    std::map<std::string, int> taken;
    for (NumericPlace& place : numeric_places(schema(), json)) {
      if (!place.is_added() && taken[place.key]++ == 3) continue;
      if (!place.is_added()) known.insert(place.key);
      std::vector<Case>& list = place.is_added() ? added : out;
      list.push_back({path.stem().string(), place.put_in(json, hole).dump(), std::move(place)});
    }
  }
  for (Case& each : added)
    if (known.insert(each.place.key).second) out.push_back(std::move(each));
  for (Case& each : out) each.text = write_toml(document_of(each.text, "injected.json"));
  return out;
}

bool has_a_place(const ModelError& error) {
  const auto& faults = error.faults().list();
  return std::any_of(faults.begin(), faults.end(), [](const Fault& fault) {
    return !fault.warning && fault.where.line > 0 && fault.where.column > 0;
  });
}

TEST(Injection, CarriersRun) {
  for (const fs::path& path : carriers()) {
    const InjectedEnd verdict = follow(path.stem(), [&] { return load_model(path); });
    EXPECT_EQ(verdict.outcome, "finished") << path << ": " << verdict.told;
    EXPECT_EQ(verdict.trouble, "") << path;
  }
}

TEST(Injection, ReachesEveryNumericKeyOfTheSchema) {
  std::set<std::string> reached;
  for (const Case& each : all_cases()) reached.insert(each.place.key);
  const std::set<std::string> keys = numeric_keys(schema());
  EXPECT_GT(keys.size(), 350U);
  for (const std::string& key : keys) EXPECT_TRUE(reached.contains(key)) << "no carrier has " << key;
}

// With TANDEM_SHORT=1 every fifth of all pairs: 5 and the 18 literals have no common factor, so that each key and each
// literal is still among them.
TEST(Injection, OfEveryKeyGivesADiagnosticOrAnEndByName) {
  std::map<std::string, int> outcomes;
  std::size_t pair = 0;
  for (const Case& each : all_cases()) {
    const std::size_t at = each.text.find('"' + hole + '"');
    ASSERT_NE(at, std::string::npos) << each.place.key;
    for (const std::string& literal : literals) {
      if (test::shortened() && pair++ % 5 != 0) continue;
      const std::string text = std::string(each.text).replace(at, hole.size() + 2, literal);
      const std::string name = fmt::format("{}: {} = {}", each.carrier, each.place.key, literal);
      const InjectedEnd verdict = follow(name, [&] {
        try {
          return read_model(text, "injected.toml");
        } catch (const ModelError& error) {
          EXPECT_TRUE(has_a_place(error)) << name << ": " << error.what();
          throw;
        }
      });
      ++outcomes[verdict.outcome];
      EXPECT_EQ(verdict.trouble, "") << name << " at " << each.place.at << ": " << verdict.told;
    }
  }
  // All ends are met, so the cases say something of each.
  for (const char* outcome : {"refused", "refused at the start", "failed at the start", "failed", "finished"})
    EXPECT_GT(outcomes[outcome], test::how_many(2, 10, 10)) << outcome;
}

TEST(Injection, OfParametersIsRefusedByName) {
  const std::string text = "format = 1\n[parameters]\nm = 1\n[[body]]\nname = \"a\"\nmass = \"m\"\npoint_mass = true\n";
  for (const double value : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    ReadOptions options;
    options.set = {{"m", value}};
    const InjectedEnd verdict = follow("--set m", [&] { return read_model(text, "set.toml", options); });
    EXPECT_EQ(verdict.outcome, "refused");
    EXPECT_NE(verdict.told.find("\"m\" must be a finite number"), std::string::npos) << verdict.told;
  }
}

}  // namespace
}  // namespace tandem
