// UTF-8, as far as texts of files need it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tandem {

// Bytes of the character at the beginning of the text; 0 when it is not UTF-8.
std::size_t utf8_length(std::string_view text);
// At most `bytes` bytes of the text, ending with a whole character.
std::size_t utf8_whole(std::string_view text, std::size_t bytes);
unsigned utf8_code(std::string_view character);  // of a whole character
void append_utf8(unsigned code, std::string& text);

}  // namespace tandem
