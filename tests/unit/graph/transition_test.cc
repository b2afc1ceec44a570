#include "libs/graph/transition.h"

#include "gtest/gtest.h"
#include "tests/unit/graph/helpers.h"

namespace posewire::graph {
namespace {

using skel::FromAxisAngle;
using skel::Quat;

constexpr double kDt = 1.0 / 30;

skel::Pose OneJoint(Quat q, float weight = 0) {
  skel::Pose p(1, 1);
  p.span().SetRotation(0, q);
  p.span().SetWeight(0, weight);
  return p;
}

TEST(Transition, WithoutAJumpPassesEverything) {
  Transition t(1, 1, 0.3);
  Random rng(4);
  for (int k = 0; k < 200; ++k) {
    skel::Pose p = OneJoint(FromAxisAngle({0, 0, 1}, rng.Uniform(-3, 3)), rng.Uniform(-1, 2));
    const skel::Pose before = p;
    t.Run(kDt, false, nullptr, p.span());
    EXPECT_TRUE(SameBytes(p.view(), before.view()));
  }
}

TEST(Transition, TheFirstPosePassesEvenWithAJump) {
  Transition t(1, 1, 0.3);
  skel::Pose p = OneJoint(FromAxisAngle({0, 0, 1}, 2), 1);
  t.Run(kDt, true, nullptr, p.span());
  EXPECT_FLOAT_EQ(p.view().weights[0], 1);
  EXPECT_FALSE(t.active());
}

TEST(Transition, LandsOnTheInputAfterItsTime) {
  Transition t(1, 1, 0.3);
  for (int k = 0; k < 5; ++k) {
    skel::Pose p = OneJoint({}, 0);
    t.Run(kDt, false, nullptr, p.span());
  }
  float last = 0;
  for (int k = 0; k < 12; ++k) {
    skel::Pose p = OneJoint(FromAxisAngle({0, 0, 1}, 2), 1);
    t.Run(kDt, k == 0, nullptr, p.span());
    EXPECT_GE(p.view().weights[0], last);
    last = p.view().weights[0];
    if (k == 0) {
      EXPECT_LT(last, 0.2f);
    }
    if (k < 9) continue;
    EXPECT_FLOAT_EQ(last, 1);
  }
}

TEST(Transition, LeavesElementsOutOfTheMaskAlone) {
  Transition t(1, 1, 0.3);
  skel::Pose mask(1, 1);
  mask.span().SetWeight(0, 0);
  skel::Pose p = OneJoint({}, 0);
  t.Run(kDt, false, nullptr, p.span());
  const Quat turned = FromAxisAngle({0, 0, 1}, 0.4f);
  p = OneJoint(turned, 1);
  const skel::PoseView only = mask.view();
  t.Run(kDt, true, &only, p.span());
  EXPECT_LT(AngleBetween(p.view().rotation(0), turned), 1e-4f);
  EXPECT_LT(p.view().weights[0], 0.3f);
}

TEST(Transition, AnElementThatIsMissingAtTheStartIsNotMovedWhenItComes) {
  Transition t(1, 1, 0.5);
  skel::Pose mask(1, 1);
  mask.span().SetRotation(0, {});
  mask.span().SetWeight(0, 0);
  const skel::PoseView only = mask.view();
  const Quat turned = FromAxisAngle({0, 0, 1}, 0.4f);
  skel::Pose p = OneJoint(turned, 1);
  t.Run(kDt, false, nullptr, p.span());
  p = OneJoint({}, 0);
  p.span().ClearPresence();
  t.Run(kDt, true, &only, p.span());
  p = OneJoint(turned, 1);
  t.Run(kDt, false, &only, p.span());
  EXPECT_LT(AngleBetween(p.view().rotation(0), turned), 1e-4f);
  EXPECT_FLOAT_EQ(p.view().weights[0], 1);
}

// Jumps at every few frames between far places: no step beyond the rule, and the place is reached.
TEST(Transition, TheGuardBoundsEveryStepAndCatchesUp) {
  Random rng(8);
  for (int round = 0; round < 300; ++round) {
    Transition t(1, 1, 0.3);
    skel::Pose last = OneJoint({}, 0);
    t.Run(kDt, false, nullptr, last.span());
    Quat place;
    float weight = 0;
    int since = 0;
    for (int k = 0; k < 120; ++k) {
      const bool jump = k < 80 && rng.Uniform() < 0.3f;
      if (jump) {
        const skel::Vec3 axis =
            Normalized(skel::Vec3{rng.Uniform(-1, 1), rng.Uniform(-1, 1), rng.Uniform(-1, 1)});
        place = FromAxisAngle(axis, rng.Uniform(-3.1f, 3.1f));
        weight = rng.Uniform(-0.5f, 1.5f);
        since = 0;
      }
      ++since;
      skel::Pose p = OneJoint(place, weight);
      t.Run(kDt, jump, nullptr, p.span());
      const Step step = LargestStep(last.view(), p.view());
      ASSERT_LE(step.degrees, 38.1f) << round << " " << k;
      ASSERT_LE(step.weight, 0.6f) << round << " " << k;
      if (since > 20) {
        ASSERT_LT(AngleBetween(p.view().rotation(0), place), 1e-3f);
      }
      last = p;
    }
  }
}

// After a transition an input that turns fast for good is shown as it is.
TEST(Transition, TheGuardLetsGoOfAFastInput) {
  Transition t(1, 1, 0.3);
  float off = 1;
  for (int k = 0; k < 60; ++k) {
    const Quat q = FromAxisAngle({0, 0, 1}, 1.0f * static_cast<float>(k));
    skel::Pose p = OneJoint(q);
    t.Run(kDt, k == 10, nullptr, p.span());
    off = AngleBetween(p.view().rotation(0), q);
  }
  EXPECT_LT(off, 1e-3f);
  EXPECT_FALSE(t.active());
}

}  // namespace
}  // namespace posewire::graph
