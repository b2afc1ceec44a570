#include "libs/character/offset_points.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "libs/character/builtin.h"
#include "libs/character/film_deformer.h"
#include "libs/character/read_character.h"

namespace posewire::character {
namespace {

using skel::Affine;
using skel::Vec3;

const skel::RigCatalog& Rigs() {
  static const auto* const rigs = new skel::RigCatalog(*skel::RigCatalog::Builtin("arkit68"));
  return *rigs;
}

class OffsetPointsTest : public testing::Test {
 protected:
  void SetUp() override {
    if (BuiltinFile("woman").empty()) GTEST_SKIP() << "the build had no data to make her of";
    woman_ = *OpenCharacter("woman", Rigs());
    deformer_ = std::make_unique<Deformer>(woman_);
    points_ = *OffsetPoints::Make(*deformer_);
  }

  // Arms bent, a knee, and a smile.
  skel::Pose Posed() const {
    skel::Pose pose(woman_->rig->joints(), woman_->rig->shapes());
    pose.span().CopyFrom(woman_->rig->rest());
    for (const auto& [joint, angle] :
         {std::pair{"l_elbow", 2.0f}, {"r_elbow", 1.2f}, {"l_hip", 1.0f}, {"r_shoulder", 0.7f}}) {
      const int j = woman_->rig->FindJoint(joint);
      pose.span().SetRotation(
          j, skel::Mul(skel::FromAxisAngle({-1, 0, 0}, angle), pose.view().rotation(j)));
    }
    pose.span().SetWeight(woman_->rig->FindShape("mouthSmileLeft"), 1);
    return pose;
  }

  std::shared_ptr<const Character> woman_;
  std::unique_ptr<Deformer> deformer_;
  std::unique_ptr<OffsetPoints> points_;
};

TEST_F(OffsetPointsTest, OffsetsGiveTheComplexCharacterBack) {
  const skel::Pose pose = Posed();
  auto film = *FilmDeformer::Make(woman_);
  const size_t n = film->skin().points();
  std::vector<Vec3> complex(n), offsets(n);
  std::vector<Affine> s(n);
  size_t singular = 0;
  ASSERT_TRUE(film->Pose(pose.view(), 1 / 30.0, absl::MakeSpan(complex)).ok());
  ASSERT_TRUE(film->Transforms(absl::MakeSpan(s), &singular).ok());
  ASSERT_TRUE(
      (mesh::OffsetsJob{s, film->skin().rest(), complex, absl::MakeSpan(offsets)}.Run()).ok());
  ASSERT_TRUE(deformer_->Pose(pose.view()).ok());
  const mesh::WeighedOffsets clip{offsets, 1};
  ASSERT_TRUE(points_->Pose(*deformer_, {&clip, 1}).ok());
  float worst = 0;
  double moved = 0;
  for (size_t k = 0; k < points_->skin().meshes().size(); ++k) {
    const size_t mesh = points_->skin().meshes()[k], first = points_->skin().first()[k];
    const auto found = points_->points(mesh);
    for (size_t i = 0; i < found.size(); ++i) {
      worst = std::max(worst, skel::Length(found[i] - complex[first + i]));
    }
  }
  EXPECT_LT(worst, 2e-5f);  // of a person of 1.7 m
  // Half of the offsets is half of the way; none is the simple rig.
  const mesh::WeighedOffsets half{offsets, 0.5f};
  ASSERT_TRUE(points_->Pose(*deformer_, {&half, 1}).ok());
  const size_t face = points_->skin().meshes()[0];
  const std::vector<Vec3> between(points_->points(face).begin(), points_->points(face).end());
  ASSERT_TRUE(points_->Pose(*deformer_, {}).ok());
  const auto simple = points_->points(face);
  for (size_t i = 0; i < between.size(); ++i) {
    const Vec3 middle = (simple[i] + complex[i]) * 0.5f;
    worst = std::max(worst, skel::Length(between[i] - middle));
    moved = std::max<double>(moved, skel::Length(simple[i] - complex[i]));
  }
  EXPECT_LT(worst, 2e-5f);
  EXPECT_GT(moved, 1e-3);
}

// Against those that the deformer itself makes, where it moves by joints alone.
TEST_F(OffsetPointsTest, NormalsTurnWithThePoints) {
  skel::Pose pose = Posed();
  pose.span().SetWeight(woman_->rig->FindShape("mouthSmileLeft"), 0);
  ASSERT_TRUE(deformer_->Pose(pose.view()).ok());
  ASSERT_TRUE(points_->Pose(*deformer_, {}).ok());
  size_t all = 0, off = 0;
  for (const size_t mesh : points_->skin().meshes()) {
    const auto found = points_->normals(mesh);
    const auto wanted = deformer_->normals(mesh);
    ASSERT_EQ(found.size(), wanted.size());
    for (size_t i = 0; i < found.size(); ++i) {
      ASSERT_NEAR(skel::Length(found[i]), 1, 1e-3);
      ++all;
      off += skel::Dot(found[i], wanted[i]) < std::cos(0.35f) ? 1 : 0;
    }
  }
  // Where a joint bends, blended normals and those of the surface differ, and few points lie there.
  EXPECT_LT(static_cast<double>(off), 0.03 * static_cast<double>(all)) << off << " of " << all;
}

TEST_F(OffsetPointsTest, OtherCountsAreNamed) {
  ASSERT_TRUE(deformer_->Pose(Posed().view()).ok());
  const std::vector<Vec3> few(10);
  const mesh::WeighedOffsets clip{few, 1};
  const absl::Status why = points_->Pose(*deformer_, {&clip, 1});
  EXPECT_TRUE(absl::IsInvalidArgument(why));
  EXPECT_NE(why.message().find("the offsets have 10 points"), absl::string_view::npos) << why;
}

}  // namespace
}  // namespace posewire::character
