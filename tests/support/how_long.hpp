// How long tests may take: as in `make test`, longer with TANDEM_WEEKLY=1 (`make weekly`), shorter with TANDEM_SHORT=1
// (under sanitizers, where every step takes several times as long).
#pragma once

#include <cstdlib>
#include <string_view>

namespace tandem::test {

inline bool is_set(const char* name) {
  const char* value = std::getenv(name);
  return value && std::string_view(value) == "1";
}
inline bool weekly() { return is_set("TANDEM_WEEKLY"); }
inline bool shortened() { return is_set("TANDEM_SHORT"); }

// Of something to try often: seeds, steps, seconds.
template <class T> T how_many(T in_short, T usual, T in_a_week) {
  return shortened() ? in_short : weekly() ? in_a_week : usual;
}

}  // namespace tandem::test
