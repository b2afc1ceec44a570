#include "libs/skel/additive_job.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/unit/skel/random_pose.h"

namespace posewire::skel {
namespace {

TEST(AdditiveJobValidity, RejectsPosesOfAnotherSize) {
  Pose a(2, 2), wrong(2, 1);
  EXPECT_FALSE((MakeAdditiveJob{wrong.view(), a.view(), a.span()}.Run()));
  EXPECT_FALSE((MakeAdditiveJob{a.view(), wrong.view(), a.span()}.Run()));
  EXPECT_FALSE((AdditiveJob{.below = wrong.view(), .delta = a.view(), .out = a.span()}.Run()));
  EXPECT_FALSE((AdditiveJob{.below = a.view(), .delta = wrong.view(), .out = a.span()}.Run()));
  EXPECT_TRUE((AdditiveJob{.below = a.view(), .delta = a.view(), .out = a.span()}.Run()));
}

TEST(AdditiveJob, AddingTheDeltaToTheReferenceGivesThePose) {
  RandomPoses random(9);
  for (int round = 0; round < 30; ++round) {
    const Pose pose = random.Of(12, 12, 0.8f), reference = random.Of(12, 12);
    Pose delta(12, 12), out(12, 12);
    ASSERT_TRUE((MakeAdditiveJob{pose.view(), reference.view(), delta.span()}.Run()));
    ASSERT_TRUE(
        (AdditiveJob{.below = reference.view(), .delta = delta.view(), .out = out.span()}.Run()));
    const PoseView p = pose.view(), r = reference.view(), got = out.view();
    for (int j = 0; j < 12; ++j) {
      const PoseView& want_t = p.has_t[j] ? p : r;
      EXPECT_NEAR(Length(got.translation(j) - want_t.translation(j)), 0, 1e-5);
      EXPECT_NEAR(AngleBetween(got.rotation(j), (p.has_r[j] ? p : r).rotation(j)), 0, 2e-3);
      EXPECT_NEAR(Length(got.scale(j) - (p.has_s[j] ? p : r).scale(j)), 0, 1e-5);
      EXPECT_NEAR(got.weights[j], (p.has_w[j] ? p : r).weights[j], 1e-5);
    }
  }
}

// Poses of rotations alone take another way through the job.
TEST(AdditiveJob, RotationsAloneAreTakenOutAndAddedAsOthersAre) {
  constexpr int kJoints = 29;
  RandomPoses random(17);
  for (int round = 0; round < 60; ++round) {
    // Every element of one pose, others missing; the root alone is shifted, now and then.
    const auto turns = [&](float present) {
      Pose from = random.Of(kJoints, 1, present), pose(kJoints, 1);
      for (int j = 0; j < kJoints; ++j) {
        if (from.view().has_r[j]) pose.span().SetRotation(j, from.view().rotation(j));
      }
      if (round % 3 == 0) pose.span().SetTranslation(0, {0.5f, 1, 2});
      return pose;
    };
    const Pose below = turns(round % 2 == 0 ? 1 : 0.7f);
    const Pose pose = turns(round % 4 == 1 ? 1 : 0.6f), reference = turns(0.9f);
    Pose delta(kJoints, 1), out(kJoints, 1);
    ASSERT_TRUE((MakeAdditiveJob{pose.view(), reference.view(), delta.span()}.Run()));
    ASSERT_TRUE(
        (AdditiveJob{.below = below.view(), .delta = delta.view(), .out = out.span()}.Run()));
    const PoseView b = below.view(), p = pose.view(), r = reference.view(), got = out.view();
    for (int j = 0; j < kJoints; ++j) {
      const bool all = b.has_r[j] && p.has_r[j] && r.has_r[j];
      EXPECT_EQ(delta.view().has_r[j], p.has_r[j] && r.has_r[j]);
      EXPECT_EQ(got.has_r[j], b.has_r[j]);
      if (!b.has_r[j]) continue;
      const Quat want =
          all ? Mul(b.rotation(j), Mul(Conjugate(r.rotation(j)), p.rotation(j))) : b.rotation(j);
      EXPECT_NEAR(Dot(want, got.rotation(j)), 1, 2e-6) << "round " << round << " joint " << j;
      EXPECT_NEAR(Dot(got.rotation(j), got.rotation(j)), 1, 2e-6);
    }
    EXPECT_EQ(got.has_t[0], b.has_t[0]);
  }
}

TEST(AdditiveJob, AddsAPartByWeightAndMask) {
  const std::shared_ptr<const Rig> rig =
      *Rig::Parse("rig r\njoint A - 0 0 0\njoint A/B - 0 0 0\nshape s\n");
  Pose below(2, 1), delta(2, 1), out(2, 1);
  below.span().CopyFrom(rig->rest());
  for (int j = 0; j < 2; ++j) {
    delta.span().SetRotation(j, FromAxisAngle({0, 0, 1}, 0.8f));
    delta.span().SetTranslation(j, {2, 0, 0});
    delta.span().SetScale(j, {3, 1, 1});
  }
  delta.span().SetWeight(0, 0.4f);
  Mask mask(*rig, 0);
  mask.set_joint(1, 0.5f);
  ASSERT_TRUE((AdditiveJob{.below = below.view(),
                           .delta = delta.view(),
                           .weight = 0.5f,
                           .mask = &mask,
                           .out = out.span()}
                   .Run()));
  EXPECT_NEAR(AngleBetween(out.view().rotation(0), {}), 0, 1e-5);
  EXPECT_NEAR(AngleBetween(out.view().rotation(1), {}), 0.2f, 3e-4);
  EXPECT_FLOAT_EQ(out.view().tx[1], 0.5f);
  EXPECT_FLOAT_EQ(out.view().sx[1], 1.5f);
  EXPECT_EQ(out.view().weights[0], 0);
}

TEST(AdditiveJob, TurnsByTheWeightOfTheAngle) {
  RandomPoses random(19);
  for (int i = 0; i < 500; ++i) {
    const Vec3 axis = Normalized(random.Vector());
    const float angle = random.Number(0, 3), w = random.Number(-1, 2);
    Pose below(1, 0), delta(1, 0), out(1, 0);
    below.span().SetRotation(0, random.Rotation());
    delta.span().SetRotation(0, FromAxisAngle(axis, angle));
    ASSERT_TRUE(
        (AdditiveJob{.below = below.view(), .delta = delta.view(), .weight = w, .out = out.span()}
             .Run()));
    const Quat want = Mul(below.view().rotation(0), FromAxisAngle(axis, angle * w));
    EXPECT_LT(AngleBetween(out.view().rotation(0), want), 3e-4f);
  }
}

TEST(AdditiveJob, TakesNothingOfAWeightThatIsNoNumber) {
  Pose below(1, 1), delta(1, 1), out(1, 1);
  below.span().SetWeight(0, 0.25f);
  delta.span().SetWeight(0, 1);
  for (const float w : {std::numeric_limits<float>::infinity(), 0.0f}) {
    ASSERT_TRUE(
        (AdditiveJob{.below = below.view(), .delta = delta.view(), .weight = w, .out = out.span()}
             .Run()));
    EXPECT_EQ(out.view().weights[0], 0.25f);
  }
}

TEST(MakeAdditiveJob, AZeroReferenceScaleGivesARatioOfOne) {
  Pose pose(1, 0), reference(1, 0), delta(1, 0);
  pose.span().SetScale(0, {2, 2, 2});
  reference.span().SetScale(0, {0, 1, 4});
  ASSERT_TRUE((MakeAdditiveJob{pose.view(), reference.view(), delta.span()}.Run()));
  EXPECT_EQ(delta.view().sx[0], 1);
  EXPECT_EQ(delta.view().sy[0], 2);
  EXPECT_EQ(delta.view().sz[0], 0.5f);
}

}  // namespace
}  // namespace posewire::skel
