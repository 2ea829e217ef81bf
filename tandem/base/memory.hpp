// Numbers that a simulation keeps from step to step, in a row, to be saved and taken back bit for bit.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

namespace tandem {

class MemoryWriter {
 public:
  void put(double value) { numbers.push_back(value); }
  void put(const Eigen::VectorXd& values) {
    put(static_cast<double>(values.size()));
    numbers.insert(numbers.end(), values.begin(), values.end());
  }
  void put(const std::vector<double>& values) {
    put(static_cast<double>(values.size()));
    numbers.insert(numbers.end(), values.begin(), values.end());
  }
  void put(const std::vector<int>& values) {
    put(static_cast<double>(values.size()));
    for (const int value : values) put(static_cast<double>(value));
  }
  std::vector<double> numbers;
};

inline constexpr long largest_exact = 1L << 53;  // up to there every whole number is a double

// Throws std::invalid_argument when there is less than is asked for, or another thing: the numbers come from a file.
class MemoryReader {
 public:
  explicit MemoryReader(std::span<const double> numbers) : left_(numbers) {}
  double number() {
    require(1);
    const double value = left_[0];
    left_ = left_.subspan(1);
    return value;
  }
  double finite_number() {
    const double value = number();
    if (!std::isfinite(value)) throw std::invalid_argument("the memory of a simulation holds what is not a number");
    return value;
  }
  long whole_number(long least, long most) {  // at most largest_exact
    const double value = number();
    if (!(value >= static_cast<double>(least) && value <= static_cast<double>(most)) || value != std::floor(value))
      throw std::invalid_argument("the memory of a simulation holds a count or a place that cannot be");
    return static_cast<long>(value);
  }
  std::size_t size() { return static_cast<std::size_t>(whole_number(0, static_cast<long>(left_.size()) - 1)); }
  void get(Eigen::VectorXd& values) {
    values.resize(static_cast<Eigen::Index>(size()));
    for (double& value : values) value = number();
  }
  void get(std::vector<double>& values) {
    values.resize(size());
    for (double& value : values) value = number();
  }
  void get(std::vector<int>& values) {  // none negative
    values.resize(size());
    for (int& value : values) value = static_cast<int>(whole_number(0, std::numeric_limits<int>::max()));
  }
  std::span<const double> rest() const { return left_; }

 private:
  void require(std::size_t count) const {
    if (left_.size() < count) throw std::invalid_argument("the memory of a simulation is too short");
  }
  std::span<const double> left_;
};

}  // namespace tandem
