// Whatever the readers and writers of result files can say, some file makes them say. The messages are found in the
// sources; those without a case are listed.
#include <gtest/gtest.h>
#include <hdf5.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "support/result_run.hpp"
#include "support/source_messages.hpp"
#include "tandem/io/results/checkpoint.hpp"
#include "tandem/io/results/output_file.hpp"

namespace tandem::result_tests {
namespace {

// Texts that are told to nobody, and what only a machine in trouble would tell.
const std::vector<std::string> not_told{
    "error message = '",                              // by which HDF5 is understood
    "doubles are stored with the lowest byte first",  // of a static_assert
    "HDF5 gives no reason",                           // it always does
    "{} rows of {} columns do not fit into memory",
    "an attribute is damaged",  // no such file is known: HDF5 refuses them before
};

std::vector<SourceMessage> messages_of_results() {
  std::vector<SourceMessage> out;
  for (const char* name : {"csv_file", "h5_file", "checkpoint", "result_checkpoint", "results", "output_file"})
    for (SourceMessage& message : messages_in(std::string(TANDEM_SOURCE_DIR "/tandem/io/results/") + name + ".cpp"))
      if (std::find(not_told.begin(), not_told.end(), message.text) == not_told.end())
        out.push_back(std::move(message));
  return out;
}

class EveryResultMessage : public ResultFolder {
 protected:
  void listen(const std::function<void()>& act) {
    try {
      act();
      ADD_FAILURE() << "was accepted, after: " << (told_.empty() ? "nothing" : told_.back());
    } catch (const std::runtime_error& error) {
      told_.emplace_back(error.what());
    }
  }
  void listen_to_reader(const std::string& name, const std::string& content) {
    std::ofstream(file(name), std::ios::binary) << content;
    listen([&] { read_results(file(name)); });
  }

  void listen_to_csv() {
    for (const char* content : {"", "t,\"x\n1,2\n", "t,\"x\"y\n1,2\n", "t\nnan\n", "t,x\n1\n"})
      listen_to_reader("bad.csv", content);
    listen([&] { read_results(file("none.csv")); });
    listen([&] { read_results(file("none.txt")); });
  }

  // A file as `make` fills it.
  void listen_to_h5(const std::function<void(hid_t file)>& make) {
    const hid_t out = H5Fcreate(file("bad.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    ASSERT_GE(out, 0);
    make(out);
    H5Fclose(out);
    listen([&] { read_results(file("bad.h5")); });
  }
  static void add_table(hid_t out, hsize_t rows, hid_t creation, int names, int units, double value = 0.0) {
    const std::array<hsize_t, 2> size{rows, 2};
    const hid_t space = H5Screate_simple(2, size.data(), nullptr);
    const hid_t data = H5Dcreate2(out, "results", H5T_IEEE_F64LE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    const std::array<double, 2> values{0.0, value};
    if (rows == 1) H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    if (names > 0) add_texts(data, "names", static_cast<hsize_t>(names));
    if (units > 0) add_texts(data, "units", static_cast<hsize_t>(units));
    H5Dclose(data);
    H5Sclose(space);
  }
  static void add_texts(hid_t of, const char* name, hsize_t count) {
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate_simple(1, &count, nullptr);
    const hid_t entry = H5Acreate2(of, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(entry, type, std::string(count, 'x').data());
    H5Aclose(entry);
    H5Sclose(space);
    H5Tclose(type);
  }
  static void add_numbers(hid_t out, const char* name) {
    add_table(out, 1, H5P_DEFAULT, 0, 2);
    const hid_t data = H5Dopen2(out, "results", H5P_DEFAULT), space = H5Screate(H5S_SCALAR);
    H5Aclose(H5Acreate2(data, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT));
    H5Sclose(space);
    H5Dclose(data);
  }

  void listen_to_strange_h5() {
    listen_to_h5([](hid_t) {});
    listen_to_h5([](hid_t out) { H5Lcreate_soft("/other", out, "results", H5P_DEFAULT, H5P_DEFAULT); });
    listen_to_h5([](hid_t out) { H5Gclose(H5Gcreate2(out, "results", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)); });
    listen_to_h5([](hid_t out) { add_table(out, 1, H5P_DEFAULT, 0, 0); });
    listen_to_h5([](hid_t out) { add_table(out, 1, H5P_DEFAULT, 2, 1); });
    listen_to_h5([](hid_t out) { add_table(out, 1, H5P_DEFAULT, 3, 3); });
    listen_to_h5([](hid_t out) { add_table(out, 1, H5P_DEFAULT, 2, 2, std::nan("")); });
    listen_to_h5([](hid_t out) { add_numbers(out, "names"); });
    const hid_t outside = H5Pcreate(H5P_DATASET_CREATE), chunked = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_external(outside, "/etc/passwd", 0, 16);
    listen_to_h5([&](hid_t out) { add_table(out, 1, outside, 2, 2); });
    const std::array<hsize_t, 2> chunk{1024, 1};
    H5Pset_chunk(chunked, 2, chunk.data());
    listen_to_h5([&](hid_t out) { add_table(out, 1'000'000'000'000, chunked, 2, 2); });
    H5Pclose(chunked);
    H5Pclose(outside);
  }
  // Each byte of a file changed: what HDF5 itself notices, and what it does not. In a process of its own, because HDF5
  // cannot always close such a file.
  void listen_to_damaged_h5() {
    whole_run(file("good.h5"), 20);
    const pid_t child = fork();
    if (child == 0) {
      std::ofstream heard(file("heard.txt"));
      const std::string good = text(file("good.h5"));
      for (std::size_t at = 0; at < good.size(); ++at) {
        std::string bad = good;
        bad[at] = static_cast<char>(~bad[at]);
        std::ofstream(file("bad.h5"), std::ios::binary | std::ios::trunc) << bad;
        heard << error_of([&] { read_results(file("bad.h5")); }) << '\n';
      }
      heard.close();
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status));
    std::ifstream heard(file("heard.txt"));
    for (std::string line; std::getline(heard, line);) told_.push_back(line);
  }

  // A checkpoint of these bytes behind its head, with the checksum that belongs to them.
  static std::vector<std::byte> sealed(std::string_view items) {
    std::vector<std::byte> bytes = CheckpointWriter(1).finish();
    bytes.resize(bytes.size() - 8);
    for (const char c : items) bytes.push_back(static_cast<std::byte>(c));
    std::uint64_t sum = 0xcbf29ce484222325U;
    for (const std::byte byte : bytes) sum = (sum ^ std::to_integer<std::uint64_t>(byte)) * 0x100000001b3U;
    for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<std::byte>((sum >> (8 * i)) & 0xffU));
    return bytes;
  }
  void listen_to_checkpoint(const std::vector<std::byte>& bytes, const std::function<void(CheckpointReader&)>& read) {
    listen([&] {
      CheckpointReader reader(bytes, 1, "run.checkpoint");
      read(reader);
    });
  }
  void listen_to_checkpoints() {
    const auto nothing = [](CheckpointReader&) {};
    listen_to_checkpoint({}, nothing);
    listen_to_checkpoint(CheckpointWriter(2).finish(), nothing);
    std::vector<std::byte> bytes = sealed("n");
    listen_to_checkpoint(bytes, [](CheckpointReader& reader) { reader.number(); });
    listen_to_checkpoint(bytes, [](CheckpointReader& reader) { reader.numbers(); });
    listen_to_checkpoint(bytes, [](CheckpointReader& reader) { reader.integers(); });
    listen_to_checkpoint(bytes, [](CheckpointReader& reader) { reader.finish(); });
    listen_to_checkpoint(sealed(""), [](CheckpointReader& reader) { reader.text(); });
    listen_to_checkpoint(sealed(std::string("N\0\0\0\0\0\0\0\0", 9)), [](CheckpointReader& reader) {
      std::array<double, 2> two{};
      reader.numbers(two);
    });
    bytes.back() ^= std::byte{1};
    listen_to_checkpoint(bytes, nothing);
    bytes.resize(30);
    listen_to_checkpoint(bytes, nothing);
  }

  void listen_to_writers() {
    const auto begin = [&](const fs::path& to, const ResultOptions& options = {}) {
      listen([&] { ResultWriter(to, columns, about, options); });
    };
    begin(path);
    begin(file("none") / "out.csv");
    std::ofstream(file("model.csv")) << "a model";
    begin(file("model.csv"), {.force = true, .inputs = {file("model.csv")}});
    begin(file("model.csv"));
    listen([&] { ResultWriter(file("zero.h5"), {{std::string("a\0b", 3), ""}}, about); });
    ResultWriter first(file("out.csv"), columns, about);
    begin(file("out.csv"));
    listen([&] { first.row(std::vector<double>(columns.size(), std::nan(""))); });
    std::ofstream(file("out.csv")) << "mine";
    listen([&] { first.finish(); });
    OutputFile cut(file("cut"), OutputFile::Kind::create);
    std::array<std::byte, 8> some{};
    listen([&] { cut.read(0, some); });
  }

  void listen_to_resumed(const std::vector<ResultColumn>& columns_now, const ResultAbout& about_now) {
    listen([&] { ResultWriter::resume(file("killed.csv"), columns_now, about_now); });
  }
  void listen_to_resumed_runs() {
    killed_run(file("killed.csv"));
    listen([&] { ResultWriter(file("killed.csv"), columns, about); });
    ResultAbout changed = about, longer = about, more = about, less = about;
    changed.attributes[0].second = "another";
    longer.attributes[1].second += "# more\n";
    more.attributes.emplace_back("method", "lagrange");
    less.attributes.pop_back();
    for (const ResultAbout& now : {changed, longer, more, less}) listen_to_resumed(columns, now);
    std::vector<ResultColumn> other = columns;
    other.pop_back();
    listen_to_resumed(other, about);
    other = columns;
    other[1].unit = "kg";
    listen_to_resumed(other, about);
    fs::resize_file(file("killed.csv.part"), 100);
    listen_to_resumed(columns, about);
    fs::remove(file("killed.csv.checkpoint"));
    fs::create_directory(file("killed.csv.checkpoint"));
    listen_to_resumed(columns, about);
    whole_run(file("whole.csv"), 3);
    listen([&] { ResultWriter::resume(file("whole.csv"), columns, about); });
    listen([&] { ResultWriter::resume(file("never.csv"), columns, about); });
    listen([&] { ResultWriter::resume("/dev/null", columns, about); });
    listen([&] { require_output_place(file("whole.csv"), false); });
    listen([&] { require_output_place(fs::path(file("nowhere")) / "a.svg", false); });
  }

  std::vector<std::string> told_;
};

TEST_F(EveryResultMessage, IsToldOfSomeFile) {
  listen_to_csv();
  listen_to_strange_h5();
  listen_to_damaged_h5();
  listen_to_checkpoints();
  listen_to_writers();
  listen_to_resumed_runs();
  const std::vector<SourceMessage> messages = messages_of_results();
  EXPECT_GT(messages.size(), 50U);
  EXPECT_EQ(untold(messages, told_), "");
}

}  // namespace
}  // namespace tandem::result_tests
