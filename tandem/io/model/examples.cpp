#include "tandem/io/model/examples.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tandem/base/suggest.hpp"

namespace tandem {

const EmbeddedExample* find_example(std::string_view name) {
  const auto examples = embedded_examples();
  const auto found = std::find_if(examples.begin(), examples.end(), [&](const auto& e) { return e.name == name; });
  return found == examples.end() ? nullptr : &*found;
}

Model load_model_or_example(const std::string& name_or_path, const ReadOptions& options) {
  if (const EmbeddedExample* example = find_example(name_or_path))
    return read_model(example->text, std::string(example->name) + ".toml", options);
  std::error_code ignored;
  if (std::filesystem::exists(name_or_path, ignored)) return load_model(name_or_path, options);
  std::vector<std::string> names;
  for (const EmbeddedExample& example : embedded_examples()) names.emplace_back(example.name);
  throw FileError(fmt::format("there is no file \"{0}\" and no example \"{0}\"{1}", name_or_path,
                              did_you_mean(name_or_path, names)));
}

}  // namespace tandem
