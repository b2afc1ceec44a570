#include "libs/vmc/expression_translator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

#include "tests/support/allocation_count.h"
#include "tests/unit/vmc/scene.h"

namespace posewire::vmc {
namespace {

// A sender, and a performer that hears it through the translator.
class Hall {
 public:
  void Offer(std::vector<Message> messages) {
    translator.Translate(messages);
    for (const Message& message : messages) performer.Take(message, 0);
  }
  float arkit(absl::string_view name) const {
    return performer.arkit()[static_cast<size_t>(FindExpression(name).arkit)];
  }
  float preset(Preset preset) const { return performer.presets()[static_cast<size_t>(preset)]; }
  std::string set() const {
    const shapes::ShapeSet* const found = translator.detected().set;
    return found == nullptr ? "none" : found->id();
  }
  ExpressionTranslator translator;
  Performer performer;
};

std::vector<Message> FrameOf(const shapes::ShapeSet& set, absl::Span<const float> weights) {
  std::vector<Message> messages;
  for (size_t s = 0; s < weights.size(); ++s) {
    messages.push_back(BlendValue{set.shapes()[s].name, weights[s]});
  }
  messages.push_back(BlendApply{});
  return messages;
}

TEST(ExpressionTranslator, EachSetShowsTheFaceThatItsTableSays) {
  for (const shapes::ShapeSet& set : *shapes::BuiltinSets()) {
    for (int s = 0; s < set.size(); ++s) {
      std::vector<float> weights(static_cast<size_t>(set.size()), 0);
      weights[static_cast<size_t>(s)] = 0.8f;
      Hall hall;
      hall.Offer(FrameOf(set, weights));
      EXPECT_EQ(hall.translator.detected().set, &set);
      shapes::TargetWeights expected;
      set.ToArkit(weights, expected);
      const ArkitWeights presets = ArkitFromPresets(hall.performer.presets());
      for (size_t t = 0; t < size_t{kArkitShapes}; ++t) {
        const float actual =
            hall.performer.arkit_known()[t] ? hall.performer.arkit()[t] : presets[t];
        EXPECT_NEAR(actual, expected[t], 1e-6)
            << set.id() << " " << set.shape(s).name << " " << ArkitNames()[t];
      }
    }
  }
}

TEST(ExpressionTranslator, LeavesArkitAndPresetsAsTheyAre) {
  Hall hall;
  hall.Offer({BlendValue{"JawOpen", 0.5f}, BlendValue{"MouthFunnel", 0.2f},
              BlendValue{"EyeBlinkLeft", 1}, BlendValue{"Joy", 0.7f}, BlendApply{}});
  EXPECT_EQ(hall.set(), "perfect_sync");
  EXPECT_EQ(hall.arkit("JawOpen"), 0.5f);
  EXPECT_EQ(hall.preset(Preset::kHappy), 0.7f);
  EXPECT_EQ(hall.performer.counts().unknown_shapes, 0u);
}

TEST(ExpressionTranslator, TakesArkitInOtherSpellings) {
  Hall hall;
  hall.Offer({BlendValue{"mouthSmile_L", 0.5f}, BlendValue{"jaw_open", 0.3f},
              BlendValue{"eyeBlink_R", 1}, BlendApply{}});
  EXPECT_EQ(hall.set(), "arkit");
  EXPECT_EQ(hall.arkit("MouthSmileLeft"), 0.5f);
  EXPECT_EQ(hall.arkit("JawOpen"), 0.3f);
  EXPECT_EQ(hall.arkit("EyeBlinkRight"), 1);
}

TEST(ExpressionTranslator, ArkitWinsWhereBothArrive) {
  Hall hall;
  hall.Offer({BlendValue{"viseme_aa", 1}, BlendValue{"viseme_PP", 0}, BlendValue{"viseme_oh", 0},
              BlendValue{"jawOpen", 0.1f}, BlendApply{}});
  EXPECT_EQ(hall.set(), "oculus");
  EXPECT_EQ(hall.arkit("JawOpen"), 0.1f);
  EXPECT_NEAR(hall.arkit("MouthLowerDownLeft"), 0.36f, 1e-6);
}

TEST(ExpressionTranslator, VisemesNamedAsPresetsAreVisemesOnceTheSetIsKnown) {
  Hall hall;
  hall.Offer({BlendValue{"aa", 1}, BlendValue{"E", 0.5f}, BlendApply{}});
  EXPECT_EQ(hall.set(), "none");
  EXPECT_EQ(hall.preset(Preset::kAa), 1);
  hall.Offer({BlendValue{"sil", 0}, BlendValue{"PP", 0}, BlendValue{"kk", 0}, BlendValue{"aa", 1},
              BlendValue{"E", 0}, BlendValue{"Joy", 0.4f}, BlendApply{}});
  EXPECT_EQ(hall.set(), "oculus");
  EXPECT_EQ(hall.preset(Preset::kAa), 0);
  EXPECT_EQ(hall.preset(Preset::kEe), 0);
  EXPECT_EQ(hall.preset(Preset::kHappy), 0.4f);
  EXPECT_NEAR(hall.arkit("JawOpen"), 0.65f, 1e-6);
}

TEST(ExpressionTranslator, AFrameMayComeInSeveralDatagrams) {
  Hall hall;
  hall.Offer({BlendValue{"Jaw_Open", 0.4f}, BlendValue{"Mouth_Pout", 0.2f},
              BlendValue{"Cheek_Puff_Left", 1}});
  EXPECT_EQ(hall.arkit("MouthPucker"), 0);  // not applied
  hall.Offer({BlendValue{"Cheek_Puff_Right", 0.5f}, BlendApply{}});
  EXPECT_EQ(hall.set(), "sranipal");
  EXPECT_EQ(hall.arkit("JawOpen"), 0.4f);
  EXPECT_EQ(hall.arkit("MouthPucker"), 0.2f);
  EXPECT_EQ(hall.arkit("CheekPuff"), 0.75f);
  hall.Offer({BlendValue{"Mouth_Pout", 0}, BlendApply{}});
  EXPECT_EQ(hall.arkit("MouthPucker"), 0);
  EXPECT_EQ(hall.arkit("CheekPuff"), 0.75f);  // keeps its value
}

TEST(ExpressionTranslator, FewForeignNamesStayUnknown) {
  Hall hall;
  hall.Offer({BlendValue{"Mouth_Pout", 1}, BlendValue{"Hat", 1}, BlendApply{}});
  EXPECT_EQ(hall.set(), "none");
  EXPECT_EQ(hall.performer.counts().unknown_shapes, 2u);
  EXPECT_EQ(hall.arkit("MouthPucker"), 0);
}

TEST(ExpressionTranslator, ForgetsTheSetOfAModelThatIsUnloadedOrReplaced) {
  const std::vector<Message> visemes = {BlendValue{"viseme_PP", 1}, BlendValue{"viseme_FF", 0},
                                        BlendValue{"viseme_aa", 0}, BlendApply{}};
  Hall hall;
  hall.Offer({VrmFile{"", "anna", std::nullopt}});
  hall.Offer(visemes);
  hall.Offer({VrmFile{"", "anna", std::nullopt}});
  EXPECT_EQ(hall.set(), "oculus");
  hall.Offer({VrmFile{"", "bert", std::nullopt}});
  EXPECT_EQ(hall.set(), "none");
  hall.Offer(visemes);
  EXPECT_EQ(hall.set(), "oculus");
  Ok unloaded;
  unloaded.loaded = 0;
  hall.Offer({unloaded});
  EXPECT_EQ(hall.set(), "none");
}

TEST(ExpressionTranslator, DoesNotAllocateOnceItKnowsTheSender) {
  const shapes::ShapeSet& set = *shapes::FindSet("unified");
  const std::vector<float> weights(static_cast<size_t>(set.size()), 0.5f);
  const std::vector<Message> frame = FrameOf(set, weights);
  ExpressionTranslator translator;
  std::vector<Message> messages;
  for (int i = 0; i < 3; ++i) {
    messages = frame;
    translator.Translate(messages);
  }
  messages.reserve(frame.size());
  messages = frame;
  const AllocationCount allocations;
  translator.Translate(messages);
  EXPECT_EQ(allocations.count(), 0);
}

}  // namespace
}  // namespace posewire::vmc
