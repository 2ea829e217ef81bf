// How the picture of a sweep looks: its style sheet, hues and names, and curves with their labels.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tandem/io/plots/svg.hpp"
#include "tandem/io/plots/svg_labels.hpp"
#include "tandem/io/plots/sweep_curves.hpp"

namespace tandem::sweep_picture {

inline constexpr double sweep_text_size = 13.0;

std::string sweep_style();  // light, and dark for those who prefer it

// The class of a line and of a surface. Any number will do; the hues repeat.
std::string hue_stroke(std::size_t hue);
std::string hue_fill(std::size_t hue);

std::string with_unit(std::string_view text, const SweepPlot& plot);
std::string parameter_name(const SweepPlot& plot);
std::string group_name(const SweepGroup& group);

// The lines are in the units of the axes.
std::string draw_lines(const std::vector<svg::Line>& lines, const svg::Axes& axes, std::size_t hue, bool imaginary);
void avoid_lines(svg::LabelPlacer& placer, const std::vector<svg::Line>& lines, const svg::Axes& axes);
// Empty when there is no good place for it.
std::string draw_label(svg::LabelPlacer& placer, const std::vector<svg::Line>& lines, const svg::Axes& axes,
                       const std::string& text, std::size_t hue);

}  // namespace tandem::sweep_picture
