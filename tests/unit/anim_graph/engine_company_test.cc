// Avatars of one stream hear each other.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/unit/anim_graph/engine_harness.h"

namespace posewire::anim_graph {
namespace {

constexpr double kSpeaks_s = 2, kPauses_s = 1.5;
constexpr int kPhrases = 6;

// The head of ben, frame by frame, while ann says her phrases at this loudness.
std::vector<skel::Quat> HeadOfBen(float loud) {
  Harness h{HarnessSettings{}};
  FakePeer peer;
  FakeSink ann, ben;
  EXPECT_TRUE(h.Pull(&ann, "", "ann").ok());
  EXPECT_TRUE(h.Pull(&ben, "", "ben").ok());
  h.Run(0.5);
  wire::StreamHeader header = Harness::Header("r", "ann");
  header.joints = {};
  header.shapes = {"jawOpen"};
  const auto push = h.Push(header, &peer);
  EXPECT_TRUE(push.ok());
  wire::DataChunk chunk;
  chunk.pose[wire::kWeights].width = 1;
  const double end_s = kPhrases * (kSpeaks_s + kPauses_s);
  wire::AudioBuffer audio;
  for (int n = 0; n < static_cast<int>(end_s * 16000); ++n) {
    const double t = n / 16000.0;
    if (n % 1600 == 0) {
      chunk.pose[wire::kWeights].time_codes_s.push_back(t);
      chunk.pose[wire::kWeights].values.push_back(0.2f);
    }
    const bool speaks = std::fmod(t, kSpeaks_s + kPauses_s) < kSpeaks_s;
    audio.samples.push_back(static_cast<int16_t>(speaks ? loud * std::sin(800 * t) * 32767 : 0));
  }
  chunk.audio = std::move(audio);
  h.engine->Offer(push->call, chunk, h.now);
  h.engine->EndPush(push->call, PushEnd::kHalfClosed, h.now);
  h.Run(end_s + 1);
  const int head = h.rig->FindJoint("skullbase");
  std::vector<skel::Quat> out;
  for (const auto& data : ben.data()) {
    const auto& q = data.skel_animation().rotations(0).values(head);
    out.push_back({q.real(), q.i(), q.j(), q.k()});
  }
  return out;
}

TEST(EngineCompany, TheOtherOneNodsWhereAPhraseEnds) {
  const auto mute = HeadOfBen(0), loud = HeadOfBen(0.2f);
  ASSERT_EQ(mute.size(), loud.size());
  int nods = 0;
  for (int k = 0; k < kPhrases; ++k) {
    // Half a second until it begins to play is more than it takes.
    const double begin_s = 0.5 + k * (kSpeaks_s + kPauses_s);
    float most = 0;
    for (double t = begin_s + kSpeaks_s; t < begin_s + kSpeaks_s + kPauses_s; t += 1.0 / 30) {
      const auto i = static_cast<size_t>(t * 30);
      // Downwards of where it would be.
      const skel::Vec3 by = Log(Mul(Conjugate(mute.at(i)), loud.at(i)));
      most = std::max(most, by.x * 57.3f);
    }
    nods += most > 1.5f;
  }
  // Each is answered with a probability of 0.63: all six nods or none are rare.
  EXPECT_GE(nods, 2);
  // Until the first pause nothing is known, and nothing else differs.
  for (size_t i = 0; i < static_cast<size_t>((0.5 + kSpeaks_s) * 30); ++i) {
    EXPECT_LT(AngleBetween(mute.at(i), loud.at(i)), 1e-4f) << i;
  }
}

}  // namespace
}  // namespace posewire::anim_graph
