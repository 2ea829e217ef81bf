// Models that once broke the program: what it says about them now.
#include <regex>

#include "program.hpp"
#include "support/defect_model.hpp"
#include "tandem/io/results/results.hpp"

namespace tandem::cli_tests {
namespace {

using Json = nlohmann::json;

class Defects : public Folder {};

TEST_F(Defects, EvaluateAndRunMarkTheSameLoads) {
  const std::string linkage = defect_file("quick_return");
  const Json shared{"pin A", "pin O4"};  // magnitudes; the motor's torque and the component in the plane are unique
  const Json evaluated = json_of("evaluate " + linkage + " --json");
  EXPECT_EQ(evaluated.at("not_unique"), shared);
  EXPECT_EQ(evaluated.at("drives").at("motor").at("unique"), true);
  EXPECT_EQ(evaluated.at("joints").at("A").at("unique_force"), (Json{true, false, true}));
  EXPECT_EQ(evaluated.at("joints").at("A").at("unique_torque"), (Json{false, true, false}));
  EXPECT_EQ(evaluated.at("joints").at("O2").at("coordinates").at("angle").at("unique_effort"), true);
  for (const char* how : {"", " --method articulated", " --cut loops"})
    EXPECT_EQ(json_of("run " + linkage + " --duration 0.1 --json" + how).at("not_unique"), shared) << how;
  const Result table = here("run " + linkage + " --duration 0.1");
  EXPECT_TRUE(says(table, "pin A *"));
  EXPECT_FALSE(says(table, "torque *"));
  EXPECT_FALSE(says(table, "pin A x *"));
  EXPECT_TRUE(json_of("evaluate " + defect_file("quick_return_not_redundant") + " --json").at("not_unique").empty());
  EXPECT_TRUE(json_of("run " + defect_file("hooke") + " --duration 0.1 --json").at("not_unique").empty());
}

TEST_F(Defects, FilesAndPagesMarkTheSameLoads) {
  const std::string linkage = defect_file("quick_return");
  ASSERT_EQ(here("run " + linkage + " --duration 0.1 --quiet --out a.h5 --report a.html").code, 0);
  EXPECT_EQ(read_results(file("a.h5")).attribute("not_unique"), "[\"pin A\",\"pin O4\"]");
  ASSERT_EQ(here("view a.h5 --out b.html").code, 0);
  for (const char* page : {"a.html", "b.html"}) {
    const std::string html = text(page), mark = "id=\"tandem-header\">";
    const std::size_t begin = html.find(mark) + mark.size();
    const Json motion = Json::parse(html.substr(begin, html.find("</script>", begin) - begin)).at("motions")[0];
    std::vector<std::string> names;
    for (const Json& column : motion.at("not_unique"))
      names.push_back(motion.at("columns")[column.get<std::size_t>()][0]);
    ASSERT_EQ(names.size(), 2U + 7U * 3U) << page;  // of every joint one force and two torques
    EXPECT_EQ(names[0], "pin A");
    EXPECT_EQ(names[1], "pin O4");
    EXPECT_EQ(names[2], "O2.force_y");
    EXPECT_EQ(names[4], "O2.torque_z");
  }
}

// The derivative by time of a square root has no value where it begins; the force has, and implicit needs no other.
TEST_F(Defects, ImplicitTakesForcesOfTimeThatBeginInAKink) {
  const Result run = here("run " + defect_file("force-begins-as-a-root") + " --integrator implicit --json");
  ASSERT_EQ(run.code, 0) << run.output;
  // x'' = sqrt(t - 1/2), from t = 1/2 on:  x(1) = (4/15) (1/2)^(5/2)
  EXPECT_NEAR(Json::parse(run.output).at("outputs").at("x").get<double>(), 0.0471404521, 1e-6);
}

// Both cranks of a parallelogram are driven: rows in use become dependent within a step, and others take their place.
TEST_F(Defects, HerkGoesOnWhereOtherRowsHoldTheMechanism) {
  for (const char* method : {"articulated", "lagrange"}) {
    const Result run =
        here("run " + defect_file("two-driven-cranks") + " --integrator herk --json --method " + std::string(method));
    ASSERT_EQ(run.code, 0) << run.output;
    EXPECT_EQ(Json::parse(run.output).at("trust"), "trusted") << method;
  }
}

TEST_F(Defects, NormalForcesOfTwoWheelsOnOneAxleAreUnique) {
  const Result run = here("run " + defect_file("cart") + " --set l=-0.1 --duration 0.1");
  EXPECT_EQ(run.code, 0) << run.output;
  EXPECT_FALSE(says(run, "is not unique"));
  EXPECT_TRUE(says(run, "left_y *"));
  EXPECT_FALSE(says(run, "left_z *"));
}

TEST_F(Defects, ALoadThatIsNotUniqueIsNoEvidence) {
  const std::string plate = defect_file("four-balls-under-a-plate");
  const Result run = here("run " + plate);
  EXPECT_EQ(run.code, 0) << run.output;
  EXPECT_TRUE(says(run, "the normal force of \"contact0\" is not unique"));
  EXPECT_FALSE(says(run, "lift off"));
  const Json summary = json_of("run " + plate + " --json");
  for (const auto& [name, load] : summary.at("normal_forces").items()) {
    EXPECT_EQ(load.at("unique"), false) << name;
    EXPECT_EQ(load.at("lifts_off"), false) << name;
  }
}

// Nothing was recorded of its wheel then.
TEST_F(Defects, AWheelWhoseFirstSampleFailsIsAFailure) {
  write("wheel.toml", R"(format = 1
[[body]]
name = "disc"
mass = 1e-6
inertia = [2e-8, 4e-8, 2e-8]
position = [0, 0, 0.3]
[[constraint]]
name = "ground"
type = "wheel"
bodies = ["world", "disc"]
radius = 0.3
[[force]]
type = "force"
body = "disc"
value = [1e305, 0, 0]
)");
  for (const char* method : {"articulated", "lagrange", "udwadia_kalaba", "null_space", "impulses"}) {
    const std::string command = "run wheel.toml --method " + std::string(method);
    const Result run = here(command);
    EXPECT_EQ(run.code, 3) << method << "\n" << run.output;
    EXPECT_TRUE(says(run, "numerical failure at t = 0 s: ")) << method << "\n" << run.output;
    EXPECT_FALSE(says(run, "is not unique")) << method << "\n" << run.output;
    EXPECT_EQ(here(command + " --json").code, 3) << method;
    EXPECT_EQ(here(command + " --report a.html --force").code, 3) << method;
  }
}

TEST_F(Defects, AStopThatAsksForALoadThatIsNotUniqueIsNamed) {
  std::ifstream in(defect_file("four-balls-under-a-plate"));
  const std::string plate{std::istreambuf_iterator<char>(in), {}};
  write("stop.toml", plate + "\n[[stop]]\nname = \"lifts\"\nwhen = \"lowest_load < -1000\"\n");
  EXPECT_TRUE(says(here("run stop.toml"), "stop \"lifts\" looks at a load that is not unique"));
  EXPECT_EQ(json_here("run stop.toml").at("stops_not_unique"), Json{"lifts"});
}

TEST_F(Defects, CheckCountsEveryRedundantRow) {
  const Json check = json_of("check " + defect_file("two_wheels") + " --json");
  EXPECT_EQ(check.at("redundant"), check.at("redundant_rows").size());
  EXPECT_EQ(check.at("redundant_nonholonomic"), 1);
  EXPECT_EQ(check.at("mobility").get<int>(), check.at("coordinates").get<int>() - check.at("holonomic").get<int>() -
                                                 check.at("driven").get<int>() - check.at("nonholonomic").get<int>() +
                                                 check.at("redundant").get<int>());
  EXPECT_EQ(check.at("loads_not_unique").at("constraint \"left_contact\""), "force y");
  for (const char* part : {"length", "mass", "time"}) EXPECT_GT(check.at("scale").at(part).get<double>(), 0.0) << part;
  const Result text = here("check " + defect_file("two_wheels"));
  EXPECT_TRUE(says(text, "redundant rows          1   of all these: they follow from the others (1 nonholonomic)"));
  for (const char* scale : {"length +[0-9.e+-]+ m ", "mass +[0-9.e+-]+ kg ", "time +[0-9.e+-]+ s "})
    EXPECT_TRUE(std::regex_search(text.output, std::regex(scale))) << scale << "\n" << text.output;
}

TEST_F(Defects, LinearizePrintsFiniteNumbersOnly) {
  const Result result = here("linearize " + defect_file("linearize-nan"));
  EXPECT_EQ(result.code, 0) << result.output;
  EXPECT_FALSE(std::regex_search(result.output, std::regex("(^|\\s)-?(nan|inf)\\b"))) << result.output;
  EXPECT_TRUE(says(result, "output \"speed\" has no derivative here and is left out"));
  EXPECT_TRUE(says(result, "output \"load\" has no derivative here and is left out"));
  const std::string json = here("linearize " + defect_file("linearize-nan") + " --json").output;
  EXPECT_TRUE(Json::parse(json, nullptr, false).at("D").empty()) << json;
}

TEST_F(Defects, ASplineThatSwingsIsReportedWithItsRemedy) {
  const Result spline = here("check " + defect_file("table-swings"));
  EXPECT_EQ(spline.code, 0);
  EXPECT_TRUE(says(spline, "table-swings.toml:16:9: warning: drive"));
  EXPECT_TRUE(says(spline, "the spline through the points swings to -192.4 between the times 0 and 1"));
  EXPECT_TRUE(says(spline, "between = \"monotone\" stays within the points"));
  std::ifstream in(defect_file("table-swings"));
  std::string model{std::istreambuf_iterator<char>(in), {}};
  model.replace(model.find("points="), 0, "between=\"monotone\"\n");
  model += "\n[[output]]\nname=\"angle\"\nquantity=\"coordinate\"\njoint=\"h\"\n";
  write("monotone.toml", model);
  EXPECT_FALSE(says(here("check monotone.toml"), "warning"));
  ASSERT_EQ(here("run monotone.toml --step 0.001 --strict --quiet --out a.csv").code, 0);  // 0 to 1 rad in a step: cut
  const ResultTable table = read_results(file("a.csv"));
  for (std::size_t row = 0; row < table.rows(); ++row) {
    EXPECT_GE(table.value(row, *table.find("angle")), -1e-9);
    EXPECT_LE(table.value(row, *table.find("angle")), 1.0 + 1e-9);
  }
}

TEST_F(Defects, ABeadThatRunsOffItsWireFailsByName) {
  const std::string wire = defect_file("bead-off-its-wire");
  for (const char* how :
       {"", " --integrator dop853", " --method articulated", " --method impulses", " --stabilise none"}) {
    const Result run = here("run " + wire + how);
    EXPECT_EQ(run.code, 3) << how << "\n" << run.output;
    EXPECT_TRUE(says(run, "constraint \"wire\": the point has run off the end of the curve, at curve[4]")) << how;
    EXPECT_TRUE(says(run, "the last good state is that of t = 1.1")) << how;
  }
  const Json stopped = json_here("run " + wire + " --duration 1.12");  // the end is 2.795 m away, reached at 1.129 s
  EXPECT_EQ(stopped.at("status"), "finished");
  EXPECT_NEAR(stopped.at("outputs").at("x").get<double>(), 0.5 * 9.81 * 0.4 * 1.12 * 1.12, 1e-6);
}

}  // namespace
}  // namespace tandem::cli_tests
