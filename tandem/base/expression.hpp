#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "tandem/base/elementary.hpp"
#include "tandem/base/limits.hpp"
#include "tandem/base/scalar.hpp"

// Arithmetic expressions of named values, such as `0.5*sin(2*pi*t)`.
//
// The grammar is closed: numbers, names, pi, + - * / ^, parentheses, and a fixed list of functions. Evaluation is a
// template over the scalar, so that the same expression evaluated on dual numbers gives its exact derivatives.
namespace tandem {

// `column` is the 0-based byte offset into the text. Places named inside `message` count characters from 1.
struct ExpressionError {
  std::size_t column = 0;
  std::string message;
};

namespace expression_detail {

enum class UnaryOp : std::uint8_t { Negate, Sin, Cos, Tan, Asin, Acos, Atan, Sqrt, Exp, Log, Abs };
enum class BinaryOp : std::uint8_t { Add, Subtract, Multiply, Divide, Power, Atan2, Min, Max };
enum class Kind : std::uint8_t { Constant, Name, IntegerPower, Unary, Binary };

// One step of the postfix program. Only the members that `kind` calls for are meaningful.
struct Instruction {
  Kind kind = Kind::Constant;
  UnaryOp unary = UnaryOp::Negate;
  BinaryOp binary = BinaryOp::Add;
  std::int32_t integer = 0;  // index of a name, or the exponent of an integer power
  Real constant = 0.0;
};

template <class T> T apply(UnaryOp op, const T& a) {
  using std::abs, std::sqrt;
  switch (op) {
    case UnaryOp::Negate:
      return -a;
    case UnaryOp::Sin:
      return sin(a);
    case UnaryOp::Cos:
      return cos(a);
    case UnaryOp::Tan:
      return tan(a);
    case UnaryOp::Asin:
      return asin(a);
    case UnaryOp::Acos:
      return acos(a);
    case UnaryOp::Atan:
      return atan(a);
    case UnaryOp::Sqrt:
      return sqrt(a);
    case UnaryOp::Exp:
      return exp(a);
    case UnaryOp::Log:
      return log(a);
    case UnaryOp::Abs:
      return abs(a);
  }
  return a;  // not reached: every operation is listed above
}

template <class T> T apply(BinaryOp op, const T& a, const T& b) {
  using std::max, std::min;
  switch (op) {
    case BinaryOp::Add:
      return a + b;
    case BinaryOp::Subtract:
      return a - b;
    case BinaryOp::Multiply:
      return a * b;
    case BinaryOp::Divide:
      return a / b;
    case BinaryOp::Power:
      return pow(a, b);
    case BinaryOp::Atan2:
      return atan2(a, b);
    case BinaryOp::Min:
      return min(a, b);
    case BinaryOp::Max:
      return max(a, b);
  }
  return a;  // not reached: every operation is listed above
}

// By repeated squaring rather than pow(): the general power goes through log(), which has no derivative to give for
// a base that is zero or negative.
template <class T> T integer_power(T base, std::int32_t exponent) {
  T result(1.0);
  for (std::int32_t n = exponent < 0 ? -exponent : exponent; n > 0;) {
    if (n % 2 != 0) result = result * base;
    n /= 2;
    if (n > 0) base = base * base;
  }
  return exponent < 0 ? T(1.0) / result : result;
}

}  // namespace expression_detail

class Expression {
 public:
  static constexpr std::size_t max_stack = 128;  // intermediate values pending at once

  // `names` are the variables that may occur, in the order in which evaluate() gets their values. A name hides the
  // constant pi if it is spelled the same; of two equal names the first counts.
  static std::variant<Expression, ExpressionError> parse(std::string_view text, std::span<const std::string> names,
                                                         const ExpressionLimits& limits = {});

  // The value for the given values of the names, one for each name given to parse(); throws std::invalid_argument
  // when their number differs. Does not allocate. A result that is not finite is returned as it is.
  template <class T> T evaluate(std::span<const T> values) const {
    if (values.size() != name_count_) {
      throw std::invalid_argument("Expression::evaluate: the number of values differs from the number of names");
    }
    // Nearly all expressions need only a few places, and setting up the full stack would cost more than they do.
    return stack_needed_ <= small_stack ? run<T, small_stack>(values) : run<T, max_stack>(values);
  }

  // Whether the grammar itself takes this word: pi or a function.
  static bool is_reserved(std::string_view word);

  const std::string& text() const { return text_; }

  // The indexes of the names that occur, ascending, each once.
  std::vector<std::size_t> used_names() const;

  // The same expression with the first names replaced by numbers; the names after them are left.
  Expression bind(std::span<const Real> first_values) const;

  // The steps of its evaluation, for those who look into it.
  std::span<const expression_detail::Instruction> program() const { return program_; }

  // Whether no name occurs.
  bool is_constant() const { return used_names().empty(); }

 private:
  using Program = std::vector<expression_detail::Instruction>;
  static constexpr std::size_t small_stack = 16;

  Expression(std::string text, Program program, std::size_t name_count)
      : text_(std::move(text)), program_(std::move(program)), name_count_(name_count) {
    std::size_t depth = 0;
    for (const expression_detail::Instruction& step : program_) {
      using expression_detail::Kind;
      if (step.kind == Kind::Constant || step.kind == Kind::Name) stack_needed_ = std::max(stack_needed_, ++depth);
      if (step.kind == Kind::Binary) --depth;
    }
  }

  template <class T, std::size_t size> T run(std::span<const T> values) const;

  std::string text_;
  Program program_;
  std::size_t name_count_;
  std::size_t stack_needed_ = 0;
};

// The parser has made sure that the program is well formed and that the stack is large enough.
template <class T, std::size_t size> T Expression::run(std::span<const T> values) const {
  using expression_detail::Kind;
  std::array<T, size> stack{};
  std::size_t top = 0;  // one past the last value
  for (const expression_detail::Instruction& step : program_) {
    switch (step.kind) {
      case Kind::Constant:
        stack[top++] = T(step.constant);
        break;
      case Kind::Name:
        stack[top++] = values[static_cast<std::size_t>(step.integer)];
        break;
      case Kind::IntegerPower:
        stack[top - 1] = expression_detail::integer_power<T>(stack[top - 1], step.integer);
        break;
      case Kind::Unary:
        stack[top - 1] = expression_detail::apply<T>(step.unary, stack[top - 1]);
        break;
      case Kind::Binary:
        stack[top - 2] = expression_detail::apply<T>(step.binary, stack[top - 2], stack[top - 1]);
        --top;
        break;
    }
  }
  return stack[0];
}

}  // namespace tandem
