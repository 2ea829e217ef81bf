// How the recursion takes a joint: by the axes or the form that its header declares, otherwise by pose and motion.
#pragma once

#include "tandem/joints/joint.hpp"

namespace tandem {

// A declaration counts where the joint's own kernel agrees with it: a type derived from another, which declares the
// same and moves otherwise, is of form `any`.
LinkForm link_form(const Joint& joint);

// X_FM of axes: their product.
Pose<double> product_of(const std::vector<LinkAxis>& axes, const VecUpTo7<double>& q);

// Whether the first three of the rows it forbids are φ = p, with T = (0, 1) and no bias.
bool begins_with_point(const Joint& joint);

}  // namespace tandem
