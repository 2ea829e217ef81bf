// A model of any text: refused with faults, or accepted; and what is accepted, written back in any form, is accepted
// again as the same document.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>

#include "tandem/io/model/convert.hpp"
#include "tandem/io/model/model_file.hpp"

namespace tandem::fuzz {

inline void write_and_read_again(const Model& model) {
  for (const bool json : {false, true})
    for (const bool flatten : {false, true}) {
      const std::string text = convert(model, {json, flatten});
      ReadOptions options;
      options.limits =
          ReadLimits::of_accepted_text();  // written out, a text may be longer than the one it was read from
      if (convert(read_model(text, json ? "again.json" : "again.toml", options), {json, flatten}) != text) std::abort();
    }
}

inline int read_any_model(const std::uint8_t* data, std::size_t size, const std::string& ending) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const Model model = read_model(text, "nowhere/model" + ending);
    try {
      write_and_read_again(model);
    } catch (const ModelError&) {
      std::abort();
    }
  } catch (const ModelError& error) {
    if (error.faults().list().empty()) std::abort();
  }
  return 0;
}

}  // namespace tandem::fuzz
