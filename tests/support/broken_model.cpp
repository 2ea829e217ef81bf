#include "support/broken_model.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

namespace tandem {

namespace fs = std::filesystem;

bool Expectation::matches(const Fault& fault) const {
  return fault.warning == warning && fault.where.line == line && fault.where.column == column &&
         fault.message.find(message) != std::string::npos;
}

std::vector<fs::path> broken_models() {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(TANDEM_SOURCE_DIR "/tests/model/broken"))
    if (entry.path().extension() == ".toml" || entry.path().extension() == ".json") paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

static std::string all_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

static Expectation expectation_of(const std::string& words, bool warning) {
  Expectation out{.warning = warning};
  char colon = 0;
  std::istringstream in(words);
  in >> out.line >> colon >> out.column >> colon >> std::ws;
  std::getline(in, out.message);
  return out;
}

static void set_limit(ReadLimits& limits, const std::string& name, double value) {
  for (const LimitName& limit : limit_names())
    if (limit.name == name) limit.of(limits) = static_cast<std::size_t>(value);
}

BrokenModel read_broken(const fs::path& path) {
  BrokenModel model;
  model.text = all_of(path);
  std::istringstream lines(path.extension() == ".json" ? all_of(path.string() + ".expect") : model.text);
  for (std::string line; std::getline(lines, line);) {
    const auto after = [&](const std::string& word) {
      return line.starts_with("# " + word + ": ") ? line.substr(word.size() + 4) : "";
    };
    if (const std::string words = after("expect"); !words.empty())
      model.expected.push_back(expectation_of(words, false));
    if (const std::string words = after("warn"); !words.empty()) model.expected.push_back(expectation_of(words, true));
    const std::string set = after("set"), limit = after("limit");
    const std::string setting = set + limit;
    if (setting.empty()) continue;
    const std::string name = setting.substr(0, setting.find('='));
    const double value = std::stod(setting.substr(name.size() + 1));
    if (set.empty())
      set_limit(model.options.limits, name, value);
    else
      model.options.set.emplace_back(name, value);
  }
  return model;
}

}  // namespace tandem
