#include "services/renderer_sink/core/view_frame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

namespace posewire::renderer_sink {
namespace {

using nvidia_ace::animation_data::v1::AnimationData;
using nvidia_ace::animation_data::v1::AnimationDataStreamHeader;
using ::testing::ElementsAre;
using ::testing::SizeIs;

enum { kRotations = 1, kTranslations = 2, kScales = 4, kWeights = 8, kCamera = 16, kAudio = 32 };
constexpr int kPoseDropped = 64;

// Reads a frame from its beginning on, as docs/view.md says.
class Reader {
 public:
  explicit Reader(const std::string& bytes) : bytes_(bytes) {}
  template <typename T>
  T Get() {
    T value{};
    if (at_ + sizeof(T) > bytes_.size()) {
      ADD_FAILURE() << "the frame ends at " << bytes_.size();
      return value;
    }
    std::memcpy(&value, bytes_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }
  bool AtEnd() const { return at_ == bytes_.size(); }

 private:
  const std::string& bytes_;
  size_t at_ = 0;
};

struct Head {
  int kind, avatar, flags;
  uint32_t layout, number, samples;
  double code_s;
};

Head ReadHead(Reader& reader) {
  Head head{};
  head.kind = reader.Get<uint8_t>();
  head.avatar = reader.Get<uint8_t>();
  head.flags = reader.Get<uint16_t>();
  head.layout = reader.Get<uint32_t>();
  head.code_s = reader.Get<double>();
  head.number = reader.Get<uint32_t>();
  head.samples = reader.Get<uint32_t>();
  return head;
}

ViewLayout SmallLayout() {
  ViewLayout layout;
  layout.joints = {"a", "b", "c"};
  layout.parents = {-1, 0, 1};
  layout.rest = {0, 1, 0, 1, 0, 0, 0, 0, 0.5f, 0, 1, 0, 0, 0, 0.1f, 0, 0, 1, 0, 0, 0};
  layout.shapes = {"jawOpen", "mouthClose"};
  layout.audio_hz = 16000;
  return layout;
}

TEST(EncodeView, CarriesRandomFramesWithinTheirPrecision) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> any(-1, 1);
  const ViewLayout layout = SmallLayout();
  for (int round = 0; round < 200; ++round) {
    AnimationData data;
    const double code_s = round / 30.0;
    auto& rotations = *data.mutable_skel_animation()->add_rotations();
    auto& translations = *data.mutable_skel_animation()->add_translations();
    auto& weights = *data.mutable_skel_animation()->add_blend_shape_weights();
    rotations.set_time_code(code_s);
    translations.set_time_code(code_s);
    weights.set_time_code(code_s);
    for (int j = 0; j < 3; ++j) {
      float q[4];
      float size = 0;
      for (float& v : q) v = any(random), size += v * v;
      auto* value = rotations.add_values();
      value->set_real(q[0] / std::sqrt(size));
      value->set_i(q[1] / std::sqrt(size));
      value->set_j(q[2] / std::sqrt(size));
      value->set_k(q[3] / std::sqrt(size));
      const bool moved = j == round % 3;
      auto* place = translations.add_values();
      const float* rest = &layout.rest[static_cast<size_t>(j) * 7];
      place->set_x(rest[0] + (moved ? 0.25f : 0));
      place->set_y(rest[1]);
      place->set_z(rest[2]);
    }
    weights.add_values(any(random));
    weights.add_values(any(random));
    std::string pcm(2 * 533, '\0');
    for (char& c : pcm) c = static_cast<char>(random());
    data.mutable_audio()->set_time_code(code_s);
    data.mutable_audio()->set_audio_buffer(pcm);

    const auto frames = EncodeView(data, layout, {.avatar = 2, .layout = 9, .number = 40});
    ASSERT_THAT(frames, SizeIs(1));
    Reader reader(*frames[0].whole);
    const Head head = ReadHead(reader);
    EXPECT_EQ(head.kind, 1);
    EXPECT_EQ(head.avatar, 2);
    EXPECT_EQ(head.layout, 9u);
    EXPECT_EQ(head.number, 40u);
    EXPECT_EQ(head.samples, 533u);
    EXPECT_DOUBLE_EQ(head.code_s, code_s);
    ASSERT_EQ(head.flags, kRotations | kTranslations | kWeights | kAudio);
    for (const auto& q : rotations.values()) {
      for (const float v : {q.real(), q.i(), q.j(), q.k()}) {
        EXPECT_NEAR(reader.Get<int16_t>() / 32767.0, v, 2e-5);
      }
    }
    ASSERT_EQ(reader.Get<uint32_t>(), 1u);
    const auto joint = static_cast<int>(reader.Get<uint32_t>());
    EXPECT_EQ(joint, round % 3);
    EXPECT_FLOAT_EQ(reader.Get<float>(), translations.values(joint).x());
    EXPECT_FLOAT_EQ(reader.Get<float>(), translations.values(joint).y());
    EXPECT_FLOAT_EQ(reader.Get<float>(), translations.values(joint).z());
    EXPECT_EQ(reader.Get<float>(), weights.values(0));
    EXPECT_EQ(reader.Get<float>(), weights.values(1));
    EXPECT_DOUBLE_EQ(reader.Get<double>(), code_s);
    for (const char c : pcm) ASSERT_EQ(reader.Get<char>(), c);
    EXPECT_TRUE(reader.AtEnd());

    Reader voice(*frames[0].voice);
    const Head voice_head = ReadHead(voice);
    EXPECT_EQ(voice_head.flags, kAudio | kPoseDropped);
    EXPECT_EQ(voice_head.number, 40u);
    EXPECT_DOUBLE_EQ(voice.Get<double>(), code_s);
    for (const char c : pcm) ASSERT_EQ(voice.Get<char>(), c);
    EXPECT_TRUE(voice.AtEnd());
  }
}

TEST(EncodeView, MakesAFrameOfEachCodeInOrder) {
  AnimationData data;
  for (const double code_s : {0.5, 0.25, 0.75}) {
    auto& key = *data.mutable_skel_animation()->add_blend_shape_weights();
    key.set_time_code(code_s);
    key.add_values(static_cast<float>(code_s));
    key.add_values(0);
  }
  auto& focal = *data.mutable_camera()->add_focal_length();
  focal.set_time_code(0.5);
  focal.set_value(35);
  const auto frames = EncodeView(data, SmallLayout(), {.number = 5});
  ASSERT_THAT(frames, SizeIs(3));
  for (int i = 0; i < 3; ++i) {
    Reader reader(*frames[static_cast<size_t>(i)].whole);
    const Head head = ReadHead(reader);
    EXPECT_DOUBLE_EQ(head.code_s, 0.25 * (i + 1));
    EXPECT_EQ(head.number, 5u + static_cast<uint32_t>(i));
    EXPECT_EQ(head.flags, i == 1 ? kWeights | kCamera : kWeights);
    EXPECT_EQ(reader.Get<float>(), static_cast<float>(head.code_s));
    EXPECT_EQ(frames[static_cast<size_t>(i)].voice, nullptr);
    if (i != 1) continue;
    reader.Get<float>();
    for (int v = 0; v < 7; ++v) EXPECT_TRUE(std::isnan(reader.Get<float>()));
    EXPECT_EQ(reader.Get<float>(), 35);
  }
}

TEST(EncodeView, LeavesOutWhatDoesNotFitTheLayout) {
  AnimationData data;
  auto& rotations = *data.mutable_skel_animation()->add_rotations();
  rotations.add_values();  // One, where there are three joints.
  auto& weights = *data.mutable_skel_animation()->add_blend_shape_weights();
  weights.add_values(std::numeric_limits<float>::quiet_NaN());
  weights.add_values(0.5f);
  ViewLayout layout = SmallLayout();
  layout.audio_hz = 0;
  data.mutable_audio()->set_audio_buffer("abcd");
  const auto frames = EncodeView(data, layout, {});
  ASSERT_THAT(frames, SizeIs(1));
  Reader reader(*frames[0].whole);
  EXPECT_EQ(ReadHead(reader).flags, kWeights);
  EXPECT_EQ(reader.Get<float>(), 0);
  EXPECT_EQ(reader.Get<float>(), 0.5f);
  EXPECT_TRUE(reader.AtEnd());
}

TEST(EncodeView, TakesRotationsThatAreNoneForIdentity) {
  AnimationData data;
  auto& rotations = *data.mutable_skel_animation()->add_rotations();
  rotations.add_values();
  rotations.add_values()->set_real(std::numeric_limits<float>::infinity());
  rotations.add_values()->set_j(-3);
  const auto frames = EncodeView(data, SmallLayout(), {});
  Reader reader(*frames.at(0).whole);
  ReadHead(reader);
  for (const int v : {32767, 0, 0, 0, 32767, 0, 0, 0, 0, 0, -32767, 0}) {
    EXPECT_EQ(reader.Get<int16_t>(), v);
  }
}

TEST(EncodeView, MakesNothingOfAMessageWithoutCodes) {
  EXPECT_THAT(EncodeView(AnimationData(), SmallLayout(), {}), SizeIs(0));
}

TEST(LayoutOf, TakesRestAndParentsFromTheRigThatFits) {
  const auto rigs = skel::RigCatalog::Builtin();
  ASSERT_TRUE(rigs.ok());
  const auto rig = *rigs->Find("hanim_loa3");
  AnimationDataStreamHeader header;
  for (const std::string& path : rig->joint_paths()) {
    header.mutable_skel_animation_header()->add_joints(path);
  }
  header.mutable_skel_animation_header()->add_blend_shapes("jawOpen");
  header.mutable_audio_header()->set_samples_per_second(22050);
  header.set_start_time_code_since_epoch(12.5);
  const ViewLayout layout = LayoutOf(header, *rigs);
  EXPECT_EQ(layout.rig, "hanim_loa3");
  EXPECT_EQ(layout.epoch_s, 12.5);
  EXPECT_THAT(layout.shapes, ElementsAre("jawOpen"));
  ASSERT_EQ(layout.joints.size(), static_cast<size_t>(rig->joints()));
  for (int j = 0; j < rig->joints(); ++j) {
    const auto k = static_cast<size_t>(j);
    EXPECT_EQ(layout.joints[k], rig->joint_names()[k]);
    EXPECT_EQ(layout.parents[k], rig->topology().parent(j));
    EXPECT_EQ(layout.rest[k * 7 + 1], rig->rest().translation(j).y);
    EXPECT_EQ(layout.rest[k * 7 + 3], rig->rest().rotation(j).w);
  }
}

TEST(LayoutOf, BridgesJointsThatTheStreamLeavesOut) {
  const auto rigs = skel::RigCatalog::Builtin();
  ASSERT_TRUE(rigs.ok());
  AnimationDataStreamHeader header;
  for (const char* joint : {"HumanoidRoot", "l_hip", "l_ankle"}) {
    header.mutable_skel_animation_header()->add_joints(joint);
  }
  const ViewLayout layout = LayoutOf(header, *rigs);
  EXPECT_THAT(layout.parents, ElementsAre(-1, 0, 1));
  // l_ankle below l_knee below l_hip.
  EXPECT_NEAR(layout.rest[2 * 7 + 1], -0.4257f - 0.4211f, 1e-5);
}

TEST(LayoutOf, TellsJointsOfOneLastElementApart) {
  const auto rigs = skel::RigCatalog::Builtin();
  ASSERT_TRUE(rigs.ok());
  AnimationDataStreamHeader header;
  // Each ends in a joint that rigs have once: none of them fits.
  for (const char* joint : {"Body", "Body/L/l_wrist", "Body/R/l_wrist"}) {
    header.mutable_skel_animation_header()->add_joints(joint);
  }
  const ViewLayout layout = LayoutOf(header, *rigs);
  EXPECT_EQ(layout.rig, "");
  EXPECT_THAT(layout.joints, ElementsAre("Body", "L/l_wrist", "R/l_wrist"));
  EXPECT_THAT(layout.parents, ElementsAre(-1, 0, 0));
}

TEST(LayoutOf, HangsUnknownJointsByTheirPaths) {
  const auto rigs = skel::RigCatalog::Builtin();
  ASSERT_TRUE(rigs.ok());
  AnimationDataStreamHeader header;
  for (const char* joint : {"tail", "tail/tip", "fin"}) {
    header.mutable_skel_animation_header()->add_joints(joint);
  }
  const ViewLayout layout = LayoutOf(header, *rigs);
  EXPECT_EQ(layout.rig, "");
  EXPECT_THAT(layout.joints, ElementsAre("tail", "tip", "fin"));
  EXPECT_THAT(layout.parents, ElementsAre(-1, 0, -1));
  EXPECT_EQ(layout.rest[7 + 3], 1);
}

}  // namespace
}  // namespace posewire::renderer_sink
