#include "libs/graph/contributions.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "libs/graph/additive_node.h"
#include "libs/graph/blend_node.h"
#include "libs/graph/clip_node.h"
#include "libs/graph/delay_node.h"
#include "libs/graph/ease_stage.h"
#include "libs/graph/gesture_node.h"
#include "libs/graph/layer_node.h"
#include "libs/graph/mirror_node.h"
#include "libs/graph/output_node.h"
#include "libs/graph/provider_node.h"
#include "libs/graph/state_machine_node.h"
#include "libs/skel/mirror.h"
#include "tests/unit/graph/runner.h"

namespace posewire::graph {
namespace {

class ContributionsTest : public testing::Test {
 protected:
  std::unique_ptr<ClipNode> Plays(const std::shared_ptr<const clip::Clip>& clip) {
    auto node = std::make_unique<ClipNode>();
    node->Play(clip.get());
    return node;
  }
  // With a stage above it, as the loader would.
  void Make(std::unique_ptr<Node> node) {
    top_ = std::make_unique<OutputNode>(rig_, std::make_unique<EaseStage>(rig_, std::move(node)));
  }
  void Tick(int times = 1) {
    for (int i = 0; i < times; ++i) {
      ++tick_;
      TickContext ctx{tick_, static_cast<double>(tick_) / 30, 1.0 / 30, &rng_, &inputs_, nullptr};
      ctx.variables = &variables_;
      ctx.contributions = &store_;
      const AllocationCount allocations;
      store_.Begin();
      top_->Update(ctx, 1);
      top_->Evaluate(ctx, out_.span());
      list().Clear();
      top_->Contribute(ctx, ContributionShare(rig_->joints()), list());
      list().Sort();
      list().Keep(ContributionStore::kMost);
      EXPECT_EQ(allocations.count(), 0);
      for (int j = 0; j <= rig_->joints(); ++j) {
        float sum = 0;
        for (size_t k = 0; k < list().size(); ++k) {
          // Those of mirrored clips are of the other side.
          if (!list().at(k).additive && !list().at(k).mirrored)
            sum += list().row(k)[static_cast<size_t>(j)];
        }
        EXPECT_LE(sum, 1 + 1e-5) << "joint " << j << " at tick " << tick_;
      }
    }
  }
  ContributionList& list() { return store_.list(); }
  // The weight of a clip, -1: is not told.
  float WeightOf(const clip::Clip& clip, bool frozen = false) {
    const int at = At(clip, frozen);
    return at < 0 ? -1 : list().weight(static_cast<size_t>(at));
  }
  int At(const clip::Clip& clip, bool frozen = false) {
    for (size_t i = 0; i < list().size(); ++i) {
      if (list().at(i).clip == &clip && list().at(i).frozen == frozen) return static_cast<int>(i);
    }
    return -1;
  }
  const ClipContribution& Of(const clip::Clip& clip, bool frozen = false) {
    return list().at(static_cast<size_t>(At(clip, frozen)));
  }
  float JointOf(const clip::Clip& clip, int joint) {
    const int at = At(clip);
    return at < 0 ? 0 : list().row(static_cast<size_t>(at))[static_cast<size_t>(joint)];
  }

  std::shared_ptr<const skel::Rig> rig_ = BuiltinRig();
  const int elbow_ = rig_->FindJoint("l_elbow"), knee_ = rig_->FindJoint("l_knee");
  std::shared_ptr<const clip::Clip> a_ = SwingingClip("a", 90, true, 1);
  std::shared_ptr<const clip::Clip> b_ = SwingingClip("b", 90, true, 2);
  std::shared_ptr<VariableSet> set_ =
      std::make_shared<VariableSet>(std::vector<VariableSpec>{ChoiceVariable("state", {"a", "b"})});
  Variables variables_{set_};
  ContributionStore store_{rig_->joints()};
  std::unique_ptr<Node> top_;
  Random rng_{1};
  Inputs inputs_;
  skel::Pose out_{rig_->joints(), rig_->shapes()};
  int64_t tick_ = -1;
};

TEST_F(ContributionsTest, CrossFadeTellsBothClips) {
  std::vector<std::unique_ptr<Node>> inputs;
  inputs.push_back(Plays(a_));
  inputs.push_back(Plays(b_));
  Make(std::make_unique<BlendNode>(*rig_, std::move(inputs), std::vector<Number>{0.3, 0.9}, false));
  Tick(4);
  ASSERT_EQ(list().size(), 2);
  EXPECT_EQ(list().at(0).clip, b_.get());
  EXPECT_NEAR(WeightOf(*b_), 0.75f, 1e-6);
  EXPECT_NEAR(WeightOf(*a_), 0.25f, 1e-6);
  EXPECT_NEAR(Of(*a_).time_s, 0.1, 1e-9);
}

TEST_F(ContributionsTest, WhatEasesOutKeepsItsTimeAndLosesItsWeight) {
  std::vector<StateMachineNode::State> states;
  states.push_back({"a", Plays(a_)});
  states.push_back({"b", Plays(b_)});
  auto node = std::make_unique<StateMachineNode>("m", std::move(states), 0,
                                                 std::vector<StateMachineNode::Change>{});
  node->Follow(0, {0, 1}, 0.3);
  Make(std::move(node));
  Tick(10);
  EXPECT_NEAR(WeightOf(*a_), 1, 1e-6);
  const double stood_s = Of(*a_).time_s;
  variables_.Set(0, {1, {}});
  // The clock of a stage of 0.3 s.
  skel::Inertia clock(1, 1, 0, 0.3);
  for (int k = 0; k < 12; ++k) {
    Tick();
    clock.Advance(1.0 / 30);
    const float left = clock.active() ? clock.Left() : 0;
    EXPECT_NEAR(WeightOf(*b_), 1 - left, 1e-5) << k;
    if (left < 1e-3f) continue;
    EXPECT_NEAR(WeightOf(*a_, true), left, 1e-5) << k;
    EXPECT_EQ(Of(*a_, true).time_s, stood_s);
  }
  EXPECT_EQ(list().size(), 1);
  // Back in the middle of an ease: what was shown goes on from where it was.
  variables_.Set(0, {0, {}});
  Tick(4);
  const float before = WeightOf(*b_, true);
  EXPECT_GT(before, 0.1f);
  variables_.Set(0, {1, {}});
  Tick();
  EXPECT_NEAR(WeightOf(*b_, true), before, 0.1f);
}

TEST_F(ContributionsTest, MaskedLayerCoversItsJoints) {
  auto node = std::make_unique<LayerNode>(rig_, Plays(a_), Plays(b_));
  node->set_mask(*skel::Mask::Region(*rig_, "left_arm"));
  node->set_weight(0.5);
  Make(std::move(node));
  Tick(2);
  EXPECT_NEAR(JointOf(*a_, elbow_), 0.5f, 1e-6);
  EXPECT_NEAR(JointOf(*b_, elbow_), 0.5f, 1e-6);
  EXPECT_NEAR(JointOf(*a_, knee_), 1, 1e-6);
  EXPECT_NEAR(JointOf(*b_, knee_), 0, 1e-6);
}

TEST_F(ContributionsTest, GestureTakesTheJointsOfItsClipAlone) {
  const auto wave = SwingingClip("wave", 60, false, 3, 0.4f);
  auto node = std::make_unique<GestureNode>(rig_, Plays(a_));
  GestureNode* const gesture = node.get();
  Make(std::move(node));
  Tick(3);
  gesture->Set(wave.get());
  Tick(20);
  for (int j = 0; j < rig_->joints(); ++j) {
    const float has = PartOf(wave->frame(0), static_cast<size_t>(j));
    EXPECT_NEAR(JointOf(*wave, j), has, 1e-5) << j;
    EXPECT_NEAR(JointOf(*a_, j), 1 - has, 1e-5) << j;
  }
  // What is below goes on where it is not covered.
  EXPECT_NEAR(Of(*a_).time_s, 22.0 / 30, 1e-6);
}

TEST_F(ContributionsTest, DifferencesAreToldApart) {
  auto node = std::make_unique<AdditiveNode>(rig_, Plays(a_), Plays(b_), nullptr);
  node->set_weight(0.4);
  Make(std::move(node));
  Tick(2);
  EXPECT_NEAR(WeightOf(*a_), 1, 1e-6);
  EXPECT_FALSE(Of(*a_).additive);
  EXPECT_NEAR(WeightOf(*b_), 0.4f, 1e-6);
  EXPECT_TRUE(Of(*b_).additive);
}

TEST_F(ContributionsTest, LiveSourcesTakeWhatTheyHave) {
  Make(std::make_unique<ProviderNode>(rig_, Plays(a_), false));
  skel::Pose pose(rig_->joints(), rig_->shapes());
  pose.span().SetRotation(elbow_, {});
  ProviderInput provider;
  provider.playback_id = 7;
  provider.source_service_id = "camera";
  provider.pose = pose.view();
  Tick(2);
  EXPECT_EQ(list().size(), 1);
  inputs_.providers = absl::MakeConstSpan(&provider, 1);
  Tick(30);
  EXPECT_NEAR(JointOf(*a_, elbow_), 0, 1e-5);
  EXPECT_NEAR(JointOf(*a_, knee_), 1, 1e-5);
  const size_t at = list().at(0).clip == nullptr ? 0 : 1;
  const ClipContribution& live = list().at(at);
  EXPECT_EQ(live.clip, nullptr);
  EXPECT_EQ(live.source.view(), "camera");
  EXPECT_NEAR(list().row(at)[static_cast<size_t>(elbow_)], 1, 1e-5);
}

TEST_F(ContributionsTest, MirroredAndDelayedClipsSaySo) {
  auto delayed = std::make_unique<DelayNode>(*rig_, Plays(a_), Number(0.2), 1);
  Make(std::make_unique<MirrorNode>(rig_, std::move(delayed)));
  Tick(16);
  ASSERT_EQ(list().size(), 1);
  EXPECT_TRUE(list().at(0).mirrored);
  EXPECT_NEAR(list().at(0).time_s, 0.3, 1e-6);
}

TEST_F(ContributionsTest, TheEightHeaviestAreTold) {
  std::vector<std::shared_ptr<const clip::Clip>> clips;
  std::vector<std::unique_ptr<Node>> inputs;
  std::vector<Number> weights;
  float sum = 0;
  for (int i = 0; i < 20; ++i) {
    clips.push_back(SwingingClip(absl::StrCat("c", i), 4, true, static_cast<uint64_t>(i)));
    inputs.push_back(Plays(clips.back()));
    weights.emplace_back(0.01 * (i + 1));
    sum += 0.01f * static_cast<float>(i + 1);
  }
  Make(std::make_unique<BlendNode>(*rig_, std::move(inputs), std::move(weights), false));
  Tick(2);
  ASSERT_EQ(list().size(), 8);
  for (size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(list().at(i).clip, clips[19 - i].get());
    EXPECT_NEAR(list().weight(i), 0.01f * static_cast<float>(20 - i) / sum, 1e-6);
  }
  EXPECT_NEAR(list().left_out(), 0.12f / sum, 1e-6);
}

TEST_F(ContributionsTest, AClipThatASourcePlaysIsToldWithItsTime) {
  top_ = std::make_unique<OutputNode>(
      rig_, std::make_unique<EaseStage>(
                rig_, std::make_unique<ProviderNode>(rig_, Plays(a_), /*ease=*/true)));
  skel::Pose said(rig_->joints(), rig_->shapes());
  said.span().CopyFrom(rig_->rest());
  std::vector<float> joints(static_cast<size_t>(rig_->joints()), 0.25f);
  joints[static_cast<size_t>(elbow_)] = 1;
  std::vector<PushedClip> clips = {{.name = "walk", .hash = 77, .weight = 1}};
  ProviderInput input{1, "source", said.view()};
  const auto tick = [&](double time_s) {
    clips[0].time_s = time_s;
    input.clips = clips;
    inputs_.providers = {&input, 1};
    Tick();
  };
  for (int k = 0; k < 20; ++k) tick(2 + k / 30.0);
  const auto find = [&](bool frozen) -> int {
    for (size_t i = 0; i < list().size(); ++i) {
      if (list().at(i).pushed_hash == 77 && list().at(i).frozen == frozen) {
        return static_cast<int>(i);
      }
    }
    return -1;
  };
  ASSERT_EQ(find(false), 0);
  const ClipContribution& walk = list().at(0);
  EXPECT_EQ(walk.clip, nullptr);
  EXPECT_EQ(walk.pushed_name.view(), "walk");
  EXPECT_EQ(walk.source.view(), "source");
  EXPECT_NEAR(walk.time_s, 2 + 19 / 30.0, 1e-9);
  EXPECT_NEAR(list().weight(0), 1, 1e-5);
  EXPECT_EQ(list().size(), 1u) << "nothing of the source is left, and nothing below is seen";
  // Of a part, the rest is the live source's.
  clips[0].joints = joints;
  tick(2.7);
  ASSERT_GE(find(false), 0);
  EXPECT_NEAR(list().row(static_cast<size_t>(find(false)))[static_cast<size_t>(knee_)], 0.25f,
              1e-5);
  EXPECT_NEAR(list().row(static_cast<size_t>(find(false)))[static_cast<size_t>(elbow_)], 1, 1e-5);
  ASSERT_EQ(list().size(), 2u);
  // It ends: its weight eases out at the time where it stopped.
  inputs_.providers = {};
  Tick();
  ASSERT_GE(find(true), 0);
  EXPECT_NEAR(list().at(static_cast<size_t>(find(true))).time_s, 2.7, 1e-9);
  for (int k = 0; k < 15; ++k) Tick();
  EXPECT_EQ(find(true), -1);
}

// As a take of a graph with a mirrored clip says it: idle all but the left arm, which a clip of the
// right arm moves.
TEST_F(ContributionsTest, AMirroredClipOfASourceHasItsOwnSides) {
  top_ = std::make_unique<OutputNode>(rig_, std::make_unique<ProviderNode>(rig_, nullptr, true));
  skel::Pose said(rig_->joints(), rig_->shapes());
  said.span().CopyFrom(rig_->rest());
  const auto left = static_cast<size_t>(elbow_);
  const auto right = static_cast<size_t>(rig_->FindJoint("r_elbow"));
  std::vector<float> idle(static_cast<size_t>(rig_->joints()), 1.0f), wave(idle.size(), 0.0f);
  idle[left] = 0;
  wave[right] = 1;
  const skel::Mirror mirror(*rig_);
  std::vector<int> partners;
  for (int j = 0; j < rig_->joints(); ++j) partners.push_back(mirror.joint_partner(j));
  const std::vector<PushedClip> clips = {{.name = "idle", .hash = 1, .weight = 1, .joints = idle},
                                         {.name = "wave",
                                          .hash = 2,
                                          .weight = 0,
                                          .mirrored = true,
                                          .joints = wave,
                                          .partners = partners}};
  const ProviderInput input{1, "source", said.view(), false, 0, false, nullptr, clips};
  inputs_.providers = {&input, 1};
  Tick(30);
  ASSERT_EQ(list().size(), 2u) << "nothing is left for the source itself";
  for (size_t i = 0; i < 2; ++i) {
    const bool mirrored = list().at(i).mirrored;
    EXPECT_NEAR(list().row(i)[right], 1, 1e-5) << list().at(i).pushed_name.view();
    EXPECT_NEAR(list().row(i)[left], 0, 1e-5);
    EXPECT_EQ(mirrored, list().at(i).pushed_hash == 2);
  }
}

// Tick checks that no joint has more than the whole.
TEST_F(ContributionsTest, ClipsThatClaimTooMuchShareIt) {
  top_ = std::make_unique<OutputNode>(rig_, std::make_unique<ProviderNode>(rig_, nullptr, true));
  skel::Pose said(rig_->joints(), rig_->shapes());
  said.span().CopyFrom(rig_->rest());
  const std::vector<PushedClip> clips = {{.name = "a", .hash = 1, .weight = 1},
                                         {.name = "b", .hash = 2, .weight = 0.5f},
                                         {.name = "c", .hash = 3, .weight = 1, .additive = true}};
  const ProviderInput input{1, "source", said.view(), false, 0, false, nullptr, clips};
  inputs_.providers = {&input, 1};
  Tick(30);
  float sum = 0;
  for (size_t i = 0; i < list().size(); ++i) {
    if (list().at(i).pushed_hash == 3) {
      EXPECT_NEAR(list().weight(i), 1, 1e-5) << "what is added does not share";
    } else {
      sum += list().weight(i);
    }
  }
  EXPECT_NEAR(sum, 1, 1e-5);
}

}  // namespace
}  // namespace posewire::graph
