// Which motions have no inertia: told of the bodies that lack some, whatever the others weigh.
#include "tandem/assemble/inertia.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tandem/tandem.hpp"

namespace tandem {
namespace {

std::string refusal_of(const Model& model) {
  try {
    require_inertia(model);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}

TEST(Inertia, OfASmallBodyIsNotMeasuredByALargeOne) {
  Builder build;
  build.body({.name = "block", .mass = 1000.0, .shapes = {Shape::box({1, 1, 1})}});
  build.body({.name = "bead", .mass = 1e-6, .shapes = {Shape::sphere(0.5e-3)}, .position = {2, 0, 0}});
  EXPECT_EQ(refusal_of(build.finish()), "");
}

TEST(Inertia, OfAnyMassRatioIsEnough) {
  for (const bool joined : {false, true})
    for (int power = -30; power <= 30; power += 3) {
      const double ratio = std::pow(10.0, power);
      Builder build;
      build.body({.name = "one", .mass = 1.0, .shapes = {Shape::box({1, 1, 1})}});
      build.body({.name = "other", .mass = ratio, .shapes = {Shape::sphere(1e-3)}, .position = {2, 0, 0}});
      if (joined)
        build.joint({.name = "ball", .type = Spherical{}, .bodies = {"one", "other"}, .point = Vector3(1, 0, 0)});
      EXPECT_EQ(refusal_of(build.finish()), "") << "10^" << power << (joined ? ", joined" : "");
    }
}

TEST(Inertia, OfABodyBesideAMillionTimesHeavierOnesIsStillMissed) {
  Builder build;
  build.body({.name = "block", .mass = 1e6, .shapes = {Shape::box({1, 1, 1})}});
  build.body({.name = "ghost", .mass = 0.0, .inertia = std::array<double, 6>{0, 0, 0, 0, 0, 0}});
  build.joint({.name = "slide",
               .type = Prismatic{},
               .bodies = {"block", "ghost"},
               .point = Vector3(0, 0, 0),
               .axis = Vector3(0, 1, 0)});
  EXPECT_NE(refusal_of(build.finish()).find("\"ghost\" can move along y"), std::string::npos)
      << refusal_of(build.finish());
}

// A massless link whose hinges are askew to its axes: what is missing is no single axis of it.
TEST(Inertia, IsMissedAboutAnAxisThatIsAskew) {
  for (const bool held : {false, true}) {
    Builder build;
    build.body({.name = "link", .mass = 0.0, .inertia = std::array<double, 6>{0, 0, 0, 0, 0, 0}});
    build.joint({.name = "hinge",
                 .type = Revolute{},
                 .bodies = {"world", "link"},
                 .point = Vector3(0.3, -0.2, 0.7),
                 .axis = Vector3(1, 2, 3).normalized()});
    build.body({.name = "weight", .mass = 1.0, .shapes = {Shape::box({1, 1, 1})}, .position = {3, 1, 0}});
    build.joint({.name = "ball",
                 .type = held ? JointType(Fixed{}) : JointType(Spherical{}),
                 .bodies = {"link", "weight"},
                 .point = Vector3(0.3, -0.2, 0.7) + (held ? Vector3(0, 0, 0) : Vector3(1, 2, 3))});
    EXPECT_EQ(refusal_of(build.finish()).empty(), held);
  }
}

// The weight on a tiny lever holds a massless link as well as on a long one.
TEST(Inertia, IsPassedOnByATinyLever) {
  for (const double lever : {1.0, 1e-3, 1e-6, 1e-9}) {
    Builder build;
    build.body({.name = "crank", .mass = 0.0, .inertia = std::array<double, 6>{0, 0, 0, 0, 0, 0}});
    build.joint({.name = "shaft",
                 .type = Revolute{},
                 .bodies = {"world", "crank"},
                 .point = Vector3(0, 0, 0),
                 .axis = Vector3(1, 2, 3).normalized()});
    build.body({.name = "weight", .mass = 1.0, .shapes = {Shape::box({1, 1, 1})}});
    build.joint({.name = "pin",
                 .type = Spherical{},
                 .bodies = {"crank", "weight"},
                 .point = lever * Vector3(2, -1, 0).normalized()});
    EXPECT_EQ(refusal_of(build.finish()), "") << lever;
  }
}

// Thin rods have no inertia about themselves. A chain of them is fine as long as hinges hold each.
TEST(Inertia, OfAThousandThinRodsIsLookedAtTogether) {
  for (const bool loose : {false, true}) {
    Builder build;
    for (int i = 0; i < 1000; ++i) {
      const std::string name = "rod" + std::to_string(i);
      build.body({.name = name, .mass = 1.0, .shapes = {Shape::rod(1.0)}, .position = {i + 0.5, 0, 0}});
      const bool ball = loose && (i == 700 || i == 701);  // rod 700 spins between two balls
      build.joint({.name = "joint" + std::to_string(i),
                   .type = ball ? JointType(Spherical{}) : JointType(Revolute{}),
                   .bodies = {i == 0 ? "world" : "rod" + std::to_string(i - 1), name},
                   .point = Vector3(i, 0, 0),
                   .axis = ball ? std::optional<Vector3>{} : Vector3(0, 1, 0)});
    }
    const std::string told = refusal_of(build.finish());
    EXPECT_EQ(told.find("\"rod700\" can turn about its x axis") != std::string::npos, loose) << told;
  }
}

}  // namespace
}  // namespace tandem
