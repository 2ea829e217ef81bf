#include "tandem/steady/symmetry.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <algorithm>
#include <random>

#include "tandem/base/larger.hpp"
#include "tandem/base/suggest.hpp"
#include "tandem/integrate/projection.hpp"
#include "tandem/linalg/row_space.hpp"

namespace tandem {

namespace {

using SymmetryKind = SymmetryElement::Kind;

// The axes about which a body is round: one where two moments are equal, three where all are.
std::vector<Vector3> round_axes(const Body& body) {
  if (body.point_mass) return {};
  const Eigen::SelfAdjointEigenSolver<Matrix3> principal(body.inertia);
  const Vector3 moments = principal.eigenvalues();
  const double small = 1e-10 * moments.cwiseAbs().maxCoeff();
  const bool low = moments[1] - moments[0] <= small, high = moments[2] - moments[1] <= small;
  if (low && high) return {Vector3::UnitX(), Vector3::UnitY(), Vector3::UnitZ()};
  if (!low && !high) return {};
  Vector3 axis = principal.eigenvectors().col(low ? 2 : 0);
  Eigen::Index largest = 0;
  axis.cwiseAbs().maxCoeff(&largest);
  if (axis[largest] < 0.0) axis = -axis;
  return {axis};
}

std::vector<SymmetryElement> candidates(const Model& model) {
  std::vector<SymmetryElement> all{{SymmetryKind::time, Vector3::Zero(), world, "time"}};
  constexpr const char* rotations[3] = {"rotation_x", "rotation_y", "yaw"};
  constexpr const char* translations[3] = {"x", "y", "z"};
  constexpr const char* letters[3] = {"_x", "_y", "_z"};
  for (int k = 0; k < 3; ++k) all.push_back({SymmetryKind::rotation, Vector3::Unit(k), world, rotations[k]});
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const std::vector<Vector3> axes = round_axes(model.bodies[i]);
    for (std::size_t k = 0; k < axes.size(); ++k)
      all.push_back({SymmetryKind::spin, axes[k], static_cast<int>(i),
                     fmt::format("{}.spin{}", model.bodies[i].name, axes.size() > 1 ? letters[k] : "")});
  }
  for (int k = 0; k < 3; ++k) all.push_back({SymmetryKind::translation, Vector3::Unit(k), world, translations[k]});
  return all;
}

// Time passes whether it is declared or not.
std::vector<SymmetryElement> wanted_elements(const Model& model) {
  std::vector<SymmetryElement> all = candidates(model);
  if (!model.symmetries) return all;
  std::vector<SymmetryElement> chosen{all.front()};
  Faults faults;
  faults.about_table("steady", model.steady_source);
  std::vector<std::string> names;
  for (const SymmetryElement& element : all) names.push_back(element.name);
  for (std::size_t i = 0; i < model.symmetries->size(); ++i) {
    const std::string& name = (*model.symmetries)[i];
    const auto found = std::find(names.begin() + 1, names.end(), name);
    if (found != names.end())
      chosen.push_back(all[static_cast<std::size_t>(found - names.begin())]);
    else
      faults.error_in(
          fmt::format("symmetry[{}]", i),
          fmt::format("there is no symmetry \"{}\"{}; a body has a spin when two of its moments of inertia are "
                      "equal",
                      name, did_you_mean(name, names)));
  }
  if (faults.any_error()) throw ModelError(std::move(faults));
  return chosen;
}

GroupMotion alone(const SymmetryElement& element, std::size_t bodies) {
  GroupMotion xi;
  xi.spin.assign(bodies, Vector3::Zero());
  if (element.kind == SymmetryKind::time) xi.time = 1.0;
  if (element.kind == SymmetryKind::rotation) xi.rotation = element.axis;
  if (element.kind == SymmetryKind::translation) xi.translation = element.axis;
  if (element.kind == SymmetryKind::spin) xi.spin[static_cast<std::size_t>(element.body)] = element.axis;
  return xi;
}

double unit_of(const SymmetryElement& element, const Scale& scale) {
  if (element.kind == SymmetryKind::time) return scale.time;
  return element.kind == SymmetryKind::translation ? scale.length : 1.0;
}

// Somewhere near, and a little later, that is as good as any other place on the constraints, so that nothing vanishes
// by chance: a force that swings is at its peak for a moment.
State shaken(const Model& model, const State& bodies, unsigned seed) {
  std::mt19937 engine(seed);
  const auto random = [&] { return static_cast<double>(engine()) / 2147483648.0 - 1.0; };
  Workspace workspace(model);
  State state = bodies;
  const Eigen::VectorXd sizes = motion_sizes(model);
  const double time = model.scale.time;
  double speed = 1.0 / time;
  for (const double v : bodies.v().cwiseQuotient(sizes)) keep_larger(speed, std::abs(v));
  state.t += 0.02 * seed / speed;
  Projection projection;
  projection.prepare(model, state, workspace);
  workspace.update(model, state);
  std::vector<int> holonomic;
  for (int row = 0; row < model.rows; ++row)
    if (model.is_holonomic(row)) holonomic.push_back(row);
  const RowSpace rows(dense_rows(model, workspace.rows)(holonomic, Eigen::all), sizes);
  Eigen::VectorXd free(rows.null().cols());
  for (double& x : free) x = random();
  Eigen::VectorXd delta = rows.null() * free;
  const double most = delta.size() > 0 ? delta.cwiseQuotient(sizes).cwiseAbs().maxCoeff() : 0.0;
  if (most > 0.0) delta *= 0.05 / most;
  retract(model, delta, state.q());
  workspace.refresh(model, state);
  projection.project_positions(model, state, workspace);
  for (Eigen::Index k = 0; k < state.v().size(); ++k) state.v()[k] += 0.5 * random() * sizes[k] / time;
  workspace.refresh(model, state);
  projection.project_velocities(model, state, workspace);
  workspace.refresh(model, state);
  workspace.kinematics.read_angles(model, state.angles());
  if (!state.q().allFinite() || !state.v().allFinite() || !(workspace.problem.largest_gap() < tolerances::stalled))
    throw NumericalError("no state nearby");
  return state;
}

// (3) where the response was placed.
Eigen::VectorXd defect(const Model& model, const GroupMotion& xi, Response& response) {
  const Eigen::VectorXd &y = response.solution().y, sizes = motion_sizes(model);
  const double time = model.scale.time;
  const double size = 1.0 / (time * time) + (y.size() > 0 ? y.cwiseQuotient(sizes).cwiseAbs().maxCoeff() : 0.0);
  Eigen::VectorXd out(2 * model.rows + model.nv), phi, rate;
  const Solution& change = response.to(moved_by(model, response.bodies(), xi));
  response.tangent().phi(phi);
  response.tangent().rate(rate);
  for (int row = 0; row < model.rows; ++row) {
    phi[row] /= model.row_size(row);
    rate[row] *= time / model.row_size(row);
  }
  out << phi, rate, (change.y - turned_by(model, y, xi)).cwiseQuotient(sizes) / size;
  return out;
}

// (3) of every element at one state, a column each.
Eigen::MatrixXd defects(const Model& model, const State& bodies, const std::vector<SymmetryElement>& elements,
                        Response& response) {
  response.place(bodies);
  Eigen::MatrixXd out(2 * model.rows + model.nv, static_cast<Eigen::Index>(elements.size()));
  for (std::size_t k = 0; k < elements.size(); ++k)
    out.col(static_cast<Eigen::Index>(k)) =
        unit_of(elements[k], model.scale) * defect(model, alone(elements[k], model.bodies.size()), response);
  // A singular value that is not a number would pass for a symmetry.
  if (!out.allFinite()) throw NumericalError("a force or a constraint has no derivative here");
  return out;
}

// Reduced row echelon form of the null space, so that pure symmetries come out pure; earlier elements lead.
Eigen::MatrixXd echelon(Eigen::MatrixXd null) {
  Eigen::MatrixXd rows = null.transpose();
  Eigen::Index done = 0;
  for (Eigen::Index column = 0; column < rows.cols() && done < rows.rows(); ++column) {
    Eigen::Index pivot = 0;
    if (rows.col(column).tail(rows.rows() - done).cwiseAbs().maxCoeff(&pivot) < 1e-6) continue;
    rows.row(done).swap(rows.row(done + pivot));
    rows.row(done) /= rows(done, column);
    for (Eigen::Index i = 0; i < rows.rows(); ++i)
      if (i != done) rows.row(i) -= rows(i, column) * rows.row(done);
    ++done;
  }
  for (double& x : rows.reshaped())
    if (std::abs(x) < tolerances::coincide) x = 0.0;
  return rows.transpose();
}

// From parts of the machine to metres and seconds; the first entry of a column stays 1.
void to_units(const std::vector<SymmetryElement>& elements, const Scale& scale, Eigen::MatrixXd& basis) {
  for (Eigen::Index column = 0; column < basis.cols(); ++column) {
    double first = 0.0;
    for (std::size_t k = 0; k < elements.size(); ++k) {
      double& x = basis(static_cast<Eigen::Index>(k), column);
      const double unit = unit_of(elements[k], scale);
      if (first == 0.0 && x != 0.0) first = unit;
      if (first != 0.0) x *= unit / first;
    }
  }
}

std::string name_of(const Symmetry& symmetry, Eigen::Index column) {
  const GroupMotion xi = symmetry.element(column, 0);
  const bool spins = [&] {
    for (std::size_t k = 0; k < symmetry.elements.size(); ++k)
      if (symmetry.elements[k].kind == SymmetryKind::spin &&
          symmetry.basis(static_cast<Eigen::Index>(k), column) != 0.0)
        return true;
    return false;
  }();
  if (!spins && xi.time == 0.0 && xi.rotation == Vector3::UnitZ() && xi.translation != Vector3::Zero() &&
      xi.translation.z() == 0.0)
    return fmt::format("yaw about ({:.6g}, {:.6g})", -xi.translation.y(), xi.translation.x());
  std::string name;
  for (std::size_t k = 0; k < symmetry.elements.size(); ++k) {
    const double share = symmetry.basis(static_cast<Eigen::Index>(k), column);
    if (share == 0.0) continue;
    if (!name.empty()) name += share < 0.0 ? " - " : " + ";
    if (std::abs(std::abs(share) - 1.0) > tolerances::coincide) name += fmt::format("{:.6g} ", std::abs(share));
    name += symmetry.elements[k].name;
  }
  return name;
}

}  // namespace

GroupMotion Symmetry::motion(const Eigen::VectorXd& coefficients, std::size_t bodies) const {
  const Eigen::VectorXd shares = basis * coefficients;
  GroupMotion xi;
  xi.spin.assign(bodies, Vector3::Zero());
  for (std::size_t k = 0; k < elements.size(); ++k) {
    const double share = shares[static_cast<Eigen::Index>(k)];
    const SymmetryElement& element = elements[k];
    if (element.kind == SymmetryKind::time) xi.time += share;
    if (element.kind == SymmetryKind::rotation) xi.rotation += share * element.axis;
    if (element.kind == SymmetryKind::translation) xi.translation += share * element.axis;
    if (element.kind == SymmetryKind::spin && bodies > 0)
      xi.spin[static_cast<std::size_t>(element.body)] += share * element.axis;
  }
  return xi;
}

double Symmetry::unit(Eigen::Index column, const Scale& scale) const {
  for (std::size_t k = 0; k < elements.size(); ++k)
    if (basis(static_cast<Eigen::Index>(k), column) != 0.0) return unit_of(elements[k], scale);
  return 1.0;
}

bool Symmetry::time_alone() const { return moves_time && (basis.col(0).tail(basis.rows() - 1).array() == 0.0).all(); }

GroupMotion Symmetry::element(Eigen::Index column, std::size_t bodies) const {
  return motion(Eigen::VectorXd::Unit(dimension(), column), bodies);
}

Direction moved_by(const Model& model, const State& bodies, const GroupMotion& xi) {
  Direction out{Eigen::VectorXd::Zero(model.nv), turned_by(model, bodies.v(), xi), xi.time};
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {  // (1)
    const Body& body = model.bodies[i];
    const Vector3 p = bodies.q().segment<3>(body.q_first + body.nq() - 3);
    out.q.segment<3>(body.v_first + body.nv() - 3) = xi.translation + xi.rotation.cross(p);
    if (body.point_mass) continue;
    const Matrix3 R = rotation_of<double>(Vec4<double>(bodies.q().segment<4>(body.q_first)));
    out.q.segment<3>(body.v_first) = R.transpose() * xi.rotation + xi.spin[i];
  }
  return out;
}

Eigen::VectorXd turned_by(const Model& model, const Eigen::VectorXd& pair, const GroupMotion& xi) {
  Eigen::VectorXd out = Eigen::VectorXd::Zero(model.nv);
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {  // (2)
    const Body& body = model.bodies[i];
    const int linear = body.v_first + body.nv() - 3;
    out.segment<3>(linear) = xi.rotation.cross(Vector3(pair.segment<3>(linear)));
    if (!body.point_mass) out.segment<3>(body.v_first) = -xi.spin[i].cross(Vector3(pair.segment<3>(body.v_first)));
  }
  return out;
}

Direction moved_by_changed(const Model& model, const State& bodies, const Direction& change, const GroupMotion& xi) {
  Direction out{Eigen::VectorXd::Zero(model.nv), turned_by(model, change.v, xi), 0.0};
  for (const Body& body : model.bodies) {
    const int linear = body.v_first + body.nv() - 3;
    out.q.segment<3>(linear) = xi.rotation.cross(Vector3(change.q.segment<3>(linear)));
    if (body.point_mass) continue;
    const Matrix3 R = rotation_of<double>(Vec4<double>(bodies.q().segment<4>(body.q_first)));
    out.q.segment<3>(body.v_first) =
        -Vector3(change.q.segment<3>(body.v_first)).cross(Vector3(R.transpose() * xi.rotation));
  }
  return out;
}

void check_declared_symmetries(const Model& model) { wanted_elements(model); }

double symmetry_defect(const Model& model, const GroupMotion& xi, Response& response) {
  double most = 0.0;
  for (const double off : defect(model, xi, response)) keep_larger(most, std::abs(off));
  return model.scale.time * most;
}

Symmetry find_symmetry(const Model& model, const Setup& setup, const State& bodies) {
  Symmetry out;
  out.elements = wanted_elements(model);
  Response response(model, setup);
  std::vector<Eigen::MatrixXd> parts;
  const auto look = [&](unsigned seed) {
    try {
      parts.push_back(defects(model, shaken(model, bodies, seed), out.elements, response));
    } catch (const NumericalError&) {  // the others have to do
    }
  };
  look(1), look(2);
  // What changes with time may at two times happen to have a motion that is none of its symmetries.
  if (std::any_of(parts.begin(), parts.end(),
                  [](const auto& part) { return part.col(0).cwiseAbs().maxCoeff() > tolerances::symmetry; }))
    for (const unsigned seed : {3U, 4U, 5U, 6U}) look(seed);
  if (parts.empty()) parts.push_back(defects(model, bodies, out.elements, response));
  const auto count = static_cast<Eigen::Index>(out.elements.size());
  Eigen::MatrixXd all(0, count);
  for (const Eigen::MatrixXd& part : parts) {
    all.conservativeResize(all.rows() + part.rows(), count);
    all.bottomRows(part.rows()) = part;
  }
  if (model.symmetries)
    for (Eigen::Index k = 1; k < count; ++k)
      if (!(all.col(k).cwiseAbs().maxCoeff() <= tolerances::symmetry)) {
        Faults faults;
        faults.about_table("steady", model.steady_source);
        faults.error_in(fmt::format("symmetry[{}]", k - 1),
                        fmt::format("\"{}\" is declared a symmetry, but the machine notices it: rows or accelerations "
                                    "change by {:.3g} of their size",
                                    out.elements[static_cast<std::size_t>(k)].name, all.col(k).cwiseAbs().maxCoeff()));
        throw ModelError(std::move(faults));
      }
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(all, Eigen::ComputeFullV);
  Eigen::Index rank = 0;
  while (rank < svd.singularValues().size() && svd.singularValues()[rank] > tolerances::symmetry) ++rank;
  out.basis = echelon(svd.matrixV().rightCols(count - rank));
  to_units(out.elements, model.scale, out.basis);
  out.moves_time = out.dimension() > 0 && out.basis(0, 0) != 0.0;
  for (Eigen::Index k = 0; k < out.dimension(); ++k) out.names.push_back(name_of(out, k));
  return out;
}

}  // namespace tandem
