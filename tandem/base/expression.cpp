#include "tandem/base/expression.hpp"

#include <charconv>
#include <numbers>
#include <system_error>
#include <unordered_map>

#include "tandem/base/suggest.hpp"

namespace tandem {
namespace {

using expression_detail::BinaryOp;
using expression_detail::Instruction;
using expression_detail::Kind;
using expression_detail::UnaryOp;

constexpr int max_integer_power = 64;

struct Function {
  std::string_view name;
  std::variant<UnaryOp, BinaryOp> op;
};

constexpr std::array<Function, 14> functions = {{
    {"sin", UnaryOp::Sin},
    {"cos", UnaryOp::Cos},
    {"tan", UnaryOp::Tan},
    {"asin", UnaryOp::Asin},
    {"acos", UnaryOp::Acos},
    {"atan", UnaryOp::Atan},
    {"sqrt", UnaryOp::Sqrt},
    {"exp", UnaryOp::Exp},
    {"log", UnaryOp::Log},
    {"abs", UnaryOp::Abs},
    {"atan2", BinaryOp::Atan2},
    {"min", BinaryOp::Min},
    {"max", BinaryOp::Max},
    {"pow", BinaryOp::Power},
}};

// Characters beyond ASCII that come in with text pasted from a document, and what to write instead.
constexpr std::array<std::array<std::string_view, 2>, 6> lookalikes = {{
    {"\u2212", "-"},
    {"\u2013", "-"},
    {"\u00d7", "*"},
    {"\u00b7", "*"},
    {"\u03c0", "pi"},
    {"\u00b2", "^2"},
}};

// Own tests, as those of <cctype> depend on the locale.
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool starts_operand(char c) { return is_digit(c) || is_letter(c) || c == '.' || c == '('; }

// Of a letter beyond ASCII in UTF-8; 0 when it is none.
std::size_t letter_length(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0xC2 || first > 0xF4) return 0;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (text.size() < length) return 0;
  return std::all_of(text.begin() + 1, text.begin() + static_cast<std::ptrdiff_t>(length),
                     [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; })
             ? length
             : 0;
}

bool is_not_finite(std::string_view word) {
  std::string small(word);
  for (char& c : small)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return small == "nan" || small == "inf" || small == "infinity";
}

const Function* find_function(std::string_view name) {
  const auto found = std::find_if(functions.begin(), functions.end(), [&](const auto& f) { return f.name == name; });
  return found == functions.end() ? nullptr : &*found;
}

std::string shorten(std::string_view text) {
  constexpr std::size_t longest = 40;
  return text.size() <= longest ? std::string(text) : std::string(text.substr(0, longest)) + "...";
}

std::string quote(std::string_view text) { return '"' + shorten(text) + '"'; }

std::string join(std::span<const std::string> words) {
  std::string result;
  for (const std::string& word : words) result += (result.empty() ? "" : ", ") + word;
  return result;
}

// A number of the text: no parameter is bound yet, so nothing but its value is there.
double number(const Instruction& step) { return value_of(step.constant); }

// Recursive descent straight into the postfix program. Every parsing function returns false once error is set, and
// then all of them return at once.
class Parser {
 public:
  Parser(std::string_view text, std::span<const std::string> names, const ExpressionLimits& limits)
      : text_(text), names_(names), limits_(limits) {}

  std::vector<Instruction> program;
  ExpressionError error;

  bool parse() {
    if (text_.size() > limits_.bytes)
      return fail(limits_.bytes, "the expression is longer than " + std::to_string(limits_.bytes) +
                                     " bytes; split it into parameters, or allow more with --limit expression=BYTES");
    if (next() == '\0' && at_end()) return fail(0, "the expression is empty");
    if (!parse_sum()) return false;
    return at_end() || fail_unexpected();
  }

 private:
  bool parse_sum() {
    if (!parse_product()) return false;
    while (next() == '+' || next() == '-') {
      const BinaryOp op = text_[at_++] == '+' ? BinaryOp::Add : BinaryOp::Subtract;
      if (!parse_product()) return false;
      emit(op);
    }
    return true;
  }

  bool parse_product() {
    if (!parse_signed()) return false;
    while (next() == '*' || next() == '/') {
      if (text_.substr(at_, 2) == "**") return fail(at_, "\"**\" is not an operator; use ^ for a power");
      const BinaryOp op = text_[at_++] == '*' ? BinaryOp::Multiply : BinaryOp::Divide;
      if (!parse_signed()) return false;
      emit(op);
    }
    return starts_operand(next()) ? fail_missing_operator() : true;
  }

  // Signs are counted in a loop, so that a long chain of them needs no recursion.
  bool parse_signed() {
    bool negative = false;
    for (; next() == '+' || next() == '-'; ++at_) negative = negative != (peek() == '-');
    if (!parse_power()) return false;
    if (negative) emit(UnaryOp::Negate);
    return true;
  }

  bool parse_power() {
    if (!parse_operand()) return false;
    if (next() != '^') return true;
    if (!enter()) return false;
    ++at_;
    if (!parse_signed()) return false;
    emit(BinaryOp::Power);
    --nesting_;
    return true;
  }

  bool parse_operand() {
    const char c = next();
    if (is_digit(c) || c == '.') return parse_number();
    if (is_letter(c)) return parse_word();
    if (c == '(') return parse_group();
    return fail(at_, "expected a number, a name or \"(\", but found " + describe_next());
  }

  bool parse_number();
  bool parse_word();
  bool parse_call(std::string_view word, std::size_t begin);
  bool parse_closing(std::size_t open);

  bool parse_group() {
    const std::size_t open = at_;
    if (!enter()) return false;
    ++at_;
    if (next() == ')') return fail(open, "there is nothing between the parentheses");
    return parse_sum() && parse_closing(open);
  }

  bool fail(std::size_t column, std::string message) {
    error = {column, std::move(message)};
    return false;
  }
  bool fail_unexpected();
  bool fail_missing_operator();
  bool fail_unknown_name(std::string_view word, std::size_t begin);
  bool fail_unknown_function(std::string_view word, std::size_t begin);
  std::string describe_next() const;

  bool enter() {
    if (++nesting_ <= limits_.depth) return true;
    return fail(at_, "the expression is nested more than " + std::to_string(limits_.depth) +
                         " levels deep; split it into parameters, or allow more with --limit depth=NUMBER");
  }

  std::optional<std::size_t> find_name(std::string_view word);

  bool at_end() const { return at_ == text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[at_]; }
  char next() {
    while (is_space(peek())) ++at_;
    return peek();
  }

  // The numbers in front are folded as they come: cheaper, and a constant exponent is then a single instruction
  // however it was written. In postfix a number at the end is a whole operand, and so is one right before it.
  void emit(UnaryOp op) {
    if (program.back().kind == Kind::Constant) {
      program.back().constant = expression_detail::apply(op, number(program.back()));
    } else {
      program.push_back({.kind = Kind::Unary, .unary = op});
    }
  }
  void emit(BinaryOp op);

  std::string_view text_;
  std::span<const std::string> names_;
  const ExpressionLimits& limits_;
  std::unordered_map<std::string_view, std::size_t> places_;  // of the names, once many words were looked up
  std::size_t lookups_ = 0;
  std::size_t at_ = 0;
  std::size_t nesting_ = 0;
  std::string_view last_operand_;  // the last number, word or ")" read, for messages
};

void Parser::emit(BinaryOp op) {
  const bool right_is_constant = program.back().kind == Kind::Constant;
  const double right = number(program.back());
  const bool small_integer = std::trunc(right) == right && std::abs(right) <= max_integer_power;
  if (op == BinaryOp::Power && right_is_constant && small_integer) {
    program.pop_back();
    const auto exponent = static_cast<std::int32_t>(right);
    if (program.back().kind == Kind::Constant) {
      program.back().constant = expression_detail::integer_power(number(program.back()), exponent);
    } else {
      program.push_back({.kind = Kind::IntegerPower, .integer = exponent});
    }
  } else if (right_is_constant && program[program.size() - 2].kind == Kind::Constant) {
    program.pop_back();
    program.back().constant = expression_detail::apply(op, number(program.back()), right);
  } else {
    program.push_back({.kind = Kind::Binary, .binary = op});
  }
}

bool Parser::parse_number() {
  const std::size_t begin = at_;
  double value = 0.0;
  const auto [end, status] = std::from_chars(text_.data() + begin, text_.data() + text_.size(), value);
  if (status == std::errc::invalid_argument) return fail(begin, "\".\" alone is not a number");
  at_ = static_cast<std::size_t>(end - text_.data());
  last_operand_ = text_.substr(begin, at_ - begin);
  if (status != std::errc()) return fail(begin, "the number " + shorten(last_operand_) + " is out of range");
  if (peek() == '.') {
    while (is_digit(peek()) || peek() == '.') ++at_;
    return fail(begin, quote(text_.substr(begin, at_ - begin)) + " is not a number");
  }
  program.push_back({.kind = Kind::Constant, .constant = value});
  return true;
}

bool Parser::parse_word() {
  const std::size_t begin = at_;
  while (is_letter(peek()) || is_digit(peek())) ++at_;
  const std::string_view word = text_.substr(begin, at_ - begin);
  last_operand_ = word;
  if (next() == '(') return parse_call(word, begin);
  if (const std::optional<std::size_t> name = find_name(word)) {
    program.push_back({.kind = Kind::Name, .integer = static_cast<std::int32_t>(*name)});
    return true;
  }
  if (word == "pi") {
    program.push_back({.kind = Kind::Constant, .constant = std::numbers::pi});
    return true;
  }
  return fail_unknown_name(word, begin);
}

// Most expressions have few words, and many names are worth an index only for more.
std::optional<std::size_t> Parser::find_name(std::string_view word) {
  constexpr std::size_t few = 8;
  if (++lookups_ <= few) {
    const auto found = std::find(names_.begin(), names_.end(), word);
    return found == names_.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - names_.begin()));
  }
  if (places_.empty())
    for (std::size_t i = 0; i < names_.size(); ++i) places_.emplace(names_[i], i);
  const auto found = places_.find(word);
  return found == places_.end() ? std::nullopt : std::optional(found->second);
}

bool Parser::parse_call(std::string_view word, std::size_t begin) {
  const Function* function = find_function(word);
  if (function == nullptr) return fail_unknown_function(word, begin);
  const std::size_t open = at_;
  if (!enter()) return false;
  ++at_;
  std::size_t count = 0;
  if (next() != ')') {
    do {
      if (count > 0) ++at_;  // the comma
      if (!parse_sum()) return false;
      ++count;
    } while (next() == ',');
  }
  if (!parse_closing(open)) return false;
  const std::size_t wanted = function->op.index() + 1;  // the unary operation is the first of the two alternatives
  if (count != wanted) {
    return fail(begin, quote(word) + " takes " + (wanted == 1 ? "1 argument" : "2 arguments") + ", but " +
                           std::to_string(count) + (count == 1 ? " is given" : " are given"));
  }
  std::visit([this](auto op) { emit(op); }, function->op);
  return true;
}

bool Parser::parse_closing(std::size_t open) {
  if (next() == ')') {
    last_operand_ = text_.substr(at_++, 1);
    --nesting_;
    return true;
  }
  if (!at_end()) return fail_unexpected();
  return fail(at_, "missing \")\" for the \"(\" opened at character " + std::to_string(open + 1));
}

// What stands at the current place, for a message. Never copies bytes that may not be valid text.
std::string Parser::describe_next() const {
  if (at_end()) return "the end";
  for (const auto& [seen, instead] : lookalikes) {
    if (text_.substr(at_).starts_with(seen)) return quote(seen) + "; write " + std::string(instead);
  }
  const auto byte = static_cast<unsigned char>(peek());
  if (byte > 0x20 && byte < 0x7f) return quote(text_.substr(at_, 1));
  if (const std::size_t length = letter_length(text_.substr(at_)); length > 1)
    return quote(text_.substr(at_, length)) + "; only plain ASCII text is allowed";
  constexpr std::string_view digits = "0123456789ABCDEF";
  return std::string("byte 0x") + digits[byte / 16] + digits[byte % 16] + "; only plain ASCII text is allowed";
}

bool Parser::fail_unexpected() {
  if (peek() == ')') return fail(at_, "\")\" without a \"(\" before it");
  if (peek() == ',') return fail(at_, "unexpected \",\"; a decimal point is written \".\"");
  return fail(at_, "unexpected " + describe_next());
}

bool Parser::fail_missing_operator() {
  const std::size_t begin = at_;
  do {
    ++at_;
  } while (text_[begin] != '(' && (is_letter(peek()) || is_digit(peek()) || peek() == '.'));
  const std::string left = last_operand_ == ")" ? "(...)" : shorten(last_operand_);
  const std::string right = text_[begin] == '(' ? "(...)" : shorten(text_.substr(begin, at_ - begin));
  return fail(begin, "missing operator; for a product write " + left + "*" + right);
}

bool Parser::fail_unknown_name(std::string_view word, std::size_t begin) {
  if (find_function(word) != nullptr) {
    return fail(begin, quote(word) + " is a function; write " + std::string(word) + "(...)");
  }
  if (is_not_finite(word)) return fail(begin, quote(word) + " is no number here: every number must be finite");
  std::vector<std::string> known(names_.begin(), names_.end());
  known.emplace_back("pi");
  const std::vector<std::string> allowed = known;
  for (const Function& function : functions) known.emplace_back(function.name);
  std::string hint = did_you_mean(word, known);
  constexpr std::size_t most_listed = 10;
  if (hint.empty() && allowed.size() <= most_listed) hint = "; known here: " + join(allowed);
  return fail(begin, "unknown name " + quote(word) + hint);
}

bool Parser::fail_unknown_function(std::string_view word, std::size_t begin) {
  if (word == "pi" || std::find(names_.begin(), names_.end(), word) != names_.end()) {
    return fail(at_, quote(word) + " is not a function; for a product write " + shorten(word) + "*(...)");
  }
  std::vector<std::string> known;
  for (const Function& function : functions) known.emplace_back(function.name);
  std::string hint = did_you_mean(word, known);
  if (hint.empty()) hint = "; the functions are " + join(known);
  return fail(begin, "unknown function " + quote(word) + hint);
}

}  // namespace

std::variant<Expression, ExpressionError> Expression::parse(std::string_view text, std::span<const std::string> names,
                                                            const ExpressionLimits& limits) {
  Parser parser(text, names, limits);
  if (!parser.parse()) return parser.error;
  Expression result(std::string(text), std::move(parser.program), names.size());
  if (result.stack_needed_ > max_stack) {
    return ExpressionError{
        0, "the expression holds more than " + std::to_string(max_stack) + " intermediate values at once; split it up"};
  }
  return result;
}

bool Expression::is_reserved(std::string_view word) { return word == "pi" || find_function(word) != nullptr; }

Expression Expression::bind(std::span<const Real> first_values) const {
  Expression bound = *this;
  for (auto& instruction : bound.program_) {
    if (instruction.kind != expression_detail::Kind::Name) continue;
    const auto name = static_cast<std::size_t>(instruction.integer);
    if (name < first_values.size()) {
      instruction.kind = expression_detail::Kind::Constant;
      instruction.constant = first_values[name];
    } else {
      instruction.integer -= static_cast<std::int32_t>(first_values.size());
    }
  }
  bound.name_count_ -= first_values.size();
  return bound;
}

std::vector<std::size_t> Expression::used_names() const {
  std::vector<std::size_t> result;
  for (const Instruction& step : program_) {
    if (step.kind == Kind::Name) result.push_back(static_cast<std::size_t>(step.integer));
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

}  // namespace tandem
