// Result files of both formats: round trips, refusals, resumed runs, failing disks.
#include "tandem/io/results.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <limits>
#include <random>
#include <sstream>

namespace tandem {
namespace {

namespace fs = std::filesystem;

const std::vector<ResultColumn> columns{
    {"t", "s"}, {"a, \"b\"", "m/s"}, {"plain", ""}, {"two\nlines", "N m"}, {"schräg", "°"}};
const ResultAbout about{{{"model", "two-body"}, {"model_text", "format = 1\nname = \"x\"\n"}, {"step", "0.001"}}};

// Numbers of every size, the same in every run.
std::vector<double> sample_row(std::size_t i) {
  std::mt19937_64 random(i);
  std::vector<double> values{static_cast<double>(i) * 0.001};
  while (values.size() < columns.size()) {
    const auto value = std::bit_cast<double>(random());
    if (std::isfinite(value)) values.push_back(value);
  }
  if (i == 3) values = {0.003, -0.0, 5e-324, std::numeric_limits<double>::max(), 0.1};
  return values;
}

void write_rows(ResultWriter& writer, std::size_t first, std::size_t end) {
  for (std::size_t i = first; i < end; ++i) writer.row(sample_row(i));
}

std::vector<std::byte> state(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

template <class Act> std::string error_of(Act act) {
  try {
    act();
  } catch (const FileError& error) {
    return error.what();
  }
  return "no error";
}

struct Shell {
  int code = -1;
  std::string output;
};
Shell shell(const std::string& command) {
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  Shell result;
  std::array<char, 4096> buffer{};
  while (std::fgets(buffer.data(), static_cast<int>(buffer.size()), pipe) != nullptr) result.output += buffer.data();
  const int status = pclose(pipe);
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

class Folder : public ::testing::Test {
 protected:
  void SetUp() override {
    path = fs::temp_directory_path() /
           ("tandem_results_" + std::to_string(getpid()) + "_" +
            std::to_string(std::hash<std::string>()(::testing::UnitTest::GetInstance()->current_test_info()->name())));
    fs::create_directories(path);
  }
  void TearDown() override { fs::remove_all(path); }
  fs::path file(const std::string& name) const { return path / name; }
  static std::string text(const fs::path& of) {
    std::ifstream in(of, std::ios::binary);
    std::stringstream all;
    all << in.rdbuf();
    return all.str();
  }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path), fs::directory_iterator()));
  }
  void whole_run(const fs::path& to, std::size_t rows, const ResultOptions& options = {}) const {
    ResultWriter writer(to, columns, about, options);
    write_rows(writer, 0, rows);
    writer.finish({{{"status", "finished"}}});
  }
  // Rows after the last flush, some of them on the disk, the last one torn.
  void killed_run(const fs::path& to) const {
    ResultWriter writer(to, columns, about);
    write_rows(writer, 0, 700);
    writer.flush(state("an older one"));
    write_rows(writer, 700, 1000);
    writer.flush(state("at 1000"));
    write_rows(writer, 1000, 4000);
    std::ofstream(to.string() + ".part", std::ios::app) << "0.5,1.2";
  }
  fs::path path;
};

class ResultFiles : public Folder, public ::testing::WithParamInterface<const char*> {
 protected:
  fs::path out() const { return file(std::string("out") + GetParam()); }
  fs::path beside(const char* ending) const { return out().string() + ending; }
};

INSTANTIATE_TEST_SUITE_P(Formats, ResultFiles, ::testing::Values(".csv", ".h5"),
                         [](const auto& parameter) { return std::string(parameter.param).substr(1); });

TEST_P(ResultFiles, ReadBackBitForBit) {
  const std::size_t rows = 20000;  // several chunks of the .h5 file, several buffers of the CSV file
  whole_run(out(), rows);
  const ResultTable table = read_results(out());
  EXPECT_EQ(table.columns, columns);
  ASSERT_EQ(table.rows(), rows);
  for (std::size_t i = 0; i < rows; ++i) {
    const std::vector<double> row = sample_row(i);
    for (std::size_t k = 0; k < row.size(); ++k)
      ASSERT_EQ(std::bit_cast<std::uint64_t>(table.value(i, k)), std::bit_cast<std::uint64_t>(row[k])) << i << ' ' << k;
  }
  EXPECT_EQ(table.find("schräg"), 4U);
  EXPECT_EQ(table.find("nothing"), std::nullopt);
  EXPECT_EQ(entries(), 1U);
}

TEST_P(ResultFiles, NoRowsAtAll) {
  whole_run(out(), 0);
  const ResultTable table = read_results(out());
  EXPECT_EQ(table.columns, columns);
  EXPECT_EQ(table.rows(), 0U);
}

TEST_P(ResultFiles, EqualRunsGiveEqualBytes) {
  whole_run(out(), 500);
  sleep(1);  // a time in seconds would differ
  const fs::path second = file(std::string("second") + GetParam());
  whole_run(second, 500);
  EXPECT_EQ(text(out()), text(second));
}

TEST_P(ResultFiles, AValueThatIsNotFiniteIsRefusedByNameAndItsRowLeftOut) {
  ResultWriter writer(out(), columns, about);
  write_rows(writer, 0, 2);
  for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    try {
      writer.row(std::array{0.0, 1.0, 2.0, bad, 4.0});
      ADD_FAILURE() << "no error";
    } catch (const NumericalError& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with("two\nlines [N m] is ")) << error.what();
    }
  }
  write_rows(writer, 2, 3);
  writer.finish();
  EXPECT_EQ(read_results(out()).rows(), 3U);
}

TEST_P(ResultFiles, AnExistingResultIsKeptUnlessForced) {
  whole_run(out(), 3);
  const std::string before = text(out());
  EXPECT_EQ(
      error_of([&] { ResultWriter(out(), columns, about); }),
      "cannot write \"" + out().string() + "\": it exists already; choose another name, or replace it with --force");
  EXPECT_EQ(text(out()), before);
  {
    ResultWriter writer(out(), columns, about, {.force = true});
    write_rows(writer, 0, 7);
    EXPECT_EQ(text(out()), before) << "the earlier result stays until the new one is finished";
  }
  EXPECT_EQ(text(out()), before) << "and also when the new one never is";
  EXPECT_EQ(entries(), 1U);
  whole_run(out(), 7, {.force = true});
  EXPECT_EQ(read_results(out()).rows(), 7U);
}

TEST_P(ResultFiles, AResultThatAppearsDuringTheRunIsKeptAndNothingIsLost) {
  ResultWriter writer(out(), columns, about);
  write_rows(writer, 0, 3);
  std::ofstream(out()) << "mine";
  const std::string error = error_of([&] { writer.finish(); });
  EXPECT_NE(error.find("it has appeared since the run began; the results are in \""), std::string::npos) << error;
  EXPECT_EQ(text(out()), "mine");
  const std::string kept = error.substr(error.find("are in \"") + 8);
  const fs::path renamed = file(std::string("kept") + GetParam());
  fs::rename(kept.substr(0, kept.size() - 1), renamed);
  EXPECT_EQ(read_results(renamed).rows(), 3U);
}

TEST_P(ResultFiles, WithoutACheckpointAnUnfinishedRunLeavesNothing) {
  {
    ResultWriter writer(out(), columns, about);
    write_rows(writer, 0, 5000);
    EXPECT_TRUE(fs::exists(beside(".part")));
  }
  EXPECT_EQ(entries(), 0U);
  EXPECT_EQ(error_of([&] { ResultWriter::resume(out(), columns, about); }),
            "cannot resume \"" + out().string() + "\": there is no \"" + beside(".checkpoint").string() + "\"");
}

TEST_P(ResultFiles, AResumedRunEndsInTheSameBytes) {
  const fs::path whole = file(std::string("whole") + GetParam());
  whole_run(whole, 5000);
  killed_run(out());
  {
    ResumedResults resumed = ResultWriter::resume(out(), columns, about);
    EXPECT_EQ(resumed.checkpoint, state("at 1000"));
    EXPECT_EQ(resumed.writer->rows(), 1000U);
    write_rows(*resumed.writer, 1000, 1200);
    resumed.writer->flush(state("at 1200"));
    write_rows(*resumed.writer, 1200, 1300);
  }
  ResumedResults resumed = ResultWriter::resume(out(), columns, about);
  EXPECT_EQ(resumed.checkpoint, state("at 1200"));
  write_rows(*resumed.writer, 1200, 5000);
  resumed.writer->finish({{{"status", "finished"}}});
  EXPECT_EQ(text(out()), text(whole));
  EXPECT_FALSE(fs::exists(beside(".part")));
  EXPECT_FALSE(fs::exists(beside(".checkpoint")));
  EXPECT_EQ(error_of([&] { ResultWriter::resume(out(), columns, about); }),
            "cannot resume \"" + out().string() + "\": that run is finished");
}

// kill -9: no destructor runs.
TEST_P(ResultFiles, AKilledProcessCanBeResumed) {
  const fs::path whole = file(std::string("whole") + GetParam());
  whole_run(whole, 4000);
  const pid_t child = fork();
  if (child == 0) {
    ResultWriter writer(out(), columns, about);
    write_rows(writer, 0, 100);
    writer.flush(state("at 100"));
    write_rows(writer, 100, 3000);
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  ResumedResults resumed = ResultWriter::resume(out(), columns, about);
  EXPECT_EQ(resumed.checkpoint, state("at 100"));
  write_rows(*resumed.writer, 100, 4000);
  resumed.writer->finish({{{"status", "finished"}}});
  EXPECT_EQ(text(out()), text(whole));
}

TEST_P(ResultFiles, AnUnfinishedRunIsNotBegunAnewByMistake) {
  killed_run(out());
  EXPECT_EQ(error_of([&] { ResultWriter(out(), columns, about); }),
            "cannot write \"" + out().string() + "\": \"" + beside(".part").string() +
                "\" of an unfinished run is there; continue it with --resume, or begin anew with --force");
  {
    ResultWriter writer(out(), columns, about, {.force = true});
    EXPECT_FALSE(fs::exists(beside(".checkpoint"))) << "an old checkpoint must not meet new rows";
  }
  EXPECT_EQ(entries(), 0U);
}

TEST_P(ResultFiles, AnotherModelOrSettingCannotBeResumed) {
  killed_run(out());
  const std::string begin = "cannot resume \"" + out().string() + "\": ";
  const std::string end = "; a run can only be continued as it was begun";
  const auto with = [&](std::size_t i, const char* value) {
    ResultAbout other = about;
    other.attributes[i].second = value;
    return error_of([&] { ResultWriter::resume(out(), columns, other); });
  };
  EXPECT_EQ(with(2, "0.002"), begin + "\"step\" is \"0.002\", and was \"0.001\"" + end);
  EXPECT_EQ(with(1, "format = 1\nname = \"y\"\n"), begin + "\"model_text\" differs from line 2 on" + end);
  ResultAbout more = about, less = about;
  more.attributes.emplace_back("method", "lagrange");
  less.attributes.pop_back();
  EXPECT_EQ(error_of([&] { ResultWriter::resume(out(), columns, more); }), begin + "\"method\" is new" + end);
  EXPECT_EQ(error_of([&] { ResultWriter::resume(out(), columns, less); }), begin + "\"step\" is no longer given" + end);
  std::vector<ResultColumn> other = columns;
  other[2].unit = "kg";
  EXPECT_EQ(error_of([&] { ResultWriter::resume(out(), other, about); }),
            begin + "column 3 is \"plain [kg]\", and was \"plain\"" + end);
  other = columns;
  other.pop_back();
  EXPECT_EQ(error_of([&] { ResultWriter::resume(out(), other, about); }),
            begin + "there are 4 columns, and were 5" + end);
  EXPECT_EQ(ResultWriter::resume(out(), columns, about).checkpoint, state("at 1000")) << "refusals spoil nothing";
}

TEST_P(ResultFiles, ADamagedCheckpointOrAShortPartIsRefusedByName) {
  killed_run(out());
  const std::string good = text(beside(".checkpoint"));
  std::string bad = good;
  bad[bad.size() / 2] ^= 1;
  std::ofstream(beside(".checkpoint")) << bad;
  EXPECT_EQ(error_of([&] { ResultWriter::resume(out(), columns, about); }),
            "cannot read \"" + beside(".checkpoint").string() + "\": it is damaged: its checksum does not match");
  std::ofstream(beside(".checkpoint")) << good;
  fs::resize_file(beside(".part"), 100);
  EXPECT_NE(error_of([&] { ResultWriter::resume(out(), columns, about); }).find("\" has 100 bytes, and its checkpoint"),
            std::string::npos);
  fs::remove(beside(".part"));
  EXPECT_EQ(error_of([&] { ResultWriter::resume(out(), columns, about); }),
            "cannot resume \"" + out().string() + "\": there is no \"" + beside(".part").string() + "\"");
}

TEST_P(ResultFiles, TwoRunsCannotWriteTheSameFile) {
  ResultWriter first(out(), columns, about);
  write_rows(first, 0, 3);
  EXPECT_EQ(error_of([&] { ResultWriter(out(), columns, about); }),
            "cannot write \"" + beside(".part").string() + "\": another run is writing it");
  first.finish();
  EXPECT_EQ(read_results(out()).rows(), 3U);
}

TEST_P(ResultFiles, FlushIsDueAfterItsTime) {
  const ResultWriter patient(out(), columns, about);
  EXPECT_FALSE(patient.flush_due());
  const ResultWriter hasty(file(std::string("hasty") + GetParam()), columns, about,
                           {.flush_every = std::chrono::seconds(0)});
  EXPECT_TRUE(hasty.flush_due());
}

TEST_P(ResultFiles, LinksAreFollowed) {
  fs::create_directory(file("inner"));
  const fs::path real = file("inner") / out().filename();
  fs::create_symlink(fs::path("inner") / out().filename(), out());
  whole_run(out(), 3);
  EXPECT_TRUE(fs::is_symlink(out()));
  EXPECT_TRUE(fs::is_regular_file(real));
  whole_run(out(), 4, {.force = true});
  EXPECT_TRUE(fs::is_symlink(out()));
  EXPECT_EQ(read_results(real).rows(), 4U);
}

TEST_P(ResultFiles, FoldersAndInputsAreRefused) {
  fs::create_directory(out());
  EXPECT_EQ(error_of([&] { ResultWriter(out(), columns, about, {.force = true}); }),
            "cannot write \"" + out().string() + "\": it is a folder");
  fs::remove(out());
  std::ofstream(out()) << "a model";
  EXPECT_EQ(error_of([&] { ResultWriter(out(), columns, about, {.force = true, .inputs = {out()}}); }),
            "cannot write \"" + out().string() + "\": it is the model file itself");
  EXPECT_EQ(text(out()), "a model");
}

// ---- failing disks ----

TEST_P(ResultFiles, APlaceThatCannotBeIsNamed) {
  std::ofstream(file("plain")) << "x";
  const fs::path below = file("plain") / out().filename();
  EXPECT_EQ(error_of([&] { ResultWriter(below, columns, about); }),
            "cannot write \"" + below.string() + ".part\": Not a directory");
  const fs::path nowhere = file("nowhere") / out().filename();
  EXPECT_EQ(error_of([&] { ResultWriter(nowhere, columns, about); }),
            "cannot write \"" + nowhere.string() + ".part\": No such file or directory");
}

// A limit on the size of files: writing fails in the middle, also without rights to mount a small disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int) = nullptr;
};

TEST_P(ResultFiles, AfterAFailedWriteTheRunCanBeResumed) {
  const fs::path whole = file(std::string("whole") + GetParam());
  whole_run(whole, 9000);
  std::string error;
  {
    const FileSizeLimit limit(150'000);
    ResultWriter writer(out(), columns, about);
    write_rows(writer, 0, 10);
    writer.flush(state("at 10"));
    error = error_of([&] { write_rows(writer, 10, 9000); });
  }
  EXPECT_EQ(error, "cannot write \"" + beside(".part").string() + "\": File too large");
  ResumedResults resumed = ResultWriter::resume(out(), columns, about);
  EXPECT_EQ(resumed.checkpoint, state("at 10"));
  write_rows(*resumed.writer, 10, 9000);
  resumed.writer->finish({{{"status", "finished"}}});
  EXPECT_EQ(text(out()), text(whole));
}

// A disk of 256 KiB in a private view of the file system.
class SmallDisk {
 public:
  explicit SmallDisk(const fs::path& at) : at_(at) {
    fs::create_directories(at);
    good_ = unshare(CLONE_NEWNS) == 0 && mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
            mount("tmpfs", at.c_str(), "tmpfs", 0, "size=256k") == 0;
  }
  ~SmallDisk() {
    if (good_) umount2(at_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  bool good() const { return good_; }
  bool make_read_only() const { return mount("none", at_.c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr) == 0; }

 private:
  fs::path at_;
  bool good_;
};

TEST_P(ResultFiles, AFullDiskIsToldAndEarlierResultsStay) {
  const SmallDisk disk(file("disk"));
  if (!disk.good()) GTEST_SKIP() << "no right to mount a small disk";
  const fs::path small = file("disk") / out().filename();
  whole_run(small, 20);
  const std::string before = text(small);
  {
    ResultWriter writer(small, columns, about, {.force = true});
    EXPECT_EQ(error_of([&] { write_rows(writer, 0, 20000); }),
              "cannot write \"" + small.string() + ".part\": No space left on device");
  }
  EXPECT_EQ(text(small), before);
  whole_run(small, 30, {.force = true});
  EXPECT_EQ(read_results(small).rows(), 30U) << "nothing of the failed run takes room";
}

// The rows fit, the finished .h5 file beside them does not.
TEST_F(Folder, AFullDiskAtTheEndOfAnH5RunIsToldAndTheRunStays) {
  const SmallDisk disk(file("disk"));
  if (!disk.good()) GTEST_SKIP() << "no right to mount a small disk";
  const fs::path small = file("disk") / "out.h5";
  const std::size_t rows = 3600;  // 144 kB of numbers that do not compress
  {
    ResultWriter writer(small, columns, about);
    write_rows(writer, 0, rows);
    writer.flush(state("at the end"));
    EXPECT_EQ(error_of([&] { writer.finish(); }),
              "cannot write \"" + small.string() + ".part.tmp\": No space left on device");
  }
  EXPECT_FALSE(fs::exists(small));
  EXPECT_FALSE(fs::exists(small.string() + ".part.tmp"));
  // HDF5 still works afterwards, and there is room again.
  const fs::path roomy = file("roomy.h5");
  for (const char* ending : {".part", ".checkpoint"}) fs::copy_file(small.string() + ending, roomy.string() + ending);
  ResumedResults resumed = ResultWriter::resume(roomy, columns, about);
  EXPECT_EQ(resumed.checkpoint, state("at the end"));
  resumed.writer->finish();
  EXPECT_EQ(read_results(roomy).rows(), rows);
}

TEST_P(ResultFiles, AReadOnlyDiskIsToldAndEarlierResultsStay) {
  const SmallDisk disk(file("disk"));
  if (!disk.good()) GTEST_SKIP() << "no right to mount a small disk";
  const fs::path small = file("disk") / out().filename();
  whole_run(small, 20);
  const std::string before = text(small);
  ASSERT_TRUE(disk.make_read_only());
  EXPECT_EQ(error_of([&] { ResultWriter(small, columns, about, {.force = true}); }),
            "cannot write \"" + small.string() + ".part\": Read-only file system");
  EXPECT_EQ(text(small), before);
}

TEST_F(Folder, DevicesAndPipesAreWrittenStraightAsCsv) {
  ResultWriter full("/dev/full", columns, about);
  write_rows(full, 0, 2);
  EXPECT_EQ(error_of([&] { full.flush({}); }), "cannot write \"/dev/full\": No space left on device");
  const fs::path pipe = file("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::unique_ptr<FILE, int (*)(FILE*)> reader(popen(("cat " + pipe.string()).c_str(), "r"), pclose);
  {
    ResultWriter writer(pipe, {{"t", "s"}}, about);
    writer.row(std::array{0.25});
    writer.flush(state("a pipe cannot be resumed"));
    writer.finish();
  }
  std::array<char, 100> buffer{};
  const std::size_t size = std::fread(buffer.data(), 1, buffer.size(), reader.get());
  EXPECT_EQ(std::string(buffer.data(), size), "t [s]\n0.25\n");
  EXPECT_EQ(entries(), 1U);
  EXPECT_EQ(error_of([&] { ResultWriter::resume(pipe, columns, about); }),
            "cannot resume \"" + pipe.string() + "\": it is not a plain file");
}

// As in: tandem run model --out /dev/stdout > file
TEST_F(Folder, AStandardOutputThatIsAPlainFileIsContinued) {
  FILE* plain = std::fopen(file("log").c_str(), "w");
  std::fputs("before\n", plain);
  std::fflush(plain);
  {
    ResultWriter writer("/dev/fd/" + std::to_string(fileno(plain)), {{"t", "s"}}, about);
    writer.row(std::array{0.5});
    writer.finish();
  }
  std::fputs("after\n", plain);
  std::fclose(plain);
  EXPECT_EQ(text(file("log")), "before\nt [s]\n0.5\nafter\n");
}

// ---- single formats ----

TEST_F(Folder, UnknownExtensionsAreRefused) {
  EXPECT_EQ(error_of([&] { ResultWriter(file("out.cvs"), columns, about); }),
            "cannot write \"" + file("out.cvs").string() +
                "\": results are \".csv\", \".h5\" or \".hdf5\" files; did you mean \".csv\"?");
  EXPECT_EQ(error_of([&] { read_results(file("out")); }),
            "cannot read \"" + file("out").string() + "\": results are \".csv\", \".h5\" or \".hdf5\" files");
  EXPECT_EQ(entries(), 0U);
  whole_run(file("out.HDF5"), 3);
  EXPECT_EQ(read_results(file("out.HDF5")).attribute("status"), "finished");
}

TEST_F(Folder, CsvText) {
  const fs::path out = file("out.csv");
  ResultWriter writer(out, columns, about);
  writer.row(std::array{0.001, 1e-7, 1e22, -0.0, 123456.789});
  writer.finish({{{"status", "finished"}}});
  EXPECT_EQ(text(out),
            "t [s],\"a, \"\"b\"\" [m/s]\",plain,\"two\nlines [N m]\",schräg [°]\n0.001,1e-07,1e+22,-0,123456.789\n");
}

TEST_F(Folder, BadCsvFilesAreRefusedWithTheLine) {
  const auto error = [&](const char* content) {
    std::ofstream(file("bad.csv")) << content;
    const std::string message = error_of([&] { read_results(file("bad.csv")); });
    const std::string begin = "cannot read \"" + file("bad.csv").string() + "\": ";
    return message.starts_with(begin) ? message.substr(begin.size()) : message;
  };
  EXPECT_EQ(error(""), "it is empty");
  EXPECT_EQ(error("t [s],x\n1,2\n3\n"), "line 3: it has 1 values, and the header has 2 columns");
  EXPECT_EQ(error("t [s],x\n1,2\n3,4,5\n"), "line 3: it has 3 values, and the header has 2 columns");
  EXPECT_EQ(error("t [s],x\n1,two\n"), "line 2: x: \"two\" is not a finite number");
  EXPECT_EQ(error("t [s],x\nnan,2\n"), "line 2: t [s]: \"nan\" is not a finite number");
  EXPECT_EQ(error("t [s],x\n1,inf\n"), "line 2: x: \"inf\" is not a finite number");
  EXPECT_EQ(error("t [s],x\n1,1e999\n"), "line 2: x: \"1e999\" is not a finite number");
  EXPECT_EQ(error("t [s],x\n1,\n"), "line 2: x: \"\" is not a finite number");
  EXPECT_EQ(error("\"t\nu\",x\n1,2\n\n"), "line 4: it has 1 values, and the header has 2 columns");
  EXPECT_EQ(error("t,\"x\n1,2\n"), "line 1: a quote is not closed");
  EXPECT_EQ(error("t,\"x\"y\n1,2\n"), "line 1: a comma or a line break must follow a cell");
  EXPECT_EQ(error_of([&] { read_results(file("none.csv")); }),
            "cannot read \"" + file("none.csv").string() + "\": No such file or directory");
  fs::create_directory(file("folder.csv"));
  EXPECT_EQ(error_of([&] { read_results(file("folder.csv")); }),
            "cannot read \"" + file("folder.csv").string() + "\": Is a directory");
}

TEST_F(Folder, CsvOfOtherProgramsIsRead) {
  std::ofstream(file("other.csv")) << "\xef\xbb\xbft [s],\"x\"\r\n1,2\r\n3,4e0";
  const ResultTable table = read_results(file("other.csv"));
  EXPECT_EQ(table.columns, (std::vector<ResultColumn>{{"t", "s"}, {"x", ""}}));
  EXPECT_EQ(table.values, (std::vector<double>{1, 2, 3, 4}));
}

TEST_F(Folder, H5AttributesNamesAndUnits) {
  const fs::path out = file("out.h5");
  ResultAbout long_about = about;
  long_about.attributes.emplace_back("long", std::string(200'000, 'x'));  // more than a header can hold
  long_about.attributes.emplace_back("empty", "");
  long_about.attributes.emplace_back("step", "0.002");  // the last one counts
  ResultWriter writer(out, columns, long_about);
  write_rows(writer, 0, 3);
  writer.finish({{{"status", "failed"}, {"reason", "at t = 1 s: ω left the finite numbers"}}});
  const ResultTable table = read_results(out);
  const std::vector<std::pair<std::string, std::string>> wanted{{"empty", ""},
                                                                {"long", std::string(200'000, 'x')},
                                                                {"model", "two-body"},
                                                                {"model_text", "format = 1\nname = \"x\"\n"},
                                                                {"reason", "at t = 1 s: ω left the finite numbers"},
                                                                {"status", "failed"},
                                                                {"step", "0.002"}};
  EXPECT_EQ(table.attributes, wanted);
  EXPECT_EQ(table.attribute("nothing"), std::nullopt);
}

TEST_F(Folder, H5OfManyColumns) {
  std::vector<ResultColumn> many;
  std::vector<double> row;
  for (int i = 0; i < 20000; ++i) {
    many.push_back({"column " + std::to_string(i), "m"});
    row.push_back(i);
  }
  ResultWriter writer(file("many.h5"), many, about);
  for (int i = 0; i < 3; ++i) writer.row(row);
  writer.finish();
  const ResultTable table = read_results(file("many.h5"));
  EXPECT_EQ(table.columns, many);
  EXPECT_EQ(table.value(2, 19999), 19999.0);
}

TEST_F(Folder, H5ToolsSeeChecksumsAndEqualFilesAndNoTimes) {
  whole_run(file("a.h5"), 300);
  whole_run(file("b.h5"), 300);
  {
    ResultWriter writer(file("c.h5"), columns, about);
    write_rows(writer, 0, 299);
    writer.row(sample_row(0));
    writer.finish({{{"status", "finished"}}});
  }
  if (shell("h5dump --version").code != 0) GTEST_SKIP() << "the programs of HDF5 are not installed";
  EXPECT_EQ(shell("h5diff " + file("a.h5").string() + " " + file("b.h5").string()).code, 0);
  EXPECT_EQ(shell("h5diff " + file("a.h5").string() + " " + file("c.h5").string()).code, 1)
      << "it can tell a difference";
  const std::string dump = shell("h5dump -p -H " + file("a.h5").string()).output;
  for (const char* part : {"DATASET \"results\"", "( 300, 5 )", "CHUNKED", "CHECKSUM FLETCHER32", "SHUFFLE", "DEFLATE",
                           "H5T_IEEE_F64LE", "\"names\"", "\"units\"", "\"model_text\"", "\"status\""})
    EXPECT_NE(dump.find(part), std::string::npos) << part << "\n" << dump;
  EXPECT_NE(shell("h5ls -v " + file("a.h5").string()).output.find("Modified:"), std::string::npos)
      << shell("h5ls -v " + file("a.h5").string()).output;
}

TEST_F(Folder, DamagedH5FilesAreRefused) {
  const fs::path out = file("out.h5");
  whole_run(out, 2000);
  const std::string good = text(out);
  const auto error = [&](std::size_t at, std::size_t length) {
    std::string bad = good.substr(0, length);
    if (at < bad.size()) bad[at] ^= 1;
    std::ofstream(out, std::ios::binary | std::ios::trunc) << bad;
    return error_of([&] { read_results(out); });
  };
  const std::string begin = "cannot read \"" + out.string() + "\": ";
  // Numbers fill most of the file: the middle one belongs to a chunk.
  EXPECT_TRUE(error(good.size() / 2, good.size()).starts_with(begin + "it is damaged: "));
  EXPECT_NE(error(good.size() / 2, good.size()), "no error");
  for (const std::size_t length : {std::size_t(0), std::size_t(10), good.size() / 2, good.size() - 1})
    EXPECT_TRUE(error(good.size(), length).starts_with(begin)) << length;
  EXPECT_EQ(error_of([&] { read_results(file("none.h5")); }),
            "cannot read \"" + file("none.h5").string() + "\": No such file or directory");
}

TEST_F(Folder, H5RefusesATextWithAZero) {
  const std::string text_with_zero("a\0b", 3);
  EXPECT_EQ(error_of([&] {
              ResultWriter(file("out.h5"), {{text_with_zero, ""}}, about);
            }),
            "cannot write \"" + file("out.h5").string() +
                "\": the text \"a\" holds a zero character, which HDF5 cannot store");
}

}  // namespace
}  // namespace tandem
