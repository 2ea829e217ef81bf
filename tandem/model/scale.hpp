// How large, heavy and slow a machine is. Every threshold is relative to these, so that the same machine in other
// units, or a machine of micrometres, gets the same verdicts.
//
//   (1)  length  of an island (bodies joined by rows or forces): the farthest that a mass centre, with the radius of
//                gyration around it, or a point where something is attached lies from the middle of all these points
//                at the start; the machine's is its largest island's
//   (2)  mass    of the heaviest body
//   (3)  time    1 / the largest of √(g / length), |v| / length, |ω| at the start, those of drives, 1 / duration
//   (4)  size    of a row, in the unit of its φ: what φ changes by where a point moves by the length of the island or a
//                body turns by a radian, max(length |T_v|, |T_ω|) at the start. Of a row of positions that is the
//                length, of one of angles 1, and it follows whatever factors a coupler or rows of one's own have
// φ / size is then the gap in parts of the machine, φ length / size in metres.
// Without anything to tell (a lone mass point), lengths come from what it travels in the duration, and are 1 m at last.
#pragma once

#include <string_view>
#include <vector>

namespace tandem {

struct Model;
struct RowBlockInfo;
struct CoordinateRef;
struct ModelStart;
struct ModelReading;

struct Scale {
  double length = 1.0, mass = 1.0, time = 1.0;
  std::vector<double> of_body;  // the length of each body's island
  double speed() const { return length / time; }
  double energy() const { return mass * speed() * speed(); }
  double force() const { return energy() / length; }
  double of_unit(std::string_view unit) const;  // m, m/s, m/s^2, rad, rad/s, rad/s^2, N, N m, J, W, s; 1 of any other
};

Scale find_scale(const Model& model);
// The size of a coordinate: the machine's length, or a radian.
double size_of(const Model& model, const CoordinateRef& coordinate);
double size_of(const Model& model, const ModelStart& start);
double size_of(const Model& model, const ModelReading& reading);  // of rates and speeds: per the machine's time
// (4) of the rows of a block that joins, constrains or drives things of the model, whose scale is known.
void set_row_sizes(const Model& model, RowBlockInfo& block);

}  // namespace tandem
