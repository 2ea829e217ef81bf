// Setup: how a machine is solved, as against Model, which is the machine.
//
//   Setup setup = model.setup;                // what its file asks for
//   setup.method = MethodName::articulated;   // or "articulated"; an unknown word throws std::invalid_argument
//   Simulation simulation(model, setup);
//
// Words of files and commands are read once, here; beyond this they are enumerators.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tandem/base/faults.hpp"

namespace tandem {

enum class MethodName { automatic, lagrange, udwadia_kalaba, articulated, null_space, impulses };
enum class IntegratorName { automatic, rk4, euler, semi_implicit_euler, dopri5, dop853, herk, implicit };
enum class Stabilisation { projection, plain_projection, baumgarte, none };
enum class CoordinatesName { quasi, quaternion, euler312 };  // of bodies that float
enum class Cut { automatic, all, loops };                    // every body floats; joints of a tree carry coordinates

// The words of a choice, in the order of its enumerators; what may be left open has the empty word.
template <class E> struct Words;
template <> struct Words<MethodName> {
  static constexpr std::string_view what = "method";
  static constexpr std::string_view list[] = {"auto",        "lagrange",   "udwadia_kalaba",
                                              "articulated", "null_space", "impulses"};
};
template <> struct Words<IntegratorName> {
  static constexpr std::string_view what = "integrator";
  static constexpr std::string_view list[] = {"",       "rk4",    "euler", "semi_implicit_euler",
                                              "dopri5", "dop853", "herk",  "implicit"};
};
template <> struct Words<Stabilisation> {
  static constexpr std::string_view what = "stabilisation";
  static constexpr std::string_view list[] = {"projection", "plain_projection", "baumgarte", "none"};
};
template <> struct Words<CoordinatesName> {
  static constexpr std::string_view what = "coordinates";
  static constexpr std::string_view list[] = {"quasi", "quaternion", "euler312"};
};
template <> struct Words<Cut> {
  static constexpr std::string_view what = "cut";
  static constexpr std::string_view list[] = {"", "all", "loops"};
};

// Its place in the list; throws std::invalid_argument with a suggestion.
int find_word(std::string_view what, std::span<const std::string_view> list, std::string_view word);
// Without the empty one.
std::vector<std::string> words_of(std::span<const std::string_view> list);

// An enumerator that can be given by its word. It has no comparison with words: those are for people.
template <class E> class Choice {
 public:
  Choice(E value) : value_(value) {}
  Choice(std::string_view word) : value_(static_cast<E>(find_word(Words<E>::what, Words<E>::list, word))) {}
  Choice(const std::string& word) : Choice(std::string_view(word)) {}
  Choice(const char* word) : Choice(std::string_view(word)) {}
  operator E() const { return value_; }
  std::string_view word() const { return Words<E>::list[static_cast<std::size_t>(value_)]; }

 private:
  E value_;
};
template <class E> std::string_view word_of(E value) { return Choice<E>(value).word(); }

// Of the method impulses.
struct ImpulseOptions {
  int iterations = 20;     // sweeps over all blocks in a sub-step
  int substeps = 1;        // in a step
  double baumgarte = 0.0;  // fraction of the position error taken out by the velocities of a sub-step
  int position_iterations = 10;
  double slop = 0.0;                // position error that is left alone (metres, radians)
  double largest_correction = 0.2;  // of a row in one iteration, in parts of the machine's length, radians
  bool warm_start = true;
  Source source{};
};

struct Setup {
  Choice<MethodName> method = MethodName::automatic;              // a fixed rule of model and setup: choose.hpp
  Choice<IntegratorName> integrator = IntegratorName::automatic;  // the method's own, rk4 or semi_implicit_euler
  Choice<Stabilisation> stabilisation = Stabilisation::projection;
  Choice<CoordinatesName> coordinates = CoordinatesName::quasi;
  Choice<Cut> cut = Cut::automatic;  // the one the method prefers
  std::optional<double> alpha{};     // of Baumgarte; without them they are chosen: baumgarte.hpp
  std::optional<double> beta{};
  double tolerance = 1e-9;  // of adaptive integrators: error of a step, relative and in parts of the machine
  ImpulseOptions impulses{};
  double step = 0.01;
  double max_step = std::numeric_limits<double>::infinity();  // no integrator steps further
  double duration = 10.0;                                     // of a run that is not told another one
  // Filled by resolve(): whether the rule chose the method, and what kept it from the recursion along the tree.
  bool chosen = false;
  std::string kept_from_tree;
  bool chosen_constants = false;  // alpha and beta, by Simulation

  bool by_impulses() const { return method == MethodName::impulses; }
  bool has_baumgarte() const { return stabilisation == Stabilisation::baumgarte && !by_impulses(); }
  bool projects() const {
    return stabilisation == Stabilisation::projection || stabilisation == Stabilisation::plain_projection;
  }
};

// Numbers that cannot be, each with the key it has in a file.
struct SetupFault {
  bool of_impulses = false;  // of [simulation.impulses]
  std::string_view key;
  std::string text;
};
std::vector<SetupFault> setup_faults(const Setup& setup);

}  // namespace tandem
