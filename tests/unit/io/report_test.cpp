#include "tandem/io/report/report.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "tandem/io/model/examples.hpp"
#include "tandem/run/record.hpp"
#include "tandem/run/run.hpp"

namespace tandem {

namespace {

std::vector<unsigned char> decoded(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<unsigned char> out;
  unsigned word = 0, bits = 0;
  for (const char c : text) {
    if (c == '=') break;
    word = word << 6U | static_cast<unsigned>(digits.find(c));
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    out.push_back(static_cast<unsigned char>(word >> bits & 255U));
  }
  return out;
}

struct Decoded {
  std::vector<double> t;
  std::vector<std::vector<float>> columns;
  Decoded(const ReportTable& table) {  // NOLINT(google-explicit-constructor)
    const std::vector<unsigned char> bytes = decoded(table.base64());
    const std::size_t rows = table.rows();
    EXPECT_EQ(bytes.size(), rows * (8 + 4 * table.columns().size()));
    t.resize(rows);
    std::memcpy(t.data(), bytes.data(), 8 * rows);
    for (std::size_t i = 0; i < table.columns().size(); ++i) {
      columns.emplace_back(rows);
      std::memcpy(columns.back().data(), bytes.data() + 8 * rows + 4 * rows * i, 4 * rows);
    }
  }
};

}  // namespace

TEST(ReportTable, KeepsTimesAsDoublesAndColumnsAsFloatsOneAfterTheOther) {
  ReportTable table({{"a", "m"}, {"b", ""}});
  for (int i = 0; i < 5; ++i) table.row(std::array{1e6 + 0.001 * i, 0.1 * i, -1e-15});
  const Decoded read(table);
  EXPECT_EQ(read.t[3], 1e6 + 0.003);
  EXPECT_EQ(read.columns[0][3], static_cast<float>(0.3));
  EXPECT_EQ(read.columns[1][4], static_cast<float>(-1e-15));
  EXPECT_EQ(table.stride(), 1u);
}

TEST(ReportTable, IsThinnedEvenlyWithItsFirstAndLastRow) {
  for (const int rows : {99, 100, 101, 1000, 1023, 12345}) {
    ReportTable table({{"a", ""}}, 12 * 64 * 4 / 3);
    for (int i = 0; i < rows; ++i) table.row(std::array{static_cast<double>(i), 10.0 * i});
    const Decoded read(table);
    EXPECT_LE(table.rows(), 65u);
    EXPECT_GE(table.rows(), 30u);
    EXPECT_EQ(table.given(), static_cast<std::size_t>(rows));
    EXPECT_EQ(read.t.front(), 0.0);
    EXPECT_EQ(read.t.back(), rows - 1.0);
    for (std::size_t i = 0; i < read.t.size(); ++i) EXPECT_EQ(read.columns[0][i], 10.0 * read.t[i]);
    for (std::size_t i = 0; i + 1 < read.t.size(); ++i)
      EXPECT_EQ(read.t[i], static_cast<double>(i * table.stride())) << rows;
  }
}

TEST(Report, TellsAThinnedTable) {
  const Model model = load_model_or_example("two-body");
  for (const auto& [rows, words] : {std::pair(100, ": every second one."), std::pair(200, ": every fourth one."),
                                    std::pair(1000, ": one of 16.")}) {
    ReportTable table({{"a", ""}}, 12 * 64 * 4 / 3);
    for (int i = 0; i < rows; ++i) table.row(std::array{static_cast<double>(i), 0.0});
    Report report(model);
    report.motion("lagrange", table);
    const auto header = nlohmann::json::parse(report.header());
    ASSERT_EQ(header["notices"].size(), 1u);  // and no word of a result file: there need not be one
    const auto notice = header["notices"][0].get<std::string>();
    EXPECT_NE(notice.find("of " + std::to_string(rows) + " samples are here"), std::string::npos) << notice;
    EXPECT_TRUE(notice.ends_with(words)) << notice;
  }
}

// A body and a joint may have the same name; their columns must not be taken for each other's.
TEST(Report, FindsColumnsOfThingsWithTheSameName) {
  const std::string text = R"(format = 1
[[body]]
name = "x"
mass = 1
shape = { type = "box", size = [1, 1, 1] }
[[joint]]
name = "x"
type = "planar"
bodies = ["world", "x"]
axis = [0, 0, 1]
)";
  const Model model = read_model(text, "same.toml");
  const std::vector<ResultColumn> columns = report_columns(model);
  ReportTable table(columns);
  Report report(model);
  report.motion("", table);
  const auto places = nlohmann::json::parse(report.header())["motions"][0]["places"];
  const auto name = [&](const nlohmann::json& at) { return columns[at.get<std::size_t>()].name; };
  EXPECT_EQ(places["bodies"][0]["pose"], 0);
  EXPECT_EQ(name(places["bodies"][0]["velocity"]), "x.vx");
  ASSERT_EQ(places["joints"][0]["coordinates"].size(), 3u);
  EXPECT_GE(places["joints"][0]["coordinates"][0], 13);  // after the body
  EXPECT_EQ(name(places["joints"][0]["reaction"]), "x.force_x");
}

TEST(Report, NamesThatAreNoTextDoNotBreakIt) {
  Model model = load_model_or_example("two-body");
  model.bodies[0].name = "\xff\xfe</script>";
  const std::string header = Report(model).header();
  EXPECT_TRUE(nlohmann::json::accept(header));
}

TEST(Report, GhostsAreDifferencesWithoutLossOfSmallOnes) {
  const Model model = load_model_or_example("two-body");
  const State a = start_state(model);
  State b = a;
  Eigen::VectorXd delta = Eigen::VectorXd::Zero(model.nv);
  delta << 1e-13, 0, 0, 0, 3e-14, 0, 0, 0, 0, 0, 0, 0;
  retract(model, delta, b.q());
  std::vector<double> values;
  ghost_values(model, a, b, values);
  ASSERT_EQ(values.size() + 2, ghost_columns(model).size());
  EXPECT_NEAR(values[1], 3e-14, 1e-15);
  const double turn = std::hypot(values[3], values[4], values[5]);
  EXPECT_NEAR(turn, 1e-13, 1e-15);
}

TEST(Report, VerdictOfResultsIsThatOfTheRun) {
  const Model model = load_model_or_example("bicycle");
  Simulation simulation(model);
  ResultTable table;
  table.columns = record_columns(model);
  std::vector<double> values;
  tandem::Run run(model, simulation, {.duration = 0.5, .on_row = [&](Simulation& at, const HealthRow& health) {
                                        record_values(model, at, health, values);
                                        table.values.insert(table.values.end(), values.begin(), values.end());
                                      }});
  while (run.advance()) {
  }
  const Verdict of_run = run_verdict(model, "finished", "", run.health(), run.judgement());
  const ReportTable shown = report_of_results(model, table);
  const Verdict of_table =
      run_verdict(model, "finished", "", health_of(model, table, shown), judgement_of(model, table, shown));
  EXPECT_EQ(of_run.trust, Trust::trusted);
  // Nothing is wrong with its rows, and nobody knows how it ended.
  EXPECT_EQ(of_table.trust, Trust::look);
  ASSERT_EQ(of_table.reasons.size(), 1U);
  EXPECT_EQ(of_table.reasons[0].kind, "rows_alone");
  ASSERT_EQ(of_run.figures.size(), of_table.figures.size());
  for (std::size_t i = 0; i < of_run.figures.size(); ++i) {
    EXPECT_EQ(of_run.figures[i].name, of_table.figures[i].name);
    EXPECT_EQ(of_run.figures[i].value, of_table.figures[i].value) << of_run.figures[i].name;
  }
}

TEST(Report, FiguresAreMarkedWithTheWordOfTheirReason) {
  const Model model = load_model_or_example("bicycle");
  HealthSummary health;
  health.energy_scale = health.energy_size = 1000.0;
  health.lowest_loads = {{5.0, 0.0}, {-2.0, 1.5}};
  health.shared_loads = {false, false};
  health.balance.value = 0.1;
  health.events = {{HealthEvent::Kind::singular_pose, 3, 0.5, 0.5, 1}};
  const Verdict verdict = run_verdict(model, "finished", "", health, judge(model, model.setup, health, "finished", ""));
  EXPECT_EQ(verdict.trust, Trust::look);
  EXPECT_EQ(verdict.reasons.size(), 3U);
  std::vector<std::string> marked;
  for (const Figure& figure : verdict.figures)
    if (figure.trust == Trust::look) marked.push_back(figure.name);
  EXPECT_EQ(marked, (std::vector<std::string>{"energy balance, of the energy that moved", "singular pose, times",
                                              "lowest load of front_contact"}));
  const Model pushed = load_model_or_example("spring-chain");
  health = {};
  health.events = {{HealthEvent::Kind::breakpoint_of_force, 0, 0.0, 0.0, 1}};
  const Verdict fast = run_verdict(pushed, "finished", "", health, judge(pushed, pushed.setup, health, "finished", ""));
  EXPECT_EQ(fast.figures.back().name, "breakpoint of force, times");
  EXPECT_EQ(fast.figures.back().trust, Trust::look);
  Report report(model);
  report.verdict(verdict);
  EXPECT_NE(report.header().find("\"verdict\":{\"trust\":\"look\""), std::string::npos);
}

TEST(Report, TheWordOfAFileGoesBeforeItsRows) {
  const Model model = load_model_or_example("bicycle");
  ResultTable table;
  table.attributes = {{"trust", "not to be trusted"}, {"reasons", "not to be trusted: the branch was left"}};
  const Judgement held = judgement_of(model, table, ReportTable({}));
  EXPECT_EQ(held.trust, Trust::not_to_be_trusted);
  ASSERT_EQ(held.reasons.size(), 1U);
  EXPECT_EQ(held.reasons[0].text, "the branch was left");
}

}  // namespace tandem
