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

// Six digits; what is zero but for the round-off of numbers as large as `size` prints as 0.
std::string number(double value, double size);
std::string number(double value);  // nothing is round-off

}  // namespace tandem::cli
