#include "libs/clip/clip_blob.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace posewire::clip {
namespace {

using ::testing::HasSubstr;

std::shared_ptr<const skel::Rig> MakeRig(int joints, int shapes) {
  skel::RigParts parts;
  parts.name = "test";
  std::string path;
  for (int j = 0; j < joints; ++j) {
    absl::StrAppend(&path, j == 0 ? "" : "/", "j", j);
    parts.joint_paths.push_back(path);
    parts.rest_translations.push_back({0.1f, 0.01f * static_cast<float>(j), 0});
  }
  for (int s = 0; s < shapes; ++s) parts.shapes.push_back(absl::StrCat("s", s));
  return *skel::Rig::Make(std::move(parts));
}

// Each kind of value is there or is not, and moves or does not.
std::shared_ptr<const Clip> RandomClip(const std::string& name,
                                       const std::shared_ptr<const skel::Rig>& rig, int frames,
                                       std::mt19937& rng) {
  std::uniform_real_distribution<float> real(-0.1f, 0.1f);
  const auto kinds = rng() % 16, moving = rng() % 16;
  std::vector<skel::Pose> poses;
  for (int f = 0; f < frames; ++f) {
    skel::Pose& pose = poses.emplace_back(rig->joints(), rig->shapes());
    const auto value = [&](unsigned kind) { return f == 0 || moving & kind ? real(rng) : 0.f; };
    for (int j = 0; j < rig->joints(); j += 2) {
      if (kinds & 1) pose.span().SetTranslation(j, {value(1), value(1), value(1)});
      if (kinds & 2) pose.span().SetRotation(j, Normalized(skel::Quat{1, value(2), value(2), 0}));
      if (kinds & 4) pose.span().SetScale(j, {1 + value(4), 1, 1});
    }
    for (int s = 1; s < rig->shapes(); ++s) {
      if (kinds & 8) pose.span().SetWeight(s, value(8));
    }
  }
  return std::make_shared<const Clip>(name, rig, timecode::FrameRate{30000, 1001}, poses,
                                      rng() % 2 == 0, static_cast<ClipKind>(rng() % 4));
}

// Of what is present, to the bit.
void ExpectSamePose(const skel::PoseView& a, const skel::PoseView& b) {
  const auto joints = static_cast<size_t>(a.joints), shapes = static_cast<size_t>(a.shapes);
  const auto same = [](const auto* x, const auto* y, const uint8_t* has, size_t n) {
    for (size_t i = 0; i < n; ++i) {
      if (has[i] != 0 && std::memcmp(x + i, y + i, sizeof(*x)) != 0) return false;
    }
    return true;
  };
  ASSERT_EQ(std::memcmp(a.has_t, b.has_t, joints), 0);
  ASSERT_EQ(std::memcmp(a.has_r, b.has_r, joints), 0);
  ASSERT_EQ(std::memcmp(a.has_s, b.has_s, joints), 0);
  ASSERT_EQ(std::memcmp(a.has_w, b.has_w, shapes), 0);
  EXPECT_TRUE(same(a.tx, b.tx, a.has_t, joints) && same(a.ty, b.ty, a.has_t, joints) &&
              same(a.tz, b.tz, a.has_t, joints));
  EXPECT_TRUE(same(a.qw, b.qw, a.has_r, joints) && same(a.qx, b.qx, a.has_r, joints) &&
              same(a.qy, b.qy, a.has_r, joints) && same(a.qz, b.qz, a.has_r, joints));
  EXPECT_TRUE(same(a.sx, b.sx, a.has_s, joints) && same(a.sy, b.sy, a.has_s, joints) &&
              same(a.sz, b.sz, a.has_s, joints));
  EXPECT_TRUE(same(a.weights, b.weights, a.has_w, shapes));
}

void ExpectSameClip(const Clip& a, const Clip& b) {
  EXPECT_EQ(a.name(), b.name());
  EXPECT_EQ(a.rate(), b.rate());
  EXPECT_EQ(a.loops(), b.loops());
  EXPECT_EQ(a.kind(), b.kind());
  EXPECT_EQ(a.compressed(), b.compressed());
  ASSERT_EQ(a.frames(), b.frames());
  const auto& rig = *a.rig();
  skel::Pose pa(rig.joints(), rig.shapes()), pb = pa;
  for (double frame = -0.5; frame < a.frames() + 1; frame += 0.25) {
    a.Sample(frame * a.rate().period_s(), pa.span());
    b.Sample(frame * b.rate().period_s(), pb.span());
    ExpectSamePose(pa.view(), pb.view());
  }
}

TEST(ClipBlobTest, ClipsComeBackToTheBit) {
  std::mt19937 rng(7);
  for (int round = 0; round < 40; ++round) {
    const auto rig = MakeRig(1 + static_cast<int>(rng() % 30), static_cast<int>(rng() % 20));
    std::vector<std::shared_ptr<const Clip>> clips;
    int compressed = 0;
    for (int i = 0; i < 4; ++i) {
      const int frames = i == 0 ? 1 : 2 + static_cast<int>(rng() % 90);
      clips.push_back(RandomClip(absl::StrCat("clip", i), rig, frames, rng));
      if (i % 2 == 0) clips.back() = CompressedOrAsIs(clips.back(), {.quick = round % 2 == 0});
      compressed += clips.back()->compressed();
    }
    const ClipLibrary library(clips);
    const std::string bytes = WriteBlob(library);
    EXPECT_EQ(WriteBlob(library), bytes);
    const auto read = ReadBlob(bytes, rig);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(WriteBlob(**read), bytes);
    const auto back = (*read)->clips();
    ASSERT_EQ(back.size(), clips.size());
    for (size_t i = 0; i < clips.size(); ++i) ExpectSameClip(*clips[i], *back[i]);
    EXPECT_TRUE(round != 0 || compressed > 0);
  }
}

// What offsets know a clip by is that of the poses before compression, in a blob too.
TEST(ClipBlobTest, CompressedClipsKeepTheirContentHash) {
  std::mt19937 rng(5);
  const auto rig = MakeRig(8, 3);
  int compressed = 0;
  for (int k = 0; k < 20; ++k) {
    const auto whole = RandomClip("a", rig, 40, rng);
    const auto packed = CompressedOrAsIs(whole, {.error_m = 1e-3f});
    compressed += packed->compressed();
    const auto back = ReadBlob(WriteBlob(ClipLibrary({packed})), rig);
    ASSERT_TRUE(back.ok());
    EXPECT_EQ((*back)->Find("a")->content_hash(), whole->content_hash());
  }
  EXPECT_GT(compressed, 5);
}

TEST(ClipBlobTest, BytesThatEndEarlyOrGoOnAreTold) {
  std::mt19937 rng(8);
  const auto rig = MakeRig(3, 2);
  auto clip = RandomClip("a", rig, 40, rng);
  while (!clip->Compressed({})) clip = RandomClip("a", rig, 40, rng);
  const std::string bytes =
      WriteBlob(ClipLibrary({clip->Compressed({}), RandomClip("b", rig, 3, rng)}));
  ASSERT_TRUE(ReadBlob(bytes, rig).ok());
  for (size_t n = 0; n < bytes.size(); ++n) {
    EXPECT_EQ(ReadBlob(bytes.substr(0, n), rig).status().code(), absl::StatusCode::kDataLoss) << n;
  }
  EXPECT_EQ(ReadBlob(bytes + "x", rig).status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(ReadBlob("x" + bytes, rig).status().code(), absl::StatusCode::kDataLoss);
}

TEST(ClipBlobTest, ARigOfAnotherSizeIsRejected) {
  std::mt19937 rng(9);
  const auto rig = MakeRig(3, 2);
  const std::string bytes = WriteBlob(ClipLibrary({RandomClip("a", rig, 3, rng)}));
  const absl::Status joints = ReadBlob(bytes, MakeRig(4, 2)).status();
  EXPECT_EQ(joints.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(joints.message()), HasSubstr("3 joints"));
  EXPECT_EQ(ReadBlob(bytes, MakeRig(3, 1)).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(ClipBlobTest, ALibraryMayBeEmpty) {
  const auto read = ReadBlob(WriteBlob(ClipLibrary()), MakeRig(1, 0));
  ASSERT_TRUE(read.ok());
  EXPECT_TRUE((*read)->clips().empty());
}

}  // namespace
}  // namespace posewire::clip
