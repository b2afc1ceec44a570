#include "libs/graph/arrangement_node.h"

#include <map>

#include "absl/strings/str_cat.h"
#include "tests/unit/graph/runner.h"

namespace posewire::graph {
namespace {

using Item = Arrangement::Item;

// Clips of 10, 25 and 40 frames, the last one made to go round; all move everything.
const std::vector<std::shared_ptr<const clip::Clip>>& Clips() {
  static const auto* clips = new std::vector<std::shared_ptr<const clip::Clip>>{
      CirclingClip("a", 10, false, 11), CirclingClip("b", 25, false, 12),
      CirclingClip("c", 40, true, 13)};
  return *clips;
}
Item Play(int clip, int times = 1, double speed = 1, float weight = 1) {
  Item item;
  item.kind = Item::kClip;
  item.clip = Clips()[static_cast<size_t>(clip)].get();
  item.times = times, item.speed = speed, item.weight = weight;
  return item;
}
Item Pause(double pause_s) {
  Item item;
  item.pause_s = pause_s;
  return item;
}
Item Live(const char* id = "", double wait_s = 0) {
  Item item;
  item.kind = Item::kLive;
  item.source_service_id = id;
  item.wait_s = wait_s;
  return item;
}

class ArrangementTest : public testing::Test {
 protected:
  ArrangementTest() {
    asset_.name = "plan";
    other_.name = "other";
    other_.items = {Play(1)};
  }
  std::unique_ptr<ArrangementNode> Make() {
    auto fixed = std::make_unique<FixedNode>(*run_.rig);
    fixed->pose.span().CopyFrom(run_.rig->rest());
    auto node = std::make_unique<ArrangementNode>(*run_.rig, "node", std::move(fixed));
    node->Follow(0, 0, {nullptr, &asset_, &other_});
    return node;
  }
  void Say(std::initializer_list<const char*> ids) {
    providers_.clear();
    for (const char* id : ids) {
      providers_.emplace_back();
      providers_.back().source_service_id = id;
    }
    run_.inputs.providers = providers_;
  }
  // What is seen, as clip name and frame; "-" for what is below, "?" for neither.
  static std::string Shown(const Runner& run) {
    if (SameBytes(run.raw.view(), run.rig->rest())) return "-";
    for (const auto& clip : Clips()) {
      for (int i = 0; i < clip->frames(); ++i) {
        if (FarFrom(*clip, i * kTick_s, run.raw.view()) <= kThere)
          return absl::StrCat(clip->name(), i);
      }
    }
    return "?";
  }
  Runner run_{{ChoiceVariable("v", {"none", "plan", "other"})}};
  Arrangement asset_, other_;
  std::vector<ProviderInput> providers_;
};

// Against a list of what plays at each time, made item by item.
TEST_F(ArrangementTest, PlaysItsItemsInOrderWithoutGaps) {
  Random rng(1);
  for (int round = 0; round < 40; ++round) {
    asset_.items.clear();
    const int n = 1 + static_cast<int>(rng.Next() % 5);
    for (int i = 0; i < n; ++i) {
      if (rng.Uniform() < 0.3f) {
        asset_.items.push_back(Pause(static_cast<double>(rng.Uniform(0.01f, 1))));
      } else {
        asset_.items.push_back(Play(static_cast<int>(rng.Next() % 3),
                                    1 + static_cast<int>(rng.Next() % 3),
                                    static_cast<double>(rng.Uniform(0.4f, 3))));
      }
    }
    asset_.count = static_cast<int>(rng.Next() % 3);
    struct Span {
      double from_s, to_s;
      const Item* item;
    };
    std::vector<Span> spans;
    double end_s = 0;
    for (int r = 0; r < std::max(asset_.count, 1); ++r) {
      for (const Item& item : asset_.items) {
        for (int k = 0; k < item.times; ++k) {
          const double length =
              item.kind == Item::kPause ? item.pause_s : item.clip->duration_s() / item.speed;
          spans.push_back({end_s, end_s + length, &item});
          end_s += length;
        }
      }
    }
    const auto node = Make();
    run_.Set("v", 1);
    for (int k = 0;; ++k) {
      run_.Tick(*node);
      const double t = k * kTick_s;
      if (t > end_s + 1e-6) {
        EXPECT_TRUE(run_.Told(GraphEvent::kArrangementEnded, "plan"));
        EXPECT_EQ(run_.Get("v"), 0);
        EXPECT_EQ(Shown(run_), "-");
        break;
      }
      ASSERT_FALSE(run_.Told(GraphEvent::kArrangementEnded, "plan"));
      const auto now = std::find_if(spans.begin(), spans.end(),
                                    [&](const Span& s) { return t < s.to_s - 1e-6; });
      if (now == spans.end()) break;
      if (now->item->kind == Item::kPause) {
        ASSERT_EQ(Shown(run_), "-");
      } else {
        const double time_s = (t - now->from_s) * now->item->speed;
        ASSERT_LE(FarFrom(*now->item->clip, time_s, run_.raw.view()), kThere);
      }
    }
  }
}

TEST_F(ArrangementTest, ALoopNeverEnds) {
  asset_.items = {Play(0), Pause(0.1)};
  asset_.loop = true;
  asset_.count = 1;
  const auto node = Make();
  run_.Set("v", 1);
  run_.Tick(*node, 3000);
  EXPECT_NE(node->player().playing(), nullptr);
  EXPECT_EQ(node->remaining_s(), std::numeric_limits<double>::infinity());
}

TEST_F(ArrangementTest, ALiveItemLastsAsLongAsItsSource) {
  asset_.items = {Play(0), Live("face"), Play(1)};
  const auto node = Make();
  run_.Set("v", 1);
  run_.Tick(*node, 60);
  EXPECT_EQ(node->player().item(), 1) << "waits";
  Say({"other"});
  run_.Tick(*node, 30);
  EXPECT_EQ(node->player().item(), 1) << "waits for its own";
  Say({"other", "face"});
  run_.Tick(*node, 30);
  EXPECT_EQ(node->player().item(), 1);
  EXPECT_EQ(Shown(run_), "-");
  providers_[1].suspended = true;
  run_.Tick(*node);
  EXPECT_EQ(Shown(run_), "b0") << "has nothing to show any more";
  run_.Tick(*node, 24);
  EXPECT_TRUE(run_.Told(GraphEvent::kArrangementEnded, "plan"));
}

TEST_F(ArrangementTest, GoesOnWithoutASourceThatDoesNotCome) {
  asset_.items = {Live("", 0.5), Play(1)};
  const auto node = Make();
  run_.Set("v", 1);
  run_.Tick(*node, 15);
  EXPECT_EQ(node->player().item(), 0);
  run_.Tick(*node);
  EXPECT_EQ(node->player().item(), 1);
}

TEST_F(ArrangementTest, DrawsByWeightNeverTwiceRunning) {
  asset_.items = {Play(0, 1, 9, 1), Play(1, 1, 24, 3), Play(2, 1, 40, 6)};
  asset_.random = true;
  const auto node = Make();
  run_.Set("v", 1);
  // One item a tick.
  std::map<int, int> next_of[3];
  int last = -1;
  for (int k = 0; k < 20000; ++k) {
    run_.Tick(*node);
    const int item = node->player().item();
    ASSERT_NE(item, last);
    if (last >= 0) ++next_of[last][item];
    last = item;
  }
  const double weights[] = {1, 3, 6};
  for (int from = 0; from < 3; ++from) {
    const int a = (from + 1) % 3, b = (from + 2) % 3;
    const double n = next_of[from][a] + next_of[from][b];
    const double want = weights[a] / (weights[a] + weights[b]);
    EXPECT_NEAR(next_of[from][a] / n, want, 4 * std::sqrt(want * (1 - want) / n));
  }
}

TEST_F(ArrangementTest, RandomEndsAfterItsCountAndRepeatsWithItsSeed) {
  asset_.items = {Play(0), Play(1), Play(2)};
  asset_.random = true;
  asset_.count = 5;
  std::vector<std::string> runs[2];
  for (auto& shown : runs) {
    Runner run({ChoiceVariable("v", {"none", "plan", "other"})}, 77);
    const auto node = Make();
    run.Set("v", 1);
    int changes = 0, last = -1;
    for (int k = 0; k < 400; ++k) {
      run.Tick(*node);
      shown.push_back(Shown(run));
      changes += node->player().item() >= 0 && node->player().item() != last;
      last = node->player().item();
    }
    EXPECT_EQ(changes, 5);
    EXPECT_EQ(last, -1);
    EXPECT_EQ(std::count(shown.begin(), shown.end(), "?"), 0);
  }
  EXPECT_EQ(runs[0], runs[1]);
}

TEST_F(ArrangementTest, ASourceStartsItAndTheChoiceSaysSo) {
  asset_.items = {Play(0), Live(), Play(1)};
  const auto node = Make();
  node->set_on_source(&asset_);
  run_.Tick(*node, 10);
  EXPECT_EQ(Shown(run_), "-");
  Say({"x"});
  run_.Tick(*node);
  EXPECT_EQ(Shown(run_), "a0");
  EXPECT_EQ(run_.Get("v"), 1);
  run_.Tick(*node, 60);
  EXPECT_EQ(node->player().item(), 1);
  Say({});
  run_.Tick(*node, 60);
  EXPECT_EQ(node->player().playing(), nullptr);
  EXPECT_EQ(run_.Get("v"), 0);
  // Not while another one plays.
  run_.Set("v", 2);
  run_.Tick(*node);
  Say({"y"});
  run_.Tick(*node);
  EXPECT_EQ(node->player().playing(), &other_);
  run_.Tick(*node, 60);
  EXPECT_EQ(node->player().playing(), nullptr) << "the source was there already";
}

TEST_F(ArrangementTest, NeverPops) {
  Random rng(6);
  for (int round = 0; round < 30; ++round) {
    asset_.items = {Play(0), Play(1, 2, 1.3), Pause(0.2), Play(2, 1, 2), Live("", 0.4)};
    asset_.random = round % 2 == 0;
    const auto node = Make();
    for (int k = 0; k < 200; ++k) {
      if (rng.Uniform() < 0.04f) run_.Set("v", rng.Next() % 3);
      run_.Tick(*node);
      if (k == 0) continue;
      ASSERT_LE(run_.step().degrees, 38.1f) << k;
      ASSERT_LE(run_.step().weight, 0.57f) << k;
    }
  }
}

TEST_F(ArrangementTest, AdoptGoesOnInTheItemOfThatNumber) {
  asset_.items = {Play(0), Play(1, 3), Play(2)};
  const auto old = Make();
  run_.Set("v", 1);
  run_.Tick(*old, 9 + 24 + 5);
  const std::string was = Shown(run_);
  ASSERT_EQ(was, "b4");
  const auto node = Make();
  node->Adopt(*old);
  run_.Tick(*node);
  EXPECT_EQ(Shown(run_), "b5") << "goes on, and is not started anew";
  run_.Tick(*node, 19 + 24);
  EXPECT_EQ(Shown(run_), "c0") << "in its second of three times";
  // An item that is another clip now begins.
  asset_.items[2] = Play(0);
  const auto changed = Make();
  const Arrangement copy = asset_;
  changed->Adopt(*node);
  run_.Tick(*changed);
  EXPECT_EQ(changed->player().item(), 2);
  // The arrangement has gone.
  asset_.name = "renamed";
  const auto gone = Make();
  gone->Adopt(*node);
}

}  // namespace
}  // namespace posewire::graph
