#include "libs/skel/limit_job.h"

#include <gtest/gtest.h>

#include "libs/skel/model_place.h"
#include "tests/unit/skel/helpers.h"
#include "tests/unit/skel/random_pose.h"

namespace posewire::skel {
namespace {

float Excess(const JointLimit& l, Quat turn) {
  const Vec3 v = SwingTwist(turn);
  return std::max({l.min.x - v.x, v.x - l.max.x, l.min.y - v.y, v.y - l.max.y, l.min.z - v.z,
                   v.z - l.max.z, 0.0f});
}

TEST(LimitJobValidity, NeedsARigAndItsSizes) {
  const auto rig = BuiltinRig();
  Pose right(94, 52), wrong(93, 52);
  EXPECT_FALSE((LimitJob{nullptr, right.view(), right.span()}.Validate().ok()));
  EXPECT_FALSE((LimitJob{rig.get(), wrong.view(), right.span()}.Validate().ok()));
  EXPECT_FALSE((LimitJob{rig.get(), right.view(), wrong.span()}.Validate().ok()));
  EXPECT_TRUE((LimitJob{rig.get(), right.view(), right.span()}.Validate().ok()));
}

TEST(LimitJob, NoRandomPosePassesALimitAndWhatIsWithinStaysAsItIs) {
  const auto rig = BuiltinRig();
  RandomPoses random(7);
  int held = 0;
  for (int round = 0; round < 300; ++round) {
    Pose pose = random.Of(94, 52, 0.8f);
    // From small turns to any.
    for (int j = 0; j < 94; ++j) {
      const Vec3 turn = Log(pose.view().rotation(j)) * (static_cast<float>(round) / 300);
      const uint8_t had = pose.view().has_r[j];
      pose.span().SetRotation(j, Exp(turn));
      pose.span().has_r[j] = had;
    }
    Pose out(94, 52);
    ASSERT_TRUE((LimitJob{rig.get(), pose.view(), out.span()}.Run()));
    for (int j = 0; j < 94; ++j) {
      ASSERT_EQ(out.view().has_r[j], pose.view().has_r[j]);
      if (!pose.view().has_r[j]) continue;
      const JointLimit& l = rig->limits()[static_cast<size_t>(j)];
      const Quat before = pose.view().rotation(j), after = out.view().rotation(j);
      ASSERT_LT(Excess(l, after), 1e-3f) << rig->joint_names()[static_cast<size_t>(j)];
      if (Excess(l, before) == 0) {
        EXPECT_LT(AngleBetween(before, after), 1e-6f);
      } else {
        ++held;
      }
    }
  }
  EXPECT_GT(held, 1000);
}

TEST(LimitJob, AnElbowDoesNotBendBackwardsAndTurnsItsHandFreely) {
  const auto rig = BuiltinRig();
  const int elbow = rig->FindJoint("l_elbow");
  constexpr float kDeg = 0.01745329252f;
  EXPECT_LT(
      AngleBetween(LimitedRotation(*rig, elbow, Exp({60 * kDeg, 0, 0})), Exp({4 * kDeg, 0, 0})),
      1e-4f);
  const Quat bent = FromSwingTwist({-120 * kDeg, 80 * kDeg, 0});
  EXPECT_LT(AngleBetween(LimitedRotation(*rig, elbow, bent), bent), 1e-6f);
}

TEST(LimitJob, TakesTheWayThatGivesLess) {
  // 181 degrees one way is 179 the other: next to -180, not to 100.
  const JointLimit l{{-3.1415926f, -1, -1}, {1.7f, 1, 1}};
  EXPECT_NEAR(ClampedSwingTwist(l, Exp({-3.16f, 0, 0})).x, -3.14159f, 4e-3f);
}

TEST(LimitJob, TheQuickCheckNeverPassesATurnBeyondALimitAndPassesSmallOnes) {
  RandomPoses random(5);
  int passed = 0, small = 0;
  for (int round = 0; round < 200000; ++round) {
    const Vec3 low = random.Vector() * 1.2f, span = random.Vector() * 1.5f;
    const JointLimit l{low, low + Vec3{std::fabs(span.x), std::fabs(span.y), std::fabs(span.z)}};
    const Quat turn = Exp(random.Vector() * 1.6f);
    const Vec3 v = SwingTwist(turn);
    const bool within = v.x >= l.min.x && v.x <= l.max.x && v.y >= l.min.y && v.y <= l.max.y &&
                        v.z >= l.min.z && v.z <= l.max.z;
    const bool sure = SurelyWithin(l, turn);
    passed += sure;
    ASSERT_TRUE(within || !sure) << v.x << " " << v.y << " " << v.z;
    ASSERT_EQ(sure, SurelyWithin(l, -turn));
    // A tenth of an even limit is not missed.
    const JointLimit even{{-0.5f, -0.5f, -0.5f}, {0.5f, 0.5f, 0.5f}};
    const Vec3 little = random.Vector() * 0.05f;
    small += SurelyWithin(even, Exp(little));
  }
  EXPECT_GT(passed, 300);
  EXPECT_EQ(small, 200000);
}

TEST(LimitJob, ARigWithoutLimitsPassesAll) {
  const auto rig = BuiltinRig("vrm");
  RandomPoses random(3);
  const Pose pose = random.Of(rig->joints(), rig->shapes(), 1);
  Pose out(rig->joints(), rig->shapes());
  ASSERT_TRUE((LimitJob{rig.get(), pose.view(), out.span()}.Run()));
  for (int j = 0; j < rig->joints(); ++j) {
    EXPECT_EQ(out.view().qx[j], pose.view().qx[j]);
  }
}

}  // namespace
}  // namespace posewire::skel
