// Reads one table of a model file: the Properties of joints, constraints, forces and drives, and what the reader of
// bodies and placements needs beside. Keeps the place of every key, which keys were asked for, and which are at fault.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tandem/base/properties.hpp"
#include "tandem/io/model/document.hpp"
#include "tandem/io/model/parameters.hpp"

namespace tandem {

class TableReader final : public Properties {
 public:
  TableReader(const Node& table, const Parameters& parameters, Faults& faults);

  bool has(std::string_view key) override { return find(key) != nullptr; }
  Real number(std::string_view key) override;
  Real number(std::string_view key, Real otherwise) override;
  Vector3 vector(std::string_view key) override;
  Vector3 vector(std::string_view key, const Vector3& otherwise) override;
  std::string text(std::string_view key) override;
  std::string text(std::string_view key, std::string otherwise) override;
  bool flag(std::string_view key, bool otherwise) override;
  std::vector<Real> numbers(std::string_view key) override;
  std::vector<std::vector<Real>> table(std::string_view key) override;
  std::vector<std::string> texts(std::string_view key) override;
  TimeFunction function(std::string_view key, Real otherwise) override;
  std::optional<TimeFunction> function_if_given(std::string_view key) override;
  std::array<TimeFunction, 3> vector_function(std::string_view key) override;
  // About a key that is not given it is told by finish(), unless a key much like it is.
  void fault(std::string_view key, std::string message) override;

  // Nothing when the key is not given or its value is at fault.
  std::optional<Real> optional_number(std::string_view key);
  std::optional<Vector3> optional_vector(std::string_view key);
  std::vector<Vector3> vectors(std::string_view key);  // a list of points; empty when not given

  const Node* find(std::string_view key);  // and remember that it was asked for
  const Node& node() const { return table_; }
  const Parameters& parameters() const { return parameters_; }
  Faults& faults() { return faults_; }
  Source& source() { return source_; }

  void fault_at(const Location& where, std::string_view key, std::string message);
  // What stands under `given` also answers for `key` in later messages: body for bodies.
  void also_known_as(std::string_view given, std::string_view key);
  void refuse(std::string_view key) { source_.refused.emplace(key); }
  // After everything was asked for: tells of missing keys, and of unknown ones if all that could be asked was.
  void finish(bool all_keys_asked = true);
  bool is_sound() const { return source_.refused.empty(); }

 private:
  void refuse_unknown_keys();
  const Node* find_list(std::string_view key);  // a list, or nothing with the fault told
  // `label` says in messages what is read, which may be one entry of the key's list.
  std::optional<std::vector<Real>> numbers_of(const Node& list, std::string_view key, std::string_view label);
  std::optional<Vector3> vector_of(const Node& node, std::string_view key, std::string_view label);
  const Node* require(std::string_view key);
  std::optional<std::string> text_of(const Node& node, std::string_view key);

  const Node& table_;
  const Parameters& parameters_;
  Faults& faults_;
  Source source_;
  std::vector<std::string> asked_;
  std::vector<std::pair<std::string, std::string>> missing_;  // key and message
};

}  // namespace tandem
