// The mass matrix by composite inertias.
//
// In world axes, about each link's own origin, so that nothing large cancels however long the chain:
//   (1)  outward: R, p, and the rigid inertia in world axes;   inward: what a subtree weighs, shifted by d = p_child −
//   p (2)  column i with axis (α, l):  n = I α + h × l,   f = α × h + m l (3)  M_ij = α_j · (n_i + (p_i − p_j) × f_i) +
//   l_j · f_i     for all columns i of the subtree of j: one vector loop
#include "tandem/tree/kinematics.hpp"

namespace tandem {

void TreeDynamics::Columns::resize(std::size_t size) {
  for (Eigen::ArrayXd* array : {&n_x, &n_y, &n_z, &f_x, &f_y, &f_z, &p_x, &p_y, &p_z})
    array->resize(static_cast<Eigen::Index>(size));
}

void TreeDynamics::fill_column(int column, int last, const V3<double>& angular, const V3<double>& linear,
                               const Composite& composite, Eigen::MatrixXd& M) {
  const Composite& of = composite;
  Columns& all = columns_;
  const V3<double> n = of.inertia * angular + cross(of.h, linear), f = cross(angular, of.h) + of.mass * linear;  // (2)
  all.n_x[column] = n.x, all.n_y[column] = n.y, all.n_z[column] = n.z;
  all.f_x[column] = f.x, all.f_y[column] = f.y, all.f_z[column] = f.z;
  all.p_x[column] = of.p.x, all.p_y[column] = of.p.y, all.p_z[column] = of.p.z;
  // (3), with α × (p_i − p_j) · f_i in place of α · (p_i − p_j) × f_i
  double* const out = in_order_ ? &M(column, column) : entries_.data();
  const double ax = angular.x, ay = angular.y, az = angular.z, lx = linear.x, ly = linear.y, lz = linear.z;
  const double px = of.p.x, py = of.p.y, pz = of.p.z;
  const double *nx = &all.n_x[column], *ny = &all.n_y[column], *nz = &all.n_z[column];
  const double *fx = &all.f_x[column], *fy = &all.f_y[column], *fz = &all.f_z[column];
  const double *x = &all.p_x[column], *y = &all.p_y[column], *z = &all.p_z[column];
  const int count = last - column;
  for (int i = 0; i < count; ++i) {
    const double dx = x[i] - px, dy = y[i] - py, dz = z[i] - pz;
    out[i] = ax * nx[i] + ay * ny[i] + az * nz[i] + (lx + ay * dz - az * dy) * fx[i] +
             (ly + az * dx - ax * dz) * fy[i] + (lz + ax * dy - ay * dx) * fz[i];
  }
  if (in_order_) return;
  const int speed = speed_of_column_[static_cast<std::size_t>(column)];
  for (int i = 0; i < count; ++i) {
    const int other = speed_of_column_[static_cast<std::size_t>(column + i)];
    M(std::max(speed, other), std::min(speed, other)) = out[i];
  }
}

void TreeDynamics::mass(const Eigen::VectorXd& q, Eigen::MatrixXd& M) {
  if (M.rows() != nv() || M.cols() != nv()) M.setZero(nv(), nv());
  composites_.resize(links_.size());
  entries_.resize(nv());
  for (std::size_t i = 1; i < links_.size(); ++i) {  // (1)
    TreeLink<double>& link = links_[i];
    const Composite& parent = composites_[static_cast<std::size_t>(link.parent)];
    Composite& of = composites_[i];
    place_link(link, q.data() + link.q);
    of.R = parent.R * link.R;
    of.p = parent.p + parent.R * link.p;
    of.mass = link.mass;
    of.h = of.R * link.h;
    of.inertia = rotated(of.R, link.inertia);
  }
  for (std::size_t i = links_.size() - 1; i > 0; --i) {
    const TreeLink<double>& link = links_[i];
    const Composite& of = composites_[i];
    const int first = first_column_[i], last = last_column_[i];
    const V3<double> none;
    switch (link.kind) {
      case LinkKind::turn:
        fill_column(first, last, of.R.z, none, of, M);
        break;
      case LinkKind::slide:
        fill_column(first, last, none, of.R.z, of, M);
        break;
      case LinkKind::floating: {
        const M3<double> R_WF = composites_[static_cast<std::size_t>(link.parent)].R * link.R_PF;
        fill_column(first + 5, last, none, R_WF.z, of, M);
        fill_column(first + 4, last, none, R_WF.y, of, M);
        fill_column(first + 3, last, none, R_WF.x, of, M);
        [[fallthrough]];
      }
      case LinkKind::ball:
        fill_column(first + 2, last, of.R.z, none, of, M);
        fill_column(first + 1, last, of.R.y, none, of, M);
        fill_column(first, last, of.R.x, none, of, M);
        break;
      case LinkKind::weld:
        break;
    }
    if (link.parent == 0) continue;
    Composite& parent = composites_[static_cast<std::size_t>(link.parent)];
    const V3<double> d = of.p - parent.p;
    parent.mass += of.mass;
    parent.h += of.h + of.mass * d;
    // I + 2 (g·d) 1 − (g dᵀ + d gᵀ),  g = h + ½ m d
    const V3<double> g = of.h + 0.5 * of.mass * d;
    const double trace = 2.0 * dot(g, d);
    parent.inertia = parent.inertia + of.inertia + Sym3<double>{trace - 2.0 * g.x * d.x, -g.x * d.y - g.y * d.x,
                                                                -g.x * d.z - g.z * d.x,  trace - 2.0 * g.y * d.y,
                                                                -g.y * d.z - g.z * d.y,  trace - 2.0 * g.z * d.z};
  }
}

}  // namespace tandem
