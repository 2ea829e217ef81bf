#include "tandem/compare/row_check.hpp"

#include "tandem/base/elementary.hpp"
#include "tandem/dynamics/tangent.hpp"

namespace tandem {

namespace {

using D = Dual<double>;

// J V of a block, V laid out as State::v.
template <class S>
VecX<S> times(const Model& model, const RowBlockInfo& info, const MatX<S>& J, const Eigen::VectorXd& V) {
  VecX<S> out = VecX<S>::Zero(info.rows);
  for (std::size_t k = 0; k < info.bodies.size(); ++k) {
    const Body& body = model.bodies[static_cast<std::size_t>(info.bodies[k])];
    for (int column = 0; column < body.nv(); ++column)
      out += J.col(6 * static_cast<Eigen::Index>(k) + 6 - body.nv() + column) * S(V[body.v_first + column]);
  }
  return out;
}

// How large the terms of a row are, its block's bodies moving as the state says.
struct TermSizes {
  Eigen::VectorXd J, b;

  TermSizes(const Model& model, const RowBlockInfo& info, const MatX<D>& moving, const Eigen::VectorXd& v)
      : J(Eigen::VectorXd::Zero(info.rows)), b(J) {
    const double rate = 1.0 / model.scale.time;
    for (std::size_t k = 0; k < info.bodies.size(); ++k) {
      const auto index = static_cast<std::size_t>(info.bodies[k]);
      const Body& body = model.bodies[index];
      for (int i = 0; i < body.nv(); ++i) {
        const double unit = i < body.nv() - 3 ? 1.0 : model.scale.of_body[index];
        for (int row = 0; row < info.rows; ++row) {
          const D& each = moving(row, 6 * static_cast<Eigen::Index>(k) + 6 - body.nv() + i);
          const double given = std::abs(each.value), change = std::abs(each.derivative);
          J[row] += given * unit;
          b[row] += (change + given * rate) * (std::abs(v[body.v_first + i]) + unit * rate);
        }
      }
    }
  }
};

// A motion as good as any other, in the machine's own units.
Eigen::VectorXd any_motion(const Model& model) {
  Eigen::VectorXd motion(model.nv);
  for (std::size_t index = 0; index < model.bodies.size(); ++index) {
    const Body& body = model.bodies[index];
    for (int i = 0; i < body.nv(); ++i)
      motion[body.v_first + i] = (i < body.nv() - 3 ? 1.0 : model.scale.of_body[index]) *
                                 sin(1.0 + 7.3 * static_cast<double>(body.v_first + i));
  }
  return motion;
}

}  // namespace

std::vector<RowFault> check_rows(const Model& model, const State& bodies, double tolerance) {
  std::vector<RowFault> faults;
  Kinematics<double> kinematics(model);
  kinematics.update(model, bodies.t, bodies.q(), bodies.v(), bodies.angles());
  Rows<double> rows(model);
  rows.update(model, kinematics);
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(bodies.v().size());
  Tangent along(model), still(model), any(model);
  along.update(bodies, {bodies.v(), none, 1.0});
  still.update(bodies, {none, none, 1.0});
  const Eigen::VectorXd motion = any_motion(model);
  any.update(bodies, {motion, none, 0.0});

  for (std::size_t i = 0; i < model.blocks.size(); ++i) {
    const RowBlockInfo& info = model.blocks[i];
    const RowBlock<double>& block = rows.block(i);
    const Eigen::VectorXd rate = times<double>(model, info, block.J, motion);
    const VecX<D> moving =
        times<D>(model, info, along.all_rows().block(i).J, bodies.v()) + along.all_rows().block(i).phi_t;
    const TermSizes sizes(model, info, along.all_rows().block(i).J, bodies.v());
    const auto check = [&](const char* what, double given, double derived, double size) {
      if (given == derived) return;
      const double error = std::abs(given - derived) / (std::abs(derived) + size);
      if (error <= tolerance) return;
      const std::string name = model.block_name(info);
      const bool known = !faults.empty() && faults.back().block == name && faults.back().what == what;
      if (!known) faults.push_back({name, what, error});
      if (!(error <= faults.back().error)) faults.back().error = error;
    };
    for (int row = 0; row < info.rows; ++row) {
      if (row < info.holonomic) {
        check("its Jacobian is not the derivative of its residual", rate[row],
              any.all_rows().block(i).phi[row].derivative, sizes.J[row]);  // (1)
        check("its part of time is not the derivative of its residual", block.phi_t[row],
              still.all_rows().block(i).phi[row].derivative, sizes.J[row] / model.scale.time);  // (2)
      }
      check("its bias is not the derivative of its rows at velocity level", block.b[row], -moving[row].derivative,
            sizes.b[row]);  // (3)
    }
  }
  return faults;
}

}  // namespace tandem
