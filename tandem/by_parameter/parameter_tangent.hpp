// Where the two builds of the reader and the kernels meet: derivatives by one of [parameters], by dual numbers. The
// model is read again from its text, this time with duals for its numbers (base/scalar.hpp, Real), and each formula
// carries the derivative along. Nothing of either build passes here: texts and doubles alone.
//
//   (1)  at fixed q, v, y, λ:   force′ = (f + Jᵀ λ − M y)′,   rows′ = (b − J y)′,   φ′,   rate′ = (J v + φ_t)′
// and the readings and outputs of a linearisation. A direction of the state may be given too; then ′ is along both.
#pragma once

#include <Eigen/Core>
#include <string>
#include <utility>
#include <vector>

namespace tandem_exchange {

struct Question {
  std::string text, file;
  std::vector<std::pair<std::string, double>> set{};  // in the place of [parameters], as when the model was read
  std::string parameter{};                            // empty: along the state alone
  double value = 0.0;                                 // of the parameter
  double t = 0.0;
  Eigen::VectorXd q{}, v{}, angles{};  // of State
  Eigen::VectorXd y{}, lambda{};
  Eigen::VectorXd along_q{}, along_v{};  // of Direction; empty: none
  double along_t = 0.0;
  std::vector<std::string> states{}, outputs{};  // that linearize was asked for
};

struct Answer {
  Eigen::VectorXd force, rows, phi, rate;  // (1)
  Eigen::Matrix3Xd readings;               // value, rate and acceleration of every reading (linearize/readings.hpp)
  Eigen::VectorXd outputs;
  Eigen::VectorXd machine;  // the machine itself at the state, without derivatives: both builds must see the same
};

}  // namespace tandem_exchange

namespace tandem_on_duals {

// Throws std::runtime_error when the text cannot be read.
tandem_exchange::Answer parameter_tangent(const tandem_exchange::Question& question);

}  // namespace tandem_on_duals
