#include "tandem/io/model/toml_scan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "tandem/io/model/utf8.hpp"

namespace tandem {

namespace {

constexpr int most_parts = 16;                // of one key or header
constexpr std::size_t longest_number = 1000;  // the library reads far shorter ones

// Goes through the text once, over comments and over texts in quotes, and counts what begins a value or parts a key.
class TomlScan {
 public:
  explicit TomlScan(std::string_view text) : text_(text) {}

  // What is too much, or nothing.
  std::string run(const ReadLimits& limits) {
    if (!find_end_of_utf8())
      return fmt::format("byte 0x{:02X} is not UTF-8; save the file as UTF-8", static_cast<unsigned char>(text_[at_]));
    if (text_.starts_with("\xef\xbb\xbf")) at_ = 3;  // the mark that some editors put in front
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (may_belong_to_number(c) != in_word_) {
        if (in_word_ && is_out_of_range()) return fmt::format("the number {} is out of range", start_again_at_word());
        in_word_ = !in_word_;
        word_ = at_;
      }
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size()) - 1;
      } else if (c == '"' || c == '\'') {
        const Quotes found = skip_quotes(c);
        if (found == Quotes::open) return "the text that begins here is not closed";
        if (found == Quotes::strange_letter)
          return fmt::format(
              "\"{}\" may not follow a backslash, nor begin the text that follows one at the end of a line; write it "
              "before the backslash, or the text in one line",
              character());
        if (found == Quotes::amid_a_word)
          return fmt::format(
              "\"{}\" stands in quotes that begin amid a number or a key; a text has quotes around the whole of it",
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
    if (in_word_ && is_out_of_range()) return fmt::format("the number {} is out of range", start_again_at_word());
    return "";
  }

  int line() const { return line_; }
  std::vector<int>& in_texts() { return in_texts_; }
  int column() const {  // in characters, as the library counts them
    int column = 1;
    for (std::size_t i = line_start_; i < at_; ++i)
      if ((static_cast<unsigned char>(text_[i]) & 0xC0U) != 0x80U) ++column;
    return column;
  }

 private:
  enum class Quotes { closed, open, strange_letter, amid_a_word };

  // Whether all of it is UTF-8. When it is not, the scan is at the byte; otherwise at the beginning again.
  bool find_end_of_utf8() {
    while (at_ < text_.size()) {
      const std::size_t length = utf8_length(text_.substr(at_));
      if (length == 0) return false;
      if (text_[at_] == '\n') begin_line();
      at_ += length;
    }
    at_ = line_start_ = 0;
    line_ = 1;
    return true;
  }

  static bool may_belong_to_number(char c) {
    return (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '+' || c == '-' || c == 'e' || c == 'E';
  }
  // The library makes 0 of a number that is too small, and says of one that is too large that it is none.
  bool is_out_of_range() const {
    const auto is_letter = [this](std::size_t at) {
      const char c = at < text_.size() ? text_[at] : '\0';
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    };
    if (is_letter(at_) || (word_ > 0 && is_letter(word_ - 1))) return false;
    std::string word(text_.substr(word_, at_ - word_));
    if (word.size() > longest_number || word.find_first_of("eE") == std::string::npos) return false;
    std::erase(word, '_');
    if (word.starts_with('+')) word.erase(0, 1);
    double ignored = 0.0;
    const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), ignored);
    return end == word.data() + word.size() && status == std::errc::result_out_of_range;
  }
  std::string_view start_again_at_word() {
    const std::string_view word = text_.substr(word_, at_ - word_);
    at_ = word_;
    return word;
  }

  void begin_line() {
    ++line_;
    line_start_ = at_ + 1;
  }

  // Where the library asks whether such a character is a space, it trips over most of them.
  bool is_beyond_ascii() const { return utf8_length(text_.substr(at_)) > 1; }
  std::string_view character() const { return text_.substr(at_, utf8_length(text_.substr(at_))); }

  // From a backslash on, over spaces and line breaks. When it is false, the scan is at the character.
  bool goes_on_in_ascii() {
    const std::size_t next = std::min(text_.find_first_not_of(" \t\r\n", at_ + 1), text_.size());
    if (utf8_length(text_.substr(next)) <= 1) return true;
    for (++at_; at_ < next; ++at_)  // an error: nobody asks for in_texts()
      if (text_[at_] == '\n') begin_line();
    return false;
  }

  // Whether a value or a key may begin here; the apostrophe of a text without quotes is not the beginning of another.
  bool begins_after(std::string_view signs) const {
    const std::size_t before = text_.substr(0, at_).find_last_not_of(" \t\r");
    return before == std::string_view::npos || signs.find(text_[before]) != std::string_view::npos;
  }

  // To the last of the closing quotes, or to a character that the library must not see there. When the text is open, to
  // where it began.
  Quotes skip_quotes(char quote) {
    const bool is_long = text_.substr(at_, 3) == std::string(3, quote);
    const bool is_text = begins_after("=,[{.\n"), is_whole = begins_after("=,[{\n");
    const std::size_t begin = at_, line_start = line_start_;
    const int line = line_;
    const auto open = [&] {
      if (!is_text) return Quotes::closed;  // the library tells what is wrong before
      at_ = begin;
      line_start_ = line_start;
      line_ = line;
      return Quotes::open;
    };
    at_ += is_long ? 3 : 1;
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\n') {
        if (!is_long) {
          --at_;
          return open();
        }
        begin_line();
        in_texts_.push_back(line_);
      }
      if (!is_whole && is_beyond_ascii())
        return Quotes::amid_a_word;  // the library reads on as if there were no quotes
      if (text_[at_] == '\\' && quote == '"') {
        if (is_long && !goes_on_in_ascii()) return Quotes::strange_letter;
        if (at_ + 1 < text_.size() && text_[at_ + 1] != '\n') ++at_;
      } else if (text_[at_] == quote && (!is_long || text_.substr(at_, 3) == std::string(3, quote))) {
        // Up to two quotes more belong to a long text.
        for (int more = 0; is_long && more < 4 && at_ + 1 < text_.size() && text_[at_ + 1] == quote; ++more) ++at_;
        return Quotes::closed;
      }
    }
    return open();
  }

  std::string_view text_;
  std::size_t at_ = 0, line_start_ = 0, values_ = 0, word_ = 0;
  int line_ = 1, dots_ = 0;
  bool in_word_ = false;  // since word_, in what may be a number
  std::vector<int> in_texts_;
};

}  // namespace

bool scan_toml(std::string_view text, const std::string& file_name, const ReadLimits& limits, Faults& faults,
               std::vector<int>& in_texts) {
  TomlScan scan(text);
  const std::string trouble = scan.run(limits);
  in_texts = std::move(scan.in_texts());
  if (trouble.empty()) return true;
  faults.about("", {file_name, scan.line(), scan.column()});
  faults.error(trouble);
  return false;
}

}  // namespace tandem
