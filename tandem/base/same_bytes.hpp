// Whether two matrices of Eigen have the same bytes: −0 is not 0, and what is not a number is itself.
#pragma once

#include <cstring>

namespace tandem {

template <class A, class B> bool same_bytes(const A& a, const B& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return false;
  // An empty one has no address, and memcmp wants one.
  return a.size() == 0 ||
         std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(typename A::Scalar)) == 0;
}

}  // namespace tandem
