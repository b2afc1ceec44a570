// Layers that play nothing rest, and nobody can tell.
#include <utility>

#include "gtest/gtest.h"
#include "libs/graph/arrangement_node.h"
#include "libs/graph/camera_node.h"
#include "libs/graph/gesture_node.h"
#include "libs/graph/provider_node.h"
#include "tests/unit/graph/runner.h"

namespace posewire::graph {
namespace {

// Says every element, swings, and remembers what it showed.
class SwingingBase : public Node {
 public:
  explicit SwingingBase(std::shared_ptr<const skel::Rig> rig)
      : rig_(std::move(rig)), shown_(0, rig_->joints(), rig_->shapes()) {}
  void Update(const TickContext&, float) override {}
  void Evaluate(const TickContext& ctx, const skel::PoseSpan& out) override {
    out.CopyFrom(rig_->rest());
    for (int j = 0; j < out.joints; ++j) {
      const auto angle = static_cast<float>(0.3 * std::sin(2 * ctx.time_s + j));
      out.SetRotation(j, Normalized(Mul(out.rotation(j), skel::FromAxisAngle({1, 0, 0}, angle))));
    }
    shown_.Keep(ctx.dt_s, out);
  }
  bool says_all() const override { return true; }
  bool remembers() const override { return true; }
  void Recall(Shown& to) const override {
    ++recalled;
    to.Take(shown_);
  }
  mutable int recalled = 0;

 private:
  std::shared_ptr<const skel::Rig> rig_;
  Shown shown_;
};

// Passes all on and remembers nothing, so that what is above must by itself.
class Forgetful : public PassNode {
 public:
  using PassNode::PassNode;
  void Evaluate(const TickContext& ctx, const skel::PoseSpan& out) override {
    below().Evaluate(ctx, out);
  }
};

// base, two gestures and a provider above one another.
struct Tower {
  Tower(const std::shared_ptr<const skel::Rig>& rig, bool rests) {
    auto below = std::make_unique<SwingingBase>(rig);
    base = below.get();
    std::unique_ptr<Node> node = std::move(below);
    const auto wrap = [&] {
      if (!rests) node = std::make_unique<Forgetful>(std::move(node));
    };
    for (int i = 0; i < 2; ++i) {
      wrap();
      auto gesture = std::make_unique<GestureNode>(rig, std::move(node));
      gesture->Follow("g", i, 0,
                      {nullptr, Gestures()->Find("wave"), Gestures()->Find("nod"),
                       Gestures()->Find("posture_talking")});
      node = std::move(gesture);
    }
    wrap();
    top = std::make_unique<ProviderNode>(rig, std::move(node), true);
  }
  SwingingBase* base = nullptr;
  std::unique_ptr<Node> top;
};

std::vector<VariableSpec> Choices() {
  const std::vector<std::string> values = {"none", "wave", "nod", "talk"};
  return {ChoiceVariable("first", values), ChoiceVariable("second", values)};
}

// Plays the same switches, `gap` ticks apart, on a tower that rests and on one that cannot; gives
// the largest difference.
Step Compare(uint64_t seed, int gap, int* recalled) {
  const auto rig = BuiltinRig();
  Random dice(seed);
  Runner a(Choices()), b(Choices());
  Tower rests(rig, true), wakes(rig, false);
  SwingingSource source(*rig, 1, dice, 0.5f, 1.5f);
  std::vector<ProviderInput> inputs;
  Step worst;
  for (int k = 0; k < 600; ++k) {
    if (k % gap == gap - 1) {
      const float what = dice.Uniform();
      if (what < 0.35f) {
        inputs.empty() ? inputs.push_back(source.input) : inputs.clear();
      } else {
        const char* name = what < 0.7f ? "first" : "second";
        const auto value = static_cast<double>(dice.Next() % 4);
        a.Set(name, value), b.Set(name, value);
      }
    }
    if (!inputs.empty()) inputs[0] = source.At(k / 30.0);
    a.inputs.providers = b.inputs.providers = inputs;
    a.Tick(*rests.top);
    b.Tick(*wakes.top);
    const Step step = LargestStep(a.pose.view(), b.pose.view());
    worst.degrees = std::max(worst.degrees, step.degrees);
    worst.weight = std::max(worst.weight, step.weight);
    worst.metres = std::max(worst.metres, step.metres);
    EXPECT_LT(LargestStep(a.pose.view(), k == 0 ? a.pose.view() : a.last.view()).degrees, 40) << k;
  }
  *recalled += rests.base->recalled;
  return worst;
}

TEST(Rest, SwitchesApartAreEasedAsByLayersThatAlwaysRemember) {
  int recalled = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const Step worst = Compare(seed, 45, &recalled);
    EXPECT_LT(worst.degrees, 0.1f) << seed;
    EXPECT_LT(worst.weight, 1e-4f) << seed;
    EXPECT_LT(worst.metres, 1e-5f) << seed;
  }
  EXPECT_GT(recalled, 20);
}

// Velocities right after an ease may differ a little.
TEST(Rest, SwitchesAtAnyTimeDifferLittle) {
  int recalled = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const Step worst = Compare(seed, 7, &recalled);
    EXPECT_LT(worst.degrees, 8) << seed;
    EXPECT_LT(worst.weight, 0.1f) << seed;
  }
}

TEST(Rest, ALayerOverWhatDoesNotRememberDoesSoForThoseAbove) {
  const auto rig = BuiltinRig();
  auto base = std::make_unique<Forgetful>(std::make_unique<SwingingBase>(rig));
  EXPECT_TRUE(base->says_all());
  EXPECT_FALSE(base->remembers());
  GestureNode node(rig, std::move(base));
  EXPECT_TRUE(node.remembers());
  Runner run(Choices());
  node.Follow("g", 0, 0, {nullptr, Gestures()->Find("nod"), nullptr, nullptr});
  run.Tick(node, 5);
  Shown shown(0, rig->joints(), rig->shapes());
  node.Recall(shown);
  ASSERT_EQ(shown.ticks(), 2);
  const Step off = LargestStep(shown.newest(), run.raw.view());
  EXPECT_LT(off.degrees, 0.1f);
  EXPECT_LT(LargestStep(shown.before(), run.last.view()).degrees, 0.1f);
}

TEST(Shown, TakesTheJointsThatBothHave) {
  const auto rig = BuiltinRig();
  Random rng(3);
  Shown all(0, rig->joints(), rig->shapes()), part(32, 40, rig->shapes());
  const skel::Pose first = RandomPose(*rig, rng), second = RandomPose(*rig, rng);
  all.Keep(0.02, first.view());
  all.Keep(0.03, second.view());
  part.Take(all);
  EXPECT_EQ(part.ticks(), 2);
  EXPECT_EQ(part.dt_s(), 0.03);
  for (int j = 0; j < part.joints(); ++j) {
    EXPECT_EQ(part.newest().qx[j], second.view().qx[32 + j]);
    EXPECT_EQ(part.before().tz[j], first.view().tz[32 + j]);
    EXPECT_EQ(part.newest().has_s[j], 0);
  }
  for (int s = 0; s < rig->shapes(); ++s) {
    EXPECT_EQ(part.before().weights[s], first.view().weights[s]);
  }
  // And back, over other poses: the joints outside stay.
  Shown other(0, rig->joints(), rig->shapes());
  other.Keep(0.01, first.view());
  other.Keep(0.01, first.view());
  other.Take(part);
  EXPECT_EQ(other.newest().qx[0], first.view().qx[0]);
  EXPECT_EQ(other.newest().qx[40], second.view().qx[40]);
}

}  // namespace
}  // namespace posewire::graph
