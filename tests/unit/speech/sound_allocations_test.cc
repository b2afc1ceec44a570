// What the steady work of hearing takes from the heap: nothing.
#include <gtest/gtest.h>

#include <vector>

#include "libs/speech/sound_face.h"
#include "tests/support/allocation_count.h"
#include "tests/unit/speech/test_sound.h"

namespace posewire::speech {
namespace {

TEST(SoundAllocations, AStepOfTheNetworkTakesNoMemory) {
  const std::vector<float> sound = VectorSound();
  SpeechFeatures features;
  SpeechNetworkRun run(SpeechNetwork::Builtin());
  FeatureFrame frame;
  float sum = 0;
  const AllocationCount since;
  for (size_t k = 0; k < sound.size() / kHopSamples; ++k) {
    features.Step(absl::MakeConstSpan(sound).subspan(k * kHopSamples, kHopSamples), frame);
    sum += run.Read(run.Step(frame)).bilabial;
  }
  EXPECT_EQ(since.count(), 0);
  EXPECT_GT(sum, 0);
}

// Gestures and contacts of the lips are kept while they last; buffers have their size after a
// while.
TEST(SoundAllocations, AFaceTakesHardlyAny) {
  const std::vector<float> second = Noise(16000, 0.05f);
  const auto face = SoundFace::Make(SpeechNetwork::Builtin(), 16000, {}).value();
  int64_t faces = 0, taken = 0;
  for (int s = 0; s < 20; ++s) {
    const AllocationCount since;
    for (size_t i = 0; i < second.size(); i += 160) {
      face->Add(absl::MakeConstSpan(second).subspan(i, 160));
      while (face->Next() != nullptr) faces += s < 5 ? 0 : 1;
    }
    if (s >= 5) taken += since.count();
  }
  EXPECT_EQ(faces, 450);
  EXPECT_LT(taken, faces / 10);
}

}  // namespace
}  // namespace posewire::speech
