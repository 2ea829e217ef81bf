// To standard error, which may be closed or full: what cannot be said there is lost, and nothing else with it.
#pragma once

#include <fmt/core.h>

#include <cstdio>

namespace tandem::cli {

template <class... Values> void tell(fmt::format_string<Values...> text, Values&&... values) {
  std::fputs(fmt::format(text, std::forward<Values>(values)...).c_str(), stderr);
}

// Standard streams that are closed would give their numbers to the next files that are opened, and messages would go
// into these. stderr then goes nowhere; what is written to stdout fails.
void keep_standard_streams();

}  // namespace tandem::cli
