#include "tandem/assemble/held.hpp"

#include "tandem/math/euler312.hpp"

namespace tandem {

namespace {

// One row on one body. Its value is what it reads, less what is wanted.
struct BodyRow {
  static constexpr bool gives_bias = true;  // nobody asks for accelerations during assembly
  bool angle = false;
  int axis = 0;
  Vector3 point = Vector3::Zero();  // from the mass centre
  double value = 0.0, rate = 0.0;

  template <class S> void operator()(std::span<const BodyMotion<S>> bodies, const S&, BodyRows<S>& rows) const {
    const BodyMotion<S>& body = bodies[0];
    rows.phi_t[0] = S(-rate);
    if (angle) {  // (3)
      const Vec3<S> p = euler312_of<S>(body.X_WC.R);
      rows.phi[0] = wrap_angle<S>(p[axis] - value);
      rows.J.row(0).template head<3>() = euler312_body_matrix_inverse<S>(p).row(axis);
    } else {  // (2)
      const Vec3<S> r = body.X_WC.R * lift<S>(point);
      rows.phi[0] = body.X_WC.p[axis] + r[axis] - value;
      rows.J.row(0) = point_jacobian<S>(body, r).row(axis);
    }
  }
};

void add_row(Model& model, const ModelStart& held, bool velocity_only, double value) {
  ModelConstraint constraint{
      .name = held.name, .type = "held", .one_sided = false, .soft = {}, .what = CoordinateConstraint{}};
  constraint.where = held.where;
  RowBlockInfo block;
  block.kind = RowBlockInfo::Kind::constraint;
  block.index = static_cast<int>(model.constraints.size());
  block.first_row = model.rows;
  block.rows = 1;
  block.holonomic = velocity_only ? 0 : 1;
  block.row_names = {"held"};
  const auto touch = [&](int body) {
    if (body != world) block.bodies.push_back(body);
  };
  if (held.of == ModelStart::Of::joint) {  // (1)
    const ModelJoint& joint = model.joints[static_cast<std::size_t>(held.coordinate.joint)];
    touch(joint.first.body);
    touch(joint.second.body);
    constraint.what = CoordinateConstraint{{held.coordinate}, velocity_only, value};
  } else {
    touch(held.point.body);
    const BodyRow row{held.is_angle_of_body(), held.axis(), held.point.X_CF.p, velocity_only ? 0.0 : value,
                      velocity_only ? value : 0.0};
    constraint.what =
        CustomConstraint{CustomRows(velocity_only ? 0 : 1, velocity_only ? 1 : 0, row), {held.point.body}};
  }
  model.constraints.push_back(std::move(constraint));
  set_row_sizes(model, block);
  model.blocks.push_back(std::move(block));
  ++model.rows;
}

}  // namespace

Model with_held_positions(const Model& model, const Kinematics<double>& guess) {
  Model out = model;
  for (const ModelStart& held : model.starts)
    if (holds_position(held)) add_row(out, held, false, held.value.value_or(read_coordinate(model, held, guess).value));
  return out;
}

Model with_held_speeds(const Model& model) {
  Model out = model;
  for (const ModelStart& held : model.starts)
    if (holds_speed(held)) add_row(out, held, true, *held.rate);
  return out;
}

}  // namespace tandem
