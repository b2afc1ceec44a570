#include "libs/graph/voice_watch.h"

#include <cmath>

#include "gtest/gtest.h"
#include "tests/unit/graph/helpers.h"

namespace posewire::graph {
namespace {

// A source whose jaw the test moves.
struct Mouth {
  Mouth() {
    input.owns_mouth = true;
    input.pose = pose.view();
    inputs.providers = absl::MakeConstSpan(&input, 1);
  }
  void Open(float jaw) { pose.span().SetWeight(shape, jaw); }
  std::shared_ptr<const skel::Rig> rig = BuiltinRig();
  int shape = rig->FindShape("jawOpen");
  skel::Pose pose{rig->joints(), rig->shapes()};
  ProviderInput input;
  Inputs inputs;
};

TEST(VoiceWatch, SpeaksWhileTheMouthMovesAndPausesWhenItHasBeenShutForAQuarterOfASecond) {
  Mouth mouth;
  VoiceWatch watch(mouth.shape);
  watch.Step(&mouth.inputs, kTickAsFloat_s);
  EXPECT_FALSE(watch.speaks());
  for (int k = 0; k < 60; ++k) {
    // Shut for three ticks between syllables.
    mouth.Open(k % 8 < 3 ? 0.0f : 0.15f);
    watch.Step(&mouth.inputs, kTickAsFloat_s);
    if (k > 4) {
      EXPECT_TRUE(watch.speaks()) << k;
    }
  }
  mouth.Open(0);
  for (int k = 0; k < 8; ++k) watch.Step(&mouth.inputs, kTickAsFloat_s);
  EXPECT_FALSE(watch.speaks());
}

// However far this voice opens the mouth.
TEST(VoiceWatch, AnAccentStandsOutOfTheSyllablesAboutIt) {
  for (const float size : {0.1f, 0.8f}) {
    Mouth mouth;
    VoiceWatch watch(mouth.shape);
    float at_accent = 0, elsewhere = 0;
    for (int k = 0; k < 150; ++k) {
      const bool accent = k >= 90 && k < 98;
      mouth.Open(size * (accent ? 1.0f : 0.4f + 0.2f * std::sin(static_cast<float>(k))));
      watch.Step(&mouth.inputs, kTickAsFloat_s);
      if (k > 60 && k < 90) elsewhere = std::max(elsewhere, watch.accent());
      if (k >= 90 && k < 105) at_accent = std::max(at_accent, watch.accent());
    }
    EXPECT_GT(at_accent, 0.2f) << size;
    EXPECT_LT(elsewhere, 0.6f * at_accent) << size;
  }
}

TEST(VoiceWatch, HearsNoSourceThatStarvesOrHasNoMouth) {
  Mouth mouth;
  mouth.Open(0.5f);
  VoiceWatch none(-1), starves(mouth.shape), face(mouth.shape);
  none.Step(&mouth.inputs, kTickAsFloat_s);
  EXPECT_FALSE(none.speaks());
  mouth.input.suspended = true;
  starves.Step(&mouth.inputs, kTickAsFloat_s);
  EXPECT_FALSE(starves.speaks());
  mouth.input.suspended = false, mouth.input.owns_mouth = false;
  face.Step(&mouth.inputs, kTickAsFloat_s);
  EXPECT_FALSE(face.speaks());
  EXPECT_EQ(face.accent(), 0);
}

}  // namespace
}  // namespace posewire::graph
