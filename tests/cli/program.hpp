// What the tests of the program share: running it, killing it, and a folder of their own.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>

namespace tandem::cli_tests {

namespace fs = std::filesystem;

struct Result {
  int code = -1;
  std::string output;
};

// What a command of the shell prints to its standard output.
inline Result shell(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  Result result;
  std::array<char, 4096> buffer{};
  while (std::fgets(buffer.data(), static_cast<int>(buffer.size()), pipe) != nullptr) result.output += buffer.data();
  const int status = pclose(pipe);
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

inline std::string program() { return std::string("\"") + TANDEM_PROGRAM + "\" "; }
inline Result tandem_program(const std::string& arguments) { return shell(program() + arguments); }

inline nlohmann::json json_of(const std::string& arguments) {
  const Result result = tandem_program(arguments);
  EXPECT_EQ(result.code, 0) << result.output;
  return nlohmann::json::parse(result.output, nullptr, false);
}

// The program in a process of its own, which can get signals.
class Process {
 public:
  // Its standard output goes to a file.
  Process(const std::string& arguments, const std::string& output) {
    std::istringstream words(arguments);
    std::vector<std::string> list{TANDEM_PROGRAM};
    for (std::string word; words >> word;) list.push_back(word);
    std::vector<char*> pointers;
    for (std::string& word : list) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    id_ = fork();
    if (id_ != 0) return;
    const int out = open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666), none = open("/dev/null", O_WRONLY);
    dup2(out, STDOUT_FILENO);
    dup2(none, STDERR_FILENO);
    execv(pointers[0], pointers.data());
    _exit(127);
  }
  ~Process() {
    if (id_ > 0 && !ended_) {
      send(SIGKILL);
      wait();
    }
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t id() const { return id_; }
  void send(int signal) const { kill(id_, signal); }
  // The exit code; 128 + the signal that killed it.
  int wait() {
    int status = 0;
    waitpid(id_, &status, 0);
    ended_ = true;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  pid_t id_ = -1;
  bool ended_ = false;
};

class Folder : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::replace(name.begin(), name.end(), '/', '_');
    path = fs::temp_directory_path() / ("tandem_" + std::to_string(getpid()) + "_" + name);
    fs::remove_all(path);
    fs::create_directories(path);
  }
  void TearDown() override { fs::remove_all(path); }
  std::string file(const std::string& name) const { return (path / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path / name) << text;
    return file(name);
  }
  std::string text(const std::string& name) const {
    std::ifstream in(path / name, std::ios::binary);
    std::stringstream all;
    all << in.rdbuf();
    return all.str();
  }
  bool exists(const std::string& name) const { return fs::exists(path / name); }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path), fs::directory_iterator()));
  }
  // In this folder, with both streams together.
  Result here(const std::string& arguments) const {
    return shell("cd " + path.string() + " && " + program() + arguments + " 2>&1");
  }
  // Standard output only; `code` is what the program must exit with.
  nlohmann::json json_here(const std::string& arguments, int code = 0) const {
    const Result result = shell("cd " + path.string() + " && " + program() + arguments + " --json 2>/dev/null");
    EXPECT_EQ(result.code, code) << arguments << "\n" << result.output;
    return nlohmann::json::parse(result.output, nullptr, false);
  }
  fs::path path;
};

inline ::testing::AssertionResult says(const Result& result, const std::string& words) {
  if (result.output.find(words) != std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "\"" << words << "\" is not in:\n" << result.output;
}

}  // namespace tandem::cli_tests
