// How accelerations and multipliers answer to a change of the state: every example by every method, cut and set of
// coordinates against differences of a dense solution that shares no code with them.
#include "tandem/steady/response.hpp"

#include <Eigen/LU>
#include <Eigen/QR>
#include <limits>
#include <map>
#include <stdexcept>

#include "support/mechanism.hpp"
#include "support/method_case.hpp"
#include "tandem/assemble/counts.hpp"
#include "tandem/linearize/perturbations.hpp"

namespace tandem::test {
namespace {

using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;

// M y − Jᵀ λ = f, J y = b by LU, over a choice of rows that is kept. λ of the others is zero.
class Dense {
 public:
  Dense(const Model& model, const State& state) : model_(model), M_(mass_matrix(model)) {
    const MatrixXd J = equations(model, state).J;
    if (J.rows() == 0) return;
    Eigen::ColPivHouseholderQR<MatrixXd> qr(J.transpose());
    qr.setThreshold(1e-9);
    const auto& order = qr.colsPermutation().indices();
    for (Index i = 0; i < qr.rank(); ++i) rows_.push_back(static_cast<int>(order[i]));
  }
  Solution at(const State& state) const {
    const Equations<double> here = equations(model_, state);
    const MatrixXd J = here.J(rows_, Eigen::all);
    const Index n = M_.rows(), m = J.rows();
    MatrixXd all = MatrixXd::Zero(n + m, n + m);
    all.topLeftCorner(n, n) = M_;
    all.topRightCorner(n, m) = -J.transpose();
    all.bottomLeftCorner(m, n) = J;
    VectorXd right(n + m);
    right << here.f, here.b(rows_);
    // In long doubles: what its rounding leaves, differences would enlarge.
    using Long = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
    const VectorXd both = Long(all.cast<long double>()).partialPivLu().solve(right.cast<long double>()).cast<double>();
    Solution out;
    out.y = both.head(n);
    out.lambda = VectorXd::Zero(model_.rows);
    out.lambda(rows_) = both.tail(m);
    return out;
  }
  static double relative(const VectorXd& change, const VectorXd& of) {
    return of.size() == 0 ? 0.0 : change.cwiseAbs().maxCoeff() / (1.0 + of.cwiseAbs().maxCoeff());
  }
  // Along a direction, by two central differences; the error is of order four.
  Solution change(const State& state, const Direction& along) const {
    const auto central = [&](double e) {
      const auto moved = [&](double by) {
        State there = state;
        retract(model_, by * along.q, there.q());
        there.v() += by * along.v;
        there.t += by * along.t;
        return at(there);
      };
      const Solution plus = moved(e), minus = moved(-e);
      Solution out;
      out.y = (plus.y - minus.y) / (2.0 * e);
      out.lambda = (plus.lambda - minus.lambda) / (2.0 * e);
      return out;
    };
    // Of steps from rough to fine, what two agree on best: machines are of all sizes and speeds.
    const double length = along.q.norm() + along.v.norm() / (1.0 + state.v().norm());
    const double whole = 4e-3 / (length > 0.0 ? length : 1.0);  // at rest, time alone goes on
    Solution out, before;
    double least = std::numeric_limits<double>::infinity();
    Solution rough = central(whole);
    for (double e = 0.5 * whole; e > 1e-3 * whole; e *= 0.5) {
      const Solution fine = central(e);
      Solution now;
      now.y = (4.0 * fine.y - rough.y) / 3.0;
      now.lambda = (4.0 * fine.lambda - rough.lambda) / 3.0;
      if (before.y.size() > 0) {
        const double apart = relative(now.y - before.y, now.y) + relative(now.lambda - before.lambda, now.lambda);
        if (apart < least) {
          least = apart;
          out = now;
        }
      }
      rough = fine;
      before = now;
    }
    if (!(least < 1e-6)) throw std::runtime_error("no two steps of the differences agree");
    return out;
  }

 private:
  const Model& model_;
  MatrixXd M_;
  std::vector<int> rows_;
};

// An example on its way, directions that stay on its constraints, and what is expected along each.
struct Reference {
  Model model;
  State bodies;
  std::vector<Direction> directions;
  std::vector<Solution> changes;
  std::vector<bool> unique;  // of every multiplier

  explicit Reference(const std::string& example) : model(example_model(example)) {
    Simulation simulation(model);
    advance(simulation, 0.1 * one_second(model), 0.005 * one_second(model));
    bodies = simulation.bodies();
    const Perturbations basis(model, bodies, Symmetry{}, nullptr);
    for (Index k = 0; k < basis.size(); ++k) directions.push_back(basis.direction(k));
    directions.push_back({bodies.v(), simulation.solution().y, 1.0});  // the motion itself
    const Dense dense(model, bodies);
    for (const Direction& along : directions) changes.push_back(dense.change(bodies, along));
    Workspace workspace(model);
    workspace.update(model, bodies);
    unique = uniqueness(model, workspace).rows;
  }
};

const Reference& reference_of(const std::string& example) {
  static std::map<std::string, Reference> all;
  const auto found = all.find(example);
  return found != all.end() ? found->second : all.try_emplace(example, example).first->second;
}

double largest(const VectorXd& x) { return x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0.0; }

class Responses : public testing::TestWithParam<MethodCase> {
 public:
  const Reference& reference = reference_of(GetParam().example);
  const Model model = GetParam().model();
};

TEST_P(Responses, AreTheDerivativesOfAccelerationsAndReactions) {
  Response response(model);
  response.place(reference.bodies);
  const Counts counts = count(reference.model);
  ASSERT_EQ(reference.directions.size(), static_cast<std::size_t>(counts.dof + counts.mobility + 1));
  for (std::size_t k = 0; k < reference.directions.size(); ++k) {
    const Solution& got = response.to(reference.directions[k]);
    const Solution& wanted = reference.changes[k];
    EXPECT_LE(largest(got.y - wanted.y), 2e-9 * (1.0 + largest(wanted.y))) << k;
    for (int row = 0; row < model.rows; ++row) {
      if (!reference.unique[static_cast<std::size_t>(row)]) continue;
      EXPECT_LE(std::abs(got.lambda[row] - wanted.lambda[row]), 2e-9 * (1.0 + largest(wanted.lambda)))
          << k << ", " << model.row_name(row);
    }
  }
}

TEST_P(Responses, AreTheSameByEveryMethodCutAndCoordinates) {
  Response response(model), first(reference.model);
  response.place(reference.bodies);
  first.place(reference.bodies);
  for (const Direction& along : reference.directions) {
    const VectorXd wanted = first.to(along).y;
    EXPECT_LE(largest(response.to(along).y - wanted), 1e-9 * (1.0 + largest(wanted)));
  }
}

// Efforts and driven accelerations as inputs: right sides of any kind.
TEST_P(Responses, SolveTheSameEquationsWithOtherRightSides) {
  Response response(model);
  response.place(reference.bodies);
  Random random(41);
  const MatrixXd J = equations(model, reference.bodies).J, M = mass_matrix(model);
  for (int trial = 0; trial < 3; ++trial) {
    const auto force = random.vector<VectorXd>(model.nv), possible = random.vector<VectorXd>(model.nv);
    const VectorXd rows = J * possible;
    const Solution& got = response.to(force, rows);
    const double size = 1.0 + largest(got.y) + largest(got.lambda);
    EXPECT_LE(largest(J * got.y - rows), 1e-10 * size);
    EXPECT_LE(largest(M * got.y - J.transpose() * got.lambda - force), 1e-10 * size * (1.0 + largest(M.diagonal())));
  }
}

// What was asked before leaves no trace.
TEST_P(Responses, DoNotDependOnWhatWasAskedBefore) {
  Response response(model);
  response.place(reference.bodies);
  const Direction& along = reference.directions.front();
  const VectorXd y = response.to(along).y, lambda = response.to(along).lambda;
  response.to(reference.directions.back());
  EXPECT_EQ(response.to(along).y, y);
  response.place(reference.bodies);
  EXPECT_LE(largest(response.to(along).y - y), 1e-11 * (1.0 + largest(y)));
  EXPECT_LE(largest(response.to(along).lambda - lambda), 1e-11 * (1.0 + largest(lambda)));
}

std::vector<MethodCase> cases() {
  std::vector<MethodCase> all = method_cases();
  std::erase_if(all, [](const MethodCase& each) { return each.method == "impulses"; });
  return all;
}
INSTANTIATE_TEST_SUITE_P(Examples, Responses, testing::ValuesIn(cases()),
                         [](const auto& each) { return method_case_name(each.param); });

TEST(Response, ImpulsesAreRefusedByName) {
  Model model = example_model("bicycle");
  model.setup.method = "impulses";
  try {
    const Response response(model);
    FAIL() << "it was taken";
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("the method impulses has no accelerations to differentiate"),
              std::string::npos)
        << error.what();
  }
}

TEST(Response, ObstaclesOfAMethodAreTold) {
  Model model = example_model("bicycle");
  model.setup.method = "articulated";
  model.setup.cut = "all";
  EXPECT_THROW(Response{model}, ModelError);
}

}  // namespace
}  // namespace tandem::test
