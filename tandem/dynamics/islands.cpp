#include "tandem/dynamics/islands.hpp"

#include <algorithm>
#include <numeric>

namespace tandem {

namespace {

std::size_t nth(int i) { return static_cast<std::size_t>(i); }

// The representative of a body's set, with the path to it halved on the way.
int find_root(std::vector<int>& parent, int i) {
  while (parent[nth(i)] != i) i = parent[nth(i)] = parent[nth(parent[nth(i)])];
  return i;
}

}  // namespace

Islands::Islands(const Model& model)
    : of_body_(model.bodies.size(), -1),
      of_row_(nth(model.rows), -1),
      local_row_(nth(model.rows), 0),
      first_column_(model.bodies.size(), 0) {
  std::vector<int> parent(model.bodies.size());
  std::iota(parent.begin(), parent.end(), 0);
  for (const RowBlockInfo& info : model.blocks)
    for (const int body : info.bodies) parent[nth(find_root(parent, body))] = find_root(parent, info.bodies.front());
  std::vector<int> of_root(model.bodies.size(), -1);
  for (std::size_t i = 0; i < model.blocks.size(); ++i) {
    const RowBlockInfo& info = model.blocks[i];
    int lone = -1;  // rows between the world and itself stand alone
    int& number = info.bodies.empty() ? lone : of_root[nth(find_root(parent, info.bodies.front()))];
    if (number < 0) {
      number = static_cast<int>(list_.size());
      list_.emplace_back();
    }
    Island& island = list_[nth(number)];
    island.blocks.push_back(static_cast<int>(i));
    for (int row = info.first_row; row < info.first_row + info.rows; ++row) {
      of_row_[nth(row)] = number;
      local_row_[nth(row)] = static_cast<int>(island.rows.size());
      island.rows.push_back(row);
    }
  }
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const int number = of_root[nth(find_root(parent, static_cast<int>(i)))];
    of_body_[i] = number;
    if (number < 0) continue;
    list_[nth(number)].bodies.push_back(static_cast<int>(i));
    first_column_[i] = list_[nth(number)].columns;
    list_[nth(number)].columns += model.bodies[i].nv();
  }
}

std::vector<int> Islands::with_dependent_rows(const GaussProblem& problem) const {
  std::vector<char> kept(static_cast<std::size_t>(problem.row_count()), 0), found(list_.size(), 0);
  for (const int row : problem.rows) kept[nth(row)] = 1;
  for (const GaussProblem::Block& block : problem.blocks) {
    if (block.one_sided || block.soft) continue;
    for (int row = block.first_row; row < block.first_row + block.rows; ++row) {
      if (kept[nth(row)]) continue;
      const int of_model = problem.model_row[nth(row)];
      const int island = of_model >= 0 ? of_row(of_model) : of_body_[nth(-1 - of_model)];
      if (island >= 0) found[nth(island)] = 1;
    }
  }
  std::vector<int> islands;
  for (std::size_t i = 0; i < found.size(); ++i)
    if (found[i]) islands.push_back(static_cast<int>(i));
  return islands;
}

Eigen::MatrixXd Islands::dense_rows(const Model& model, const Rows<double>& rows, const Island& island,
                                    bool in_units) const {
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(island.rows.size()), island.columns);
  for (const int i : island.blocks) {
    const RowBlockInfo& info = model.blocks[nth(i)];
    if (info.rows == 0) continue;
    for (std::size_t k = 0; k < info.bodies.size(); ++k) {
      const Body& body = model.bodies[nth(info.bodies[k])];
      J.block(local_row(info.first_row), first_column_[nth(info.bodies[k])], info.rows, body.nv()) =
          body_columns(body, rows.block(nth(i)).J.middleCols(6 * static_cast<Eigen::Index>(k), 6));
    }
  }
  for (const int i : island.bodies)
    if (in_units) J.middleCols(first_column_[nth(i)] + model.bodies[nth(i)].nv() - 3, 3) *= model.scale.of_body[nth(i)];
  return J;
}

Eigen::VectorXd Islands::gather(const Model& model, const Island& island, const Eigen::VectorXd& all) const {
  Eigen::VectorXd own(island.columns);
  for (const int i : island.bodies) {
    const Body& body = model.bodies[nth(i)];
    own.segment(first_column_[nth(i)], body.nv()) = all.segment(body.v_first, body.nv());
  }
  return own;
}

void Islands::scatter(const Model& model, const Island& island, const Eigen::VectorXd& own,
                      Eigen::VectorXd& all) const {
  for (const int i : island.bodies) {
    const Body& body = model.bodies[nth(i)];
    all.segment(body.v_first, body.nv()) = own.segment(first_column_[nth(i)], body.nv());
  }
}

}  // namespace tandem
