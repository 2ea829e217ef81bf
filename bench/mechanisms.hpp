// The mechanisms of the benchmark, with random states and the right answers there.
#pragma once

#include "bench/mechanism.hpp"
#include "tandem/model/model.hpp"

namespace tandem {
class Simulation;
}

namespace bench {

// chain-N, tree-63, humanoid, a02-N (N four-bar linkages in a row), stewart, squeezer, suspension; rope-N (ball joints)
// and a01 (a pendulum) without states. loaded-, before any of these: a damper in every hinge, springs in half of them,
// an effort of time in the last and, where nothing closes a loop, a drive in the first; of stewart six efforts, and six
// drives in driven-stewart; in one state. The same numbers on every machine.
Mechanism make_mechanism(const std::string& name);
// Fills in what is right at each state, by the method lagrange in maximal coordinates.
void add_answers(Mechanism& mechanism);
Mechanism with_answers(const std::string& name);

tandem::Model model_of(const Mechanism& mechanism);
// Where its hinges and sliders are, as Sample::end.
std::vector<double> ends(const Mechanism& mechanism, tandem::Simulation& simulation);
// The shortest turn of z to a direction that is not opposite.
tandem::Matrix3 turned_from_z(const tandem::Vector3& direction);

// Where the numbers of each link stand in Tandem's vectors on the cut "loops": the tree may visit the links in another
// order, and quaternions end with w there.
class Layout {
 public:
  Layout(const Mechanism& mechanism, const tandem::Model& model);
  Eigen::VectorXd q(const std::vector<double>& ours) const;
  Eigen::VectorXd v(const std::vector<double>& ours) const;
  std::vector<double> v(const Eigen::VectorXd& theirs) const;

 private:
  std::vector<int> q_, v_;  // per number of ours
};

}  // namespace bench
