#include "rows.hpp"

#include <fmt/core.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>

#include "table.hpp"
#include "tandem/model/forest.hpp"

namespace tandem::cli {

using Json = nlohmann::ordered_json;

namespace {

// An unknown, and what it is sorted by.
struct Column {
  std::string name, group;
  bool turns_last = false;  // behind all positions
  int owner = 0;
  bool turns = false;
};

// The k-th of a body's own speeds in these coordinates: turns first, as the library has them.
Column body_column(const Model& model, int body, int k, CoordinatesName coordinates) {
  const Body& owner = model.bodies[static_cast<std::size_t>(body)];
  const bool quaternion = coordinates == CoordinatesName::quaternion, euler = coordinates == CoordinatesName::euler312;
  std::vector<const char*> turns{"wx", "wy", "wz"};
  if (quaternion) turns = {"qx", "qy", "qz", "qw"};
  if (euler) turns = {"yaw", "lean", "pitch"};
  if (owner.point_mass) turns.clear();
  const std::vector<const char*> shifts =
      quaternion || euler ? std::vector{"x", "y", "z"} : std::vector{"vx", "vy", "vz"};
  const auto at = static_cast<std::size_t>(k);
  const bool is_turn = at < turns.size();
  const char* part = is_turn ? turns[at] : shifts[at - turns.size()];
  return {fmt::format("{}.{}", owner.name, part), fmt::format("{} {}", body, is_turn), quaternion && is_turn, body,
          is_turn};
}

Column tree_column(const Model& model, const Forest& forest, int speed) {
  const auto node = std::find_if(forest.nodes.begin(), forest.nodes.end(), [&](const Forest::Node& each) {
    return speed >= each.v_first && speed < each.v_first + each.nv;
  });
  const auto owner = static_cast<int>(node - forest.nodes.begin());
  const int k = speed - node->v_first;
  if (node->joint < 0) {
    Column column = body_column(model, node->body, k, CoordinatesName::quasi);
    column.owner = owner;
    return column;
  }
  const ModelJoint& joint = model.joints[static_cast<std::size_t>(node->joint)];
  return {fmt::format("{}.{}", joint.name, joint.joint()->traits().coordinates[static_cast<std::size_t>(k)].name),
          fmt::format("{}", node->tree), false, owner, false};
}

std::vector<Column> columns_of(const Model& model, const Setup& setup, const Workspace& workspace) {
  std::vector<Column> columns;
  if (setup.cut == Cut::loops) {
    const Forest forest = spanning_forest(model);
    for (int i = 0; i < workspace.problem.unknowns(); ++i)
      columns.push_back(tree_column(model, forest, workspace.coordinates->speed_of(i)));
    return columns;
  }
  for (std::size_t body = 0; body < model.bodies.size(); ++body)
    for (int k = 0; k < workspace.problem.groups[body].size; ++k)
      columns.push_back(body_column(model, static_cast<int>(body), k, setup.coordinates));
  return columns;
}

Json json_of_vector(const Eigen::VectorXd& values) { return std::vector<double>(values.begin(), values.end()); }
Json json_of_matrix(const Eigen::MatrixXd& matrix) {
  Json rows = Json::array();
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) rows.push_back(json_of_vector(matrix.row(i).transpose()));
  return rows;
}

// The columns of a matrix side by side as far as a page is wide, groups together.
void print_matrix(const std::string& corner, const std::vector<std::string>& columns,
                  const std::vector<std::string>& groups, const std::vector<std::string>& names,
                  const Eigen::MatrixXd& matrix) {
  constexpr std::size_t widest = 8;
  for (std::size_t first = 0; first < columns.size();) {
    std::size_t last = first;
    for (std::size_t end = first + 1; end <= std::min(columns.size(), first + widest); ++end)
      if (end == columns.size() || groups[end] != groups[end - 1]) last = end;
    if (last == first) last = std::min(columns.size(), first + widest);
    std::vector<std::string> heading{corner};
    heading.insert(heading.end(), columns.begin() + static_cast<std::ptrdiff_t>(first),
                   columns.begin() + static_cast<std::ptrdiff_t>(last));
    Table table(std::move(heading));
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto row = matrix.row(static_cast<Eigen::Index>(i));
      const double size = row.cwiseAbs().maxCoeff();
      std::vector<std::string> cells{names[i]};
      for (std::size_t k = first; k < last; ++k) cells.push_back(number(row[static_cast<Eigen::Index>(k)], size));
      table.row(std::move(cells));
    }
    table.print();
    first = last;
  }
}

}  // namespace

NamedRows::NamedRows(const Model& model, Simulation& simulation) {
  const Setup& setup = simulation.setup();
  const Solution& solution = simulation.reduced_solution();
  lambda = solution.lambda;
  multipliers = simulation.solution().lambda;
  Workspace workspace(model, setup.cut, setup.coordinates);
  workspace.update(model, simulation.state());
  const GaussProblem& problem = workspace.problem;

  const std::vector<Column> found = columns_of(model, setup, workspace);
  std::vector<int> order(found.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int i, int k) {
    const Column &a = found[static_cast<std::size_t>(i)], &c = found[static_cast<std::size_t>(k)];
    return std::tie(a.turns_last, a.owner, a.turns) < std::tie(c.turns_last, c.owner, c.turns);
  });
  const auto size = static_cast<Eigen::Index>(order.size());
  Eigen::MatrixXd picked = Eigen::MatrixXd::Zero(size, size);
  speeds.resize(size);
  for (Eigen::Index i = 0; i < size; ++i) {
    const int unknown = order[static_cast<std::size_t>(i)];
    columns.push_back(found[static_cast<std::size_t>(unknown)].name);
    groups.push_back(found[static_cast<std::size_t>(unknown)].group);
    picked(unknown, i) = 1.0;
    speeds[i] = simulation.state().v()[workspace.coordinates->speed_of(unknown)];
  }
  J = problem.dense_J() * picked;
  M = picked.transpose() * problem.dense_M() * picked;
  f = picked.transpose() * problem.f;
  b = problem.b;
  phi = problem.phi;
  rate = problem.rate;
  std::vector<int> of_model;
  for (int row = 0; row < problem.row_count(); ++row) {
    names.push_back(row_name(model, problem, row));
    in_use.push_back(std::binary_search(problem.rows.begin(), problem.rows.end(), row));
    if (problem.model_row[static_cast<std::size_t>(row)] >= 0) of_model.push_back(row);
  }
  for (int row = 0; row < model.rows; ++row) all_names.push_back(model.row_name(row));
  if (setup.coordinates == CoordinatesName::quaternion) {
    A = -J(of_model, Eigen::all);
    A_b = -b(of_model);
  }
  // Of M with a unit diagonal, so that units do not matter: beyond round-off there is no inverse.
  if (!(M.diagonal().minCoeff() > 0.0)) return;
  const Eigen::VectorXd scale = M.diagonal().cwiseSqrt().cwiseInverse();
  const Eigen::LLT<Eigen::MatrixXd> factor(scale.asDiagonal() * M * scale.asDiagonal());
  const bool regular = factor.info() == Eigen::Success && factor.rcond() > std::numeric_limits<double>::epsilon();
  const Eigen::MatrixXd scaled = J * scale.asDiagonal();
  if (regular) K = scaled * factor.solve(scaled.transpose());
}

Json NamedRows::json() const {
  Json json;
  json["columns"] = columns;
  json["speeds"] = json_of_vector(speeds);
  json["names"] = names;
  json["in_use"] = in_use;
  json["J"] = json_of_matrix(J);
  json["b"] = json_of_vector(b);
  json["lambda"] = json_of_vector(lambda);
  json["position_residual"] = json_of_vector(phi);
  json["velocity_residual"] = json_of_vector(rate);
  json["M"] = json_of_matrix(M);
  json["f"] = json_of_vector(f);
  json["K"] = K.size() > 0 || names.empty() ? json_of_matrix(K) : Json();
  if (A.cols() > 0) json["quirk"] = {{"A", json_of_matrix(A)}, {"b", json_of_vector(A_b)}};
  json["multipliers"] = Json::object();
  for (std::size_t i = 0; i < all_names.size(); ++i)
    json["multipliers"][all_names[i]] = multipliers[static_cast<Eigen::Index>(i)];
  return json;
}

void NamedRows::print() const {
  fmt::print("\n{}  {}\n", bold("Rows"), faint("J y = b, y: the accelerations; M y - J^T lambda = f"));
  print_matrix("speeds", columns, groups, {"V"}, speeds.transpose());
  if (names.empty()) {
    fmt::print("  no rows: joints of the tree carry the coordinates\n");
    return;
  }
  print_matrix("J", columns, groups, names, J);
  Table table({"row", "residual", "its rate", "b", "lambda", ""});
  const auto largest = [](const Eigen::VectorXd& values) { return values.cwiseAbs().maxCoeff(); };
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto at = static_cast<Eigen::Index>(i);
    table.row({names[i], fmt::format("{:.2e}", phi[at]), fmt::format("{:.2e}", rate[at]), number(b[at], largest(b)),
               number(lambda[at], largest(lambda)), in_use[i] ? "" : "not in use"});
  }
  table.print();
  if (A.cols() > 0) {
    const std::vector<std::string> of_model(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(A.rows()));
    fmt::print("\n{}  {}\n", bold("A x'' = b"), faint("as QuIRK writes it: first body minus second, so A = -J"));
    print_matrix("A", columns, groups, of_model, A);
    print_matrix("", {"b"}, {""}, of_model, A_b);
  }
  fmt::print("\n{}  {}\n", bold("K = J M^-1 J^T"), K.size() > 0 ? "" : faint("there is none: M is singular"));
  std::vector<std::string> numbers, one_group(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) numbers.push_back(fmt::format("{}", i + 1));
  if (K.size() > 0) print_matrix("", numbers, one_group, names, K);
}

}  // namespace tandem::cli
