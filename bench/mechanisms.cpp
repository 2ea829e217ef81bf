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

// The state in which the legs of a platform reach their points, and follow them.
Sample on_legs(const Mechanism& mechanism, const Eigen::Quaterniond& turned, const Vector3& p, const Vector3& w,
               const Vector3& v) {
  Sample sample;
  sample.q = {turned.w(), turned.x(), turned.y(), turned.z(), p.x(), p.y(), p.z()};
  sample.v = {w.x(), w.y(), w.z(), v.x(), v.y(), v.z()};
  for (std::size_t i = 0; i < mechanism.closures.size(); ++i) {
    const Link& leg = mechanism.links[3 * i + 1];
    const Matrix3 R = matrix(leg.R);
    const Vector3 b = vector(mechanism.closures[i].point_b);
    const Vector3 u = R.transpose() * (vector(mechanism.links[0].p) + p + turned * b - vector(leg.p));
    const double reach = u.norm(), first = std::atan2(-u.y(), u.z()), second = std::asin(u.x() / reach);
    Matrix3 J;
    J << Vector3::UnitX().cross(u), Vector3(0, std::cos(first), std::sin(first)).cross(u), u / reach;
    const Vector3 rates = J.inverse() * (R.transpose() * (v + turned * w.cross(b)));
    sample.q.insert(sample.q.end(), {first, second, reach - mechanism.closures[i].point_a[2]});
    sample.v.insert(sample.v.end(), {rates[0], rates[1], rates[2]});
  }
  return sample;
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
    sample = on_legs(mechanism, turned, p, w, v);
  }
  return mechanism;
}

// A body on a hinge, by its frame seen from the parent's.
Link hinged(int parent, char joint, const Three& p, double mass, const Three& center, const Three& inertia) {
  Link link;
  link.parent = parent;
  link.joint = joint;
  link.p = p;
  link.mass = mass;
  link.center = center;
  link.inertia = {inertia[0], inertia[1], inertia[2], 0, 0, 0};
  return link;
}

// Andrews' squeezing mechanism as in examples/squeezer.toml, twenty times as large and heavy: seven bodies in a plane,
// three loops.
Mechanism squeezer() {
  constexpr double k = 20.0, beta = -0.06171389001427645, gamma = 0.45527981916307037, phi = 0.22266839016588588,
                   delta = 0.48736497954384256, epsilon = 1.2305474445498212;
  Mechanism mechanism;
  mechanism.gravity = {0, 0, 0};
  // x and y in the parent's frame, the angle from the parent's, the mass centre, the moment about it.
  const auto add = [&](int parent, double x, double y, double angle, double mass, double cx, double cy, double I) {
    const double moment = k * k * k * I;
    Link link = hinged(parent, 'z', {k * x, k * y, 0}, k * mass, {k * cx, k * cy, 0}, {moment / 2, moment / 2, moment});
    link.R = {std::cos(angle), -std::sin(angle), 0, std::sin(angle), std::cos(angle), 0, 0, 0, 1};
    mechanism.links.push_back(link);
  };
  add(-1, 0, 0, beta, 0.04325, 0.00092, 0, 2.194e-6);                          // crank
  add(0, 0.007, 0, 0, 0.00365, -0.0115, 0, 4.41e-7);                           // rod
  add(-1, -0.03635, 0.03273, gamma, 0.02373, 0.01043, -0.01874, 5.255e-6);     // plate
  add(-1, -0.06934, -0.00227, delta, 0.0705, 0.02308, 0.00916, 1.169e-5);      // upper jaw
  add(3, 0.04, 0, phi, 0.00706, 0, -(0.02 - 0.01421), 5.667e-7);               // upper link
  add(-1, -0.06934, -0.00227, epsilon, 0.05498, 0.00449, -0.01228, 1.912e-5);  // lower jaw
  add(5, 0, -0.04, -phi, 0.00706, 0.02 - 0.01421, 0, 5.667e-7);                // lower link
  const Three end_of_rod{-0.028 * k, 0, 0};
  mechanism.closures = {{1, 2, end_of_rod, {0, -0.035 * k, 0}},
                        {1, 4, end_of_rod, {0, -0.02 * k, 0}},
                        {1, 6, end_of_rod, {0.02 * k, 0, 0}}};
  mechanism.samples.resize(1);
  mechanism.samples[0].q = mechanism.samples[0].v = std::vector<double>(7, 0.0);
  return mechanism;
}

// One wheel of a car: two wishbones, an upright between them (a ball joint below, as three hinges), a tie rod, the
// wheel. Two loops.
Mechanism suspension() {
  Mechanism mechanism;
  const Three small{1e-3, 1e-3, 1e-3};
  mechanism.links = {hinged(-1, 'x', {0, 0.30, 0.20}, 3.0, {0, 0.20, -0.01}, {0.05, 0.03, 0.07}),  // lower wishbone
                     hinged(-1, 'x', {0, 0.35, 0.45}, 2.0, {0, 0.15, 0}, {0.02, 0.02, 0.03}),      // upper wishbone
                     hinged(0, 'x', {0, 0.40, -0.02}, 0.2, {0, 0, 0}, small),                      // the ball joint
                     hinged(2, 'y', {0, 0, 0}, 0.2, {0, 0, 0}, small),
                     hinged(3, 'z', {0, 0, 0}, 8.0, {0, 0, 0.13}, {0.12, 0.10, 0.05}),  // upright
                     hinged(-1, 'z', {0.12, 0.33, 0.22}, 0.2, {0, 0, 0}, small),        // tie rod
                     hinged(5, 'x', {0, 0, 0}, 0.8, {0, 0.16, -0.01}, {8e-3, 1e-3, 8e-3}),
                     hinged(4, 'y', {0, 0.06, 0.12}, 15.0, {0, 0, 0}, {0.4, 0.7, 0.4})};  // wheel
  mechanism.closures = {{1, 4, {0, 0.30, -0.01}, {0, -0.05, 0.26}}, {6, 4, {0, 0.33, -0.02}, {0.12, -0.04, 0.02}}};
  mechanism.samples.resize(1);
  mechanism.samples[0].q = mechanism.samples[0].v = std::vector<double>(8, 0.0);
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

// A damper in each hinge, a spring in every second, an effort of time in the last; where nothing closes a loop, a drive
// in the first. Of stewart six efforts along its legs, or six drives.
Mechanism loaded(const std::string& name, Random& random) {
  const std::string bare = name.substr(name.find('-') + 1);
  Mechanism mechanism = make_mechanism(bare);
  Loads& loads = mechanism.loads;
  mechanism.samples.resize(1);
  Sample& sample = mechanism.samples.front();
  sample.given.clear();
  if (bare == "stewart") {
    const bool driven = name.starts_with("driven-");
    if (driven)  // begins where the drives do
      sample = on_legs(mechanism, Eigen::Quaterniond::Identity(), Vector3::Zero(), {0.1, -0.2, 0.3}, {0.1, 0.2, 0.3});
    for (int leg = 0; leg < 6; ++leg) {
      const int rod = 3 * leg + 3;
      if (driven)
        loads.drives.push_back({rod, sample.v[mechanism.v_of(rod)] / 2.0, 2.0});
      else
        loads.efforts.push_back({rod, 10.0 + 4.0 * leg, 2.0 + 0.5 * leg});
    }
    return mechanism;
  }
  for (std::size_t i = 0; i < mechanism.links.size(); ++i) {
    if (mechanism.links[i].nv() > 1) continue;
    mechanism.links[i].damping = random.between(0.1, 0.5);
    if (i % 2 == 1) mechanism.links[i].stiffness = random.between(1.0, 5.0);
  }
  if (bare == "suspension") {  // its own spring and damper
    mechanism.links[0].stiffness = 4000.0;
    mechanism.links[0].damping = 200.0;
  }
  loads.efforts = {{static_cast<int>(mechanism.links.size()) - 1, 0.5, 3.0}};
  if (!mechanism.closures.empty()) return mechanism;
  const int first = mechanism.floats() ? 1 : 0;
  loads.drives = {{first, 0.2, 2.0}};
  sample.q[mechanism.q_of(first)] = 0.0;  // where the drive begins
  sample.v[mechanism.v_of(first)] = loads.drives.front().size * loads.drives.front().rate;
  return mechanism;
}

}  // namespace

Mechanism make_mechanism(const std::string& name) {
  Random random(name);
  const bool has_loads = name.starts_with("loaded-") || name.starts_with("driven-");
  Mechanism mechanism = has_loads                    ? loaded(name, random)
                        : name.starts_with("chain-") ? chain(name, random)
                        : name.starts_with("tree-")  ? binary_tree(name, random)
                        : name.starts_with("a02-")   ? four_bars(name, random)
                        : name.starts_with("rope-")  ? rope(name)
                        : name == "humanoid"         ? humanoid(random)
                        : name == "stewart"          ? stewart(random)
                        : name == "squeezer"         ? squeezer()
                        : name == "suspension"       ? suspension()
                        : name == "a01"              ? pendulum()
                                                     : throw std::invalid_argument("there is no mechanism " + name);
  mechanism.name = name;
  return mechanism;
}

}  // namespace bench
