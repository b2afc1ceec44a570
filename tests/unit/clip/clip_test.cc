#include "libs/clip/clip.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "libs/clip/clip_library.h"
#include "tests/support/allocation_count.h"

namespace posewire::clip {
namespace {

std::shared_ptr<const skel::Rig> TestRig(int joints) {
  skel::RigParts parts;
  parts.name = "test";
  for (int j = 0; j < joints; ++j) parts.joint_paths.push_back(std::to_string(j));
  parts.rest_translations.resize(static_cast<size_t>(joints));
  parts.shapes = {"a", "b", "c"};
  return *skel::Rig::Make(std::move(parts));
}

// Random poses; `turn` is how far a joint may turn between two frames.
std::vector<skel::Pose> RandomFrames(int joints, int frames, float turn, unsigned seed) {
  std::mt19937 rng(seed);
  std::normal_distribution<float> normal;
  std::uniform_real_distribution<float> real(-1, 1);
  std::vector<skel::Pose> out;
  std::vector<skel::Quat> q(static_cast<size_t>(joints));
  for (int i = 0; i < frames; ++i) {
    skel::Pose pose(joints, 3);
    for (int j = 0; j < joints; ++j) {
      const skel::Vec3 axis = skel::Normalized(skel::Vec3{normal(rng), normal(rng), normal(rng)});
      skel::Quat& r = q[static_cast<size_t>(j)];
      r = skel::Normalized(skel::Mul(r, skel::FromAxisAngle(axis, turn * real(rng))));
      if (rng() % 2 == 0) r = -r;  // neighbours may differ in sign
      pose.span().SetRotation(j, r);
      pose.span().SetTranslation(j, {real(rng), real(rng), real(rng)});
      pose.span().SetScale(j, {real(rng), real(rng), real(rng)});
    }
    for (int s = 0; s < 3; ++s) pose.span().SetWeight(s, real(rng));
    out.push_back(pose);
  }
  return out;
}

struct QuatD {
  double w, x, y, z;
};

// Slerp by its definition, in double precision.
QuatD SlowSlerp(skel::Quat a, skel::Quat b, double t) {
  QuatD p{a.w, a.x, a.y, a.z}, q{b.w, b.x, b.y, b.z};
  double cos = p.w * q.w + p.x * q.x + p.y * q.y + p.z * q.z;
  if (cos < 0) q = {-q.w, -q.x, -q.y, -q.z}, cos = -cos;
  const double theta = std::acos(std::min(1.0, cos));
  double fa = 1 - t, fb = t;
  if (theta > 1e-9) {
    fa = std::sin((1 - t) * theta) / std::sin(theta);
    fb = std::sin(t * theta) / std::sin(theta);
  }
  return {fa * p.w + fb * q.w, fa * p.x + fb * q.x, fa * p.y + fb * q.y, fa * p.z + fb * q.z};
}

// Compares a sampled pose with the definition at `position` frames.
void ExpectSample(const Clip& clip, double position, const skel::PoseView& got) {
  const int n = clip.frames();
  if (clip.loops()) {
    position = std::fmod(position, n);
    if (position < 0) position += n;
  } else {
    position = std::clamp(position, 0.0, n - 1.0);
  }
  const int i = static_cast<int>(std::floor(position)) % n;
  const double t = position - std::floor(position);
  const skel::PoseView a = clip.frame(i);
  const skel::PoseView b = clip.frame(clip.loops() ? (i + 1) % n : std::min(i + 1, n - 1));
  for (int j = 0; j < got.joints; ++j) {
    const QuatD q = SlowSlerp(a.rotation(j), b.rotation(j), t);
    EXPECT_NEAR(got.qw[j], q.w, 2e-6);
    EXPECT_NEAR(got.qx[j], q.x, 2e-6);
    EXPECT_NEAR(got.qy[j], q.y, 2e-6);
    EXPECT_NEAR(got.qz[j], q.z, 2e-6);
    EXPECT_NEAR(skel::Dot(got.rotation(j), got.rotation(j)), 1, 1e-6);
    EXPECT_NEAR(got.tx[j], a.tx[j] + t * (b.tx[j] - a.tx[j]), 1e-6);
    EXPECT_NEAR(got.sz[j], a.sz[j] + t * (b.sz[j] - a.sz[j]), 1e-6);
  }
  for (int s = 0; s < got.shapes; ++s) {
    EXPECT_NEAR(got.weights[s], a.weights[s] + t * (b.weights[s] - a.weights[s]), 1e-6);
  }
}

TEST(ClipSample, AgreesWithTheDefinitionAtRandomTimes) {
  std::mt19937 rng(11);
  std::uniform_real_distribution<double> when(-5, 25);
  for (const float turn : {0.0f, 0.01f, 0.3f, 1.5f, 3.1f}) {
    for (const bool loops : {false, true}) {
      const Clip clip("c", TestRig(17), {30, 1}, RandomFrames(17, 12, turn, 3), loops);
      skel::Pose out(17, 3);
      for (int i = 0; i < 300; ++i) {
        const double position = when(rng);
        clip.Sample(position / 30, out.span());
        ASSERT_NO_FATAL_FAILURE(ExpectSample(clip, position, out.view()));
      }
    }
  }
}

TEST(ClipSample, FramesComeBackExactly) {
  const Clip clip("c", TestRig(5), {30000, 1001}, RandomFrames(5, 40, 2, 1));
  skel::Pose out(5, 3);
  for (int i = 0; i < clip.frames(); ++i) {
    clip.Sample(clip.rate().SecondsAt(i), out.span());
    for (int j = 0; j < 5; ++j) {
      EXPECT_EQ(out.view().qx[j], clip.frame(i).qx[j]);
      EXPECT_EQ(out.view().ty[j], clip.frame(i).ty[j]);
    }
    EXPECT_EQ(out.view().weights[1], clip.frame(i).weights[1]);
  }
}

TEST(ClipSample, HoldsOutsideAndWrapsWhenItLoops) {
  const std::vector<skel::Pose> frames = RandomFrames(2, 3, 1, 4);
  skel::Pose out(2, 3);
  const Clip held("h", TestRig(2), {10, 1}, frames);
  EXPECT_DOUBLE_EQ(held.duration_s(), 0.2);
  held.Sample(-1, out.span());
  EXPECT_EQ(out.view().tx[0], frames[0].view().tx[0]);
  held.Sample(99, out.span());
  EXPECT_EQ(out.view().tx[0], frames[2].view().tx[0]);
  const Clip looped("l", TestRig(2), {10, 1}, frames, true);
  EXPECT_DOUBLE_EQ(looped.duration_s(), 0.3);
  looped.Sample(0.3, out.span());
  EXPECT_EQ(out.view().tx[0], frames[0].view().tx[0]);
  looped.Sample(-0.1, out.span());
  EXPECT_EQ(out.view().tx[0], frames[2].view().tx[0]);
  looped.Sample(0.25, out.span());
  EXPECT_NEAR(out.view().tx[0], (frames[2].view().tx[0] + frames[0].view().tx[0]) / 2, 1e-6);
}

TEST(ClipSample, ATimeThatIsNoNumberIsTheFirstFrame) {
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               inf = std::numeric_limits<double>::infinity();
  for (const bool loops : {false, true}) {
    const Clip clip("c", TestRig(5), {30, 1}, RandomFrames(5, 4, 1, 9), loops);
    skel::Pose out(5, 3);
    for (const double t_s : {nan, -inf, loops ? inf : nan}) {
      clip.Sample(0.1, out.span());
      clip.Sample(t_s, out.span());
      EXPECT_EQ(out.view().tx[0], clip.frame(0).tx[0]) << t_s << loops;
    }
  }
}

TEST(ClipSample, PresenceIsThatOfTheFirstFrame) {
  std::vector<skel::Pose> frames = RandomFrames(3, 2, 1, 4);
  frames[0].span().has_r[1] = 0;
  frames[0].span().has_w[2] = 0;
  frames[1].span().has_r[2] = 0;
  const Clip clip("c", TestRig(3), {30, 1}, frames);
  skel::Pose out(3, 3);
  for (const double t : {0.0, 0.01, 1.0}) {
    clip.Sample(t, out.span());
    EXPECT_EQ(out.view().has_r[0], 1);
    EXPECT_EQ(out.view().has_r[1], 0);
    EXPECT_EQ(out.view().has_r[2], 1);
    EXPECT_EQ(out.view().has_w[2], 0);
    EXPECT_EQ(out.view().has_t[1], 1);
  }
}

TEST(ClipSample, AClipWithoutFramesSaysNothing) {
  const Clip clip("c", TestRig(1), {30, 1}, {});
  skel::Pose out(1, 3);
  out.span().SetRotation(0, {});
  clip.Sample(0, out.span());
  EXPECT_EQ(out.view().has_r[0], 0);
  EXPECT_EQ(clip.duration_s(), 0);
}

TEST(ClipSample, AllocatesNothing) {
  const Clip clip("c", TestRig(94), {30, 1}, RandomFrames(94, 10, 2, 1), true);
  skel::Pose out(94, 3);
  const AllocationCount count;
  for (int i = 0; i < 100; ++i) clip.Sample(i * 0.0123, out.span());
  EXPECT_EQ(count.count(), 0);
}

TEST(ClipLibrary, FindsByNameAndListsInOrder) {
  std::vector<std::shared_ptr<const Clip>> clips;
  for (const char* name : {"wave", "bow", "nod"}) {
    clips.push_back(
        std::make_shared<Clip>(name, TestRig(1), timecode::FrameRate{}, std::vector<skel::Pose>()));
  }
  const ClipLibrary library(clips);
  EXPECT_EQ(library.Find("bow"), clips[1].get());
  EXPECT_EQ(library.Find("shrug"), nullptr);
  ASSERT_EQ(library.clips().size(), 3u);
  EXPECT_EQ(library.clips()[0]->name(), "bow");
  EXPECT_EQ(library.clips()[2]->name(), "wave");
  EXPECT_EQ(ClipLibrary().Find("bow"), nullptr);
}

}  // namespace
}  // namespace posewire::clip
