// Any bytes give a model or diagnostics, soon: what a hostile or a broken file may hold, and what it may refer to.
#include <gtest/gtest.h>

#include <clocale>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <locale>

#include "tandem/io/model/model_file.hpp"

namespace tandem {
namespace {

namespace fs = std::filesystem;

std::string repeated(std::size_t count, const std::string& text) {
  std::string out;
  out.reserve(count * text.size());
  for (std::size_t i = 0; i < count; ++i) out += text;
  return out;
}

const std::string bar = "[[body]]\nname = \"rod\"\nmass = 1\ninertia = [1, 1, 1]\n";

std::string refusal(const std::string& text, const ReadOptions& options = {}, const std::string& file = "test.toml") {
  try {
    read_model(text, file, options);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}

// Seconds of the processor that no file of a few megabytes needs, unless the work grows with the square of its size.
constexpr double soon = 20.0;

struct Hostile {
  std::string name, text;
};

class HostileTexts : public testing::TestWithParam<Hostile> {};

TEST_P(HostileTexts, AreAnsweredSoon) {
  const std::clock_t begin = std::clock();
  EXPECT_NE(refusal(GetParam().text), "");
  EXPECT_LT(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, soon);
}

std::string joints_of_nobody() {
  std::string text = "format = 1\n" + bar;
  for (int i = 0; i < 20000; ++i) {
    const std::string number = std::to_string(i);
    text += "[[joint]]\nname = \"j" + number + "\"\ntype = \"fixed\"\nbodies = [\"world\", \"b" + number + "\"]\n";
  }
  return text;
}

INSTANTIATE_TEST_SUITE_P(
    All, HostileTexts,
    testing::Values(Hostile{"nothing", ""}, Hostile{"zeros", std::string(1 << 20, '\0')},
                    Hostile{"lists_in_lists", "a = " + repeated(1 << 20, "[")},
                    Hostile{"lists_in_lists_of_json", repeated(1 << 20, "{\"a\":[")},
                    Hostile{"tables_in_tables", "a = " + repeated(1 << 20, "{a=")},
                    Hostile{"a_header_of_many_parts", "[a" + repeated(1 << 20, ".a") + "]"},
                    Hostile{"a_key_of_many_parts", "a" + repeated(1 << 20, ".a") + " = 1"},
                    Hostile{"a_key_of_many_quoted_parts", "a" + repeated(1 << 20, ".\"a\"") + " = 1"},
                    // A quote more at the end of a long text must not hide the rest of the line.
                    Hostile{"a_key_behind_a_long_text",
                            "b = [\"\"\"x\"\"\"\", {a" + repeated(1 << 20, ".a") + " = 1}]"},
                    Hostile{"many_texts_on_a_line", "a = [" + repeated(200000, "\"x\",") + "]"},
                    Hostile{"many_unknown_keys", repeated(100, "k") + " = 1\nformat = 1\n" + joints_of_nobody()},
                    Hostile{"joints_of_nobody", joints_of_nobody()},
                    Hostile{"parentheses", "format = 1\n" + bar + "center = [\"" + repeated(4000, "(") + "\", 0, 0]"},
                    Hostile{"a_text_without_end", "title = \"\"\"" + repeated(1 << 20, "x")},
                    Hostile{"objects_of_the_same_key", "{" + repeated(100000, "\"a\":1,") + "}"}),
    [](const auto& each) { return each.param.name; });

TEST(ReadLimits, TellAHundredErrorsAndThatThereAreMore) {
  try {
    read_model(joints_of_nobody(), "test.toml");
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_EQ(error.faults().list().size(), 101U);
    EXPECT_NE(error.faults().list().back().text().find("test.toml: error: there are more errors"), std::string::npos);
  }
}

TEST(ReadLimits, HaveNamesThatMeanThem) {
  for (const LimitName& limit : limit_names()) {
    ReadLimits limits = ReadLimits::of_accepted_text();
    EXPECT_EQ(limit.of(limits), limit.largest) << limit.name;
    limit.of(limits) = 7;
    std::size_t changed = 0;
    for (const LimitName& other : limit_names()) changed += other.of(limits) == 7 ? 1 : 0;
    EXPECT_EQ(changed, 1U) << limit.name;
  }
}

TEST(ReadLimits, MayBeRaised) {
  const std::string nested = repeated(100, "(") + "1" + repeated(100, ")");
  const std::string text = "format = 1\n" + bar + "velocity = [\"" + nested + "\", 0, 0]\n";
  EXPECT_NE(refusal(text), "");
  ReadOptions options;
  options.limits.expression.depth = 100;
  EXPECT_EQ(read_model(text, "test.toml", options).bodies[0].velocity.x(), 1.0);
}

// ---- numbers ----

struct CommaForPoint : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
};

TEST(Numbers, DoNotDependOnTheLocale) {
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new CommaForPoint));
  const std::string before_c = std::setlocale(LC_ALL, nullptr);
  std::setlocale(LC_ALL, "de_DE.UTF-8");  // where it is installed
  const std::string more = "velocity = [\"1.5\", 2.25, 1.5e-3]\n";
  const Model toml = read_model("format = 1\n" + bar + more, "test.toml");
  const Model json = read_model(R"({"format": 1, "body": [{"name": "rod", "mass": 1, "inertia": [1, 1, 1],
                                    "velocity": ["1.5", 2.25, 1.5e-3]}]})",
                                "test.json");
  std::setlocale(LC_ALL, before_c.c_str());
  std::locale::global(before);
  EXPECT_EQ(toml.bodies[0].velocity, Vector3(1.5, 2.25, 1.5e-3));
  EXPECT_EQ(json.bodies[0].velocity, toml.bodies[0].velocity);
}

// ---- tables in other files ----

class TableFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / "table-files";
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "model" / "tables");
    std::ofstream(folder_ / "outside.csv") << "0, 0\n1, 2\n";
    std::ofstream(folder_ / "model" / "tables" / "cam.csv") << "time, angle\r\n0, 0\r\n\r\n1, +2e0\r\n";
    fs::create_symlink(folder_ / "outside.csv", folder_ / "model" / "link.csv");
    fs::create_symlink(folder_ / "model" / "tables" / "cam.csv", folder_ / "model" / "near.csv");
  }
  std::string text(const std::string& name) const {
    return "format = 1\n" + bar +
           "[[joint]]\nname = \"hinge\"\ntype = \"revolute\"\nbodies = [\"world\", \"rod\"]\npoint = [0, 0, 0]\n"
           "axis = [0, 1, 0]\n[[drive]]\njoint = \"hinge\"\ntype = \"table\"\npoints = { file = \"" +
           name + "\" }\n";
  }
  std::string model_file() const { return (folder_ / "model" / "m.toml").string(); }
  static Eigen::Vector2d motion(const Model& model, double t) {
    const Jet<double> jet = model.drives.at(0).drive.motion(t);
    return {jet.value, jet.rate};
  }

  fs::path folder_;
};

TEST_F(TableFiles, AreReadFromTheFolderOfTheModel) {
  for (const char* name : {"tables/cam.csv", "near.csv", "tables/../tables/cam.csv"}) {
    const Model model = read_model(text(name), model_file());
    EXPECT_EQ(motion(model, 0.0).x(), 0.0);
    EXPECT_EQ(motion(model, 1.0).x(), 2.0);
    // The text that goes into results and is read again holds the rows themselves.
    EXPECT_EQ(model.text.find("file"), std::string::npos);
    EXPECT_EQ(motion(read_model(model.text, "elsewhere.toml"), 0.5), motion(model, 0.5));
    EXPECT_EQ(motion(ParsedModel(text(name), model_file()).read(), 0.5), motion(model, 0.5));
  }
}

TEST_F(TableFiles, OutsideOfItAreRefusedUnlessAllowed) {
  ReadOptions allowed;
  allowed.allow_external_files = true;
  for (const std::string& name : {std::string("../outside.csv"), (folder_ / "outside.csv").string(),
                                  std::string("link.csv"), std::string("tables/../../outside.csv")}) {
    EXPECT_NE(refusal(text(name), {}, model_file()).find("lies outside the folder of the model"), std::string::npos)
        << name;
    EXPECT_EQ(motion(read_model(text(name), model_file(), allowed), 1.0).x(), 2.0);
  }
}

// Nothing lies below a folder that cannot be followed, not even a file that is there.
TEST_F(TableFiles, AreRefusedWhenTheFolderOfTheModelCannotBeFollowed) {
  fs::create_symlink("loop", folder_ / "loop");
  const std::string model = (folder_ / "loop" / "m.toml").string();
  for (const std::string& name : {std::string("cam.csv"), (folder_ / "outside.csv").string()})
    EXPECT_NE(refusal(text(name), {}, model).find("lies outside the folder of the model"), std::string::npos) << name;
}

// One small model may name a large file many times.
TEST_F(TableFiles, AreCountedTogether) {
  std::string many = text("tables/cam.csv");
  ReadOptions options;
  options.limits.values = 60;  // of the text, too
  EXPECT_EQ(refusal(many, options, model_file()), "");
  for (int i = 0; i < 10; ++i) many += "[[drive]]\njoint = \"hinge\"\npoints = { file = \"tables/cam.csv\" }\n";
  options.limits.values = 80;
  EXPECT_EQ(refusal(many, options, model_file()).find("the tables of the model hold more than 80 values"),
            std::string::npos);
  options.limits.values = 65;
  EXPECT_NE(refusal(many, options, model_file()).find("values; "), std::string::npos);
}

TEST_F(TableFiles, ThatAreNoFilesAreRefused) {
  ReadOptions allowed;
  allowed.allow_external_files = true;
  EXPECT_NE(refusal(text("/dev/zero"), allowed, model_file()).find("it is a device"), std::string::npos);
  EXPECT_NE(refusal(text("tables"), {}, model_file()).find("it is a directory"), std::string::npos);
}

TEST(TableFilesOfTheWorkingFolder, AreReadForATextWithoutAFolder) {
  const std::string text = "format = 1\n" + bar +
                           "[[constraint]]\nname = \"wire\"\ntype = \"point_on_curve\"\nbodies = [\"world\", \"rod\"]\n"
                           "point = [0, 0, 0]\ncurve = { file = \"wire-of-limits-test.csv\" }\n";
  EXPECT_NE(refusal(text).find("No such file"), std::string::npos);
  std::ofstream("wire-of-limits-test.csv") << "0, 0, 0\n1, 0, 0\n2, 1, 0\n";
  EXPECT_EQ(refusal(text), "");
  fs::remove("wire-of-limits-test.csv");
}

}  // namespace
}  // namespace tandem
