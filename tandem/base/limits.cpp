#include "tandem/base/limits.hpp"

#include <array>

namespace tandem {

// Lines and columns are counted in int, and so is all that a model numbers.
static constexpr std::size_t largest_count = 2'000'000'000;

// Every level of an expression is a few calls deep in the parser.
static constexpr std::size_t deepest_expression = 1000;

std::span<const LimitName> limit_names() {
  static constexpr std::array<LimitName, 9> names{{
      {"file", [](ReadLimits& l) -> std::size_t& { return l.file; }, largest_count, "bytes of a file"},
      {"values", [](ReadLimits& l) -> std::size_t& { return l.values; }, largest_count,
       "numbers, texts, lists and tables of a file"},
      {"bodies", [](ReadLimits& l) -> std::size_t& { return l.bodies; }, largest_count, "bodies of a model"},
      {"rows", [](ReadLimits& l) -> std::size_t& { return l.rows; }, largest_count,
       "entries of a list, rows of a table"},
      {"parameters", [](ReadLimits& l) -> std::size_t& { return l.parameters; }, largest_count,
       "parameters of a model"},
      {"outputs", [](ReadLimits& l) -> std::size_t& { return l.outputs; }, largest_count,
       "outputs, stops and starts, of each"},
      {"name", [](ReadLimits& l) -> std::size_t& { return l.name; }, largest_count, "bytes of a name"},
      {"expression", [](ReadLimits& l) -> std::size_t& { return l.expression.bytes; }, largest_count,
       "bytes of an expression"},
      {"depth", [](ReadLimits& l) -> std::size_t& { return l.expression.depth; }, deepest_expression,
       "levels of parentheses, calls and exponents in an expression"},
  }};
  return names;
}

ReadLimits ReadLimits::of_accepted_text() {
  ReadLimits limits;
  for (const LimitName& limit : limit_names()) limit.of(limits) = limit.largest;
  return limits;
}

}  // namespace tandem
