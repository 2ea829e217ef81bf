// Every example by every method, on every cut and in all coordinates that the method declares: for parametrised tests.
#pragma once

#include <ostream>

#include "support/example_model.hpp"
#include "support/how_long.hpp"
#include "tandem/methods/method.hpp"

namespace tandem {

struct MethodCase {
  std::string example, method, cut, coordinates;
  friend void PrintTo(const MethodCase& c, std::ostream* out) {
    *out << c.example << " " << c.method << " " << c.cut << " " << c.coordinates;
  }
  Model model() const {
    Model out = example_model(example);
    out.setup.method = method;
    out.setup.cut = cut;
    out.setup.coordinates = coordinates;
    if (method == "impulses") out.setup.integrator = "semi_implicit_euler";  // the only one it steps by
    return out;
  }
};

inline std::vector<MethodCase> all_method_cases() {
  std::vector<MethodCase> cases;
  for (const EmbeddedExample& example : embedded_examples())
    for (const MethodInfo& method : all_methods())
      for (const std::string& cut : method.cuts)
        for (const std::string& coordinates : method.coordinates)
          if (cut == "all" || coordinates == "quasi")
            cases.push_back({std::string(example.name), method.name, cut, coordinates});
  return cases;
}

// One in five, among which every example and every way still is (agreement/methods_test.cpp).
inline std::vector<MethodCase> few_method_cases() {
  const std::vector<MethodCase> all = all_method_cases();
  std::vector<MethodCase> cases;
  for (std::size_t i = 0; i < all.size(); i += 5) cases.push_back(all[i]);
  return cases;
}
// For tests that take long: all of them, with TANDEM_SHORT=1 a few.
inline std::vector<MethodCase> method_cases() { return test::shortened() ? few_method_cases() : all_method_cases(); }

inline std::string method_case_name(const MethodCase& c) {
  std::string name = c.example + "_" + c.method + "_" + c.cut + "_" + c.coordinates;
  for (char& letter : name)
    if (letter == '-') letter = '_';
  return name;
}

}  // namespace tandem
