#include "tandem/io/model/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tandem/base/suggest.hpp"

namespace tandem {

// Parameters are resolved by recursion; a longer chain is a mistake or an attack.
static constexpr std::size_t longest_chain = 1000;

namespace {

bool is_identifier(std::string_view name) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
  constexpr std::string_view digits = "0123456789";
  if (name.empty() || digits.find(name[0]) != std::string_view::npos) return false;
  return std::all_of(name.begin(), name.end(), [&](char c) {
    return letters.find(c) != std::string_view::npos || digits.find(c) != std::string_view::npos;
  });
}

// The place of a character inside a text, when the text stands on one line.
Location inside(const Node& node, std::size_t offset) {
  if (node.text_where.line == 0) return node.where;
  return {node.where.file, node.text_where.line, node.text_where.column + static_cast<int>(offset)};
}

void tell_not_a_number(const Node& node, std::string_view label, Faults& faults) {
  faults.error_at(node.where,
                  fmt::format("{} must be a number or an expression in quotes, not {}", label, node.kind_name()));
}

// What is said of an expression.
std::string not_finite(double value, std::string_view when) {
  return std::isnan(value) ? fmt::format("is not a number{}", when)
                           : fmt::format("gives {}{}, not a finite number", value, when);
}

bool is_finite(double value, const Node& node, std::string_view label, Faults& faults) {
  if (std::isfinite(value)) return true;
  if (node.is(Node::Kind::text))
    faults.error_at(node.where, fmt::format("{}: \"{}\" {}", label, node.text, not_finite(value, "")));
  else
    faults.error_at(node.where, fmt::format("{} must be a finite number, not {}", label, std::abs(value)));
  return false;
}

}  // namespace

Parameters::Parameters(const Node* table, const Values& overrides, const std::string& file_name, Faults& faults,
                       const ExpressionLimits& limits, Evaluated* evaluated)
    : limits_(limits), evaluated_(evaluated) {
  if (table && !table->is(Node::Kind::table)) {
    faults.about("parameters", table->where);
    faults.error(
        fmt::format("parameters must be a table [parameters] of names and numbers, not {}", table->kind_name()));
  } else if (table) {
    for (const Node& node : table->items) add(node, faults);
  }
  override_with(overrides, file_name, faults);
  std::vector<std::size_t> chain;
  for (std::size_t i = 0; i < entries_.size(); ++i) resolve(i, chain, faults);
}

void Parameters::add(const Node& node, Faults& faults) {
  faults.about("parameters", node.key_where);
  if (!is_identifier(node.key))
    return faults.error(
        fmt::format("\"{}\" cannot be the name of a parameter: use letters, digits and _, and do not "
                    "begin with a digit",
                    node.key));
  if (node.key == "t" || Expression::is_reserved(node.key))
    return faults.error(fmt::format("\"{}\" cannot be the name of a parameter: expressions use it for {}", node.key,
                                    node.key == "t"    ? "the time"
                                    : node.key == "pi" ? "the number pi"
                                                       : "a function"));
  names_.push_back(node.key);
  values_.push_back(0.0);
  entries_.push_back({&node, State::waiting});
}

void Parameters::override_with(const Values& overrides, const std::string& file_name, Faults& faults) {
  faults.about("--set", {file_name, 0, 0});
  for (const auto& [name, value] : overrides) {
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found == names_.end()) {
      std::string hint = did_you_mean(name, names_);
      if (hint.empty()) hint = names_.empty() ? "; the model has no parameters" : "; there are " + list_of(names_);
      faults.error(fmt::format("there is no parameter \"{}\"{}", name, hint));
      continue;
    }
    const auto which = static_cast<std::size_t>(found - names_.begin());
    values_[which] = value;
    const double number = value_of(value);
    entries_[which].state = std::isfinite(number) ? State::known : State::failed;
    if (!std::isfinite(number)) faults.error(fmt::format("\"{}\" must be a finite number, not {}", name, number));
  }
}

void Parameters::resolve(std::size_t which, std::vector<std::size_t>& chain, Faults& faults) {
  Entry& entry = entries_[which];
  if (entry.state == State::known || entry.state == State::failed) return;
  if (entry.state == State::in_progress) {  // back at a parameter of the chain: it closes a circle
    auto at = std::find(chain.begin(), chain.end(), which);
    std::string circle;
    for (auto i = at; i != chain.end(); ++i) circle += names_[*i] + " -> ";
    faults.about("parameters", entry.node->where);
    faults.error(fmt::format("parameters must not depend on each other in a circle: {}{}", circle, names_[which]));
    for (; at != chain.end(); ++at) entries_[*at].state = State::failed;
    return;
  }
  if (chain.size() >= longest_chain) {
    faults.about("parameters", entry.node->where);
    faults.error(fmt::format(
        "parameters depend on each other through more than {} steps; write some of them as numbers", longest_chain));
    entry.state = State::failed;
    return;
  }
  entry.state = State::in_progress;
  chain.push_back(which);
  const Node& node = *entry.node;
  std::optional<Real> value;
  const auto parsed = Expression::parse(node.text, names_, limits_);
  const auto* expression = node.is(Node::Kind::text) ? std::get_if<Expression>(&parsed) : nullptr;
  if (!expression || resolve_used(*expression, chain, faults)) {
    faults.about("parameters", node.where);
    value = number(node, names_[which], faults);
  }
  chain.pop_back();
  if (entry.state != State::failed) entry.state = value ? State::known : State::failed;
  values_[which] = value.value_or(0.0);
}

bool Parameters::resolve_used(const Expression& expression, std::vector<std::size_t>& chain, Faults& faults) {
  for (const std::size_t used : expression.used_names()) resolve(used, chain, faults);
  return !uses_failed(expression);
}

bool Parameters::uses_failed(const Expression& expression) const {
  const std::vector<std::size_t> used = expression.used_names();
  return std::any_of(used.begin(), used.end(),
                     [this](std::size_t i) { return i < entries_.size() && entries_[i].state == State::failed; });
}

std::string with_numbers(std::string_view text, const Parameters::Values& values) {
  const auto is_word = [](char c) { return is_identifier(std::string_view(&c, 1)) || (c >= '0' && c <= '9'); };
  std::string out;
  for (std::size_t at = 0, end = 0; at < text.size(); at = end) {
    // A number such as 1e5 is passed over as a whole, so that its e is no name.
    end = at + 1;
    while (is_word(text[at]) && end < text.size() && is_word(text[end])) ++end;
    const std::string_view word = text.substr(at, end - at);
    const std::size_t next = std::min(text.find_first_not_of(" \t\r\n", end), text.size());
    const bool called = next < text.size() && text[next] == '(';
    const bool behind_point = at > 0 && text[at - 1] == '.';  // the e5 of 1.e5
    const auto found = std::find_if(values.begin(), values.end(), [&](const auto& each) { return each.first == word; });
    if (found == values.end() || called || behind_point)
      out += word;
    else
      out += value_of(found->second) < 0.0 ? fmt::format("({})", value_of(found->second))
                                           : fmt::format("{}", value_of(found->second));
  }
  return out;
}

Parameters::Values Parameters::values() const {
  Values result;
  for (std::size_t i = 0; i < names_.size(); ++i) result.emplace_back(names_[i], values_[i]);
  return result;
}

std::optional<Real> Parameters::evaluated(const Expression& expression, const Node& node, std::string_view label,
                                          Faults& faults) const {
  if (uses_failed(expression)) return std::nullopt;  // told where the parameter stands
  const Real value = expression.evaluate<Real>(values_);
  return is_finite(value_of(value), node, label, faults) ? std::optional<Real>(value) : std::nullopt;
}

std::optional<Real> Parameters::noted(const Node& node, std::optional<Real> value) const {
  if (!evaluated_ || !value) return value;
  Node& out = (*evaluated_)[&node];
  out.kind = Node::Kind::number;
  out.number = value_of(*value);
  return value;
}

std::optional<Real> Parameters::number(const Node& node, std::string_view label, Faults& faults) const {
  if (node.is(Node::Kind::number))
    return is_finite(node.number, node, label, faults) ? std::optional<Real>(node.number) : std::nullopt;
  if (!node.is(Node::Kind::text)) {
    tell_not_a_number(node, label, faults);
    return std::nullopt;
  }
  const auto parsed = Expression::parse(node.text, names_, limits_);
  if (const auto* expression = std::get_if<Expression>(&parsed))
    return noted(node, evaluated(*expression, node, label, faults));
  const auto& error = std::get<ExpressionError>(parsed);
  std::vector<std::string> with_time = names_;
  with_time.emplace_back("t");
  const auto of_time = Expression::parse(node.text, with_time, limits_);
  if (std::holds_alternative<Expression>(of_time))
    faults.error_at(inside(node, error.column),
                    fmt::format("{} must be constant; the time t cannot be used here", label));
  else
    faults.error_at(inside(node, error.column), fmt::format("{}: {}", label, error.message));
  return std::nullopt;
}

std::optional<TimeFunction> Parameters::function(const Node& node, std::string_view label, Faults& faults) const {
  if (!node.is(Node::Kind::text)) {
    const std::optional<Real> constant = number(node, label, faults);
    return constant ? std::optional<TimeFunction>(*constant) : std::nullopt;
  }
  std::vector<std::string> with_time = names_;
  with_time.emplace_back("t");
  const auto parsed = Expression::parse(node.text, with_time, limits_);
  if (const auto* error = std::get_if<ExpressionError>(&parsed)) {
    faults.error_at(inside(node, error->column), fmt::format("{}: {}", label, error->message));
    return std::nullopt;
  }
  const auto& expression = std::get<Expression>(parsed);
  if (uses_failed(expression)) return std::nullopt;
  const Expression of_time = expression.bind(values_);
  const Real zero = 0.0;
  const Real start = of_time.evaluate<Real>(std::span<const Real>(&zero, 1));
  if (of_time.is_constant()) {
    if (!is_finite(value_of(start), node, label, faults)) return std::nullopt;
    return TimeFunction(*noted(node, start));
  }
  if (std::isfinite(value_of(start))) {
    if (evaluated_) {
      Node& out = (*evaluated_)[&node];
      out.kind = Node::Kind::text;
      out.text = with_numbers(node.text, values());
    }
    return TimeFunction(of_time);
  }
  faults.error_at(node.where, fmt::format("{}: \"{}\" {}", label, node.text, not_finite(value_of(start), " at t = 0")));
  return std::nullopt;
}

}  // namespace tandem
