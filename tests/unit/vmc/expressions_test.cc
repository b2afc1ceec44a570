#include "libs/vmc/expressions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "absl/strings/ascii.h"
#include "libs/shapes/shape_set.h"
#include "tests/unit/vmc/scene.h"

namespace posewire::vmc {
namespace {

PresetWeights One(Preset preset, float w = 1) {
  PresetWeights out{};
  out[static_cast<size_t>(preset)] = w;
  return out;
}
float Of(const ArkitWeights& weights, absl::string_view name) {
  return weights[static_cast<size_t>(FindExpression(name).arkit)];
}

TEST(Expressions, AreTheShapesOfTheStandardRigInItsOrder) {
  const auto rig = RigOf("hanim_loa3");
  ASSERT_EQ(rig->shapes(), kArkitShapes);
  for (int s = 0; s < kArkitShapes; ++s) {
    EXPECT_EQ(rig->FindShape(ArkitNames()[static_cast<size_t>(s)]), s);
    EXPECT_TRUE(
        absl::ascii_isupper(static_cast<unsigned char>(ArkitNames()[static_cast<size_t>(s)][0])));
  }
  EXPECT_EQ(ArkitNames()[kJawOpen], "JawOpen");
  EXPECT_EQ(ArkitNames()[kMouthClose], "MouthClose");
}

TEST(Expressions, AreFoundByEveryNameAndCase) {
  EXPECT_EQ(FindExpression("EyeBlinkLeft").arkit, 0);
  EXPECT_EQ(FindExpression("eyeBlinkLeft").arkit, 0);
  EXPECT_EQ(FindExpression("eyeblinkleft").arkit, 0);
  EXPECT_EQ(FindExpression("TongueOut").arkit, 51);
  for (const char* const name : {"Joy", "JOY", "happy", "Happy"}) {
    EXPECT_EQ(FindExpression(name).preset, static_cast<int>(Preset::kHappy)) << name;
  }
  for (const char* const name : {"BLINK_L", "Blink_L", "blinkLeft"}) {
    EXPECT_EQ(FindExpression(name).preset, static_cast<int>(Preset::kBlinkLeft)) << name;
  }
  EXPECT_EQ(FindExpression("A").preset, static_cast<int>(Preset::kAa));
  EXPECT_EQ(FindExpression("Fun").preset, static_cast<int>(Preset::kRelaxed));
  EXPECT_EQ(FindExpression("Surprised").preset, static_cast<int>(Preset::kSurprised));
  EXPECT_EQ(FindExpression("びっくり").preset, -1);
  EXPECT_EQ(FindExpression("").arkit, -1);
  std::set<std::string> names;
  for (int p = 0; p < kPresets; ++p) {
    const auto preset = static_cast<Preset>(p);
    EXPECT_EQ(FindExpression(Vrm0Name(preset)).preset, p);
    EXPECT_EQ(FindExpression(Vrm1Name(preset)).preset, p);
    names.insert(std::string(Vrm0Name(preset)));
  }
  EXPECT_EQ(names.size(), size_t{kPresets});
}

TEST(Expressions, PresetsBecomeTheShapesThatLookLikeThem) {
  EXPECT_EQ(Of(ArkitFromPresets(One(Preset::kBlink, 0.5f)), "EyeBlinkLeft"), 0.5f);
  EXPECT_EQ(Of(ArkitFromPresets(One(Preset::kBlink, 0.5f)), "EyeBlinkRight"), 0.5f);
  EXPECT_EQ(Of(ArkitFromPresets(One(Preset::kBlinkRight)), "EyeBlinkLeft"), 0);
  EXPECT_EQ(Of(ArkitFromPresets(One(Preset::kBlinkRight)), "EyeBlinkRight"), 1);
  EXPECT_EQ(Of(ArkitFromPresets(One(Preset::kAa, 0.7f)), "JawOpen"), 0.7f);
  EXPECT_EQ(Of(ArkitFromPresets(One(Preset::kOh)), "MouthFunnel"), 1);
  // To the avatar's left: its left eye outward, its right eye inward.
  EXPECT_EQ(Of(ArkitFromPresets(One(Preset::kLookLeft)), "EyeLookOutLeft"), 1);
  EXPECT_EQ(Of(ArkitFromPresets(One(Preset::kLookLeft)), "EyeLookInRight"), 1);
  EXPECT_EQ(Of(ArkitFromPresets(One(Preset::kLookLeft)), "EyeLookInLeft"), 0);
  EXPECT_EQ(ArkitFromPresets(One(Preset::kNeutral)), ArkitWeights{});

  PresetWeights both = One(Preset::kHappy, 0.75f);
  both[static_cast<size_t>(Preset::kEe)] = 0.75f;
  EXPECT_EQ(Of(ArkitFromPresets(both), "MouthSmileLeft"), 1);
  EXPECT_EQ(Of(ArkitFromPresets(One(Preset::kAa, -3)), "JawOpen"), 0);
}

TEST(Expressions, PresetsComeBackFromTheirShapes) {
  for (int p = 0; p < kPresets; ++p) {
    const auto preset = static_cast<Preset>(p);
    PresetWeights expected = One(preset, 0.6f);
    switch (preset) {
      case Preset::kBlink:  // told as the two eyes
        expected = One(Preset::kBlinkLeft, 0.6f);
        expected[static_cast<size_t>(Preset::kBlinkRight)] = 0.6f;
        break;
      case Preset::kEe:
        expected = One(Preset::kHappy, 0.6f);
        break;
      case Preset::kNeutral:
      case Preset::kRelaxed:
      case Preset::kSurprised:
        expected = {};
        break;
      default:
        break;
    }
    EXPECT_EQ(PresetsFromArkit(ArkitFromPresets(One(preset, 0.6f))), expected) << p;
  }
}

TEST(Expressions, ThePresetsAreTheShapesOfBothTablesInTheirOrder) {
  ASSERT_EQ(shapes::FindSet("vrm0")->size(), kPresets);
  ASSERT_EQ(shapes::FindSet("vrm1")->size(), kPresets);
  EXPECT_EQ(Vrm0Name(Preset::kNeutral), "Neutral");
  EXPECT_EQ(Vrm0Name(Preset::kLookRight), "LookRight");
  EXPECT_EQ(Vrm1Name(Preset::kHappy), "happy");
  EXPECT_EQ(Vrm1Name(Preset::kBlinkLeft), "blinkLeft");
  for (int p = 0; p < kPresets; ++p) {
    const shapes::Shape& vrm0 = shapes::FindSet("vrm0")->shape(p);
    const shapes::Shape& vrm1 = shapes::FindSet("vrm1")->shape(p);
    ASSERT_EQ(vrm0.parts.size(), vrm1.parts.size()) << vrm0.name;
    EXPECT_EQ(vrm0.sent, vrm1.sent) << vrm0.name;
    for (size_t i = 0; i < vrm0.parts.size(); ++i) {
      EXPECT_EQ(vrm0.parts[i].target, vrm1.parts[i].target) << vrm0.name;
    }
  }
}

TEST(Expressions, LipsThatAreClosedOverAnOpenJawAreNoVowel) {
  ArkitWeights weights{};
  weights[kJawOpen] = 0.6f;
  weights[kMouthClose] = 0.6f;
  const auto aa = static_cast<size_t>(Preset::kAa);
  EXPECT_EQ(PresetsFromArkit(weights)[aa], 0);
  weights[kMouthClose] = 0.2f;
  EXPECT_FLOAT_EQ(PresetsFromArkit(weights)[aa], 0.4f);
  weights[kMouthClose] = 0.8f;
  EXPECT_EQ(PresetsFromArkit(weights)[aa], 0);
}

TEST(Expressions, MouthCloseMeetsTheKnownVectors) {
  const struct {
    float jaw, close, ace_jaw;
  } vectors[] = {
      {0.7f, 0.3f, 0.4f}, {0.3f, 0.3f, 0}, {0, 0, 0}, {0.2f, 0.5f, -0.3f}, {1.4f, 0.6f, 0.8f}};
  for (const auto& v : vectors) {
    ArkitWeights weights{};
    weights[kJawOpen] = v.jaw;
    weights[kMouthClose] = v.close;
    ToAceMouth(1, weights);
    EXPECT_NEAR(weights[kJawOpen], v.ace_jaw, 1e-6);
    EXPECT_EQ(weights[kMouthClose], v.close);
    FromAceMouth(1, weights);
    EXPECT_NEAR(weights[kJawOpen], v.jaw, 1e-6);
  }
  ArkitWeights half{};
  half[kMouthClose] = 0.5f;
  ToAceMouth(0.5f, half);
  EXPECT_FLOAT_EQ(half[kJawOpen], -0.25f);
}

}  // namespace
}  // namespace posewire::vmc
