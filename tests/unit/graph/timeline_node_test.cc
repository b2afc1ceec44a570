#include "libs/graph/timeline_node.h"

#include "tests/unit/graph/runner.h"

namespace posewire::graph {
namespace {

const clip::Clip* Clip(int i) {
  static const auto* clips = new std::vector<std::shared_ptr<const clip::Clip>>{
      CirclingClip("a", 10, false, 21), CirclingClip("b", 25, false, 22),
      CirclingClip("c", 40, true, 23)};
  return (*clips)[static_cast<size_t>(i)].get();
}

enum Index { kPlay, kSeek, kNumber, kSpeed, kArrangement };

class TimelineTest : public testing::Test {
 protected:
  TimelineTest() {
    line_.name = "line";
    line_.length_s = 3;
  }
  std::unique_ptr<TimelineNode> Make() {
    auto fixed = std::make_unique<FixedNode>(*run_.rig);
    fixed->pose.span().CopyFrom(run_.rig->rest());
    auto node = std::make_unique<TimelineNode>(*run_.rig, "node", std::move(fixed));
    node->Follow(kPlay, 0, {nullptr, &line_});
    node->set_seek(kSeek);
    node->set_speed(Number::Follow(kSpeed));
    node->set_arrangements(kArrangement, {2, 1});
    return node;
  }
  // That the clip is seen at that time; null: only what is below.
  void ExpectShown(const clip::Clip* clip, double time_s) {
    if (clip == nullptr) {
      EXPECT_TRUE(SameBytes(run_.raw.view(), run_.rig->rest()));
    } else {
      EXPECT_LE(FarFrom(*clip, time_s, run_.raw.view()), kThere) << clip->name() << time_s;
    }
  }
  void At(double at_s, double value) { line_.variables.push_back({at_s, kNumber, {value, {}}}); }
  Runner run_{{ChoiceVariable("play", {"none", "line"}), NumberVariable("seek"),
               NumberVariable("n"), NumberVariable("speed", 1),
               ChoiceVariable("arrangement", {"none", "x", "y"})}};
  Timeline line_;
};

// Against a direct reading: the last clip key before the time.
TEST_F(TimelineTest, ShowsTheClipOfItsLastKey) {
  Random rng(1);
  for (int round = 0; round < 30; ++round) {
    line_.clips.clear();
    line_.loop = round % 3 == 0;
    double at = 0;
    for (int i = 0; i < 6; ++i) {
      at += static_cast<double>(rng.Uniform(0, 0.7f));
      line_.clips.push_back(
          {std::min(at, 3.0), Clip(static_cast<int>(rng.Next() % 3)), 0.5 + 0.5 * (i % 4)});
    }
    const double speed = 0.25 + 0.25 * static_cast<double>(rng.Next() % 8);
    run_.Set("speed", speed);
    const auto node = Make();
    run_.Set("play", 1);
    for (int k = 0; k < 300; ++k) {
      run_.Tick(*node);
      double t = k * kTick_s * speed;
      if (t > 3 - 1e-6 && !line_.loop) {
        EXPECT_TRUE(run_.Told(GraphEvent::kTimelineEnded, "line"));
        EXPECT_EQ(run_.Get("play"), 0);
        ExpectShown(nullptr, 0);
        break;
      }
      t = std::fmod(t + 1e-9, 3.0);
      ASSERT_NEAR(node->time_s(), t, 1e-6);
      const Timeline::ClipKey* want = nullptr;
      for (const auto& key : line_.clips) {
        if (key.at_s <= t) want = &key;
      }
      const double local = want == nullptr ? 0 : (t - want->at_s) * want->speed;
      const bool over =
          want == nullptr || (!want->clip->loops() && local > want->clip->duration_s() + 1e-7);
      ExpectShown(over ? nullptr : want->clip, local);
      ASSERT_FALSE(HasFailure()) << k;
    }
  }
}

TEST_F(TimelineTest, EachKeyCountsOnceAtItsTime) {
  At(0, 1);
  At(0.5, 2);
  At(0.5, 3);
  At(2.999, 4);
  line_.events = {{0, "start", -1}, {1.01, "go", 5}, {3, "end", 6}};
  line_.arrangements = {{0.2, 0}, {1.5, 1}};
  for (bool loop : {false, true}) {
    line_.loop = loop;
    const auto node = Make();
    run_.Set("n", 0);
    run_.Set("play", 1);
    const uint32_t sets = run_.variables.sets(kNumber);
    int told = 0, fired = 0;
    for (int k = 0; k < 90; ++k) {
      run_.Tick(*node);
      const double t = k * kTick_s + 1e-6;
      EXPECT_EQ(run_.Get("n"), t < 0.5 ? 1 : t < 2.999 ? 3 : 4) << k;
      EXPECT_EQ(run_.Get("arrangement"), t < 0.2 ? (loop ? 1 : 0) : t < 1.5 ? 2 : 1) << k;
      told += run_.outputs.event_count;
      EXPECT_EQ(run_.Told(GraphEvent::kTimelineEvent, "start"), k == 0);
      EXPECT_EQ(run_.Told(GraphEvent::kTimelineEvent, "go"), k == 31);
      fired += run_.outputs.fire == uint64_t{1} << 5;
    }
    EXPECT_EQ(told, 2);
    EXPECT_EQ(fired, 1);
    EXPECT_EQ(run_.variables.sets(kNumber) - sets, 3u);
    run_.Tick(*node);
    EXPECT_TRUE(run_.Told(GraphEvent::kTimelineEvent, "end"));
    EXPECT_EQ(run_.Told(GraphEvent::kTimelineEnded, "line"), !loop);
    EXPECT_EQ(run_.Told(GraphEvent::kTimelineEvent, "start"), loop);
    EXPECT_EQ(run_.variables.sets(kNumber) - sets, loop ? 5u : 4u);
  }
}

TEST_F(TimelineTest, AFastLoopPassesAllKeysOfARound) {
  At(0.1, 1);
  At(0.2, 2);
  line_.length_s = 0.25;
  line_.loop = true;
  run_.Set("speed", 20);
  const auto node = Make();
  run_.Set("play", 1);
  run_.Tick(*node);
  const uint32_t sets = run_.variables.sets(kNumber);
  run_.Tick(*node, 30);
  // 20 s are 80 rounds.
  EXPECT_NEAR(run_.variables.sets(kNumber) - sets, 160, 2);
}

TEST_F(TimelineTest, SeekGoesThereAndSettlesVariables) {
  At(0.5, 1);
  At(1, 2);
  At(2, 3);
  line_.clips = {{1.5, Clip(1), 1}};
  line_.events = {{1.2, "passed", -1}, {1.8, "next", -1}};
  const auto node = Make();
  run_.Set("seek", 1);
  run_.Tick(*node, 2);
  EXPECT_EQ(node->playing(), nullptr) << "nothing plays";
  run_.Set("play", 1);
  run_.Tick(*node, 5);
  EXPECT_NEAR(node->time_s(), 4 * kTick_s, 1e-9) << "a seek of before is not used";
  const uint32_t sets = run_.variables.sets(kNumber);
  run_.Set("seek", 1.7);
  run_.Tick(*node);
  EXPECT_EQ(node->time_s(), 1.7);
  EXPECT_EQ(run_.Get("n"), 2);
  EXPECT_EQ(run_.variables.sets(kNumber), sets);
  EXPECT_EQ(run_.outputs.event_count, 0);
  ExpectShown(Clip(1), 0.2);
  run_.Tick(*node, 3);
  EXPECT_TRUE(run_.Told(GraphEvent::kTimelineEvent, "next"));
  run_.Set("seek", 0.6);
  run_.Tick(*node);
  EXPECT_EQ(run_.Get("n"), 1) << "backwards, too";
  ExpectShown(nullptr, 0);
  run_.Set("play", 1);
  run_.Set("seek", 1);
  run_.Tick(*node);
  EXPECT_EQ(node->time_s(), 1) << "starts there when both are set";
  EXPECT_EQ(run_.Get("n"), 2);
}

TEST_F(TimelineTest, StandsAtSpeedZero) {
  At(0, 1);
  line_.clips = {{0, Clip(2), 1}};
  run_.Set("speed", 0);
  const auto node = Make();
  run_.Set("play", 1);
  run_.Tick(*node, 100);
  EXPECT_EQ(node->time_s(), 0);
  EXPECT_EQ(node->remaining_s(), std::numeric_limits<double>::infinity());
  EXPECT_EQ(run_.variables.sets(kNumber), 1u);
}

TEST_F(TimelineTest, NeverPops) {
  line_.clips = {{0, Clip(0), 1}, {0.2, Clip(1), 1}, {0.6, Clip(1), 0.7}, {1.5, Clip(2), 1}};
  line_.loop = true;
  Random rng(8);
  const auto node = Make();
  for (int k = 0; k < 4000; ++k) {
    if (rng.Uniform() < 0.03f) run_.Set("play", rng.Next() % 2);
    if (rng.Uniform() < 0.03f) run_.Set("seek", static_cast<double>(rng.Uniform(-1, 4)));
    if (rng.Uniform() < 0.03f) run_.Set("speed", static_cast<double>(rng.Uniform(0, 1.2f)));
    run_.Tick(*node);
    if (k == 0) continue;
    ASSERT_LE(run_.step().degrees, 38.1f) << k;
    ASSERT_LE(run_.step().weight, 0.57f) << k;
  }
}

TEST_F(TimelineTest, AdoptGoesOnAtThatTime) {
  At(0, 1);
  line_.events = {{0.1, "early", -1}, {1.1, "late", -1}};
  const auto old = Make();
  run_.Set("play", 1);
  run_.Tick(*old, 31);
  const uint32_t sets = run_.variables.sets(kNumber);
  const auto node = Make();
  node->Adopt(*old);
  run_.Tick(*node);
  EXPECT_NEAR(node->time_s(), 31 * kTick_s, 1e-9);
  EXPECT_EQ(run_.variables.sets(kNumber), sets);
  run_.Tick(*node, 2);
  EXPECT_TRUE(run_.Told(GraphEvent::kTimelineEvent, "late"));
}

}  // namespace
}  // namespace posewire::graph
