#include "support/schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <stdexcept>

namespace tandem {

using Json = nlohmann::json;

namespace {

class Validator {
 public:
  explicit Validator(const Json& root) : root_(root) {}

  std::string check(const Json& schema, const Json& value, const std::string& where) const {
    if (schema.is_boolean()) return schema.get<bool>() ? "" : fail(where, "is not allowed");
    for (const auto& [word, wanted] : schema.items())
      if (std::string trouble = check_word(word, wanted, schema, value, where); !trouble.empty()) return trouble;
    return "";
  }

 private:
  static std::string fail(const std::string& where, const std::string& why) { return where + " " + why; }

  static bool is_of_type(const Json& value, const std::string& type) {
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "number") return value.is_number();
    if (type == "integer") return value.is_number_integer();
    if (type == "boolean") return value.is_boolean();
    if (type == "null") return value.is_null();
    throw std::logic_error("unknown type " + type);
  }

  std::string check_word(const std::string& word, const Json& wanted, const Json& schema, const Json& value,
                         const std::string& where) const {
    if (word == "$schema" || word == "title" || word == "description" || word == "definitions") return "";
    if (word == "$ref") {
      const std::string path = wanted.get<std::string>().substr(1);  // without #
      return check(root_.at(Json::json_pointer(path)), value, where);
    }
    if (word == "type")
      return is_of_type(value, wanted) ? "" : fail(where, "is not of type " + wanted.get<std::string>());
    if (word == "const") return value == wanted ? "" : fail(where, "is not " + wanted.dump());
    if (word == "enum")
      return std::find(wanted.begin(), wanted.end(), value) != wanted.end() ? ""
                                                                            : fail(where, "is none of the choices");
    if (word == "anyOf" || word == "oneOf") return check_choices(word, wanted, value, where);
    if (word == "minLength") return long_enough(value, wanted) ? "" : fail(where, "is too short");
    if (word == "minimum")
      return !value.is_number() || value.get<double>() >= wanted.get<double>() ? "" : fail(where, "is too small");
    if (word == "exclusiveMinimum")
      return !value.is_number() || value.get<double>() > wanted.get<double>() ? "" : fail(where, "is too small");
    if (word == "pattern")
      return !value.is_string() || std::regex_search(value.get<std::string>(), std::regex(wanted.get<std::string>()))
                 ? ""
                 : fail(where, "does not look as it should");
    if (word == "minItems")
      return !value.is_array() || value.size() >= wanted ? "" : fail(where, "has too few entries");
    if (word == "maxItems")
      return !value.is_array() || value.size() <= wanted ? "" : fail(where, "has too many entries");
    if (word == "items") return check_items(wanted, value, where);
    if (word == "required") return check_required(wanted, value, where);
    if (word == "properties" || word == "additionalProperties" || word == "propertyNames")
      return check_properties(word, schema, value, where);
    throw std::logic_error("unknown word of a schema: " + word);
  }

  static bool long_enough(const Json& value, const Json& least) {
    return !value.is_string() || value.get_ref<const std::string&>().size() >= least;
  }

  std::string check_choices(const std::string& word, const Json& choices, const Json& value,
                            const std::string& where) const {
    int fitting = 0;
    for (const Json& choice : choices) fitting += check(choice, value, where).empty() ? 1 : 0;
    if (fitting == 0) return fail(where, "fits none of the forms");
    return word == "oneOf" && fitting > 1 ? fail(where, "fits several forms") : "";
  }

  std::string check_items(const Json& schema, const Json& value, const std::string& where) const {
    for (std::size_t i = 0; value.is_array() && i < value.size(); ++i)
      if (std::string trouble = check(schema, value[i], fmt::format("{}[{}]", where, i)); !trouble.empty())
        return trouble;
    return "";
  }

  static std::string check_required(const Json& keys, const Json& value, const std::string& where) {
    for (const Json& key : keys)
      if (value.is_object() && !value.contains(key)) return fail(where, "lacks " + key.get<std::string>());
    return "";
  }

  std::string check_properties(const std::string& word, const Json& schema, const Json& value,
                               const std::string& where) const {
    if (!value.is_object()) return "";
    const Json none = Json::object();
    const Json& known = schema.contains("properties") ? schema.at("properties") : none;
    for (const auto& [key, item] : value.items()) {
      const std::string place = where.empty() ? key : where + "." + key;
      std::string trouble;
      if (word == "propertyNames") trouble = check(schema.at(word), key, place);
      if (word == "properties" && known.contains(key)) trouble = check(known.at(key), item, place);
      if (word == "additionalProperties" && !known.contains(key)) trouble = check(schema.at(word), item, place);
      if (!trouble.empty()) return trouble;
    }
    return "";
  }

  const Json& root_;
};

}  // namespace

std::string violation(const Json& schema, const Json& value) { return Validator(schema).check(schema, value, ""); }

}  // namespace tandem
