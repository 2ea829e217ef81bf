#include "tandem/io/report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "tandem/io/report/report_json.hpp"
#include "tandem/io/results/output_file.hpp"
#include "tandem/version.hpp"

namespace tandem {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

static constexpr std::string_view place = "<!--tandem-report-->";  // in the page

struct Report::Parts {
  const Model& model;
  Json header;
  std::vector<std::string> numbers;

  Json add_table(const std::string& name, const ReportTable& table) {
    Json columns = Json::array();
    for (const ResultColumn& column : table.columns()) columns.push_back({column.name, column.unit});
    numbers.push_back(table.base64());
    Json json{{"name", name}, {"table", numbers.size() - 1}, {"rows", table.rows()}, {"columns", columns}};
    if (!table.not_unique().empty()) json["not_unique"] = table.not_unique();
    return json;
  }
};

Report::Report(const Model& model) : parts_(new Parts{model, {}, {}}) {
  Json& header = parts_->header;
  header["format"] = 1;
  header["tandem"] = TANDEM_VERSION;
  header["model"] = report_model_json(model);
  for (const char* list : {"about", "notices", "motions", "ghosts"}) header[list] = Json::array();
}
Report::~Report() = default;

void Report::about(const std::string& name, const std::string& value) {
  parts_->header["about"].push_back({name, value});
}
void Report::notice(const std::string& text) { parts_->header["notices"].push_back(text); }

void Report::verdict(const Verdict& verdict) {
  Json reasons = Json::array(), figures = Json::array();
  for (const TrustReason& reason : verdict.reasons)
    reasons.push_back({{"trust", trust_name(reason.trust)}, {"text", reason.text}});
  for (const Figure& figure : verdict.figures)
    figures.push_back({{"name", figure.name}, {"value", figure.value}, {"trust", trust_name(figure.trust)}});
  Json tables = Json::array();
  for (const ShownTable& table : verdict.tables)
    tables.push_back({{"title", table.title}, {"heading", table.heading}, {"rows", table.rows}});
  parts_->header["verdict"] = {{"trust", trust_name(verdict.trust)},
                               {"word", verdict.word.empty() ? std::string(trust_name(verdict.trust)) : verdict.word},
                               {"sentence", verdict.sentence},
                               {"reasons", reasons},
                               {"figures", figures},
                               {"tables", tables},
                               {"notes", verdict.notes}};
}

// Strides are powers of two.
static std::string every(std::size_t stride) {
  if (stride > 8) return fmt::format("one of {}", stride);
  return stride == 2 ? "every second one" : stride == 4 ? "every fourth one" : "every eighth one";
}

void Report::motion(const std::string& name, const ReportTable& table) {
  Json entry = parts_->add_table(name, table);
  entry["places"] = report_places_json(parts_->model, table.columns());
  parts_->header["motions"].push_back(std::move(entry));
  if (!table.not_unique().empty())
    notice("* redundant rows share the load: only the sum is determined, this is one way to share it.");
  if (table.stride() > 1)
    notice(fmt::format("To keep this file small, {} of {} samples are here: {}.", table.rows(), table.given(),
                       every(table.stride())));
}

void Report::ghost(const std::string& name, const ReportTable& table) {
  parts_->header["ghosts"].push_back(parts_->add_table(name, table));
}

void Report::modes(const Sweep& sweep, const std::string& unit) {
  Json modes = report_modes_json(sweep, unit);
  modes["points"] = parts_->add_table("modes", report_modes_table(parts_->model, sweep));
  modes["points"].erase("columns");
  parts_->header["modes"] = std::move(modes);
}

std::string Report::header() const {
  // Names of a model that is built in C++ may be no UTF-8.
  return parts_->header.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string Report::html() const {
  const std::string_view page = report_page();
  const std::size_t at = page.find(place);
  if (at == std::string_view::npos) throw FileError(std::string(report_page_missing()));
  std::string out(page.substr(0, at));
  out += "<script type=\"application/json\" id=\"tandem-header\">";
  for (const char c : header()) {
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  }
  out += "</script>";
  for (std::size_t i = 0; i < parts_->numbers.size(); ++i)
    out += fmt::format("\n<script type=\"text/plain\" id=\"tandem-numbers-{}\">{}</script>", i, parts_->numbers[i]);
  out += page.substr(at + place.size());
  return out;
}

void Report::write(const fs::path& file, bool force) const {
  require_report_place(file, force);
  write_output(file, html(), force);
}

void require_report_place(const fs::path& file, bool force) {
  if (report_page().empty()) throw FileError(std::string(report_page_missing()));
  require_output_place(file, force);
  std::error_code error;
  if (standard_descriptor(file) || (fs::exists(file, error) && !fs::is_regular_file(file, error))) return;  // a pipe
  const std::string extension = file.extension().string();
  if (extension != ".html" && extension != ".htm")
    throw FileError(fmt::format("cannot write \"{}\": a report is an .html file", file.string()));
}

}  // namespace tandem
