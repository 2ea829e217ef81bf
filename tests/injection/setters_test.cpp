// The same numbers through C++: every numeric field of a description, and what runs and simulations are told.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <map>
#include <regex>
#include <set>

#include "support/injected_run.hpp"
#include "tandem/constraints/all.hpp"
#include "tandem/drives/all.hpp"
#include "tandem/forces/all.hpp"
#include "tandem/io/model/model_file.hpp"
#include "tandem/joints/all.hpp"
#include "tandem/model/builder.hpp"
#include "tandem/run/run.hpp"

namespace tandem {
namespace {

namespace fs = std::filesystem;

constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
const std::vector<double> numbers{nan, inf, -inf, 1e300, -1e300, 0.0, -1.0, 5e-324, -1e-310, 1e16, 1e154, 1e160};

const ModelDescription& carrier(const std::string& name) {
  static std::map<std::string, ModelDescription> known;
  if (!known.contains(name)) {
    const fs::path path = fs::path(TANDEM_SOURCE_DIR "/tests/injection/carriers") / (name + ".toml");
    Faults faults;
    known[name] = read_description(text_of(path), path.string(), {}, faults);
    EXPECT_FALSE(faults.any_error()) << name;
  }
  return known[name];
}

struct Setter {
  std::string field;  // Struct::field
  std::string carrier;
  std::function<void(ModelDescription&, double)> set;
};

template <class Thing> Thing& named(std::vector<Thing>& things, const std::string& name) {
  const auto found = std::find_if(things.begin(), things.end(), [&](const Thing& thing) { return thing.name == name; });
  if (found == things.end()) throw std::logic_error("no carrier has " + name);
  return *found;
}
ConstraintDescription& constraint(ModelDescription& model, const std::string& name) {
  return named(model.constraints, name);
}

TimeFunction function(double value) { return TimeFunction(Real(value)); }

void add_bodies(std::vector<Setter>& out) {
  const auto body = [&](const char* field, const std::string& which, auto set) {
    out.push_back({std::string("BodyDescription::") + field, "bodies",
                   [=](ModelDescription& model, double x) { set(named(model.bodies, which), x); }});
  };
  body("mass", "numbers", [](BodyDescription& b, double x) { b.mass = x; });
  body("inertia", "numbers", [](BodyDescription& b, double x) { (*b.inertia)[0] = x; });
  body("inertia", "numbers", [](BodyDescription& b, double x) { (*b.inertia)[3] = x; });
  for (int i = 0; i < 3; ++i) {
    body("center", "numbers", [i](BodyDescription& b, double x) { (*b.center)[i] = x; });
    body("position", "numbers", [i](BodyDescription& b, double x) { b.position[i] = x; });
    body("velocity", "point", [i](BodyDescription& b, double x) { b.velocity[i] = x; });
    body("angular_velocity", "box", [i](BodyDescription& b, double x) { b.angular_velocity[i] = x; });
    body("rotation", "box", [i](BodyDescription& b, double x) { b.rotation(0, i) = x; });
  }
  const auto shape = [&](const char* field, const std::string& which, auto set) {
    out.push_back({std::string("Shape::") + field, "bodies",
                   [=](ModelDescription& model, double x) { set(named(model.bodies, which).shapes[0], x); }});
  };
  shape("radius", "cylinder", [](Shape& s, double x) { s.radius = x; });
  shape("length", "cylinder", [](Shape& s, double x) { s.length = x; });
  shape("size", "box", [](Shape& s, double x) { s.size[1] = x; });
  shape("mass", "sphere", [](Shape& s, double x) { s.mass = x; });
  shape("density", "cylinder", [](Shape& s, double x) { s.density = x; });
  shape("position", "cylinder", [](Shape& s, double x) { s.position[1] = x; });
  shape("axis", "cylinder", [](Shape& s, double x) { s.axis = Vector3(0, x, 1); });
  out.push_back({"FrameDescription::position", "bodies",
                 [](ModelDescription& m, double x) { named(m.bodies, "box").frames[0].position[1] = x; }});
  out.push_back({"FrameDescription::position", "joints",
                 [](ModelDescription& m, double x) { m.world_frames[0].position[1] = x; }});
  out.push_back({"FrameDescription::rotation", "joints",
                 [](ModelDescription& m, double x) { m.world_frames[0].rotation(1, 2) = x; }});
  out.push_back({"ModelDescription::gravity", "bodies", [](ModelDescription& m, double x) { m.gravity[1] = x; }});
  out.push_back(
      {"ModelDescription::parameters", "bodies", [](ModelDescription& m, double x) { m.parameters[0].second = x; }});
}

void add_joints(std::vector<Setter>& out) {
  const auto joint = [&](const char* field, const std::string& which, auto set) {
    out.push_back({field, "joints", [=](ModelDescription& m, double x) { set(named(m.joints, which), x); }});
  };
  for (int i = 0; i < 3; ++i) {
    joint("JointDescription::point", "hinge", [i](JointDescription& j, double x) { (*j.point)[i] = x; });
    joint("JointDescription::axis", "slide", [i](JointDescription& j, double x) { (*j.axis)[i] = x; });
    joint("JointDescription::second_axis", "cardan", [i](JointDescription& j, double x) { (*j.second_axis)[i] = x; });
    joint("FramePlacement::position", "tube", [i](JointDescription& j, double x) { (*j.frames)[1].position[i] = x; });
    joint("FramePlacement::rotation", "tube",
          [i](JointDescription& j, double x) { (*j.frames)[1].rotation(i, 1) = x; });
  }
  joint("Helical::pitch", "screw", [](JointDescription& j, double x) {
    Helical screw;
    screw.pitch = x;
    j.type = Joint(screw);
  });
}

void add_constraints(std::vector<Setter>& out) {
  const auto type = [&](const char* field, const std::string& which, auto make) {
    for (const char* carrier_name : {"constraints", "soft"})
      out.push_back({field, carrier_name, [=](ModelDescription& m, double x) { constraint(m, which).type = make(x); }});
  };
  type("Distance::length", "rod", [](double x) { return Constraint(Distance{.length = function(x)}); });
  type("PointOnCircle::radius", "on circle", [](double x) { return Constraint(PointOnCircle{.radius = x}); });
  type("PointOnCurve::curve", "on curve", [](double x) {
    return Constraint(PointOnCurve::through({{-1, 0, 0.2}, {0, 0, 0}, {0.5, x, 0.1}, {1, 0.2, 0.3}}, false));
  });
  type("RollingBall::radius", "marble", [](double x) { return Constraint(RollingBall{.radius = x}); });
  for (int i = 0; i < 3; ++i)
    type("Ellipsoid::semi_axes", "stone on it", [i](double x) {
      Ellipsoid surface{.semi_axes = Vector3(0.5, 0.3, 0.2)};
      surface.semi_axes[i] = x;
      return Constraint(RollingSurface<Ellipsoid>{surface});
    });
  type("Wheel::radius", "tyre", [](double x) { return Constraint(Wheel{.radius = x, .crown = 0.04}); });
  type("Wheel::crown", "tyre", [](double x) { return Constraint(Wheel{.radius = 0.35, .crown = x}); });
  const std::vector<CoordinateName> arm{{"shoulder", ""}, {"wrist", ""}};
  type("Coupler::coefficients", "gear", [=](double x) { return Coupler{arm, {1.4, x}, {}}; });
  type("Coupler::offset", "gear", [=](double x) { return Coupler{arm, {1.4, -1.0}, x}; });
  type("ConstantSpeed::speed", "steady", [](double x) { return ConstantSpeed{{"shaft", ""}, x}; });
  out.push_back({"Rope::length", "soft",
                 [](ModelDescription& m, double x) { constraint(m, "cord").type = Constraint(Rope{.length = x}); }});
  const auto place = [&](const char* field, const std::string& which, auto set) {
    out.push_back({std::string("ConstraintDescription::") + field, "constraints",
                   [=](ModelDescription& m, double x) { set(constraint(m, which), x); }});
  };
  for (int i = 0; i < 3; ++i) {
    place("points", "on line", [i](ConstraintDescription& c, double x) { c.points[1][i] = x; });
    place("axis", "on plane", [i](ConstraintDescription& c, double x) { (*c.axis)[i] = x; });
    place("axis", "tyre", [i](ConstraintDescription& c, double x) { (*c.axis)[i] = x; });
    place("plane_point", "tyre", [i](ConstraintDescription& c, double x) { (*c.plane_point)[i] = x; });
    place("normal", "marble", [i](ConstraintDescription& c, double x) { (*c.normal)[i] = x; });
    place("blade", "blade", [i](ConstraintDescription& c, double x) { (*c.blade)[i] = x; });
  }
  out.push_back(
      {"Softness::frequency", "soft", [](ModelDescription& m, double x) { constraint(m, "rod").soft->frequency = x; }});
  out.push_back({"Softness::damping_ratio", "soft",
                 [](ModelDescription& m, double x) { constraint(m, "rod").soft->damping_ratio = x; }});
}

void add_forces(std::vector<Setter>& out) {
  const auto force = [&](const char* field, std::size_t which, auto make) {
    out.push_back({field, "forces", [=](ModelDescription& m, double x) { m.forces[which].type = make(x); }});
  };
  force("BodyForce::value", 0, [](double x) {
    return Force(BodyForce{.value = {function(x), function(0.0), function(0.0)}});
  });
  force("BodyTorque::value", 1, [](double x) {
    return Force(BodyTorque{.value = {function(0.0), function(x), function(0.0)}});
  });
  force("SpringDamper::stiffness", 2, [](double x) { return Force(SpringDamper{.stiffness = x}); });
  force("SpringDamper::damping", 2, [](double x) { return Force(SpringDamper{.stiffness = 1.0, .damping = x}); });
  force("SpringDamper::length", 2, [](double x) { return Force(SpringDamper{.stiffness = 1.0, .length = x}); });
  force("Damping::linear", 3, [](double x) { return Force(Damping{.linear = x}); });
  force("Damping::angular", 3, [](double x) { return Force(Damping{.angular = x}); });
  force("JointEffort::stiffness", 4, [](double x) { return Force(JointEffort{.stiffness = x}); });
  force("JointEffort::damping", 4, [](double x) { return Force(JointEffort{.damping = x}); });
  force("JointEffort::rest", 4, [](double x) { return Force(JointEffort{.stiffness = 1.0, .rest = x}); });
  force("JointEffort::effort", 4, [](double x) { return Force(JointEffort{.effort = function(x)}); });
  out.push_back(
      {"ForceDescription::points", "forces", [](ModelDescription& m, double x) { m.forces[2].points[1][1] = x; }});
  const auto drive = [&](const char* field, const std::string& which, auto make) {
    out.push_back({field, "forces", [=](ModelDescription& m, double x) { named(m.drives, which).type = make(x); }});
  };
  drive("Hold::value", "j0", [](double x) { return Drive(Hold{.value = x}); });
  drive("ConstantSpeedDrive::speed", "j1", [](double x) { return Drive(ConstantSpeedDrive{.speed = x}); });
  drive("ConstantSpeedDrive::start", "j1",
        [](double x) { return Drive(ConstantSpeedDrive{.speed = 1.0, .start = x}); });
  drive("Ramp::from", "j2", [](double x) { return Drive(Ramp{.from = x, .to = 1.0}); });
  drive("Ramp::to", "j2", [](double x) { return Drive(Ramp{.to = x}); });
  drive("Ramp::begin", "j2", [](double x) { return Drive(Ramp{.to = 1.0, .begin = x}); });
  drive("Ramp::duration", "j2", [](double x) { return Drive(Ramp{.to = 1.0, .duration = x}); });
  drive("Oscillation::amplitude", "j3", [](double x) { return Drive(Oscillation{.amplitude = x, .frequency = 1.0}); });
  drive("Oscillation::frequency", "j3", [](double x) { return Drive(Oscillation{.amplitude = 0.0, .frequency = x}); });
  drive("Oscillation::phase", "j3",
        [](double x) { return Drive(Oscillation{.amplitude = 0.1, .frequency = 1.0, .phase = x}); });
  drive("Oscillation::offset", "j3",
        [](double x) { return Drive(Oscillation{.amplitude = 0.0, .frequency = 1.0, .offset = x}); });
  drive("Polynomial::coefficients", "j4", [](double x) { return Drive(Polynomial{.coefficients = {0.0, 0.1, x}}); });
  drive("TableDrive::points", "j5", [](double x) { return Drive(TableDrive::through({{0, 0}, {1, x}, {2, 0.1}})); });
  drive("TableDrive::points", "j5", [](double x) { return Drive(TableDrive::through({{0, 0}, {x, 1}, {2, 0.1}})); });
  drive("ExpressionDrive::value", "j6", [](double x) { return Drive(ExpressionDrive{.value = function(x)}); });
}

void add_rest(std::vector<Setter>& out) {
  const auto setting = [&](const char* field, auto set) {
    for (const char* name : {"bodies", "forces", "frames", "soft"})
      out.push_back({std::string("SimulationDescription::") + field, name,
                     [=](ModelDescription& m, double x) { set(m.simulation, x); }});
  };
  setting("alpha", [](SimulationDescription& s, double x) { s.alpha = x; });
  setting("beta", [](SimulationDescription& s, double x) { s.beta = x; });
  setting("tolerance", [](SimulationDescription& s, double x) { s.tolerance = x; });
  setting("step", [](SimulationDescription& s, double x) { s.step = x; });
  setting("duration", [](SimulationDescription& s, double x) { s.duration = x; });
  const auto impulses = [&](const char* field, auto set) {
    out.push_back({std::string("ImpulseOptions::") + field, "soft",
                   [=](ModelDescription& m, double x) { set(m.simulation.impulses, x); }});
  };
  const auto whole = [](double x) { return static_cast<int>(std::isnan(x) ? 0.0 : std::clamp(x, -2e9, 2e9)); };
  impulses("iterations", [=](ImpulseOptions& o, double x) { o.iterations = whole(x); });
  impulses("substeps", [=](ImpulseOptions& o, double x) { o.substeps = whole(x); });
  impulses("position_iterations", [=](ImpulseOptions& o, double x) { o.position_iterations = whole(x); });
  impulses("baumgarte", [](ImpulseOptions& o, double x) { o.baumgarte = x; });
  impulses("slop", [](ImpulseOptions& o, double x) { o.slop = x; });
  impulses("largest_correction", [](ImpulseOptions& o, double x) { o.largest_correction = x; });
  out.push_back({"OutputDescription::point", "bodies",
                 [](ModelDescription& m, double x) { m.outputs[0].point = Vector3(0, x, 0); }});
  out.push_back({"StartDescription::value", "bodies", [](ModelDescription& m, double x) { m.starts[0].value = x; }});
  out.push_back({"StartDescription::rate", "joints", [](ModelDescription& m, double x) { m.starts[0].rate = x; }});
  out.push_back({"StartDescription::point", "bodies",
                 [](ModelDescription& m, double x) { m.starts[0].point = Vector3(0, 0, x); }});
  out.push_back({"HoldDescription::value", "joints", [](ModelDescription& m, double x) {
                   m.steady.hold = {{"hinge", Real(x)}};
                 }});
}

const std::vector<Setter>& setters() {
  static const std::vector<Setter> all = [] {
    std::vector<Setter> out;
    add_bodies(out);
    add_joints(out);
    add_constraints(out);
    add_forces(out);
    add_rest(out);
    return out;
  }();
  return all;
}

// The numeric fields of plain structs, found in the headers: Struct::field.
void add_fields_of(const fs::path& header, std::set<std::string>& out) {
  static const std::regex structure("^struct (\\w+) \\{"), end("^\\};");
  static const std::regex field(
      "^  (?:Real|double|int|Vector3|Matrix3|TimeFunction|std::(?:optional|vector|array)<[^()]*"
      "(?:Real|double|Vector3|TimeFunction)[^()]*>) ([a-z_]+)[^(]*;.*");
  std::ifstream file(header);
  std::string inside;
  for (std::string line; std::getline(file, line);) {
    std::smatch found;
    if (std::regex_search(line, found, structure)) inside = found[1];
    if (std::regex_search(line, end)) inside.clear();
    if (inside.empty()) continue;
    if (std::regex_match(line, found, field)) out.insert(inside + "::" + found[1].str());
  }
}

TEST(InjectionInCpp, KnowsEveryNumericField) {
  std::set<std::string> fields, known;
  for (const char* name : {"model/description.hpp", "model/setup.hpp", "model/shape.hpp"})
    add_fields_of(fs::path(TANDEM_SOURCE_DIR "/tandem") / name, fields);
  for (const char* folder : {"joints", "constraints", "forces", "drives"})
    for (const auto& entry : fs::directory_iterator(fs::path(TANDEM_SOURCE_DIR "/tandem") / folder))
      add_fields_of(entry.path(), fields);
  for (const Setter& setter : setters()) known.insert(setter.field);
  EXPECT_GT(fields.size(), 70U);
  for (const char* own : {"BodyDescription::own_mass", "JointTraits::nq", "JointTraits::position_rows",
                          "ConstraintTraits::holonomic", "ContactGeometry::radius", "ContactGeometry::crown",
                          "ContactGeometry::semi_axes", "LinkAxis::axis", "LinkAxis::speed"})
    fields.erase(own);                                  // of a type, or taken from the fields of one: not of a model
  std::erase_if(fields, [](const std::string& field) {  // as they are described
    return field.starts_with("Setup::") || field.starts_with("EffortLine::");
  });
  for (const std::string& field : fields) EXPECT_TRUE(known.contains(field)) << "no setter for " << field;
}

TEST(InjectionInCpp, OfEveryFieldGivesADiagnosticOrAnEndByName) {
  std::map<std::string, int> outcomes;
  for (const Setter& setter : setters())
    for (const double number : numbers) {
      const std::string name = fmt::format("{}: {} = {}", setter.carrier, setter.field, number);
      ModelDescription description = carrier(setter.carrier);
      setter.set(description, number);
      const InjectedEnd verdict = follow(name, [&] {
        Faults faults;
        Model model = compile(description, faults);
        if (faults.any_error()) throw ModelError(std::move(faults));
        return model;
      });
      ++outcomes[verdict.outcome];
      EXPECT_EQ(verdict.trouble, "") << name << ": " << verdict.told;
      // What is no number is never run with; a count has none that is not.
      if (!std::isfinite(number) && setter.field.find("iterations") == std::string::npos) {
        EXPECT_NE(verdict.outcome, "finished") << name;
        EXPECT_NE(verdict.outcome, "running") << name;
      }
    }
  for (const char* outcome : {"refused", "refused at the start", "failed", "finished"})
    EXPECT_GT(outcomes[outcome], 10) << outcome;
}

Model falling() {
  return read_model("format = 1\n[[body]]\nname = \"a\"\nmass = 1\npoint_mass = true\n[simulation]\nduration = 0.1\n",
                    "falling.toml");
}

TEST(InjectionInCpp, OfRunOptionsIsRefused) {
  const Model model = falling();
  Simulation simulation(model);
  for (const double number : {nan, inf, -inf, -1.0, 1e300})
    EXPECT_THROW(tandem::Run(model, simulation, {.duration = number}), NumericalError) << number;
  for (const double number : {nan, inf, -inf, -1.0, 5e-324})
    EXPECT_THROW(tandem::Run(model, simulation, {.interval = number}), NumericalError) << number;
  tandem::Run run(model, simulation, {.interval = 1e300});  // no row but the first and the last
  while (run.advance()) {
  }
  EXPECT_EQ(run.status(), RunStatus::finished);
}

TEST(InjectionInCpp, OfAStepFailsAndLeavesTheStateAlone) {
  for (const char* integrator : {"rk4", "dopri5"}) {
    Model model = falling();
    model.setup.integrator = integrator;
    Simulation simulation(model);
    for (const double number : {nan, inf, -inf}) {
      EXPECT_THROW(simulation.advance(number), NumericalError) << integrator << " " << number;
      EXPECT_EQ(simulation.state().t, 0.0);
      EXPECT_TRUE(simulation.state().q().allFinite());
    }
    simulation.step(0.01);
    EXPECT_EQ(simulation.state().t, 0.01);
  }
}

}  // namespace
}  // namespace tandem
