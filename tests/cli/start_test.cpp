// Where commands begin: --hold, --assemble, [[start]] tables and drives mean the same to all of them.
#include "program.hpp"
#include "support/defect_model.hpp"

namespace tandem::cli_tests {
namespace {

using Json = nlohmann::json;

class Starts : public Folder {
 protected:
  std::string pendulum(const std::string& more) const {
    return write("pendulum.toml",
                 "format = 1\n[[body]]\nname = \"rod\"\nmass = 1\ninertia = [0.1, 0.1, 0.1]\nposition = [0, 0, -0.5]\n"
                 "[[joint]]\nname = \"hinge\"\ntype = \"revolute\"\nbodies = [\"world\", \"rod\"]\npoint = [0, 0, 0]\n"
                 "axis = [0, 1, 0]\n[simulation]\nduration = 0.02\nstep = 0.01\n" +
                     more);
  }
};

// The tables ask for the place where the drives begin.
TEST_F(Starts, ADriveOfAHeldCoordinateIsNoMistakeToAnyCommand) {
  const std::string arm = defect_file("arm_start_and_drive") + " --set q_joint1=0.5";
  for (const char* command :
       {"check", "assemble", "evaluate", "run --duration 0.01 --step 0.001", "linearize --about start"})
    EXPECT_EQ(tandem_program(std::string(command) + " " + arm + " 2>&1").code, 0) << command;
  EXPECT_NEAR(
      json_of("evaluate " + arm + " --json").at("joints").at("joint1").at("coordinates").at("angle").at("value"), 0.5,
      1e-12);
  EXPECT_NEAR(json_of("assemble " + arm + " --json").at("held").at("joint1").at("value"), 0.5, 1e-12);
  const Json check = json_of("check " + arm + " --json");
  EXPECT_LE(check.at("start").at("position_residual").get<double>(), 1e-12);
  EXPECT_EQ(check.at("notes").dump().find("refuse"), std::string::npos) << check.at("notes");
}

TEST_F(Starts, ADriveThatBeginsElsewhereIsAMistakeToAllCommands) {
  const std::string held = "[[start]]\njoint = \"hinge\"\nvalue = 0.1\n";
  const std::string drive = "[[drive]]\njoint = \"hinge\"\ntype = \"hold\"\nvalue = 0.3\n";
  for (const std::string& more : {held + drive, drive}) {
    const std::string model = pendulum(more);
    for (const char* command : {"evaluate", "run", "steady", "linearize", "linearize --about start"}) {
      const Result result = tandem_program(std::string(command) + " " + model + " 2>&1");
      EXPECT_EQ(result.code, 1) << command << "\n" << result.output;
    }
    EXPECT_TRUE(says(tandem_program("check " + model), "will refuse it")) << more;
  }
  EXPECT_EQ(tandem_program("assemble " + pendulum(held + drive) + " 2>&1").code, 1);
}

TEST_F(Starts, HoldMeansTheSameInTheStartOfEveryCommand) {
  const std::string hold = " --hold lean=0.1 --hold steer=0.05 --hold steer.rate=0.2 --json";
  const Json assembled = json_of("assemble bicycle" + hold), evaluated = json_of("evaluate bicycle" + hold);
  const Json linear = json_of("linearize bicycle --about start" + hold);
  EXPECT_NEAR(evaluated.at("outputs").at("lean"), 0.1, 1e-12);
  EXPECT_NEAR(evaluated.at("joints").at("steer").at("coordinates").at("angle").at("value"), 0.05, 1e-12);
  EXPECT_NEAR(evaluated.at("joints").at("steer").at("coordinates").at("angle").at("rate"), 0.2, 1e-12);
  for (const char* body : {"frame", "fork", "front_wheel", "rear_wheel"})
    for (const char* what : {"position", "velocity"})
      for (std::size_t k = 0; k < 3; ++k)
        EXPECT_NEAR(evaluated.at("bodies").at(body).at(what)[k].get<double>(),
                    assembled.at("bodies").at(body).at(what)[k].get<double>(), 1e-12)
            << body << what;
  EXPECT_EQ(linear.at("pose").dump().empty(), false);
  ASSERT_EQ(
      here("run bicycle --hold lean=0.1 --hold steer=0.05 --hold steer.rate=0.2 --duration 0.01 --quiet --out a.csv")
          .code,
      0);
  const Json old = json_of("assemble bicycle --hold lean=0.1 --hold steer=0.05 --hold-rate steer=0.2 --json");
  EXPECT_EQ(old.at("bodies"), assembled.at("bodies"));
}

TEST_F(Starts, HoldMeansTheSameInEverySteadyMotion) {
  const Json steady = json_of("steady bicycle --hold lean=0.1 --json");
  const Json run = json_of("run bicycle --steady --hold lean=0.1 --duration 0.05 --json");
  const Json linear = json_of("linearize bicycle --hold lean=0.1 --json");
  EXPECT_NEAR(run.at("outputs").at("lean"), 0.1, 1e-9);
  EXPECT_NEAR(linear.at("steady").at("yaw_rate"), steady.at("yaw_rate").get<double>(), 1e-12);
  EXPECT_EQ(tandem_program("steady bicycle --hold hub_speed=5 2>&1").code, 0);
  for (const char* command : {"evaluate", "run", "assemble", "linearize --about start"}) {
    const Result speed = tandem_program(std::string(command) + " bicycle --hold hub_speed=5 2>&1");
    EXPECT_EQ(speed.code, 2) << command;
    EXPECT_TRUE(says(speed, "at which only a steady motion can be held")) << command;
  }
}

TEST_F(Starts, AFarStartIsRefusedOrAssembledByEveryCommand) {
  const std::string model = pendulum("");
  const std::string far = write("far.toml", [&] {
    std::string text = this->text("pendulum.toml");
    return text.replace(text.find("point = [0, 0, 0]\naxis = [0, 1, 0]"), 34,
                        "frames = [{ z_axis = [0, 1, 0] }, { position = [0.1, 0, 0.5], z_axis = [0, 1, 0] }]");
  }());
  for (const char* command : {"evaluate", "run", "steady", "linearize", "linearize --about start"}) {
    const Result refused = tandem_program(std::string(command) + " " + far + " 2>&1");
    EXPECT_EQ(refused.code, 1) << command << "\n" << refused.output;
    EXPECT_TRUE(says(refused, "--assemble would move it onto its constraints")) << command;
    EXPECT_EQ(tandem_program(std::string(command) + " " + far + " --assemble 2>&1").code, 0) << command;
  }
  EXPECT_TRUE(says(tandem_program("check " + far), "will refuse it"));
}

// check counts and measures where a run would begin.
TEST_F(Starts, CheckLooksAtTheStartOfARun) {
  const Json moved = json_of("check " + pendulum("[[start]]\njoint = \"hinge\"\nvalue = 0.4\nrate = 2\n") + " --json");
  EXPECT_LE(moved.at("start").at("velocity_residual").get<double>(), 1e-12);
  EXPECT_TRUE(moved.at("notes").empty());
  const std::string against = pendulum(
      "[[start]]\njoint = \"hinge\"\nvalue = 0.1\n[[start]]\nbody = \"rod\"\nquantity = \"pitch\"\nvalue = 0.5\n");
  const Result check = tandem_program("check " + against);
  EXPECT_EQ(check.code, 0);
  EXPECT_TRUE(says(check, "held rod.pitch cannot be 0.5: it contradicts"));
  EXPECT_TRUE(says(check, "evaluate and run will refuse it"));
  EXPECT_EQ(tandem_program("evaluate " + against + " 2>&1").code, 1);
  EXPECT_EQ(tandem_program("run " + against + " 2>&1").code, 1);
}

}  // namespace
}  // namespace tandem::cli_tests
