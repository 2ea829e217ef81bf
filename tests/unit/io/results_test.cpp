// Runs that write results, in both formats: round trips, refusals, killed and resumed runs.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <csignal>

#include "support/result_run.hpp"

namespace tandem::result_tests {
namespace {

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
            "cannot resume \"" + out().string() + "\": there is no \"" + beside(".checkpoint").string() +
                "\"; begin without --resume");
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
            "cannot resume \"" + out().string() + "\": that run has ended");
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
            "cannot resume \"" + out().string() + "\": there is no \"" + beside(".part").string() +
                "\"; begin without --resume");
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

}  // namespace
}  // namespace tandem::result_tests
