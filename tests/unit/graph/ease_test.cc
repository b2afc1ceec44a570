#include "libs/graph/ease.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/support/allocation_count.h"
#include "tests/unit/graph/helpers.h"

namespace posewire::graph {
namespace {

using skel::FromAxisAngle;
using skel::Quat;
using skel::Vec3;

std::shared_ptr<const skel::Rig> SmallRig(int joints = 1) {
  skel::RigParts parts;
  parts.name = "small";
  for (int j = 0; j < joints; ++j) {
    parts.joint_paths.push_back(absl::StrCat("j", j));
    parts.rest_translations.push_back({0, 1, 0});
    parts.shapes.push_back(absl::StrCat("s", j));
  }
  return *skel::Rig::Make(std::move(parts));
}

skel::Pose OneJoint(Quat q, float weight = 0, Vec3 at = {0, 1, 0}) {
  skel::Pose p(1, 1);
  p.span().SetTranslation(0, at);
  p.span().SetRotation(0, q);
  p.span().SetScale(0, {1, 1, 1});
  p.span().SetWeight(0, weight);
  return p;
}

Vec3 Axis(Random& rng) {
  return Normalized(Vec3{rng.Uniform(-1, 1), rng.Uniform(-1, 1), rng.Uniform(-1, 1)});
}

// Runs one tick; `seconds` above 0 asks for all.
void Tick(Ease& ease, skel::Pose& pose, double seconds = 0, bool gap = false,
          double dt_s = kTick_s) {
  TransitionRequests asks(pose.joints(), pose.shapes());
  if (seconds > 0) asks.AskAll(seconds);
  ease.Run(dt_s, gap, asks, pose.span());
}

TEST(Ease, WithoutAnAskPassesEverythingBitForBit) {
  Ease ease(SmallRig());
  Random rng(4);
  for (int k = 0; k < 200; ++k) {
    skel::Pose p = OneJoint(FromAxisAngle({0, 0, 1}, rng.Uniform(-3, 3)), rng.Uniform(-1, 2),
                            {rng.Uniform(), 1, 0});
    const skel::Pose before = p;
    Tick(ease, p);
    EXPECT_TRUE(SameBytes(p.view(), before.view()));
  }
}

TEST(Ease, TheFirstPosePassesEvenIfItIsAskedFor) {
  Ease ease(SmallRig());
  skel::Pose p = OneJoint(FromAxisAngle({0, 0, 1}, 2), 1);
  Tick(ease, p, 0.3);
  EXPECT_FLOAT_EQ(p.view().weights[0], 1);
  EXPECT_FALSE(ease.active());
  p = OneJoint({}, 0);
  ease.Forget();
  Tick(ease, p, 0.3);
  EXPECT_FLOAT_EQ(p.view().weights[0], 0);
}

TEST(Ease, LandsOnTheInputAfterItsTime) {
  Ease ease(SmallRig());
  for (int k = 0; k < 5; ++k) {
    skel::Pose p = OneJoint({}, 0);
    Tick(ease, p);
  }
  float last = 0;
  for (int k = 0; k < 12; ++k) {
    skel::Pose p = OneJoint(FromAxisAngle({0, 0, 1}, 2), 1, {0.5f, 1, 0});
    const skel::Pose input = p;
    Tick(ease, p, k == 0 ? 0.3 : 0);
    EXPECT_GE(p.view().weights[0], last);
    last = p.view().weights[0];
    if (k == 0) {
      EXPECT_LT(last, 0.2f);
      EXPECT_LT(p.view().tx[0], 0.1f);
      EXPECT_LT(AngleBetween(p.view().rotation(0), {}), 0.4f);
    }
    if (k < 9) continue;
    EXPECT_TRUE(SameBytes(p.view(), input.view())) << k;
    EXPECT_FALSE(ease.active());
  }
}

TEST(Ease, LeavesElementsThatAreNotAskedForAlone) {
  Ease ease(SmallRig());
  skel::Pose p = OneJoint({}, 0);
  Tick(ease, p);
  for (int k = 0; k < 20; ++k) {
    // The joint jumps about, the weight is asked for.
    p = OneJoint(FromAxisAngle({0, 0, 1}, static_cast<float>(k % 3)), 1);
    const skel::Pose input = p;
    TransitionRequests asks(1, 1);
    if (k == 0) asks.Ask(3, 0, 0.3);
    ease.Run(kTick_s, false, asks, p.span());
    EXPECT_EQ(p.view().qz[0], input.view().qz[0]);
    if (k < 5) {
      EXPECT_LT(p.view().weights[0], 1);
    }
  }
}

// An ask that does not concern an element leaves its ease alone, however often it comes.
TEST(Ease, AnElementThatDidNotJumpKeepsItsClock) {
  for (const int every : {0, 1, 2, 5}) {
    Ease ease(SmallRig());
    skel::Pose p = OneJoint({}, 0);
    Tick(ease, p);
    for (int k = 0; k < 12; ++k) {
      p = OneJoint(FromAxisAngle({0, 0, 1}, 1), 1, {0.2f, 1, 0});
      Tick(ease, p, k == 0 || (every > 0 && k % every == 0) ? 0.3 : 0);
    }
    EXPECT_TRUE(SameBytes(p.view(), OneJoint(FromAxisAngle({0, 0, 1}, 1), 1, {0.2f, 1, 0}).view()))
        << every;
  }
}

// Of two joints one is asked for every 50 ms; the other one eases over its own switch in its time.
TEST(Ease, EachElementHasAClockOfItsOwn) {
  Ease ease(SmallRig(2));
  const auto pose = [](float a, float b) {
    skel::Pose p(2, 2);
    p.span().CopyFrom(SmallRig(2)->rest());
    p.span().SetRotation(0, FromAxisAngle({1, 0, 0}, a));
    p.span().SetRotation(1, FromAxisAngle({1, 0, 0}, b));
    return p;
  };
  skel::Pose p = pose(0, 0);
  Tick(ease, p);
  for (int k = 0; k < 40; ++k) {
    const float a = k % 6 < 3 ? 1.0f : -1.0f, b = k < 20 ? 0.0f : 0.8f;
    p = pose(a, b);
    TransitionRequests asks(2, 2);
    if (k % 3 == 0) asks.Ask(1, 0, 0.3);
    if (k == 20) asks.Ask(1, 1, 0.3);
    ease.Run(kTick_s, false, asks, p.span());
    if (k < 20 || k >= 29) {
      EXPECT_EQ(p.view().qx[1], pose(a, b).view().qx[1]) << k;
    }
    EXPECT_LT(AngleBetween(p.view().rotation(0), {}), 1.01f);
  }
}

TEST(Ease, TakesUpTheVelocityButNotOverAHole) {
  float at[2];
  for (const bool gap : {false, true}) {
    Ease ease(SmallRig());
    for (int k = 0; k < 3; ++k) {
      skel::Pose p = OneJoint(FromAxisAngle({0, 0, 1}, 1.2f - 0.1f * static_cast<float>(k)));
      Tick(ease, p);
    }
    skel::Pose p = OneJoint({});
    Tick(ease, p, 0.3, gap, 0.01);
    at[gap] = AngleBetween(p.view().rotation(0), {});
  }
  EXPECT_NEAR(at[0], 1 - 0.03f, 0.01f);
  EXPECT_GT(at[1], 0.99f);
}

// Jumps at every few frames between far places: no step beyond the rule, and the place is reached.
TEST(Ease, TheGuardBoundsEveryStepAndCatchesUp) {
  Random rng(8);
  for (int round = 0; round < 300; ++round) {
    Ease ease(SmallRig());
    skel::Pose last = OneJoint({}, 0);
    Tick(ease, last);
    Quat place;
    float weight = 0;
    int since = 0;
    for (int k = 0; k < 120; ++k) {
      const bool jump = k < 80 && rng.Uniform() < 0.3f;
      if (jump) {
        place = FromAxisAngle(Axis(rng), rng.Uniform(-3.1f, 3.1f));
        weight = rng.Uniform(-0.5f, 1.5f);
        since = 0;
      }
      ++since;
      skel::Pose p = OneJoint(place, weight);
      Tick(ease, p, jump ? 0.3 : 0);
      const Step step = LargestStep(last.view(), p.view());
      ASSERT_LE(step.degrees, 38.1f) << round << " " << k;
      ASSERT_LE(step.weight, 0.6f) << round << " " << k;
      if (since > 20) {
        ASSERT_TRUE(SameBytes(p.view(), OneJoint(place, weight).view())) << round << " " << k;
      }
      last = p;
    }
  }
}

// After an ease an input that turns fast for good is shown as it is.
TEST(Ease, TheGuardLetsGoOfAFastInput) {
  Ease ease(SmallRig());
  float off = 1;
  for (int k = 0; k < 60; ++k) {
    const Quat q = FromAxisAngle({0, 0, 1}, 1.0f * static_cast<float>(k));
    skel::Pose p = OneJoint(q);
    Tick(ease, p, k == 10 ? 0.3 : 0);
    off = AngleBetween(p.view().rotation(0), q);
  }
  EXPECT_LT(off, 1e-6f);
  EXPECT_FALSE(ease.active());
}

// Places and scales that move, stand, and move elsewhere.
TEST(Ease, EasesPlacesFromWhereverTheyWere) {
  const auto rig = BuiltinRig();
  Ease ease(rig);
  Random rng(4);
  skel::Pose last(rig->joints(), rig->shapes());
  for (int k = 0; k < 300; ++k) {
    skel::Pose p(rig->joints(), rig->shapes());
    p.span().CopyFrom(rig->rest());
    const int part = k / 20;
    for (int j = part % 3 * 20; part % 4 != 0 && j < 60 + part % 5 * 8; ++j) {
      const auto off = static_cast<float>(part % 7) * 0.1f;
      p.span().SetTranslation(j, rig->rest().translation(j) + Vec3{off, 0, 0});
      p.span().SetScale(j, {1, 1 + off, 1});
    }
    const skel::Pose input = p;
    Tick(ease, p, k % 20 == 0 ? 0.4 : 0);
    for (int j = 0; k > 0 && j < rig->joints(); ++j) {
      ASSERT_LT(Length(p.view().translation(j) - last.view().translation(j)), 0.1f) << k;
      ASSERT_LT(Length(p.view().scale(j) - last.view().scale(j)), 0.1f) << k;
    }
    if (k % 20 >= 12) {
      ASSERT_TRUE(SameBytes(p.view(), input.view())) << k;
    }
    last = p;
  }
}

TEST(Ease, GoesOnWithTheEasesOfAnother) {
  Ease one(SmallRig()), two(SmallRig());
  skel::Pose p = OneJoint({}, 0);
  Tick(one, p);
  for (int k = 0; k < 12; ++k) {
    if (k == 4) two.Adopt(one);
    skel::Pose a = OneJoint(FromAxisAngle({0, 0, 1}, 1), 1, {0.2f, 1, 0}), b = a;
    Tick(one, a, k == 0 ? 0.3 : 0);
    if (k < 4) continue;
    Tick(two, b);
    EXPECT_TRUE(SameBytes(a.view(), b.view())) << k;
  }
}

TEST(Ease, TakesAtMost16KibOfTheStandardRig) {
  const auto rig = BuiltinRig();
  const int64_t before = LiveBytes();
  const Ease ease(rig);
  EXPECT_LT(LiveBytes() - before + static_cast<int64_t>(sizeof(Ease)), 16 * 1024);
}

}  // namespace
}  // namespace posewire::graph
