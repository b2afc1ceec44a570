// The stage, and what becomes of an ask on its way up to it.
#include "libs/graph/ease_stage.h"

#include <functional>
#include <utility>
#include <vector>

#include "libs/graph/additive_node.h"
#include "libs/graph/blend_node.h"
#include "libs/graph/delay_node.h"
#include "libs/graph/gesture_node.h"
#include "libs/graph/layer_node.h"
#include "libs/graph/mirror_node.h"
#include "libs/graph/mix_node.h"
#include "libs/graph/provider_node.h"
#include "libs/graph/state_machine_node.h"
#include "tests/unit/graph/runner.h"

namespace posewire::graph {
namespace {

// Shows a pose and asks for what it is told to, once.
class Asker : public Node {
 public:
  explicit Asker(const skel::Rig& rig) : pose(rig.joints(), rig.shapes()) {}
  void Update(const TickContext&, float) override {}
  void Evaluate(const TickContext& ctx, const skel::PoseSpan& out) override {
    out.CopyFrom(pose.view());
    if (ask) std::exchange(ask, nullptr)(*ctx.asks);
  }
  skel::Pose pose;
  std::function<void(TransitionRequests&)> ask;
};

// What arrives at the top of a node.
class TransitionRequestsTest : public testing::Test {
 protected:
  std::unique_ptr<Node> MakeAsker(Asker*& asker, bool says_all = true) {
    auto node = std::make_unique<Asker>(*rig);
    asker = node.get();
    if (says_all) asker->pose.span().CopyFrom(rig->rest());
    return node;
  }
  // Ticks and gives the milliseconds of one element.
  TransitionRequests::Ms Tick(Node& node, size_t row, int element) {
    Runner* run = &run_;
    return TickFor(node, row, element, run);
  }
  TransitionRequests::Ms TickFor(Node& node, size_t row, int element, Runner* run) {
    TransitionRequests asks(rig->joints(), rig->shapes());
    run->UpdateOnly(node);
    TickContext ctx = run->ctx;
    ctx.asks = &asks;
    node.Evaluate(ctx, out.span());
    return asks.at(row, static_cast<size_t>(element));
  }
  static std::function<void(TransitionRequests&)> All(double seconds) {
    return [=](TransitionRequests& asks) { asks.AskAll(seconds); };
  }

  Runner run_{{NumberVariable("w", 1), ChoiceVariable("g", {"none", "wave", "smile"})}};
  std::shared_ptr<const skel::Rig> rig = run_.rig;
  skel::Pose out{rig->joints(), rig->shapes()};
  const int elbow = rig->FindJoint("l_elbow"), other_elbow = rig->FindJoint("r_elbow");
  const int knee = rig->FindJoint("l_knee"), jaw = rig->FindShape("jawOpen");
};

TEST_F(TransitionRequestsTest, ALayerTakesAwayWhatItCoversWhole) {
  for (const float weight : {1.0f, 0.5f, 0.0f}) {
    Asker *below = nullptr, *over = nullptr;
    LayerNode node(rig, MakeAsker(below), MakeAsker(over, false));
    over->pose.span().SetWeight(jaw, 1);
    over->pose.span().SetRotation(elbow, {});
    skel::Mask mask(*rig, 1);
    mask.set_joint(elbow, 0.5f);
    node.set_mask(mask);
    node.set_weight(weight);
    Tick(node, 3, jaw);
    below->ask = All(0.2);
    EXPECT_EQ(Tick(node, 3, jaw), weight == 1 ? 0 : 200);
    below->ask = All(0.2);
    EXPECT_EQ(Tick(node, 1, elbow), 200) << "is mixed";
    below->ask = All(0.2);
    EXPECT_EQ(Tick(node, 3, jaw + 1), 200) << "the layer does not say it";
    // And what it asks for itself.
    over->ask = All(0.4), below->ask = All(0.2);
    EXPECT_EQ(Tick(node, 3, jaw), weight > 0 ? 400 : 200) << "the one nearer the output counts";
    over->ask = All(0.4);
    EXPECT_EQ(Tick(node, 1, knee), 0) << "the layer does not say it";
  }
}

TEST_F(TransitionRequestsTest, ALayerAsksWhenItsWeightIsSwitched) {
  Asker *below = nullptr, *over = nullptr;
  LayerNode node(rig, MakeAsker(below), MakeAsker(over, false));
  over->pose.span().SetWeight(jaw, 1);
  node.set_weight(Number::Follow(0));
  Tick(node, 3, jaw);
  EXPECT_EQ(Tick(node, 3, jaw), 0);
  for (const double weight : {0.0, 1.0}) {
    run_.Set("w", weight);
    EXPECT_EQ(Tick(node, 3, jaw), 300) << weight;
    EXPECT_EQ(Tick(node, 3, jaw), 0) << weight;
  }
  run_.Set("w", 0.9);
  EXPECT_EQ(Tick(node, 3, jaw), 0) << "goes there";
}

// Where nothing is below it, a part of the layer is all of it.
TEST_F(TransitionRequestsTest, ALayerAsksForWhatIsBelowBeginsOrCeasesToSay) {
  Asker *below = nullptr, *over = nullptr;
  LayerNode node(rig, MakeAsker(below), MakeAsker(over, false));
  over->pose.span().SetWeight(jaw, 1);
  node.set_weight(0.1f);
  Tick(node, 3, jaw);
  for (const bool has : {false, true}) {
    below->pose.span().has_w[jaw] = has ? 1 : 0;
    EXPECT_EQ(Tick(node, 3, jaw), 300) << has;
    EXPECT_EQ(Tick(node, 3, jaw), 0) << has;
  }
}

TEST_F(TransitionRequestsTest, ADifferenceCoversNothing) {
  Asker *below = nullptr, *delta = nullptr;
  AdditiveNode node(rig, MakeAsker(below), MakeAsker(delta, false), nullptr);
  delta->pose.span().SetRotation(elbow, {});
  Tick(node, 1, elbow);
  below->ask = All(0.2);
  EXPECT_EQ(Tick(node, 1, elbow), 200);
  below->ask = All(0.2), delta->ask = All(0.5);
  EXPECT_EQ(Tick(node, 1, elbow), 500);
  delta->ask = All(0.5);
  EXPECT_EQ(Tick(node, 1, knee), 0);
  delta->pose.span().SetRotation(knee, {});
  EXPECT_EQ(Tick(node, 1, knee), 300) << "begins to be said";
}

TEST_F(TransitionRequestsTest, ABlendAsksOnlyForWhatItsInputsSay) {
  Asker *a = nullptr, *b = nullptr;
  std::vector<std::unique_ptr<Node>> inputs;
  inputs.push_back(MakeAsker(a));
  inputs.push_back(MakeAsker(b, false));
  b->pose.span().SetRotation(elbow, {});
  BlendNode node(*rig, std::move(inputs), {Number(1), Number(1)}, false);
  Tick(node, 1, elbow);
  b->ask = All(0.2);
  EXPECT_EQ(Tick(node, 1, elbow), 200);
  b->ask = All(0.2);
  EXPECT_EQ(Tick(node, 1, knee), 0);
  a->ask = All(0.1);
  EXPECT_EQ(Tick(node, 1, knee), 100);
}

TEST_F(TransitionRequestsTest, AMirrorSwapsItsSides) {
  Asker* below = nullptr;
  MirrorNode node(rig, MakeAsker(below));
  Tick(node, 1, elbow);
  const auto left = [&](TransitionRequests& asks) {
    asks.Ask(1, static_cast<size_t>(elbow), 0.2);
    asks.Ask(3, static_cast<size_t>(rig->FindShape("eyeBlinkLeft")), 0.3);
  };
  below->ask = left;
  EXPECT_EQ(Tick(node, 1, elbow), 0);
  below->ask = left;
  EXPECT_EQ(Tick(node, 1, other_elbow), 200);
  below->ask = left;
  EXPECT_EQ(Tick(node, 3, rig->FindShape("eyeBlinkRight")), 300);
}

// The pose jumps at a tick, and 10 ticks later where it is shown; at no tick something between is.
TEST_F(TransitionRequestsTest, ADelayHoldsAnAskUntilItsMomentIsRead) {
  for (const double delay_s : {10 / 30.0, 10.5 / 30.0, 0.0}) {
    for (const int rate : {30, 90}) {
      Asker* below = nullptr;
      DelayNode node(*rig, MakeAsker(below), Number(delay_s), delay_s);
      Runner run;
      int asked = -1, jumped = -1;
      for (int k = 0; k < 80; ++k) {
        if (k == 30) {
          below->pose.span().SetWeight(jaw, 1);
          below->ask = [&](TransitionRequests& asks) {
            asks.Ask(3, static_cast<size_t>(jaw), 0.2);
          };
        }
        TransitionRequests asks(rig->joints(), rig->shapes());
        run.UpdateOnly(node, 1.0 / rate);
        TickContext ctx = run.ctx;
        ctx.asks = &asks;
        node.Evaluate(ctx, out.span());
        const float w = out.view().weights[jaw];
        ASSERT_TRUE(w == 0 || w == 1) << k;
        if (w == 1 && jumped < 0) jumped = k;
        if (k >= 30 && asks.at(3, static_cast<size_t>(jaw)) == 200 && asked < 0) asked = k;
        if (jumped < 0) {
          EXPECT_EQ(asked, -1) << k;
        }
      }
      EXPECT_EQ(asked, jumped) << delay_s << " " << rate;
      EXPECT_NEAR(jumped, 30 + delay_s * rate, rate / 30 + 0.6);
    }
  }
}

TEST_F(TransitionRequestsTest, ASourceTakesAwayWhatItSaysAndAsksForWhatItSaidOrSays) {
  Asker* below = nullptr;
  ProviderNode node(rig, MakeAsker(below), true);
  skel::Pose said(rig->joints(), rig->shapes());
  said.span().SetWeight(jaw, 0.5f);
  std::vector<ProviderInput> inputs(1);
  inputs[0].playback_id = 5;
  inputs[0].owns_mouth = true;
  inputs[0].pose = said.view();
  run_.inputs.providers = inputs;
  const int lips = rig->FindShape("mouthClose"), brow = rig->FindShape("browInnerUp");
  EXPECT_EQ(Tick(node, 3, jaw), 300) << "it begins";
  EXPECT_EQ(Tick(node, 3, jaw), 0);
  for (const auto& [shape, want] : {std::pair{jaw, 0}, {lips, 0}, {brow, 200}}) {
    below->ask = All(0.2);
    EXPECT_EQ(Tick(node, 3, shape), want) << "the mouth is the source's, said or not";
  }
  for (const auto& [shape, want] : {std::pair{jaw, 100}, {lips, 0}, {brow, 0}}) {
    ++inputs[0].discontinuities;
    EXPECT_EQ(Tick(node, 3, shape), want) << shape;
  }
  // Another one beside it leaves this one's mouth alone.
  skel::Pose body(rig->joints(), rig->shapes());
  body.span().SetRotation(elbow, {});
  inputs.resize(2);
  inputs[1].playback_id = 6;
  inputs[1].pose = body.view();
  run_.inputs.providers = inputs;
  for (const auto& [row, element, want] :
       {std::tuple{size_t{3}, jaw, 0}, {size_t{1}, elbow, 300}, {size_t{1}, knee, 0}}) {
    ++inputs[1].playback_id;
    EXPECT_EQ(Tick(node, row, element), want) << element;
  }
  inputs[0].suspended = true;
  EXPECT_EQ(Tick(node, 3, jaw), 300) << "it starves";
  inputs[0].suspended = false;
  EXPECT_EQ(Tick(node, 3, jaw), 100) << "and is back";
  run_.inputs.providers = {};
  EXPECT_EQ(Tick(node, 3, jaw), 300) << "gone";
  EXPECT_EQ(Tick(node, 3, jaw), 0);
}

TEST_F(TransitionRequestsTest, AGestureAsksForWhatItsClipsHave) {
  Asker* below = nullptr;
  GestureNode node(rig, MakeAsker(below));
  const clip::Clip* wave = Gestures()->Find("wave");
  Tick(node, 1, other_elbow);
  node.Set(wave);
  EXPECT_EQ(Tick(node, 1, other_elbow), 400);
  below->ask = All(0.2);
  EXPECT_EQ(Tick(node, 1, other_elbow), 0) << "covered";
  below->ask = All(0.2);
  EXPECT_EQ(Tick(node, 1, knee), 200);
  node.Set(wave);
  EXPECT_EQ(Tick(node, 1, knee), 0);
  node.Set(nullptr);
  EXPECT_EQ(Tick(node, 1, other_elbow), 400);
  EXPECT_EQ(Tick(node, 1, other_elbow), 0);
}

TEST_F(TransitionRequestsTest, OfTwoAsksTheOneNearerTheOutputCounts) {
  std::vector<StateMachineNode::State> states;
  Asker *a = nullptr, *b = nullptr;
  states.push_back({"a", MakeAsker(a)});
  states.push_back({"b", MakeAsker(b)});
  StateMachineNode::Change change;
  change.to = 1, change.event = 0, change.duration_s = 0.8;
  StateMachineNode node("m", std::move(states), 0, {change});
  Tick(node, 1, elbow);
  b->ask = All(0.3);
  run_.fire = 1;
  EXPECT_EQ(Tick(node, 1, elbow), 800);
  b->ask = All(0.3);
  EXPECT_EQ(Tick(node, 1, elbow), 300);
}

TEST(EaseStage, SaysEveryElementAndEasesThoseThatComeAndGo) {
  Runner run;
  FixedNode source(*run.rig);
  const int elbow = run.rig->FindJoint("l_elbow"), head = run.rig->FindJoint("skullbase");
  float last = 0, most = 0;
  for (int k = 0; k < 120; ++k) {
    source.pose.span().ClearPresence();
    source.pose.span().SetRotation(head, skel::FromAxisAngle({1, 0, 0}, 0.3f));
    if (k / 30 % 2 == 1) {
      source.pose.span().SetRotation(elbow, skel::FromAxisAngle({1, 0, 0}, -1.5f));
    }
    run.Tick(source);
    const skel::PoseView p = run.pose.view();
    const float turn = AngleBetween(p.rotation(elbow), {});
    if (k > 0) most = std::max(most, std::fabs(turn - last));
    last = turn;
    EXPECT_TRUE(SaysAll(p));
    EXPECT_EQ(p.ty[elbow], run.rig->rest().ty[elbow]);
    EXPECT_NEAR(AngleBetween(p.rotation(head), {}), 0.3f, 1e-5f);
    if (k % 30 == 29) {
      EXPECT_NEAR(turn, k / 30 % 2 == 1 ? 1.5f : 0, 1e-3f);
    }
  }
  EXPECT_LT(most, 0.6f);
}

TEST(EaseStage, AsksOfTheFirstTickAndAfterAReloadAreVoid) {
  const auto rig = BuiltinRig();
  Runner run;
  const int elbow = rig->FindJoint("l_elbow");
  const auto make = [&](Asker*& asker) {
    auto node = std::make_unique<Asker>(*rig);
    asker = node.get();
    asker->pose.span().CopyFrom(rig->rest());
    return std::make_unique<EaseStage>(rig, std::move(node));
  };
  skel::Pose out(rig->joints(), rig->shapes());
  const auto tick = [&](EaseStage& stage) {
    run.UpdateOnly(stage);
    stage.Evaluate(run.ctx, out.span());
    return AngleBetween(out.view().rotation(elbow), {});
  };
  Asker *a = nullptr, *b = nullptr;
  const auto old = make(a), next = make(b);
  tick(*old);
  a->pose.span().SetRotation(elbow, skel::FromAxisAngle({1, 0, 0}, 1));
  a->ask = [](TransitionRequests& asks) { asks.AskAll(0.3); };
  tick(*old);
  const float under_way = tick(*old);
  EXPECT_LT(under_way, 0.5f);
  next->Adopt(*old);
  b->pose.span().CopyFrom(a->pose.view());
  b->ask = [](TransitionRequests& asks) { asks.AskAll(5); };
  EXPECT_GT(tick(*next), under_way) << "goes on";
  for (int k = 0; k < 7; ++k) tick(*next);
  EXPECT_NEAR(tick(*next), 1, 1e-6) << "in the time that it had";
}

TEST(EaseStage, ForgetsWhatWasBeforeItWasNotSeen) {
  Runner run;
  auto node = std::make_unique<Asker>(*run.rig);
  Asker* asker = node.get();
  const int jaw = run.rig->FindShape("jawOpen");
  EaseStage stage(run.rig, std::move(node));
  asker->pose.span().SetWeight(jaw, 0);
  skel::Pose out(run.rig->joints(), run.rig->shapes());
  run.UpdateOnly(stage);
  stage.Evaluate(run.ctx, out.span());
  run.UpdateOnly(stage);
  run.UpdateOnly(stage);
  asker->pose.span().SetWeight(jaw, 1);
  asker->ask = [](TransitionRequests& asks) { asks.AskAll(0.3); };
  stage.Evaluate(run.ctx, out.span());
  EXPECT_EQ(out.view().weights[jaw], 1);
}

}  // namespace
}  // namespace posewire::graph
