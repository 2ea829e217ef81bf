#include <bit>
#include <cassert>
#include <cstring>

#include "tandem/io/report/report.hpp"

namespace tandem {

static_assert(std::endian::native == std::endian::little, "tables of a report are little-endian");

ReportTable::ReportTable(std::vector<ResultColumn> columns, std::size_t largest) : columns_(std::move(columns)) {
  const std::size_t row_size = sizeof(double) + columns_.size() * sizeof(float);
  most_rows_ = std::max<std::size_t>(16, largest / 4 * 3 / row_size);
}

void ReportTable::row(std::span<const double> values) {
  assert(values.size() == columns_.size() + 1);
  last_.assign(values.begin(), values.end());
  pending_ = true;
  if (given_++ % stride_ == 0) keep();
}

void ReportTable::keep() {
  if (t_.size() + 1 >= most_rows_) {
    halve();
    if ((given_ - 1) % stride_ != 0) return;
  }
  t_.push_back(last_.front());
  for (std::size_t i = 1; i < last_.size(); ++i) values_.push_back(static_cast<float>(last_[i]));
  pending_ = false;
}

void ReportTable::halve() {
  const std::size_t width = columns_.size();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < t_.size(); i += 2, ++kept) {
    t_[kept] = t_[i];
    std::copy_n(values_.begin() + static_cast<std::ptrdiff_t>(i * width), width,
                values_.begin() + static_cast<std::ptrdiff_t>(kept * width));
  }
  t_.resize(kept);
  values_.resize(kept * width);
  stride_ *= 2;
}

static std::string to_base64(std::span<const unsigned char> bytes) {
  static constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = std::min<std::size_t>(3, bytes.size() - i);
    unsigned word = 0;
    for (std::size_t k = 0; k < 3; ++k) word = word << 8U | (k < left ? bytes[i + k] : 0U);
    for (std::size_t k = 0; k < 4; ++k) out += k <= left ? digits[word >> (18U - 6U * k) & 63U] : '=';
  }
  return out;
}

std::string ReportTable::base64() const {
  const std::size_t count = rows(), width = columns_.size();
  std::vector<unsigned char> bytes(count * (sizeof(double) + width * sizeof(float)));
  unsigned char* at = bytes.data();
  const auto put = [&](const auto& value) {
    std::memcpy(at, &value, sizeof value);
    at += sizeof value;
  };
  for (const double t : t_) put(t);
  if (pending_) put(last_.front());
  for (std::size_t column = 0; column < width; ++column) {
    for (std::size_t i = 0; i < t_.size(); ++i) put(values_[i * width + column]);
    if (pending_) put(static_cast<float>(last_[column + 1]));
  }
  return to_base64(bytes);
}

}  // namespace tandem
