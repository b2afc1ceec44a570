#include "libs/avatar/face_shapes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "libs/avatar/face_form.h"
#include "libs/avatar/face_grid.h"
#include "libs/avatar/head_parts.h"
#include "libs/avatar/model.h"
#include "libs/avatar/surface.h"
#include "libs/skel/rig.h"

namespace posewire::avatar {
namespace {

using skel::Vec3;

class FaceShapesTest : public testing::Test {
 protected:
  FaceShapesTest() : grid_(MakeFaceGrid(form_)), shapes_(form_, grid_) {}

  // The point of the skin in front that is nearest to (x, y).
  size_t SpotAt(float x, float y) const {
    size_t best = 0;
    float least = 1e9f;
    for (size_t i = 0; i < shapes_.neutral().size(); ++i) {
      const Vec3 p = shapes_.neutral()[i];
      if (p.z < 0.02f || grid_.points[i].depth > 0) continue;
      const float d = std::hypot(p.x - x, p.y - y);
      if (d < least) least = d, best = i;
    }
    return best;
  }
  Vec3 MoveAt(const char* shape, float x, float y) const {
    return shapes_.Offsets(shape)[SpotAt(x, y)];
  }
  std::vector<Vec3> Face(const std::vector<std::pair<std::string, float>>& weights) const {
    std::vector<Vec3> points = shapes_.neutral();
    for (const auto& [shape, w] : weights) {
      const std::vector<Vec3> offsets = shapes_.Offsets(shape);
      for (size_t i = 0; i < points.size(); ++i) points[i] = points[i] + offsets[i] * w;
    }
    return points;
  }
  // The most by which upper and lower edge stand apart.
  static float Gap(const FaceGrid::Edge& edge, const std::vector<Vec3>& points) {
    float most = 0;
    for (size_t k = 0; k < edge.upper.size(); ++k) {
      most = std::max(most, skel::Length(points[static_cast<size_t>(edge.upper[k])] -
                                         points[static_cast<size_t>(edge.lower[k])]));
    }
    return most;
  }

  FaceForm form_;
  FaceGrid grid_;
  FaceShapes shapes_;
};

// Where each shape is at its strongest: a part of the face, seen on the avatar's left.
struct Region {
  const char* shape;
  float low_x, high_x, low_y, high_y;
};
constexpr Region kRegions[] = {
    {"eyeBlinkLeft", 0.015f, 0.055f, 1.620f, 1.650f},
    {"eyeLookDownLeft", 0.015f, 0.055f, 1.620f, 1.650f},
    {"eyeLookInLeft", 0.015f, 0.055f, 1.620f, 1.650f},
    {"eyeLookOutLeft", 0.015f, 0.055f, 1.620f, 1.650f},
    {"eyeLookUpLeft", 0.015f, 0.055f, 1.620f, 1.650f},
    {"eyeSquintLeft", 0.015f, 0.055f, 1.605f, 1.650f},
    {"eyeWideLeft", 0.015f, 0.055f, 1.620f, 1.650f},
    {"jawForward", -0.07f, 0.07f, 1.48f, 1.57f},
    {"jawLeft", -0.07f, 0.07f, 1.48f, 1.57f},
    {"jawOpen", -0.07f, 0.07f, 1.48f, 1.57f},
    {"mouthClose", -0.07f, 0.07f, 1.48f, 1.57f},
    {"mouthFunnel", -0.035f, 0.035f, 1.545f, 1.580f},
    {"mouthPucker", -0.035f, 0.035f, 1.545f, 1.580f},
    {"mouthLeft", -0.035f, 0.035f, 1.545f, 1.580f},
    {"mouthSmileLeft", 0.015f, 0.040f, 1.550f, 1.580f},
    {"mouthFrownLeft", 0.015f, 0.040f, 1.545f, 1.580f},
    {"mouthDimpleLeft", 0.015f, 0.040f, 1.550f, 1.580f},
    {"mouthStretchLeft", 0.015f, 0.040f, 1.545f, 1.580f},
    {"mouthRollLower", -0.030f, 0.030f, 1.545f, 1.564f},
    {"mouthRollUpper", -0.030f, 0.030f, 1.556f, 1.575f},
    {"mouthShrugLower", -0.030f, 0.030f, 1.530f, 1.570f},
    {"mouthShrugUpper", -0.030f, 0.030f, 1.556f, 1.580f},
    {"mouthPressLeft", -0.005f, 0.035f, 1.545f, 1.575f},
    {"mouthLowerDownLeft", -0.005f, 0.030f, 1.545f, 1.564f},
    {"mouthUpperUpLeft", -0.005f, 0.030f, 1.556f, 1.575f},
    {"browDownLeft", 0.005f, 0.050f, 1.640f, 1.670f},
    {"browInnerUp", -0.025f, 0.025f, 1.645f, 1.675f},
    {"browOuterUpLeft", 0.025f, 0.060f, 1.645f, 1.675f},
    {"cheekPuff", -0.065f, 0.065f, 1.555f, 1.590f},
    {"cheekSquintLeft", 0.025f, 0.060f, 1.595f, 1.620f},
    {"noseSneerLeft", 0.000f, 0.025f, 1.580f, 1.600f},
    {"tongueOut", -0.025f, 0.025f, 1.545f, 1.564f},
};

TEST_F(FaceShapesTest, EachShapeIsStrongestInItsOwnRegion) {
  for (const Region& region : kRegions) {
    const std::vector<Vec3> offsets = shapes_.Offsets(region.shape);
    size_t most = 0;
    for (size_t i = 0; i < offsets.size(); ++i) {
      if (skel::Length(offsets[i]) > skel::Length(offsets[most])) most = i;
    }
    const Vec3 p = shapes_.neutral()[most];
    const bool look_across =
        absl::StartsWith(region.shape, "eyeLookIn") || absl::StartsWith(region.shape, "eyeLookOut");
    EXPECT_GT(skel::Length(offsets[most]), look_across ? 0.0001f : 0.0012f) << region.shape;
    EXPECT_TRUE(p.x >= region.low_x && p.x <= region.high_x && p.y >= region.low_y &&
                p.y <= region.high_y)
        << region.shape << " is strongest at " << p.x << ", " << p.y;
  }
}

TEST_F(FaceShapesTest, ShapesOfOneSideLeaveTheOtherAndMirrorEachOther) {
  const auto rig = *skel::RigCatalog::Builtin()->Find("hanim_loa3");
  int pairs = 0;
  for (const std::string& left : rig->shape_names()) {
    if (!absl::EndsWith(left, "Left") || left == "jawLeft" || left == "mouthLeft") continue;
    const std::string right = left.substr(0, left.size() - 4) + "Right";
    const std::vector<Vec3> l = shapes_.Offsets(left), r = shapes_.Offsets(right);
    Vec3 total_left, total_right;
    for (size_t i = 0; i < l.size(); ++i) {
      if (shapes_.neutral()[i].x < -0.008f) {
        EXPECT_LT(skel::Length(l[i]), 1e-5f) << left;
      }
      if (shapes_.neutral()[i].x > 0.008f) {
        EXPECT_LT(skel::Length(r[i]), 1e-5f) << right;
      }
      total_left = total_left + l[i];
      total_right = total_right + r[i];
    }
    EXPECT_NEAR(total_left.x, -total_right.x, 2e-4) << left;
    EXPECT_NEAR(total_left.y, total_right.y, 2e-4) << left;
    EXPECT_NEAR(total_left.z, total_right.z, 2e-4) << left;
    ++pairs;
  }
  EXPECT_EQ(pairs, 18);
}

TEST_F(FaceShapesTest, LidsMeetAtBlinkAndStandApartAtRest) {
  EXPECT_GT(Gap(grid_.left_eye, shapes_.neutral()), 0.009f);
  EXPECT_LT(Gap(grid_.left_eye, Face({{"eyeBlinkLeft", 1}})), 1e-6f);
  EXPECT_LT(Gap(grid_.right_eye, Face({{"eyeBlinkRight", 1}})), 1e-6f);
  EXPECT_GT(Gap(grid_.right_eye, Face({{"eyeBlinkLeft", 1}})), 0.009f);
  EXPECT_GT(Gap(grid_.left_eye, Face({{"eyeWideLeft", 1}})),
            Gap(grid_.left_eye, shapes_.neutral()) + 0.002f);
}

TEST_F(FaceShapesTest, LidsNeverEnterTheEyeball) {
  for (float w = 0; w <= 1.001f; w += 0.1f) {
    const std::vector<Vec3> face = Face({{"eyeBlinkLeft", w}});
    for (const auto* edge : {&grid_.left_eye.upper, &grid_.left_eye.lower}) {
      for (int32_t i : *edge) {
        EXPECT_GT(skel::Length(face[static_cast<size_t>(i)] - kEye), kEyeRadius) << w;
      }
    }
  }
}

TEST_F(FaceShapesTest, LipsMeetAtRestAndAtMouthCloseWhichOpensTheJaw) {
  EXPECT_LT(Gap(grid_.mouth, shapes_.neutral()), 1e-6f);
  EXPECT_GT(Gap(grid_.mouth, Face({{"jawOpen", 1}})), 0.015f);
  EXPECT_LT(Gap(grid_.mouth, Face({{"mouthClose", 1}})), 0.0015f);
  EXPECT_LT(Gap(grid_.mouth, Face({{"mouthClose", 0.5f}})), 0.0015f);
  // The chin hangs as low as with the open jaw.
  const size_t chin = SpotAt(0, 1.524f);
  EXPECT_NEAR(shapes_.Offsets("mouthClose")[chin].y, shapes_.Offsets("jawOpen")[chin].y, 0.002f);
  EXPECT_LT(shapes_.Offsets("jawOpen")[chin].y, -0.015f);
}

TEST_F(FaceShapesTest, PartsMoveTheWayTheirNamesSay) {
  EXPECT_GT(MoveAt("mouthSmileLeft", 0.026f, 1.562f).y, 0.003f);
  EXPECT_GT(MoveAt("mouthSmileLeft", 0.026f, 1.562f).x, 0.002f);
  EXPECT_GT(MoveAt("mouthSmileLeft", 0.043f, 1.600f).y, 0.002f);  // lifts the cheek
  EXPECT_LT(MoveAt("mouthSmileRight", -0.026f, 1.562f).x, -0.002f);
  EXPECT_LT(MoveAt("mouthFrownLeft", 0.026f, 1.560f).y, -0.003f);
  EXPECT_GT(MoveAt("jawLeft", 0, 1.525f).x, 0.005f);
  EXPECT_LT(MoveAt("jawRight", 0, 1.525f).x, -0.005f);
  EXPECT_GT(MoveAt("mouthLeft", 0, 1.565f).x, 0.005f);
  EXPECT_GT(MoveAt("jawForward", 0, 1.525f).z, 0.004f);
  EXPECT_GT(MoveAt("mouthPucker", 0, 1.565f).z, 0.004f);
  EXPECT_LT(MoveAt("mouthPucker", 0.025f, 1.560f).x, -0.002f);
  EXPECT_GT(MoveAt("mouthStretchLeft", 0.026f, 1.560f).x, 0.003f);
  EXPECT_LT(MoveAt("browDownLeft", 0.026f, 1.654f).y, -0.003f);
  EXPECT_GT(MoveAt("browInnerUp", 0.010f, 1.658f).y, 0.004f);
  EXPECT_GT(MoveAt("browOuterUpRight", -0.042f, 1.658f).y, 0.003f);
  EXPECT_GT(MoveAt("cheekPuff", 0.044f, 1.570f).x, 0.004f);
  EXPECT_LT(MoveAt("cheekPuff", -0.044f, 1.570f).x, -0.004f);
  EXPECT_GT(MoveAt("noseSneerLeft", 0.013f, 1.590f).y, 0.002f);
  EXPECT_LT(MoveAt("mouthRollLower", 0, 1.556f).z, -0.002f);
}

TEST(Eyes, LookWhereTheirShapesSay) {
  const Model model = *MakeModel(*skel::RigCatalog::Builtin()->Find("hanim_loa3"));
  int seen = 0;
  for (const Surface& eye : model.surfaces) {
    if (!absl::EndsWith(eye.name, " eye")) continue;
    const bool left = eye.name == "left eye";
    for (const Target& target : eye.targets) {
      const std::string& shape = model.rig->shape_names()[static_cast<size_t>(target.shape)];
      EXPECT_TRUE(absl::EndsWith(shape, left ? "Left" : "Right"));
      const Vec3 pupil = target.offsets[0];
      if (absl::StartsWith(shape, "eyeLookUp")) {
        EXPECT_GT(pupil.y, 0.003f) << shape;
      } else if (absl::StartsWith(shape, "eyeLookDown")) {
        EXPECT_LT(pupil.y, -0.003f) << shape;
      } else {
        // In is towards the nose: to the right for the left eye.
        const bool in = absl::StartsWith(shape, "eyeLookIn");
        EXPECT_GT(pupil.x * (in == left ? -1.0f : 1.0f), 0.003f) << shape;
      }
      ++seen;
    }
  }
  EXPECT_EQ(seen, 8);
}

// What of the face turns its back: the share of its area whose triangles have turned by more than
// `limit` from where they faced at rest.
class FoldTest : public FaceShapesTest {
 protected:
  FoldTest() {
    const auto& n = shapes_.neutral();
    for (size_t i = 0; i < grid_.triangles.size(); i += 3) {
      size_t v[3];
      bool skin = true;
      for (size_t k = 0; k < 3; ++k) {
        v[k] = static_cast<size_t>(grid_.triangles[i + k]);
        skin = skin && grid_.points[v[k]].depth == 0;
      }
      const Vec3 normal = skel::Cross(n[v[1]] - n[v[0]], n[v[2]] - n[v[0]]);
      const float area = skel::Length(normal);
      if (!skin || area < 1e-8f) continue;
      faces_.push_back({{v[0], v[1], v[2]}, skel::Normalized(normal), area});
      total_ += area;
    }
    const auto rig = *skel::RigCatalog::Builtin()->Find("hanim_loa3");
    for (const std::string& name : rig->shape_names()) {
      names_.push_back(name);
      offsets_.push_back(shapes_.Offsets(name));
    }
  }

  float FoldedShare(const std::vector<std::pair<size_t, float>>& weights, float limit_cos) const {
    std::vector<Vec3> p = shapes_.neutral();
    for (const auto& [shape, w] : weights) {
      for (size_t i = 0; i < p.size(); ++i) p[i] = p[i] + offsets_[shape][i] * w;
    }
    float folded = 0;
    for (const Face& f : faces_) {
      const Vec3 normal =
          skel::Normalized(skel::Cross(p[f.v[1]] - p[f.v[0]], p[f.v[2]] - p[f.v[0]]));
      if (skel::Dot(normal, f.normal) < limit_cos) folded += f.area;
    }
    return folded / total_;
  }

  struct Face {
    std::array<size_t, 3> v;
    Vec3 normal;
    float area;
  };
  std::vector<Face> faces_;
  float total_ = 0;
  std::vector<std::string> names_;
  std::vector<std::vector<Vec3>> offsets_;
};

TEST_F(FoldTest, NoShapeFoldsTheFaceAtAnyWeight) {
  for (size_t s = 0; s < offsets_.size(); ++s) {
    for (float w : {0.25f, 0.5f, 0.75f, 1.0f}) {
      // Lids roll under the brow and lips turn in: two thousandths of the skin may do so.
      EXPECT_LT(FoldedShare({{s, w}}, 0), 0.002f) << names_[s] << " at " << w;
    }
  }
}

TEST_F(FoldTest, MixturesOfSpeechDoNotFoldTheFace) {
  // The shapes that speech uses, with the strengths that recordings of it reach.
  const std::pair<const char*, float> speech[] = {{"jawOpen", 0.7f},
                                                  {"mouthClose", 0.2f},
                                                  {"mouthFunnel", 0.5f},
                                                  {"mouthPucker", 0.6f},
                                                  {"mouthSmileLeft", 0.4f},
                                                  {"mouthSmileRight", 0.4f},
                                                  {"mouthRollLower", 0.3f},
                                                  {"mouthRollUpper", 0.3f},
                                                  {"mouthShrugLower", 0.4f},
                                                  {"mouthShrugUpper", 0.3f},
                                                  {"mouthPressLeft", 0.3f},
                                                  {"mouthPressRight", 0.3f},
                                                  {"mouthLowerDownLeft", 0.5f},
                                                  {"mouthLowerDownRight", 0.5f},
                                                  {"mouthUpperUpLeft", 0.4f},
                                                  {"mouthUpperUpRight", 0.4f},
                                                  {"mouthStretchLeft", 0.3f},
                                                  {"mouthStretchRight", 0.3f},
                                                  {"jawForward", 0.2f},
                                                  {"eyeBlinkLeft", 1.0f},
                                                  {"eyeBlinkRight", 1.0f},
                                                  {"browInnerUp", 0.5f},
                                                  {"browDownLeft", 0.4f},
                                                  {"cheekSquintLeft", 0.3f}};
  std::mt19937 random(11);
  std::uniform_real_distribution<float> any(0, 1);
  float worst = 0;
  for (int round = 0; round < 1000; ++round) {
    std::vector<std::pair<size_t, float>> weights;
    for (const auto& [name, most] : speech) {
      if (any(random) < 0.4f) continue;
      const auto found = std::find(names_.begin(), names_.end(), name);
      weights.emplace_back(static_cast<size_t>(found - names_.begin()), most * any(random));
    }
    worst = std::max(worst, FoldedShare(weights, 0));
  }
  EXPECT_LT(worst, 0.0005f);
  RecordProperty("worst_share_per_million", static_cast<int>(worst * 1e6f));
}

}  // namespace
}  // namespace posewire::avatar
