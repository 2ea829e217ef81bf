#include "tandem/dynamics/row_system.hpp"

namespace tandem {

void RowSystem::analyse(const GaussProblem& problem) {
  analysed_ = true;
  on_group_.assign(problem.groups.size(), {});
  Yt_.assign(problem.blocks.size(), {});
  roots_.resize(problem.groups.size());
  std::vector<int> sizes;
  for (std::size_t i = 0; i < problem.blocks.size(); ++i) {
    const GaussProblem::Block& block = problem.blocks[i];
    sizes.push_back(block.rows);
    for (std::size_t k = 0; k < block.parts.size(); ++k) {
      on_group_[static_cast<std::size_t>(block.parts[k].group)].push_back({static_cast<int>(i), static_cast<int>(k)});
      Yt_[i].emplace_back(block.parts[k].J.cols(), block.rows);
    }
  }
  std::vector<std::vector<int>> cliques;
  for (const std::vector<OnGroup>& touching : on_group_) {
    std::vector<int> clique;
    for (const OnGroup& each : touching) clique.push_back(each.block);
    cliques.push_back(std::move(clique));
  }
  ldlt_.analyse(sizes, cliques);
  keep_.assign(static_cast<std::size_t>(problem.row_count()), 1);
}

int RowSystem::form(const GaussProblem& problem, Weight weight, const Eigen::VectorXd* shift) {
  weight_ = weight;
  ldlt_.set_zero();
  for (std::size_t g = 0; g < problem.groups.size(); ++g) {
    const GaussProblem::Group& group = problem.groups[g];
    if (weight == Weight::inverse_mass) {
      Root& root = roots_[g];
      root.M = group.M;
      if (shift) root.M.diagonal() += shift->segment(group.first, group.size);
      root.llt.compute(root.M);
      bool regular = root.llt.info() == Eigen::Success;
      for (Eigen::Index k = 0; regular && k < root.M.rows(); ++k)
        regular = root.llt.matrixLLT()(k, k) * root.llt.matrixLLT()(k, k) > 1e-13 * root.M(k, k);
      if (!regular) return static_cast<int>(g);
    }
    for (std::size_t a = 0; a < on_group_[g].size(); ++a) {
      const OnGroup& i = on_group_[g][a];
      const GaussProblem::Part& part =
          problem.blocks[static_cast<std::size_t>(i.block)].parts[static_cast<std::size_t>(i.part)];
      Eigen::MatrixXd& Yt = Yt_[static_cast<std::size_t>(i.block)][static_cast<std::size_t>(i.part)];
      const GaussProblem::Block& block = problem.blocks[static_cast<std::size_t>(i.block)];
      if (block.one_sided || block.soft)
        Yt.setZero();  // as if it were not there
      else
        Yt = part.J.transpose();  // (1)
      if (weight == Weight::inverse_mass) roots_[g].llt.matrixL().solveInPlace(Yt);
      for (std::size_t b = 0; b <= a; ++b) {
        const OnGroup& j = on_group_[g][b];
        const Eigen::MatrixXd& other = Yt_[static_cast<std::size_t>(j.block)][static_cast<std::size_t>(j.part)];
        ldlt_.add_product(i.block, j.block, Yt.transpose(), other.transpose());
      }
    }
  }
  return -1;
}

void RowSystem::choose_rows(const GaussProblem& problem, double tolerance, std::vector<int>& rows) {
  ldlt_.factor(tolerance * tolerance, problem.tree ? &problem.tree->row_square : nullptr);  // (2)
  rows.clear();
  for (std::size_t row = 0; row < ldlt_.kept().size(); ++row)
    if (ldlt_.kept()[row]) rows.push_back(static_cast<int>(row));
}

bool RowSystem::factor(const std::vector<int>& rows) {
  std::fill(keep_.begin(), keep_.end(), char{0});
  for (const int row : rows) keep_[static_cast<std::size_t>(row)] = 1;
  return ldlt_.factor_kept(keep_);
}

void RowSystem::weigh(const GaussProblem& problem, Eigen::VectorXd& x) const {
  if (weight_ == Weight::one) return;
  for (std::size_t g = 0; g < problem.groups.size(); ++g) {
    auto part = x.segment(problem.groups[g].first, problem.groups[g].size);
    roots_[g].llt.solveInPlace(part);
  }
}

}  // namespace tandem
