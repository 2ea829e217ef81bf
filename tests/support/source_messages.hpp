// The messages that sources can tell, found in the sources themselves: so that none is without a case that shows it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

struct SourceMessage {
  std::string file;
  int line = 0;
  std::string text;  // as written in the source, {} for what is put in

  // Whether the told text holds it: its fixed parts, in their order.
  bool is_in(std::string_view told) const;
};

// Every text of at least three words in a C++ file; with `calls`, only those in the arguments of one of these calls.
std::vector<SourceMessage> messages_in(const std::filesystem::path& file, const std::vector<std::string>& calls = {});

// Those that none of the told texts holds, one a line: empty when all were told.
std::string untold(const std::vector<SourceMessage>& messages, const std::vector<std::string>& told);

}  // namespace tandem
