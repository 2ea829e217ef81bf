#include "tandem/io/plots/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace tandem::svg {

// ---- text ----

static constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD

// How many bytes the character at the start of the text has; 0 when it is no UTF-8 or XML forbids it.
static std::size_t character_size(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
  const std::uint32_t first = byte(0);
  if (first < 0x80) return first >= 0x20 || first == '\t' || first == '\n' || first == '\r' ? 1 : 0;
  const std::size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < size) return 0;
  std::uint32_t code = first & (0x7FU >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
    code = (code << 6U) | (byte(i) & 0x3FU);
  }
  constexpr std::array<std::uint32_t, 5> smallest{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < smallest[size] || code > 0x10FFFF || surrogate || code == 0xFFFE || code == 0xFFFF) return 0;
  return size;
}

// Calls `take` with every character; one that may not stand in XML comes as U+FFFD.
template <class Take> static void each_character(std::string_view text, Take take) {
  while (!text.empty()) {
    const std::size_t size = character_size(text);
    take(size == 0 ? replacement : text.substr(0, size));
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
}

std::string escape(std::string_view text) {
  std::string safe;
  each_character(text, [&](std::string_view character) {
    switch (character[0]) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      case '\'':
        safe += "&#39;";
        break;
      case '\t':
      case '\n':
      case '\r':
        safe += ' ';
        break;
      default:
        safe += character;
    }
  });
  return safe;
}

std::string shorten(std::string_view text, std::size_t letters) {
  std::vector<std::string_view> characters;
  each_character(text, [&](std::string_view character) { characters.push_back(character); });
  const bool longer = characters.size() > letters;
  if (longer) characters.resize(std::max<std::size_t>(letters, 1) - 1);
  std::string result;
  for (const std::string_view character : characters) result += character;
  return longer ? result + "…" : result;
}

double text_width(std::string_view text, double size) {
  double width = 0.0;
  each_character(text, [&](std::string_view character) {
    const bool narrow = std::string_view(" .,:;ijlI|()[]'1").find(character) != std::string_view::npos;
    const bool wide = character.size() > 2 || std::string_view("mwMW").find(character) != std::string_view::npos;
    width += narrow ? 0.4 : wide ? 0.95 : 0.63;
  });
  return width * size;
}

// ---- elements ----

std::string rectangle(std::string_view kind, const Box& box) {
  return fmt::format("<rect class=\"{}\" x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\"/>\n", kind,
                     box.left, box.top, box.right - box.left, box.bottom - box.top);
}

std::string text_at(std::string_view kind, Point at, std::string_view text, std::string_view anchor) {
  return fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", kind, at.x, at.y,
                     anchor, svg::escape(text));
}

std::string circle(std::string_view kind, Point at, double radius) {
  return fmt::format("<circle class=\"{}\" cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"{:.1f}\"/>\n", kind, at.x, at.y, radius);
}

// ---- numbers ----

bool drawable(double value) { return std::abs(value) < 1e100; }

Range usable(Range range) {
  if (!drawable(range.low) || !drawable(range.high) || range.low > range.high) return {0.0, 1.0};
  const double largest = std::max(std::abs(range.low), std::abs(range.high));
  if (range.high - range.low > std::max(1e-6 * largest, 1e-90)) return range;
  const double margin = largest > 1e-80 ? 0.1 * largest : 1.0;
  return {range.low - margin, range.high + margin};
}

// "-2.5e-07" becomes "−2.5×10⁻⁷".
static std::string for_readers(std::string_view number) {
  constexpr std::array<std::string_view, 10> raised{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string result;
  bool in_power = false, leading = false;
  for (const char letter : number) {
    if (letter == 'e') {
      result += "×10";
      in_power = leading = true;
    } else if (letter == '-') {
      result += in_power ? "⁻" : "−";
    } else if (in_power && letter != '+' && !(leading && letter == '0')) {
      result += raised[static_cast<std::size_t>(letter - '0')];
      leading = false;
    } else if (!in_power) {
      result += letter;
    }
  }
  return result;
}

std::string value_text(double value) { return for_readers(fmt::format("{:.4g}", value == 0.0 ? 0.0 : value)); }

static int power_of_ten(double value) { return static_cast<int>(std::floor(std::log10(value) + 1e-9)); }

Ticks round_ticks(Range range, int about) {
  const double least = (range.high - range.low) / about;
  Ticks ticks;
  const double power = std::pow(10.0, power_of_ten(least));
  for (const double factor : {10.0, 5.0, 2.0, 1.0}) {
    if (factor * power >= least * (1.0 - 1e-9)) ticks.step = factor * power;
  }
  const double first = std::ceil(range.low / ticks.step - 1e-6), last = std::floor(range.high / ticks.step + 1e-6);
  const int count = static_cast<int>(last - first) + 1;
  for (int i = 0; i < count; ++i) ticks.values.push_back((first + i) * ticks.step);
  double largest = 0.0;
  for (const double value : ticks.values) largest = std::max(largest, std::abs(value));
  if (largest >= 1e5 || (largest > 0.0 && largest < 1e-2)) {
    ticks.power = 3 * static_cast<int>(std::floor(power_of_ten(largest) / 3.0));
  }
  return ticks;
}

std::string tick_text(double value, const Ticks& ticks) {
  if (std::abs(value) < 1e-6 * ticks.step) return "0";
  const int digits = std::clamp(ticks.power - power_of_ten(ticks.step), 0, 15);
  return for_readers(fmt::format("{:.{}f}", value * std::pow(10.0, -ticks.power), digits));
}

// ---- lines ----

std::optional<std::pair<Point, Point>> cut(const Box& box, Point a, Point b) {
  const double dx = b.x - a.x, dy = b.y - a.y;
  const std::array<std::pair<double, double>, 4> sides{
      {{-dx, a.x - box.left}, {dx, box.right - a.x}, {-dy, a.y - box.top}, {dy, box.bottom - a.y}}};
  double from = 0.0, to = 1.0;
  for (const auto& [speed, room] : sides) {
    if (speed == 0.0 && room < 0.0) return std::nullopt;
    if (speed < 0.0) from = std::max(from, room / speed);
    if (speed > 0.0) to = std::min(to, room / speed);
  }
  if (!(from <= to)) return std::nullopt;
  return std::pair{Point{a.x + from * dx, a.y + from * dy}, Point{a.x + to * dx, a.y + to * dy}};
}

std::string path_data(const Line& line, const Box& box) {
  std::string data;
  Point pen{-1e9, -1e9};
  for (std::size_t i = 1; i < line.size(); ++i) {
    const auto part = cut(box, line[i - 1], line[i]);
    if (!part) continue;
    const auto& [from, to] = *part;
    if (std::hypot(from.x - pen.x, from.y - pen.y) > 1e-3) data += fmt::format("M{:.2f} {:.2f}", from.x, from.y);
    data += fmt::format("L{:.2f} {:.2f}", to.x, to.y);
    pen = to;
  }
  return data;
}

Point Axes::at(double x_value, double y_value) const {
  return {box.left + (x_value - x.low) / (x.high - x.low) * (box.right - box.left),
          box.bottom - (y_value - y.low) / (y.high - y.low) * (box.bottom - box.top)};
}

Line Axes::at(const Line& line) const {
  Line pixels;
  pixels.reserve(line.size());
  for (const Point& point : line) pixels.push_back(at(point.x, point.y));
  return pixels;
}

std::string clip_path(const Axes& axes, std::string_view id) {
  const Box& box = axes.box;
  return fmt::format(
      "<clipPath id=\"{}\"><rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/></clipPath>\n", id,
      box.left, box.top, box.right - box.left, box.bottom - box.top);
}

std::string grid(const Axes& axes, const Ticks& x, const Ticks& y) {
  const Box& box = axes.box;
  std::string data;
  for (const double value : x.values)
    data += fmt::format("M{:.1f} {:.1f}V{:.1f}", axes.at(value, 0.0).x, box.top, box.bottom);
  for (const double value : y.values)
    data += fmt::format("M{:.1f} {:.1f}H{:.1f}", box.left, axes.at(0.0, value).y, box.right);
  return data.empty() ? "" : fmt::format("<path class=\"grid\" d=\"{}\"/>\n", data);
}

// "v, m/s", with the power of ten that the numbers leave out: "k, 10⁶ N/m".
static std::string name_of(const AxisName& axis, int power) {
  std::string unit =
      power == 0 ? "" : for_readers(fmt::format("10e{}", power)).erase(2, std::string_view("×10").size());
  if (!unit.empty() && !axis.unit.empty()) unit += ' ';
  unit += axis.unit;
  return unit.empty() ? axis.name : axis.name + ", " + unit;
}

// Marks and numbers under the frame. Where the numbers are too wide, only some of the marks have one.
static std::string draw_x_ticks(const Axes& axes, const Ticks& x) {
  double widest = 0.0;
  for (const double value : x.values) widest = std::max(widest, text_width(tick_text(value, x), 13.0));
  const double apart = x.step / (axes.x.high - axes.x.low) * (axes.box.right - axes.box.left);
  const auto stride = static_cast<std::size_t>(std::ceil((widest + 6.0) / apart));
  std::string marks, texts;
  for (std::size_t i = 0; i < x.values.size(); ++i) {
    const double at = axes.at(x.values[i], 0.0).x;
    marks += fmt::format("M{:.1f} {:.1f}v5", at, axes.box.bottom);
    if (i % stride == 0) texts += text_at("tick", {at, axes.box.bottom + 19.0}, tick_text(x.values[i], x), "middle");
  }
  return fmt::format("<path class=\"axis\" d=\"{}\"/>\n{}", marks.empty() ? "M0 0" : marks, texts);
}

std::string frame(const Axes& axes, const Ticks& x, const Ticks& y, const AxisName& x_name, const AxisName& y_name) {
  const Box& box = axes.box;
  std::string marks, texts;
  double widest = 0.0;
  for (const double value : y.values) {
    const double at = axes.at(0.0, value).y;
    const std::string text = tick_text(value, y);
    widest = std::max(widest, text_width(text, 13.0));
    marks += fmt::format("M{:.1f} {:.1f}h-5", box.left, at);
    texts += text_at("tick", {box.left - 9.0, at + 4.5}, text, "end");
  }
  const double middle_x = 0.5 * (box.left + box.right), middle_y = 0.5 * (box.top + box.bottom);
  texts += text_at("name", {middle_x, box.bottom + 40.0}, name_of(x_name, x.power), "middle");
  texts += fmt::format(
      "<text class=\"name\" transform=\"translate({:.1f} {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
      std::max(14.0, box.left - 22.0 - widest), middle_y, escape(name_of(y_name, y.power)));
  return fmt::format("<path class=\"axis\" d=\"M{:.1f} {:.1f}H{:.1f}V{:.1f}H{:.1f}Z{}\"/>\n", box.left, box.top,
                     box.right, box.bottom, box.left, marks) +
         draw_x_ticks(axes, x) + texts;
}

}  // namespace tandem::svg
