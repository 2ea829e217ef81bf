// A model with a number that it should not have, followed for some steps: what became of it.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "tandem/model/model.hpp"

namespace tandem {

struct InjectedEnd {
  std::string outcome{};  // refused, refused at the start, failed at the start, failed, stopped, finished, running
  std::string told{};     // why
  std::string trouble{};  // what must not be: a row that is not finite, an end without a reason; empty when all is well
};

// Reads or builds the model and follows it. Ends the program, with the name of the case, when there is no end to it.
InjectedEnd follow(const std::string& name, const std::function<Model()>& make);

// The models that carry the numbers: small machines that run.
std::vector<std::filesystem::path> carriers();
std::string text_of(const std::filesystem::path& path);

}  // namespace tandem
