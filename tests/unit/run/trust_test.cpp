// The word a run gets, and why: each limit from both sides.
#include "tandem/run/trust.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tandem/io/model/examples.hpp"
#include "tandem/io/model/model_file.hpp"
#include "tandem/run/run.hpp"

namespace tandem {
namespace {

class TrustOfRuns : public ::testing::Test {
 protected:
  TrustOfRuns() : model(load_model_or_example("four-bar")) { health.energy_scale = health.energy_size = 100.0; }
  Judgement judged(std::string_view status = "finished", const std::string& reason = "") const {
    return judge(model, model.setup, health, status, reason);
  }
  Model model;
  HealthSummary health;
};

TEST_F(TrustOfRuns, NothingWrongIsTrusted) {
  EXPECT_EQ(judged().trust, Trust::trusted);
  EXPECT_TRUE(judged().reasons.empty());
  EXPECT_EQ(judged("stopped", "end: x < 0").trust, Trust::trusted);
  EXPECT_EQ(trust_name(Trust::trusted), "trusted");
  EXPECT_EQ(trust_name(Trust::look), "look");
  EXPECT_EQ(trust_name(Trust::not_to_be_trusted), "not to be trusted");
}

TEST_F(TrustOfRuns, TheBalanceIsComparedWithTheEnergyThatMoved) {
  for (const auto& [off, trust] : {std::pair{0.9e-5, Trust::trusted}, std::pair{1.1e-5, Trust::look},
                                   std::pair{0.9e-2, Trust::look}, std::pair{1.1e-2, Trust::not_to_be_trusted}}) {
    health.balance.value = -100.0 * off;
    EXPECT_EQ(judged().trust, trust) << off;
    EXPECT_EQ(judged().of("energy_balance"), trust) << off;
  }
  // Round-off of a large energy is no error, however little of it moved.
  health.energy_size = 1e9;
  health.energy_scale = 1e-2;
  health.balance.value = 1e-5;
  EXPECT_EQ(judged().trust, Trust::trusted);
}

TEST_F(TrustOfRuns, MassesOfJoinedBodiesMayBeTooFarApart) {
  ASSERT_GE(model.bodies.size(), 2U);
  for (const auto& [apart, trust] : {std::pair{0.9e20, Trust::trusted}, std::pair{1.1e20, Trust::look}}) {
    for (Body& body : model.bodies) body.mass = 1.0;
    model.bodies.front().mass = 1.0 / apart;
    EXPECT_EQ(judged().trust, trust) << apart;
    EXPECT_EQ(judged().of("masses"), trust) << apart;
  }
  model.bodies.front().mass = 0.0;  // carried by its joints, whatever they hold
  EXPECT_EQ(judged().trust, Trust::trusted);
}

TEST_F(TrustOfRuns, ResidualsAreComparedWithTheSizeOfTheirIsland) {
  for (const auto& [off, trust] : {std::pair{0.9e-6, Trust::trusted}, std::pair{1.1e-6, Trust::look},
                                   std::pair{0.9e-3, Trust::look}, std::pair{1.1e-3, Trust::not_to_be_trusted}}) {
    health.before.share = off;
    EXPECT_EQ(judged().trust, trust) << off;
    EXPECT_EQ(judged().of("position_residual"), trust) << off;
  }
  model.setup.stabilisation = "none";
  EXPECT_NE(judged().reasons.front().text.find("drifted"), std::string::npos);
}

TEST_F(TrustOfRuns, WhatIsNotANumberIsNotToBeTrusted) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    for (double* number :
         {&health.balance.value, &health.before.position, &health.before.share, &health.acceleration,
          &health.quaternion_error, &health.energy_end.kinetic, &health.turn, &health.after.velocity}) {
      const double before = *number;
      *number = bad;
      EXPECT_EQ(judged().trust, Trust::not_to_be_trusted) << number - &health.balance.value;
      *number = before;
    }
  }
  EXPECT_EQ(judged().trust, Trust::trusted);
}

TEST_F(TrustOfRuns, EventsAreNamedWithTheirTimes) {
  Health record(model, model.setup);
  record.note(HealthEvent::Kind::singular_pose, 3, 0.5);
  health.events = record.summary().events;
  Judgement one = judged();
  EXPECT_EQ(one.trust, Trust::look);
  ASSERT_EQ(one.reasons.size(), 1U);
  EXPECT_NE(one.reasons[0].text.find("at t = 0.5 s"), std::string::npos);
  EXPECT_NE(one.reasons[0].text.find(model.row_name(3)), std::string::npos);
  record.note(HealthEvent::Kind::singular_pose, 4, 0.51, 0.05);  // the same one
  record.note(HealthEvent::Kind::singular_pose, 3, 1.5, 0.05);
  record.note(HealthEvent::Kind::branch_left, 2, 1.75);
  health.events = record.summary().events;
  ASSERT_EQ(health.events.size(), 2U);
  EXPECT_EQ(health.events[0].count, 2);
  EXPECT_EQ(health.events[0].last, 1.5);
  one = judged();
  EXPECT_EQ(one.trust, Trust::not_to_be_trusted);
  ASSERT_EQ(one.reasons.size(), 2U);
  EXPECT_EQ(one.reasons[0].kind, "branch_left");  // the worst first
  EXPECT_NE(one.reasons[1].text.find("and 1 more time up to t = 1.5 s"), std::string::npos) << one.reasons[1].text;
}

TEST_F(TrustOfRuns, RankSweepsAndAFailureHaveTheirReasons) {
  health.rank_changed = 0.25;
  health.least_rank = 16;
  health.most_rank = 17;
  EXPECT_EQ(judged().of("rank"), Trust::look);
  health.acceleration_share = 1e-5;
  EXPECT_EQ(judged().of("acceleration_residual"), Trust::look);
  model.setup.method = "impulses";
  EXPECT_EQ(judged().of("acceleration_residual"), Trust::trusted);  // it has none of its own
  health.impulses.unsolved = 0.1;
  EXPECT_EQ(judged().of("unsolved"), Trust::look);
  EXPECT_EQ(judged().trust, Trust::look);
  health.turn = 2.0;
  EXPECT_EQ(judged().of("turn"), Trust::not_to_be_trusted);
  health = {};
  const Judgement failed = judged("failed", "at t = 1 s: a reason");
  EXPECT_EQ(failed.trust, Trust::not_to_be_trusted);
  EXPECT_EQ(failed.reasons.front().text, "the run failed at t = 1 s: a reason");
}

TEST_F(TrustOfRuns, LoadsCountWhereTheyAreUnique) {
  model = load_model_or_example("bicycle");
  health.lowest_loads = {{5.0, 0.0}, {-2.0, 1.5}};
  health.shared_loads = {false, false};
  EXPECT_EQ(judged().of("lift_off"), Trust::look);
  health.shared_loads = {false, true};
  EXPECT_EQ(judged().trust, Trust::trusted);
}

TEST_F(TrustOfRuns, LinesOfAFileGiveTheSameBack) {
  health.balance.value = 50.0;
  health.rank_changed = 0.25;
  const Judgement held = judged(), back = Judgement::from_lines(held.trust, held.lines());
  EXPECT_EQ(back.trust, Trust::not_to_be_trusted);
  ASSERT_EQ(back.reasons.size(), held.reasons.size());
  for (std::size_t i = 0; i < held.reasons.size(); ++i) {
    EXPECT_EQ(back.reasons[i].trust, held.reasons[i].trust);
    EXPECT_EQ(back.reasons[i].text, held.reasons[i].text);
  }
  EXPECT_EQ(Judgement::from_lines(Trust::look, "").trust, Trust::look);
  EXPECT_FALSE(find_trust("good"));
}

}  // namespace
}  // namespace tandem
