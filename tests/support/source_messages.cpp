#include "support/source_messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <utility>

namespace tandem {

namespace {

// Enough of C++ to find the texts in it: comments, quotes, and the parentheses of calls.
class SourceScan {
 public:
  SourceScan(std::string text, std::string file, const std::vector<std::string>& calls)
      : text_(std::move(text)), file_(std::move(file)), calls_(calls) {}

  std::vector<SourceMessage> run() {
    while (at_ < text_.size()) step();
    end_text();
    return std::move(out_);
  }

 private:
  void step() {
    const std::string_view rest = std::string_view(text_).substr(at_);
    if (rest.starts_with("//") || rest.starts_with("#")) {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (rest[0] == '"') {
      read_quotes();
    } else if (rest[0] == '\'' && (at_ == 0 || !is_word(text_[at_ - 1]))) {
      at_ += rest.size() > 1 && rest[1] == '\\' ? 4 : 3;
      end_text();
    } else {
      if (rest[0] == '\n') ++line_;
      if (rest[0] != ' ' && rest[0] != '\n') end_text();  // before its call ends
      if (rest[0] == '(') open();
      if (rest[0] == ')' && !parentheses_.empty()) parentheses_.pop_back();
      ++at_;
    }
  }

  void open() {
    std::size_t first = at_;
    while (first > 0 && is_word(text_[first - 1])) --first;
    const std::string word = text_.substr(first, at_ - first);
    parentheses_.push_back(std::find(calls_.begin(), calls_.end(), word) != calls_.end());
  }

  // Texts with nothing but blanks between them are one.
  void read_quotes() {
    if (!inside_) message_ = {file_, line_, ""};
    inside_ = true;
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] != '\\') {
        message_.text += text_[at_];
        continue;
      }
      ++at_;
      message_.text += text_[at_] == 'n' ? '\n' : text_[at_];
    }
    ++at_;
  }

  void end_text() {
    if (!std::exchange(inside_, false)) return;
    const bool asked =
        calls_.empty() || std::find(parentheses_.begin(), parentheses_.end(), true) != parentheses_.end();
    if (asked && std::count(message_.text.begin(), message_.text.end(), ' ') >= 2) out_.push_back(message_);
  }

  static bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

  std::string text_, file_;
  const std::vector<std::string>& calls_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool inside_ = false;
  SourceMessage message_;
  std::vector<bool> parentheses_;  // open ones: whether of a call that was asked for
  std::vector<SourceMessage> out_;
};

// What stands between the places of a format.
std::vector<std::string> fixed_parts(const std::string& format) {
  std::vector<std::string> parts{""};
  for (std::size_t i = 0; i < format.size(); ++i) {
    const char next = i + 1 < format.size() ? format[i + 1] : '\0';
    if ((format[i] == '{' || format[i] == '}') && next == format[i]) {
      parts.back() += format[i++];
    } else if (format[i] == '{' && (next == '}' || next == ':' || (next >= '0' && next <= '9'))) {
      i = format.find('}', i);
      parts.emplace_back();
    } else {
      parts.back() += format[i];
    }
  }
  return parts;
}

}  // namespace

bool SourceMessage::is_in(std::string_view told) const {
  std::size_t at = 0;
  for (const std::string& part : fixed_parts(text)) {
    const std::size_t found = told.find(part, at);
    if (found == std::string_view::npos) return false;
    at = found + part.size();
  }
  return true;
}

std::vector<SourceMessage> messages_in(const std::filesystem::path& file, const std::vector<std::string>& calls) {
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  return SourceScan(text.str(), file.filename().string(), calls).run();
}

std::string untold(const std::vector<SourceMessage>& messages, const std::vector<std::string>& told) {
  std::string out;
  for (const SourceMessage& message : messages)
    if (std::none_of(told.begin(), told.end(), [&](const std::string& text) { return message.is_in(text); }))
      out += fmt::format("{}:{}: {}\n", message.file, message.line, message.text);
  return out;
}

}  // namespace tandem
