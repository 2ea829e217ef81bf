#include "answer.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <nlohmann/json.hpp>
#include <system_error>

#include "tell.hpp"

namespace tandem::cli {

using Json = nlohmann::ordered_json;

namespace {

bool json_wanted = false;
std::optional<Json> answer;

// That end a program which does not listen to them: on request, or because it is wrong.
constexpr std::array requests{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU};
constexpr std::array crashes{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

// A handler may not make a text, so they are made before.
std::array<std::string, 65> last_words;
std::array<char, 1 << 15> other_stack;  // where the stack itself has run out

bool is_crash(int signal) { return std::find(crashes.begin(), crashes.end(), signal) != crashes.end(); }

const char* name_of_signal(int signal) {
  const char* name = sigabbrev_np(signal);
  return name ? name : "?";
}

std::string text_of(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

Json or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }
Json or_null(int number) { return number > 0 ? Json(number) : Json(); }

Json error_json(const Failure& failure) {
  Json faults = Json::array();
  for (const Fault& fault : failure.faults)
    faults.push_back({{"severity", fault.warning ? "warning" : "error"},
                      {"file", or_null(fault.where.file.text())},
                      {"line", or_null(fault.where.line)},
                      {"column", or_null(fault.where.column)},
                      {"object", or_null(fault.object)},
                      {"message", fault.message}});
  return {{"exit_code", failure.code}, {"id", failure.id}, {"message", failure.message}, {"faults", faults}};
}

void on_last_signal(int signal) {
  const std::string& words = last_words[static_cast<std::size_t>(signal)];
  for (std::size_t done = 0; done < words.size();) {
    const ssize_t count = ::write(STDOUT_FILENO, words.data() + done, words.size() - done);
    if (count <= 0) break;
    done += static_cast<std::size_t>(count);
  }
  if (!is_crash(signal)) ::_exit(by_signal + signal);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

// What somebody else listens to, or was told to ignore, stays so: nohup, sanitizers.
void answer_signals() {
  stack_t stack{};
  stack.ss_sp = other_stack.data();
  stack.ss_size = other_stack.size();
  sigaltstack(&stack, nullptr);
  const auto listen = [](int signal, const Failure& failure) {
    struct sigaction now {};
    if (sigaction(signal, nullptr, &now) != 0 || now.sa_handler != SIG_DFL) return;
    last_words[static_cast<std::size_t>(signal)] = text_of({{"error", error_json(failure)}});
    struct sigaction then {};
    then.sa_handler = on_last_signal;
    then.sa_flags = SA_ONSTACK;
    sigaction(signal, &then, nullptr);
  };
  for (const int signal : requests) listen(signal, interrupted_by(signal));
  for (const int signal : crashes) {
    listen(signal,
           failed_with(by_signal + signal, "internal", fmt::format("internal error: SIG{}", name_of_signal(signal))));
  }
}

// Until the answer is whole.
void hold_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : requests) sigaddset(&set, signal);
  sigprocmask(SIG_BLOCK, &set, nullptr);
}

// The first text in quotes of "cannot read "a.csv": …" or "there is no file …".
std::string file_in(const std::string& message) {
  const std::size_t begin = message.find('"');
  const std::size_t end = begin == std::string::npos ? begin : message.find('"', begin + 1);
  const bool names_one = message.starts_with("cannot ") || message.starts_with("there is no file ");
  return names_one && end != std::string::npos ? message.substr(begin + 1, end - begin - 1) : "";
}

// Messages about an option begin with it.
std::string option_in(const std::string& message) {
  return message.starts_with("--") ? message.substr(0, message.find_first_of(" :=,")) : "";
}

}  // namespace

Failure failed_with(int code, const std::string& id, const std::string& message) {
  return {code, id, message, {{false, {}, "", message}}, fmt::format("tandem: {}\n", message)};
}

Failure usage_failure(const std::string& message, const std::string& text) {
  return {usage, "usage", message, {{false, {}, option_in(message), message}}, text};
}

Failure model_failure(const Faults& faults) {
  Failure failure{model_wrong, "model", "", faults.list()};
  for (const Fault& fault : faults.list()) {
    if (!fault.warning && failure.message.empty()) failure.message = fault.text();
    failure.text += fault.text() + "\n";
  }
  return failure;
}

Failure file_failure(const std::string& message) {
  return {file_trouble,
          "file",
          message,
          {{false, {file_in(message), 0, 0}, "", message}},
          fmt::format("tandem: {}\n", printable(message))};
}

Failure interrupted_by(int signal) {
  const std::string message = fmt::format("interrupted by SIG{}", name_of_signal(signal));
  return {by_signal + signal, "interrupted", message, {{false, {}, "", message}}};
}

void expect_json(int argc, char** argv) {
  json_wanted = std::any_of(argv, argv + argc, [](const char* word) { return std::strcmp(word, "--json") == 0; });
  if (json_wanted) answer_signals();
}

bool expects_json() { return json_wanted; }

void print_json(Json json) { answer = std::move(json); }

int finish(const std::optional<Failure>& failure) {
  std::fflush(stdout);  // the table first, then why it ended
  if (failure) tell("{}", failure->text);
  if (failure && json_wanted) {
    if (!answer || !answer->is_object()) answer = Json::object();
    (*answer)["error"] = error_json(*failure);
  }
  errno = 0;
  if (answer) {
    hold_signals();
    std::fputs(text_of(*answer).c_str(), stdout);
  }
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return failure ? failure->code : fine;
  const std::string why = errno == 0 ? "" : ": " + std::generic_category().message(errno);
  if (!failure || failure->id != "file") tell("tandem: cannot write to standard output{}\n", why);
  return failure ? failure->code : file_trouble;
}

}  // namespace tandem::cli
