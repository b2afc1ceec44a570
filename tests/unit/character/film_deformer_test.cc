#include "libs/character/film_deformer.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "libs/character_file/builtin.h"
#include "libs/character_file/read_character.h"
#include "libs/mesh/offsets.h"
#include "tests/unit/character/reading.h"

namespace posewire::character {
namespace {

using skel::Affine;
using skel::Vec3;

class OnTheWoman : public testing::Test {
 protected:
  void SetUp() override {
    if (character_file::BuiltinFile("woman").empty())
      GTEST_SKIP() << "the build had no data to make her of";
  }
};

std::shared_ptr<const Character> Woman() {
  static const auto* const woman =
      new std::shared_ptr<const Character>(*character_file::OpenCharacter("woman", Rigs()));
  return *woman;
}

skel::Pose Rest() {
  skel::Pose pose(Woman()->rig->joints(), Woman()->rig->shapes());
  pose.span().CopyFrom(Woman()->rig->rest());
  return pose;
}

skel::Pose Bent(const char* joint, float angle_rad) {
  skel::Pose pose = Rest();
  const int j = Woman()->rig->FindJoint(joint);
  pose.span().SetRotation(
      j, skel::Mul(skel::FromAxisAngle({-1, 0, 0}, angle_rad), pose.view().rotation(j)));
  return pose;
}

// Points after `pose`, with these layers.
std::vector<Vec3> PosedPoints(const FilmLayers& layers, const skel::Pose& pose) {
  const auto film = *FilmDeformer::Make(Woman(), layers);
  std::vector<Vec3> out(film->skin().points());
  EXPECT_TRUE(film->Pose(pose.view(), 1 / 30.0, absl::MakeSpan(out)).ok());
  return out;
}

float Farthest(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  float worst = 0;
  for (size_t i = 0; i < a.size(); ++i) worst = std::max(worst, skel::Length(a[i] - b[i]));
  return worst;
}

constexpr FilmLayers kNone = {false, false, false};

TEST_F(OnTheWoman, TheStackChangesNothingAtRest) {
  EXPECT_LT(Farthest(PosedPoints({}, Rest()), PosedPoints(kNone, Rest())), 1e-5f);
}

TEST_F(OnTheWoman, ABentElbowBulgesTheUpperArmAndNothingElse) {
  const skel::Pose pose = Bent("l_elbow", 2.2f);
  const std::vector<Vec3> without = PosedPoints(kNone, pose),
                          with = PosedPoints({true, false, false}, pose);
  EXPECT_GT(Farthest(with, without), 0.01f);
  EXPECT_LT(Farthest(with, without), 0.03f);
  for (size_t i = 0; i < with.size(); ++i) {
    if (without[i].x < 0.05f) {  // X is left
      EXPECT_EQ(skel::Length(with[i] - without[i]), 0);
    }
  }
}

TEST_F(OnTheWoman, TheBellySwingsAfterAStopAndComesToRest) {
  const auto film = *FilmDeformer::Make(Woman(), {false, true, false});
  std::vector<Vec3> out(film->skin().points());
  skel::Pose pose = Rest();
  const auto swing = [&](float height) {
    pose.span().SetTranslation(0, Woman()->rig->rest().translation(0) + Vec3{0, height, 0});
    EXPECT_TRUE(film->Pose(pose.view(), 1 / 30.0, absl::MakeSpan(out)).ok());
    const std::vector<Vec3> still = PosedPoints(kNone, pose);
    return Farthest(out, still);
  };
  EXPECT_EQ(swing(0), 0);
  for (int f = 1; f <= 5; ++f) swing(0.03f * static_cast<float>(f));
  EXPECT_GT(swing(0.15f), 0.005f);
  for (int f = 0; f < 90; ++f) {
    EXPECT_TRUE(film->Pose(pose.view(), 1 / 30.0, absl::MakeSpan(out)).ok());
  }
  EXPECT_LT(swing(0.15f), 0.0005f);
}

TEST_F(OnTheWoman, SmoothingMovesWhereJointsBlendAlone) {
  const skel::Pose pose = Bent("l_elbow", 2.0f);
  const auto film = *FilmDeformer::Make(Woman(), kNone);
  const std::vector<Vec3> without = PosedPoints(kNone, pose),
                          with = PosedPoints({false, false, true}, pose);
  EXPECT_GT(Farthest(with, without), 0.001f);
  for (size_t i = 0; i < with.size(); ++i) {
    if (film->skin().heaviest()[i] == 1) {
      EXPECT_EQ(skel::Length(with[i] - without[i]), 0);
    }
  }
}

TEST_F(OnTheWoman, JointsAndOffsetsGiveBackAllThatTheStackMakes) {
  for (const auto method :
       {mesh::SkinningMethod::kClassicLinear, mesh::SkinningMethod::kDualQuaternion}) {
    const auto film = *FilmDeformer::Make(Woman(), {});
    PointSkin skin(film->deformer(), method);
    const size_t n = skin.points();
    std::vector<Vec3> complex(n), offsets(n), back(n);
    std::vector<Affine> s(n);
    ASSERT_TRUE(film->Pose(Bent("l_elbow", 2.0f).view(), 1 / 30.0, absl::MakeSpan(complex)).ok());
    size_t singular = n;
    ASSERT_TRUE(skin.Transforms(film->deformer(), absl::MakeSpan(s), &singular).ok());
    EXPECT_EQ(singular, 0u);
    std::vector<Vec3> simple(n);
    skin.Gather(film->deformer(), absl::MakeSpan(simple), {});
    EXPECT_GT(Farthest(simple, complex), 0.001f);
    ASSERT_TRUE((mesh::OffsetsJob{s, simple, complex, absl::MakeSpan(offsets)}.Run().ok()));
    const std::vector<mesh::WeighedOffsets> whole = {{offsets, 1}};
    ASSERT_TRUE((mesh::ReconstructJob{s, simple, whole, absl::MakeSpan(back)}.Run().ok()));
    EXPECT_LT(Farthest(back, complex), 1.7e-5f);  // 1e-5 of her size
    EXPECT_FALSE(skin.Transforms(film->deformer(), absl::MakeSpan(s).subspan(1), nullptr).ok());
  }
}

}  // namespace
}  // namespace posewire::character
