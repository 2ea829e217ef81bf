#include "program.hpp"

namespace tandem::cli_tests {

namespace {

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
