#include "tandem/io/plots/sweep_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tandem/io/plots/svg.hpp"
#include "tandem/io/plots/svg_labels.hpp"
#include "tandem/io/plots/sweep_curves.hpp"
#include "tandem/io/plots/sweep_style.hpp"

namespace tandem::sweep_picture {

using svg::Axes, svg::Box, svg::LegendItem, svg::Line, svg::Part, svg::Point, svg::Ticks;
using svg::circle, svg::rectangle, svg::text_at;

static constexpr double page_width = 760.0, left = 78.0, right = 738.0;
static constexpr double sweep_height = 340.0, locus_height = 320.0;
static constexpr std::size_t most_labels = 10;  // groups with a label and a place in the legend

// ---- legend ----

static bool any_visible(const std::vector<Line>& lines, const Axes& axes) {
  return std::any_of(lines.begin(), lines.end(), [&](const Line& line) {
    const Line pixels = axes.at(line);
    return (pixels.size() == 1 && axes.box.holds(pixels[0])) || !svg::path_data(pixels, axes.box).empty();
  });
}

static bool any_outside(const std::vector<Line>& lines, const Axes& axes) {
  return std::any_of(lines.begin(), lines.end(), [&](const Line& line) {
    return std::any_of(line.begin(), line.end(),
                       [&](const Point& point) { return !(point.y >= axes.y.low && point.y <= axes.y.high); });
  });
}

static std::vector<LegendItem> sweep_legend(const SweepPlot& plot, const std::vector<SweepGroup>& groups,
                                            const Axes& axes) {
  std::vector<LegendItem> items;
  bool complex = false;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    complex = complex || !groups[g].imaginary.empty();
    if (g >= most_labels) continue;
    const bool seen = any_visible(groups[g].real, axes) || any_visible(groups[g].imaginary, axes);
    const bool cut = any_outside(groups[g].real, axes) || any_outside(groups[g].imaginary, axes);
    items.push_back({group_name(groups[g]) + (!cut   ? ""
                                              : seen ? " (partly outside)"
                                                     : " (outside)"),
                     fmt::format("<rect class=\"{}\" y=\"-5\" width=\"16\" height=\"10\" rx=\"2\"/>", hue_fill(g)),
                     16.0});
  }
  if (groups.size() > most_labels) items.push_back({fmt::format("and {} more", groups.size() - most_labels), "", 0.0});
  if (!groups.empty()) items.push_back({"real part", "<path class=\"line sample\" d=\"M0 0H29\"/>", 29.0});
  if (complex) items.push_back({"imaginary part", "<path class=\"line imaginary sample\" d=\"M0 0H29\"/>", 29.0});
  if (!plot.stable.empty()) {
    items.push_back({"stable", "<rect class=\"stable\" y=\"-7\" width=\"22\" height=\"14\"/>", 22.0});
  }
  return items;
}

// ---- crossings ----

struct CrossingLabel {
  double x = 0.0;  // middle, in pixels
  std::size_t row = 0;
  std::string text;
};

static constexpr std::size_t most_rows = 4;

// In rows over the frame; those for which there is no room are left out.
static std::vector<CrossingLabel> place_crossings(const SweepPlot& plot, const svg::Range& x) {
  auto crossings = plot.crossings;
  std::sort(crossings.begin(), crossings.end(), [](const auto& a, const auto& b) { return a.x < b.x; });
  std::array<double, most_rows> ends{};
  std::vector<CrossingLabel> labels;
  for (const auto& crossing : crossings) {
    const std::string text = svg::shorten(crossing.label, 40);
    const double half = 0.5 * svg::text_width(text, sweep_text_size);
    const double at = left + (crossing.x - x.low) / (x.high - x.low) * (right - left);
    const double middle =
        std::clamp(at, std::min(left + half, 0.5 * page_width), std::max(right - half, 0.5 * page_width));
    const auto row = std::find_if(ends.begin(), ends.end(), [&](double end) { return middle - half > end; });
    if (text.empty() || row == ends.end()) continue;
    *row = middle + half + 10.0;
    labels.push_back({middle, static_cast<std::size_t>(row - ends.begin()), text});
  }
  return labels;
}

static std::string draw_crossings(const SweepPlot& plot, const Axes& axes, const std::vector<CrossingLabel>& labels) {
  std::string picture;
  for (const auto& crossing : plot.crossings) {
    const Point at = axes.at(crossing.x, 0.0);
    picture += fmt::format("<path class=\"crossing\" d=\"M{:.2f} {:.2f}V{:.2f}\"/>\n", at.x, axes.box.top, at.y);
    picture += circle("mark", at, 3.2);
  }
  for (const CrossingLabel& label : labels) {
    picture +=
        text_at("note", {label.x, axes.box.top - 7.0 - 17.0 * static_cast<double>(label.row)}, label.text, "middle");
  }
  return picture;
}

// ---- against the parameter ----

static std::string draw_sweep_curves(const std::vector<SweepGroup>& groups, const Axes& axes, const SweepPlot& plot) {
  svg::LabelPlacer placer(axes.box);
  placer.avoid(Line{{axes.box.left, axes.at(0.0, 0.0).y}, {axes.box.right, axes.at(0.0, 0.0).y}});
  for (const auto& crossing : plot.crossings) {
    const Point at = axes.at(crossing.x, 0.0);
    placer.avoid(Line{{at.x, axes.box.top}, {at.x, at.y}});
  }
  std::string curves = "<g clip-path=\"url(#sweep-clip)\">\n", labels;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    curves += draw_lines(groups[g].imaginary, axes, g, true);
    curves += draw_lines(groups[g].real, axes, g, false);
    avoid_lines(placer, groups[g].imaginary, axes);
    avoid_lines(placer, groups[g].real, axes);
  }
  for (std::size_t g = 0; g < std::min(groups.size(), most_labels); ++g) {
    const std::string name = group_name(groups[g]);
    labels += draw_label(placer, groups[g].real, axes, name, g);
    labels += draw_label(placer, groups[g].imaginary, axes, name + " (Im)", g);
  }
  if (plot.x.empty() || groups.empty()) {
    const double y = 0.5 * (axes.box.top + axes.box.bottom) - 12.0;
    labels += text_at("note", {0.5 * (left + right), y}, "There are no eigenvalues to draw.", "middle");
  }
  return curves + "</g>\n" + labels;
}

static Part draw_against_parameter(const SweepPlot& plot, const std::vector<SweepGroup>& groups, double top) {
  Axes axes{{left, 0.0, right, sweep_height}, parameter_range(plot), eigenvalue_range(plot)};
  const Part legend = svg::draw_legend(sweep_legend(plot, groups, axes), {left, top}, left, right);
  const auto crossing_labels = place_crossings(plot, axes.x);
  double rows = 0.0;
  for (const CrossingLabel& label : crossing_labels) rows = std::max(rows, static_cast<double>(label.row + 1));
  axes.box.top = legend.bottom + 14.0 + 17.0 * rows;
  axes.box.bottom = axes.box.top + sweep_height;
  const Ticks x = svg::round_ticks(axes.x, 10), y = svg::round_ticks(axes.y, 13);
  std::string picture = svg::clip_path(axes, "sweep-clip");
  for (const auto& range : plot.stable) {
    picture +=
        rectangle("stable", {axes.at(range.first, 0.0).x, axes.box.top, axes.at(range.second, 0.0).x, axes.box.bottom});
  }
  picture += svg::grid(axes, x, y);
  picture += fmt::format("<path class=\"zero\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>\n", left, axes.at(0.0, 0.0).y, right);
  picture += draw_sweep_curves(groups, axes, plot) + draw_crossings(plot, axes, crossing_labels);
  picture += svg::frame(axes, x, y, {parameter_name(plot), svg::shorten(plot.unit, 20)}, {"eigenvalue", "1/s"});
  return {legend.picture + picture, axes.box.bottom + 46.0};
}

// ---- root locus ----

// Where the modes are at one value of the parameter, between two points of the sweep.
static std::vector<Point> locus_at(const SweepPlot& plot, std::size_t mode, double x) {
  std::vector<Point> points;
  const auto& values = plot.modes[mode].values;
  for (std::size_t i = 1; i < values.size(); ++i) {
    const double part = (x - plot.x[i - 1]) / (plot.x[i] - plot.x[i - 1]);
    if (!(part >= 0.0 && part < 1.0) || std::isnan(values[i - 1].real()) || std::isnan(values[i].real())) continue;
    const auto value = values[i - 1] + part * (values[i] - values[i - 1]);
    points.push_back({value.real(), value.imag()});
  }
  return points;
}

// Labels keep clear of the marks at both ends of the sweep.
static void avoid_ends(svg::LabelPlacer& placer, const SweepPlot& plot, const Axes& axes) {
  for (const auto& mode : plot.modes) {
    if (mode.values.empty()) continue;
    for (const auto value : {mode.values.front(), mode.values.back()}) {
      const Point at = axes.at(value.real(), value.imag());
      if (axes.box.holds(at)) placer.avoid(Box{at.x, at.y, at.x, at.y}.grown(4.0));
    }
  }
}

static std::string draw_locus_marks(const SweepPlot& plot, const SweepGroup& group, const Axes& axes, const Ticks& x,
                                    std::size_t hue) {
  std::string dots, ends;
  const auto put = [&](std::string& picture, const std::string& kind, Point value, double radius) {
    const Point at = axes.at(value.x, value.y);
    if (axes.box.holds(at)) picture += circle(kind, at, radius);
  };
  for (const std::size_t m : group.modes) {
    const auto& values = plot.modes[m].values;
    for (const double value : x.values) {
      for (const Point& point : locus_at(plot, m, value)) put(dots, hue_fill(hue), point, 2.7);
    }
    if (values.empty()) continue;
    const auto first = values.front(), last = values.back();
    if (!std::isnan(first.real()) && values.size() > 1) {
      put(ends, "start " + hue_stroke(hue), {first.real(), first.imag()}, 4.2);
    }
    if (!std::isnan(last.real())) put(ends, hue_fill(hue), {last.real(), last.imag()}, 5.0);
  }
  return dots + ends;
}

static std::vector<LegendItem> locus_legend(const SweepPlot& plot, const Ticks& x) {
  if (plot.x.empty() || plot.modes.empty()) return {};
  const auto text = [&](double value) {
    return parameter_name(plot) + " = " + with_unit(svg::value_text(value), plot);
  };
  std::vector<LegendItem> items;
  if (plot.x.size() > 1) {
    items.push_back({text(plot.x.front()), "<circle class=\"start sample\" cx=\"5\" r=\"4.2\"/>", 10.0});
  }
  items.push_back({text(plot.x.back()), "<circle class=\"mark\" cx=\"5\" r=\"5\"/>", 10.0});
  if (plot.x.size() > 1) {
    items.push_back(
        {"every " + with_unit(svg::value_text(x.step), plot), "<circle class=\"mark\" cx=\"5\" r=\"2.7\"/>", 10.0});
  }
  return items;
}

static std::string draw_locus_curves(const SweepPlot& plot, const std::vector<SweepGroup>& groups, const Axes& axes,
                                     const Ticks& steps) {
  svg::LabelPlacer placer(axes.box);
  const Point origin = axes.at(0.0, 0.0);
  placer.avoid(Line{{left, origin.y}, {right, origin.y}});
  placer.avoid(Line{{origin.x, axes.box.top}, {origin.x, axes.box.bottom}});
  avoid_ends(placer, plot, axes);
  std::string curves = "<g clip-path=\"url(#locus-clip)\">\n", labels;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    curves += draw_lines(groups[g].locus, axes, g, false);
    avoid_lines(placer, groups[g].locus, axes);
  }
  for (std::size_t g = 0; g < groups.size(); ++g) {
    curves += draw_locus_marks(plot, groups[g], axes, steps, g);
    if (g < most_labels) labels += draw_label(placer, groups[g].locus, axes, group_name(groups[g]), g);
  }
  return curves + "</g>\n" + labels;
}

static Part draw_locus(const SweepPlot& plot, const std::vector<SweepGroup>& groups, double top) {
  const Ticks steps = svg::round_ticks(parameter_range(plot), 10);
  const Part legend = svg::draw_legend(locus_legend(plot, steps), {left + 100.0, top}, left, right);
  const double frame_top = legend.bottom + 14.0;
  const Axes axes{
      {left, frame_top, right, frame_top + locus_height}, locus_real_range(plot), locus_imaginary_range(plot)};
  const Point origin = axes.at(0.0, 0.0);
  const Ticks x = svg::round_ticks(axes.x, 12), y = svg::round_ticks(axes.y, 10);
  std::string picture = text_at("heading", {left, top}, "Root locus") + legend.picture;
  picture += svg::clip_path(axes, "locus-clip");
  picture += rectangle("left-half", {left, axes.box.top, origin.x, axes.box.bottom});
  picture += svg::grid(axes, x, y);
  picture += fmt::format("<path class=\"axis\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>\n", left, origin.y, right);
  picture +=
      fmt::format("<path class=\"zero\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>\n", origin.x, axes.box.top, axes.box.bottom);
  picture += draw_locus_curves(plot, groups, axes, steps);
  picture += svg::frame(axes, x, y, {"real part", "1/s"}, {"imaginary part", "1/s"});
  return {picture, axes.box.bottom + 56.0};
}

// ---- the whole ----

static std::string description(const SweepPlot& plot) {
  std::string text = fmt::format("Two diagrams of the eigenvalues of {} modes", plot.modes.size());
  if (plot.x.empty()) return text + " without a point.";
  const auto ends = std::minmax_element(plot.x.begin(), plot.x.end());
  text += fmt::format(": real and imaginary parts against {} from {} to {}, and the root locus.", parameter_name(plot),
                      svg::value_text(*ends.first), with_unit(svg::value_text(*ends.second), plot));
  for (const auto& range : plot.stable) {
    text += fmt::format(" Stable from {} to {}.", svg::value_text(range.first),
                        with_unit(svg::value_text(range.second), plot));
  }
  for (const auto& crossing : plot.crossings)
    text += fmt::format(" Through zero: {}.", svg::shorten(crossing.label, 40));
  return text;
}

}  // namespace tandem::sweep_picture

namespace tandem {

std::string draw_sweep(const SweepPlot& plot) {
  using namespace sweep_picture;
  const SweepPlot clean = clean_sweep(plot);
  const auto groups = group_sweep(clean);
  const std::string title = plot.title.empty() ? "Eigenvalues" : plot.title;
  const Part upper = draw_against_parameter(clean, groups, 56.0);
  const Part lower = draw_locus(clean, groups, upper.bottom + 26.0);
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
             "height=\"{1:.0f}\" role=\"img\" aria-labelledby=\"title desc\" "
             "font-family=\"'Segoe UI', 'DejaVu Sans', Helvetica, Arial, sans-serif\">\n"
             "<title id=\"title\">{2}</title>\n<desc id=\"desc\">{3}</desc>\n",
             page_width, lower.bottom, svg::escape(title), svg::escape(description(clean))) +
         sweep_style() +
         fmt::format("<rect class=\"back\" width=\"{:.0f}\" height=\"{:.0f}\"/>\n", page_width, lower.bottom) +
         text_at("title", {left, 30.0}, svg::shorten(title, 70)) + upper.picture + lower.picture + "</svg>\n";
}

}  // namespace tandem
