// An expression of any text: refused with a message and a place in it, or a function that has the same value on
// numbers, on duals and with its parameters bound.
#include "tandem/base/expression.hpp"

#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "tandem/base/dual.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tandem;
  const std::vector<std::string> names{"a", "length", "t"};
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto parsed = Expression::parse(text, names);
  if (const auto* error = std::get_if<ExpressionError>(&parsed)) {
    if (error->column > size || error->message.empty()) std::abort();
    return 0;
  }
  const auto& expression = std::get<Expression>(parsed);
  const std::vector<double> values{0.5, -2.0, 3.0};
  const double value = expression.evaluate<double>(values);
  const std::vector<Dual<double>> duals{{0.5, 1.0}, {-2.0, 0.0}, {3.0, 0.0}};
  const double same = expression.evaluate<Dual<double>>(duals).value;
  const double bound = expression.bind(std::span(values).first(2)).evaluate<double>(std::span(values).last(1));
  for (const double other : {same, bound})
    if (other != value && (std::isfinite(value) || std::isfinite(other))) std::abort();
  return 0;
}
