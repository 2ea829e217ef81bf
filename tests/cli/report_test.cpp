#include <cstring>

#include "program.hpp"

namespace tandem::cli_tests {

namespace {

std::string from_base64(const std::string& text) {
  static constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  unsigned word = 0;
  int bits = 0;
  for (const char c : text) {
    const std::size_t digit = digits.find(c);
    if (digit == std::string_view::npos) continue;
    word = word << 6U | static_cast<unsigned>(digit);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    out += static_cast<char>(word >> static_cast<unsigned>(bits) & 255U);
  }
  return out;
}

class Reports : public Folder {
 protected:
  void SetUp() override {
    Folder::SetUp();
    const Result made = here("view top --out probe.html");
    if (made.code == 4 && made.output.find("has no page for reports") != std::string::npos) GTEST_SKIP() << made.output;
    ASSERT_EQ(made.code, 0) << made.output;
    fs::remove(path / "probe.html");
  }
  nlohmann::json header(const std::string& name) const {
    const std::string all = text(name), mark = "id=\"tandem-header\">";
    const std::size_t begin = all.find(mark) + mark.size(), end = all.find("</script>", begin);
    return nlohmann::json::parse(all.substr(begin, end - begin), nullptr, false);
  }
};

TEST_F(Reports, RunWritesOneFileThatTellsOfTheRun) {
  const Result run = here("run bicycle --duration 0.5 --report ride.html");
  EXPECT_EQ(run.code, 0);
  EXPECT_TRUE(says(run, "report: ride.html"));
  const nlohmann::json data = header("ride.html");
  EXPECT_EQ(data["format"], 1);
  EXPECT_EQ(data["model"]["bodies"].size(), 4u);
  EXPECT_EQ(data["motions"][0]["rows"], 51);
  EXPECT_EQ(data["verdict"]["trust"], "trusted");
  EXPECT_EQ(entries(), 1u);
  EXPECT_EQ(json_here("run bicycle --duration 0.1 --report ride.html --force")["report"], "ride.html");
}

// Reactions are found anew from the rows of the file, by the method and the cut of its run.
TEST_F(Reports, ResultsOfEveryCutAreShownWithReactions) {
  for (const char* how : {"--cut all", "--method articulated", "--cut all --coordinates quaternion"}) {
    ASSERT_EQ(here(std::string("run four-bar --duration 0.1 --out run.h5 --force ") + how).code, 0) << how;
    ASSERT_EQ(here("view run.h5 --out run.html").code, 0) << how;
    const std::string columns = header("run.html")["motions"][0]["columns"].dump();
    for (const char* joint : {"ground_crank", "crank_coupler", "coupler_rocker", "ground_rocker"})
      EXPECT_NE(columns.find(std::string("\"") + joint + ".force_x\""), std::string::npos) << how << ": " << columns;
    fs::remove(path / "run.html");
  }
}

TEST_F(Reports, AFailedRunIsShownToo) {
  const std::string pendulum =
      "[[joint]]\ntype='revolute'\nname='j'\nbodies=['world','b']\npoint=[0,0,0]\naxis=[0,1,0]\n";
  write("fast.toml",
        "format=1\n[[body]]\nname='b'\nmass=1\nshape={type='rod',length=1}\nposition=[0.5,0,0]\n"
        "angular_velocity=[0,400,0]\nvelocity=[0,0,-200]\n" +
            pendulum);
  const Result run = here("run fast.toml --step 0.05 --duration 1 --report fast.html");
  EXPECT_EQ(run.code, 3) << run.output;
  EXPECT_EQ(header("fast.html")["verdict"]["trust"], "not to be trusted");
}

TEST_F(Reports, PlacesThatDoNotDoAreRefusedBeforeTheRun) {
  write("notes.html", "<p>mine</p>");
  for (const auto& [place, why] : std::vector<std::pair<std::string, std::string>>{
           {"notes.html", "it exists already; choose another name, or replace it with --force"},
           {"page.txt", "a report is an .html file"},
           {"nowhere/page.html", "there is no such folder"},
           {".", "it is a folder"}}) {
    for (const char* command : {"run top --duration 1e6", "compare top", "linearize top", "view top --out x.html"}) {
      const std::string option = std::string(command).starts_with("view") ? " --out " : " --report ";
      const std::string words = std::string(command).substr(0, std::string(command).find(" --out"));
      const Result result = here(words + option + place);
      EXPECT_EQ(result.code, 4) << result.output;
      EXPECT_TRUE(says(result, why));
    }
  }
  EXPECT_EQ(text("notes.html"), "<p>mine</p>");
  const Result resume = here("run top --out top.csv --resume --report top.html");
  EXPECT_EQ(resume.code, 2);
  EXPECT_TRUE(says(resume, "tandem view FILE"));
}

TEST_F(Reports, CompareHasTheOtherMethodsAsGhosts) {
  EXPECT_EQ(here("compare two-body --duration 1 --report two.html").code, 0);
  const nlohmann::json data = header("two.html");
  EXPECT_EQ(data["motions"][0]["name"], "lagrange, cut all");
  EXPECT_EQ(data["ghosts"].size(), 4u);
  EXPECT_EQ(data["ghosts"][0]["columns"].size(), 2u + 12u);
  EXPECT_EQ(data["verdict"]["trust"], "trusted");
}

// The words of a line, of a row of a table.
std::string words_of(const std::string& text) {
  std::istringstream in(text);
  std::string all;
  for (std::string word; in >> word;) all += (all.empty() ? "" : " ") + word;
  return all;
}
std::string words_of(const nlohmann::json& row) {
  std::string all;
  for (const nlohmann::json& cell : row) all += cell.get<std::string>() + " ";
  return words_of(all);
}
bool has_line(const Result& result, const std::string& words) {
  std::istringstream in(result.output);
  for (std::string line; std::getline(in, line);)
    if (words_of(line) == words) return true;
  return false;
}

TEST_F(Reports, AComparisonSaysWhatTheProgramPrints) {
  // Two that agree, one of them up to its horizon, and one that differs.
  write("soft.toml",
        "format = 1\n[[body]]\nname = \"bob\"\nmass = 1\npoint_mass = true\nposition = [1, 0, 0]\n[[constraint]]\n"
        "name = \"cord\"\ntype = \"distance\"\nbodies = [\"world\", \"bob\"]\npoints = [[0, 0, 0], [1, 0, 0]]\n"
        "soft = { frequency = 3, damping_ratio = 0.3 }\n");
  for (const auto& [words, verdict] : std::vector<std::pair<std::string, std::string>>{
           {"two-body --duration 1", "agree"},
           {"chain --set angle=3 --duration 6 --step 0.01 --tolerance 1e-8 --methods lagrange,null_space", "agree"},
           {"soft.toml --duration 0.5 --step 0.01", "differ"}}) {
    const Result run = here("compare " + words + " --report page.html --force");
    const nlohmann::json page = header("page.html"), said = page["verdict"];
    EXPECT_EQ(said["word"], verdict) << run.output;
    EXPECT_NE(run.output.find(": " + verdict + "\n"), std::string::npos) << run.output;
    EXPECT_TRUE(says(run, said["sentence"].get<std::string>()));
    ASSERT_EQ(said["tables"].size(), 2U);
    EXPECT_TRUE(has_line(run, words_of(said["tables"][0]["heading"])));
    for (const nlohmann::json& row : said["tables"][0]["rows"]) EXPECT_TRUE(has_line(run, words_of(row))) << row;
    for (const nlohmann::json& row : said["tables"][1]["rows"])
      EXPECT_TRUE(has_line(run, words_of(nlohmann::json{row[1], row[0], row[2]}))) << row;
    for (const nlohmann::json& note : said["notes"]) EXPECT_TRUE(has_line(run, words_of(note.get<std::string>())));
  }
}

// What is drawn is what was compared: up to the horizon, with the differences of the table.
TEST_F(Reports, GhostsEndAtTheHorizonAndHaveTheDifferencesOfTheTable) {
  const nlohmann::json result = json_here(
      "compare chain --set angle=3 --duration 6 --step 0.01 --tolerance 1e-8 --methods lagrange,null_space "
      "--report page.html");
  const nlohmann::json page = header("page.html");
  const double horizon = result["horizon"].get<double>();
  ASSERT_LT(horizon, 6.0);
  ASSERT_EQ(page["ghosts"].size(), 1U);
  const auto numbers = [&](const nlohmann::json& table) {
    const std::string html = text("page.html"),
                      mark = "id=\"tandem-numbers-" + std::to_string(table["table"].get<int>()) + "\">";
    const std::size_t begin = html.find(mark) + mark.size();
    return from_base64(html.substr(begin, html.find('<', begin) - begin));
  };
  const std::size_t rows = page["ghosts"][0]["rows"];
  const std::string ghost = numbers(page["ghosts"][0]), motion = numbers(page["motions"][0]);
  const auto at = [](const std::string& bytes, std::size_t from, auto value) {
    std::memcpy(&value, bytes.data() + from, sizeof value);
    return value;
  };
  EXPECT_NEAR(at(ghost, 8 * (rows - 1), 0.0), horizon, 1e-9);
  const std::size_t last = page["motions"][0]["rows"].get<std::size_t>() - 1;
  EXPECT_NEAR(at(motion, 8 * last, 0.0), horizon, 1e-9);
  float most = 0.0F;
  for (std::size_t i = 0; i < rows; ++i) most = std::max(most, at(ghost, 8 * rows + 4 * i, 0.0F));
  for (const nlohmann::json& method : result["methods"]) {
    if (method["name"] != "null_space") continue;
    EXPECT_FLOAT_EQ(most, method["pose_difference"].get<float>());
  }
}

// As the program does: a star at the output, at the columns, and what it means.
TEST_F(Reports, WhatTheProgramStarsIsStarred) {
  const std::string door = TANDEM_SOURCE_DIR "/tests/cli/degenerate/door-on-two-hinges.toml";
  const Result run = here("run " + door + " --duration 0.1 --report door.html");
  const nlohmann::json page = header("door.html");
  const nlohmann::json outputs = page["verdict"]["tables"][0];
  EXPECT_TRUE(has_line(run, words_of(outputs["heading"])));
  bool starred = false;
  for (const nlohmann::json& row : outputs["rows"]) {
    EXPECT_TRUE(has_line(run, words_of(row))) << row << run.output;
    starred = starred || row[0].get<std::string>().ends_with(" *");
  }
  EXPECT_TRUE(starred);
  const std::string note = page["notices"][0];
  EXPECT_TRUE(note.starts_with("* ") && says(run, note.substr(0, note.size() - 1))) << note;
  // Reasons and the word are those of the program.
  EXPECT_TRUE(has_line(run, page["verdict"]["word"]));
  for (const nlohmann::json& reason : page["verdict"]["reasons"])
    EXPECT_TRUE(says(run, reason["text"].get<std::string>()));
}

TEST_F(Reports, LinearizeHasItsModes) {
  EXPECT_EQ(here("linearize bicycle --sweep v=4:6:5 --report modes.html").code, 0);
  const nlohmann::json modes = header("modes.html")["modes"];
  EXPECT_EQ(modes["parameter"], "v");
  EXPECT_EQ(modes["unit"], "m/s");
  EXPECT_EQ(modes["points"]["rows"], 5);
  EXPECT_EQ(modes["modes"][0]["eigenvalues"].size(), 5u);
  EXPECT_NEAR(modes["stable"][0][0].get<double>(), 4.29238253634, 1e-9);
}

TEST_F(Reports, ViewTakesResultsAndModels) {
  ASSERT_EQ(here("run four-bar --duration 0.2 --quiet --out f.h5").code, 0);
  ASSERT_EQ(here("run four-bar --duration 0.2 --quiet --out f.csv").code, 0);
  EXPECT_TRUE(says(here("view f.h5"), "report: f.html"));
  EXPECT_EQ(header("f.html")["model"]["joints"].size(), 4u);
  EXPECT_TRUE(says(here("view f.csv --out g.html"), "report: g.html"));
  EXPECT_EQ(header("g.html")["model"]["joints"].size(), 0u);
  EXPECT_EQ(header("g.html")["model"]["bodies"].size(), 3u);
  EXPECT_EQ(header("g.html")["notices"].size(), 1u);
  EXPECT_TRUE(says(here("view four-bar"), "report: four-bar.html"));
  EXPECT_EQ(header("four-bar.html")["motions"][0]["rows"], 1);
}

TEST_F(Reports, ViewTellsWhatIsWrong) {
  ASSERT_EQ(here("run four-bar --duration 0.1 --quiet --out f.csv").code, 0);
  const Result other = here("view f.csv --model bicycle");
  EXPECT_EQ(other.code, 4);
  EXPECT_TRUE(says(other, "they are not of this model"));
  EXPECT_EQ(here("view four-bar --model bicycle").code, 2);
  EXPECT_EQ(here("view f.csv --set a=1").code, 2);
  EXPECT_EQ(here("view missing.h5").code, 4);
  EXPECT_EQ(here("view missing").code, 4);
  EXPECT_EQ(here("view").code, 2);
  write("t.csv", "x [m],y [m]\n1,2\n");
  EXPECT_TRUE(says(here("view t.csv"), "have no column \"t\""));
}

}  // namespace

}  // namespace tandem::cli_tests
