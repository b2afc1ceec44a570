#include "libs/formats/usd/extents.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "libs/formats/usd/compose.h"

namespace posewire::usd {
namespace {

using skel::Vec3;

// Joints A and A/B, a metre above it, which turns by 90 degrees about Z, and a mesh that is bound
// to them: the numbers are of UsdSkel.
std::string TwoJoints(const std::string& of_root) {
  const std::string one = "((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,0,0,1))";
  const std::string both = absl::StrCat("[", one, ", ((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,1,0,1))]\n");
  return absl::StrCat("#usda 1.0\n( metersPerUnit = 1 )\ndef SkelRoot \"R\" {\n", of_root,
                      "\nrel skel:skeleton = </R/S>\ndef Skeleton \"S\" {\n"
                      "uniform token[] joints = [\"A\", \"A/B\"]\n"
                      "uniform matrix4d[] bindTransforms = ",
                      both, "uniform matrix4d[] restTransforms = ", both,
                      "rel skel:animationSource = </R/S/M>\ndef SkelAnimation \"M\" {\n"
                      "uniform token[] joints = [\"A\", \"A/B\"]\n"
                      "float3[] translations = [(0,0,0), (0,1,0)]\n"
                      "half3[] scales = [(1,1,1), (1,1,1)]\n"
                      "quatf[] rotations.timeSamples = { 0: [(1,0,0,0), (1,0,0,0)], "
                      "24: [(1,0,0,0), (0.70710678,0,0,0.70710678)] }\n} }\n"
                      "def Mesh \"M\" { float3[] extent = [(-.5,0,-.25), (.5,2.5,.25)] } }\n");
}

asset::Bounds BoundsOfFirst(const std::string& text) {
  auto layer = Compose(text, nullptr);
  EXPECT_TRUE(layer.ok()) << layer.status();
  if (!layer.ok()) return {};
  const Stage stage(*std::move(layer));
  const auto all = ReadSkeletons(stage);
  EXPECT_TRUE(all.ok() && !all->all.empty()) << all.status();
  if (!all.ok() || all->all.empty()) return {};
  return BoundsOf(stage, *all, all->all[0], stage.Find("/R"), {});
}

void ExpectBox(const asset::Bounds& bounds, Vec3 low, Vec3 high) {
  EXPECT_TRUE(bounds.any);
  EXPECT_LT(skel::Length(bounds.low - low), 1e-5) << bounds.low.x << " " << bounds.low.y;
  EXPECT_LT(skel::Length(bounds.high - high), 1e-5) << bounds.high.x << " " << bounds.high.y;
}

TEST(UsdExtents, AreTheBoxesOfTheJointsPaddedByTheMesh) {
  ExpectBox(BoundsOfFirst(TwoJoints("")), {-1.5, -1.5, -1.5}, {1.5, 2.5, 1.5});
}

TEST(UsdExtents, AreThoseThatTheSkelRootHasAtItsTimesWhereItIs) {
  ExpectBox(BoundsOfFirst(TwoJoints("float3[] extent.timeSamples = { 0: [(-1,0,-1), (1,2,1)], "
                                    "10: [(0,0,0), (3,1,1)] }\n"
                                    "double3 xformOp:translate.timeSamples = { 0: (0,0,0), "
                                    "10: (1,0,0) }\n"
                                    "uniform token[] xformOpOrder = [\"xformOp:translate\"]")),
            {-1, 0, -1}, {4, 2, 1});
}

TEST(UsdExtents, OfAFileThatCannotBeAreLeftOut) {
  for (const char* extent : {"[(1,1,1), (0,0,0)]", "[(-1e9,0,0), (1,1,1)]", "[(0,0,0)]"}) {
    ExpectBox(BoundsOfFirst(TwoJoints(absl::StrCat("float3[] extent = ", extent))),
              {-1.5, -1.5, -1.5}, {1.5, 2.5, 1.5});
  }
}

}  // namespace
}  // namespace posewire::usd
