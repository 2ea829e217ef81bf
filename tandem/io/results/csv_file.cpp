#include "tandem/io/results/csv_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

#include "tandem/io/results/whole_text.hpp"

namespace tandem {

// A name with a comma, quote or line break would break the header.
static std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + "\"";
}

std::string csv_header(std::span<const ResultColumn> columns) {
  std::string text;
  for (const ResultColumn& column : columns) text += quoted(column.header()) + ",";
  text.back() = '\n';
  return text;
}

void put_csv_row(std::span<const double> values, std::string& line) {
  line.clear();
  std::array<char, 32> digits{};
  for (const double value : values) {
    if (!line.empty()) line += ',';
    line.append(digits.data(), fmt::format_to(digits.data(), "{}", value));
  }
  line += '\n';
}

// ---- reading ----

// Goes through the cells of a CSV text; quoted ones may hold commas, quotes ("") and line breaks.
class CsvCells {
 public:
  CsvCells(std::string text, std::string file) : text_(std::move(text)), file_(std::move(file)) {
    if (text_.starts_with("\xef\xbb\xbf")) at_ = 3;  // the mark that some spreadsheets put in front
  }
  bool at_end() const { return at_ >= text_.size(); }
  int line() const { return line_; }  // of the row that was read last

  // The cells of the next row.
  void row(std::vector<std::string>& cells) {
    cells.clear();
    line_ = next_line_;
    while (true) {
      cells.push_back(is('"') ? in_quotes() : plain());
      if (!is(',')) break;
      ++at_;
    }
    if (is('\r')) ++at_;
    if (!at_end() && !is('\n')) fail("a comma or a line break must follow a cell");
    if (!at_end()) ++at_;
    ++next_line_;
  }

  [[noreturn]] void fail(std::string_view reason) const {
    throw FileError(fmt::format("cannot read \"{}\": line {}: {}", file_, line_, reason));
  }

 private:
  bool is(char c) const { return !at_end() && text_[at_] == c; }
  std::string plain() {
    const std::size_t end = std::min(text_.find_first_of(",\r\n", at_), text_.size());
    std::string cell = text_.substr(at_, end - at_);
    at_ = end;
    return cell;
  }
  std::string in_quotes() {
    std::string cell;
    for (++at_; !at_end(); ++at_) {
      if (is('"')) {
        ++at_;
        if (!is('"')) return cell;
      }
      if (is('\n')) ++next_line_;
      cell += text_[at_];
    }
    fail("a quote is not closed");
  }

  std::string text_, file_;
  std::size_t at_ = 0;
  int line_ = 1, next_line_ = 1;
};

// "name [unit]" or "name".
static ResultColumn column_of(const std::string& header) {
  const std::size_t bracket = header.rfind(" [");
  if (bracket == std::string::npos || !header.ends_with(']')) return {header, ""};
  return {header.substr(0, bracket), header.substr(bracket + 2, header.size() - bracket - 3)};
}

static double number_of(const std::string& cell, const ResultColumn& column, const CsvCells& cells) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error == std::errc() && end == cell.data() + cell.size() && std::isfinite(value)) return value;
  cells.fail(fmt::format("{}: \"{}\" is not a finite number", column.header(), cell));
}

ResultTable read_csv(const std::filesystem::path& file) {
  CsvCells cells(whole_text(file), file.string());
  if (cells.at_end()) throw FileError(fmt::format("cannot read \"{}\": it is empty", file.string()));
  ResultTable table;
  std::vector<std::string> row;
  cells.row(row);
  for (const std::string& header : row) table.columns.push_back(column_of(header));
  while (!cells.at_end()) {
    cells.row(row);
    if (row.size() != table.columns.size())
      cells.fail(fmt::format("it has {} values, and the header has {} columns", row.size(), table.columns.size()));
    for (std::size_t i = 0; i < row.size(); ++i) table.values.push_back(number_of(row[i], table.columns[i], cells));
  }
  return table;
}

}  // namespace tandem
