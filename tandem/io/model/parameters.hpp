// The [parameters] of a model file, and every number written as an expression of them.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tandem/base/faults.hpp"
#include "tandem/base/time_function.hpp"
#include "tandem/io/model/document.hpp"

namespace tandem {

// What numbers and expressions of a document came to, by the node: a number, or a text of t alone.
using Evaluated = std::unordered_map<const Node*, Node>;

class Parameters {
 public:
  using Values = std::vector<std::pair<std::string, Real>>;

  Parameters() = default;
  // Parameters may use each other in any order. `overrides` take the place of what the file says.
  Parameters(const Node* table, const Values& overrides, const std::string& file_name, Faults& faults,
             const ExpressionLimits& limits = {}, Evaluated* evaluated = nullptr);

  Values values() const;

  // The value of a number or of an expression in quotes; nothing when it has none, with the fault told. `label` says
  // in messages what is being read.
  std::optional<Real> number(const Node& node, std::string_view label, Faults& faults) const;
  // The same where the time t may occur.
  std::optional<TimeFunction> function(const Node& node, std::string_view label, Faults& faults) const;

 private:
  enum class State { waiting, in_progress, known, failed };
  struct Entry {
    const Node* node = nullptr;
    State state = State::waiting;
  };

  void add(const Node& node, Faults& faults);
  void override_with(const Values& overrides, const std::string& file_name, Faults& faults);
  void resolve(std::size_t which, std::vector<std::size_t>& chain, Faults& faults);
  bool resolve_used(const Expression& expression, std::vector<std::size_t>& chain, Faults& faults);
  std::optional<Real> evaluated(const Expression& expression, const Node& node, std::string_view label,
                                Faults& faults) const;
  bool uses_failed(const Expression& expression) const;

  std::optional<Real> noted(const Node& node, std::optional<Real> value) const;

  ExpressionLimits limits_{};
  Evaluated* evaluated_ = nullptr;  // filled while reading, if somebody asks
  std::vector<std::string> names_;
  std::vector<Real> values_;
  std::vector<Entry> entries_;
};

// The text of an expression with numbers in the place of these names.
std::string with_numbers(std::string_view text, const Parameters::Values& values);

}  // namespace tandem
