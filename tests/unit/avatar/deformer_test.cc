#include "libs/avatar/deformer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "libs/skel/rig.h"

namespace posewire::avatar {
namespace {

using skel::Vec3;

class DeformerTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    model_ = new Model(*MakeModel(*skel::RigCatalog::Builtin("arkit68")->Find("hanim_loa3")));
  }
  static void TearDownTestSuite() { delete model_; }

  static size_t SurfaceNamed(const std::string& name) {
    const auto& all = model_->surfaces;
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const Surface& s) { return s.name == name; });
    return static_cast<size_t>(found - all.begin());
  }
  static skel::Pose Rest() { return {model_->rig->joints(), model_->rig->shapes()}; }

  static Model* model_;
};
Model* DeformerTest::model_ = nullptr;

TEST_F(DeformerTest, SurfacesAreWholeAndNamedOnce) {
  for (const Surface& s : model_->surfaces) {
    EXPECT_EQ(&model_->surfaces[SurfaceNamed(s.name)], &s) << s.name;
    ASSERT_LT(static_cast<size_t>(s.material), model_->materials.size()) << s.name;
    EXPECT_EQ(s.normals.size(), s.points.size());
    EXPECT_EQ(s.colors.size(), s.points.size());
    EXPECT_EQ(s.influences.size(), s.points.size());
    for (const Influences& p : s.influences) {
      float sum = 0;
      for (size_t k = 0; k < 4; ++k) {
        ASSERT_GE(p.joint[k], 0);
        ASSERT_LT(p.joint[k], model_->rig->joints());
        sum += p.weight[k];
      }
      ASSERT_NEAR(sum, 1, 1e-5) << s.name;
    }
    for (int32_t t : s.triangles) ASSERT_LT(static_cast<size_t>(t), s.points.size()) << s.name;
  }
}

TEST_F(DeformerTest, AtRestTheAvatarStandsOnTheFloorAsTallAsItsRig) {
  Deformer deformer(*model_);
  ASSERT_TRUE(deformer.Pose(Rest().view()).ok());
  float low = 9, high = -9, widest = 0;
  for (size_t s = 0; s < model_->surfaces.size(); ++s) {
    for (const Vec3& p : deformer.points(s)) {
      low = std::min(low, p.y);
      high = std::max(high, p.y);
      widest = std::max(widest, p.x);
    }
  }
  EXPECT_NEAR(low, 0, 0.006);
  EXPECT_NEAR(high, 1.7504, 0.03);
  EXPECT_LT(widest, 0.30);
}

// Whether a front side lies behind the point (x, y), for a viewer who looks along -Z.
bool IsCovered(const std::vector<std::array<Vec3, 3>>& fronts, float x, float y) {
  return std::any_of(fronts.begin(), fronts.end(), [&](const std::array<Vec3, 3>& t) {
    for (size_t k = 0; k < 3; ++k) {
      const Vec3 a = t[k], b = t[(k + 1) % 3];
      if ((b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x) < -1e-9f) return false;
    }
    return true;
  });
}

TEST_F(DeformerTest, NobodyLooksThroughTheOpenMouth) {
  Deformer deformer(*model_);
  for (const float open : {0.0f, 0.5f, 1.0f}) {
    skel::Pose pose = Rest();
    pose.span().SetWeight(model_->rig->FindShape("jawOpen"), open);
    ASSERT_TRUE(deformer.Pose(pose.view()).ok());
    std::vector<std::array<Vec3, 3>> fronts;
    for (size_t s = 0; s < model_->surfaces.size(); ++s) {
      const auto& triangles = model_->surfaces[s].triangles;
      for (size_t i = 0; i < triangles.size(); i += 3) {
        std::array<Vec3, 3> t;
        for (size_t k = 0; k < 3; ++k) {
          t[k] = deformer.points(s)[static_cast<size_t>(triangles[i + k])];
        }
        const bool near = std::fabs(t[0].x) < 0.06f && std::fabs(t[0].y - 1.56f) < 0.1f;
        if (near && skel::Cross(t[1] - t[0], t[2] - t[0]).z > 0) fronts.push_back(t);
      }
    }
    for (int row = 0; row <= 40; ++row) {
      for (int column = 0; column <= 40; ++column) {
        const float x = -0.03f + 0.0015f * static_cast<float>(column);
        const float y = 1.52f + 0.002f * static_cast<float>(row);
        ASSERT_TRUE(IsCovered(fronts, x, y)) << x << ", " << y << " at jawOpen " << open;
      }
    }
  }
}

TEST_F(DeformerTest, BothSidesAreMirrored) {
  Deformer deformer(*model_);
  ASSERT_TRUE(deformer.Pose(Rest().view()).ok());
  const auto points = deformer.points(SurfaceNamed("hands"));
  const size_t half = points.size() / 2;
  for (size_t i = 0; i < half; ++i) {
    EXPECT_NEAR(points[i].x, -points[half + i].x, 1e-4);
    EXPECT_NEAR(points[i].y, points[half + i].y, 1e-4);
  }
}

TEST_F(DeformerTest, ABentElbowCarriesTheHandAndLeavesTheOtherArm) {
  Deformer deformer(*model_);
  ASSERT_TRUE(deformer.Pose(Rest().view()).ok());
  const auto hands = SurfaceNamed("hands");
  const std::vector<Vec3> before(deformer.points(hands).begin(), deformer.points(hands).end());
  skel::Pose pose = Rest();
  pose.span().SetRotation(model_->rig->FindJoint("l_elbow"), skel::Exp({-1.5f, 0, 0}));
  ASSERT_TRUE(deformer.Pose(pose.view()).ok());
  const auto after = deformer.points(hands);
  const size_t half = before.size() / 2;
  for (size_t i = 0; i < half; ++i) {
    // Of the end of the forearm, within the cuff, less.
    EXPECT_GT(skel::Length(after[i] - before[i]), 0.25f);
    EXPECT_LT(skel::Length(after[half + i] - before[half + i]), 1e-5f);
  }
}

TEST_F(DeformerTest, BothMethodsAgreeAtRest) {
  Deformer linear(*model_), dual(*model_, mesh::SkinningMethod::kDualQuaternion);
  ASSERT_TRUE(linear.Pose(Rest().view()).ok());
  ASSERT_TRUE(dual.Pose(Rest().view()).ok());
  const size_t head = SurfaceNamed("head");
  for (size_t i = 0; i < linear.points(head).size(); ++i) {
    EXPECT_LT(skel::Length(linear.points(head)[i] - dual.points(head)[i]), 1e-4f);
  }
}

TEST_F(DeformerTest, APoseOfAnotherSizeIsAnError) {
  Deformer deformer(*model_);
  EXPECT_FALSE(deformer.Pose(skel::Pose(3, model_->rig->shapes()).view()).ok());
  EXPECT_FALSE(deformer.Pose(skel::Pose(model_->rig->joints(), 1).view()).ok());
}

TEST_F(DeformerTest, ARigWithoutTheJointsIsNamed) {
  const auto rig = *skel::RigCatalog::Builtin()->Find("vrm");
  const absl::Status status = MakeModel(rig).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("HumanoidRoot"), absl::string_view::npos);
}

}  // namespace
}  // namespace posewire::avatar
