#include "tandem/model/forest.hpp"

#include <algorithm>
#include <deque>

namespace tandem {

Forest spanning_forest(const Model& model) {
  Forest forest;
  std::vector<bool> reached(model.bodies.size(), false), used(model.joints.size(), false);
  const auto is_reached = [&](int body) { return body == world || reached[static_cast<std::size_t>(body)]; };
  // Breadth first, so that paths to the root are short; joints in the order of the model.
  const auto grow = [&](int root) {
    std::deque<int> front{root};
    while (!front.empty()) {
      const int here = front.front();
      front.pop_front();
      for (std::size_t i = 0; i < model.joints.size(); ++i) {
        const ModelJoint& joint = model.joints[i];
        if (used[i] || !joint.joint()) continue;  // a custom joint has no motion of its own: it always closes a loop
        const int a = joint.first.body, b = joint.second.body;
        if (a != here && b != here) continue;
        const int there = a == here ? b : a;
        if (is_reached(there)) continue;
        used[i] = true;
        reached[static_cast<std::size_t>(there)] = true;
        forest.tree.push_back(static_cast<int>(i));
        front.push_back(there);
      }
    }
  };
  grow(world);
  for (std::size_t body = 0; body < model.bodies.size(); ++body) {
    if (reached[body]) continue;
    reached[body] = true;
    forest.roots.push_back(static_cast<int>(body));
    grow(static_cast<int>(body));
  }
  for (std::size_t i = 0; i < model.joints.size(); ++i)
    if (!used[i]) forest.loops.push_back(static_cast<int>(i));
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
