// Mechanisms that are almost locked or almost redundant, by every method, on every cut and in all coordinates: no
// signal, no wrong acceleration, no false reason. What is right: support/truncated.hpp.
//
// Two hundred fixed seeds; ten thousand with TANDEM_WEEKLY=1, and one alone with TANDEM_SEED=number.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "support/how_long.hpp"
#include "support/near_locked.hpp"
#include "support/truncated.hpp"
#include "tandem/assemble/counts.hpp"
#include "tandem/base/tolerances.hpp"
#include "tandem/io/model/model_file.hpp"
#include "tandem/simulate.hpp"

namespace tandem::test {
namespace {

constexpr unsigned groups = 20;

class NearLockedMechanism {
 public:
  explicit NearLockedMechanism(unsigned seed)
      : text_(near_locked(seed)), model_(read_model(text_, "near-locked.toml")), counts_(count(model_)) {}

  const Model& model() const { return model_; }
  const std::string& text() const { return text_; }

  // What is wrong with the accelerations that the model's settings give; empty when nothing is.
  std::string fault_of(const std::string& method, const std::string& cut, const std::string& coordinates) {
    Model model = model_;
    model.setup.method = method;
    model.setup.cut = cut;
    model.setup.coordinates = coordinates;
    if (method == "impulses") model.setup.integrator = "semi_implicit_euler";  // the only one it steps by
    std::string refused;
    State bodies = start_state(model_);
    Eigen::VectorXd y;
    try {
      Simulation simulation(model);
      bodies = simulation.bodies();
      y = simulation.solution().y;
    } catch (const std::exception& error) {
      refused = error.what();
    }
    return refused.empty() ? fault_of_answer(method, bodies, y) : fault_of_refusal(method, bodies, refused);
  }

  // `check` counts what is right.
  std::string fault_of_counts() {
    const TruncatedSystem& system = at(start_state(model_));
    const int rank = model_.rows - static_cast<int>(counts_.redundant_rows.size());
    if (rank < least_rank(system) || rank > most_rank(system))
      return fmt::format("{} rows are called redundant, {} to {} are", model_.rows - rank,
                         model_.rows - most_rank(system), model_.rows - least_rank(system));
    return may_be(rank, system) ? "" : "its rank is another, and no row is named as nearly dependent";
  }

 private:
  // Within this factor of the tolerance either rank is right.
  static int least_rank(const TruncatedSystem& system) {
    return system.rank(tolerances::rank * tolerances::nearly_dependent);
  }
  static int most_rank(const TruncatedSystem& system) {
    return system.rank(tolerances::rank / tolerances::nearly_dependent);
  }
  // Either, if `check` names the rows that are nearly dependent.
  bool may_be(int rank, const TruncatedSystem& system) const {
    return rank == system.rank() ||
           std::any_of(counts_.notes.begin(), counts_.notes.end(), [](const std::string& note) {
             return note.find("all but follows from other rows") != std::string::npos;
           });
  }
  // Sweeps meet all rows as they stand, and do not get through where these are almost dependent.
  static bool sweeps_converge(const TruncatedSystem& system) { return system.rank(1e-2) == system.rank(1e-13); }

  const TruncatedSystem& at(const State& bodies) {
    if (!system_ || bodies.q() != bodies_.q() || bodies.v() != bodies_.v()) {
      system_.emplace(model_, bodies);
      bodies_ = bodies;
    }
    return *system_;
  }

  std::string fault_of_answer(const std::string& method, const State& bodies, const Eigen::VectorXd& y) {
    if (!y.allFinite()) return "not finite";
    const TruncatedSystem& system = at(bodies);
    const bool sweeps = method == "impulses";
    if (sweeps && !sweeps_converge(system)) return "";
    const int least = least_rank(system);  // what lies beyond may count or not
    const double doubtful = least < system.singular_values().size() ? system.singular_values()[least] : 0.0;
    std::string faults;
    for (int rank = least; rank <= most_rank(system); ++rank) {
      if (!may_be(rank, system)) continue;
      const TruncatedSystem::Answer right = system.answer(rank);
      if (right.off > 1e-4) {
        faults += fmt::format(" at rank {} a row contradicts others by {:.1e};", rank, right.off);
        continue;
      }
      const double error = system.relative_error(y, right), tolerance = sweeps ? 1e-7 : right.tolerance;
      // Where the condition leaves little to say about accelerations, rows are still met.
      const double row = system.worst_row(y), met = std::max(1e-10, 100.0 * (right.off + doubtful));
      if (error <= tolerance && (sweeps || row <= met)) return "";
      faults += fmt::format(" off by {:.1e} of {:.1e}, a row by {:.1e} of {:.1e}, at rank {};", error, tolerance, row,
                            met, rank);
    }
    return "wrong:" + faults;
  }

  // All masses are positive: accelerations are always determined, unless rows contradict each other.
  std::string fault_of_refusal(const std::string& method, const State& bodies, const std::string& refused) {
    const TruncatedSystem& system = at(bodies);
    if (method == "impulses" && !sweeps_converge(system) && refused.find("sweeps") != std::string::npos) return "";
    // Sweeps go on until rows are met to 1e-12 of their terms, so they notice smaller contradictions.
    const double noticed = method == "impulses" ? 1e-13 : 1e-8;
    for (int rank = least_rank(system); rank <= most_rank(system); ++rank)
      if (system.answer(rank).off > noticed && refused.find("contradict") != std::string::npos) return "";
    return "refused: " + refused;
  }

  std::string text_;
  Model model_;
  Counts counts_;
  State bodies_;
  std::optional<TruncatedSystem> system_;
};

class NearLocked : public ::testing::TestWithParam<unsigned> {};

void expect_right(unsigned seed) {
  NearLockedMechanism mechanism(seed);
  std::string faults;
  const auto look = [&](const std::string& what, const std::string& fault) {
    if (!fault.empty()) faults += fmt::format("{}: {}\n", what, fault);
  };
  look("check", mechanism.fault_of_counts());
  for (const MethodInfo& method : all_methods())
    for (const std::string& cut : method.cuts)
      for (const std::string& coordinates : method.coordinates)
        if (cut == "all" || coordinates == "quasi")
          look(fmt::format("{} {} {}", method.name, cut, coordinates),
               mechanism.fault_of(method.name, cut, coordinates));
  if (!faults.empty()) ADD_FAILURE() << "TANDEM_SEED=" << seed << "\n" << faults << mechanism.text();
}

TEST_P(NearLocked, EveryMethodIsRight) {
  if (const char* alone = std::getenv("TANDEM_SEED")) {
    if (GetParam() != 0) GTEST_SKIP();
    return expect_right(static_cast<unsigned>(std::stoul(alone)));
  }
  const unsigned seeds = how_many(20U, 200U, 10000U);
  for (unsigned seed = GetParam(); seed < seeds; seed += groups) expect_right(seed);
}

// Two remainders that cancelled in their sum; joints as coordinates that lost digits near a singular pose; and five
// whose small singular values Eigen's divide and conquer had wrong, or lost with the heap.
TEST(NearLockedSeeds, ThatOnceWereWrong) {
  for (const unsigned seed : {8053U, 9974U, 650U, 3575U, 3741U, 6208U, 7447U}) expect_right(seed);
}

TEST(NearLockedSeeds, ThatOnceEndedByASignal) {
  for (const unsigned seed : {441U, 493U, 506U, 799U, 1920U}) expect_right(seed);
}

INSTANTIATE_TEST_SUITE_P(Seeds, NearLocked, ::testing::Range(0U, groups));

}  // namespace
}  // namespace tandem::test
