// Results on disks that are full, read-only or no disks at all.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <array>
#include <csignal>
#include <cstdio>

#include "support/result_run.hpp"
#include "tandem/io/results/h5_file.hpp"

namespace tandem::result_tests {
namespace {

class ResultDisks : public ResultFiles {};

INSTANTIATE_TEST_SUITE_P(Formats, ResultDisks, ::testing::Values(".csv", ".h5"),
                         [](const auto& parameter) { return std::string(parameter.param).substr(1); });

TEST_P(ResultDisks, APlaceThatCannotBeIsNamed) {
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

TEST_P(ResultDisks, AfterAFailedWriteTheRunCanBeResumed) {
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

// A small disk in a private view of the file system.
class SmallDisk {
 public:
  explicit SmallDisk(const fs::path& at, int size_in_kib = 256) : at_(at) {
    fs::create_directories(at);
    good_ = unshare(CLONE_NEWNS) == 0 && mount("none", "/", "none", MS_REC | MS_PRIVATE, nullptr) == 0 &&
            mount("tmpfs", at.c_str(), "tmpfs", 0, ("size=" + std::to_string(size_in_kib) + "k").c_str()) == 0;
  }
  ~SmallDisk() {
    if (good_) umount2(at_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  bool good() const { return good_; }
  bool make_read_only() const { return mount("none", at_.c_str(), "none", MS_REMOUNT | MS_RDONLY, nullptr) == 0; }

 private:
  fs::path at_;
  bool good_;
};

TEST_P(ResultDisks, AFullDiskIsToldAndEarlierResultsStay) {
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
TEST_F(ResultFolder, AFullDiskAtTheEndOfAnH5RunIsToldAndTheRunStays) {
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

// HDF5 does not take kindly to a disk that is full, wherever in the file that happens: it may break down much later.
TEST_F(ResultFolder, H5FilesFailCleanlyAtEverySizeOfTheDisk) {
  ResultAbout long_about = about;
  long_about.attributes.emplace_back("long", std::string(20'000, 'x'));
  int failures = 0, successes = 0;
  for (int size = 4; successes < 3 && size < 1000; size += 4) {
    const SmallDisk disk(file("disk"), size);
    if (!disk.good()) GTEST_SKIP() << "no right to mount a small disk";
    const fs::path small = file("disk") / "out.h5";
    const std::string error = error_of([&] {
      write_h5(small, columns, long_about, 9000, [](std::size_t first, std::span<double> values) {
        for (std::size_t i = 0; i < values.size(); i += columns.size()) {
          const std::vector<double> row = sample_row(first + i / columns.size());
          std::copy(row.begin(), row.end(), values.begin() + static_cast<std::ptrdiff_t>(i));
        }
      });
    });
    if (error == "no error") {
      ++successes;
      EXPECT_EQ(read_results(small).rows(), 9000U);
    } else {
      ++failures;
      EXPECT_EQ(error, "cannot write \"" + small.string() + "\": No space left on device");
    }
  }
  EXPECT_EQ(successes, 3);
  EXPECT_GT(failures, 20);
}

TEST_P(ResultDisks, AReadOnlyDiskIsToldAndEarlierResultsStay) {
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

TEST_P(ResultDisks, AFolderWithoutTheRightToWriteIsTold) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  fs::permissions(path, fs::perms(0555));
  const std::string error = error_of([&] { ResultWriter(out(), columns, about); });
  fs::permissions(path, fs::perms(0755));
  EXPECT_EQ(error, "cannot write \"" + beside(".part").string() + "\": Permission denied");
}

TEST_F(ResultFolder, DevicesAndPipesAreWrittenStraightAsCsv) {
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
TEST_F(ResultFolder, AStandardOutputThatIsAPlainFileIsContinued) {
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

}  // namespace
}  // namespace tandem::result_tests
