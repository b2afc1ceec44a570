#include "libs/skel/blend_job.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/unit/skel/random_pose.h"

namespace posewire::skel {
namespace {

TEST(BlendJobValidity, RejectsPosesOfAnotherSize) {
  Pose a(2, 1), wrong(1, 1), out(2, 1);
  const std::vector<BlendJob::Input> good = {{a.view(), 1}},
                                     bad = {{a.view(), 1}, {wrong.view(), 1}};
  EXPECT_TRUE((BlendJob{good, {}, out.span()}.Validate().ok()));
  const absl::Status status = BlendJob{bad, {}, out.span()}.Validate();
  EXPECT_EQ(status.message(), "inputs[1] has 1 joints and 1 shapes, expected 2 and 1");
  EXPECT_FALSE((BlendJob{bad, {}, out.span()}.Run()));
  EXPECT_FALSE((BlendJob{good, wrong.view(), out.span()}.Run()));
}

TEST(BlendJobValidity, RejectsWhatIsLargerThanARig) {
  Pose out(1025, 0);
  EXPECT_EQ((BlendJob{{}, {}, out.span()}.Validate().message()),
            "out has 1025 joints and 0 shapes, expected at most 1024 and 512");
}

TEST(BlendJob, WeighsEachElementOverTheInputsThatHaveIt) {
  Pose a(1, 2), b(1, 2), out(1, 2);
  a.span().SetTranslation(0, {0, 0, 0});
  b.span().SetTranslation(0, {4, 0, 0});
  a.span().SetWeight(0, 1);
  b.span().SetWeight(1, 0.5f);
  const std::vector<BlendJob::Input> inputs = {{a.view(), 0.3f}, {b.view(), 0.1f}};
  ASSERT_TRUE((BlendJob{inputs, {}, out.span()}.Run()));
  EXPECT_FLOAT_EQ(out.view().translation(0).x, 1);
  EXPECT_FLOAT_EQ(out.view().weights[0], 1);
  EXPECT_FLOAT_EQ(out.view().weights[1], 0.5f);
  EXPECT_EQ(out.view().has_r[0], 0);
}

TEST(BlendJob, AZeroSumTakesWhatIsBelow) {
  Pose a(1, 1), below(1, 1), out(1, 1);
  a.span().SetRotation(0, FromAxisAngle({1, 0, 0}, 1));
  a.span().SetWeight(0, 1);
  below.span().SetRotation(0, FromAxisAngle({0, 1, 0}, 1));
  out.span().SetTranslation(0, {9, 9, 9});
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const float w : {0.0f, -1.0f, nan}) {
    const std::vector<BlendJob::Input> inputs = {{a.view(), w}};
    ASSERT_TRUE((BlendJob{inputs, below.view(), out.span()}.Run()));
    EXPECT_FLOAT_EQ(out.view().rotation(0).y, below.view().rotation(0).y);
    EXPECT_EQ(out.view().has_w[0], 0);
    EXPECT_EQ(out.view().has_t[0], 0);
  }
}

TEST(BlendJob, OneInputPassesUnchanged) {
  RandomPoses random(4);
  const Pose a = random.Of(20, 20);
  Pose out(20, 20);
  const std::vector<BlendJob::Input> inputs = {{a.view(), 1}};
  ASSERT_TRUE((BlendJob{inputs, {}, out.span()}.Run()));
  for (int j = 0; j < 20; ++j) {
    EXPECT_EQ(out.view().tx[j], a.view().tx[j]);
    EXPECT_EQ(out.view().sy[j], a.view().sy[j]);
    EXPECT_NEAR(out.view().qz[j], a.view().qz[j], 2e-7);
    EXPECT_EQ(out.view().weights[j], a.view().weights[j]);
  }
}

TEST(BlendJob, TheSignOfAQuaternionDoesNotMatter) {
  Pose a(1, 0), b(1, 0), out(1, 0);
  const Quat q = FromAxisAngle({0, 0, 1}, 0.4f);
  a.span().SetRotation(0, q);
  b.span().SetRotation(0, -q);
  const std::vector<BlendJob::Input> inputs = {{a.view(), 0.5f}, {b.view(), 0.5f}};
  ASSERT_TRUE((BlendJob{inputs, {}, out.span()}.Run()));
  EXPECT_NEAR(AngleBetween(out.view().rotation(0), q), 0, 1e-4);
}

TEST(BlendJob, MayWriteOverAnInput) {
  RandomPoses random(5);
  Pose a = random.Of(10, 10, 0.8f);
  const Pose b = random.Of(10, 10, 0.8f);
  Pose out(10, 10);
  const std::vector<BlendJob::Input> inputs = {{a.view(), 0.4f}, {b.view(), 0.8f}};
  ASSERT_TRUE((BlendJob{inputs, {}, out.span()}.Run()));
  ASSERT_TRUE((BlendJob{inputs, {}, a.span()}.Run()));
  for (int j = 0; j < 10; ++j) {
    EXPECT_EQ(a.view().has_r[j], out.view().has_r[j]);
    if (a.view().has_r[j]) {
      EXPECT_EQ(a.view().qx[j], out.view().qx[j]);
    }
    if (a.view().has_w[j]) {
      EXPECT_EQ(a.view().weights[j], out.view().weights[j]);
    }
  }
}

// The slow reference gathers, for one element at a time, what counts, in double precision.
TEST(BlendJob, AgreesWithASlowReference) {
  RandomPoses random(6);
  for (int round = 0; round < 60; ++round) {
    const int joints = 1 + random.Below(12), shapes = random.Below(8), count = random.Below(5);
    std::vector<Pose> poses;
    std::vector<BlendJob::Input> inputs;
    for (int i = 0; i < count; ++i) poses.push_back(random.Of(joints, shapes, 0.7f));
    for (const Pose& pose : poses) {
      inputs.push_back({pose.view(), random.Below(4) == 0 ? 0 : random.Number(0, 1)});
    }
    const Pose below = random.Of(joints, shapes, 0.8f);
    Pose out = random.Of(joints, shapes, 0.5f);
    ASSERT_TRUE((BlendJob{inputs, below.view(), out.span()}.Run()));
    const PoseView got = out.view(), under = below.view();
    for (int j = 0; j < joints; ++j) {
      double total_t = 0, y = 0, total_r = 0, q[4] = {};
      const BlendJob::Input* first = nullptr;
      for (const BlendJob::Input& in : inputs) {
        if (in.pose.has_t[j]) total_t += in.weight, y += double(in.weight) * double(in.pose.ty[j]);
        if (!in.pose.has_r[j] || in.weight == 0) continue;
        if (!first) first = &in;
        const Quat p = in.pose.rotation(j);
        const double w = Dot(first->pose.rotation(j), p) < 0 ? -in.weight : in.weight;
        q[0] += w * p.w, q[1] += w * p.x, q[2] += w * p.y, q[3] += w * p.z;
        total_r += in.weight;
      }
      EXPECT_EQ(got.has_t[j], total_t > 0 ? 1 : under.has_t[j]);
      if (total_t > 0) {
        EXPECT_NEAR(got.ty[j], y / total_t, 1e-5);
      }
      if (total_t == 0 && under.has_t[j]) {
        EXPECT_EQ(got.ty[j], under.ty[j]);
      }
      EXPECT_EQ(got.has_r[j], total_r > 0 ? 1 : under.has_r[j]);
      if (total_r > 0) {
        const double n = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        EXPECT_NEAR(got.qw[j], q[0] / n, 1e-5);
        EXPECT_NEAR(got.qz[j], q[3] / n, 1e-5);
      }
    }
    for (int s = 0; s < shapes; ++s) {
      double total = 0, sum = 0;
      for (const BlendJob::Input& in : inputs) {
        if (in.pose.has_w[s])
          total += in.weight, sum += double(in.weight) * double(in.pose.weights[s]);
      }
      EXPECT_EQ(got.has_w[s], total > 0 ? 1 : under.has_w[s]);
      if (total > 0) {
        EXPECT_NEAR(got.weights[s], sum / total, 1e-5);
      }
    }
  }
}

}  // namespace
}  // namespace posewire::skel
