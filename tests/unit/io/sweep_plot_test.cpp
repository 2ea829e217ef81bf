#include "tandem/io/plots/sweep_plot.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <regex>

#include "tandem/io/plots/svg.hpp"
#include "tandem/io/plots/svg_labels.hpp"

namespace tandem {
namespace {

using Complex = std::complex<double>;
constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinite = std::numeric_limits<double>::infinity();

SweepPlot named(std::string title, std::string parameter) {
  SweepPlot plot;
  plot.title = std::move(title);
  plot.parameter = std::move(parameter);
  return plot;
}

// A pair that is real up to x = 1 and complex from there on, a slow mode that crosses zero at 6, and a fast one.
SweepPlot sample_plot() {
  SweepPlot plot = named("Benchmark bicycle", "v");
  plot.unit = "m/s";
  plot.modes = {{"weave", {}}, {"weave", {}}, {"capsize", {}}, {"castering", {}}};
  for (int i = 0; i <= 40; ++i) {
    const double x = 0.25 * i;
    const Complex half = std::sqrt(Complex(4.0 * (1.0 - x), 0.0));
    plot.x.push_back(x);
    plot.modes[0].values.push_back(2.0 - 0.5 * x + half);
    plot.modes[1].values.push_back(2.0 - 0.5 * x - half);
    plot.modes[2].values.emplace_back(0.3 * (x - 6.0), 0.0);
    plot.modes[3].values.emplace_back(-5.0 - 2.0 * x, 0.0);
  }
  plot.crossings = {{4.0, "weave 4"}, {6.0, "capsize 6"}};
  plot.stable = {{4.0, 6.0}};
  return plot;
}

// ---- a small reader of XML ----

// Empty when the text is well formed as far as this looks: tags balance, attributes are quoted, no bare & and <.
std::string xml_fault(const std::string& xml) {
  static const std::regex tag(R"re(<(/?)([A-Za-z]+)((?: [A-Za-z:-]+="[^"<]*")*)(/?)>)re");
  static const std::regex entity("&(?!amp;|lt;|gt;|quot;|#39;)");
  if (std::regex_search(xml, entity)) return "a bare &";
  std::vector<std::string> open;
  auto place = xml.cbegin();
  int roots = 0;
  for (std::smatch match; std::regex_search(place, xml.cend(), match, tag); place = match[0].second) {
    if (std::find(place, match[0].first, '<') != match[0].first) return "a bare <";
    if (match[1].length() == 0 && open.empty()) ++roots;
    if (match[1].length() == 0 && match[4].length() == 0) open.push_back(match[2]);
    if (match[1].length() == 0) continue;
    if (open.empty() || open.back() != match[2]) return "unexpected </" + match[2].str() + ">";
    open.pop_back();
  }
  if (std::find(place, xml.cend(), '<') != xml.cend()) return "a bare < at the end";
  if (!open.empty()) return "<" + open.back() + "> stays open";
  return roots == 1 ? "" : "not one root";
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t times = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++times;
  return times;
}

std::string attribute(const std::string& tag, const std::string& name) {
  const std::string start = " " + name + "=\"";
  const std::size_t from = tag.find(start);
  if (from == std::string::npos) return "";
  return tag.substr(from + start.size(), tag.find('"', from + start.size()) - from - start.size());
}

double number(const std::string& tag, const std::string& name) {
  const std::string text = attribute(tag, name);
  return text.empty() ? nan : std::stod(text);
}

// All tags of this element whose class is one of, or begins with, `kind`.
std::vector<std::string> tags(const std::string& xml, const std::string& element, const std::string& kind) {
  std::vector<std::string> found;
  const std::string start = "<" + element + " class=\"" + kind;
  for (std::size_t at = xml.find(start); at != std::string::npos; at = xml.find(start, at + 1)) {
    found.push_back(xml.substr(at, xml.find('>', at) + 1 - at));
  }
  return found;
}

// What is drawn in the group with this clip path.
std::string clipped(const std::string& xml, const std::string& id) {
  const std::size_t from = xml.find("<g clip-path=\"url(#" + id + ")\">");
  return from == std::string::npos ? "" : xml.substr(from, xml.find("</g>", from) - from);
}

svg::Box clip_box(const std::string& xml, const std::string& id) {
  const std::size_t at = xml.find("<clipPath id=\"" + id + "\"><rect ");
  if (at == std::string::npos) return {nan, nan, nan, nan};
  const std::string tag = xml.substr(xml.find("<rect ", at), 120);
  const double x = number(tag, "x"), y = number(tag, "y");
  return {x, y, x + number(tag, "width"), y + number(tag, "height")};
}

std::vector<svg::Point> points_of(const std::string& path) {
  static const std::regex point(R"re([ML](-?[0-9.]+) (-?[0-9.]+))re");
  const std::string data = attribute(path, "d");
  std::vector<svg::Point> points;
  for (std::sregex_iterator it(data.begin(), data.end(), point), end; it != end; ++it) {
    points.push_back({std::stod((*it)[1]), std::stod((*it)[2])});
  }
  return points;
}

// Numbers of the picture, not of texts.
void expect_sound(const std::string& xml, const std::string& what) {
  EXPECT_EQ(xml_fault(xml), "") << what;
  EXPECT_EQ(xml.find("nan"), std::string::npos) << what;
  EXPECT_EQ(xml.find("inf"), std::string::npos) << what;
  EXPECT_EQ(xml.rfind("<svg ", 0), 0U) << what;
  EXPECT_EQ(count(xml, "<clipPath "), 2U) << what;
}

// ---- the whole picture ----

TEST(SweepPlot, TheReaderOfTheseTestsSeesFaults) {
  EXPECT_EQ(xml_fault("<a x=\"1\"><b/>text</a>"), "");
  EXPECT_NE(xml_fault("<a><b></a></b>"), "");
  EXPECT_NE(xml_fault("<a>1 < 2</a>"), "");
  EXPECT_NE(xml_fault("<a>x & y</a>"), "");
  EXPECT_NE(xml_fault("<a x=\"1\"y\">t</a>"), "");
  EXPECT_NE(xml_fault("<a>"), "");
  EXPECT_NE(xml_fault("<a/><b/>"), "");
}

TEST(SweepPlot, IsWellFormedAndSaysWhatItShows) {
  const std::string xml = draw_sweep(sample_plot());
  expect_sound(xml, "sample");
  EXPECT_NE(xml.find("<title id=\"title\">Benchmark bicycle</title>"), std::string::npos);
  EXPECT_NE(xml.find("of 4 modes: real and imaginary parts against v from 0 to 10 m/s"), std::string::npos);
  EXPECT_NE(xml.find("Stable from 4 to 6 m/s."), std::string::npos);
  EXPECT_NE(xml.find("@media (prefers-color-scheme:dark)"), std::string::npos);
  for (const char* text : {">v, m/s<", ">eigenvalue, 1/s<", ">real part, 1/s<", ">imaginary part, 1/s<", ">stable<",
                           ">weave 4<", ">capsize 6<", ">v = 0 m/s<", ">v = 10 m/s<", ">every 1 m/s<"}) {
    EXPECT_EQ(count(xml, text), 1U) << text;
  }
}

TEST(SweepPlot, CurvesHaveTheirNames) {
  const std::string xml = draw_sweep(sample_plot());
  for (const char* name : {"weave", "capsize"}) {
    EXPECT_EQ(count(xml, ">" + std::string(name) + "</text>"), 3U) << name;  // legend and both diagrams
  }
  EXPECT_EQ(count(xml, ">castering</text>"), 2U);
  EXPECT_EQ(count(xml, ">castering (partly outside)</text>"), 1U);
  EXPECT_EQ(count(xml, ">weave (Im)</text>"), 1U);
  EXPECT_EQ(count(xml, ">capsize (Im)</text>"), 0U);
}

TEST(SweepPlot, HostileNamesAreEscaped) {
  SweepPlot plot = sample_plot();
  const std::string hostile = "</text><script>\"a\" & 'b'\x01\xff";
  plot.title = plot.parameter = plot.unit = plot.modes[0].name = plot.modes[3].name = plot.crossings[0].label = hostile;
  const std::string xml = draw_sweep(plot);
  expect_sound(xml, "hostile");
  EXPECT_EQ(xml.find("<script"), std::string::npos);
  EXPECT_EQ(xml.find('\x01'), std::string::npos);
  EXPECT_EQ(xml.find('\xff'), std::string::npos);
  EXPECT_NE(xml.find("&lt;/text&gt;&lt;script&gt;&quot;a&quot; &amp; &#39;b&#39;\xEF\xBF\xBD\xEF\xBF\xBD</title>"),
            std::string::npos);
}

TEST(SweepPlot, StableRangesAreShadedWhereTheyAre) {
  SweepPlot plot = sample_plot();
  plot.stable = {{4.0, 6.0}, {9.0, infinite}, {-infinite, 0.5}, {nan, 3.0}, {1.0, nan}, {3.0, 2.0}, {20.0, 30.0}};
  const std::string xml = draw_sweep(plot);
  const svg::Box box = clip_box(xml, "sweep-clip");
  const double scale = (box.right - box.left) / 10.0;
  const auto shades = tags(xml, "rect", "stable\" x=");  // the one of the legend has no x
  ASSERT_EQ(shades.size(), 3U);
  const double ranges[3][2] = {{4.0, 6.0}, {9.0, 10.0}, {0.0, 0.5}};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(number(shades[i], "x"), box.left + scale * ranges[i][0], 0.02);
    EXPECT_NEAR(number(shades[i], "width"), scale * (ranges[i][1] - ranges[i][0]), 0.02);
    EXPECT_NEAR(number(shades[i], "y"), box.top, 0.02);
    EXPECT_NEAR(number(shades[i], "height"), box.bottom - box.top, 0.02);
  }
  plot.stable.clear();
  EXPECT_EQ(count(draw_sweep(plot), "class=\"stable\""), 0U);
}

TEST(SweepPlot, CrossingsAreMarkedOnTheZeroLine) {
  SweepPlot plot = sample_plot();
  plot.crossings.push_back({nan, "lost"});
  plot.crossings.push_back({11.0, "beyond"});
  const std::string xml = draw_sweep(plot);
  const svg::Box box = clip_box(xml, "sweep-clip");
  const auto lines = tags(xml, "path", "crossing");
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_NEAR(points_of(lines[0]).at(0).x, box.left + 0.4 * (box.right - box.left), 0.02);
  EXPECT_NEAR(points_of(lines[1]).at(0).x, box.left + 0.6 * (box.right - box.left), 0.02);
  const double zero = points_of(tags(xml, "path", "zero").at(0)).at(0).y;
  EXPECT_NEAR(number(tags(xml, "circle", "mark").at(0), "cy"), zero, 0.06);
  EXPECT_EQ(xml.find(">lost<"), std::string::npos);
}

// ---- curves ----

TEST(SweepPlot, CurvesStayInTheClipPath) {
  const std::string xml = draw_sweep(sample_plot());
  std::size_t inside = 0;
  for (const char* id : {"sweep-clip", "locus-clip"}) {
    const svg::Box box = clip_box(xml, id).grown(3.01);  // cut in the numbers too, just outside of the clip path
    const auto paths = tags(clipped(xml, id), "path", "line");
    EXPECT_GE(paths.size(), 3U) << id;
    inside += paths.size();
    for (const std::string& path : paths) {
      const auto points = points_of(path);
      EXPECT_GT(points.size(), 4U);
      for (const svg::Point& point : points) EXPECT_TRUE(box.holds(point)) << id << ": " << point.x << ' ' << point.y;
    }
  }
  EXPECT_EQ(tags(xml, "path", "line").size(), inside + 2);  // the two samples of the legend
}

TEST(SweepPlot, AFarModeDoesNotSquashTheOthers) {
  SweepPlot plot = sample_plot();
  const auto height_of_weave = [&] {
    const auto points = points_of(tags(clipped(draw_sweep(plot), "sweep-clip"), "path", "line imaginary h0").at(0));
    const auto ends = std::minmax_element(points.begin(), points.end(),
                                          [](const svg::Point& a, const svg::Point& b) { return a.y < b.y; });
    return ends.second->y - ends.first->y;
  };
  const double before = height_of_weave();
  EXPECT_GT(before, 100.0);
  for (auto& value : plot.modes[3].values) value *= 1000.0;
  EXPECT_GT(height_of_weave(), 0.9 * before);
  EXPECT_NE(draw_sweep(plot).find(">castering (outside)<"), std::string::npos);
}

// Frequencies are what a sweep is looked at for: those of a chain, or of a top, which swing for ever.
TEST(SweepPlot, WhatSwingsIsShownAsAWhole) {
  SweepPlot plot = named("chain", "k");
  plot.modes = {{"slow", {}}, {"middle", {}}, {"fast", {}}};
  for (int i = 0; i <= 10; ++i) {
    plot.x.push_back(i);
    for (std::size_t m = 0; m < 3; ++m) plot.modes[m].values.emplace_back(-0.1, (1.0 + i) * std::pow(4.0, m));
  }
  EXPECT_EQ(count(draw_sweep(plot), "outside)"), 0U);
  for (auto& value : plot.modes[2].values) value *= 1000.0;  // what dwarfs the others may be cut, and is told
  EXPECT_EQ(count(draw_sweep(plot), ">fast (outside)</text>"), 1U);
}

TEST(SweepPlot, ADoubledRealPartIsDrawnOnce) {
  SweepPlot plot = named("pair", "x");
  plot.modes = {{"a", {}}, {"b", {}}};
  for (int i = 0; i <= 10; ++i) {
    plot.x.push_back(i);
    plot.modes[0].values.emplace_back(-1.0 - 0.1 * i, -2.0 - i);  // the first member is the one below
    plot.modes[1].values.emplace_back(-1.0 - 0.1 * i, 2.0 + i);
  }
  const std::string xml = draw_sweep(plot), sweep = clipped(xml, "sweep-clip"), locus = clipped(xml, "locus-clip");
  const auto real = tags(sweep, "path", "line h"), imaginary = tags(sweep, "path", "line imaginary");
  ASSERT_EQ(real.size(), 1U);
  EXPECT_EQ(points_of(real[0]).size(), 11U);
  ASSERT_EQ(imaginary.size(), 1U);
  EXPECT_EQ(points_of(imaginary[0]).size(), 11U);
  ASSERT_EQ(tags(locus, "path", "line").size(), 1U);
  EXPECT_EQ(points_of(tags(locus, "path", "line")[0]).size(), 22U);  // both signs
  EXPECT_EQ(count(xml, ">a, b</text>"), 3U);
  for (auto& mode : plot.modes) mode.values.assign(11, Complex(-1.0, 0.0));
  EXPECT_EQ(tags(clipped(draw_sweep(plot), "sweep-clip"), "path", "line").size(), 1U);  // two equal real modes
}

TEST(SweepPlot, PairsMeetWhereTheyBegin) {
  const std::string xml = draw_sweep(sample_plot());
  const svg::Box box = clip_box(xml, "sweep-clip");
  const double at = box.left + 0.1 * (box.right - box.left);  // x = 1
  const double zero = points_of(tags(xml, "path", "zero").at(0)).at(0).y;
  const std::string sweep = clipped(xml, "sweep-clip");
  const svg::Point start = points_of(tags(sweep, "path", "line imaginary h0").at(0)).at(0);
  EXPECT_NEAR(start.x, at, 0.02);
  EXPECT_NEAR(start.y, zero, 0.06);
  SweepPlot shifted = sample_plot();  // no point of the sweep is where they meet
  for (std::size_t i = 0; i < shifted.x.size(); ++i) {
    const double x = shifted.x[i];
    const Complex half = std::sqrt(Complex(4.0 * (1.1 - x), 0.0));
    shifted.modes[0].values[i] = 2.0 + half;
    shifted.modes[1].values[i] = 2.0 - half;
  }
  const auto points = points_of(tags(clipped(draw_sweep(shifted), "sweep-clip"), "path", "line imaginary h0").at(0));
  EXPECT_NEAR(points.at(0).x, box.left + 0.11 * (box.right - box.left), 0.02);
}

TEST(SweepPlot, MembersThatChangePlacesMakeOneCurve) {
  SweepPlot plot = named("pair", "x");
  plot.modes = {{"a", {}}, {"a", {}}};
  for (int i = 0; i <= 10; ++i) {
    plot.x.push_back(i);
    plot.modes[0].values.emplace_back(-1.0, i % 3 == 0 ? 2.0 : -2.0);
    plot.modes[1].values.emplace_back(-1.0, i % 3 == 0 ? -2.0 : 2.0);
  }
  const auto imaginary = tags(clipped(draw_sweep(plot), "sweep-clip"), "path", "line imaginary");
  ASSERT_EQ(imaginary.size(), 1U);
  EXPECT_EQ(count(imaginary[0], "M"), 1U);
}

TEST(SweepPlot, AGapStaysAGap) {
  SweepPlot plot = named("gap", "x");
  plot.x = {0, 1, 2, 3, 4, 5};
  plot.modes = {{"a", {-1, -1, nan, -1, nan, -1}}};
  const std::string sweep = clipped(draw_sweep(plot), "sweep-clip");
  ASSERT_EQ(tags(sweep, "path", "line").size(), 1U);
  EXPECT_EQ(points_of(tags(sweep, "path", "line")[0]).size(), 2U);
  EXPECT_EQ(tags(sweep, "circle", "f0").size(), 2U);  // points that stand alone
}

// ---- bad and degenerate data ----

TEST(SweepPlot, BadNumbersAreLeftOut) {
  const double huge = std::numeric_limits<double>::max(), tiny = std::numeric_limits<double>::denorm_min();
  SweepPlot plot = sample_plot();
  plot.x[3] = nan;
  plot.x[5] = -infinite;
  plot.x[7] = huge;
  plot.x[9] = tiny;
  plot.modes[0].values[0] = Complex(nan, 1.0);
  plot.modes[1].values[10] = Complex(1.0, infinite);
  plot.modes[2].values[11] = Complex(-huge, huge);
  plot.modes[2].values[12] = Complex(1e99, -1e99);
  plot.modes[3].values.resize(4);
  plot.modes.push_back({"all", std::vector<Complex>(60, Complex(infinite, nan))});
  plot.modes.push_back({"small", std::vector<Complex>(41, Complex(tiny, tiny))});
  const std::string xml = draw_sweep(plot);
  expect_sound(xml, "bad numbers");
  EXPECT_GE(tags(clipped(xml, "sweep-clip"), "path", "line").size(), 3U);  // the rest is drawn
}

TEST(SweepPlot, DegenerateInputsMakeAPicture) {
  SweepPlot plot;
  expect_sound(draw_sweep(plot), "nothing");
  EXPECT_NE(draw_sweep(plot).find("There are no eigenvalues to draw."), std::string::npos);
  plot.x = {1.0, 2.0};
  expect_sound(draw_sweep(plot), "no modes");
  plot.modes = {{"", {}}};
  expect_sound(draw_sweep(plot), "no values");
  plot.modes[0].values = {0.0, 0.0};
  expect_sound(draw_sweep(plot), "zeros");
  plot.x = {3.0, 3.0};
  plot.modes[0].values = {-1.0, -2.0};
  expect_sound(draw_sweep(plot), "equal x");
  EXPECT_EQ(points_of(tags(clipped(draw_sweep(plot), "sweep-clip"), "path", "line").at(0)).size(), 2U);
  plot.x = {1e-300, 2e-300};
  expect_sound(draw_sweep(plot), "narrow x");
  plot.x = {-1e99, 1e99};
  expect_sound(draw_sweep(plot), "wide x");
}

TEST(SweepPlot, OnePointIsAPoint) {
  SweepPlot plot = named("one", "k");
  plot.x = {5.0};
  plot.modes = {{"a", {Complex(-1.0, 2.0)}}, {"a", {Complex(-1.0, -2.0)}}};
  const std::string xml = draw_sweep(plot);
  expect_sound(xml, "one point");
  const auto points = tags(clipped(xml, "sweep-clip"), "circle", "f0");
  ASSERT_EQ(points.size(), 2U);  // real and imaginary part
  const svg::Box box = clip_box(xml, "sweep-clip");
  EXPECT_NEAR(number(points[0], "cx"), 0.5 * (box.left + box.right), 0.02);
  EXPECT_EQ(tags(clipped(xml, "sweep-clip"), "path", "line").size(), 0U);
}

// ---- the parts ----

TEST(SweepPlot, TicksAreRoundNumbers) {
  const svg::Ticks ticks = svg::round_ticks({-12.2, 12.2}, 13);
  EXPECT_DOUBLE_EQ(ticks.step, 2.0);
  ASSERT_EQ(ticks.values.size(), 13U);
  EXPECT_DOUBLE_EQ(ticks.values.front(), -12.0);
  EXPECT_EQ(svg::tick_text(ticks.values.front(), ticks), "−12");
  EXPECT_EQ(svg::tick_text(ticks.values[6], ticks), "0");
  const svg::Ticks fine = svg::round_ticks({0.0, 1.0}, 5);
  EXPECT_DOUBLE_EQ(fine.step, 0.2);
  EXPECT_EQ(svg::tick_text(fine.values.back(), fine), "1.0");
  const svg::Ticks large = svg::round_ticks({0.0, 2.5e6}, 5);
  EXPECT_EQ(large.power, 6);
  EXPECT_EQ(svg::tick_text(large.values[1], large), "0.5");
  EXPECT_EQ(svg::value_text(-2.5e-7), "−2.5×10⁻⁷");
}

TEST(SweepPlot, LongTextIsShortenedBetweenLetters) {
  EXPECT_EQ(svg::shorten("weave", 5), "weave");
  EXPECT_EQ(svg::shorten("λλλλ", 3), "λλ…");
  EXPECT_EQ(svg::escape("λ"), "λ");
  EXPECT_EQ(svg::escape("\xed\xa0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");  // half of a surrogate pair
}

TEST(SweepPlot, LinesAreCutAtTheBox) {
  const svg::Box box{0.0, 0.0, 10.0, 10.0};
  const auto part = svg::cut(box, {-10.0, 5.0}, {30.0, 5.0});
  ASSERT_TRUE(part.has_value());
  EXPECT_DOUBLE_EQ(part->first.x, 0.0);
  EXPECT_DOUBLE_EQ(part->second.x, 10.0);
  EXPECT_FALSE(svg::cut(box, {-10.0, 5.0}, {5.0, 30.0}).has_value());
  EXPECT_EQ(svg::path_data({{1, 1}, {2, 2}, {2, 20}, {4, 20}, {4, 4}}, box),
            "M1.00 1.00L2.00 2.00L2.00 10.00M4.00 10.00L4.00 4.00");
}

TEST(SweepPlot, LabelsKeepClearOfCurvesAndOfEachOther) {
  const svg::Box frame{0.0, 0.0, 300.0, 100.0};
  const svg::Line line{{0.0, 50.0}, {300.0, 50.0}};
  svg::LabelPlacer placer(frame);
  placer.avoid(line);
  std::vector<svg::Box> boxes;
  while (const auto box = placer.place({line}, 60.0, 13.0)) {
    ASSERT_LT(boxes.size(), 100U);
    EXPECT_FALSE(svg::cut(*box, line[0], line[1]).has_value());
    EXPECT_TRUE(frame.holds({box->left, box->top}) && frame.holds({box->right, box->bottom}));
    for (const svg::Box& other : boxes) {
      EXPECT_TRUE(box->left >= other.right || box->right <= other.left || box->top >= other.bottom ||
                  box->bottom <= other.top);
    }
    boxes.push_back(*box);
  }
  EXPECT_GE(boxes.size(), 4U);
}

}  // namespace
}  // namespace tandem
