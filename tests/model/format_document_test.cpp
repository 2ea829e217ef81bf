// The models in docs/model-format.md must be right: people copy them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "tandem/io/model/model_file.hpp"

namespace tandem {
namespace {

std::vector<std::string> blocks_of(const std::string& language, const std::string& path) {
  std::vector<std::string> blocks;
  std::ifstream file(path);
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line == "```" + language) {
      inside = true;
      blocks.emplace_back();
    } else if (line.starts_with("```")) {
      inside = false;
    } else if (inside) {
      blocks.back() += line + '\n';
    }
  }
  return blocks;
}

TEST(FormatDocument, ShowsRightModels) {
  const std::vector<std::string> blocks = blocks_of("toml", TANDEM_SOURCE_DIR "/docs/model-format.md");
  ASSERT_GT(blocks.size(), 8U);
  int whole = 0, tables = 0;
  for (const std::string& block : blocks) {
    if (block.starts_with("format = 1")) {
      ++whole;
      EXPECT_NO_THROW(read_model(block, "docs/model-format.md")) << block;
    } else if (block.starts_with("[[")) {  // a table taken out of a model: its own keys must be known and well formed
      ++tables;
      Faults faults;
      const std::string parent = block.starts_with("[[body.") ? "[[body]]\nname = \"b\"\n" : "";
      const char* top = "format = 1\n[parameters]\nradius = 1\ntilt = 0.1\n";
      read_description(fmt::format("{}{}{}", top, parent, block), "block", {}, faults);
      for (const Fault& fault : faults.list()) ADD_FAILURE() << fault.text() << '\n' << block;
    }
  }
  EXPECT_GE(whole, 1);
  EXPECT_GE(tables, 8);
  const std::vector<std::string> json = blocks_of("json", TANDEM_SOURCE_DIR "/docs/model-format.md");
  ASSERT_EQ(json.size(), 1U);
  EXPECT_NO_THROW(read_model(json[0], "docs/model-format.json"));
}

// Every type a file may name is described.
TEST(FormatDocument, NamesEveryType) {
  std::ifstream file(TANDEM_SOURCE_DIR "/docs/model-format.md");
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const Registry registry = Registry::standard();
  for (const auto& names : {registry.joints.names(), registry.constraints.names(), registry.forces.names(),
                            registry.drives.names(), shape_names()})
    for (const std::string& name : names)
      EXPECT_NE(text.find("| `" + name + "` |"), std::string::npos) << name << " has no row in a table";
}

}  // namespace
}  // namespace tandem
