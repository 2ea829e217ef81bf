// Tables for people: aligned columns, a heading, colour only on a terminal. Texts are printed without the control
// characters that names of files may hold.
#pragma once

#include <string>
#include <vector>

namespace tandem::cli {

bool is_terminal();  // of standard output
std::string bold(const std::string& text);
std::string faint(const std::string& text);

class Table {
 public:
  explicit Table(std::vector<std::string> heading) : heading_(std::move(heading)) {}
  void row(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }
  void print() const;  // the first column to the left, the others to the right

 private:
  std::vector<std::string> heading_;
  std::vector<std::vector<std::string>> rows_;
};

std::string number(double value);  // six digits; what is zero but for round-off prints as 0

}  // namespace tandem::cli
