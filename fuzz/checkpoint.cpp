// What `tandem run --resume` reads. The first byte of an input says which half is tried:
//   255    the rest is the items of a checkpoint; magic, version and checksum are put around them
//   else   which of `cases`; its checkpoint is written after a few steps with some numbers of its memory changed, read
//          again, and the run goes on from there. The rest of the input is the changes: two bytes where, eight bytes
//          the number. A place beyond the end cuts the memory short there.
// A run may refuse such a memory or fail by name; what it must not do is crash or hang.
#include "tandem/io/results/checkpoint.hpp"

#include <array>
#include <cstdlib>
#include <cstring>

#include "fuzz/input_file.hpp"
#include "tandem/io/model/examples.hpp"
#include "tandem/io/results/result_checkpoint.hpp"
#include "tandem/run/run.hpp"

using namespace tandem;

namespace {

ResultCheckpoint read_file(std::span<const std::byte> bytes) {
  static const fuzz::InputFile file;
  return ResultCheckpoint::read(file.holding(bytes));
}

void read_items(std::span<const std::byte> items) {
  constexpr std::string_view magic = "tandem checkpoint\n";
  const auto head = std::as_bytes(std::span(magic));
  std::vector<std::byte> bytes(head.begin(), head.end());
  const auto put_word = [&](std::uint64_t value) {
    for (unsigned i = 0; i < 8; ++i) bytes.push_back(static_cast<std::byte>(value >> (8 * i) & 0xffU));
  };
  put_word(checkpoint_format);
  bytes.insert(bytes.end(), items.begin(), items.end());
  std::uint64_t checksum = 0xcbf29ce484222325U;  // FNV-1a
  for (const std::byte byte : bytes) checksum = (checksum ^ std::to_integer<std::uint64_t>(byte)) * 0x100000001b3U;
  put_word(checksum);
  try {
    const ResultCheckpoint read = read_file(bytes);
    if (read_file(read.encode()).state != read.state) std::abort();
  } catch (const FileError&) {
  }
}

struct Case {
  const char *example, *method, *integrator;
};
constexpr std::array cases{Case{"four-bar", "null_space", "implicit"}, Case{"bicycle", "articulated", "rk4"},
                           Case{"two-body", "lagrange", "dopri5"}, Case{"four-bar", "impulses", ""},
                           Case{"rolling-disc", "udwadia_kalaba", "herk"}};

struct Begun {
  Model model;
  std::vector<double> memory;  // after a few steps

  explicit Begun(const Case& of) : model(load_model_or_example(of.example)) {
    model.setup.method = of.method;
    model.setup.integrator = of.integrator;
    Simulation simulation(model);
    Run run(model, simulation, {});
    for (int i = 0; i < 4; ++i) run.advance();
    if (run.status() != RunStatus::running) std::abort();
    memory = run.memory();
  }
};

std::vector<double> changed(std::vector<double> memory, std::span<const std::byte> changes) {
  for (; changes.size() >= 10; changes = changes.subspan(10)) {
    std::uint16_t place = 0;
    std::memcpy(&place, changes.data(), 2);
    if (place >= memory.size())
      memory.resize(place % (memory.size() + 1));
    else
      std::memcpy(&memory[place], changes.data() + 2, 8);
  }
  return memory;
}

void resume(const Begun& begun, std::span<const std::byte> changes) {
  const std::vector<double> now = changed(begun.memory, changes);
  const auto state = std::as_bytes(std::span(now));
  const ResultCheckpoint checkpoint{{{"t", "s"}}, {}, 1, 1, {state.begin(), state.end()}};
  const std::vector<std::byte> read = read_file(checkpoint.encode()).state;
  std::vector<double> memory(read.size() / sizeof(double));
  if (!memory.empty()) std::memcpy(memory.data(), read.data(), memory.size() * sizeof(double));
  Simulation simulation(begun.model);
  Run run(begun.model, simulation, {});
  try {
    run.restore(memory);
    for (int i = 0; i < 3; ++i) run.advance();
  } catch (const std::invalid_argument&) {
  } catch (const NumericalError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::array<Begun, cases.size()> begun{Begun(cases[0]), Begun(cases[1]), Begun(cases[2]), Begun(cases[3]),
                                                     Begun(cases[4])};
  if (size == 0) return 0;
  const auto rest = std::as_bytes(std::span(data, size)).subspan(1);
  if (data[0] == 255)
    read_items(rest);
  else
    resume(begun[data[0] % begun.size()], rest);
  return 0;
}
