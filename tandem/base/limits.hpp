// How large what is read may be. Any file is answered within them: by a model or by what is wrong with it.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace tandem {

struct ExpressionLimits {
  std::size_t bytes = 4096;
  std::size_t depth = 64;  // parentheses, calls and exponents inside each other
};

struct ReadLimits {
  std::size_t file = std::size_t{64} << 20;  // bytes
  std::size_t values = 10'000'000;           // numbers, texts, lists and tables of a file
  std::size_t bodies = 1'000'000;
  std::size_t rows = 1'000'000;  // of a list: the points of a table, the joints of a model
  std::size_t parameters = 1'000;
  std::size_t outputs = 10'000;  // and as many stops and starts
  std::size_t name = 1024;       // bytes
  ExpressionLimits expression{};

  // Of a text that was read before, whatever the limits were then.
  static ReadLimits of_accepted_text();
};

// A limit by name, for the command line and for messages.
struct LimitName {
  std::string_view name;
  std::size_t& (*of)(ReadLimits& limits);
  std::size_t largest;  // that may be asked for
  std::string_view meaning;
};
std::span<const LimitName> limit_names();

}  // namespace tandem
