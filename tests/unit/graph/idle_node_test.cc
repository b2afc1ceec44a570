#include "libs/graph/idle_node.h"

#include <cmath>
#include <set>
#include <string>

#include "gtest/gtest.h"
#include "libs/gesture/neutral_stance.h"
#include "tests/unit/gesture/forward.h"
#include "tests/unit/graph/helpers.h"

namespace posewire::graph {
namespace {

using gesture::Forward;

struct Recorded {
  std::vector<skel::Pose> poses;
  std::vector<float> blinks;
};

Recorded Record(uint64_t seed, int ticks, double dt = kTick_s, double tempo = 1,
                double amplitude = 1) {
  const auto rig = BuiltinRig();
  auto idle = *IdleNode::Make(rig);
  idle->set_tempo(tempo);
  idle->set_amplitude(amplitude);
  Random rng(seed);
  Recorded r;
  const Inputs none;
  for (int k = 0; k < ticks; ++k) {
    const TickContext ctx{k, k * dt, dt, &rng, &none, nullptr};
    idle->Update(ctx, 1);
    idle->Evaluate(ctx, r.poses.emplace_back(rig->joints(), rig->shapes()).span());
    r.blinks.push_back(idle->blink());
  }
  return r;
}

TEST(IdleNode, RejectsARigThatItCannotMove) {
  EXPECT_EQ(IdleNode::Make(BuiltinRig("vrm")).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(IdleNode, SaysEveryElement) {
  const Recorded r = Record(1, 3);
  const skel::PoseView p = r.poses[2].view();
  for (int j = 0; j < p.joints; ++j) EXPECT_TRUE(p.has_t[j] && p.has_r[j] && p.has_s[j]);
  for (int s = 0; s < p.shapes; ++s) EXPECT_TRUE(p.has_w[s]);
}

TEST(IdleNode, NeverFreezesAndNeverRepeatsInAMinute) {
  const Recorded r = Record(2, 1800);
  std::set<std::string> seen;
  for (size_t k = 0; k < r.poses.size(); ++k) {
    const skel::PoseView p = r.poses[k].view();
    // To a tenth of a millimetre and of a milliradian: what an eye could ever tell apart.
    std::string key;
    for (int j = 0; j < p.joints; ++j) {
      for (float v : {p.tx[j], p.tz[j], p.qx[j], p.qy[j], p.qz[j]}) {
        key += std::to_string(std::lround(v * 1e4f)) + ",";
      }
    }
    EXPECT_TRUE(seen.insert(key).second) << "frame " << k << " was shown before";
    if (k >= 15) {
      const Step step = LargestStep(r.poses[k - 15].view(), p);
      EXPECT_GT(step.degrees, 0.05) << "nothing moved in the half second before frame " << k;
    }
  }
}

TEST(IdleNode, MovesGentlyWithinTheLimitsOverFeetThatStay) {
  const auto rig = BuiltinRig();
  const Forward rest(*rig, rig->rest(), rig->rest());
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const Recorded r = Record(seed, 1800);
    for (size_t k = 0; k < r.poses.size(); ++k) {
      const skel::PoseView p = r.poses[k].view();
      if (k > 0) {
        const Step step = LargestStep(r.poses[k - 1].view(), p);
        EXPECT_LT(step.degrees, 1.0) << rig->joint_names()[static_cast<size_t>(step.joint)];
        EXPECT_LT(step.weight, 0.6);
        EXPECT_LT(step.metres, 0.004);
      }
      for (int j = 0; j < p.joints; ++j) {
        const skel::Vec3 turn = SwingTwist(p.rotation(j)) * kDegrees;
        const skel::JointLimit& l = rig->limits()[static_cast<size_t>(j)];
        constexpr float kSlack = 1.5f;
        EXPECT_TRUE(turn.x > l.min.x * kDegrees - kSlack && turn.x < l.max.x * kDegrees + kSlack &&
                    turn.y > l.min.y * kDegrees - kSlack && turn.y < l.max.y * kDegrees + kSlack &&
                    turn.z > l.min.z * kDegrees - kSlack && turn.z < l.max.z * kDegrees + kSlack)
            << rig->joint_names()[static_cast<size_t>(j)] << " " << turn.x << " " << turn.y << " "
            << turn.z;
      }
      for (int s = 0; s < p.shapes; ++s) {
        EXPECT_GE(p.weights[s], 0);
        EXPECT_LE(p.weights[s], 1);
      }
      const Forward w(*rig, p, rig->rest());
      for (const char* joint : {"l_metatarsal", "r_metatarsal"}) {
        ASSERT_LT(Length(w.place(joint) - rest.place(joint)), 2e-3f) << joint << " frame " << k;
      }
      // The heel of a foot that bears little gives way.
      for (const char* joint : {"l_ankle", "r_ankle"}) {
        ASSERT_LT(Length(w.place(joint) - rest.place(joint)), 2e-2f) << joint << " frame " << k;
      }
    }
  }
}

TEST(IdleNode, BreathesAboutOnceInFourSeconds) {
  const auto rig = BuiltinRig();
  const Recorded r = Record(3, 1800);
  const int clavicle = rig->FindJoint("l_sternoclavicular");
  int rises = 0;
  float high = -1, low = 1;
  for (const skel::Pose& p : r.poses) {
    const float z = Log(p.view().rotation(clavicle)).z;
    high = std::max(high, z), low = std::min(low, z);
  }
  const float middle = (high + low) / 2;
  for (size_t k = 1; k < r.poses.size(); ++k) {
    rises += Log(r.poses[k - 1].view().rotation(clavicle)).z < middle &&
             Log(r.poses[k].view().rotation(clavicle)).z >= middle;
  }
  EXPECT_GE(rises, 11);
  EXPECT_LE(rises, 19);
}

TEST(IdleNode, EyeLidAndJawJointsStayAtRestAndTheEyesShapesLookAbout) {
  const auto rig = BuiltinRig();
  const Recorded r = Record(4, 1800);
  const int look = rig->FindShape("eyeLookOutLeft");
  int jumps = 0;
  for (size_t k = 1; k < r.poses.size(); ++k) {
    const skel::PoseView p = r.poses[k].view();
    for (const char* joint : {"l_eyeball_joint", "r_eyeball_joint", "l_eyelid_joint",
                              "r_eyelid_joint", "temporomandibular"}) {
      EXPECT_LT(AngleBetween(p.rotation(rig->FindJoint(joint)), {}), 1e-6f);
    }
    EXPECT_EQ(p.weights[rig->FindShape("jawOpen")], 0);
    EXPECT_EQ(p.weights[rig->FindShape("eyeBlinkLeft")], 0);
    // The two eyes look the same way.
    EXPECT_EQ(p.weights[look], p.weights[rig->FindShape("eyeLookInRight")]);
    EXPECT_EQ(p.weights[look] * p.weights[rig->FindShape("eyeLookInLeft")], 0);
    jumps += std::fabs(p.weights[look] - r.poses[k - 1].view().weights[look]) > 0.1f;
  }
  EXPECT_GT(jumps, 5);
}

TEST(IdleNode, OtherSeedsGiveOtherMotion) {
  EXPECT_FALSE(SameBytes(Record(1, 40).poses.back().view(), Record(2, 40).poses.back().view()));
  EXPECT_TRUE(SameBytes(Record(1, 40).poses.back().view(), Record(1, 40).poses.back().view()));
}

TEST(IdleNode, GoesOnGentlyOverMissedTicks) {
  const auto rig = BuiltinRig();
  auto idle = *IdleNode::Make(rig);
  Random rng(1);
  const Inputs none;
  skel::Pose last(rig->joints(), rig->shapes()), now = last;
  for (int k = 0; k < 400; ++k) {
    const double dt = k % 10 == 9 ? 30 : kTick_s;
    const TickContext ctx{k, k * kTick_s, dt, &rng, &none, nullptr};
    idle->Update(ctx, 1);
    idle->Evaluate(ctx, now.span());
    if (k > 0) {
      EXPECT_LT(LargestStep(last.view(), now.view()).degrees, 3);
    }
    last = now;
  }
}

TEST(IdleNode, TheTempoSaysHowFastAndTheAmplitudeHowFar) {
  const int head = BuiltinRig()->FindJoint("skullbase");
  const auto way = [&](const Recorded& r) {
    float sum = 0;
    for (size_t k = 1; k < r.poses.size(); ++k) {
      sum += AngleBetween(r.poses[k - 1].view().rotation(head), r.poses[k].view().rotation(head));
    }
    return sum;
  };
  const Recorded usual = Record(4, 7200);
  const float fast = way(Record(4, 7200, kTick_s, 2)) / way(usual);
  EXPECT_GT(fast, 1.6f);
  EXPECT_LT(fast, 2.4f);
  const Recorded small = Record(4, 300, kTick_s, 1, 0.5);
  for (size_t k = 0; k < small.poses.size(); ++k) {
    const float turn = AngleBetween(usual.poses[k].view().rotation(head), {});
    EXPECT_NEAR(AngleBetween(small.poses[k].view().rotation(head), {}), turn / 2,
                0.01f + 0.05f * turn);
    EXPECT_EQ(small.blinks[k], usual.blinks[k]);
  }
}

TEST(IdleNode, ShiftsTheWeightWithTheFirstWordOfANewTopic) {
  const auto rig = BuiltinRig();
  const auto pelvis_m = [&](const skel::Pose& pose) {
    return Forward(*rig, pose.view(), rig->rest()).place("sacroiliac").x;
  };
  int other_foot = 0, beats = 0;
  constexpr int kSeeds = 20;
  for (int s = 0; s < kSeeds; ++s) {
    for (const int kind : {SpeechGestureInput::kTopic, 0}) {
      auto idle = *IdleNode::Make(rig);
      Random rng(static_cast<uint64_t>(s));
      const SpeechGestureInput told{.kind = kind, .strength = 1, .stroke_in_s = 0.8, .end_in_s = 3};
      ProviderInput source;
      source.playback_id = 1;
      Inputs inputs;
      inputs.providers = absl::MakeConstSpan(&source, 1);
      skel::Pose pose(rig->joints(), rig->shapes());
      float before = 0, after = 0;
      for (int k = 0; k < 100; ++k) {
        source.gesture = k == 30 ? &told : nullptr;
        const TickContext ctx{k, k * kTick_s, kTick_s, &rng, &inputs, nullptr};
        idle->Update(ctx, 1);
        idle->Evaluate(ctx, pose.span());
        if (k == 42) before = pelvis_m(pose);
        if (k == 99) after = pelvis_m(pose);
      }
      // Half of what it can lean, and more: 12 mm.
      const bool shifted = std::fabs(after) > 0.009f && after * before < 0;
      (kind == 0 ? beats : other_foot) += shifted || std::fabs(after - before) > 0.012f;
    }
  }
  EXPECT_GE(other_foot, kSeeds - 2);
  EXPECT_LE(beats, kSeeds / 2);
}

TEST(IdleNode, EvenTheSmallestAndSlowestIdleMoves) {
  const Recorded r = Record(5, 900, kTick_s, 0, 0);
  EXPECT_GT(LargestStep(r.poses[0].view(), r.poses[899].view()).degrees, 0.02);
}

}  // namespace
}  // namespace posewire::graph
