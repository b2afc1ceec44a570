#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "libs/gesture/neutral_stance.h"
#include "libs/graph/graph_instance.h"
#include "tests/unit/gesture/forward.h"
#include "tests/unit/graph/helpers.h"
#include "tests/unit/graph_loader/composite_helpers.h"

namespace posewire::graph {
namespace {

using testing::HasSubstr;

class GraphInstanceTest : public testing::Test {
 protected:
  void Make(const std::string& kind, const char* rig = "hanim_loa3", uint64_t seed = 1) {
    rig_ = BuiltinRig(rig);
    graph_ = MakeComposite(kind, rig_, Gestures(), seed);
    out_ = skel::Pose(rig_->joints(), rig_->shapes());
    source_ = skel::Pose(rig_->joints(), rig_->shapes());
    k_ = 0;
  }
  ProviderInput Source(uint64_t id = 1) {
    ProviderInput p;
    p.playback_id = id;
    p.pose = source_.view();
    return p;
  }
  void Tick(std::vector<ProviderInput> providers = {}, int times = 1) {
    for (int i = 0; i < times; ++i, ++k_) {
      graph_->Tick(k_, static_cast<double>(k_) * kTick_s, kTick_s, Inputs{providers}, out_.span());
    }
  }
  float Weight(const char* shape) { return out_.view().weights[rig_->FindShape(shape)]; }

  std::shared_ptr<const skel::Rig> rig_;
  std::unique_ptr<GraphInstance> graph_;
  skel::Pose out_, source_;
  int64_t k_ = 0;
};

TEST_F(GraphInstanceTest, PassThroughShowsTheSourceAndRestElsewhere) {
  Make("passthrough", "ace_biped");
  Tick();
  EXPECT_TRUE(SameBytes(out_.view(), rig_->rest()));
  Random rng(2);
  for (int round = 0; round < 100; ++round) {
    source_.span().ClearPresence();
    for (int j = 0; j < rig_->joints(); ++j) {
      const skel::Vec3 axis =
          Normalized(skel::Vec3{rng.Uniform(-1, 1), rng.Uniform(-1, 1), rng.Uniform(-1, 1)});
      if (rng.Uniform() < 0.5f) {
        source_.span().SetRotation(j, skel::FromAxisAngle(axis, rng.Uniform(-3, 3)));
      }
      if (rng.Uniform() < 0.5f) source_.span().SetTranslation(j, axis);
    }
    for (int s = 0; s < rig_->shapes(); ++s) {
      if (rng.Uniform() < 0.5f) source_.span().SetWeight(s, rng.Uniform(-1, 2));
    }
    Tick({Source(static_cast<uint64_t>(round / 3))});
    const skel::PoseView p = out_.view(), s = source_.view(), rest = rig_->rest();
    for (int j = 0; j < rig_->joints(); ++j) {
      const skel::Quat q = s.has_r[j] ? s.rotation(j) : rest.rotation(j);
      EXPECT_EQ(std::fabs(Dot(q, p.rotation(j))), std::fabs(Dot(q, q)));
      EXPECT_EQ(p.tx[j], s.has_t[j] ? s.tx[j] : rest.tx[j]);
      EXPECT_EQ(p.sy[j], 1);
    }
    for (int i = 0; i < rig_->shapes(); ++i) {
      EXPECT_EQ(p.weights[i], s.has_w[i] ? s.weights[i] : 0);
    }
  }
}

TEST_F(GraphInstanceTest, PassThroughHasNoGestures) {
  Make("passthrough");
  EXPECT_EQ(SetGesture(*graph_, "wave").code(), absl::StatusCode::kNotFound);
}

TEST_F(GraphInstanceTest, AnUnknownGestureIsAnsweredWithWhatItMayHaveMeant) {
  Make("default");
  const absl::Status s = SetGesture(*graph_, "point_letf");
  EXPECT_EQ(s.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(s.message()), HasSubstr("did you mean point_left"));
  EXPECT_TRUE(SetGesture(*graph_, "none").ok());
}

TEST_F(GraphInstanceTest, PlaysAGestureOverIdle) {
  Make("default");
  ASSERT_TRUE(Set(*graph_, "posture_state", "idle").ok());
  Tick({}, 10);
  EXPECT_LT(gesture::Forward(*rig_, out_.view(), rig_->rest()).place("r_middle1").y, 1.0f);
  ASSERT_TRUE(SetGesture(*graph_, "wave").ok());
  Tick({}, 30);
  const gesture::Forward w(*rig_, out_.view(), rig_->rest());
  EXPECT_GT(w.place("r_middle1").y, 1.5f);
  const int elbow = rig_->FindJoint("r_elbow");
  EXPECT_LT(DegreesFrom(*Gestures()->Find("wave"), 29 * kTick_s, out_.view(), elbow), 0.5);
  Tick({}, 90);
  EXPECT_LT(gesture::Forward(*rig_, out_.view(), rig_->rest()).place("r_middle1").y, 1.0f);
}

TEST_F(GraphInstanceTest, IdleAndGesturesReachOtherRigs) {
  for (const char* name : {"ace_biped", "vrm", "hanim_loa1", "hanim_loa2", "hanim_loa4"}) {
    Make("default", name);
    ASSERT_TRUE(Set(*graph_, "posture_state", "idle").ok());
    Tick({}, 5);
    const skel::Pose first = out_;
    Tick({}, 60);
    EXPECT_GT(LargestStep(first.view(), out_.view()).degrees, 0.1) << name;
    const char* hand = rig_->FindJoint("RightHand") >= 0 ? "RightHand" : "r_wrist";
    const gesture::Forward low(*rig_, out_.view(), rig_->rest());
    EXPECT_LT(low.place(hand).y, 1.0f) << name;
    ASSERT_TRUE(SetGesture(*graph_, "wave").ok());
    Tick({}, 30);
    const gesture::Forward high(*rig_, out_.view(), rig_->rest());
    EXPECT_GT(high.place(hand).y, low.place(hand).y + 0.4f) << name;
    EXPECT_GT(Weight("mouthSmileLeft"), 0.2f) << name;
  }
}

TEST_F(GraphInstanceTest, BlinksJoinASourceByMaxNeverBySum) {
  Make("default");
  source_.span().SetWeight(rig_->FindShape("eyeBlinkLeft"), 0.3f);
  source_.span().SetWeight(rig_->FindShape("eyeBlinkRight"), 0.9f);
  int blinks = 0;
  float last = 0;
  Tick({Source()}, 15);
  for (int k = 0; k < 900; ++k) {
    Tick({Source()});
    const float left = Weight("eyeBlinkLeft"), right = Weight("eyeBlinkRight");
    EXPECT_GE(left, 0.3f - 1e-6f);
    EXPECT_LE(left, 1);
    EXPECT_GE(right, 0.9f - 1e-6f);
    EXPECT_LE(right, 1);
    if (left > 0.3f + 1e-6f) {
      EXPECT_NEAR(right, std::max(0.9f, left), 1e-6);
    }
    blinks += last <= 0.5f && left > 0.5f;
    last = left;
  }
  EXPECT_GE(blinks, 4);
  EXPECT_LE(blinks, 16);
}

TEST_F(GraphInstanceTest, BlinksStopWhileASourceMovesTheLidsByJoints) {
  Make("default");
  source_.span().SetRotation(rig_->FindJoint("l_eyelid_joint"),
                             skel::FromAxisAngle({1, 0, 0}, 0.4f));
  Tick({Source()}, 15);
  for (int k = 0; k < 600; ++k) {
    Tick({Source()});
    ASSERT_EQ(Weight("eyeBlinkLeft"), 0);
  }
}

TEST_F(GraphInstanceTest, GesturesLendNoMouthWhileASourceOwnsIt) {
  Make("default");
  source_.span().SetWeight(rig_->FindShape("jawOpen"), 0.2f);
  ProviderInput source = Source();
  source.owns_mouth = true;
  Tick({source}, 15);
  ASSERT_TRUE(SetGesture(*graph_, "shrug").ok());
  for (int k = 0; k < 60; ++k) {
    Tick({source});
    EXPECT_EQ(Weight("mouthFrownLeft"), 0);
    EXPECT_FLOAT_EQ(Weight("jawOpen"), 0.2f);
  }
}

TEST_F(GraphInstanceTest, ASourceThatStarvesGivesTheBodyBackAndTakesItAgain) {
  Make("default");
  ASSERT_TRUE(Set(*graph_, "posture_state", "idle").ok());
  const int elbow = rig_->FindJoint("l_elbow");
  source_.span().SetRotation(elbow, skel::FromAxisAngle({1, 0, 0}, -1.5f));
  ProviderInput source = Source();
  const auto bend = [&] { return AngleBetween(out_.view().rotation(elbow), {}); };
  Tick({source}, 20);
  EXPECT_NEAR(bend(), 1.5f, 1e-4);
  source.suspended = true;
  Tick({source}, 12);
  EXPECT_LT(bend(), 0.5f);
  source.suspended = false;
  Tick({source}, 3);
  EXPECT_GT(bend(), 0.5f);
  Tick({source}, 9);
  EXPECT_NEAR(bend(), 1.5f, 1e-4);
}

TEST_F(GraphInstanceTest, WorksWithoutAnyClips) {
  const auto rig = BuiltinRig();
  const auto graph = MakeComposite("default", rig, nullptr, 1);
  skel::Pose a(rig->joints(), rig->shapes()), b = a;
  graph->Tick(0, 0, kTick_s, {}, a.span());
  for (int k = 1; k < 20; ++k) graph->Tick(k, k * kTick_s, kTick_s, {}, b.span());
  EXPECT_FALSE(SameBytes(a.view(), b.view()));
  EXPECT_EQ(SetGesture(*graph, "wave").code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(GraphInstanceTest, ARigThatIsNoBodyIsMovedByItsSourcesAlone) {
  skel::RigParts parts;
  parts.name = "lamp";
  parts.joint_paths = {"Base", "Base/Lid"};
  parts.rest_translations = {{0, 0, 0}, {0, 1, 0}};
  const auto lamp = *skel::Rig::Make(parts);
  const auto graph = MakeComposite("default", lamp, Gestures(), 1);
  skel::Pose out(2, 0), source(2, 0);
  for (int k = 0; k < 5; ++k) graph->Tick(k, k * kTick_s, kTick_s, {}, out.span());
  EXPECT_TRUE(SameBytes(out.view(), lamp->rest()));
  source.span().SetRotation(1, skel::FromAxisAngle({1, 0, 0}, 1));
  ProviderInput input;
  input.playback_id = 1;
  input.pose = source.view();
  for (int k = 5; k < 20; ++k) {
    graph->Tick(k, k * kTick_s, kTick_s, Inputs{{&input, 1}}, out.span());
    if (k == 5) {
      EXPECT_LT(AngleBetween(out.view().rotation(1), {}), 0.4f);
    }
  }
  EXPECT_NEAR(AngleBetween(out.view().rotation(1), {}), 1, 1e-5);
  EXPECT_EQ(SetGesture(*graph, "wave").code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace posewire::graph
