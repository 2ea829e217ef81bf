// tandem bench: what an evaluation and a step cost here, each checked in the same run. Peers: make bench.
#include <fmt/core.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "bench/mechanisms.hpp"
#include "bench/tandem_jobs.hpp"
#include "commands.hpp"
#include "table.hpp"
#include "tandem/version.hpp"

namespace tandem::cli {

namespace {

struct BenchArguments {
  std::vector<std::string> jobs;
  std::string write;
  int rounds = 3;
  double seconds = 0.1;
  bool json = false, list = false;
};

using bench::Job;
using bench::Measurement;

#ifdef __clang__
constexpr const char* compiler = "clang " __clang_version__;
#else
constexpr const char* compiler = "g++ " __VERSION__;
#endif

// Those whose names hold one of the words; without words all but the largest.
std::vector<Job> chosen(const BenchArguments& arguments) {
  std::vector<Job> jobs;
  for (Job& job : bench::tandem_jobs()) {
    bool wanted = arguments.jobs.empty() && !job.name.starts_with("memory");
    for (const std::string& word : arguments.jobs)
      wanted |= (" " + job.name + " ").find(" " + word + " ") != std::string::npos;
    if (wanted) jobs.push_back(std::move(job));
  }
  if (jobs.empty())
    throw UsageError(
        fmt::format("there is no job or mechanism \"{}\"; see: tandem bench --list", arguments.jobs.front()));
  return jobs;
}

// The best of several rounds.
std::vector<Measurement> measure(const Job& job, const BenchArguments& arguments) {
  std::vector<Measurement> best = job.run(arguments.seconds);
  for (int round = 1; round < arguments.rounds; ++round) {
    const std::vector<Measurement> again = job.run(arguments.seconds);
    for (std::size_t i = 0; i < best.size(); ++i) best[i].seconds = std::min(best[i].seconds, again[i].seconds);
  }
  return best;
}

nlohmann::ordered_json json_of(const Measurement& found) {
  nlohmann::ordered_json json{{"job", found.job},     {"mechanism", found.mechanism}, {"engine", "tandem"},
                              {"how", found.how},     {"seconds", found.seconds},     {"error", found.error},
                              {"limit", found.limit}, {"right", found.right()}};
  for (const auto& [name, value] : found.also) json[name] = value;
  return json;
}

void write_mechanisms(const std::string& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  for (const std::string& name : bench::shared_mechanisms()) {
    bench::Mechanism mechanism = bench::make_mechanism(name);
    bench::add_answers(mechanism);
    try {
      bench::write(mechanism, (std::filesystem::path(folder) / (name + ".mech")).string());
    } catch (const std::runtime_error& error) {
      throw FileError(error.what());
    }
  }
}

void run_bench(const BenchArguments& arguments) {
  if (arguments.list) {
    nlohmann::ordered_json names = nlohmann::ordered_json::array();
    for (const Job& job : bench::tandem_jobs()) {
      names.push_back(job.name);
      if (!arguments.json) fmt::print("{}\n", job.name);
    }
    if (arguments.json) print_json(std::move(names));
    return;
  }
  if (!arguments.write.empty()) {
    write_mechanisms(arguments.write);
    if (arguments.json) print_json({{"folder", arguments.write}});
    return;
  }
  nlohmann::ordered_json results = nlohmann::ordered_json::array();
  Table table({"job", "mechanism", "how", "us", "per second", "error", ""});
  bool all_right = true;
  for (const Job& job : chosen(arguments))
    for (const Measurement& found : measure(job, arguments)) {
      all_right &= found.right();
      results.push_back(json_of(found));
      table.row({found.job, found.mechanism, found.how, fmt::format("{:.4g}", 1e6 * found.seconds),
                 fmt::format("{:.4g}", 1.0 / found.seconds), fmt::format("{:.1e}", found.error),
                 found.right() ? "right" : "WRONG"});
    }
  if (arguments.json)
    print_json(
        {{"version", TANDEM_VERSION}, {"compiler", compiler}, {"flags", TANDEM_COMPILE_FLAGS}, {"results", results}});
  else
    table.print();
  if (!all_right) throw failed_with(numerical_failure, "untrusted", "an answer is wrong");
}

}  // namespace

void add_bench(CLI::App& app) {
  CLI::App* command = app.add_subcommand("bench", "What evaluations and steps cost on this machine, each checked");
  auto arguments = std::make_shared<BenchArguments>();
  command->add_option("jobs", arguments->jobs, "only these jobs or mechanisms (see: --list)")->type_name("WORD");
  command->add_option("--rounds", arguments->rounds, "rounds, of which the best counts")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_option("--seconds", arguments->seconds, "CPU time of a job in a round")
      ->check(CLI::Range(0.001, 1000.0))
      ->capture_default_str();
  command->add_flag("--list", arguments->list, "list the jobs");
  command->add_option("--write", arguments->write, "write the mechanisms and right answers for other engines")
      ->type_name("FOLDER");
  command->add_flag("--json", arguments->json, "print JSON for machines");
  command->footer(
      "Examples:\n  tandem bench\n  tandem bench --json > tandem.json\n  tandem bench forward --rounds 5\n"
      "  tandem bench humanoid bicycle\n\n"
      "Compared with other engines: make bench");
  command->callback([arguments] { run_bench(*arguments); });
}

}  // namespace tandem::cli
