#include "libs/character/offset_points.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "libs/character/film_deformer.h"
#include "libs/character_file/builtin.h"
#include "libs/character_file/read_character.h"
#include "tests/unit/character/reading.h"

namespace posewire::character {
namespace {

using skel::Affine;
using skel::Vec3;

class OffsetPointsTest : public testing::Test {
 protected:
  void SetUp() override {
    if (character_file::BuiltinFile("woman").empty())
      GTEST_SKIP() << "the build had no data to make her of";
    woman_ = *character_file::OpenCharacter("woman", Rigs());
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
  std::vector<Vec3> live(n);
  film->skin().Gather(film->deformer(), absl::MakeSpan(live), {});
  ASSERT_TRUE((mesh::OffsetsJob{s, live, complex, absl::MakeSpan(offsets)}.Run()).ok());
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
  // Half of the offsets is half of the way; without any it is the deformer's.
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

TEST_F(OffsetPointsTest, NormalsBeforeTheSkinAreThoseThatItTakesToTheSurfaces) {
  ASSERT_TRUE(deformer_->Pose(Posed().view()).ok());
  const size_t n = points_->skin().points();
  std::vector<Vec3> offsets(n), found(n);
  for (size_t i = 0; i < n; ++i) offsets[i] = points_->skin().rest()[i] * 0.05f;
  const mesh::WeighedOffsets clip{offsets, 1};
  ASSERT_TRUE(points_->Pose(*deformer_, {&clip, 1}).ok());
  ASSERT_TRUE(points_->UnskinnedNormals(absl::MakeSpan(found)).ok());
  EXPECT_TRUE(absl::IsInvalidArgument(points_->UnskinnedNormals(absl::MakeSpan(found).first(1))));
  std::vector<Affine> s(n);
  PointSkin skin(*deformer_);
  ASSERT_TRUE(skin.Transforms(*deformer_, absl::MakeSpan(s), nullptr).ok());
  for (size_t k = 0; k < skin.meshes().size(); ++k) {
    const auto wanted = points_->normals(skin.meshes()[k]);
    for (size_t p = 0; p < wanted.size(); ++p) {
      const size_t i = skin.first()[k] + p;
      ASSERT_NEAR(skel::Length(found[i]), 1, 1e-4) << i;
      const Vec3 f = found[i];
      const Vec3 skinned = s[i].row[0] * f.x + s[i].row[1] * f.y + s[i].row[2] * f.z;
      ASSERT_GT(skel::Dot(skinned, wanted[p]) / skel::Length(skinned), 0.999f) << i;
    }
  }
}

// Two clips by halves of the body, each with shares of its own, on top of a smile: point by point
// what the weights say.
TEST_F(OffsetPointsTest, ClipsAreMixedByTheSharesOfTheirJoints) {
  const skel::Rig& rig = *woman_->rig;
  const PointSkin& skin = points_->skin();
  const size_t n = skin.points();
  // All of the left arm, and a quarter of everything else.
  std::vector<float> a_joints(static_cast<size_t>(rig.joints()), 0.25f), b_joints = a_joints;
  for (int j = 0; j < rig.joints(); ++j) {
    bool left = false;
    for (int k = j; k >= 0; k = rig.topology().parent(k)) left |= k == rig.FindJoint("l_shoulder");
    const auto at = static_cast<size_t>(j);
    if (left) a_joints[at] = 1;
    b_joints[at] = left ? 0 : 0.5f;
  }
  std::vector<float> a(n), b(n);
  ASSERT_TRUE(points_->Shares(*woman_, a_joints, absl::MakeSpan(a)).ok());
  ASSERT_TRUE(points_->Shares(*woman_, b_joints, absl::MakeSpan(b)).ok());
  size_t in_arm = 0, outside = 0, between = 0;
  for (size_t i = 0; i < n; ++i) {
    // What is the arm's is none of the rest's.
    ASSERT_NEAR((a[i] - 0.25f) / 0.75f, 1 - b[i] / 0.5f, 1e-5f) << i;
    (a[i] > 0.999f ? in_arm : a[i] < 0.251f ? outside : between) += 1;
  }
  EXPECT_GT(in_arm, 500u);
  EXPECT_GT(outside, 5000u);
  EXPECT_GT(between, 20u);

  std::vector<Vec3> of_a(n), of_b(n);
  for (size_t i = 0; i < n; ++i) {
    const auto t = static_cast<float>(i);
    of_a[i] = Vec3{std::sin(t), std::cos(t), std::sin(2 * t)} * 0.02f;
    of_b[i] = Vec3{std::cos(3 * t), std::sin(t), std::cos(t)} * 0.03f;
  }
  const skel::Pose pose = Posed();
  ASSERT_TRUE(deformer_->Pose(pose.view()).ok());
  std::vector<Vec3> shaped(n);
  skin.Gather(*deformer_, absl::MakeSpan(shaped), {});
  std::vector<Affine> s(n);
  PointSkin own_skin(*deformer_);
  ASSERT_TRUE(own_skin.Transforms(*deformer_, absl::MakeSpan(s), nullptr).ok());
  const mesh::WeighedOffsets clips[] = {{of_a, 0.8f, a}, {of_b, 1, b}};
  ASSERT_TRUE(points_->Pose(*deformer_, clips).ok());
  float worst = 0;
  for (size_t k = 0; k < skin.meshes().size(); ++k) {
    const auto found = points_->points(skin.meshes()[k]);
    for (size_t p = 0; p < found.size(); ++p) {
      const size_t i = skin.first()[k] + p;
      const Vec3 wanted =
          shaped[i] + skel::TransformVector(s[i], of_a[i] * (0.8f * a[i]) + of_b[i] * b[i]);
      worst = std::max(worst, skel::Length(found[p] - wanted));
    }
  }
  EXPECT_LT(worst, 1e-5f);
}

}  // namespace
}  // namespace posewire::character
