#include "libs/avatar/simplify.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <string>
#include <utility>

#include "libs/avatar/deformer.h"
#include "libs/avatar/lattice.h"
#include "libs/avatar/surface.h"
#include "libs/skel/rig.h"

namespace posewire::avatar {
namespace {

using skel::Vec3;

// A square sheet of side 1 with `n` by `n` points, of the height that `height` says.
template <typename Height>
Surface Sheet(int n, Height height) {
  Surface out;
  for (int r = 0; r < n; ++r) {
    for (int c = 0; c < n; ++c) {
      const float x = static_cast<float>(c) / static_cast<float>(n - 1);
      const float y = static_cast<float>(r) / static_cast<float>(n - 1);
      out.points.push_back(Vec3{x, y, height(x, y)} * 0.05f);
      out.colors.push_back({1, 1, 1});
      Influences own;
      own.weight[0] = 1;
      out.influences.push_back(own);
    }
  }
  out.triangles = Weave(n, n, false);
  out.normals = SmoothNormals(out.points, out.triangles);
  return out;
}

float Area(const Surface& s) {
  float sum = 0;
  for (size_t t = 0; t < s.triangles.size(); t += 3) {
    const Vec3 a = s.points[static_cast<size_t>(s.triangles[t])];
    const Vec3 b = s.points[static_cast<size_t>(s.triangles[t + 1])];
    const Vec3 c = s.points[static_cast<size_t>(s.triangles[t + 2])];
    sum += 0.5f * skel::Length(skel::Cross(b - a, c - a));
  }
  return sum;
}

float DistanceToTriangle(Vec3 p, Vec3 a, Vec3 b, Vec3 c) {
  // The nearest of a fine grid of its points: slow and plain.
  constexpr int kSteps = 12;
  float least = 1e9f;
  for (int i = 0; i <= kSteps; ++i) {
    for (int k = 0; k + i <= kSteps; ++k) {
      const float u = static_cast<float>(i) / kSteps, v = static_cast<float>(k) / kSteps;
      least = std::min(least, skel::Length(a + (b - a) * u + (c - a) * v - p));
    }
  }
  return least;
}

TEST(Simplify, AFlatSheetNeedsFewTrianglesAndKeepsItsOutline) {
  const Surface sheet = Sheet(21, [](float, float) { return 0.0f; });
  const Surface few = Simplify(sheet, {sheet.points}, 1e-4f);
  EXPECT_LT(few.triangles.size(), sheet.triangles.size() / 10);
  EXPECT_NEAR(Area(few), Area(sheet), 1e-6f);
  EXPECT_EQ(few.points.size(), few.normals.size());
  EXPECT_EQ(few.points.size(), few.influences.size());
}

TEST(Simplify, ABumpySheetStaysNearWhatItWas) {
  std::mt19937 random(5);
  for (int round = 0; round < 4; ++round) {
    std::uniform_real_distribution<float> any(1.0f, 6.0f);
    const float a = any(random), b = any(random);
    const Surface sheet =
        Sheet(25, [&](float x, float y) { return 0.1f * std::sin(a * x) * std::cos(b * y); });
    const float tolerance = 0.0004f;
    const Surface few = Simplify(sheet, {sheet.points}, tolerance);
    EXPECT_LT(few.triangles.size(), sheet.triangles.size() / 2);
    EXPECT_GT(few.triangles.size(), 12u);
    for (const Vec3& p : sheet.points) {
      float least = 1e9f;
      for (size_t t = 0; t < few.triangles.size(); t += 3) {
        least = std::min(least,
                         DistanceToTriangle(p, few.points[static_cast<size_t>(few.triangles[t])],
                                            few.points[static_cast<size_t>(few.triangles[t + 1])],
                                            few.points[static_cast<size_t>(few.triangles[t + 2])]));
      }
      EXPECT_LT(least, 3 * tolerance + 0.0008f) << "the grid that is searched is that coarse";
    }
  }
}

TEST(Simplify, WhatIsFlatInOnePoseButBentInAnotherKeepsItsPoints) {
  const Surface sheet = Sheet(21, [](float, float) { return 0.0f; });
  const Surface bent = Sheet(21, [](float x, float) { return 0.3f * std::sin(9 * x); });
  const size_t one = Simplify(sheet, {sheet.points}, 2e-4f).triangles.size();
  const size_t both = Simplify(sheet, {sheet.points, bent.points}, 2e-4f).triangles.size();
  EXPECT_GT(both, 3 * one);
}

TEST(Simplify, PointsThatMeetInAPoseAllStay) {
  // Two halves whose edges lie together in the second pose only.
  Surface sheet = Sheet(9, [](float, float) { return 0.0f; });
  const size_t half = sheet.points.size();
  const Surface other = sheet;
  for (size_t i = 0; i < half; ++i) {
    sheet.points.push_back(other.points[i] + Vec3{0.10f, 0, 0});
    sheet.normals.push_back(other.normals[i]);
    sheet.colors.push_back(other.colors[i]);
    sheet.influences.push_back(other.influences[i]);
  }
  for (int32_t t : other.triangles) sheet.triangles.push_back(t + static_cast<int32_t>(half));
  std::vector<Vec3> closed = sheet.points;
  for (size_t i = half; i < closed.size(); ++i) closed[i].x -= 0.05f;
  const Surface few = Simplify(sheet, {sheet.points, closed}, 1e-3f);
  int at_edge = 0;
  for (const Vec3& p : few.points) at_edge += std::fabs(p.x - 0.05f) < 1e-6f;
  EXPECT_EQ(at_edge, 9);
  EXPECT_LT(few.points.size(), sheet.points.size() / 2);
}

TEST(Simplify, AStepOfColourStaysWhereItIs) {
  Surface sheet = Sheet(21, [](float, float) { return 0.0f; });
  for (size_t i = 0; i < sheet.points.size(); ++i) {
    if (sheet.points[i].x < 0.0251f) sheet.colors[i] = {0.1f, 0.1f, 0.1f};
  }
  const Surface few = Simplify(sheet, {sheet.points}, 3e-4f);
  // No triangle spans the step over more than one cell.
  for (size_t t = 0; t < few.triangles.size(); t += 3) {
    float low = 1, high = 0, dark = 1, light = 0;
    for (size_t k = 0; k < 3; ++k) {
      const auto i = static_cast<size_t>(few.triangles[t + k]);
      low = std::min(low, few.points[i].x);
      high = std::max(high, few.points[i].x);
      dark = std::min(dark, few.colors[i].x);
      light = std::max(light, few.colors[i].x);
    }
    if (dark < light) {
      EXPECT_LT(high - low, 0.006f);
    }
  }
}

class LightModel : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    model_ = new Model(*MakeModel(*skel::RigCatalog::Builtin("arkit68")->Find("hanim_loa3")));
    light_ = new Model(MakeLight(*model_));
  }
  static void TearDownTestSuite() {
    delete model_;
    delete light_;
  }
  static Model *model_, *light_;
};
Model* LightModel::model_ = nullptr;
Model* LightModel::light_ = nullptr;

size_t Triangles(const Model& model) {
  size_t sum = 0;
  for (const Surface& s : model.surfaces) sum += s.triangles.size() / 3;
  return sum;
}

TEST_F(LightModel, HasAThirdOfTheTrianglesAndEveryShape) {
  EXPECT_LT(Triangles(*light_), 30000u);
  EXPECT_GT(Triangles(*light_), 15000u);
  ASSERT_EQ(light_->surfaces.size(), model_->surfaces.size());
  for (size_t s = 0; s < model_->surfaces.size(); ++s) {
    const Surface &a = model_->surfaces[s], &b = light_->surfaces[s];
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.targets.size(), b.targets.size()) << a.name;
    EXPECT_NEAR(Area(b), Area(a), 0.03f * Area(a)) << a.name;
  }
}

TEST_F(LightModel, KeepsItsLipsAndLidsTogether) {
  // Every point of the detailed head that meets another when the eyes are shut is still there.
  skel::Pose pose(model_->rig->joints(), model_->rig->shapes());
  pose.span().CopyFrom(model_->rig->rest());
  for (const char* shape : {"eyeBlinkLeft", "eyeBlinkRight"}) {
    pose.span().SetWeight(model_->rig->FindShape(shape), 1);
  }
  const auto pairs = [&](const Model& model) {
    Deformer deformer(model);
    EXPECT_TRUE(deformer.Pose(pose.view()).ok());
    for (size_t s = 0; s < model.surfaces.size(); ++s) {
      if (model.surfaces[s].name != "head") continue;
      const auto points = deformer.points(s);
      int count = 0;
      for (size_t i = 0; i < points.size(); ++i) {
        for (size_t k = i + 1; k < points.size(); ++k) {
          const Vec3 d = points[i] - points[k];
          if (skel::Dot(d, d) < 1e-11f) ++count;
        }
      }
      return count;
    }
    return 0;
  };
  EXPECT_EQ(pairs(*light_), pairs(*model_));
}

TEST_F(LightModel, IsTheSameEveryTime) {
  const Model again = MakeLight(*model_);
  for (size_t s = 0; s < again.surfaces.size(); ++s) {
    EXPECT_EQ(again.surfaces[s].triangles, light_->surfaces[s].triangles);
  }
}

}  // namespace
}  // namespace posewire::avatar
