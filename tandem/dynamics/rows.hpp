// Rows: every constraint at position, velocity and acceleration level, one block a joint, constraint or drive.
//
//   (1)  φ = 0                      holonomic rows
//   (2)  J v + φ_t = 0              all rows
//   (3)  J y = b,  b = −bias        all rows; bias = d/dt (J v + φ_t) at fixed v
// A block's J has six columns a body, in the order of RowBlockInfo::bodies.
#pragma once

#include <span>

#include "tandem/dynamics/kinematics.hpp"

namespace tandem {

template <class S> struct RowBlock {
  MatX<S> J;
  VecX<S> phi, phi_t, b;
};

template <class S> class Rows {
 public:
  explicit Rows(const Model& model);
  void update(const Model& model, const Kinematics<S>& kinematics);
  void update_block(const Model& model, const Kinematics<S>& kinematics, std::size_t index);
  const RowBlock<S>& block(std::size_t index) const { return blocks_[index]; }
  std::size_t size() const { return blocks_.size(); }

 private:
  void pair_rows(const RowBlockInfo& info, int first, int second, const PairMotion<S>& pair, RowBlock<S>& block);
  void coordinate_row(const Model& model, const Kinematics<S>& kinematics, const RowBlockInfo& info,
                      std::span<const CoordinateRef> terms, RowBlock<S>& block);
  void custom_rows(const Kinematics<S>& kinematics, const RowBlockInfo& info, const CustomRows& rows,
                   std::span<const int> bodies, RowBlock<S>& block);
  void constraint_rows(const Model& model, const Kinematics<S>& kinematics, const RowBlockInfo& info,
                       RowBlock<S>& block);

  std::vector<RowBlock<S>> blocks_;
  // Scratch of update().
  PairMotion<S> pair_;
  PairRows<S> pair_rows_;
  BodyRows<S> body_rows_;
  CustomScratch<S> custom_;
  std::vector<BodyMotion<S>> motions_;
};

#define TANDEM_DECLARE(S) extern template class Rows<S>;
TANDEM_INSTANTIATE_FOR_SCALARS(TANDEM_DECLARE)
#undef TANDEM_DECLARE

}  // namespace tandem
