#include "tandem/io/plots/svg_labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace tandem::svg {

static double distance(Point a, Point b) { return std::hypot(a.x - b.x, a.y - b.y); }

// The same line with points that are at least `step` pixels apart, as far as they lie near the frame.
static std::vector<Line> thinned(const Line& line, const Box& frame, double step) {
  std::vector<Line> parts;
  if (line.size() == 1 && frame.holds(line[0])) parts.push_back(line);
  bool open = false;
  for (std::size_t i = 1; i < line.size(); ++i) {
    const auto part = cut(frame, line[i - 1], line[i]);
    if (!part) {
      open = false;
      continue;
    }
    if (!open) parts.push_back({part->first});
    const bool last = i + 1 == line.size() || !frame.holds(line[i]);
    if (last || distance(parts.back().back(), part->second) >= step) parts.back().push_back(part->second);
    open = frame.holds(line[i]);
  }
  return parts;
}

// The same line with points that are at most `step` pixels apart.
static Line filled(const Line& line, double step) {
  Line result;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const Point from = line[i > 0 ? i - 1 : 0], to = line[i];
    const double steps = std::max(1.0, std::ceil(distance(from, to) / step));
    for (int k = 1; k <= steps; ++k) {
      result.push_back({from.x + k / steps * (to.x - from.x), from.y + k / steps * (to.y - from.y)});
    }
  }
  return result;
}

void LabelPlacer::avoid(const Line& pixels) {
  for (Line& part : thinned(pixels, frame_, 3.0)) curves_.push_back(std::move(part));
}

// How many pixels of the curve run through the box.
static double length_inside(const Line& curve, const Box& box) {
  double length = 0.0;
  for (std::size_t i = 1; i < curve.size(); ++i) {
    const Point &a = curve[i - 1], &b = curve[i];
    if ((a.x < box.left && b.x < box.left) || (a.x > box.right && b.x > box.right)) continue;
    if (const auto part = cut(box, a, b)) length += distance(part->first, part->second);
  }
  return length;
}

static bool overlap(const Box& a, const Box& b) {
  return a.left < b.right && a.right > b.left && a.top < b.bottom && a.bottom > b.top;
}

static constexpr double too_much = 1000.0;

double LabelPlacer::cost(const Box& box, const std::vector<Line>& own) const {
  const Box near = box.grown(4.0), wide = box.grown(16.0);
  if (!frame_.holds({near.left, near.top}) || !frame_.holds({near.right, near.bottom})) return too_much;
  double sum = 0.0;
  for (const Box& other : taken_) {
    if (overlap(near, other)) return too_much;
    if (overlap(box.grown(30.0), other)) sum += 20.0;
  }
  for (const Line& curve : curves_) {
    if (length_inside(curve, box.grown(1.0)) > 0.0) return too_much;
    sum += 2.0 * length_inside(curve, near) + length_inside(curve, wide);
  }
  for (const Line& curve : own) sum -= length_inside(curve, wide);
  return sum;
}

// Boxes over and under the point and to both sides of it.
static std::array<Box, 8> boxes_beside(Point point, double gap, double width, double height) {
  const double over = point.y - height - gap, under = point.y + gap, level = point.y - 0.5 * height;
  const std::array<Point, 8> corners{{{point.x - 0.5 * width, over},
                                      {point.x - 0.5 * width, under},
                                      {point.x, over},
                                      {point.x, under},
                                      {point.x - width, over},
                                      {point.x - width, under},
                                      {point.x + gap, level},
                                      {point.x - width - gap, level}}};
  std::array<Box, 8> boxes;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    boxes[i] = {corners[i].x, corners[i].y, corners[i].x + width, corners[i].y + height};
  }
  return boxes;
}

std::optional<Box> LabelPlacer::place(const std::vector<Line>& lines, double width, double height) {
  std::vector<Line> own;
  for (const Line& line : lines) {
    for (const Line& part : thinned(line, frame_, 5.0)) own.push_back(filled(part, 10.0));
  }
  std::optional<Box> best;
  double least = too_much;
  for (const Line& line : own) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      const double from_middle = std::abs(static_cast<double>(2 * i + 1) / static_cast<double>(line.size()) - 1.0);
      for (const double gap : {4.0, 6.0, 9.0, 13.0}) {
        for (const Box& box : boxes_beside(line[i], gap, width, height)) {
          const double price = cost(box, own) + gap + 8.0 * from_middle;
          if (price < least) least = price, best = box;
        }
      }
    }
  }
  if (best) taken_.push_back(*best);
  return best;
}

// ---- legend ----

Part draw_legend(const std::vector<LegendItem>& items, Point start, double left, double right) {
  Part part;
  Point at = start;
  for (const LegendItem& item : items) {
    const double width = item.width + 7.0 + text_width(item.text, 13.0);
    if (at.x > left && at.x + width > right) at = {left, at.y + 20.0};
    part.picture += fmt::format("<g transform=\"translate({:.1f} {:.1f})\">{}</g>\n", at.x, at.y - 4.5, item.sample);
    part.picture += text_at("note", {at.x + item.width + 7.0, at.y}, item.text);
    at.x += width + 16.0;
  }
  part.bottom = at.y;
  return part;
}

}  // namespace tandem::svg
