// Labels beside curves, away from the curves, from each other and from the frame; and legends.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tandem/io/plots/svg.hpp"

namespace tandem::svg {

class LabelPlacer {
 public:
  explicit LabelPlacer(Box frame) : frame_(frame) {}
  void avoid(const Line& pixels);  // a curve; labels keep clear of it
  void avoid(Box box) { taken_.push_back(box); }
  // The box for a label of this size beside one of the lines, which should have been given to avoid() too.
  // None where it would lie across a curve or on another label.
  std::optional<Box> place(const std::vector<Line>& lines, double width, double height);

 private:
  double cost(const Box& box, const std::vector<Line>& own) const;

  Box frame_;
  std::vector<Line> curves_;
  std::vector<Box> taken_;
};

struct LegendItem {
  std::string text;
  std::string sample;  // drawn to the right of the origin
  double width = 0.0;  // of the sample
};

struct Part {  // of a picture
  std::string picture;
  double bottom = 0.0;
};

// Rows of items from `start`, the base of the first text; further rows begin at `left`.
Part draw_legend(const std::vector<LegendItem>& items, Point start, double left, double right);

}  // namespace tandem::svg
