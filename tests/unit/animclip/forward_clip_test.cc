#include "tools/animclip/forward_clip.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "libs/skel/math.h"
#include "tests/unit/animclip/clip_fixture.h"

namespace posewire::animclip {
namespace {

using skel::Quat;

// All keys of the rotation track of one joint.
struct Key {
  double code;
  Quat q;
};

// Slerp by its definition: a turn by a part of the angle between.
Quat Reference(const std::vector<Key>& keys, double t) {
  if (t <= keys.front().code) return keys.front().q;
  for (size_t i = 1; i < keys.size(); ++i) {
    if (t > keys[i].code) continue;
    const double part = (t - keys[i - 1].code) / (keys[i].code - keys[i - 1].code);
    const Quat between = skel::Mul(skel::Conjugate(keys[i - 1].q), keys[i].q);
    return skel::Mul(keys[i - 1].q, skel::Exp(skel::Log(between) * static_cast<float>(part)));
  }
  return keys.back().q;
}

TEST(ForwardClip, AgreesWithSlerpByItsDefinition) {
  const std::string path = TempPath("talk.animdata");
  const Messages talk = MakeTalk({.start_s = 0.2});
  WriteClipFile(path, talk);
  std::vector<Key> keys;
  for (const Message& m : talk) {
    for (const auto& key : m.animation_data().skel_animation().rotations()) {
      const auto& v = key.values(2);
      keys.push_back({key.time_code(), {v.real(), v.i(), v.j(), v.k()}});
    }
  }
  TestConsole c;
  const auto facts = GatherFacts(path, c.console);
  ASSERT_TRUE(facts.ok()) << facts.status();
  auto clip = ForwardClip::Open(path, *facts);
  ASSERT_TRUE(clip.ok());
  std::mt19937 random(2);
  std::uniform_real_distribution<double> step(0, 0.05);
  double t = 0;
  for (int i = 0; i < 60; ++i) {
    t += step(random);
    ASSERT_TRUE(clip->Advance(t).ok());
    const auto sample = clip->Sample(wire::kRotations);
    ASSERT_EQ(sample.size(), 12u);
    const Quat got{sample[8], sample[9], sample[10], sample[11]};
    EXPECT_NEAR(std::fabs(skel::Dot(got, Reference(keys, t))), 1, 2e-6) << t;
  }
}

TEST(ForwardClip, ReadsTracksThatStandInMessagesOfTheirOwn) {
  // All weights first, then all rotations: a legal stream.
  Messages talk = MakeTalk({.audio_hz = 0});
  Message weights, rotations;
  for (const Message& m : talk) {
    const auto& skel = m.animation_data().skel_animation();
    for (const auto& k : skel.blend_shape_weights()) {
      *weights.mutable_animation_data()->mutable_skel_animation()->add_blend_shape_weights() = k;
    }
    for (const auto& k : skel.rotations()) {
      *rotations.mutable_animation_data()->mutable_skel_animation()->add_rotations() = k;
    }
  }
  const std::string path = TempPath("apart.animdata");
  WriteClipFile(path, {talk[0], weights, rotations});
  TestConsole c;
  const auto facts = GatherFacts(path, c.console);
  ASSERT_TRUE(facts.ok()) << facts.status();
  auto clip = ForwardClip::Open(path, *facts);
  ASSERT_TRUE(clip.ok());
  ASSERT_TRUE(clip->Advance(0).ok());
  EXPECT_EQ(clip->Sample(wire::kRotations).size(), 12u);
  EXPECT_EQ(clip->Sample(wire::kWeights).size(), 2u);
  EXPECT_TRUE(clip->Sample(wire::kTranslations).empty());
  EXPECT_NEAR(clip->NextCode(wire::kRotations), 1 / 30.0, 1e-12);
  ASSERT_TRUE(clip->Advance(9).ok());
  EXPECT_TRUE(std::isinf(clip->NextCode(wire::kRotations)));
}

TEST(RateText, NamesTheRate) {
  TrackFacts t{
      .keys = 31, .first_s = 0, .last_s = 1, .shortest_s = 1 / 30.0, .longest_s = 1 / 30.0};
  EXPECT_EQ(RateText(t), "30 fps");
  t = {.keys = 2,
       .first_s = 0,
       .last_s = 1001 / 30000.0,
       .shortest_s = 1001 / 30000.0,
       .longest_s = 1001 / 30000.0};
  EXPECT_EQ(RateText(t), "29.97 fps");
  EXPECT_EQ(RateText({.keys = 1}), "one key");
}

}  // namespace
}  // namespace posewire::animclip
