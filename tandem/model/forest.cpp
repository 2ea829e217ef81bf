#include "tandem/model/forest.hpp"

#include <algorithm>
#include <numeric>

namespace tandem {

namespace {

bool can_carry(const ModelJoint& joint) { return joint.joint() && !joint.positions_only && !joint.cut; }

// Grows the forest: for every body the joint that carries it, level by level.
class Grower {
 public:
  explicit Grower(const Model& model)
      : joint_of(model.bodies.size(), -1),
        parent_of(model.bodies.size(), world),
        model_(model),
        touching_(model.bodies.size()),
        reached_(model.bodies.size(), false) {
    for (std::size_t i = 0; i < model.joints.size(); ++i) {
      if (!can_carry(model.joints[i])) continue;
      const auto joint = static_cast<int>(i);
      for (const int body : {model.joints[i].first.body, model.joints[i].second.body})
        (body == world ? on_world_ : touching_[static_cast<std::size_t>(body)]).push_back(joint);
    }
    driven_.assign(model.joints.size(), false);
    for (const ModelDrive& drive : model.drives) driven_[static_cast<std::size_t>(drive.coordinate.joint)] = true;
    grow(world);
    std::vector<int> heaviest_first(model.bodies.size());
    std::iota(heaviest_first.begin(), heaviest_first.end(), 0);
    std::stable_sort(heaviest_first.begin(), heaviest_first.end(), [&](int a, int b) {
      return model.bodies[static_cast<std::size_t>(a)].own_mass > model.bodies[static_cast<std::size_t>(b)].own_mass;
    });
    for (const int body : heaviest_first) {
      if (reached(body)) continue;
      reached_[static_cast<std::size_t>(body)] = true;
      roots.push_back(body);
      grow(body);
    }
    std::sort(roots.begin(), roots.end());
  }

  std::vector<int> joint_of, parent_of, roots;

 private:
  struct Step {
    int joint, from, to;
  };

  int other(int joint, int body) const {
    const ModelJoint& found = model_.joints[static_cast<std::size_t>(joint)];
    return found.first.body == body ? found.second.body : found.first.body;
  }
  bool reached(int body) const { return body == world || reached_[static_cast<std::size_t>(body)]; }
  bool better(const Step& a, const Step& b) const {
    const auto rank = [this](const Step& step) {
      const auto joint = static_cast<std::size_t>(step.joint);
      return std::tuple(!driven_[joint], model_.joints[joint].joint()->traits().nv,
                        -model_.bodies[static_cast<std::size_t>(step.to)].own_mass, step.joint);
    };
    return rank(a) < rank(b);
  }

  void grow(int root) {
    std::vector<int> level{root};
    while (!level.empty()) {
      std::vector<Step> steps;
      for (const int from : level)
        for (const int joint : from == world ? on_world_ : touching_[static_cast<std::size_t>(from)])
          if (const int to = other(joint, from); !reached(to)) steps.push_back({joint, from, to});
      std::sort(steps.begin(), steps.end(), [this](const Step& a, const Step& b) { return better(a, b); });
      level.clear();
      for (const Step& step : steps) {
        if (reached(step.to)) continue;
        const auto to = static_cast<std::size_t>(step.to);
        reached_[to] = true;
        joint_of[to] = step.joint;
        parent_of[to] = step.from;
        level.push_back(step.to);
      }
    }
  }

  const Model& model_;
  std::vector<int> on_world_;
  std::vector<std::vector<int>> touching_;
  std::vector<bool> reached_, driven_;
};

Forest::Node make_node(const Model& model, const Grower& grown, int body) {
  Forest::Node node;
  node.body = body;
  node.joint = grown.joint_of[static_cast<std::size_t>(body)];
  const Body& what = model.bodies[static_cast<std::size_t>(body)];
  node.nq = what.nq();
  node.nv = what.nv();
  if (node.joint >= 0) {
    const ModelJoint& joint = model.joints[static_cast<std::size_t>(node.joint)];
    node.reversed = joint.first.body == body;
    node.nq = joint.joint()->traits().nq;
    node.nv = joint.joint()->traits().nv;
  }
  node.drives.assign(static_cast<std::size_t>(node.nv), -1);
  return node;
}

}  // namespace

Forest spanning_forest(const Model& model) {
  const Grower grown(model);
  Forest forest;
  forest.roots = grown.roots;
  forest.node_of_body.assign(model.bodies.size(), -1);
  std::vector<std::vector<int>> children(model.bodies.size());
  std::vector<int> stack;  // depth first, so that subtrees stay together
  for (std::size_t i = model.bodies.size(); i-- > 0;) {
    const int parent = grown.parent_of[i];
    (parent == world ? stack : children[static_cast<std::size_t>(parent)]).push_back(static_cast<int>(i));
  }
  std::vector<int> node_of_joint(model.joints.size(), -1);
  while (!stack.empty()) {
    const int body = stack.back();
    stack.pop_back();
    Forest::Node node = make_node(model, grown, body);
    const int parent = grown.parent_of[static_cast<std::size_t>(body)];
    node.parent = parent == world ? -1 : forest.node_of_body[static_cast<std::size_t>(parent)];
    node.tree = parent == world ? forest.trees++ : forest.nodes[static_cast<std::size_t>(node.parent)].tree;
    node.q_first = forest.nq;
    node.v_first = forest.nv;
    forest.nq += node.nq;
    forest.nv += node.nv;
    if (node.joint >= 0) {
      node_of_joint[static_cast<std::size_t>(node.joint)] = static_cast<int>(forest.nodes.size());
      forest.tree.push_back(node.joint);
    }
    forest.node_of_body[static_cast<std::size_t>(body)] = static_cast<int>(forest.nodes.size());
    forest.nodes.push_back(std::move(node));
    for (const int child : children[static_cast<std::size_t>(body)]) stack.push_back(child);
  }
  for (std::size_t i = 0; i < model.joints.size(); ++i)
    if (node_of_joint[i] < 0) forest.loops.push_back(static_cast<int>(i));
  for (std::size_t i = 0; i < model.drives.size(); ++i) {
    const CoordinateRef& driven = model.drives[i].coordinate;
    const int node = node_of_joint[static_cast<std::size_t>(driven.joint)];
    if (node < 0) continue;
    forest.nodes[static_cast<std::size_t>(node)].drives[static_cast<std::size_t>(driven.coordinate)] =
        static_cast<int>(i);
  }
  return forest;
}

std::vector<int> lone_bodies(const Model& model) {
  std::vector<bool> touched(model.bodies.size(), false);
  const auto touch = [&](int body) {
    if (body != world) touched[static_cast<std::size_t>(body)] = true;
  };
  for (const ModelJoint& joint : model.joints) {
    touch(joint.first.body);
    touch(joint.second.body);
  }
  for (const RowBlockInfo& block : model.blocks)
    for (const int body : block.bodies) touch(body);
  for (const ModelForce& force : model.forces)
    for (const BodyFrame& point : force.points) touch(point.body);
  std::vector<int> lone;
  for (std::size_t body = 0; body < touched.size(); ++body)
    if (!touched[body]) lone.push_back(static_cast<int>(body));
  return lone;
}

}  // namespace tandem
