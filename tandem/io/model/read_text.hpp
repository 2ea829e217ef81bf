// A whole file as a text, if it is one that ends.
#pragma once

#include <filesystem>
#include <string>

namespace tandem {

// Throws FileError when it is no plain file, cannot be read, or has more than `limit` bytes; `option` is what allows
// more.
std::string read_text(const std::filesystem::path& file, std::size_t limit, const std::string& option);

}  // namespace tandem
