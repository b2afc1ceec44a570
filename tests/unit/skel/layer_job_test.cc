#include "libs/skel/layer_job.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/unit/skel/random_pose.h"

namespace posewire::skel {
namespace {

TEST(LayerJobValidity, RejectsPosesAndMasksOfAnotherSize) {
  const std::shared_ptr<const Rig> rig = *Rig::Parse("rig r\njoint A - 0 0 0\nshape s\n");
  Pose a(1, 1), wrong(1, 2);
  const Mask mask(*rig, 1), none;
  EXPECT_TRUE(
      (LayerJob{.below = a.view(), .layer = a.view(), .mask = &mask, .out = a.span()}.Run()));
  EXPECT_FALSE((LayerJob{.below = wrong.view(), .layer = a.view(), .out = a.span()}.Run()));
  EXPECT_FALSE((LayerJob{.below = a.view(), .layer = wrong.view(), .out = a.span()}.Run()));
  EXPECT_FALSE(
      (LayerJob{.below = a.view(), .layer = a.view(), .mask = &none, .out = a.span()}.Run()));
}

TEST(LayerJob, TakesOnlyWhatTheLayerHas) {
  Pose below(2, 2), layer(2, 2), out(2, 2);
  below.span().SetTranslation(0, {1, 0, 0});
  below.span().SetWeight(0, 0.25f);
  below.span().SetWeight(1, 0.5f);
  layer.span().SetWeight(1, 1);
  layer.span().SetTranslation(1, {3, 0, 0});
  ASSERT_TRUE(
      (LayerJob{.below = below.view(), .layer = layer.view(), .weight = 0.5f, .out = out.span()}
           .Run()));
  EXPECT_EQ(out.view().tx[0], 1);
  EXPECT_EQ(out.view().tx[1], 3);  // only the layer has it
  EXPECT_EQ(out.view().weights[0], 0.25f);
  EXPECT_FLOAT_EQ(out.view().weights[1], 0.75f);
  EXPECT_EQ(out.view().has_r[0], 0);
}

TEST(LayerJob, ClampsItsWeightAndPassesEndsUnchanged) {
  RandomPoses random(7);
  const Pose below = random.Of(8, 8), layer = random.Of(8, 8);
  Pose out(8, 8);
  for (const float w : {1.0f, 5.0f}) {
    ASSERT_TRUE(
        (LayerJob{.below = below.view(), .layer = layer.view(), .weight = w, .out = out.span()}
             .Run()));
    for (int j = 0; j < 8; ++j) EXPECT_EQ(out.view().qx[j], layer.view().qx[j]);
  }
  for (const float w : {0.0f, -2.0f, std::numeric_limits<float>::quiet_NaN()}) {
    ASSERT_TRUE(
        (LayerJob{.below = below.view(), .layer = layer.view(), .weight = w, .out = out.span()}
             .Run()));
    for (int j = 0; j < 8; ++j) EXPECT_EQ(out.view().qx[j], below.view().qx[j]);
  }
}

TEST(LayerJob, AgreesWithASlowReference) {
  RandomPoses random(8);
  for (int round = 0; round < 60; ++round) {
    const std::shared_ptr<const Rig> rig = random.Tree(10, 6);
    const Pose below = random.Of(10, 6, 0.7f), layer = random.Of(10, 6, 0.7f);
    Mask mask(*rig, 0);
    for (int j = 0; j < 10; ++j) mask.set_joint(j, random.Number(-0.2f, 1.2f));
    for (int s = 0; s < 6; ++s) mask.set_shape(s, random.Number(-0.2f, 1.2f));
    const float w = random.Number(0, 1);
    const bool slerp = random.Below(2) == 0;
    Pose out = random.Of(10, 6, 0.5f);
    ASSERT_TRUE(
        (LayerJob{below.view(), layer.view(), w, &mask,
                  slerp ? LayerJob::Rotations::kSlerp : LayerJob::Rotations::kNlerp, out.span()}
             .Run()));
    const PoseView a = below.view(), b = layer.view(), got = out.view();
    for (int j = 0; j < 10; ++j) {
      const float t = w * mask.joint(j);
      const bool lay = t > 0 && b.has_t[j];
      EXPECT_EQ(got.has_t[j], a.has_t[j] || lay);
      if (a.has_t[j] && lay) {
        EXPECT_NEAR(got.tz[j], (1 - t) * a.tz[j] + t * b.tz[j], 1e-5);
      }
      if (a.has_t[j] && !lay) {
        EXPECT_EQ(got.tz[j], a.tz[j]);
      }
      if (!a.has_r[j] || !b.has_r[j] || t == 0) continue;
      const float whole = AngleBetween(a.rotation(j), b.rotation(j));
      const float part = AngleBetween(a.rotation(j), got.rotation(j));
      if (slerp) {
        EXPECT_NEAR(part, t * whole, 3e-3);
      }
      EXPECT_NEAR(part + AngleBetween(got.rotation(j), b.rotation(j)), whole, 3e-3);
    }
    for (int s = 0; s < 6; ++s) {
      const float t = w * mask.shape(s);
      if (!a.has_w[s] || !b.has_w[s]) continue;
      EXPECT_NEAR(got.weights[s], (1 - t) * a.weights[s] + t * b.weights[s], 1e-5);
    }
  }
}

}  // namespace
}  // namespace posewire::skel
