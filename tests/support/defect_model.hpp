// Models that once broke Tandem: tests/defects.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tandem/io/model/model_file.hpp"

namespace tandem {

inline std::string defect_file(const std::string& name) {
  return std::string(TANDEM_SOURCE_DIR) + "/tests/defects/" + name + ".toml";
}

inline Model defect_model(const std::string& name, std::vector<std::pair<std::string, double>> set = {}) {
  ReadOptions options;
  options.set = std::move(set);
  return load_model(defect_file(name), options);
}

}  // namespace tandem
