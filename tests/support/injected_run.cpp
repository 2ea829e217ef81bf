#include "support/injected_run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>

#include "tandem/io/record.hpp"
#include "tandem/run.hpp"

namespace tandem {

namespace fs = std::filesystem;

namespace {

// More than any carrier takes; a number that was put in may ask for any number of them.
constexpr int most_advances = 20;
constexpr unsigned longest_seconds = 60;  // on a busy machine, with sanitizers

std::string current;

void tell_and_end(int) {
  const std::string told = fmt::format("no end within {} s: {}\n", longest_seconds, current);
  [[maybe_unused]] const auto written = write(STDERR_FILENO, told.data(), told.size());
  _exit(1);
}

struct Watch {
  explicit Watch(const std::string& name) {
    current = name;
    std::signal(SIGALRM, tell_and_end);
    alarm(longest_seconds);
  }
  ~Watch() { alarm(0); }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
};

InjectedEnd follow_in_time(const Model& model) {
  Simulation simulation(model);
  InjectedEnd out;
  RunOptions options;
  options.on_row = [&](Simulation& at, const HealthRow& health) {
    std::vector<double> row;
    record_values(model, at, health, row);
    if (!std::all_of(row.begin(), row.end(), [](double value) { return std::isfinite(value); }))
      out.trouble = fmt::format("the row at t = {} is not finite", row[0]);
  };
  Run run(model, simulation, options);
  for (int i = 0; i < most_advances && run.advance();) ++i;
  out.outcome = status_name(run.status());
  out.told = run.reason();
  if (run.status() == RunStatus::failed && !out.told.starts_with("at t = ")) out.trouble = "failed without a time";
  return out;
}

// A fault of a file has its place, one of C++ the name of the object; some are of the model as a whole.
InjectedEnd refusal(const char* outcome, const ModelError& error) {
  InjectedEnd out{outcome, error.what(), ""};
  const auto& list = error.faults().list();
  const bool any = std::any_of(list.begin(), list.end(), [](const Fault& fault) { return !fault.warning; });
  if (!any) out.trouble = "refused without a reason";
  for (const char* word : {"off by nan", "off by -nan"})
    if (out.told.find(word) != std::string::npos) out.trouble = "a reason that says nothing";
  return out;
}

}  // namespace

InjectedEnd follow(const std::string& name, const std::function<Model()>& make) {
  const Watch watch(name);
  std::optional<Model> model;
  try {
    model.emplace(make());
  } catch (const ModelError& error) {
    return refusal("refused", error);
  }
  try {
    return follow_in_time(*model);
  } catch (const ModelError& error) {
    return refusal("refused at the start", error);
  } catch (const NumericalError& error) {
    return {"failed at the start", error.what(), ""};
  }
}

std::vector<fs::path> carriers() {
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(TANDEM_SOURCE_DIR "/tests/injection/carriers"))
    out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace tandem
