#include "table.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "tandem/base/faults.hpp"
#include "tandem/base/tolerances.hpp"

namespace tandem::cli {

bool is_terminal() { return isatty(STDOUT_FILENO) != 0; }
std::string bold(const std::string& text) {
  return is_terminal() ? "\033[1m" + printable(text) + "\033[0m" : printable(text);
}
std::string faint(const std::string& text) {
  return is_terminal() ? "\033[2m" + printable(text) + "\033[0m" : printable(text);
}

// Characters, not bytes: names may be written in any script.
static std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

void Table::row(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = printable(cell);
  rows_.push_back(std::move(cells));
}

void Table::print() const {
  std::vector<std::size_t> width;
  const auto widen = [&width](const std::vector<std::string>& cells) {
    width.resize(std::max(width.size(), cells.size()));
    for (std::size_t i = 0; i < cells.size(); ++i) width[i] = std::max(width[i], width_of(cells[i]));
  };
  widen(heading_);
  for (const auto& cells : rows_) widen(cells);
  const auto line = [&width](const std::vector<std::string>& cells) {
    std::string text = "  ";
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string space(width[i] - width_of(cells[i]), ' ');
      text += i == 0 ? cells[i] + space : "  " + space + cells[i];
    }
    return text;
  };
  fmt::print("{}\n", bold(line(heading_)));
  for (const auto& cells : rows_) fmt::print("{}\n", line(cells));
}

std::string number(double value, double size) {
  return number(std::abs(value) < tolerances::printed * size ? 0.0 : value);
}
std::string number(double value) { return fmt::format("{:.6g}", value == 0.0 ? 0.0 : value); }

}  // namespace tandem::cli
