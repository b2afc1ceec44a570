#include "libs/shapes/detector.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "tests/support/allocation_count.h"

namespace posewire::shapes {
namespace {

std::vector<std::string> NamesOf(absl::string_view id) {
  std::vector<std::string> names;
  for (const Shape& shape : FindSet(id)->shapes()) names.push_back(shape.name);
  return names;
}

std::string Found(const std::vector<std::string>& names) {
  const Detected detected = Detect(names);
  return detected.set == nullptr ? "none" : detected.set->id();
}

TEST(Detector, KnowsEachSetAmongAllInAnyOrder) {
  std::mt19937 random(3);
  for (const ShapeSet& set : *BuiltinSets()) {
    std::vector<std::string> names = NamesOf(set.id());
    std::shuffle(names.begin(), names.end(), random);
    EXPECT_EQ(Detect(names).set, &set) << set.id();
    EXPECT_EQ(Detect(names).matched, set.size()) << set.id();
  }
}

TEST(Detector, KnowsEachSetInAnyCase) {
  for (const ShapeSet& set : *BuiltinSets()) {
    std::vector<std::string> names = NamesOf(set.id());
    for (std::string& name : names) absl::AsciiStrToUpper(&name);
    // Perfect Sync differs from ARKit in case alone.
    EXPECT_EQ(Found(names), set.id() == "perfect_sync" ? "arkit" : set.id());
    EXPECT_EQ(Detect(names).matched, set.size()) << set.id();
  }
}

TEST(Detector, KnowsTheSpellingsOfModels) {
  EXPECT_EQ(Found({"vrc.v_sil", "vrc.v_pp", "vrc.v_ff", "vrc.v_th", "vrc.v_dd"}), "oculus");
  EXPECT_EQ(Found({"viseme_sil", "viseme_PP", "viseme_O", "viseme_U", "mouthOpen"}), "oculus");
  EXPECT_EQ(Found({"eyeBlink_L", "eyeBlink_R", "jawOpen"}), "arkit");
  EXPECT_EQ(Found({"Face.A", "Face.I", "Face.U", "Face.E", "Face.O"}), "vrm0");
  EXPECT_EQ(Found({"aa", "ih", "ou", "ee", "oh"}), "vrm1");
  EXPECT_EQ(Found({"sil", "PP", "FF", "aa", "ih", "ou", "E", "oh"}), "oculus");
}

TEST(Detector, TakesTheLargerPartOfAMix) {
  std::vector<std::string> names = NamesOf("arkit");
  for (const std::string& name : NamesOf("oculus")) names.push_back(name);
  EXPECT_EQ(Found(names), "arkit");
  EXPECT_EQ(Detect(names).matched, 52);
  names = NamesOf("sranipal");
  for (const std::string& name : NamesOf("vrm0")) names.push_back(name);
  EXPECT_EQ(Found(names), "sranipal");
}

TEST(Detector, FindsNoneInNonsenseOrInTooFewNames) {
  EXPECT_EQ(Found({}), "none");
  EXPECT_EQ(Found({"Smile", "Hat", "CTRL_brow_L", "びっくり", "", "mouth", "viseme"}), "none");
  EXPECT_EQ(Found({"jawOpen", "Costume", "Hat"}), "none");
  EXPECT_EQ(Found({"jawOpen", "JAW_OPEN", "jaw open", "Jaw-Open"}), "none");  // one shape
  std::mt19937 random(5);
  std::vector<std::string> noise;
  for (int i = 0; i < 2000; ++i) {
    std::string& name = noise.emplace_back();
    for (int c = 0; c < 12; ++c) name += static_cast<char>('a' + random() % 26);
  }
  EXPECT_EQ(Found(noise), "none");
}

TEST(Detector, DoesNotAllocateForNames) {
  Detector detector;
  const std::vector<std::string> names = NamesOf("unified");
  detector.Add("x");
  const AllocationCount allocations;
  for (const std::string& name : names) detector.Add(name);
  EXPECT_EQ(allocations.count(), 0);
  EXPECT_EQ(detector.best().set, FindSet("unified"));
}

}  // namespace
}  // namespace posewire::shapes
