// tandem methods MODEL: a method that is said to solve a model does.
#include <map>

#include "program.hpp"
#include "support/defect_model.hpp"
#include "tandem/io/model/examples.hpp"

namespace tandem::cli_tests {
namespace {

std::map<std::string, std::string> answers(const std::string& model) {  // empty: yes
  std::map<std::string, std::string> out;
  for (const auto& method : json_of("methods " + model + " --json")) {
    EXPECT_EQ(method.at("supported").get<bool>(), method.at("reasons").empty()) << method;
    out[method.at("name")] = method.at("supported").get<bool>() ? "" : method.at("reasons").dump();
  }
  return out;
}

TEST(MethodsOfAModel, AreThoseThatRunIt) {
  std::vector<std::string> models;
  for (const EmbeddedExample& example : embedded_examples()) models.emplace_back(example.name);
  for (const char* defect : {"massless_gimbal", "heavy_globe", "snake_wheels_5", "hooke"})
    models.push_back(defect_file(defect));
  for (const std::string& model : models)
    for (const auto& [method, reasons] : answers(model)) {
      const Result run = tandem_program("run " + model + " --method " + method + " --duration 1e-4 --json 2>/dev/null");
      if (reasons.empty())
        EXPECT_EQ(run.code, 0) << model << " " << method << "\n" << run.output;
      else
        EXPECT_NE(run.code, 0) << model << " " << method << " " << reasons;
    }
}

TEST(MethodsOfAModel, KnowOfTheIntegratorThatTheModelNames) {
  for (const char* model : {"squeezer", "heavy-top"}) {
    const auto found = answers(model);
    EXPECT_EQ(found.at("lagrange"), "") << model;
    EXPECT_NE(found.at("impulses").find("the method impulses steps by semi_implicit_euler"), std::string::npos)
        << model;
  }
  EXPECT_EQ(answers("bicycle").at("impulses"), "");
}

}  // namespace
}  // namespace tandem::cli_tests
