// Parts of a diagram as SVG: text that is safe in XML, round ticks, axes, and lines that are cut at the frame.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tandem::svg {

struct Point {
  double x = 0.0, y = 0.0;
};
using Line = std::vector<Point>;

// A rectangle in pixels: y grows downwards.
struct Box {
  double left = 0.0, top = 0.0, right = 0.0, bottom = 0.0;
  bool holds(Point point) const { return point.x >= left && point.x <= right && point.y >= top && point.y <= bottom; }
  Box grown(double by) const { return {left - by, top - by, right + by, bottom + by}; }
};

struct Range {
  double low = 0.0, high = 1.0;
};

// ---- text ----

// Safe as text and as an attribute. Bytes that are no UTF-8 and characters that XML forbids become U+FFFD.
std::string escape(std::string_view text);
std::string shorten(std::string_view text, std::size_t letters);  // ends with an ellipsis when it was longer
double text_width(std::string_view text, double size);            // an estimate, in pixels

// ---- elements: `kind` is a class of the style sheet ----

std::string rectangle(std::string_view kind, const Box& box);
std::string circle(std::string_view kind, Point at, double radius);
std::string text_at(std::string_view kind, Point at, std::string_view text, std::string_view anchor = "start");

// ---- numbers ----

// Finite, and so far from the largest double that differences and products are finite too.
bool drawable(double value);
// A range that can be divided by its width: one that is too narrow is widened, one that is no range becomes 0 to 1.
Range usable(Range range);
std::string value_text(double value);  // four digits, for a reader: a real minus, powers of ten

struct Ticks {
  double step = 1.0;  // 1, 2 or 5 times a power of ten
  std::vector<double> values;
  int power = 0;  // of ten, left out of the numbers and told in the name of the axis
};
Ticks round_ticks(Range range, int about);  // at most `about` steps
std::string tick_text(double value, const Ticks& ticks);

// ---- lines ----

// The part of the line from a to b that lies in the box.
std::optional<std::pair<Point, Point>> cut(const Box& box, Point a, Point b);
// What belongs in the d of a path: the parts of the line in the box. Empty when there are none.
std::string path_data(const Line& line, const Box& box);

struct Axes {
  Box box;
  Range x, y;
  Point at(double x_value, double y_value) const;  // in pixels
  Line at(const Line& line) const;
};

struct AxisName {
  std::string name, unit;  // the unit may be empty
};
std::string clip_path(const Axes& axes, std::string_view id);
std::string grid(const Axes& axes, const Ticks& x, const Ticks& y);
// The frame, its tick marks, their numbers and the names of the axes.
std::string frame(const Axes& axes, const Ticks& x, const Ticks& y, const AxisName& x_name, const AxisName& y_name);

}  // namespace tandem::svg
