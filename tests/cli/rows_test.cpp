// tandem evaluate --rows: what is printed, held against the formulas of the literature, written out here.
#include <fmt/format.h>

#include <Eigen/Dense>
#include <set>

#include "cli/program.hpp"

namespace tandem::cli_tests {
namespace {

using Json = nlohmann::json;
using Vector3 = Eigen::Vector3d;
using Matrix3 = Eigen::Matrix3d;

Eigen::VectorXd vector_of(const Json& json) {
  const auto values = json.get<std::vector<double>>();
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}
Eigen::MatrixXd matrix_of(const Json& json) {
  Eigen::MatrixXd out(json.size(), json.empty() ? 0 : json[0].size());
  for (Eigen::Index i = 0; i < out.rows(); ++i) out.row(i) = vector_of(json[static_cast<std::size_t>(i)]).transpose();
  return out;
}
double distance_of(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return std::numeric_limits<double>::infinity();
  return a.size() == 0 ? 0.0 : (a - b).cwiseAbs().maxCoeff<Eigen::PropagateNaN>();
}
Matrix3 skew_of(const Vector3& a) {
  Matrix3 out;
  out << 0.0, -a.z(), a.y(), a.z(), 0.0, -a.x(), -a.y(), a.x(), 0.0;
  return out;
}
Matrix3 box_inertia(double mass, double x, double y, double z) {
  return mass / 12.0 * Vector3(y * y + z * z, x * x + z * z, x * x + y * y).asDiagonal().toDenseMatrix();
}

// Robson, Distance Constraint, (1) to (19), with (12) and (18) as the product that they should be. Both bodies are
// unturned at the start, so that body axes are those of the world.
TEST(RowsOfADistance, AreThoseOfTheNote) {
  const double m1 = 1.0, m2 = 2.0;
  const Matrix3 I1 = box_inertia(m1, 0.4, 0.2, 0.3), I2 = box_inertia(m2, 0.3, 0.3, 0.3);
  const Vector3 x2(1.5, 0.0, 0.0), r1(0.2, 0.1, 0.15), r2 = Vector3(1.35, -0.15, 0.15) - x2;
  const Vector3 d = x2 + r2 - r1, n = d.normalized();
  Eigen::VectorXd V(12), J(12), inverse_mass(12);
  V << 0.0, 1.0, 0.0, 0.0, 0.0, 3.0, 0.0, -0.5, 0.2, 0.0, 0.0, 0.0;  // (1), as the file has it
  J << -n, -r1.cross(n), n, r2.cross(n);                             // (7)
  inverse_mass << Vector3::Constant(1.0 / m1), I1.diagonal().cwiseInverse(), Vector3::Constant(1.0 / m2),
      I2.diagonal().cwiseInverse();                                                     // (3)
  const double K = 1.0 / m1 + 1.0 / m2 + r1.cross(n).dot(I1.inverse() * r1.cross(n)) +  // (16)
                   r2.cross(n).dot(I2.inverse() * r2.cross(n));
  const double impulse = -J.dot(V) / K;         // (12)
  V += inverse_mass.cwiseProduct(J) * impulse;  // (11): the start is brought onto J V = 0
  const Vector3 w1 = V.segment<3>(3), w2 = V.segment<3>(9),
                rate = V.segment<3>(6) + w2.cross(r2) - V.head<3>() - w1.cross(r1);
  // The acceleration of (6), and the force in place of the impulse: J V̇ = b, λ = K⁻¹ (b − J M⁻¹ F_E)
  const double b = -(rate.squaredNorm() - std::pow(n.dot(rate), 2)) / d.norm() -
                   n.dot(w2.cross(w2.cross(r2)) - w1.cross(w1.cross(r1)));
  const Vector3 g(0.0, 0.0, -9.81);
  Eigen::VectorXd force(12);
  force << m1 * g, -w1.cross(I1 * w1), m2 * g, -w2.cross(I2 * w2);
  const double lambda = (b - J.dot(inverse_mass.cwiseProduct(force))) / K;

  for (const char* how : {"", " --method lagrange", " --method udwadia_kalaba", " --method null_space --cut all",
                          " --method impulses", " --cut loops --method lagrange"}) {
    const Json rows = json_of(std::string("evaluate distance --rows --json") + how).at("rows");
    EXPECT_EQ(rows.at("columns"), (Json{"first.vx", "first.vy", "first.vz", "first.wx", "first.wy", "first.wz",
                                        "second.vx", "second.vy", "second.vz", "second.wx", "second.wy", "second.wz"}))
        << how;
    EXPECT_EQ(rows.at("names"), Json{"constraint \"stick\", length"}) << how;
    EXPECT_EQ(rows.at("in_use"), Json{true}) << how;
    EXPECT_LE(distance_of(vector_of(rows.at("speeds")), V), 1e-13) << how;
    EXPECT_LE(distance_of(matrix_of(rows.at("J")), J.transpose()), 1e-14) << how;
    EXPECT_LE(distance_of(matrix_of(rows.at("M")), inverse_mass.cwiseInverse().asDiagonal().toDenseMatrix()), 1e-14);
    EXPECT_LE(distance_of(vector_of(rows.at("f")), force), 1e-12) << how;
    EXPECT_NEAR(rows.at("K")[0][0].get<double>(), K, 1e-13) << how;
    EXPECT_NEAR(rows.at("b")[0].get<double>(), b, 1e-12) << how;
    EXPECT_NEAR(rows.at("lambda")[0].get<double>(), lambda, 1e-11) << how;
    EXPECT_EQ(rows.at("multipliers").at("constraint \"stick\", length"), rows.at("lambda")[0]) << how;
  }
  const std::string text = tandem_program("evaluate distance --rows").output;
  for (const std::string& words :
       {std::string("first.vx"), std::string("second.wz"), std::string("K = J M^-1 J^T"), fmt::format("{:.6g}", K),
        fmt::format("{:.6g}", lambda), fmt::format("{:.6g}", V[1])})
    EXPECT_NE(text.find(words), std::string::npos) << words << "\n" << text;
  EXPECT_EQ(tandem_program("evaluate distance").output.find("K = J"), std::string::npos);
}

struct TurningBody {
  Eigen::Vector4d q;   // x, y, z, w
  Vector3 r, p, v, w;  // p: the point, body axes; w: body axes
  Matrix3 Q() const {
    return (q[3] * q[3] - q.head<3>().squaredNorm()) * Matrix3::Identity() +
           2.0 * q.head<3>() * q.head<3>().transpose() + 2.0 * q[3] * skew_of(q.head<3>());
  }
  Eigen::Matrix<double, 3, 4> T() const {  // ω = T q̇
    Eigen::Matrix<double, 3, 4> out;
    out << 2.0 * (q[3] * Matrix3::Identity() - skew_of(q.head<3>())), -2.0 * q.head<3>();
    return out;
  }
  Eigen::Vector4d q_dot() const { return T().transpose() * w / 4.0; }
};

// QuIRK: columns r_B, r_C, q_B, q_C. In world axes.
void quirk(const TurningBody& B, const TurningBody& C, Eigen::MatrixXd& A, Vector3& b) {
  A.resize(3, 14);
  A << Matrix3::Identity(), -Matrix3::Identity(), -skew_of(B.Q() * B.p) * B.Q() * B.T(),
      skew_of(C.Q() * C.p) * C.Q() * C.T();
  const Matrix3 at_B = skew_of(B.Q() * B.w), at_C = skew_of(C.Q() * C.w);
  b = -at_B * at_B * B.Q() * B.p + at_C * at_C * C.Q() * C.p;
}

const Json quirk_columns{"B.x",  "B.y",  "B.z",  "C.x",  "C.y",  "C.z",  "B.qx",
                         "B.qy", "B.qz", "B.qw", "C.qx", "C.qy", "C.qz", "C.qw"};

TEST(RowsOfABallJoint, AreThoseOfQuirk) {
  const Matrix3 I_B = box_inertia(2.0, 0.4, 0.6, 1.0);
  const Matrix3 I_C = 1.0 / 5.0 * Vector3(0.09 + 0.16, 0.04 + 0.16, 0.04 + 0.09).asDiagonal().toDenseMatrix();
  const Eigen::Vector4d unturned(0.0, 0.0, 0.0, 1.0);
  TurningBody B{unturned, {0.0, 0.0, 0.5}, {0.0, 0.0, -0.5}, Vector3::Zero(), {0.3, -0.2, 1.5}};
  TurningBody C{unturned, {0.0, 0.0, -0.4}, {0.0, 0.0, 0.4}, Vector3::Zero(), {-0.5, 0.8, -1.0}};
  // The speeds of the file part at the ball; an impulse there, on B and against C, brings them together.
  const Matrix3 K = (0.5 + 1.0) * Matrix3::Identity() - skew_of(B.p) * I_B.inverse() * skew_of(B.p) -
                    skew_of(C.p) * I_C.inverse() * skew_of(C.p);
  const Vector3 P = -K.inverse() * (B.w.cross(B.p) - C.w.cross(C.p));
  B.v = P / 2.0;
  C.v = -P;
  B.w += I_B.inverse() * B.p.cross(P);
  C.w -= I_C.inverse() * C.p.cross(P);
  Eigen::MatrixXd A;
  Vector3 b;
  quirk(B, C, A, b);
  Eigen::VectorXd speeds(14);
  speeds << B.v, C.v, B.q_dot(), C.q_dot();
  const Json rows = json_of("evaluate two-body --coordinates quaternion --rows --json").at("rows");
  EXPECT_EQ(rows.at("columns"), quirk_columns);
  EXPECT_LE(distance_of(matrix_of(rows.at("quirk").at("A")), A), 1e-14);
  EXPECT_LE(distance_of(vector_of(rows.at("quirk").at("b")), b), 1e-13);
  EXPECT_LE(distance_of(vector_of(rows.at("speeds")), speeds), 1e-14);
  EXPECT_LE(distance_of(matrix_of(rows.at("K")).topLeftCorner(3, 3), K), 1e-13);
  EXPECT_LE(distance_of(matrix_of(rows.at("J")).topRows(3), -A), 1e-14);
  EXPECT_EQ(rows.at("names").size(), 5U);  // and the lengths of two quaternions
}

class RowsOfAModel : public Folder {};

// Both bodies turned: rows of a joint are in axes of its frame on the first body, here those of B.
TEST_F(RowsOfAModel, OfATurnedBallJointAreThoseOfQuirk) {
  TurningBody B{Eigen::Vector4d(0.1, -0.3, 0.5, 0.8).normalized(),
                {0.2, -0.1, 0.7},
                {0.3, 0.4, -0.2},
                {0.5, -1.0, 2.0},
                {0.7, -0.4, 1.1}};
  TurningBody C{Eigen::Vector4d(-0.6, 0.2, 0.3, 0.4).normalized(),
                Vector3::Zero(),
                {-0.5, 0.1, 0.6},
                Vector3::Zero(),
                {-0.9, 1.3, 0.2}};
  C.r = B.r + B.Q() * B.p - C.Q() * C.p;
  C.v = B.v + (B.Q() * B.w).cross(B.Q() * B.p) - (C.Q() * C.w).cross(C.Q() * C.p);
  const auto list = [](const auto& values) {
    std::string text;
    for (const double value : values) text += fmt::format("{}{:.17g}", text.empty() ? "" : ", ", value);
    return "[" + text + "]";
  };
  std::string model = "format = 1\ngravity = [0, 0, 0]\n";
  for (const auto& [name, body] : {std::pair{"B", B}, std::pair{"C", C}})
    model += fmt::format(
        "[[body]]\nname = \"{}\"\nmass = 1\ninertia = [0.1, 0.2, 0.25]\nposition = {}\nquaternion = {}\nvelocity = {}\n"
        "angular_velocity = {}\n",
        name, list(body.r), list(body.q), list(body.v), list(body.w));
  model += fmt::format(
      "[[joint]]\nname = \"ball\"\ntype = \"spherical\"\nbodies = [\"B\", \"C\"]\nframes = [{{ position = {} }}, {{ "
      "position = {} }}]\n",
      list(B.p), list(C.p));
  write("ball.toml", model);
  const Json answer = json_here("evaluate ball.toml --coordinates quaternion --rows"), &rows = answer.at("rows");
  for (const auto& [name, body] : {std::pair{"B", &B}, std::pair{"C", &C}}) {  // q and -q are the same rotation
    const Eigen::VectorXd used = vector_of(answer.at("bodies").at(name).at("quaternion"));
    if (used.dot(body->q) < 0.0) body->q = -body->q;
    EXPECT_LE(distance_of(used, body->q), 1e-15) << name;
  }
  Eigen::MatrixXd A;
  Vector3 b;
  quirk(B, C, A, b);
  EXPECT_LE(distance_of(B.Q() * matrix_of(rows.at("quirk").at("A")), A), 1e-13);
  EXPECT_LE(distance_of(B.Q() * vector_of(rows.at("quirk").at("b")), b), 1e-12);
}

// By every method, cut and set of coordinates the printed numbers are one system: J V is the velocity residual,
// K = J M⁻¹ Jᵀ, and K λ = b − J M⁻¹ f for rows that all hold.
TEST_F(RowsOfAModel, AreOneSystemHoweverTheyAreSolved) {
  for (const char* model : {"bicycle", "four-bar", "slider-crank", "chain", "swimmer"})
    for (const char* how :
         {"", " --method lagrange", " --method lagrange --cut loops", " --method udwadia_kalaba",
          " --method null_space", " --method impulses", " --coordinates quaternion", " --coordinates euler312"}) {
      const std::string where = std::string(model) + how;
      const Json rows = json_of("evaluate " + where + " --rows --json").at("rows");
      const Eigen::MatrixXd J = matrix_of(rows.at("J")), M = matrix_of(rows.at("M"));
      const std::size_t columns = rows.at("columns").size();
      ASSERT_EQ(static_cast<std::size_t>(M.cols()), columns) << where;
      EXPECT_EQ(std::set<std::string>(rows["columns"].begin(), rows["columns"].end()).size(), columns) << where;
      EXPECT_EQ(rows.at("names").size(), static_cast<std::size_t>(J.rows())) << where;
      EXPECT_EQ(rows.at("speeds").size(), columns) << where;
      EXPECT_FALSE(rows.at("multipliers").empty()) << where;
      if (J.rows() == 0) continue;
      if (rows.at("K").is_null()) {
        EXPECT_LT(Eigen::FullPivLU<Eigen::MatrixXd>(M).rank(), M.cols()) << where;
        continue;
      }
      const Eigen::MatrixXd inverse = M.inverse(), K = matrix_of(rows.at("K"));
      EXPECT_LE(distance_of(K, J * inverse * J.transpose()), 1e-9 * K.cwiseAbs().maxCoeff()) << where;
      const Eigen::VectorXd free = J * inverse * vector_of(rows.at("f")), b = vector_of(rows.at("b"));
      const double size = 1.0 + b.cwiseAbs().maxCoeff() + free.cwiseAbs().maxCoeff();
      EXPECT_LE(distance_of(K * vector_of(rows.at("lambda")), b - free), 1e-8 * size) << where;
      const double off = distance_of(J * vector_of(rows.at("speeds")), vector_of(rows.at("velocity_residual")));
      const bool moved_by_time = std::string(model) == "slider-crank" || std::string(model) == "swimmer";
      EXPECT_TRUE(off <= 1e-10 || moved_by_time) << where << ": " << off;
    }
}

TEST_F(RowsOfAModel, SaysWhereThereIsNoInverseOfTheMass) {
  write(
      "light.toml",
      "format = 1\n[[body]]\nname = \"link\"\nmass = 0\ninertia = [0, 0, 0]\nposition = [0, 0, -0.5]\n[[body]]\nname = "
      "\"bob\"\nmass = 1\ninertia = [1, 1, 1]\nposition = [0, 0, -1]\n[[joint]]\nname = \"pin\"\ntype = \"revolute\"\n"
      "bodies = [\"world\", \"link\"]\npoint = [0, 0, 0]\naxis = [0, 1, 0]\n[[joint]]\nname = \"weld\"\ntype = "
      "\"fixed\"\nbodies = [\"link\", \"bob\"]\n");
  EXPECT_EQ(json_here("evaluate light.toml --method lagrange --rows").at("rows").at("K"), nullptr);
  EXPECT_TRUE(says(here("evaluate light.toml --method lagrange --rows"), "there is none: M is singular"));
}

}  // namespace
}  // namespace tandem::cli_tests
