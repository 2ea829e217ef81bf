// What stands in result files of each format, and what is refused when they are read.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>

#include "support/result_run.hpp"

namespace tandem::result_tests {
namespace {

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

TEST_F(ResultFolder, UnknownExtensionsAreRefused) {
  EXPECT_EQ(error_of([&] { ResultWriter(file("out.cvs"), columns, about); }),
            "cannot write \"" + file("out.cvs").string() +
                "\": results are \".csv\", \".h5\" or \".hdf5\" files; did you mean \".csv\"?");
  EXPECT_EQ(error_of([&] { read_results(file("out")); }),
            "cannot read \"" + file("out").string() + "\": results are \".csv\", \".h5\" or \".hdf5\" files");
  EXPECT_EQ(entries(), 0U);
  whole_run(file("out.HDF5"), 3);
  EXPECT_EQ(read_results(file("out.HDF5")).attribute("status"), "finished");
}

TEST_F(ResultFolder, CsvText) {
  const fs::path out = file("out.csv");
  ResultWriter writer(out, columns, about);
  writer.row(std::array{0.001, 1e-7, 1e22, -0.0, 123456.789});
  writer.finish({{{"status", "finished"}}});
  EXPECT_EQ(text(out),
            "t [s],\"a, \"\"b\"\" [m/s]\",plain,\"two\nlines [N m]\",schräg [°]\n0.001,1e-07,1e+22,-0,123456.789\n");
}

TEST_F(ResultFolder, BadCsvFilesAreRefusedWithTheLine) {
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

TEST_F(ResultFolder, CsvOfOtherProgramsIsRead) {
  std::ofstream(file("other.csv")) << "\xef\xbb\xbft [s],\"x\"\r\n1,2\r\n3,4e0";
  const ResultTable table = read_results(file("other.csv"));
  EXPECT_EQ(table.columns, (std::vector<ResultColumn>{{"t", "s"}, {"x", ""}}));
  EXPECT_EQ(table.values, (std::vector<double>{1, 2, 3, 4}));
}

TEST_F(ResultFolder, H5AttributesNamesAndUnits) {
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

TEST_F(ResultFolder, H5OfManyColumns) {
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

TEST_F(ResultFolder, H5ToolsSeeChecksumsAndEqualFilesAndNoTimes) {
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
  const std::string list = shell("h5ls -v " + file("a.h5").string()).output;
  EXPECT_NE(list.find("Location:"), std::string::npos) << list;
  EXPECT_EQ(list.find("Modified:"), std::string::npos) << list;
}

TEST_F(ResultFolder, DamagedH5FilesAreRefused) {
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

TEST_F(ResultFolder, H5RefusesATextWithAZero) {
  const std::string text_with_zero("a\0b", 3);
  EXPECT_EQ(error_of([&] {
              ResultWriter(file("out.h5"), {{text_with_zero, ""}}, about);
            }),
            "cannot write \"" + file("out.h5").string() +
                "\": the text \"a\" holds a zero character, which HDF5 cannot store");
}

}  // namespace
}  // namespace tandem::result_tests
