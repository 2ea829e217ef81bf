#include "tandem/assemble/inertia.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>

#include "tandem/base/tolerances.hpp"
#include "tandem/dynamics/workspace.hpp"
#include "tandem/linalg/block_ldlt.hpp"

namespace tandem {

namespace {

// A moment of inertia below this part of the body's largest is none.
constexpr double least_moment = 1e-14;

struct Weightless {
  int body = 0;
  int first = 0;      // its first column of J N
  Eigen::MatrixXd N;  // speeds of the body × motions without inertia
};

Eigen::MatrixXd null_space(const Body& body) {
  const int turns = body.nv() - 3;
  Eigen::MatrixXd N = Eigen::MatrixXd::Zero(body.nv(), body.nv());
  Eigen::Index found = 0;
  if (turns > 0) {
    const Eigen::SelfAdjointEigenSolver<Mat3<double>> moments(body.inertia);
    for (Eigen::Index k = 0; k < 3; ++k)
      if (!(moments.eigenvalues()[k] > least_moment * moments.eigenvalues()[2]))
        N.col(found++).head<3>() = moments.eigenvectors().col(k);
  }
  for (int k = turns; k < body.nv() && !(body.mass > 0.0); ++k) N(k, found++) = 1.0;
  return N.leftCols(found);
}

// J N over all rows, each scaled to unit length; lengths in parts of the machine's.
class WeightlessRows {
 public:
  WeightlessRows(const Model& model, std::vector<Weightless> bodies) : bodies_(std::move(bodies)), workspace_(model) {
    std::vector<int> of_body(model.bodies.size(), -1);
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      of_body[static_cast<std::size_t>(bodies_[i].body)] = static_cast<int>(i);
      bodies_[i].first = columns_;
      columns_ += static_cast<int>(bodies_[i].N.cols());
    }
    workspace_.update(model, start_state(model));
    for (std::size_t i = 0; i < model.blocks.size(); ++i) {
      const RowBlockInfo& info = model.blocks[i];
      if (info.rows == 0) continue;
      Eigen::MatrixXd J = workspace_.rows.block(i).J;
      for (std::size_t k = 0; k < info.bodies.size(); ++k)
        J.middleCols(6 * static_cast<Eigen::Index>(k) + 3, 3) *=
            model.scale.of_body[static_cast<std::size_t>(info.bodies[k])];
      const Eigen::VectorXd scale =
          J.rowwise().norm().unaryExpr([](double length) { return length > 0.0 ? 1.0 / length : 0.0; });
      std::vector<Part> parts;
      for (std::size_t k = 0; k < info.bodies.size(); ++k) {
        const int which = of_body[static_cast<std::size_t>(info.bodies[k])];
        if (which < 0) continue;
        const Body& body = model.bodies[static_cast<std::size_t>(info.bodies[k])];
        parts.push_back(
            {which, (scale.asDiagonal() * body_columns(body, J.middleCols(6 * static_cast<Eigen::Index>(k), 6)) *
                     bodies_[static_cast<std::size_t>(which)].N)
                        .transpose()});
      }
      if (!parts.empty()) blocks_.push_back(std::move(parts));
    }
  }

  // A motion x with J N x = 0; nothing when there is none but x = 0.
  std::optional<Eigen::VectorXd> free_motion() const {
    BlockLdlt S;
    std::vector<int> sizes;
    std::vector<std::vector<int>> cliques;
    for (const Weightless& body : bodies_) sizes.push_back(static_cast<int>(body.N.cols()));
    for (const std::vector<Part>& parts : blocks_) {
      cliques.emplace_back();
      for (const Part& part : parts) cliques.back().push_back(part.which);
    }
    S.analyse(sizes, cliques);
    S.set_zero();
    for (const std::vector<Part>& parts : blocks_)
      for (std::size_t a = 0; a < parts.size(); ++a)
        for (std::size_t b = 0; b <= a; ++b) S.add_product(parts[a].which, parts[b].which, parts[a].At, parts[b].At);
    // Of a column that should vanish round-off is left; rows are of unit length, so this is far above it.
    const Eigen::VectorXd reference = Eigen::VectorXd::Constant(columns_, 1e-12);
    if (S.factor(tolerances::sure_pivot, &reference) == columns_) return {};
    // S squares J N, so a dropped column is only a suspect: its motion tells.
    for (int column = 0; column < columns_; ++column) {
      if (S.kept()[static_cast<std::size_t>(column)]) continue;
      const Eigen::VectorXd unit = Eigen::VectorXd::Unit(columns_, column);
      Eigen::VectorXd others = times_S(unit);
      S.solve_in_place(others);
      const Eigen::VectorXd x = unit - others;
      if (!(largest_rate(x) > tolerances::least_lever * x.cwiseAbs().maxCoeff())) return x;
    }
    return {};
  }

  // The motion x in words, at the body that takes the largest part in it.
  Fault describe(const Model& model, const Eigen::VectorXd& x) const {
    Eigen::Index largest = 0;
    x.cwiseAbs().maxCoeff(&largest);
    const auto after = std::partition_point(bodies_.begin(), bodies_.end(), [&](const Weightless& each) {
      return each.first <= static_cast<int>(largest);
    });
    const Weightless& body = *(after - 1);
    Eigen::Index speed = 0;
    (body.N * x.segment(body.first, body.N.cols())).cwiseAbs().maxCoeff(&speed);
    const Body& named = model.bodies[static_cast<std::size_t>(body.body)];
    return {.warning = false,
            .where = named.where,
            .object = "",
            .message = workspace_.coordinates->without_inertia(model, named.v_first + static_cast<int>(speed))};
  }

 private:
  struct Part {
    int which = 0;
    Eigen::MatrixXd At;  // (J N)ᵀ of the block and body
  };

  Eigen::VectorXd rates(const std::vector<Part>& parts, const Eigen::VectorXd& x) const {
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(parts.front().At.cols());
    for (const Part& part : parts)
      sum += part.At.transpose() * x.segment(bodies_[static_cast<std::size_t>(part.which)].first, part.At.rows());
    return sum;
  }
  Eigen::VectorXd times_S(const Eigen::VectorXd& x) const {  // S x
    Eigen::VectorXd out = Eigen::VectorXd::Zero(columns_);
    for (const std::vector<Part>& parts : blocks_) {
      const Eigen::VectorXd rate = rates(parts, x);
      for (const Part& part : parts)
        out.segment(bodies_[static_cast<std::size_t>(part.which)].first, part.At.rows()) += part.At * rate;
    }
    return out;
  }
  double largest_rate(const Eigen::VectorXd& x) const {
    double most = 0.0;
    for (const std::vector<Part>& parts : blocks_) most = std::max(most, rates(parts, x).cwiseAbs().maxCoeff());
    return most;
  }

  std::vector<Weightless> bodies_;
  std::vector<std::vector<Part>> blocks_;  // those that touch such a body
  int columns_ = 0;
  Workspace workspace_;
};

}  // namespace

void require_inertia(const Model& model) {
  std::vector<Weightless> bodies;
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (Eigen::MatrixXd N = null_space(model.bodies[i]); N.cols() > 0)
      bodies.push_back({static_cast<int>(i), 0, std::move(N)});  // (1)
  if (bodies.empty()) return;
  const WeightlessRows rows(model, std::move(bodies));
  const std::optional<Eigen::VectorXd> x = rows.free_motion();  // (2)
  if (!x) return;
  Faults faults;
  const Fault fault = rows.describe(model, *x);
  faults.error_at(fault.where, fault.message);
  throw ModelError(std::move(faults));
}

}  // namespace tandem
