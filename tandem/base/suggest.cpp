#include "tandem/base/suggest.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace tandem {
namespace {

// Not std::tolower: that one depends on the locale, and names here are ASCII.
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), [](char c) { return lower(c); });
  return result;
}

// Damerau-Levenshtein distance in its optimal-string-alignment form: no part of the text is edited twice, which
// needs only the last three rows of the table.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> previous(b.size() + 1);
  std::vector<std::size_t> current(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) previous[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        current[j] = std::min(current[j], before[j - 2] + 1);
      }
    }
    std::swap(before, previous);
    std::swap(previous, current);
  }
  return previous[b.size()];
}

}  // namespace

std::optional<std::string> closest(std::string_view word, std::span<const std::string> candidates) {
  const std::string wanted = lower(word);
  for (const std::string& candidate : candidates) {
    if (!candidate.empty() && lower(candidate) == wanted) return candidate;
  }
  constexpr std::size_t longest = 64;  // of what anybody types; the work grows with the square
  if (word.size() > longest) return std::nullopt;
  const std::size_t limit = std::clamp<std::size_t>(word.size() / 3, 1, 3);
  const std::string* best = nullptr;
  std::size_t best_distance = limit + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t longer = std::max(word.size(), candidate.size());
    // Lengths this far apart cannot be near; leaving early keeps long texts cheap.
    if (longer - std::min(word.size(), candidate.size()) > limit) continue;
    const std::size_t distance = edit_distance(wanted, lower(candidate));
    // At least one character must be shared: "q" is one edit from "t", but nobody meant it.
    if (distance < best_distance && distance < longer) {
      best = &candidate;
      best_distance = distance;
    }
  }
  if (best == nullptr) return std::nullopt;
  return *best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  const std::optional<std::string> found = closest(word, candidates);
  return found ? "; did you mean \"" + *found + "\"?" : std::string();
}

std::string did_you_mean_or_list(std::string_view word, std::span<const std::string> candidates) {
  constexpr std::size_t most = 10;
  std::string hint = did_you_mean(word, candidates);
  if (!hint.empty() || candidates.empty()) return hint;
  hint = candidates.size() == 1 ? "; there is " : "; there are ";
  for (std::size_t i = 0; i < std::min(most, candidates.size()); ++i) {
    if (i > 0) hint += i + 1 == candidates.size() ? " and " : ", ";
    hint += '"' + candidates[i] + '"';
  }
  if (candidates.size() > most) hint += " and " + std::to_string(candidates.size() - most) + " more";
  return hint;
}

std::string list_of(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += '"' + names[i] + '"';
  }
  return text;
}

}  // namespace tandem
