// Islands: bodies that rows join, and those rows. Rows of two islands have no column in common, so what has to be dense
// is dense over an island only; and an island whose rows are all independent needs nothing dense at all.
#pragma once

#include "tandem/dynamics/workspace.hpp"

namespace tandem {

struct Island {
  std::vector<int> bodies, blocks, rows;  // of the model, ascending
  int columns = 0;                        // the speeds of its bodies
};

class Islands {
 public:
  explicit Islands(const Model& model);
  const std::vector<Island>& list() const { return list_; }
  int of_row(int row) const { return of_row_[static_cast<std::size_t>(row)]; }        // into list()
  int local_row(int row) const { return local_row_[static_cast<std::size_t>(row)]; }  // into Island::rows

  // Those with a row that `problem` leaves out because it depends on others.
  std::vector<int> with_dependent_rows(const GaussProblem& problem) const;

  // J of the island's rows, in their order, over the speeds of its bodies. With `in_units` these are those of
  // GaussProblem::unit, for which lengths and angles compare: for questions of rank.
  Eigen::MatrixXd dense_rows(const Model& model, const Rows<double>& rows, const Island& island,
                             bool in_units = false) const;
  // Speeds of all bodies to those of the island, and back.
  Eigen::VectorXd gather(const Model& model, const Island& island, const Eigen::VectorXd& all) const;
  void scatter(const Model& model, const Island& island, const Eigen::VectorXd& own, Eigen::VectorXd& all) const;

 private:
  std::vector<Island> list_;
  std::vector<int> of_body_;             // −1: no row touches it
  std::vector<int> of_row_, local_row_;  // by row of the model
  std::vector<int> first_column_;        // by body
};

}  // namespace tandem
