#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <thread>

#include "absl/strings/str_cat.h"
#include "libs/clip/clip.h"
#include "libs/gesture_loader/gestures.h"
#include "libs/skel/wide_math.h"
#include "tests/support/allocation_count.h"
#include "tests/unit/clip/bvh_clip.h"
#include "tests/unit/skel/same_pose.h"
#include "tests/unit/skel/targets.h"

namespace posewire::clip {
namespace {

using skel::WideQuat;
using skel::WideVec3;

// Joints that hang from any joint before them; every third from the one just before it.
std::shared_ptr<const skel::Rig> RandomRig(int joints, std::mt19937& rng) {
  std::uniform_real_distribution<float> real(-0.2f, 0.2f);
  skel::RigParts parts;
  parts.name = "test";
  for (int j = 0; j < joints; ++j) {
    const std::string name = absl::StrCat("j", j);
    if (j == 0) {
      parts.joint_paths.push_back(name);
    } else {
      const auto n = static_cast<size_t>(j);
      const size_t parent = j % 3 == 0 ? n - 1 : rng() % n;
      parts.joint_paths.push_back(absl::StrCat(parts.joint_paths[parent], "/", name));
    }
    parts.rest_translations.push_back({real(rng), real(rng), real(rng)});
  }
  parts.shapes = {"a", "b", "c", "d", "e"};
  return *skel::Rig::Make(std::move(parts));
}

struct Motion {
  int frames = 40;
  float turn = 0.1f;  // a frame, at most
  float move = 0;     // metres a frame, at most
  float scale = 0;    // a frame, at most
  float present = 0.9f;
  bool loops = false;
  bool flips = false;  // neighbours may differ in sign
};

std::shared_ptr<const Clip> RandomClip(const std::shared_ptr<const skel::Rig>& rig, const Motion& m,
                                       std::mt19937& rng) {
  std::normal_distribution<float> normal;
  std::uniform_real_distribution<float> real(-1, 1), part(0, 1);
  const int joints = rig->joints(), shapes = rig->shapes();
  skel::Pose pose(joints, shapes);
  const skel::PoseSpan p = pose.span();
  std::vector<float> speed(static_cast<size_t>(joints));
  for (int j = 0; j < joints; ++j) {
    speed[static_cast<size_t>(j)] = part(rng) < 0.2f ? 0 : part(rng);
    if (part(rng) < m.present) {
      p.SetRotation(
          j, skel::Normalized(skel::Quat{normal(rng), normal(rng), normal(rng), normal(rng)}));
    }
    if (part(rng) < m.present) p.SetTranslation(j, rig->rest().translation(j));
    if (m.scale > 0 && part(rng) < m.present) p.SetScale(j, {1, 1, 1});
  }
  for (int s = 0; s < shapes; ++s) {
    if (part(rng) < m.present) p.SetWeight(s, part(rng));
  }
  std::vector<skel::Pose> poses;
  for (int f = 0; f < m.frames; ++f) {
    poses.push_back(pose);
    for (int j = 0; j < joints; ++j) {
      const float fast = speed[static_cast<size_t>(j)];
      const skel::Vec3 axis = skel::Normalized(skel::Vec3{normal(rng), normal(rng), normal(rng)});
      skel::Quat q = Mul(p.rotation(j), skel::FromAxisAngle(axis, m.turn * fast * real(rng)));
      if (m.flips && rng() % 2 == 0) q = -q;
      q = skel::Normalized(q);
      p.qw[j] = q.w, p.qx[j] = q.x, p.qy[j] = q.y, p.qz[j] = q.z;
      for (float* v : {p.tx, p.ty, p.tz}) v[j] += m.move * fast * real(rng);
      for (float* v : {p.sx, p.sy, p.sz}) v[j] += m.scale * fast * real(rng);
    }
    for (int s = 1; s < shapes; ++s) {
      p.weights[s] = std::clamp(p.weights[s] + 0.1f * real(rng), 0.0f, 1.0f);
    }
  }
  return std::make_shared<Clip>("c", rig, timecode::FrameRate{30, 1}, std::move(poses), m.loops);
}

// A joint's place and axes in model space, in double precision: row vectors.
struct WideModel {
  WideVec3 place, axis[3];
};

std::vector<WideModel> ModelOf(const skel::Rig& rig, const skel::PoseView& pose) {
  std::vector<WideModel> models;
  const skel::PoseView rest = rig.rest();
  for (int j = 0; j < rig.joints(); ++j) {
    const WideVec3 t = Wide(pose.has_t[j] ? pose.translation(j) : rest.translation(j));
    const WideQuat q = Normalized(Wide(pose.has_r[j] ? pose.rotation(j) : rest.rotation(j)));
    const WideVec3 s = Wide(pose.has_s[j] ? pose.scale(j) : rest.scale(j));
    WideModel m{t, {Rotate(q, {s.x, 0, 0}), Rotate(q, {0, s.y, 0}), Rotate(q, {0, 0, s.z})}};
    const int parent = rig.topology().parent(j);
    if (parent >= 0) {
      const WideModel& above = models[static_cast<size_t>(parent)];
      const auto carry = [&](WideVec3 v) {
        return above.axis[0] * v.x + above.axis[1] * v.y + above.axis[2] * v.z;
      };
      m.place = above.place + carry(m.place);
      for (WideVec3& axis : m.axis) axis = carry(axis);
    }
    models.push_back(m);
  }
  return models;
}

// The largest way that a point 3 cm off a joint is from its place.
double Error(const skel::Rig& rig, const skel::PoseView& a, const skel::PoseView& b) {
  const std::vector<WideModel> p = ModelOf(rig, a), q = ModelOf(rig, b);
  double most = 0;
  for (size_t j = 0; j < p.size(); ++j) {
    for (int k = 0; k < 3; ++k) {
      const WideVec3 d = p[j].place - q[j].place + (p[j].axis[k] - q[j].axis[k]) * 0.03;
      most = std::max(most, std::sqrt(d.x * d.x + d.y * d.y + d.z * d.z));
    }
  }
  return most;
}

void ExpectSamePresence(const skel::PoseView& a, const skel::PoseView& b) {
  const auto joints = static_cast<size_t>(a.joints);
  EXPECT_EQ(0, std::memcmp(a.has_t, b.has_t, joints));
  EXPECT_EQ(0, std::memcmp(a.has_r, b.has_r, joints));
  EXPECT_EQ(0, std::memcmp(a.has_s, b.has_s, joints));
  EXPECT_EQ(0, std::memcmp(a.has_w, b.has_w, static_cast<size_t>(a.shapes)));
}

// All frames, and times between them, against the clip as it was.
void ExpectWithin(const Clip& exact, const Clip& packed, double error_m) {
  ASSERT_TRUE(packed.compressed());
  ASSERT_EQ(packed.frames(), exact.frames());
  EXPECT_EQ(packed.duration_s(), exact.duration_s());
  EXPECT_LT(packed.bytes(), exact.bytes());
  skel::Pose a(exact.rig()->joints(), exact.rig()->shapes()), b = a;
  const auto expect = [&](double bound_m) {
    ExpectSamePresence(a.view(), b.view());
    EXPECT_LE(Error(*exact.rig(), a.view(), b.view()), bound_m + 1e-7);
    for (int s = 0; s < a.shapes(); ++s) {
      if (!a.view().has_w[s]) continue;
      EXPECT_NEAR(a.view().weights[s], b.view().weights[s], bound_m / 0.1 + 1e-6);
    }
  };
  for (int f = 0; f < exact.frames(); ++f) {
    exact.CopyFrame(f, a.span());
    packed.CopyFrame(f, b.span());
    ASSERT_NO_FATAL_FAILURE(expect(error_m)) << "frame " << f;
    packed.Sample(exact.rate().SecondsAt(f), b.span());
    ASSERT_NO_FATAL_FAILURE(expect(error_m)) << "at frame " << f;
    for (const double part : {0.25, 0.5, 0.9}) {
      const double t_s = exact.rate().SecondsAt(f) + part / exact.rate().hz();
      exact.Sample(t_s, a.span());
      packed.Sample(t_s, b.span());
      ASSERT_NO_FATAL_FAILURE(expect(error_m)) << "frame " << f << " and " << part;
    }
  }
}

TEST(CompressedClip, IsNeverOffByMoreThanTheBound) {
  std::mt19937 rng(5);
  for (int i = 0; i < 24; ++i) {
    const auto rig = RandomRig(3 + static_cast<int>(rng() % 40), rng);
    Motion motion;
    motion.frames = 2 + static_cast<int>(rng() % 90);
    motion.turn = std::vector{0.02f, 0.2f, 1.0f}[rng() % 3];
    motion.move = i % 3 == 0 ? 0.02f : 0;
    motion.loops = i % 2 == 0;
    const auto clip = RandomClip(rig, motion, rng);
    for (const float error_m : {1e-4f, 1e-3f, 1e-2f}) {
      for (const bool quick : {false, true}) {
        const auto packed = clip->Compressed({error_m, quick});
        ASSERT_NE(packed, nullptr) << i;
        ASSERT_NO_FATAL_FAILURE(ExpectWithin(*clip, *packed, error_m)) << i << ' ' << error_m;
        if (HasFailure()) return;
      }
    }
  }
}

TEST(CompressedClip, KeepsTheBoundWithScalesAndSigns) {
  std::mt19937 rng(6);
  for (int i = 0; i < 10; ++i) {
    const auto rig = RandomRig(12, rng);
    Motion motion;
    motion.scale = 0.01f;
    motion.flips = true;
    motion.move = 0.01f;
    const auto clip = RandomClip(rig, motion, rng);
    for (const bool quick : {false, true}) {
      const auto packed = clip->Compressed({1e-3f, quick});
      ASSERT_NE(packed, nullptr);
      ASSERT_NO_FATAL_FAILURE(ExpectWithin(*clip, *packed, 1e-3));
      if (HasFailure()) return;
    }
  }
}

TEST(CompressedClip, TurnsTheShortWayBetweenAnyTwoFrames) {
  std::mt19937 rng(7);
  for (const float turn : {0.05f, 0.8f, 3.1f}) {
    Motion motion;
    motion.frames = 100;
    motion.turn = turn;
    motion.flips = true;
    motion.loops = true;
    const auto rig = RandomRig(20, rng);
    const auto packed = RandomClip(rig, motion, rng)->Compressed({1e-3f});
    ASSERT_NE(packed, nullptr);
    skel::Pose a(20, 5), b = a, got = a;
    for (int f = 0; f < packed->frames(); ++f) {
      packed->CopyFrame(f, a.span());
      packed->CopyFrame((f + 1) % packed->frames(), b.span());
      const float t = static_cast<float>(rng() % 1000) / 1000.0f;
      packed->Sample((f + static_cast<double>(t)) / 30, got.span());
      for (int j = 0; j < 20; ++j) {
        if (!a.view().has_r[j]) continue;
        const skel::Quat p = a.view().rotation(j), q = b.view().rotation(j);
        // Where the fourth component is cut off at zero, the held ones make it too long.
        const bool cut = p.w * p.x * p.y * p.z == 0 || q.w * q.x * q.y * q.z == 0;
        EXPECT_LT(AngleBetween(skel::Normalized(Slerp(p, q, t)), got.view().rotation(j)),
                  cut ? 1e-4f : 4e-6f)
            << turn << ' ' << f << ' ' << j;
        // A half turn is short both ways.
        EXPECT_NEAR(Dot(got.view().rotation(j), got.view().rotation(j)), 1, 1e-6);
      }
    }
  }
}

// Each component becomes the one that is not held, in some segment.
TEST(CompressedClip, FollowsWholeTurns) {
  std::mt19937 rng(1);
  const auto rig = RandomRig(4, rng);
  std::vector<skel::Pose> poses;
  for (int f = 0; f < 300; ++f) {
    const auto angle = static_cast<float>(f) * 0.05f;
    skel::Pose pose(4, 5);
    pose.span().SetRotation(0, skel::FromAxisAngle({0, 1, 0}, angle));
    pose.span().SetRotation(1, skel::FromAxisAngle({1, 0, 0}, 2 * angle));
    pose.span().SetRotation(2, skel::FromAxisAngle({0, 0, -1}, 3 * angle));
    poses.push_back(std::move(pose));
  }
  const Clip clip("c", rig, {30, 1}, std::move(poses));
  for (const bool quick : {false, true}) {
    const auto packed = clip.Compressed({1e-4f, quick});
    ASSERT_NE(packed, nullptr);
    ASSERT_NO_FATAL_FAILURE(ExpectWithin(clip, *packed, 1e-4));
  }
}

TEST(CompressedClip, GivesUpWhereverItIsStopped) {
  std::mt19937 rng(11);
  const auto rig = RandomRig(12, rng);
  // With scales the result is measured, frame by frame.
  const auto clip = RandomClip(rig, {.frames = 400, .move = 0.01f, .scale = 0.01f}, rng);
  for (const bool quick : {false, true}) {
    int asked = 0;
    const auto whole = clip->Compressed({1e-3f, quick}, [&] {
      ++asked;
      return false;
    });
    ASSERT_NE(whole, nullptr);
    // Each frame is walked at least once, by the search and by the measurement.
    EXPECT_GE(asked, 400 * (quick ? 1 : 2));
    for (int stop = 0; stop < asked; stop += stop < 100 ? 1 : 37) {
      int again = 0, after = 0;
      const auto stopped = [&] {
        after += again > stop ? 1 : 0;
        return again++ >= stop;
      };
      EXPECT_EQ(clip->Compressed({1e-3f, quick}, stopped), nullptr) << stop;
      // Some lists are still filled, but nothing is walked any more.
      EXPECT_LT(after, 60) << stop;
    }
    EXPECT_EQ(CompressedOrAsIs(clip, {1e-3f, quick}, [] { return true; }), clip);
  }
}

TEST(CompressedClip, HoldsOutsideAndWrapsAsTheClipDoes) {
  std::mt19937 rng(3);
  for (const bool loops : {false, true}) {
    const auto rig = RandomRig(9, rng);
    Motion motion;
    motion.loops = loops;
    const auto clip = RandomClip(rig, motion, rng);
    const auto packed = clip->Compressed({1e-3f});
    ASSERT_NE(packed, nullptr);
    skel::Pose a(9, 5), b = a;
    for (const double t_s :
         {-5.0, -0.01, 0.0, clip->duration_s(), clip->duration_s() - 0.01, 9.0}) {
      clip->Sample(t_s, a.span());
      packed->Sample(t_s, b.span());
      EXPECT_LE(Error(*rig, a.view(), b.view()), 1.001e-3) << t_s;
    }
  }
}

TEST(CompressedClip, SaysTheSameInAnyOrderAndOnAnyThread) {
  std::mt19937 rng(4);
  const auto rig = RandomRig(30, rng);
  const auto packed = RandomClip(rig, {.frames = 80, .move = 0.01f}, rng)->Compressed({});
  ASSERT_NE(packed, nullptr);
  constexpr int kTimes = 500;
  std::vector<skel::Pose> in_order(kTimes, skel::Pose(30, 5)), there = in_order, back = in_order;
  const auto sample = [&](int i, std::vector<skel::Pose>& out) {
    packed->Sample(i * 0.0053, out[static_cast<size_t>(i)].span());
  };
  for (int i = 0; i < kTimes; ++i) sample(i, in_order);
  std::thread other([&] {
    for (int i = kTimes - 1; i >= 0; --i) sample(i, back);
  });
  for (int i = 0; i < kTimes; ++i) sample(i * 7 % kTimes, there);
  other.join();
  for (size_t i = 0; i < kTimes; ++i) {
    for (const float* skel::PoseView::*row :
         {&skel::PoseView::qw, &skel::PoseView::qz, &skel::PoseView::tx}) {
      EXPECT_EQ(0, std::memcmp(in_order[i].view().*row, there[i].view().*row, 30 * sizeof(float)));
      EXPECT_EQ(0, std::memcmp(in_order[i].view().*row, back[i].view().*row, 30 * sizeof(float)));
    }
  }
}

// To the bit: golden poses and recordings are the same on every machine. Turns up to 1 go by the
// series, farther ones by slerp itself.
TEST(CompressedClip, IsTheSameWithEveryInstructionSet) {
  std::mt19937 rng(8);
  for (const float turn : {0.1f, 1.0f, 3.1f}) {
    const auto rig = RandomRig(41, rng);
    const auto packed =
        RandomClip(rig, {.frames = 70, .turn = turn, .move = 0.1f}, rng)->Compressed({});
    ASSERT_NE(packed, nullptr);
    skel::Pose want(41, 5), got = want;
    for (const int64_t target : skel::Targets()) {
      for (int i = 0; i < 200; ++i) {
        const double t_s = i % 4 == 0 ? packed->rate().SecondsAt(i / 4) : i * 0.0117;
        packed->Sample(t_s, want.span());
        skel::UseTarget(target);
        packed->Sample(t_s, got.span());
        skel::UseBestTarget();
        ASSERT_EQ(skel::Difference(got.view(), want.view(), 0), "") << target << ' ' << i;
      }
    }
  }
}

TEST(CompressedClip, LeavesWhatCannotBe) {
  std::mt19937 rng(9);
  const auto rig = RandomRig(6, rng);
  EXPECT_EQ(Clip("c", rig, {30, 1}, {}).Compressed({}), nullptr);
  EXPECT_EQ(RandomClip(rig, {.frames = 1}, rng)->Compressed({}), nullptr);
  const auto clip = RandomClip(rig, {}, rng);
  EXPECT_EQ(clip->Compressed({1e-9f}), nullptr);
  EXPECT_EQ(clip->Compressed({0}), nullptr);
  const auto packed = clip->Compressed({});
  ASSERT_NE(packed, nullptr);
  EXPECT_EQ(packed->Compressed({}), nullptr);

  std::vector<skel::Pose> poses;
  for (int f = 0; f < 40; ++f) poses.push_back(skel::Pose(6, 5));
  for (int f = 0; f < 40; ++f) poses[static_cast<size_t>(f)].span().SetWeight(0, 0.01f * float(f));
  EXPECT_NE(Clip("c", rig, {30, 1}, poses).Compressed({}), nullptr);
  EXPECT_EQ(Clip("c", RandomRig(7, rng), {30, 1}, poses).Compressed({}), nullptr);
  poses[3].span().SetWeight(0, std::numeric_limits<float>::quiet_NaN());
  EXPECT_EQ(Clip("c", rig, {30, 1}, poses).Compressed({}), nullptr);
  // Nor what is not finite and does not move.
  poses[3].span().SetWeight(0, 0);
  for (skel::Pose& pose : poses) {
    pose.span().SetTranslation(2, {std::numeric_limits<float>::infinity(), 0, 0});
  }
  EXPECT_EQ(Clip("c", rig, {30, 1}, poses).Compressed({}), nullptr);
}

TEST(CompressedClip, KeepsItsFirstFrameAndWhatDoesNotMove) {
  std::mt19937 rng(10);
  const auto rig = RandomRig(8, rng);
  std::vector<skel::Pose> poses;
  for (int f = 0; f < 40; ++f) {
    skel::Pose pose(8, 5);
    pose.span().SetRotation(2, skel::Normalized(skel::Quat{0.3f, 0.1f, -0.7f, 0.2f}));
    pose.span().SetTranslation(5, {0.123456f, -7.65432f, 1e-9f});
    pose.span().SetRotation(3, skel::FromAxisAngle({0, 0, 1}, 0.01f * static_cast<float>(f)));
    pose.span().SetWeight(1, 0.777f);
    pose.span().SetWeight(4, 0.01f * static_cast<float>(f));
    poses.push_back(std::move(pose));
  }
  const Clip clip("c", rig, {30, 1}, poses);
  const auto packed = clip.Compressed({1e-3f});
  ASSERT_NE(packed, nullptr);
  ExpectSamePresence(packed->frame(0), clip.frame(0));
  for (int j = 0; j < 8; ++j) {
    EXPECT_EQ(packed->frame(0).qw[j], clip.frame(0).qw[j]);
    EXPECT_EQ(packed->frame(0).qz[j], clip.frame(0).qz[j]);
    EXPECT_EQ(packed->frame(0).tx[j], clip.frame(0).tx[j]);
    // No scale is present: it is the rest's.
    EXPECT_EQ(packed->frame(0).sy[j], 1);
  }
  EXPECT_EQ(packed->frame(0).weights[1], 0.777f);
  skel::Pose out(8, 5);
  for (int i = 0; i < 100; ++i) {
    packed->Sample(i * 0.017, out.span());
    EXPECT_EQ(out.view().qy[2], clip.frame(0).qy[2]);
    EXPECT_EQ(out.view().ty[5], -7.65432f);
    EXPECT_EQ(out.view().tz[5], 1e-9f);
    EXPECT_EQ(out.view().weights[1], 0.777f);
    EXPECT_EQ(out.view().has_r[4], 0);
    EXPECT_EQ(out.view().has_t[3], 0);
  }
}

TEST(CompressedClip, AllocatesNothingWhenSampled) {
  std::mt19937 rng(11);
  const auto packed = RandomClip(RandomRig(30, rng), {}, rng)->Compressed({});
  ASSERT_NE(packed, nullptr);
  skel::Pose out(30, 5);
  const AllocationCount count;
  for (int i = 0; i < 100; ++i) packed->Sample(i * 0.0123, out.span());
  EXPECT_EQ(count.count(), 0);
}

TEST(CompressedClip, GesturesStayWithinTheBound) {
  const auto rig = *skel::RigCatalog::Builtin()->Find("hanim_loa3");
  const auto gestures = *gesture::MakeGestures(rig);
  size_t before = 0, after = 0;
  for (const char* name : {"wave", "nod", "bow", "posture_listening", "count_3"}) {
    const Clip* clip = gestures->Find(name);
    ASSERT_NE(clip, nullptr) << name;
    for (const bool quick : {false, true}) {
      const auto packed = clip->Compressed({1e-4f, quick});
      ASSERT_NE(packed, nullptr) << name;
      ASSERT_NO_FATAL_FAILURE(ExpectWithin(*clip, *packed, 1e-4)) << name;
      before += clip->bytes();
      after += packed->bytes();
    }
  }
  EXPECT_LT(after * 10, before);
}

TEST(CompressedClip, RealMotionTakesAtMostFourAndThreeBytesAJointAndFrame) {
  const char* source = std::getenv("POSEWIRE_SOURCE_DIR");
  const auto clip =
      ReadBvhClip(std::string(source == nullptr ? "." : source) + "/../shared/data/freebvh.bvh");
  if (clip == nullptr) GTEST_SKIP() << "no ../shared/data/freebvh.bvh";
  const double joint_frames = static_cast<double>(clip->frames()) * clip->rig()->joints();
  ASSERT_GT(joint_frames, 3000);
  const std::pair<float, double> cases[] = {{1e-4f, 4.0}, {1e-3f, 3.0}};
  for (const auto& [error_m, bytes] : cases) {
    const auto packed = clip->Compressed({error_m});
    ASSERT_NE(packed, nullptr);
    ASSERT_NO_FATAL_FAILURE(ExpectWithin(*clip, *packed, error_m));
    const double per = static_cast<double>(packed->bytes()) / joint_frames;
    EXPECT_LE(per, bytes);
    RecordProperty(absl::StrCat("bytes_at_", error_m), absl::StrCat(per));
  }
}

}  // namespace
}  // namespace posewire::clip
