#include "tandem/io/toml_scan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tandem/io/utf8.hpp"

namespace tandem {

namespace {

constexpr int most_parts = 16;  // of one key or header

// Goes through the text once, over comments and over texts in quotes, and counts what begins a value or parts a key.
class TomlScan {
 public:
  explicit TomlScan(std::string_view text) : text_(text) {}

  // What is too much, or nothing.
  std::string run(const ReadLimits& limits) {
    if (text_.starts_with("\xef\xbb\xbf")) at_ = 3;  // the mark that some editors put in front
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size()) - 1;
      } else if (c == '"' || c == '\'') {
        if (!skip_quotes(c))
          return fmt::format(
              "\"{}\" may not follow a backslash, nor begin the text that follows one at the end of a line; write it "
              "before the backslash, or the text in one line",
              character());
      } else if (is_beyond_ascii()) {
        return fmt::format(
            "\"{}\" stands outside of quotes; keys, numbers and signs are of plain letters, texts and "
            "names go in quotes",
            character());
      } else if (c == '.') {
        if (++dots_ >= most_parts)
          return fmt::format("this key has more than {} parts; a model has no use for tables so deep", most_parts);
      } else if (c == '=' || c == ',' || c == '[' || c == ']' || c == '{' || c == '}' || c == '\n') {
        dots_ = 0;
        if (c == '\n') begin_line();
        if ((c == '=' || c == ',' || c == '[') && ++values_ > limits.values)
          return fmt::format("the file holds more than {} values; is it a model? Allow more with --limit values=NUMBER",
                             limits.values);
      }
    }
    return "";
  }

  int line() const { return line_; }
  int column() const {  // in characters, as the library counts them
    int column = 1;
    for (std::size_t i = line_start_; i < at_; ++i)
      if ((static_cast<unsigned char>(text_[i]) & 0xC0U) != 0x80U) ++column;
    return column;
  }

 private:
  void begin_line() {
    ++line_;
    line_start_ = at_ + 1;
  }

  // Where the library asks whether such a character is a space, it trips over most of them. What is no UTF-8 it tells.
  bool is_beyond_ascii() const { return utf8_length(text_.substr(at_)) > 1; }
  std::string_view character() const { return text_.substr(at_, utf8_length(text_.substr(at_))); }

  // From a backslash on, over spaces and line breaks. When it is false, the scan is at the character.
  bool goes_on_in_ascii() {
    const std::size_t next = std::min(text_.find_first_not_of(" \t\r\n", at_ + 1), text_.size());
    if (utf8_length(text_.substr(next)) <= 1) return true;
    for (++at_; at_ < next; ++at_)
      if (text_[at_] == '\n') begin_line();
    return false;
  }

  // To the last of the closing quotes, or to where a text must end without them. False when it stops at a character
  // that the library must not see there.
  bool skip_quotes(char quote) {
    const bool is_long = text_.substr(at_, 3) == std::string(3, quote);
    at_ += is_long ? 3 : 1;
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\n') {
        if (!is_long) {
          --at_;  // not closed: the library tells
          return true;
        }
        begin_line();
      }
      if (text_[at_] == '\\' && quote == '"') {
        if (is_long && !goes_on_in_ascii()) return false;
        if (at_ + 1 < text_.size() && text_[at_ + 1] != '\n') ++at_;
      } else if (text_[at_] == quote && (!is_long || text_.substr(at_, 3) == std::string(3, quote))) {
        // Up to two quotes more belong to a long text.
        for (int more = 0; is_long && more < 4 && at_ + 1 < text_.size() && text_[at_ + 1] == quote; ++more) ++at_;
        return true;
      }
    }
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0, line_start_ = 0, values_ = 0;
  int line_ = 1, dots_ = 0;
};

}  // namespace

bool scan_toml(std::string_view text, const std::string& file_name, const ReadLimits& limits, Faults& faults) {
  TomlScan scan(text);
  const std::string trouble = scan.run(limits);
  if (trouble.empty()) return true;
  faults.about("", {file_name, scan.line(), scan.column()});
  faults.error(trouble);
  return false;
}

}  // namespace tandem
