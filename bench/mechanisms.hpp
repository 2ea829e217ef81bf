// The mechanisms of the benchmark, with random states and the right answers there.
#pragma once

#include "bench/mechanism.hpp"
#include "tandem/model/model.hpp"

namespace bench {

// chain-N, tree-63, humanoid, a02-N (N four-bar linkages in a row), stewart; rope-N (ball joints) and a01 (a pendulum)
// without states; loaded-chain-N and loaded-tree-63 with a damper in every joint, springs in half of them, an effort of
// time in the last and a drive in the first, in one state. The same numbers on every machine.
Mechanism make_mechanism(const std::string& name);
// Fills in what is right at each state, by the method lagrange in maximal coordinates.
void add_answers(Mechanism& mechanism);

tandem::Model model_of(const Mechanism& mechanism);

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
