// Whether every motion that the rows allow has inertia to resist it.
//
// M has one block M_i a body, positive semidefinite. N_i spans its null space; N puts these side by side.
//   (1)  zᵀ M z = 0  ⇔  M_i z_i = 0 for every body  ⇔  z = N x
//   (2)  so M is positive definite on J z = 0  ⇔  the columns of J N are independent  ⇔  S = Nᵀ Jᵀ J N is regular
// A body with mass and three moments of inertia has no part in it, whatever the others weigh. S has one block a body
// that lacks some, sparse, so the test is linear for separate bodies, chains and trees.
#pragma once

#include "tandem/model/model.hpp"

namespace tandem {

// Throws ModelError when some motion that the rows allow has no inertia; the message names the body and direction.
void require_inertia(const Model& model);

}  // namespace tandem
