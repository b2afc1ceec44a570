#include "libs/graph/state_machine_node.h"

#include "tests/unit/graph/runner.h"

namespace posewire::graph {
namespace {

using Change = StateMachineNode::Change;
using Condition = StateMachineNode::Condition;

class StateMachineTest : public testing::Test {
 protected:
  // States a, b, c, each a cycle of 1, 2 and 3 s; b's ends.
  std::unique_ptr<StateMachineNode> Make(std::vector<Change> changes, int initial = 0) {
    std::vector<StateMachineNode::State> states;
    for (int i = 0; i < 3; ++i) {
      auto node = std::make_unique<CycleNode>(*run_.rig, 1.0 + i, i == 1);
      cycles_[i] = node.get();
      states.push_back({std::string(1, static_cast<char>('a' + i)), std::move(node)});
    }
    return std::make_unique<StateMachineNode>("machine", std::move(states), initial,
                                              std::move(changes));
  }
  Runner run_{{NumberVariable("n"), ChoiceVariable("follow", {"a", "b", "c", "none"})}};
  CycleNode* cycles_[3] = {};
};

TEST_F(StateMachineTest, StaysInTheInitialStateAndEvaluatesNothingElse) {
  const auto node = Make({}, 2);
  run_.Tick(*node, 100);
  EXPECT_EQ(node->state(), 2);
  EXPECT_EQ(cycles_[0]->updated + cycles_[0]->evaluated + cycles_[1]->evaluated, 0);
  EXPECT_EQ(cycles_[2]->evaluated, 100);
}

TEST_F(StateMachineTest, TakesTheFirstTransitionWhoseConditionsAllHold) {
  Change to_c, to_b;
  to_c.from = {0}, to_c.to = 2;
  to_c.conditions = {{0, Condition::kGreater, 5}, {0, Condition::kLess, 7}};
  to_b.from = {0}, to_b.to = 1;
  to_b.conditions = {{0, Condition::kNotEqual, 0}};
  const auto node = Make({to_c, to_b});
  run_.Tick(*node, 5);
  EXPECT_EQ(node->state(), 0);
  run_.Set("n", 6);
  run_.Tick(*node);
  EXPECT_EQ(node->state(), 2);
  EXPECT_TRUE(run_.Told(GraphEvent::kStateEntered, "c"));
  EXPECT_EQ(cycles_[2]->restarted, 1);
  run_.Tick(*node);
  EXPECT_EQ(run_.outputs.event_count, 0);
  const auto other = Make({to_c, to_b});
  run_.Set("n", 7);
  run_.Tick(*other, 2);
  EXPECT_EQ(other->state(), 1) << "7 is not less than 7";
}

TEST_F(StateMachineTest, AnyStateMeansAnyButTheTarget) {
  Change to_b;
  to_b.to = 1, to_b.event = 3;
  const auto node = Make({to_b});
  run_.Tick(*node);
  for (int i = 0; i < 3; ++i) {
    run_.fire = uint64_t{1} << 3;
    run_.Tick(*node, 2);
    EXPECT_EQ(node->state(), 1);
    EXPECT_EQ(cycles_[1]->restarted, 1) << "not entered again";
  }
}

TEST_F(StateMachineTest, AnEventCountsOnceAndOnlyInItsTick) {
  Change ab, ba;
  ab.from = {0}, ab.to = 1, ab.event = 0, ab.after_s = 0.5;
  ba.from = {1}, ba.to = 0, ba.event = 0;
  const auto node = Make({ab, ba});
  run_.Tick(*node, 3);
  run_.fire = 1;
  run_.Tick(*node, 30);
  EXPECT_EQ(node->state(), 0) << "too early, and not kept";
  run_.fire = 1;
  run_.Tick(*node);
  EXPECT_EQ(node->state(), 1);
  run_.Tick(*node, 5);
  EXPECT_EQ(node->state(), 1);
}

TEST_F(StateMachineTest, AfterCountsFromTheEntry) {
  Change ab;
  ab.from = {0}, ab.to = 1, ab.after_s = 0.5;
  const auto node = Make({ab});
  run_.Tick(*node, 15);
  EXPECT_EQ(node->state(), 0) << "14 ticks since";
  run_.Tick(*node);
  EXPECT_EQ(node->state(), 1);
}

TEST_F(StateMachineTest, AtEndGoesWhenWhatPlaysEndsWithinTheDuration) {
  Change bc;
  bc.from = {1}, bc.to = 2, bc.at_end = true, bc.duration_s = 0.5;
  const auto node = Make({bc}, 1);
  // 2 s long: at 1.5 s, which is tick 45.
  run_.Tick(*node, 45);
  EXPECT_EQ(node->state(), 1);
  run_.Tick(*node);
  EXPECT_EQ(node->state(), 2);
}

TEST_F(StateMachineTest, ATransitionThatWaitsKeepsItsEventUntilTheOtherHasRun) {
  Change ab, bc;
  ab.from = {0}, ab.to = 1, ab.event = 0, ab.duration_s = 0.5;
  bc.from = {1}, bc.to = 2, bc.event = 1, bc.waits = true;
  for (bool waits : {true, false}) {
    bc.waits = waits;
    const auto node = Make({ab, bc});
    run_.Tick(*node, 3);
    run_.fire = 1;
    run_.Tick(*node);
    EXPECT_EQ(node->state(), 1);
    run_.fire = 2;
    run_.Tick(*node);
    EXPECT_EQ(node->state(), waits ? 1 : 2) << "one that does not wait interrupts";
    run_.Tick(*node, 13);
    EXPECT_EQ(node->state(), waits ? 1 : 2);
    run_.Tick(*node);
    EXPECT_EQ(node->state(), 2) << "half a second after";
  }
}

TEST_F(StateMachineTest, SyncPhaseStartsAtThePhaseOfTheOldState) {
  Change ac;
  ac.from = {0}, ac.to = 2, ac.event = 0, ac.sync_phase = true;
  const auto node = Make({ac});
  run_.Tick(*node, 13);
  run_.fire = 1;
  run_.Tick(*node);
  EXPECT_NEAR(cycles_[2]->phase(), 13 * kTick_s, 1e-9);
  run_.Tick(*node);
  EXPECT_NEAR(cycles_[2]->time_s, 13 * kTick_s * 3 + kTick_s, 1e-9);
}

TEST_F(StateMachineTest, FollowsAChoiceAndSettlesItOnItsOwnTransitions) {
  Change bc;
  bc.from = {1}, bc.to = 2, bc.at_end = true, bc.duration_s = 0.2;
  const auto node = Make({bc});
  node->Follow(1, {0, 1, 2, -1}, 0.3);
  run_.Tick(*node, 3);
  EXPECT_EQ(node->state(), 0);
  run_.Set("follow", 1);
  run_.Tick(*node);
  EXPECT_EQ(node->state(), 1);
  run_.Tick(*node, 60);
  EXPECT_EQ(node->state(), 2);
  EXPECT_EQ(run_.Get("follow"), 2) << "says where the machine is";
  run_.Set("follow", 3);
  run_.Tick(*node, 2);
  EXPECT_EQ(node->state(), 2) << "names no state";
  run_.Set("follow", 0);
  run_.Tick(*node);
  EXPECT_EQ(node->state(), 0);
}

TEST_F(StateMachineTest, StartsInTheStateThatTheChoiceNames) {
  run_.Set("follow", 2);
  const auto node = Make({});
  node->Follow(1, {0, 1, 2, -1}, 0.3);
  run_.Tick(*node);
  EXPECT_EQ(node->state(), 2);
}

TEST_F(StateMachineTest, AdoptGoesOnInTheStateOfThatName) {
  Change to_b;
  to_b.to = 1, to_b.event = 0;
  to_b.waits = false;
  Change back;
  back.from = {1}, back.to = 0, back.after_s = 1;
  const auto old = Make({to_b, back});
  run_.Tick(*old, 2);
  run_.fire = 1;
  run_.Tick(*old, 16);
  const auto node = Make({to_b, back});
  node->Adopt(*old);
  EXPECT_EQ(node->state(), 1);
  run_.Tick(*node, 14);
  EXPECT_EQ(cycles_[1]->restarted, 0) << "goes on, and does not begin";
  EXPECT_EQ(node->state(), 1) << "a second in the state is not over";
  run_.Tick(*node);
  EXPECT_EQ(node->state(), 0);
}

// Random machines of far poses: whatever is fired when, no step beyond the rule, and the machine is
// where a slow reading of the table says.
TEST(StateMachineScript, NeverPopsAndFollowsItsTable) {
  Random rng(5);
  for (int round = 0; round < 60; ++round) {
    Runner run;
    std::vector<StateMachineNode::State> states;
    const int n = 2 + static_cast<int>(rng.Next() % 4);
    for (int i = 0; i < n; ++i) {
      auto node = std::make_unique<FixedNode>(*run.rig);
      node->pose = RandomPose(*run.rig, rng, 1, 2.5f);
      states.push_back({std::to_string(i), std::move(node)});
    }
    std::vector<Change> changes;
    for (int i = 0; i < 8; ++i) {
      Change c;
      if (rng.Uniform() < 0.7f) c.from.push_back(static_cast<int>(rng.Next()) % n);
      if (!c.from.empty() && c.from[0] < 0) c.from[0] += n - 1;
      c.to = static_cast<int>(rng.Next() % static_cast<uint32_t>(n));
      c.event = static_cast<int>(rng.Next() % 4);
      c.duration_s = rng.Uniform() < 0.5f ? 0 : rng.Uniform(0, 1);
      changes.push_back(c);
    }
    StateMachineNode node("m", std::move(states), 0, changes);
    run.Tick(node, 2);
    int want = 0;
    for (int k = 0; k < 150; ++k) {
      run.fire = rng.Uniform() < 0.2f ? rng.Next() % 16 : 0;
      const uint64_t fired = run.fire;
      run.Tick(node);
      for (const Change& c : changes) {
        const bool from = c.from.empty() ? want != c.to : c.from[0] == want;
        if (!from || (fired >> c.event & 1) == 0) continue;
        want = c.to;
        break;
      }
      ASSERT_EQ(node.state(), want);
      ASSERT_LE(run.step().degrees, 38.1f) << k;
      ASSERT_LE(run.step().weight, 0.57f) << k;
    }
  }
}

}  // namespace
}  // namespace posewire::graph
