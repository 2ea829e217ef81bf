// Numbers that must not move but for round-off, whatever becomes of the engine: accelerations, multipliers where they
// are unique, and residuals before projection, of all examples and 200 random mechanisms at three states each. They are
// in golden.txt, of random mechanisms as sums.
//
// When they are meant to change, store the new ones and say so in the commit:
//   TANDEM_STORE_GOLDEN=1 build/tests/tandem_oracle_tests --gtest_filter='Golden*'
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>

#include "oracle/articulated.hpp"
#include "oracle/cases.hpp"
#include "support/how_long.hpp"

namespace tandem::oracle {
namespace {

const std::string golden_file = TANDEM_SOURCE_DIR "/tests/oracle/golden.txt";
constexpr int random_mechanisms = 200;

struct Entry {
  std::string tag;
  Eigen::VectorXd numbers;  // NaN: not unique
  double size = 0.0;        // of what is usual in the machine
  double condition = 1.0;   // what errors grow with
};

// A few numbers that change when any of many does.
Eigen::VectorXd sums(const Eigen::VectorXd& of) {
  Eigen::VectorXd out = Eigen::VectorXd::Zero(2);
  for (Eigen::Index k = 0; k < of.size(); ++k)
    if (!std::isnan(of[k])) {
      out[0] = std::hypot(out[0], of[k]);
      out[1] += std::cos(1.0 + static_cast<double>(k)) * of[k];
    }
  return out;
}

std::vector<Entry> entries(const CaseState& at, const Eigen::VectorXd& y, const Eigen::VectorXd& lambda) {
  const Scale& scale = at.model.scale;
  Eigen::VectorXd unique = lambda;
  double smallest_row = std::numeric_limits<double>::infinity(), largest_row = 1.0;
  for (int k = 0; k < at.model.rows; ++k) {
    if (!at.at.unique[static_cast<std::size_t>(k)]) unique[k] = std::nan("");
    smallest_row = std::min(smallest_row, at.model.row_size(k));
    largest_row = std::max(largest_row, at.model.row_size(k));
  }
  const double kappa = at.at.kappa;
  std::vector<Entry> out{{"y", y, std::max(1.0, scale.length) / (scale.time * scale.time), kappa},
                         {"lambda", unique, scale.energy() / smallest_row, kappa * kappa}};
  if (at.number > 0) {
    out.push_back({"phi", at.before.phi, largest_row, kappa});
    out.push_back({"rate", at.before.rate, largest_row / scale.time, kappa});
  }
  if (at.name.rfind("random-", 0) == 0)
    for (Entry& entry : out) {
      entry.size *= std::sqrt(1.0 + static_cast<double>(entry.numbers.size()));
      entry.numbers = sums(entry.numbers);
    }
  return out;
}

std::string key(const CaseState& at, const std::string& tag) {
  return at.name + " " + std::to_string(at.number) + " " + tag;
}

std::map<std::string, Eigen::VectorXd> stored() {
  std::map<std::string, Eigen::VectorXd> out;
  std::ifstream in(golden_file);
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string name, state, tag;
    words >> name >> state >> tag;
    name.append(" ").append(state).append(" ").append(tag);
    std::vector<double> numbers;
    for (std::string word; words >> word;) numbers.push_back(word == "-" ? std::nan("") : std::stod(word));
    out[name] = Eigen::Map<Eigen::VectorXd>(numbers.data(), static_cast<Eigen::Index>(numbers.size()));
  }
  return out;
}

void store() {
  std::ofstream out(golden_file);
  out << "# Of every example, and of random mechanisms as sums, at three states: the rank, accelerations, multipliers\n"
         "# where they are unique, residuals before projection. Written by\n"
         "#   TANDEM_STORE_GOLDEN=1 build/tests/tandem_oracle_tests --gtest_filter='Golden*'\n";
  out.precision(17);
  visit_cases(random_mechanisms, [&](const CaseState& at) {
    const Answer answer = Engine(at.model).solve(at.bodies);
    out << key(at, "rank") << " " << answer.rank << "\n";
    if (!(at.at.kappa < near_singular)) return;
    for (const Entry& entry : entries(at, answer.y, answer.lambda)) {
      out << key(at, entry.tag);
      for (const double number : entry.numbers)
        if (std::isnan(number))
          out << " -";
        else
          out << " " << number;
      out << "\n";
    }
  });
  ASSERT_TRUE(out.good());
}

void compare_with(const std::map<std::string, Eigen::VectorXd>& golden, const CaseState& at, const Eigen::VectorXd& y,
                  const Eigen::VectorXd& lambda, int rank, const std::string& by) {
  const auto known = golden.find(key(at, "rank"));
  ASSERT_TRUE(known != golden.end()) << key(at, "rank");
  EXPECT_EQ(rank, static_cast<int>(known->second[0])) << key(at, "rank") << ", " << by;
  if (!(at.at.kappa < near_singular)) return;
  for (const Entry& entry : entries(at, y, lambda)) {
    const auto found = golden.find(key(at, entry.tag));
    ASSERT_TRUE(found != golden.end()) << key(at, entry.tag);
    const Eigen::VectorXd& wanted = found->second;
    ASSERT_EQ(entry.numbers.size(), wanted.size()) << key(at, entry.tag);
    double size = entry.size;
    for (const double number : wanted)
      if (!std::isnan(number)) size = std::max(size, std::abs(number));
    for (Eigen::Index k = 0; k < wanted.size(); ++k) {
      ASSERT_EQ(std::isnan(entry.numbers[k]), std::isnan(wanted[k])) << key(at, entry.tag) << " " << k << ", " << by;
      if (std::isnan(wanted[k])) continue;
      EXPECT_LE(std::abs(entry.numbers[k] - wanted[k]), 1e-12 * entry.condition * size)
          << key(at, entry.tag) << " " << k << ", " << by << ": " << entry.numbers[k] << " was " << wanted[k];
    }
  }
}

TEST(Golden, NumbersStayButForRoundOff) {
  if (test::is_set("TANDEM_STORE_GOLDEN")) return store();
  const auto golden = stored();
  ASSERT_FALSE(golden.empty()) << golden_file;
  visit_cases(test::how_many(30, random_mechanisms, random_mechanisms), [&](const CaseState& at) {
    const Answer oracle = Engine(at.model).solve(at.bodies);
    compare_with(golden, at, oracle.y, oracle.lambda, oracle.rank, "the oracle");
    const Solution library = solved_by(at.model, at.bodies, "articulated", "loops", "quasi");
    compare_with(golden, at, library.y, library.lambda, library.rank, "articulated");
  });
}

}  // namespace
}  // namespace tandem::oracle
