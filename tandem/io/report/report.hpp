// Report: a run, a comparison, the modes of a linearisation or a model alone as one HTML file that shows it in any
// browser, without a network.
//
// The file is the built page (viewer/) with two kinds of data blocks in place of its mark, both inert text:
//   <script type="application/json" id="tandem-header">   names, shapes, joints, columns, units, verdict
//   (docs/report.md) <script type="text/plain" id="tandem-numbers-K">      table K of the header in base64,
//   little-endian: its times as
//                                                         float64, then its columns one after the other as float32
// Every < of the header is written as \u003c, so that no name ends a block. Tables that would take more than 50 MB are
// thinned to every second, fourth, eighth… row, and a notice says so; the first and the last row always stay.
#pragma once

#include <memory>

#include "tandem/io/results/results.hpp"
#include "tandem/linearize/sweep.hpp"
#include "tandem/run/trust.hpp"

namespace tandem {

inline constexpr std::size_t largest_report = 50'000'000;  // bytes of text a table may take

// Numbers over time, which never take more than their share: when it is full, every second row goes.
class ReportTable {
 public:
  // Without the time, which is the first value of a row.
  explicit ReportTable(std::vector<ResultColumn> columns, std::size_t largest = largest_report);
  void row(std::span<const double> values);

  const std::vector<ResultColumn>& columns() const { return columns_; }
  std::size_t rows() const { return t_.size() + (pending_ ? 1 : 0); }
  // Columns of loads that redundant rows share; the page marks them. The last columns are those of report_reactions().
  void mark_not_unique(const Model& model, const Uniqueness& unique);
  const std::vector<std::size_t>& not_unique() const { return not_unique_; }
  std::size_t given() const { return given_; }    // rows
  std::size_t stride() const { return stride_; }  // every so many rows were kept
  std::string base64() const;

 private:
  void keep();
  void halve();

  std::vector<ResultColumn> columns_;
  std::vector<std::size_t> not_unique_;
  std::size_t most_rows_, given_ = 0, stride_ = 1;
  std::vector<double> t_;
  std::vector<float> values_;  // row after row
  bool pending_ = false;       // the last row, which is not on the stride
  std::vector<double> last_;
};

// What a run shows: its record, then the reaction of every joint and constraint.
std::vector<ResultColumn> report_columns(const Model& model);
// The values of the reactions at the state of `simulation`, appended.
void report_reactions(const Model& model, Simulation& simulation, std::vector<double>& out);

// Of a result file. Without the text of a model in it, bodies are known by their columns alone: BODY.x, .y, .z.
Model model_of_results(const ResultTable& table, const std::string& name);
// Its rows, with reactions where the model tells them. Throws FileError when they are not of this model.
ReportTable report_of_results(const Model& model, const ResultTable& table);

struct Figure {
  std::string name, value;
  Trust trust = Trust::trusted;
};
// A table of texts; the first cell of a row names it.
struct ShownTable {
  std::string title;
  std::vector<std::string> heading;
  std::vector<std::vector<std::string>> rows;
};
// What a page says first: a word, a sentence, the reasons, the figures and the tables behind them.
struct Verdict {
  Trust trust = Trust::trusted;
  std::string sentence;
  std::vector<TrustReason> reasons;
  std::vector<Figure> figures;
  std::vector<ShownTable> tables{};
  std::vector<std::string> notes{};  // below them
  std::string word{};                // empty: that of `trust`
};

// Of a run that was judged; `status` as status_name() gives it.
Verdict run_verdict(const Model& model, std::string_view status, const std::string& reason, const HealthSummary& health,
                    const Judgement& judgement);
// What the rows of a result file tell of the same; `shown` is report_of_results(), which knows what is unique. They
// hold no events.
HealthSummary health_of(const Model& model, const ResultTable& table, const ReportTable& shown);
// As its file holds it; where it holds none, judged by its rows.
Judgement judgement_of(const Model& model, const ResultTable& table, const ReportTable& shown);

class Report {
 public:
  explicit Report(const Model& model);
  ~Report();
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;

  void about(const std::string& name, const std::string& value);
  void notice(const std::string& text);
  void verdict(const Verdict& verdict);
  void motion(const std::string& name, const ReportTable& table);  // the first is the one that is shown
  // Another motion beside the first, as the difference from it: a shift and a turn (rotation vector, world axes) of
  // every body, on rows of its own. Columns: ghost_columns().
  void ghost(const std::string& name, const ReportTable& table);
  void modes(const Sweep& sweep, const std::string& unit);  // a sweep, or one point of it without a parameter

  std::string header() const;  // JSON
  std::string html() const;    // throws FileError when this build has no page
  // Throws FileError; replaces a file with `force` only.
  void write(const std::filesystem::path& file, bool force = false) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

std::vector<ResultColumn> ghost_columns(const Model& model);
// From `from` to `to`, both on the maximal cut, at the same moment.
void ghost_values(const Model& model, const State& from, const State& to, std::vector<double>& out);

// Throws FileError, with what to do, when a report could not be written there; before the work that leads to it.
void require_report_place(const std::filesystem::path& file, bool force = false);

// The page that the viewer was built to; empty: this build has none, and why.
std::string_view report_page();
std::string_view report_page_missing();

}  // namespace tandem
