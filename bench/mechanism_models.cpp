// From a mechanism to Tandem's model, and the right answers by it.
#include "bench/mechanisms.hpp"

#include <algorithm>
#include <cmath>

#include "tandem/tandem.hpp"

namespace bench {

using tandem::Matrix3;
using tandem::Vector3;

static Vector3 vector(const Three& v) { return {v[0], v[1], v[2]}; }
static Matrix3 matrix(const std::array<double, 9>& R) {
  return (Matrix3() << R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8]).finished();
}

// Eigen's FromTwoVectors does the same, but half of the
// time to compile this file would go into its way out of that case.
Matrix3 turned_from_z(const Vector3& direction) {
  const Vector3 z = Vector3::UnitZ(), to = direction.normalized();
  const double s = std::sqrt((1.0 + to.dot(z)) * 2.0);
  Eigen::Quaterniond turn;
  turn.vec() = z.cross(to) * (1.0 / s);
  turn.w() = s * 0.5;
  return turn.toRotationMatrix();
}

static void add_loads(const Mechanism& mechanism, tandem::Builder& build) {
  using namespace tandem;
  const std::vector<std::string> names{"t"};
  const auto coordinate_of = [&](int link) {
    return CoordinateName{"j" + std::to_string(link),
                          mechanism.links[static_cast<std::size_t>(link)].slides() ? "displacement" : "angle"};
  };
  for (std::size_t i = 0; i < mechanism.links.size(); ++i) {
    const Link& link = mechanism.links[i];
    const auto& efforts = mechanism.loads.efforts;
    const auto push = std::find_if(efforts.begin(), efforts.end(),
                                   [&](const Wave& wave) { return wave.link == static_cast<int>(i); });
    if (link.damping == 0.0 && link.stiffness == 0.0 && push == efforts.end()) continue;
    JointEffort effort{.stiffness = link.stiffness, .damping = link.damping};
    if (push != efforts.end())
      effort.effort = TimeFunction(std::get<Expression>(
          Expression::parse(std::to_string(push->size) + " * sin(" + std::to_string(push->rate) + " * t)", names)));
    build.force({.name = "f" + std::to_string(i), .type = effort, .coordinates = {coordinate_of(static_cast<int>(i))}});
  }
  for (const Wave& wave : mechanism.loads.drives)
    build.drive({.name = "motor" + std::to_string(wave.link),
                 .type = Oscillation{.amplitude = wave.size, .frequency = wave.rate / (2.0 * pi), .phase = -0.5 * pi},
                 .coordinate = coordinate_of(wave.link)});
}

tandem::Model model_of(const Mechanism& mechanism) {
  using namespace tandem;
  const auto body_name = [](int link) { return link < 0 ? std::string(world_name) : "b" + std::to_string(link); };
  Builder build(mechanism.name);
  build.gravity(vector(mechanism.gravity));
  std::vector<Pose<double>> at;  // with all coordinates zero
  for (std::size_t i = 0; i < mechanism.links.size(); ++i) {
    const Link& link = mechanism.links[i];
    const int index = static_cast<int>(i);
    const Pose<double> in_parent{matrix(link.R), vector(link.p)};
    at.push_back(link.parent < 0 ? in_parent : at[static_cast<std::size_t>(link.parent)] * in_parent);
    build.body({.name = body_name(index),
                .mass = link.mass,
                .center = vector(link.center),
                .inertia = link.inertia,
                .position = at.back().p,
                .rotation = at.back().R});
    // Tandem's hinges turn about z of their frame.
    Matrix3 turned = Matrix3::Identity();
    Joint type = Spherical{};
    if (link.joint == 'f') {
      type = Free{};
    } else if (link.joint != 'b') {
      const int axis = link.axis();
      turned = turned_from_z(Vector3::Unit(axis));
      if (link.slides())
        type = Prismatic{};
      else
        type = Revolute{};
    }
    build.joint({.name = "j" + std::to_string(i),
                 .type = type,
                 .bodies = {body_name(link.parent), body_name(index)},
                 .frames = std::array{FramePlacement{.position = in_parent.p, .rotation = in_parent.R * turned},
                                      FramePlacement{.rotation = turned}}});
  }
  for (std::size_t i = 0; i < mechanism.closures.size(); ++i) {
    const Closure& closure = mechanism.closures[i];
    build.joint({.name = "c" + std::to_string(i),
                 .type = Spherical{},
                 .bodies = {body_name(closure.a), body_name(closure.b)},
                 .frames = std::array{FramePlacement{.position = vector(closure.point_a)},
                                      FramePlacement{.position = vector(closure.point_b)}},
                 .cut = true});
  }
  add_loads(mechanism, build);
  return build.finish();
}

Layout::Layout(const Mechanism& mechanism, const tandem::Model& model) {
  const tandem::Forest forest = tandem::spanning_forest(model);
  for (std::size_t i = 0; i < mechanism.links.size(); ++i) {
    const Link& link = mechanism.links[i];
    const auto& node = forest.nodes[static_cast<std::size_t>(forest.node_of_body[i])];
    if (link.nq() > 1) {
      for (const int k : {3, 0, 1, 2}) q_.push_back(node.q_first + k);
      for (int k = 4; k < link.nq(); ++k) q_.push_back(node.q_first + k);
    } else {
      q_.push_back(node.q_first);
    }
    for (int k = 0; k < link.nv(); ++k) v_.push_back(node.v_first + k);
  }
}

static Eigen::VectorXd scatter(const std::vector<int>& to, const std::vector<double>& numbers) {
  Eigen::VectorXd out(static_cast<Eigen::Index>(to.size()));
  for (std::size_t i = 0; i < to.size(); ++i) out[to[i]] = numbers[i];
  return out;
}

Eigen::VectorXd Layout::q(const std::vector<double>& ours) const { return scatter(q_, ours); }
Eigen::VectorXd Layout::v(const std::vector<double>& ours) const { return scatter(v_, ours); }
std::vector<double> Layout::v(const Eigen::VectorXd& theirs) const {
  std::vector<double> out;
  for (const int at : v_) out.push_back(theirs[at]);
  return out;
}

std::vector<double> ends(const Mechanism& mechanism, tandem::Simulation& simulation) {
  std::vector<double> found;
  for (std::size_t i = 0; i < mechanism.links.size(); ++i)
    if (mechanism.links[i].nv() == 1) found.push_back(simulation.coordinate("j" + std::to_string(i)));
  return found;
}

// By the method lagrange in maximal coordinates too, at a tolerance that leaves no error.
static void add_end(Mechanism& mechanism) {
  using namespace tandem;
  Model model = model_of(mechanism), tree_model = model;
  model.setup.method = "lagrange";
  model.setup.integrator = "dop853";
  model.setup.tolerance = 1e-12;
  tree_model.setup.method = "articulated";
  const Layout layout(mechanism, tree_model);
  Simulation by_bodies(model), by_tree(tree_model);
  for (Sample& sample : mechanism.samples) {
    State state = by_tree.state();
    state.q() = layout.q(sample.q);
    state.v() = layout.v(sample.v);
    by_tree.set_state(state);
    by_bodies.set_bodies(by_tree.bodies());
    by_bodies.step(Loads::span);
    sample.end = ends(mechanism, by_bodies);
  }
}

void add_answers(Mechanism& mechanism) {
  using namespace tandem;
  if (mechanism.is_loaded()) return add_end(mechanism);
  Model model = model_of(mechanism), tree_model = model;
  model.setup.method = "lagrange";
  tree_model.setup.method = "articulated";
  const Layout layout(mechanism, tree_model);
  Simulation by_bodies(model), by_tree(tree_model);
  Workspace workspace(tree_model, Cut::loops);
  State state = by_tree.state();
  for (Sample& sample : mechanism.samples) {
    state.q() = layout.q(sample.q);
    state.v() = layout.v(sample.v);
    by_tree.set_state(state);
    by_bodies.set_bodies(by_tree.bodies());
    sample.acceleration.clear();
    for (std::size_t i = 0; i < mechanism.links.size(); ++i) {
      const Eigen::VectorXd rate = by_bodies.joint_acceleration(static_cast<int>(i));
      sample.acceleration.insert(sample.acceleration.end(), rate.begin(), rate.end());
    }
    sample.energy = by_bodies.energy().kinetic;
    if (!mechanism.closures.empty()) continue;
    workspace.refresh(tree_model, state);
    sample.effort =
        layout.v(joint_space_mass(workspace) * (layout.v(sample.given) - layout.v(sample.acceleration)).eval());
  }
}

Mechanism with_answers(const std::string& name) {
  Mechanism mechanism = make_mechanism(name);
  add_answers(mechanism);
  return mechanism;
}

}  // namespace bench
