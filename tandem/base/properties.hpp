// Properties: how a joint, constraint, force or drive reads its own keys, whatever the file format.
//
// A missing or ill-typed value is recorded as a fault and a harmless default returned, so that reading goes on and
// all faults are told at once. A key that nobody asked for is refused afterwards, with a suggestion.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tandem/base/faults.hpp"
#include "tandem/base/time_function.hpp"
#include "tandem/base/vectors.hpp"

namespace tandem {

class Properties {
 public:
  virtual ~Properties() = default;

  virtual bool has(std::string_view key) = 0;
  virtual Real number(std::string_view key) = 0;
  virtual Real number(std::string_view key, Real otherwise) = 0;
  virtual Vector3 vector(std::string_view key) = 0;
  virtual Vector3 vector(std::string_view key, const Vector3& otherwise) = 0;
  virtual std::string text(std::string_view key) = 0;
  virtual std::string text(std::string_view key, std::string otherwise) = 0;
  virtual bool flag(std::string_view key, bool otherwise) = 0;
  virtual std::vector<Real> numbers(std::string_view key) = 0;
  virtual std::vector<std::vector<Real>> table(std::string_view key) = 0;
  virtual std::vector<std::string> texts(std::string_view key) = 0;
  virtual TimeFunction function(std::string_view key, Real otherwise) = 0;  // a number or an expression of t
  virtual std::optional<TimeFunction> function_if_given(std::string_view key) = 0;
  virtual std::array<TimeFunction, 3> vector_function(std::string_view key) = 0;

  virtual void fault(std::string_view key, std::string message) = 0;  // `points[2]`: about an entry of a list
  std::optional<Real> number_if_given(std::string_view key) {
    return has(key) ? std::optional<Real>(number(key)) : std::nullopt;
  }
};

}  // namespace tandem
