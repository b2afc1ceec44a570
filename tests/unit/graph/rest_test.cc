// Layers that play nothing rest, and nobody can tell.
#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <utility>

#include "gtest/gtest.h"
#include "libs/graph/arrangement_node.h"
#include "libs/graph/camera_node.h"
#include "libs/graph/gesture_node.h"
#include "libs/graph/provider_node.h"
#include "tests/unit/graph/runner.h"

namespace posewire::graph {
namespace {

// Whether two poses say the same elements, of the same values to the bit.
bool SameBits(const skel::PoseView& a, const skel::PoseView& b) {
  const auto row = [](const uint8_t* has_a, const uint8_t* has_b, int n,
                      std::initializer_list<std::pair<const float*, const float*>> values) {
    for (int i = 0; i < n; ++i) {
      if (has_a[i] != has_b[i]) return false;
      for (const auto& [p, q] : values) {
        if (has_a[i] && std::memcmp(p + i, q + i, sizeof(float)) != 0) return false;
      }
    }
    return true;
  };
  return row(a.has_t, b.has_t, a.joints, {{a.tx, b.tx}, {a.ty, b.ty}, {a.tz, b.tz}}) &&
         row(a.has_r, b.has_r, a.joints,
             {{a.qw, b.qw}, {a.qx, b.qx}, {a.qy, b.qy}, {a.qz, b.qz}}) &&
         row(a.has_s, b.has_s, a.joints, {{a.sx, b.sx}, {a.sy, b.sy}, {a.sz, b.sz}}) &&
         row(a.has_w, b.has_w, a.shapes, {{a.weights, b.weights}});
}

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
  Memory memory() const override { return shown_.memory(); }
  void Recall(int ago, const skel::PoseSpan& out) override {
    ++recalled;
    shown_.Write(ago, out);
  }
  int recalled = 0;

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
  skel::Pose scratch(rig->joints(), rig->shapes());
  ASSERT_EQ(node.memory().ticks, 2);
  EXPECT_DOUBLE_EQ(node.memory().dt_s, 1.0 / 30);
  node.Recall(0, scratch.span());
  EXPECT_TRUE(SameBits(scratch.view(), run.pose.view()));
  node.Recall(1, scratch.span());
  EXPECT_TRUE(SameBits(scratch.view(), run.last.view()));
}

TEST(Shown, TakesTheJointsThatBothHave) {
  const auto rig = BuiltinRig();
  Random rng(3);
  Shown all(0, rig->joints(), rig->shapes()), part(32, 40, rig->shapes());
  const skel::Pose first = RandomPose(*rig, rng), second = RandomPose(*rig, rng);
  all.Keep(0.02, first.view());
  all.Keep(0.03, second.view());
  const auto take = [&](const Shown& from, Shown& to) {
    to.Forget();
    skel::Pose scratch(rig->joints(), rig->shapes());
    for (int ago : {1, 0}) {
      from.Write(ago, scratch.span());
      to.Keep(from.dt_s(), Part(scratch.view(), to.first(), to.joints()));
    }
  };
  take(all, part);
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
  skel::Pose other = first;
  part.Write(0, other.span());
  EXPECT_EQ(other.view().qx[0], first.view().qx[0]);
  EXPECT_EQ(other.view().qx[40], second.view().qx[40]);
}

// Half of the joints at rest, a block here and one there, and later elsewhere.
TEST(Shown, KeepsEveryBitWhateverIsAtRest) {
  const auto rig = BuiltinRig();
  Random rng(4);
  for (const bool whole : {true, false}) {
    const int first = whole ? 0 : 16, joints = whole ? rig->joints() : 50;
    Shown shown(first, joints, rig->shapes(), rig->rest());
    skel::Pose before(rig->joints(), rig->shapes());
    for (int i = 0; i < 200; ++i) {
      skel::Pose pose(rig->joints(), rig->shapes());
      if (i % 3 != 0) pose.span().CopyFrom(rig->rest());
      const int from = static_cast<int>(rng.Next() % 90), n = static_cast<int>(rng.Next() % 40);
      for (int j = from; j < std::min(from + n, rig->joints()); ++j) {
        if (i % 2 == 0) pose.span().SetTranslation(j, {rng.Uniform(), rng.Uniform(), 0});
        if (i % 5 == 0) pose.span().SetScale(j, {1, rng.Uniform(), 1});
        pose.span().SetRotation(j, skel::FromAxisAngle({0, 1, 0}, rng.Uniform()));
      }
      if (i % 4 == 0) pose.span().SetWeight(static_cast<int>(rng.Next() % 52), rng.Uniform());
      shown.Keep(0.03, Part(pose.view(), first, joints));
      EXPECT_TRUE(SameBits(shown.newest(), Part(pose.view(), first, joints))) << i;
      if (i > 0) {
        EXPECT_TRUE(SameBits(shown.before(), Part(before.view(), first, joints))) << i;
      }
      before = pose;
    }
  }
}

}  // namespace
}  // namespace posewire::graph
