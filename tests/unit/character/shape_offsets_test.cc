#include "libs/character/shape_offsets.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "libs/skel/pose_hash.h"
#include "tests/unit/character/reading.h"

namespace posewire::character {
namespace {

using skel::Vec3;

constexpr size_t kPoints = 40;

class ShapeOffsetsTest : public testing::Test {
 protected:
  // At rest 1 mm along y; each shape moves one point by as many millimetres as its number.
  Vec3 At(int frame, size_t point) const {
    const auto shape = static_cast<size_t>(frame - 1);
    const bool moved = frame > 0 && shape % kPoints == point;
    return {moved ? 1e-3f * static_cast<float>(frame) : 0, 1e-3f, 0};
  }
  offsets::OffsetsHeader Header() const {
    offsets::OffsetsHeader header;
    header.content = offsets::Content::kShapes;
    header.points = kPoints;
    header.frames = static_cast<uint32_t>(ShapeOffsets::Frames(*rig_));
    header.clip_hash = offsets::kHashSeed;
    skel::Pose pose(rig_->joints(), rig_->shapes());
    for (int f = 0; f < ShapeOffsets::Frames(*rig_); ++f) {
      ShapeOffsets::PoseAt(*rig_, f, pose.span());
      header.clip_hash = skel::PoseHash(pose.view(), header.clip_hash);
    }
    return header;
  }
  absl::StatusOr<std::shared_ptr<const ShapeOffsets>> Read(const offsets::OffsetsHeader& header,
                                                           float more_m = 0) const {
    std::vector<Vec3> values;
    for (uint32_t f = 0; f < header.frames; ++f) {
      for (size_t i = 0; i < kPoints; ++i) {
        values.push_back(At(static_cast<int>(f), i) + Vec3{0, 0, more_m});
      }
    }
    const auto file = offsets::OffsetsFile::Parse(*offsets::WriteOffsets(header, {}, values));
    return ShapeOffsets::Read(*file, *rig_, points_);
  }

  size_t points_ = kPoints;  // of the character
  const std::shared_ptr<const skel::Rig> rig_ = *Rigs().Find("hanim_loa3");
};

TEST_F(ShapeOffsetsTest, SumsTheShapesOnTopOfRest) {
  const auto set = Read(Header());
  ASSERT_TRUE(set.ok()) << set.status();
  skel::Pose pose(rig_->joints(), rig_->shapes());
  std::vector<Vec3> out(kPoints);
  (*set)->Sum(pose.view(), absl::MakeSpan(out));  // absent weights are 0
  for (size_t i = 0; i < kPoints; ++i) EXPECT_LT(skel::Length(out[i] - At(0, i)), 1e-7f);
  pose.span().SetWeight(4, 0.5f);
  pose.span().SetWeight(6, 1.5f);
  (*set)->Sum(pose.view(), absl::MakeSpan(out));
  EXPECT_NEAR(out[4].x, 0.5f * 5e-3f, 1e-7f);
  EXPECT_NEAR(out[6].x, 1.5f * 7e-3f, 1e-7f);
  EXPECT_NEAR(out[5].x, 0, 1e-7f);
  EXPECT_NEAR(out[4].y, 1e-3f, 1e-7f);
}

TEST_F(ShapeOffsetsTest, TheHashIsThatOfTheValues) {
  EXPECT_EQ((*Read(Header()))->hash(), (*Read(Header()))->hash());
  EXPECT_NE((*Read(Header()))->hash(), (*Read(Header(), 1e-4f))->hash());
}

TEST_F(ShapeOffsetsTest, OneOfAnotherCharacterIsRefused) {
  points_ = kPoints - 1;
  const absl::Status why = Read(Header()).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(why));
  EXPECT_NE(why.message().find("points is 40, expected 39"), absl::string_view::npos) << why;
}

TEST_F(ShapeOffsetsTest, AClipOrTheShapesOfAnotherRigAreRefused) {
  offsets::OffsetsHeader header = Header();
  header.content = offsets::Content::kClip;
  EXPECT_TRUE(absl::IsInvalidArgument(Read(header).status()));
  header = Header();
  header.clip_hash ^= 1;
  EXPECT_TRUE(absl::IsFailedPrecondition(Read(header).status()));
  header = Header();
  --header.frames;
  const absl::Status why = Read(header).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(why));
  EXPECT_NE(why.message().find("of another rig"), absl::string_view::npos) << why;
}

}  // namespace
}  // namespace posewire::character
