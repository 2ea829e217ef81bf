#include "tandem/io/model/table_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "tandem/io/model/read_text.hpp"

namespace tandem {

namespace {

namespace fs = std::filesystem;

// Rows of numbers with commas between them. A line of words in front is a header; what follows a # is a comment.
class TableFile {
 public:
  // `values` are those of all tables so far.
  TableFile(std::string text, const std::string& file, const ReadLimits& limits, std::size_t& values, Faults& faults)
      : text_(std::move(text)), file_(file), limits_(limits), values_(values), faults_(faults) {}

  std::vector<Node> rows() {
    std::vector<Node> out;
    std::string_view rest = text_;
    if (rest.starts_with("\xef\xbb\xbf")) rest.remove_prefix(3);  // the mark that some spreadsheets put in front
    bool first = true;
    for (int line = 1; !rest.empty(); ++line) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      std::string_view content = rest.substr(0, end);
      content = content.substr(0, content.find('#'));
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (content.find_first_not_of(blanks) == std::string_view::npos) continue;
      if (!std::exchange(first, false) || !is_header(content)) out.push_back(row(content, line));
      if (const std::string trouble = beyond_limits(out); !trouble.empty()) {
        faults_.error_at({file_, line, 1}, trouble);
        return {};
      }
    }
    if (out.empty())
      faults_.error_at({file_, 1, 1}, "the table has no rows; a row is numbers with commas between them");
    return out;
  }

 private:
  static constexpr std::string_view blanks = " \t\r";
  static constexpr std::size_t most_columns = 16;  // Tandem's own tables have two or three

  std::string beyond_limits(const std::vector<Node>& rows) {
    if (rows.empty()) return "";
    if (rows.back().items.size() > most_columns)
      return fmt::format("a row of a table has at most {} numbers; this one has more", most_columns);
    if (rows.size() > limits_.rows)
      return fmt::format("the table has more than {} rows; allow more with --limit rows=NUMBER", limits_.rows);
    values_ += 1 + rows.back().items.size();
    if (values_ > limits_.values)
      return fmt::format("the tables of the model hold more than {} values; allow more with --limit values=NUMBER",
                         limits_.values);
    return "";
  }

  static std::string_view trimmed_cell(std::string_view cell) {
    const std::size_t first = cell.find_first_not_of(blanks), last = cell.find_last_not_of(blanks);
    return first == std::string_view::npos ? "" : cell.substr(first, last - first + 1);
  }

  static bool read_number(std::string_view cell, double& value) {
    if (cell.starts_with('+') && !cell.starts_with("+-")) cell.remove_prefix(1);
    const auto [end, status] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    return status == std::errc() && end == cell.data() + cell.size() && std::isfinite(value);
  }

  // A word, in quotes or not. Not nan or inf: those are numbers, of a table that is at fault.
  static bool is_word(std::string_view cell) {
    if (cell.starts_with('"')) cell.remove_prefix(1);
    const auto first = static_cast<unsigned char>(cell.empty() ? '\0' : cell[0]);
    const bool letter = (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z') || first >= 0x80;
    double value = 0.0;
    const char* end = cell.data() + cell.size();
    return letter && std::from_chars(cell.data(), end, value).ptr != end;
  }

  static bool is_header(std::string_view line) {
    for (std::size_t at = 0, end = 0; end != std::string_view::npos; at = end + 1) {
      end = line.find(',', at);
      if (!is_word(trimmed_cell(line.substr(at, end - at)))) return false;
    }
    return true;
  }

  Node row(std::string_view line, int number) {
    Node out;
    out.kind = Node::Kind::list;
    out.where = {file_, number, 1};
    for (std::size_t at = 0, end = 0; end != std::string_view::npos; at = end + 1) {
      end = line.find(',', at);
      const std::string_view cell = trimmed_cell(line.substr(at, end - at));
      if (out.items.size() > most_columns) break;
      Node item;
      item.kind = Node::Kind::number;
      item.where = {file_, number, static_cast<int>(at) + 1};
      if (!read_number(cell, item.number)) {
        item.number = 0.0;  // told here, once
        faults_.error_at(item.where,
                         fmt::format("\"{}\" is not a finite number; a row is numbers with commas between them",
                                     cell.substr(0, 40)));
      }
      out.items.push_back(std::move(item));
    }
    return out;
  }

  std::string text_;
  FileName file_;
  const ReadLimits& limits_;
  std::size_t& values_;
  Faults& faults_;
};

// The file, if it lies below the folder of the model or may lie elsewhere.
std::optional<fs::path> allowed_path(const Node& name, const std::string& model_file, bool external, Faults& faults) {
  const fs::path folder = fs::path(model_file).parent_path();
  const fs::path path = fs::path(name.text).is_absolute() ? fs::path(name.text) : folder / name.text;
  // Links are followed, so that none leads out. What cannot be followed is empty, and nothing lies below that.
  const auto followed = [](const fs::path& given) {
    std::error_code error;
    const fs::path found = fs::weakly_canonical(fs::absolute(given, error), error);
    return error ? fs::path() : found;
  };
  const fs::path real_folder = followed(folder.empty() ? "." : folder), real = followed(path);
  const auto [end, ignored] = std::mismatch(real_folder.begin(), real_folder.end(), real.begin(), real.end());
  if (external || (!real_folder.empty() && end == real_folder.end())) return path;
  faults.error_at(name.where,
                  fmt::format("\"{}\" lies outside the folder of the model; put the file there, or allow it "
                              "with --allow-external-files",
                              name.text));
  return std::nullopt;
}

void put_in(Node& value, const std::string& model_file, const ReadOptions& options, std::size_t& values,
            Faults& faults) {
  const Node name = *value.find("file");
  value.kind = Node::Kind::list;
  for (const Node& item : std::exchange(value.items, {}))
    if (item.key != "file")
      faults.error_at(item.key_where,
                      fmt::format("unknown key \"{}\"; a table from a file is {{ file = \"NAME.csv\" }}", item.key));
  if (!name.is(Node::Kind::text))
    return faults.error_at(name.where, fmt::format("file must be a text in quotes, not {}", name.kind_name()));
  const auto path = allowed_path(name, model_file, options.allow_external_files, faults);
  if (!path) return;
  try {
    std::string text = read_text(*path, options.limits.file, "--limit file=BYTES");
    value.items = TableFile(std::move(text), path->string(), options.limits, values, faults).rows();
  } catch (const FileError& error) {
    faults.error_at(name.where, error.what());
  }
}

}  // namespace

bool put_in_table_files(Node& root, const std::string& file_name, const ReadOptions& options, Faults& faults) {
  bool any = false;
  std::size_t values = 0;
  for (Node& kind : root.items)
    for (Node& table : kind.items) {
      if (kind.key != "joint" && kind.key != "constraint" && kind.key != "force" && kind.key != "drive") continue;
      const Node* name = table.find("name");
      faults.about(name ? fmt::format("{} \"{}\"", kind.key, name->text) : kind.key, table.where);
      for (Node& value : table.items) {
        if (!value.is(Node::Kind::table) || !value.find("file")) continue;
        if (values > options.limits.values) {  // told; no more is read
          value.at_fault = true;
          continue;
        }
        any = true;
        const std::size_t before = faults.error_count();
        put_in(value, file_name, options, values, faults);
        value.at_fault = faults.error_count() > before;
      }
    }
  return any;
}

}  // namespace tandem
