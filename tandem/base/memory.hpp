// Numbers that a simulation keeps from step to step, in a row, to be saved and taken back bit for bit.
#pragma once

#include <Eigen/Core>
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

// Throws std::invalid_argument when there is less than is asked for.
class MemoryReader {
 public:
  explicit MemoryReader(std::span<const double> numbers) : left_(numbers) {}
  double number() {
    require(1);
    const double value = left_[0];
    left_ = left_.subspan(1);
    return value;
  }
  std::size_t size() {
    const double size = number();
    if (!(size >= 0.0) || size > static_cast<double>(left_.size())) throw std::invalid_argument("a size is wrong");
    return static_cast<std::size_t>(size);
  }
  void get(Eigen::VectorXd& values) {
    values.resize(static_cast<Eigen::Index>(size()));
    for (double& value : values) value = number();
  }
  void get(std::vector<double>& values) {
    values.resize(size());
    for (double& value : values) value = number();
  }
  void get(std::vector<int>& values) {
    values.resize(size());
    for (int& value : values) value = static_cast<int>(number());
  }
  std::span<const double> rest() const { return left_; }

 private:
  void require(std::size_t count) const {
    if (left_.size() < count) throw std::invalid_argument("the memory of a simulation is too short");
  }
  std::span<const double> left_;
};

}  // namespace tandem
