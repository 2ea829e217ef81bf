// Custom rows (constraints/custom_rows.hpp) on links: J on the bodies, in (ω̇ in body axes, v̇ of the mass centre).
//
// With R_LB the axes and c the mass centre of the body in those of its link, a = (α, a_v) of the link:
//   (1)  ω̇ = R_LBᵀ α,   v̇ = R_W (a_v + α × c + w × (v + w × c)) + g        the world accelerates by −g
//   (2)  K_v = R_Wᵀ J_v,   K_w = R_LB J_ω + c × K_v,   r = −bias − Σ J_v (R_W (w × (v + w × c)) + g)
// Nobody knows whether such rows see how bodies lie to each other alone, as the rows of a pair do. So they are taken as
// rows to the world: where their sides come together what lies below may not give way at all.
#include "tandem/tree/tree_dynamics.hpp"

namespace tandem {

template <class S>
void LoopRows<S>::update_custom(LoopBlock<S>& block, const std::vector<TreeLink<S>>& links, const S& t) {
  motions_.clear();
  for (const int side : block.side_of_body) {
    BodyMotion<S>& body = motions_.emplace_back();
    if (side < 0) continue;  // the world
    const TreeLink<S>& link = links[static_cast<std::size_t>(block.link_of(side))];
    const M3<S>& R = block.R_of(side);
    const V3<S>& c = block.p_of(side);
    body.X_WC = {(link.R_W * R).matrix(), (link.p_W + link.R_W * c).vector()};
    body.w_W = (link.R_W * link.w).vector();
    body.w_B = R.transposed_times(link.w).vector();
    body.v = (link.R_W * (link.v_origin + cross(link.w, c))).vector();
  }
  custom_work_[block.work].find(*block.custom, motions_, t);
  const BodyRows<S>& body_rows = custom_work_[block.work].rows;
  const auto J_on = [&](int row, std::size_t body) {
    return body_rows.J.row(row).template segment<6>(6 * static_cast<Eigen::Index>(body));
  };
  for (int k = 0; k < block.all_rows; ++k) {
    const int row = block.first_of_custom + k;
    block.phi_of_all[k] = k < block.holonomic ? body_rows.phi[row] : S(0.0);
    block.rate_of_all[k] = body_rows.phi_t[row];
    for (std::size_t i = 0; i < motions_.size(); ++i) block.rate_of_all[k] += J_on(row, i).dot(motions_[i].velocity());
  }
  const V3<S>& gravity = links.front().a_v;  // −g
  for (int k = 0; k < block.rows; ++k) {
    const int of_block = block.row[static_cast<std::size_t>(k)], row = block.first_of_custom + of_block;
    block.phi[k] = block.phi_of_all[of_block];
    block.rate[k] = block.rate_of_all[of_block];
    block.phi_t[k] = body_rows.phi_t[row];
    block.right[k] = -body_rows.bias[row];
    for (int side = 0; side < block.sides(); ++side)
      for (auto& component : block.on_link_of(side)) component[k] = S(0.0);
    for (std::size_t i = 0; i < motions_.size(); ++i) {  // (2)
      const int side = block.side_of_body[i];
      if (side < 0) continue;
      const TreeLink<S>& link = links[static_cast<std::size_t>(block.link_of(side))];
      const auto J = J_on(row, i);
      const V3<S> J_w(J[0], J[1], J[2]), J_v(J[3], J[4], J[5]), c = block.p_of(side);
      const V3<S> f = link.R_W.transposed_times(J_v), n = block.R_of(side) * J_w + cross(c, f);
      const V3<S> inward = cross(link.w, link.v_origin + cross(link.w, c));
      block.right[k] += dot(J_v, gravity) - dot(f, inward);
      auto& K = block.on_link_of(side);
      K[0][k] += n.x, K[1][k] += n.y, K[2][k] += n.z;
      K[3][k] += f.x, K[4][k] += f.y, K[5][k] += f.z;
    }
  }
}

#define TANDEM_INSTANTIATE(S) template class LoopRows<S>;
TANDEM_TREE_SCALARS(TANDEM_INSTANTIATE)
#undef TANDEM_INSTANTIATE

}  // namespace tandem
