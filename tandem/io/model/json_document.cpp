// JSON by the letter of RFC 8259, with the place of everything. Depth and number of values are bounded.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <unordered_map>

#include "tandem/io/model/document.hpp"
#include "tandem/io/model/utf8.hpp"

namespace tandem {

namespace {

class JsonParser {
 public:
  JsonParser(std::string_view text, const std::string& file, const ReadLimits& limits)
      : text_(text), file_(file), limits_(limits) {
    if (text_.starts_with("\xef\xbb\xbf")) at_ = counted_ = 3;  // the mark that some editors put in front
  }

  Location fault_where{};
  std::string fault;
  bool is_syntax = true;  // the fault is that the text is not JSON

  bool parse(Node& root) {
    if (!value(root, 0)) return false;
    if (next() != '\0' || !at_end()) return fail("there is more text after the end of the object");
    is_syntax = false;
    if (!root.is(Node::Kind::table))
      return fail_at(root.where,
                     fmt::format("a model is an object {{ \"format\": 1, ... }}, not {}", root.kind_name()));
    return true;
  }

 private:
  bool value(Node& out, int depth) {
    const char c = next();
    out.where = here();
    if (++values_ > limits_.values)
      return is_syntax = false,
             fail(
                 fmt::format("the file holds more than {} values; is it a model? Allow more with --limit values=NUMBER",
                             limits_.values));
    if ((c == '{' || c == '[') && depth >= deepest_value) return is_syntax = false, fail(too_deep());
    if (c == '{') return object(out, depth);
    if (c == '[') return list(out, depth);
    if (c == '"') {
      out.kind = Node::Kind::text;
      out.text_where = {file_, line_, column() + 1};
      bool plain = true;
      if (!text(out.text, plain)) return false;
      if (!plain) out.text_where.line = 0;
      return true;
    }
    if (c == '-' || is_digit(c)) return number(out);
    return word(out);
  }

  bool object(Node& out, int depth) {
    out.kind = Node::Kind::table;
    std::unordered_map<std::string, Location> seen;
    ++at_;
    if (next() == '}') return ++at_, true;
    while (true) {
      if (next() == '}') return fail("a comma must not stand before \"}\"");
      if (peek() != '"') return fail(fmt::format("a key in double quotes must stand here, not {}", what_is_here()));
      Node item;
      item.key_where = here();
      bool plain = true;
      if (!text(item.key, plain)) return false;
      const auto [first, is_new] = seen.emplace(item.key, item.key_where);
      if (!is_new)
        return fail_at(item.key_where, fmt::format("the key \"{}\" is given twice; it stands in line {} already",
                                                   shown(item.key), first->second.line));
      if (next() != ':') return fail(fmt::format("\":\" must follow a key, not {}", what_is_here()));
      ++at_;
      if (!value(item, depth + 1)) return false;
      out.items.push_back(std::move(item));
      if (next() == '}') return ++at_, true;
      if (peek() != ',') return fail(fmt::format("\",\" or \"}}\" must follow a value, not {}", what_is_here()));
      ++at_;
    }
  }

  bool list(Node& out, int depth) {
    out.kind = Node::Kind::list;
    ++at_;
    if (next() == ']') return ++at_, true;
    while (true) {
      if (next() == ']') return fail("a comma must not stand before \"]\"");
      Node item;
      if (!value(item, depth + 1)) return false;
      out.items.push_back(std::move(item));
      if (next() == ']') return ++at_, true;
      if (peek() != ',') return fail(fmt::format("\",\" or \"]\" must follow a value, not {}", what_is_here()));
      ++at_;
    }
  }

  bool text(std::string& out, bool& plain) {
    const Location begin = here();
    for (++at_; !at_end(); ++at_) {
      const auto byte = static_cast<unsigned char>(text_[at_]);
      if (byte == '"') return ++at_, true;
      if (byte == '\n') break;
      if (byte < 0x20)
        return fail(
            fmt::format("a control character (byte 0x{:02X}) must not stand in a text; write \\u{:04X}", byte, byte));
      if (byte == '\\') {
        plain = false;
        if (!escape(out)) return false;
      } else if (byte < 0x80) {
        out += text_[at_];
      } else {
        const std::size_t length = utf8_length(text_.substr(at_));
        if (length == 0) return fail(fmt::format("byte 0x{:02X} is not UTF-8; save the file as UTF-8", byte));
        plain = false;  // columns count characters, and places inside a text bytes
        out += text_.substr(at_, length);
        at_ += length - 1;
      }
    }
    return fail_at(begin, "the text that begins here is not closed; a double quote must end it on the same line");
  }

  // On the backslash; ends on the last character of what it stands for.
  bool escape(std::string& out) {
    constexpr std::string_view letters = "\"\\/bfnrt", meant = "\"\\/\b\f\n\r\t";
    const char c = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    if (const std::size_t which = letters.find(c); c != '\0' && which != std::string_view::npos) {
      out += meant[which];
      ++at_;
      return true;
    }
    if (c != 'u') return fail("a backslash in a text must be one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX");
    unsigned code = 0;
    if (!hex(at_ + 2, code)) return fail("\\u must be followed by four hexadecimal digits");
    std::size_t length = 5;
    if (code >= 0xD800 && code < 0xE000) {  // half of a character beyond 0xFFFF
      unsigned second = 0;
      if (code >= 0xDC00 || text_.substr(at_ + 6, 2) != "\\u" || !hex(at_ + 8, second) || second < 0xDC00 ||
          second > 0xDFFF)
        return fail("\\uD800 to \\uDFFF stand only in pairs, for one character");
      code = 0x10000 + ((code - 0xD800) << 10U) + (second - 0xDC00);
      length = 11;
    }
    append_utf8(code, out);
    at_ += length;
    return true;
  }

  bool hex(std::size_t from, unsigned& code) const {
    if (from + 4 > text_.size()) return false;
    const char* end = text_.data() + from + 4;
    return std::from_chars(text_.data() + from, end, code, 16).ptr == end;
  }

  bool number(Node& out) {
    const std::size_t begin = at_;
    const auto digits = [this] {
      const std::size_t first = at_;
      while (is_digit(peek())) ++at_;
      return at_ > first;
    };
    if (peek() == '-') ++at_;
    if (is_not_finite()) return fail_at(out.where, "every number must be finite");
    const bool leading_zero = peek() == '0' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]);
    bool good = digits() && !leading_zero;
    if (good && peek() == '.') good = (++at_, digits());
    if (good && (peek() == 'e' || peek() == 'E')) {
      ++at_;
      if (peek() == '+' || peek() == '-') ++at_;
      good = digits();
    }
    const std::string seen = shown(text_.substr(begin, at_ - begin));
    if (!good)
      return fail_at(out.where, fmt::format("\"{}\" is not a number of JSON; numbers look like 0.5, -2 or 1e-3", seen));
    const auto status = std::from_chars(text_.data() + begin, text_.data() + at_, out.number).ec;
    out.kind = Node::Kind::number;
    if (status == std::errc()) return true;
    return fail_at(out.where, fmt::format("the number {} is out of range", seen));
  }

  bool word(Node& out) {
    const auto is = [this](std::string_view wanted) {
      if (!text_.substr(at_).starts_with(wanted)) return false;
      at_ += wanted.size();
      return true;
    };
    if (is("true") || is("false")) {
      out.kind = Node::Kind::flag;
      out.flag = text_[at_ - 2] == 'u';  // of true
      return true;
    }
    if (is("null")) return out.kind = Node::Kind::null, true;
    if (is_not_finite()) return fail("every number must be finite");
    return fail(fmt::format("a value must stand here, not {}", what_is_here()));
  }

  bool is_not_finite() const {
    constexpr std::array<std::string_view, 4> words{"NaN", "Infinity", "nan", "inf"};
    return std::any_of(words.begin(), words.end(),
                       [this](std::string_view word) { return text_.substr(at_).starts_with(word); });
  }

  std::string what_is_here() const {
    if (at_end()) return "the end of the file";
    const auto byte = static_cast<unsigned char>(peek());
    if (byte == '"') return "a text";
    if (byte == '\'') return "\"'\"; JSON has double quotes only";
    if (byte == '/' || byte == '#') return fmt::format("\"{}\"; JSON has no comments", peek());
    if (byte > 0x20 && byte < 0x7F) return fmt::format("\"{}\"", peek());
    return fmt::format("byte 0x{:02X}", byte);
  }

  static std::string shown(std::string_view text) {
    constexpr std::size_t longest = 40;
    return text.size() <= longest ? std::string(text) : std::string(text.substr(0, utf8_whole(text, longest))) + "...";
  }
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }

  bool at_end() const { return at_ >= text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[at_]; }
  char next() {
    for (; peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r'; ++at_)
      if (peek() == '\n') {
        ++line_;
        counted_ = at_ + 1;
        column_ = 1;
      }
    return peek();
  }
  // In characters; counted on from the last time, so that a long line is gone through once.
  int column() {
    for (; counted_ < at_; ++counted_)
      if ((static_cast<unsigned char>(text_[counted_]) & 0xC0U) != 0x80U) ++column_;
    return column_;
  }
  Location here() { return {file_, line_, column()}; }
  bool fail(std::string message) { return fail_at(here(), std::move(message)); }
  bool fail_at(Location where, std::string message) {
    fault_where = std::move(where);
    fault = std::move(message);
    return false;
  }

  std::string_view text_;
  FileName file_;
  const ReadLimits& limits_;
  std::size_t at_ = 0, counted_ = 0, values_ = 0;
  int line_ = 1, column_ = 1;
};

}  // namespace

std::optional<Node> parse_json(std::string_view text, const std::string& file_name, const ReadLimits& limits,
                               Faults& faults) {
  JsonParser parser(text, file_name, limits);
  Node root;
  if (parser.parse(root)) return root;
  faults.about("", parser.fault_where);
  faults.error((parser.is_syntax ? "this is not JSON: " : "") + parser.fault);
  return std::nullopt;
}

}  // namespace tandem
