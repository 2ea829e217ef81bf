#include "bench/mechanisms.hpp"

#include <cmath>
#include <random>

#include "tandem/tandem.hpp"

namespace bench {

using tandem::Matrix3;
using tandem::Vector3;

namespace {

// std::uniform_real_distribution is not the same everywhere; this is.
class Random {
 public:
  explicit Random(const std::string& name) {
    std::seed_seq seed(name.begin(), name.end());
    engine_.seed(seed);
  }
  double between(double low, double high) {
    return low + (high - low) * static_cast<double>(engine_() >> 11) / 9007199254740992.0;
  }
  Vector3 vector(double size) { return {between(-size, size), between(-size, size), between(-size, size)}; }
  Eigen::Quaterniond rotation(double angle) {
    return Eigen::Quaterniond(Eigen::AngleAxisd(between(-angle, angle), vector(1.0).normalized()));
  }

 private:
  std::mt19937_64 engine_;
};

Three three(const Vector3& v) { return {v.x(), v.y(), v.z()}; }
Vector3 vector(const Three& v) { return {v[0], v[1], v[2]}; }
std::array<double, 9> nine(const Matrix3& R) {
  return {R(0, 0), R(0, 1), R(0, 2), R(1, 0), R(1, 1), R(1, 2), R(2, 0), R(2, 1), R(2, 2)};
}
Matrix3 matrix(const std::array<double, 9>& R) {
  return (Matrix3() << R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8]).finished();
}

// The shortest turn of z to a direction that is not opposite. Eigen's FromTwoVectors does the same, but half of the
// time to compile this file would go into its way out of that case.
Matrix3 turned_from_z(const Vector3& direction) {
  const Vector3 z = Vector3::UnitZ(), to = direction.normalized();
  const double s = std::sqrt((1.0 + to.dot(z)) * 2.0);
  Eigen::Quaterniond turn;
  turn.vec() = z.cross(to) * (1.0 / s);
  turn.w() = s * 0.5;
  return turn.toRotationMatrix();
}

// General placement, mass, centre and inertia; the principal moments are those of a real body.
Link random_link(Random& random, int parent, char joint) {
  Link link;
  link.parent = parent;
  link.joint = joint;
  link.R = nine(random.rotation(tandem::pi).toRotationMatrix());
  link.p = three(random.vector(0.3));
  link.mass = random.between(0.5, 2.0);
  link.center = three(random.vector(0.2));
  const double a = random.between(0.01, 0.05), b = random.between(0.01, 0.05);
  const double c = random.between(std::abs(a - b) + 0.002, a + b - 0.002);
  const Matrix3 axes = random.rotation(tandem::pi).toRotationMatrix();
  const Matrix3 I = link.mass * axes * Vector3(a, b, c).asDiagonal() * axes.transpose();
  link.inertia = {I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)};
  return link;
}

char axis_of(std::size_t i) { return "zyx"[i % 3]; }

int number_in(const std::string& name) { return std::stoi(name.substr(name.rfind('-') + 1)); }

std::size_t sample_count(const Mechanism& mechanism) {
  return mechanism.links.size() > 2000 ? 2 : mechanism.links.size() > 500 ? 8 : 64;
}

void add_tree_states(Mechanism& mechanism, Random& random) {
  mechanism.samples.resize(sample_count(mechanism));
  for (Sample& sample : mechanism.samples)
    for (const Link& link : mechanism.links) {
      if (link.nq() > 1) {
        const Eigen::Quaterniond q = random.rotation(tandem::pi);
        sample.q.insert(sample.q.end(), {q.w(), q.x(), q.y(), q.z()});
      }
      for (int k = link.nq() > 1 ? 4 : 0; k < link.nq(); ++k) sample.q.push_back(random.between(-1.0, 1.0));
      for (int k = 0; k < link.nv(); ++k) sample.v.push_back(random.between(-1.0, 1.0));
      for (int k = 0; k < link.nv(); ++k) sample.given.push_back(random.between(-1.0, 1.0));
    }
}

Mechanism chain(const std::string& name, Random& random) {
  Mechanism mechanism;
  for (int i = 0; i < number_in(name); ++i)
    mechanism.links.push_back(random_link(random, i - 1, axis_of(mechanism.links.size())));
  add_tree_states(mechanism, random);
  return mechanism;
}

// Depth first: some engines number their bodies so, whatever they are told.
void grow(Mechanism& mechanism, Random& random, int parent, int depth) {
  mechanism.links.push_back(random_link(random, parent, axis_of(mechanism.links.size())));
  const int here = static_cast<int>(mechanism.links.size()) - 1;
  for (int branch = 0; branch < 2 && depth > 1; ++branch) grow(mechanism, random, here, depth - 1);
}

Mechanism binary_tree(const std::string& name, Random& random) {
  Mechanism mechanism;
  int depth = 0;
  while ((1 << depth) <= number_in(name)) ++depth;
  grow(mechanism, random, -1, depth);
  add_tree_states(mechanism, random);
  return mechanism;
}

Mechanism humanoid(Random& random) {
  Mechanism mechanism;
  const auto limb = [&](int root, int joints) {
    for (int i = 0; i < joints; ++i) {
      mechanism.links.push_back(random_link(random, root, axis_of(mechanism.links.size())));
      root = static_cast<int>(mechanism.links.size()) - 1;
    }
    return root;
  };
  mechanism.links.push_back(random_link(random, -1, 'f'));
  mechanism.links.front().R = Link().R;  // so that the base's frame F has the axes of the world
  limb(0, 6);
  limb(0, 6);
  const int chest = limb(0, 2);
  limb(chest, 7);
  limb(chest, 7);
  limb(chest, 2);
  add_tree_states(mechanism, random);
  return mechanism;
}

// IFToMM A02: N + 1 cranks of 1 m on the ground, N couplers. All cranks stand alike.
Mechanism four_bars(const std::string& name, Random& random) {
  constexpr double thin = 1e-3, rod = 1.0 / 12.0;
  Mechanism mechanism;
  mechanism.gravity = {0, -9.81, 0};
  const int loops = number_in(name);
  for (int i = 0; i <= loops; ++i) {
    Link crank, coupler;
    crank.p = {static_cast<double>(i), 0, 0};
    crank.center = {0, 0.5, 0};
    crank.inertia = {rod, thin, rod, 0, 0, 0};
    coupler.parent = 2 * i;
    coupler.p = {0, 1, 0};
    coupler.center = {0.5, 0, 0};
    coupler.inertia = {thin, rod, rod, 0, 0, 0};
    mechanism.links.push_back(crank);
    if (i == loops) break;
    mechanism.links.push_back(coupler);
    mechanism.closures.push_back({2 * i + 1, 2 * i + 2, {1, 0, 0}, {0, 1, 0}});
  }
  mechanism.samples.resize(64);
  for (Sample& sample : mechanism.samples) {
    const double angle = random.between(-1.2, 1.2), rate = random.between(-3.0, 3.0);
    for (std::size_t i = 0; i < mechanism.links.size(); ++i) {
      sample.q.push_back(i % 2 == 0 ? angle : -angle);
      sample.v.push_back(i % 2 == 0 ? rate : -rate);
    }
  }
  return mechanism;
}

// A platform on six legs: two hinges and a slider each, held to the platform at a point.
Mechanism stewart(Random& random) {
  constexpr double degree = tandem::pi / 180.0;
  constexpr double base[6] = {-10, 10, 110, 130, 230, 250}, top[6] = {-50, 50, 70, 170, 190, 290};
  const auto on_circle = [](double radius, double angle) {
    return Vector3(radius * std::cos(angle * degree), radius * std::sin(angle * degree), 0.0);
  };
  const Vector3 rest(0, 0, 0.8);
  Mechanism mechanism;
  Link platform;
  platform.joint = 'f';
  platform.p = three(rest);
  platform.mass = 10.0;
  platform.inertia = {0.3, 0.3, 0.5, 0, 0, 0};
  mechanism.links.push_back(platform);
  double length[6];
  Matrix3 R[6];
  for (int i = 0; i < 6; ++i) {
    const Vector3 along = rest + on_circle(0.3, top[i]) - on_circle(0.5, base[i]);
    length[i] = along.norm();
    R[i] = turned_from_z(along);
    Link cross, tube, rod;
    cross.joint = 'x';
    cross.R = nine(R[i]);
    cross.p = three(on_circle(0.5, base[i]));
    cross.mass = 0.5;
    cross.inertia = {1e-3, 1e-3, 1e-3, 0, 0, 0};
    tube.parent = 3 * i + 1;
    tube.joint = 'y';
    tube.center = {0, 0, 0.2};
    tube.inertia = {0.013, 0.013, 1e-3, 0, 0, 0};
    rod.parent = 3 * i + 2;
    rod.joint = 'Z';
    rod.center = {0, 0, length[i] - 0.2};
    rod.inertia = {0.013, 0.013, 5e-4, 0, 0, 0};
    for (const Link& link : {cross, tube, rod}) mechanism.links.push_back(link);
    mechanism.closures.push_back({3 * i + 3, 0, {0, 0, length[i]}, three(on_circle(0.3, top[i]))});
  }
  mechanism.samples.resize(64);
  for (Sample& sample : mechanism.samples) {
    const Eigen::Quaterniond turned = random.rotation(0.3);
    const Vector3 p = random.vector(0.1), w = random.vector(1.0), v = random.vector(1.0);
    sample.q = {turned.w(), turned.x(), turned.y(), turned.z(), p.x(), p.y(), p.z()};
    sample.v = {w.x(), w.y(), w.z(), v.x(), v.y(), v.z()};
    for (int i = 0; i < 6; ++i) {  // the leg that reaches its point, and follows it
      const Vector3 b = on_circle(0.3, top[i]);
      const Vector3 u = R[i].transpose() * (rest + p + turned * b - on_circle(0.5, base[i]));
      const double reach = u.norm(), first = std::atan2(-u.y(), u.z()), second = std::asin(u.x() / reach);
      Matrix3 J;
      J << Vector3::UnitX().cross(u), Vector3(0, std::cos(first), std::sin(first)).cross(u), u / reach;
      const Vector3 rates = J.inverse() * (R[i].transpose() * (v + turned * w.cross(b)));
      sample.q.insert(sample.q.end(), {first, second, reach - length[i]});
      sample.v.insert(sample.v.end(), {rates[0], rates[1], rates[2]});
    }
  }
  return mechanism;
}

// IFToMM A01: 1 kg at the end of 1 m, released from the horizontal. Some engines want an inertia, however small.
Mechanism pendulum() {
  Mechanism mechanism;
  mechanism.gravity = {0, -9.81, 0};
  Link link;
  link.center = {-1, 0, 0};
  link.inertia = {1e-13, 1e-13, 1e-13, 0, 0, 0};
  mechanism.links.push_back(link);
  return mechanism;
}

// Bodies of 1 kg and 0.2 m on ball joints, held horizontal.
Mechanism rope(const std::string& name) {
  Mechanism mechanism;
  for (int i = 0; i < number_in(name); ++i) {
    Link link;
    link.parent = i - 1;
    link.joint = 'b';
    if (i > 0) link.p = {0.2, 0, 0};
    link.center = {0.1, 0, 0};
    const double across = (0.04 * 0.04 + 0.2 * 0.2) / 12.0;
    link.inertia = {(0.04 * 0.04 + 0.04 * 0.04) / 12.0, across, across, 0, 0, 0};
    mechanism.links.push_back(link);
  }
  return mechanism;
}

// Hinges only: a damper in each, a spring in every second, an effort of time in the last, a drive in the first.
Mechanism loaded(const std::string& name, Random& random) {
  Mechanism mechanism = make_mechanism(name.substr(name.find('-') + 1));
  for (std::size_t i = 0; i < mechanism.links.size(); ++i) {
    mechanism.links[i].damping = random.between(0.1, 0.5);
    if (i % 2 == 1) mechanism.links[i].stiffness = random.between(1.0, 5.0);
  }
  mechanism.loads = {.effort = static_cast<int>(mechanism.links.size()) - 1,
                     .drive = 0,
                     .effort_size = 0.5,
                     .effort_rate = 3.0,
                     .drive_size = 0.2,
                     .drive_rate = 2.0};
  mechanism.samples.resize(1);
  Sample& sample = mechanism.samples.front();
  sample.q[0] = 0.0;  // where the drive begins
  sample.v[0] = mechanism.loads.drive_size * mechanism.loads.drive_rate;
  sample.given.clear();
  return mechanism;
}

}  // namespace

Mechanism make_mechanism(const std::string& name) {
  Random random(name);
  Mechanism mechanism = name.starts_with("loaded-")  ? loaded(name, random)
                        : name.starts_with("chain-") ? chain(name, random)
                        : name.starts_with("tree-")  ? binary_tree(name, random)
                        : name.starts_with("a02-")   ? four_bars(name, random)
                        : name.starts_with("rope-")  ? rope(name)
                        : name == "humanoid"         ? humanoid(random)
                        : name == "stewart"          ? stewart(random)
                        : name == "a01"              ? pendulum()
                                                     : throw std::invalid_argument("there is no mechanism " + name);
  mechanism.name = name;
  return mechanism;
}

static void add_loads(const Mechanism& mechanism, tandem::Builder& build) {
  using namespace tandem;
  const Loads& loads = mechanism.loads;
  const std::vector<std::string> names{"t"};
  for (std::size_t i = 0; i < mechanism.links.size(); ++i) {
    const Link& link = mechanism.links[i];
    const bool pushed = static_cast<int>(i) == loads.effort;
    if (link.damping == 0.0 && link.stiffness == 0.0 && !pushed) continue;
    JointEffort effort{.stiffness = link.stiffness, .damping = link.damping};
    if (pushed)
      effort.effort = TimeFunction(std::get<Expression>(Expression::parse(
          std::to_string(loads.effort_size) + " * sin(" + std::to_string(loads.effort_rate) + " * t)", names)));
    build.force({.name = "f" + std::to_string(i), .type = effort, .coordinates = {{"j" + std::to_string(i), "angle"}}});
  }
  if (loads.drive >= 0)
    build.drive(
        {.name = "motor",
         .type =
             Oscillation{.amplitude = loads.drive_size, .frequency = loads.drive_rate / (2.0 * pi), .phase = -0.5 * pi},
         .coordinate = {"j" + std::to_string(loads.drive), "angle"}});
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
    sample.end.clear();
    for (const ModelJoint& joint : model.joints) sample.end.push_back(by_bodies.coordinate(joint.name));
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

}  // namespace bench
