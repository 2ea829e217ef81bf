// The mass matrix by composite inertias, in world axes, about each link's own origin, so that nothing large cancels
// however long the chain.
//
//   (1)  outward: R, p, and the rigid inertia in world axes;   inward: what a subtree weighs, shifted by d
//   (2)  column i with axis α to turn about or l to slide along:   n = I α + h × l,   f = α × h + m l
//   (3)  M_ij = α_j · (n_i + (p_i − p_j) × f_i) + l_j · f_i        all i of the subtree of j, four at a time
#include "tandem/tree/kinematics.hpp"
#include "tandem/tree/lanes.hpp"

namespace tandem {

template <class S> void Tree<S>::Columns::resize(std::size_t size) {
  for (Eigen::Array<S, Eigen::Dynamic, 1>* array : {&n_x, &n_y, &n_z, &f_x, &f_y, &f_z, &p_x, &p_y, &p_z})
    array->resize(static_cast<Eigen::Index>(size));
}

template <class S>
template <typename Tree<S>::Along along>
TANDEM_INLINE void Tree<S>::fill_column(int column, int last, const V3<S>& turn, const V3<S>& slide,
                                        const Composite& of, MatX<S>& M) {
  constexpr bool turns = along != Along::slide, slides = along != Along::turn;
  Columns& all = columns_;
  const V3<S> h = of.h.vector(), p = of.p.vector();
  V3<S> n, f;  // (2)
  if constexpr (turns) {
    n = column_of(of.I[0] * turn.x + of.I[1] * turn.y + of.I[2] * turn.z).vector();
    f = cross(turn, h);
  }
  if constexpr (slides) {
    n = turns ? n + cross(h, slide) : cross(h, slide);
    f = turns ? f + of.mass * slide : of.mass * slide;
  }
  all.n_x[column] = n.x, all.n_y[column] = n.y, all.n_z[column] = n.z;
  all.f_x[column] = f.x, all.f_y[column] = f.y, all.f_z[column] = f.z;
  all.p_x[column] = p.x, all.p_y[column] = p.y, all.p_z[column] = p.z;
  S* const out = in_order_ ? &M(column, column) : entries_.data();
  const S *nx = &all.n_x[column], *ny = &all.n_y[column], *nz = &all.n_z[column];
  const S *fx = &all.f_x[column], *fy = &all.f_y[column], *fz = &all.f_z[column];
  const S *x = &all.p_x[column], *y = &all.p_y[column], *z = &all.p_z[column];
  const auto turned = [&](const auto& read) {  // (3), with α × (p_i − p_j) · f_i for α · (p_i − p_j) × f_i
    const auto dx = read(x) - p.x, dy = read(y) - p.y, dz = read(z) - p.z;
    return read(nx) * turn.x + read(ny) * turn.y + read(nz) * turn.z + read(fx) * (dz * turn.y - dy * turn.z) +
           read(fy) * (dx * turn.z - dz * turn.x) + read(fz) * (dy * turn.x - dx * turn.y);
  };
  const auto slid = [&](const auto& read) { return read(fx) * slide.x + read(fy) * slide.y + read(fz) * slide.z; };
  const auto entries = [&](const auto& read) {
    if constexpr (along == Along::turn)
      return turned(read);
    else if constexpr (along == Along::slide)
      return slid(read);
    else
      return turned(read) + slid(read);
  };
  const int count = last - column;
  int i = 0;
  for (; i + Lanes<S>::count <= count; i += Lanes<S>::count)
    entries([&](const S* from) { return Lanes<S>::load(from + i); }).store(out + i);
  for (; i < count; ++i) out[i] = entries([&](const S* from) { return from[i]; });
  if (in_order_) return;
  const int speed = speed_of_column_[static_cast<std::size_t>(column)];
  for (int k = 0; k < count; ++k) {
    const int other = speed_of_column_[static_cast<std::size_t>(column + k)];
    M(std::max(speed, other), std::min(speed, other)) = out[k];
  }
}

template <class S> void Tree<S>::mass(VecIn<S> q, MatX<S>& M) {
  if (M.rows() != nv() || M.cols() != nv()) M.setZero(nv(), nv());
  composites_.resize(links_.size());
  turns_.update(q.data());
  entries_.resize(nv());
  for (std::size_t i = 1; i < links_.size(); ++i) {  // (1)
    TreeLink<S>& link = links_[i];
    const Composite& parent = composites_[static_cast<std::size_t>(link.parent)];
    Composite& of = composites_[i];
    place_link(link, q.data() + link.q, turns_);
    if (V3<S> w, v; link.kind == LinkKind::any) link.any->find_columns(still_.data(), w, v);
    const auto in_world = [](const Column<S>(&R)[3], const V3<S>& a) { return R[0] * a.x + R[1] * a.y + R[2] * a.z; };
    const Lanes<S> R[3] = {in_world(parent.R, link.R.x), in_world(parent.R, link.R.y), in_world(parent.R, link.R.z)};
    for (int k = 0; k < 3; ++k) of.R[k] = column_of(R[k]);
    of.p = column_of(parent.p + in_world(parent.R, link.p));
    of.h = column_of(R[0] * link.h.x + R[1] * link.h.y + R[2] * link.h.z);
    of.mass = link.mass;
    const Sym3<S>& I = link.inertia;
    const Lanes<S> T[3] = {R[0] * I.xx + R[1] * I.xy + R[2] * I.xz,  // R I, then R I Rᵀ
                           R[0] * I.xy + R[1] * I.yy + R[2] * I.yz, R[0] * I.xz + R[1] * I.yz + R[2] * I.zz};
    for (int k = 0; k < 3; ++k) of.I[k] = column_of(T[0] * of.R[0][k] + T[1] * of.R[1][k] + T[2] * of.R[2][k]);
  }
  for (std::size_t i = links_.size() - 1; i > 0; --i) {
    const TreeLink<S>& link = links_[i];
    const Composite& of = composites_[i];
    const int first = first_column_[i], last = last_column_[i];
    switch (link.kind) {
      case LinkKind::turn:
        fill_column<Along::turn>(first, last, of.R[2].vector(), {}, of, M);
        break;
      case LinkKind::slide:
        fill_column<Along::slide>(first, last, {}, of.R[2].vector(), of, M);
        break;
      case LinkKind::floating: {
        const Composite& parent = composites_[static_cast<std::size_t>(link.parent)];
        const auto axis = [&](const V3<S>& a) {  // of F, in the world
          return column_of(parent.R[0] * a.x + parent.R[1] * a.y + parent.R[2] * a.z).vector();
        };
        fill_column<Along::slide>(first + 5, last, {}, axis(link.R_PF.z), of, M);
        fill_column<Along::slide>(first + 4, last, {}, axis(link.R_PF.y), of, M);
        fill_column<Along::slide>(first + 3, last, {}, axis(link.R_PF.x), of, M);
        [[fallthrough]];
      }
      case LinkKind::ball:
        fill_column<Along::turn>(first + 2, last, of.R[2].vector(), {}, of, M);
        fill_column<Along::turn>(first + 1, last, of.R[1].vector(), {}, of, M);
        fill_column<Along::turn>(first, last, of.R[0].vector(), {}, of, M);
        break;
      case LinkKind::any:
        for (int speed = link.any->nv - 1; speed >= 0; --speed) {
          const int k = link.any->column_of(speed);
          const auto in_world = [&](const V3<S>& a) {
            return column_of(of.R[0] * a.x + of.R[1] * a.y + of.R[2] * a.z).vector();
          };
          fill_column<Along::both>(first + speed, last, in_world(link.any->S_w[k]), in_world(link.any->S_v[k]), of, M);
        }
        break;
      case LinkKind::weld:
        break;
    }
    if (link.parent == 0) continue;
    Composite& parent = composites_[static_cast<std::size_t>(link.parent)];
    const Column<S> d = column_of(of.p - parent.p), g = column_of(of.h + d * (0.5 * of.mass));
    parent.mass += of.mass;
    parent.h = column_of(parent.h + (of.h + d * of.mass));
    // I + 2 (g·d) 1 − (g dᵀ + d gᵀ),  g = h + ½ m d
    const S both = 2.0 * dot(g.vector(), d.vector());
    const Lanes<S> diagonal[3] = {{both, 0.0, 0.0, 0.0}, {0.0, both, 0.0, 0.0}, {0.0, 0.0, both, 0.0}};
    for (int k = 0; k < 3; ++k) parent.I[k] = column_of(parent.I[k] + (of.I[k] + diagonal[k] - g * d[k] - d * g[k]));
  }
}

#define TANDEM_INSTANTIATE(S) template class Tree<S>;
TANDEM_TREE_SCALARS(TANDEM_INSTANTIATE)
#undef TANDEM_INSTANTIATE

}  // namespace tandem
