#include "tandem/io/model/utf8.hpp"

#include <algorithm>

namespace tandem {

static bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

std::size_t utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  if (!std::all_of(text.begin() + 1, text.begin() + static_cast<std::ptrdiff_t>(length), continues)) return 0;
  // Longer than needed, halves of pairs, and what is beyond the last character.
  const auto second = static_cast<unsigned char>(text[1]);
  if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) || (first == 0xF0 && second < 0x90) ||
      (first == 0xF4 && second > 0x8F))
    return 0;
  return length;
}

std::size_t utf8_whole(std::string_view text, std::size_t bytes) {
  if (bytes >= text.size()) return text.size();
  while (bytes > 0 && continues(text[bytes])) --bytes;
  return bytes;
}

unsigned utf8_code(std::string_view character) {
  const auto bits = [&](std::size_t i, unsigned kept) { return static_cast<unsigned char>(character[i]) & kept; };
  if (character.size() == 1) return bits(0, 0x7FU);
  unsigned code = bits(0, 0x7FU >> character.size());
  for (std::size_t i = 1; i < character.size(); ++i) code = (code << 6U) | bits(i, 0x3FU);
  return code;
}

void append_utf8(unsigned code, std::string& text) {
  const auto put = [&](unsigned byte) { text += static_cast<char>(byte); };
  if (code < 0x80) return put(code);
  if (code < 0x800) {
    put(0xC0U | (code >> 6U));
  } else {
    if (code < 0x10000) {
      put(0xE0U | (code >> 12U));
    } else {
      put(0xF0U | (code >> 18U));
      put(0x80U | ((code >> 12U) & 0x3FU));
    }
    put(0x80U | ((code >> 6U) & 0x3FU));
  }
  put(0x80U | (code & 0x3FU));
}

}  // namespace tandem
