// The numbers of model files, found in docs/model.schema.json: every key that takes one, and where a model has it.
#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace tandem {

// A key that takes a number, as a path through the schema: constraint(wheel).normal[]. The types of a thing have keys
// of their own, the entries of a list have one.
std::set<std::string> numeric_keys(const nlohmann::json& schema);

struct NumericPlace {
  std::string key{};
  nlohmann::json::json_pointer at{};  // of the number
  // When the model does not have the key: what to put in, and where, so that it has.
  nlohmann::json sample = nullptr;
  nlohmann::json::json_pointer sample_at{};

  bool is_added() const { return !sample.is_null(); }
  nlohmann::json put_in(nlohmann::json model, const nlohmann::json& value) const;
};

// Where a model has numbers, and where its tables could have one more by the schema.
std::vector<NumericPlace> numeric_places(const nlohmann::json& schema, const nlohmann::json& model);

}  // namespace tandem
