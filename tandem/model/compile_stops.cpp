// Stop conditions: a text such as "abs(lean) > 1.2" becomes two expressions of the quantities that it names.
#include <algorithm>

#include "tandem/model/compiler.hpp"

namespace tandem {

namespace {

constexpr const char* example = "\"abs(lean) > 1.2\"";

struct BuiltIn {
  const char* name;
  Quantity quantity;
  const char* unit;
};
constexpr std::array built_ins{
    BuiltIn{"t", Quantity::time, "s"},
    BuiltIn{"kinetic_energy", Quantity::kinetic_energy, "J"},
    BuiltIn{"potential_energy", Quantity::potential_energy, "J"},
    BuiltIn{"energy", Quantity::energy, "J"},
    BuiltIn{"largest_speed", Quantity::largest_speed, ""},
    BuiltIn{"lowest_load", Quantity::lowest_load, "N"},
};

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool is_usable(const std::string& name) {
  return !name.empty() && !(name[0] >= '0' && name[0] <= '9') &&
         std::all_of(name.begin(), name.end(), is_word_character) && !Expression::is_reserved(name);
}

// The name as an expression could use it: rear_hub_speed for "rear hub speed".
std::string usable_name(const std::string& name) {
  std::string usable;
  for (const char c : name) {
    if (is_word_character(c))
      usable += c;
    else if (!usable.empty() && usable.back() != '_')
      usable += '_';
  }
  while (!usable.empty() && usable.back() == '_') usable.pop_back();
  return is_usable(usable) ? usable : "output_" + usable;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The place of a character of `when`; the text itself when it spans lines or was given in C++.
Location inside(const Source& source, std::size_t offset) {
  Location where = source.at("when[text]");
  if (source.keys.contains("when[text]")) where.column += static_cast<int>(offset);
  return where;
}

// The two sides of the sign; the second begins at character `after`.
struct Comparison {
  std::string_view first, last;
  std::size_t after = 0;
  bool greater = true;
};

std::optional<Comparison> split(const StopDescription& in, Faults& faults) {
  const std::string_view text = in.when;
  const std::size_t sign = text.find_first_of("<>");
  if (sign == std::string_view::npos) {
    const bool equality = text.find('=') != std::string_view::npos;
    faults.error_at(inside(in.source, 0),
                    equality ? "a step hardly ever meets a value exactly: compare with < or > instead of ="
                             : fmt::format("when must compare two expressions with < or >, such as {}", example));
    return std::nullopt;
  }
  if (const std::size_t second = text.find_first_of("<>", sign + 1); second != std::string_view::npos) {
    faults.error_at(inside(in.source, second), "a stop has one comparison only; write another [[stop]] for the second");
    return std::nullopt;
  }
  const std::size_t after = sign + (text.substr(sign + 1, 1) == "=" ? 2 : 1);
  return Comparison{text.substr(0, sign), text.substr(after), after, text[sign] == '>'};
}

}  // namespace

void Compiler::compile_stops() {
  Names taken;
  for (const StopDescription& in : in_.stops) {
    begin("stop", in, taken);
    if (!in.source.is_refused("when")) compile_stop(in);
  }
}

void Compiler::compile_stop(const StopDescription& in) {
  const std::optional<Comparison> comparison = split(in, faults_);
  if (!comparison) return;
  const auto [first_text, last_text, after, greater] = *comparison;
  // Parameters come first, so that they can be bound to their numbers.
  std::vector<std::string> parameters, quantities;
  std::vector<Real> values;
  for (const auto& [name, value] : in_.parameters) {
    parameters.push_back(name);
    values.push_back(value);
  }
  for (const OutputDescription& output : in_.outputs)
    if (is_usable(output.name)) quantities.push_back(output.name);
  for (const BuiltIn& known : built_ins)
    if (!contains(quantities, known.name)) quantities.emplace_back(known.name);
  std::vector<std::string> names = parameters;
  names.insert(names.end(), quantities.begin(), quantities.end());

  const auto first = stop_side(in, first_text, 0, names), last = stop_side(in, last_text, after, names);
  if (!first || !last) return;

  const auto fault = [&](std::string message) { faults_.error_at(inside(in.source, 0), std::move(message)); };
  // Only what is named is measured in a run.
  std::vector<std::string> used;
  for (const Expression& side : {*first, *last})
    for (const std::size_t i : side.used_names()) {
      if (i < parameters.size() && contains(quantities, names[i]))
        return fault(fmt::format("\"{}\" is both a parameter and {}; rename one of them", names[i],
                                 contains(names_of(in_.outputs), names[i]) ? "an output" : "built in"));
      if (i >= parameters.size() && !contains(used, names[i])) used.push_back(names[i]);
    }
  if (used.empty()) return fault("the condition never changes: name an output, t or energy in it");
  if (used.size() > ModelStop::most_quantities)
    return fault(fmt::format("a stop may use at most {} quantities, not {}", ModelStop::most_quantities, used.size()));
  std::vector<ModelOutput> measured;
  for (const std::string& name : used) {
    const auto quantity = stop_quantity(in, name);
    if (!quantity) return;
    measured.push_back(*quantity);
  }
  parameters.insert(parameters.end(), used.begin(), used.end());
  const Expression left = stop_side(in, first_text, 0, parameters)->bind(values);
  const Expression right = stop_side(in, last_text, after, parameters)->bind(values);
  out_.stops.push_back({in.name, in.when, greater ? left : right, greater ? right : left, std::move(measured)});
}

// One side of the comparison; it begins at character `first` of the text.
std::optional<Expression> Compiler::stop_side(const StopDescription& in, std::string_view side, std::size_t first,
                                              const std::vector<std::string>& names) {
  if (side.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    faults_.error_at(inside(in.source, first),
                     fmt::format("there is nothing on the {} of the comparison; write it as {}",
                                 first == 0 ? "left" : "right", example));
    return std::nullopt;
  }
  // Blanks in front keep the places in messages those of the whole text.
  auto parsed = Expression::parse(std::string(first, ' ') + std::string(side), names, in_.expression_limits);
  if (auto* expression = std::get_if<Expression>(&parsed)) return std::move(*expression);
  if (any_name_refused(in_.outputs)) return std::nullopt;  // told where the output stands
  const auto& error = std::get<ExpressionError>(parsed);
  std::string message = unusable_output(in.when, error.column);
  if (message.empty()) message = "when: " + error.message;
  if (message.starts_with("when: unknown name") && message.find(';') == std::string::npos)
    message +=
        "; a stop knows outputs, parameters, t, kinetic_energy, potential_energy, energy, largest_speed and "
        "lowest_load";
  faults_.error_at(inside(in.source, error.column), message);
  return std::nullopt;
}

// The message when the fault at a character of `when` is an output whose name is no name of an expression; else "".
std::string Compiler::unusable_output(const std::string& when, std::size_t at) const {
  std::size_t end = at;
  while (end < when.size() && is_word_character(when[end])) ++end;
  const std::string word = when.substr(std::min(at, when.size()), end - at);
  for (const OutputDescription& output : in_.outputs) {
    if (output.name.empty() || is_usable(output.name)) continue;
    const std::string usable = usable_name(output.name);
    const std::size_t from = at > output.name.size() ? at - output.name.size() : 0;
    const std::size_t found = when.find(output.name, from);
    const bool written = found != std::string::npos && found <= at;
    if (written || closest(word, std::span(&usable, 1)))
      return fmt::format(
          "output \"{}\" cannot be used in an expression: its name must be made of letters, digits and _, such as "
          "\"{}\"",
          output.name, usable);
  }
  return "";
}

// What a name stands for; nothing, with the fault told, when the model does not have it.
std::optional<ModelOutput> Compiler::stop_quantity(const StopDescription& in, const std::string& name) {
  for (const ModelOutput& output : out_.outputs)
    if (output.name == name) return output;
  if (contains(names_of(in_.outputs), name)) return std::nullopt;  // told where the output stands
  const auto* known =
      std::find_if(built_ins.begin(), built_ins.end(), [&](const BuiltIn& b) { return b.name == name; });
  const auto carries_load = [](const ModelConstraint& constraint) { return constraint.carries_load(); };
  if (known->quantity == Quantity::lowest_load &&
      std::none_of(out_.constraints.begin(), out_.constraints.end(), carries_load)) {
    if (!faults_.any_error())  // a wheel may be missing because of its own fault
      error(in.source, "when",
            "lowest_load is the smallest normal force of a wheel, ball or surface, and the model has none");
    return std::nullopt;
  }
  ModelOutput out;
  out.name = name;
  out.unit = known->unit;
  out.quantity = known->quantity;
  return out;
}

}  // namespace tandem
