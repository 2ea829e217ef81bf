#include "tandem/io/plots/sweep_style.hpp"

#include <fmt/format.h>

#include <array>

namespace tandem::sweep_picture {

using svg::Axes, svg::Box, svg::Line;

// Hues that the colour-blind can tell apart: after Okabe and Ito, darker on white so that text can be read.
struct Hue {
  std::string_view light, dark;
};
static constexpr std::array<Hue, 7> hues{{{"#0068a8", "#5cb8f5"},
                                          {"#c14a00", "#ff8f4d"},
                                          {"#007a58", "#3fd0a3"},
                                          {"#a33b7a", "#ec9cc9"},
                                          {"#8a6500", "#efb93c"},
                                          {"#4b3fb0", "#aea6ff"},
                                          {"#4a4f55", "#c5ccd4"}}};

std::string sweep_style() {
  std::string light, dark;
  for (std::size_t i = 0; i < hues.size(); ++i) {
    light += fmt::format(".h{0}{{stroke:{1}}}.f{0}{{fill:{1}}}", i, hues[i].light);
    dark += fmt::format(".h{0}{{stroke:{1}}}.f{0}{{fill:{1}}}", i, hues[i].dark);
  }
  return fmt::format(
      "<style>.back{{fill:#ffffff}}.title{{font-size:15px;font-weight:600;fill:#1f2730}}"
      ".heading{{font-size:13px;font-weight:600;fill:#1f2730}}.tick,.name,.note{{font-size:13px;fill:#3a4450}}"
      ".label{{font-size:13px}}.grid{{stroke:#e6eaef;stroke-width:1;fill:none}}"
      ".axis{{stroke:#6b7683;stroke-width:1.2;fill:none}}.zero{{stroke:#2b333c;stroke-width:1.4;fill:none}}"
      ".crossing{{stroke:#2b333c;stroke-width:1;stroke-dasharray:2 3;fill:none}}.mark{{fill:#2b333c}}"
      ".stable{{fill:#dcefe3}}.left-half{{fill:#f3f6fa}}.sample{{stroke:#3a4450}}"
      ".line{{fill:none;stroke-width:2;stroke-linejoin:round}}.imaginary{{stroke-dasharray:7 4}}"
      ".start{{fill:#ffffff;stroke-width:1.8}}{}"
      "@media (prefers-color-scheme:dark){{.back,.start{{fill:#0d1117}}.title,.heading{{fill:#f0f4f8}}"
      ".tick,.name,.note{{fill:#c3ccd6}}.grid{{stroke:#232a33}}.axis{{stroke:#8b96a3}}"
      ".zero,.crossing{{stroke:#dbe2ea}}.mark{{fill:#dbe2ea}}.stable{{fill:#14301f}}.left-half{{fill:#141b25}}"
      ".sample{{stroke:#c3ccd6}}{}}}</style>\n",
      light, dark);
}

std::string hue_stroke(std::size_t hue) { return fmt::format("h{}", hue % hues.size()); }

std::string hue_fill(std::size_t hue) { return fmt::format("f{}", hue % hues.size()); }

// ---- names ----

std::string with_unit(std::string_view text, const SweepPlot& plot) {
  return plot.unit.empty() ? std::string(text) : fmt::format("{} {}", text, svg::shorten(plot.unit, 20));
}

std::string parameter_name(const SweepPlot& plot) {
  return plot.parameter.empty() ? "parameter" : svg::shorten(plot.parameter, 40);
}

std::string group_name(const SweepGroup& group) { return svg::shorten(group.name, 28); }

// ---- curves ----

std::string draw_lines(const std::vector<Line>& lines, const Axes& axes, std::size_t hue, bool imaginary) {
  const Box box = axes.box.grown(3.0);  // so that the ends of a cut line lie outside of the clip path
  std::string data, points;
  for (const Line& line : lines) {
    const Line pixels = axes.at(line);
    data += svg::path_data(pixels, box);
    if (pixels.size() == 1 && box.holds(pixels[0])) points += svg::circle(hue_fill(hue), pixels[0], 2.6);
  }
  if (data.empty()) return points;
  return fmt::format("<path class=\"line {}{}\" d=\"{}\"/>\n", imaginary ? "imaginary " : "", hue_stroke(hue), data) +
         points;
}

void avoid_lines(svg::LabelPlacer& placer, const std::vector<Line>& lines, const Axes& axes) {
  for (const Line& line : lines) placer.avoid(axes.at(line));
}

std::string draw_label(svg::LabelPlacer& placer, const std::vector<Line>& lines, const Axes& axes,
                       const std::string& text, std::size_t hue) {
  std::vector<Line> pixels;
  for (const Line& line : lines) pixels.push_back(axes.at(line));
  const auto box = placer.place(pixels, svg::text_width(text, sweep_text_size), sweep_text_size);
  if (!box) return "";
  return svg::text_at("label " + hue_fill(hue), {0.5 * (box->left + box->right), box->bottom - 2.5}, text, "middle");
}

}  // namespace tandem::sweep_picture
