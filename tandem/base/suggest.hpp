#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

// The candidate that `word` was most likely meant to be, if any is near enough. A candidate that differs only in
// case always wins; otherwise the one with the fewest edits (insert, delete, replace, swap neighbours), at most a
// third of the word's length and never more than three, of words up to 64 bytes. Of equally near candidates the first
// wins.
std::optional<std::string> closest(std::string_view word, std::span<const std::string> candidates);

// The tail of an error message: `; did you mean "mass"?`, or nothing when no candidate is near enough.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

// The same, but with the names themselves, up to ten, when none is near: `; there are "frame", "wheel" and 7 more`.
std::string did_you_mean_or_list(std::string_view word, std::span<const std::string> candidates);

// The names in words: "a", "b" or "c", each in quotes.
std::string list_of(const std::vector<std::string>& names);

}  // namespace tandem
