#include "libs/shapes/shape_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "libs/skel/arkit_shapes.h"
#include "tests/support/allocation_count.h"

namespace posewire::shapes {
namespace {

using ::testing::HasSubstr;

const ShapeSet& SetOf(absl::string_view id) { return *FindSet(id); }

size_t At(absl::string_view target) {
  for (size_t t = 0; t < size_t{kTargets}; ++t) {
    if (TargetNames()[t] == target) return t;
  }
  ADD_FAILURE() << target;
  return 0;
}

TargetWeights ArkitOf(const ShapeSet& set, absl::string_view shape, float weight = 1) {
  std::vector<float> weights(static_cast<size_t>(set.size()), 0);
  EXPECT_GE(set.Find(shape), 0) << shape;
  weights[static_cast<size_t>(set.Find(shape))] = weight;
  TargetWeights face;
  set.ToArkit(weights, face);
  return face;
}

std::vector<float> WeightsOf(const ShapeSet& set, const TargetWeights& face) {
  std::vector<float> weights(static_cast<size_t>(set.size()), -1);
  set.FromArkit(face, absl::MakeSpan(weights));
  return weights;
}

float Weight(const ShapeSet& set, const TargetWeights& face, absl::string_view shape) {
  return WeightsOf(set, face)[static_cast<size_t>(set.Find(shape))];
}

std::string ErrorOf(absl::string_view table) {
  return std::string(ShapeSet::Parse("x", table).status().message());
}

TEST(ShapeSet, EveryTableParsesAndHasTheNumberOfShapesThatItsSourceHas) {
  ASSERT_TRUE(BuiltinSets().ok()) << BuiltinSets().status();
  const struct {
    const char* id;
    int shapes;
  } sets[] = {{"arkit", 52}, {"perfect_sync", 52}, {"a2f", 68},      {"vrm1", 18},
              {"vrm0", 18},  {"unified", 139},     {"sranipal", 52}, {"oculus", 15}};
  ASSERT_EQ(BuiltinSets()->size(), std::size(sets));
  for (size_t i = 0; i < std::size(sets); ++i) {
    EXPECT_EQ((*BuiltinSets())[i].id(), sets[i].id);
    EXPECT_EQ((*BuiltinSets())[i].size(), sets[i].shapes) << sets[i].id;
    EXPECT_EQ(BuiltinSetNames()[i], sets[i].id);
  }
  EXPECT_EQ(FindSet("metahuman"), nullptr);
}

TEST(ShapeSet, TargetsAreArkitsShapesAndThoseOfTheTongue) {
  ASSERT_EQ(TargetNames().size(), size_t{kTargets});
  EXPECT_EQ(TargetNames()[0], "eyeBlinkLeft");
  EXPECT_EQ(TargetNames()[skel::kArkitMouthClose], "mouthClose");
  EXPECT_EQ(TargetNames()[67], "tongueNarrow");
}

// What a set can show at all, it shows again after ARKit.
TEST(ShapeSet, EachShapeSurvivesTheWayThroughArkit) {
  for (const ShapeSet& set : *BuiltinSets()) {
    for (const Shape& shape : set.shapes()) {
      if (shape.sent != Shape::Sent::kYes) continue;
      for (const float weight : {0.3f, 1.0f}) {
        const TargetWeights face = ArkitOf(set, shape.name, weight);
        TargetWeights again;
        set.ToArkit(WeightsOf(set, face), again);
        for (size_t t = 0; t < size_t{kTargets}; ++t) {
          EXPECT_NEAR(again[t], face[t], 1e-5)
              << set.id() << " " << shape.name << " " << TargetNames()[t];
        }
      }
    }
  }
}

TEST(ShapeSet, RandomFacesStayWithinBoundsAndWithinWhatTheFaceHas) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> uniform(-0.2f, 1.2f);
  for (int i = 0; i < 200; ++i) {
    TargetWeights face;
    for (float& weight : face) weight = uniform(random);
    for (const ShapeSet& set : *BuiltinSets()) {
      const std::vector<float> weights = WeightsOf(set, face);
      TargetWeights shown{};
      for (size_t s = 0; s < weights.size(); ++s) {
        EXPECT_GE(weights[s], 0);
        EXPECT_LE(weights[s], 1);
        const Shape& shape = set.shapes()[s];
        if (shape.sent != Shape::Sent::kYes) {
          EXPECT_EQ(weights[s], 0) << shape.name;
        }
        for (const Shape::Part& part : shape.parts) {
          if (!part.minor) shown[static_cast<size_t>(part.target)] += part.factor * weights[s];
        }
      }
      for (size_t t = 0; t < size_t{kTargets}; ++t) {
        EXPECT_LE(shown[t], std::max(face[t], 0.0f) + 1e-4f) << set.id() << TargetNames()[t];
      }
    }
  }
}

TEST(ShapeSet, ArkitItselfPassesUnchanged) {
  std::mt19937 random(8);
  std::uniform_real_distribution<float> uniform(0, 1);
  TargetWeights face;
  for (float& weight : face) weight = uniform(random);
  TargetWeights again;
  SetOf("a2f").ToArkit(WeightsOf(SetOf("a2f"), face), again);
  EXPECT_EQ(again, face);
  const std::vector<float> arkit = WeightsOf(SetOf("perfect_sync"), face);
  EXPECT_TRUE(std::equal(arkit.begin(), arkit.end(), face.begin()));
}

TEST(ShapeSet, FindsNamesInAnyCaseAndWithAnySeparators) {
  const ShapeSet& arkit = SetOf("arkit");
  for (const char* name : {"mouthSmileLeft", "MouthSmileLeft", "MOUTHSMILELEFT", "mouth_smile_left",
                           "mouthSmile_L", "mouthSmile.L", "mouth-smile-left", "face.mouthSmile_L",
                           "Face/blendShape1:mouthSmileLeft"}) {
    EXPECT_EQ(arkit.Find(name), 23) << name;
  }
  EXPECT_EQ(arkit.Find("mouthSmile"), -1);
  EXPECT_EQ(arkit.Find(""), -1);
  const ShapeSet& oculus = SetOf("oculus");
  for (const char* name : {"viseme_ih", "viseme_I", "ih", "vrc.v_ih", "Viseme IH"}) {
    EXPECT_EQ(oculus.Find(name), 12) << name;
  }
}

TEST(ShapeSet, SharesOneShapeOfArkitsAmongSeveral) {
  const ShapeSet& unified = SetOf("unified");
  TargetWeights face{};
  face[At("mouthFunnel")] = 0.6f;
  face[At("mouthSmileLeft")] = 0.5f;
  for (const char* name :
       {"LipFunnelUpperRight", "LipFunnelUpperLeft", "LipFunnelLowerRight", "LipFunnelLowerLeft"}) {
    EXPECT_NEAR(Weight(unified, face, name), 0.6f, 1e-6) << name;
  }
  EXPECT_NEAR(Weight(unified, face, "MouthCornerPullLeft"), 0.5f, 1e-6);
  EXPECT_NEAR(Weight(unified, face, "MouthCornerSlantLeft"), 0.5f, 1e-6);
  EXPECT_EQ(Weight(unified, face, "LipFunnel"), 0);  // not sent together with its parts
  EXPECT_NEAR(ArkitOf(unified, "LipFunnel", 0.4f)[At("mouthFunnel")], 0.4f, 1e-6);
}

TEST(ShapeSet, AnOpenJawWithClosedLipsIsVivesApe) {
  const ShapeSet& vive = SetOf("sranipal");
  TargetWeights face{};
  face[At("jawOpen")] = 0.7f;
  face[At("mouthClose")] = 0.5f;
  EXPECT_NEAR(Weight(vive, face, "Mouth_Ape_Shape"), 0.5f, 1e-6);
  EXPECT_NEAR(Weight(vive, face, "Jaw_Open"), 0.2f, 1e-6);
}

TEST(ShapeSet, EyesOfViveTurnInTheDirectionThatTheirNamesSay) {
  const ShapeSet& vive = SetOf("sranipal");
  EXPECT_EQ(ArkitOf(vive, "Eye_Left_Right")[At("eyeLookInLeft")], 1);
  EXPECT_EQ(ArkitOf(vive, "Eye_Right_Right")[At("eyeLookOutRight")], 1);
  EXPECT_EQ(ArkitOf(vive, "Eye_Left_Left")[At("eyeLookOutLeft")], 1);
}

TEST(ShapeSet, AFaceBecomesTheVisemesThatFitBest) {
  const ShapeSet& oculus = SetOf("oculus");
  TargetWeights face{};
  face[At("jawOpen")] = 0.65f;
  EXPECT_NEAR(Weight(oculus, face, "aa"), 1, 1e-5);
  face[At("mouthClose")] = 0.65f;  // lips closed over an open jaw
  EXPECT_EQ(Weight(oculus, face, "aa"), 0);
  face = {};
  face[At("mouthPucker")] = 0.82f;
  face[At("mouthFunnel")] = 0.36f;
  EXPECT_NEAR(Weight(oculus, face, "ou"), 1, 1e-5);
  EXPECT_EQ(Weight(oculus, face, "CH"), 0);
}

TEST(ShapeSet, ClampsWeightsAndTakesNaNForNothing) {
  const ShapeSet& vrm = SetOf("vrm1");
  EXPECT_EQ(ArkitOf(vrm, "aa", 3)[At("jawOpen")], 1);
  EXPECT_EQ(ArkitOf(vrm, "aa", -3)[At("jawOpen")], 0);
  EXPECT_EQ(ArkitOf(vrm, "aa", std::numeric_limits<float>::quiet_NaN())[At("jawOpen")], 0);
  std::vector<float> both(static_cast<size_t>(vrm.size()), 0.8f);
  TargetWeights face;
  vrm.ToArkit(both, face);
  EXPECT_EQ(face[At("mouthSmileLeft")], 1);  // happy and ee
}

TEST(ShapeSet, DoesNotAllocate) {
  const ShapeSet& oculus = SetOf("oculus");
  TargetWeights face;
  face.fill(0.5f);
  std::vector<float> weights(static_cast<size_t>(oculus.size()));
  const AllocationCount allocations;
  oculus.FromArkit(face, absl::MakeSpan(weights));
  oculus.ToArkit(weights, face);
  EXPECT_EQ(oculus.Find("viseme_oh"), 13);
  EXPECT_EQ(allocations.count(), 0);
}

TEST(ShapeSet, AnErrorNamesTheLineAndWhatIsWrong) {
  const std::string head = "# x\nshape,arkit,sent\n";
  EXPECT_EQ(ErrorOf(""), "shape set x: has no shapes");
  EXPECT_EQ(ErrorOf("a,b,c\n"), "shape set x, line 1: the first line must be shape,arkit,sent");
  EXPECT_EQ(ErrorOf(head + "a,jawOpen\n"), "shape set x, line 3: has 2 cells; must have 3");
  EXPECT_THAT(ErrorOf(head + "a,jawopen,yes\n"), HasSubstr("\"jawopen\" is not one of ARKit's"));
  EXPECT_THAT(ErrorOf(head + "a,jawOpen*0,yes\n"), HasSubstr("factor \"0\": must be above 0"));
  EXPECT_THAT(ErrorOf(head + "a,jawOpen*2,yes\n"), HasSubstr("factor \"2\""));
  EXPECT_THAT(ErrorOf(head + "a,jawOpen jawOpen,yes\n"), HasSubstr("\"jawOpen\" is there twice"));
  EXPECT_THAT(ErrorOf(head + "a,jawOpen,both\n"), HasSubstr("sent is \"both\""));
  EXPECT_THAT(ErrorOf(head + "a,,yes\n"), HasSubstr("a has no part to be recognised by"));
  EXPECT_THAT(ErrorOf(head + "a|A_,jawOpen,yes\n"), HasSubstr("\"A_\" is there twice"));
  EXPECT_THAT(ErrorOf(head + "_,jawOpen,yes\n"), HasSubstr("a name is empty"));
}

}  // namespace
}  // namespace posewire::shapes
