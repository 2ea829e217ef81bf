#include "support/numeric_keys.hpp"

#include <algorithm>
#include <utility>

#include "support/schema.hpp"

namespace tandem {

using Json = nlohmann::json;
using Pointer = Json::json_pointer;

namespace {

// A form that a value may have: its schema, and (wheel) when it is one of several types of thing.
struct Form {
  const Json& schema;
  std::string label;
  std::string type;
};

class SchemaWalk {
 public:
  explicit SchemaWalk(const Json& root) : root_(root) {}

  // Every number in a value of this schema, each with the plainest value that holds it.
  std::vector<NumericPlace> samples(const Json& given, const std::string& path, const Pointer& at) const {
    const Json& schema = resolved(given);
    if (is_number(schema)) return {{.key = path, .at = at, .sample = 0.5, .sample_at = Pointer()}};
    std::vector<NumericPlace> out;
    const auto add = [&](std::vector<NumericPlace> inner, const auto& wrap) {
      for (NumericPlace& place : inner) {
        place.sample = wrap(place.sample);
        out.push_back(std::move(place));
      }
    };
    for (const Form& form : forms(schema))
      add(samples(form.schema, path + form.label, at), [&](Json inner) {
        if (!form.type.empty()) inner["type"] = form.type;
        return inner;
      });
    const Json known = schema.value("properties", Json::object()),
               others = schema.value("additionalProperties", Json());
    for (const auto& [key, property] : known.items())
      add(samples(property, path.empty() ? key : path + "." + key, at / key), [&, key = key](const Json& inner) {
        Json table = plainest(schema);
        table[key] = inner;
        return table;
      });
    if (schema.contains("items"))
      add(samples(schema["items"], path + "[]", at / 0),
          [&](const Json& inner) { return Json(std::max<std::size_t>(1, schema.value("minItems", 1U)), inner); });
    if (others.is_object())
      add(samples(others, path + ".*", at / "sample"), [](const Json& inner) { return Json{{"sample", inner}}; });
    return out;
  }

  void places(const Json& given, const Json& value, const std::string& path, const Pointer& at,
              std::vector<NumericPlace>& out) const {
    const Json& schema = resolved(given);
    if (is_number(schema)) return out.push_back({.key = path, .at = at, .sample = nullptr, .sample_at = Pointer()});
    for (const Form& form : forms(schema))
      if (fits(form, value)) return places(form.schema, value, path + form.label, at, out);
    if (value.is_array() && schema.contains("items"))
      for (std::size_t i = 0; i < value.size(); ++i) places(schema["items"], value[i], path + "[]", at / i, out);
    if (!value.is_object()) return;
    const Json known = schema.value("properties", Json::object()),
               others = schema.value("additionalProperties", Json());
    for (const auto& [key, item] : value.items()) {
      const std::string inside = path.empty() ? key : path + "." + key;
      if (known.contains(key))
        places(known[key], item, inside, at / key, out);
      else if (others.is_object())
        places(others, item, path + ".*", at / key, out);
    }
    if (path.empty()) return;  // whole tables are the model's business
    for (const auto& [key, property] : known.items()) {
      if (value.contains(key)) continue;
      for (NumericPlace& place : samples(property, path + "." + key, at / key)) {
        place.sample_at = at / key;
        out.push_back(std::move(place));
      }
    }
  }

 private:
  const Json& resolved(const Json& schema) const {
    return schema.contains("$ref") ? root_.at(Pointer(schema["$ref"].get<std::string>().substr(1))) : schema;
  }

  // A number, an expression that gives one, or the one number that a key may have.
  static bool is_number(const Json& schema) {
    if (schema.value("type", "") == "number" || (schema.contains("const") && schema["const"].is_number())) return true;
    const Json choices = schema.value("anyOf", Json::array());
    return std::any_of(choices.begin(), choices.end(), is_number);
  }

  std::vector<Form> forms(const Json& schema) const {
    std::vector<Form> out;
    for (const char* word : {"anyOf", "oneOf"}) {
      if (!schema.contains(word)) continue;
      for (const Json& choice : schema[word]) {
        const Json& form = resolved(choice);
        const Json type = form.value("/properties/type"_json_pointer, Json::object());
        const Json names = type.contains("const") ? Json::array({type["const"]}) : type.value("enum", Json::array());
        for (const std::string name : names) out.push_back({form, "(" + name + ")", name});
        if (names.empty()) out.push_back({form, "", ""});
      }
    }
    return out;
  }

  bool fits(const Form& form, const Json& value) const {
    if (!form.type.empty() && !(value.is_object() && value.value("type", "") == form.type)) return false;
    Json whole = form.schema;
    whole["definitions"] = root_["definitions"];
    return violation(whole, value).empty();
  }

  // With what is required, and nothing else.
  Json plainest(const Json& given) const {
    const Json& schema = resolved(given);
    if (is_number(schema)) return 0.5;
    if (const std::vector<Form> choices = forms(schema); !choices.empty()) return plainest(choices.front().schema);
    if (schema.contains("enum")) return schema["enum"].front();
    if (schema.contains("const")) return schema["const"];
    const std::string type = schema.value("type", "");
    if (type == "string") return "sample";
    if (type == "boolean") return false;
    if (type == "array") return Json(schema.value("minItems", 0U), plainest(schema["items"]));
    Json table = Json::object();
    for (const Json& key : schema.value("required", Json::array()))
      table[key.get<std::string>()] = plainest(schema["properties"][key.get<std::string>()]);
    return table;
  }

  const Json& root_;
};

}  // namespace

Json NumericPlace::put_in(Json model, const Json& value) const {
  if (is_added()) model[sample_at] = sample;
  model[at] = value;
  return model;
}

std::set<std::string> numeric_keys(const Json& schema) {
  std::set<std::string> out;
  for (const NumericPlace& place : SchemaWalk(schema).samples(schema, "", Pointer())) out.insert(place.key);
  return out;
}

std::vector<NumericPlace> numeric_places(const Json& schema, const Json& model) {
  std::vector<NumericPlace> out;
  SchemaWalk(schema).places(schema, model, "", Pointer(), out);
  return out;
}

}  // namespace tandem
