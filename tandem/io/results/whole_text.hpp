// The whole text of a result file or checkpoint.
#pragma once

#include <filesystem>
#include <string>

namespace tandem {

// Throws FileError when it cannot be read.
std::string whole_text(const std::filesystem::path& file);

}  // namespace tandem
