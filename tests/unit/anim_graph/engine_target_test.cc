// Targets with a rig of their own: a prop, an animal, whatever a header names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/anim_graph/engine_harness.h"

namespace posewire::anim_graph {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::shared_ptr<const skel::Rig> Dog() {
  return skel::Rig::Parse("rig dog\njoint body - 0 0.5 0\njoint body/tail - 0 0 -0.4\nshape bark\n")
      .value();
}

absl::StatusOr<GraphAssetPtr> AssetOf(std::shared_ptr<const skel::Rig> rig) {
  return graph::MakeBuiltinGraphAsset("passthrough", std::move(rig),
                                      std::make_shared<const clip::ClipLibrary>());
}

class EngineTarget : public ::testing::Test {
 protected:
  EngineTarget() {
    h.parts.targets = {{"dog", *AssetOf(Dog())}, {"prop", nullptr}};
    h.parts.asset_of = AssetOf;
    h.engine = std::make_unique<Engine>(h.parts, h.now);
  }

  static wire::StreamHeader Header(const std::string& request, const std::string& target,
                                   std::vector<std::string> joints) {
    wire::StreamHeader header = Harness::Header(request, target);
    header.joints = std::move(joints);
    header.shapes = {};
    return header;
  }

  // Returns frames in which each joint is at x.
  static wire::DataChunk At(float x, int64_t frames, size_t joints) {
    wire::DataChunk chunk;
    chunk.pose[wire::kTranslations].width = static_cast<int>(3 * joints);
    for (int64_t k = 0; k < frames; ++k) {
      chunk.pose[wire::kTranslations].time_codes_s.push_back(static_cast<double>(k) / 30);
      for (size_t j = 0; j < joints; ++j) {
        for (const float v : {x, 2.0f, 3.0f}) chunk.pose[wire::kTranslations].values.push_back(v);
      }
    }
    return chunk;
  }

  absl::StatusOr<PushOpened> Push(const wire::StreamHeader& header, float x) {
    auto push = h.Push(header, &peer);
    if (!push.ok()) return push;
    h.engine->Offer(push->call, At(x, 60, header.joints.size()), h.now);
    h.engine->EndPush(push->call, PushEnd::kHalfClosed, h.now);
    return push;
  }

  static std::vector<std::string> Joints(const FakeSink& sink) {
    const auto& joints = sink.header().skel_animation_header().joints();
    return {joints.begin(), joints.end()};
  }
  // Where joint `j` stood in a frame.
  static float X(const pb::AnimationData& data, int j) {
    return data.skel_animation().translations(0).values(j).x();
  }

  Harness h{HarnessSettings{}};  // the default graph
  FakePeer peer;
};

TEST_F(EngineTarget, HasItsOwnRigBesideThePerson) {
  FakeSink person, dog;
  ASSERT_TRUE(h.Pull(&person, "", "me").ok());
  ASSERT_TRUE(h.Pull(&dog, "", "dog").ok());
  EXPECT_THAT(Joints(dog), ElementsAre("body", "body/tail"));
  EXPECT_EQ(dog.header().skel_animation_header().blend_shapes(0), "bark");
  EXPECT_GT(Joints(person).size(), 60u);
  ASSERT_TRUE(Push(Header("r", "dog", {"tail"}), 0.25f).ok());
  h.Run(1);
  EXPECT_FLOAT_EQ(X(dog.data().back(), 1), 0.25f) << "all translations count";
  EXPECT_FLOAT_EQ(X(dog.data().back(), 0), 0) << "what is not pushed rests";
  EXPECT_FLOAT_EQ(dog.data().back().skel_animation().translations(0).values(0).y(), 0.5f);
  EXPECT_EQ(person.data().back().skel_animation().rotations(0).values_size(),
            static_cast<int>(Joints(person).size()));
  h.Run(3);
  EXPECT_FLOAT_EQ(dog.data().back().skel_animation().translations(0).values(1).z(), -0.4f)
      << "rests again when the push is over";
}

TEST_F(EngineTarget, HasTheJointsOfTheFirstPushAsTheyAreNamed) {
  FakeSink early, other, late;
  ASSERT_TRUE(h.Pull(&early, "", "prop").ok());
  ASSERT_TRUE(h.Pull(&other, "", "me").ok());
  h.Run(0.5);
  EXPECT_TRUE(early.messages.empty()) << "nobody knows the joints yet";
  const wire::StreamHeader header = Header("r", "prop", {"cup"});
  ASSERT_TRUE(Push(header, 7).ok());
  ASSERT_FALSE(early.messages.empty());
  EXPECT_THAT(Joints(early), ElementsAre("cup"));
  ASSERT_TRUE(h.Pull(&late, "", "prop").ok());
  h.Run(1);
  EXPECT_THAT(Joints(late), ElementsAre("cup"));
  ASSERT_FALSE(early.data().empty());
  EXPECT_FLOAT_EQ(X(early.data().back(), 0), 7);
  EXPECT_EQ(early.raw.back(), late.raw.back());
  EXPECT_FALSE(other.data().empty());

  h.Run(3);
  ASSERT_TRUE(Push(Header("again", "prop", {"cup", "saucer"}), 7).ok()) << "one of its joints";
  const auto none = h.Push(Header("none", "prop", {"table"}), &peer);
  EXPECT_EQ(none.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(none.status().message()), HasSubstr("\"cup\""));
}

TEST_F(EngineTarget, AWindowWaitsForItsRequestAsEver) {
  FakeSink window;
  ASSERT_TRUE(h.Pull(&window, "r", "prop").ok());
  ASSERT_TRUE(Push(Header("r", "prop", {"cup"}), 1).ok());
  h.Run(6);
  EXPECT_THAT(Joints(window), ElementsAre("cup"));
  EXPECT_EQ(window.finished, absl::OkStatus());
  FakeSink over;
  ASSERT_TRUE(h.Pull(&over, "r", "prop").ok());
  EXPECT_THAT(Joints(over), ElementsAre("cup"));
}

TEST_F(EngineTarget, NoPullTakesTheNameOfTheDefaultAvatarForIt) {
  FakeSink stream;
  ASSERT_TRUE(h.Pull(&stream).ok());
  ASSERT_TRUE(Push(Header("r", "dog", {"tail"}), 1).ok());
  h.Run(0.5);
  EXPECT_GT(Joints(stream).size(), 60u);
  const auto streams = h.engine->Streams("", 10);
  ASSERT_EQ(streams.size(), 1u);
  EXPECT_EQ(streams[0].avatars.size(), 2u);
}

TEST_F(EngineTarget, NamesThatAreNoRigAreRejected) {
  for (const auto& joints : {std::vector<std::string>{"a", "a"}, {"a/b", "a"}}) {
    const auto push = h.Push(Header("r", "prop", joints), &peer);
    EXPECT_EQ(push.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(push.status().message()), HasSubstr("header.skel_animation_header: "));
  }
  EXPECT_EQ(h.engine->RegisterStream("stream", "prop", h.now).code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST_F(EngineTarget, MayChangeItsJointsOnceNobodyHasUsedItForLong) {
  ASSERT_TRUE(Push(Header("r", "prop", {"cup"}), 1).ok());
  h.Run(120);
  ASSERT_TRUE(Push(Header("s", "prop", {"table"}), 1).ok());
  FakeSink sink;
  ASSERT_TRUE(h.Pull(&sink, "", "prop").ok());
  EXPECT_THAT(Joints(sink), ElementsAre("table"));
}

}  // namespace
}  // namespace posewire::anim_graph
