#include "services/renderer_sink/core/view_frame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "tests/support/cpu_time.h"
#include "tests/support/hostile_names.h"
#include "tests/unit/renderer_sink/field_reader.h"

namespace posewire::renderer_sink {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

enum { kRotations = 1, kTranslations = 2, kScales = 4, kWeights = 8, kCamera = 16, kAudio = 32 };
constexpr int kPoseDropped = 64, kProps = 128;

struct Head {
  int kind, avatar, flags;
  uint32_t layout, number, samples;
  double time_code_s;
};

Head ReadHead(FieldReader& reader) {
  Head head{};
  head.kind = reader.Take<uint8_t>();
  head.avatar = reader.Take<uint8_t>();
  head.flags = reader.Take<uint16_t>();
  head.layout = reader.Take<uint32_t>();
  head.time_code_s = reader.Take<double>();
  head.number = reader.Take<uint32_t>();
  head.samples = reader.Take<uint32_t>();
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

wire::KeyBlock Keys(const std::vector<double>& time_codes_s, const std::vector<float>& values) {
  return {static_cast<int>(values.size() / time_codes_s.size()), time_codes_s, values};
}

TEST(EncodeView, CarriesRandomFramesWithinTheirPrecision) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> any(-1, 1);
  const ViewLayout layout = SmallLayout();
  for (int round = 0; round < 200; ++round) {
    wire::DataChunk data;
    const double time_code_s = round / 30.0;
    std::vector<float> rotations, translations;
    for (int j = 0; j < 3; ++j) {
      float q[4];
      float size = 0;
      for (float& v : q) v = any(random), size += v * v;
      for (const float v : q) rotations.push_back(v / std::sqrt(size));
      const bool moved = j == round % 3;
      const float* rest = &layout.rest[static_cast<size_t>(j) * 7];
      translations.insert(translations.end(), {rest[0] + (moved ? 0.25f : 0), rest[1], rest[2]});
    }
    const std::vector<float> weights = {any(random), any(random)};
    data.pose[wire::kRotations] = Keys({time_code_s}, rotations);
    data.pose[wire::kTranslations] = Keys({time_code_s}, translations);
    data.pose[wire::kWeights] = Keys({time_code_s}, weights);
    data.audio.emplace().time_code_s = time_code_s;
    for (int i = 0; i < 533; ++i) data.audio->samples.push_back(static_cast<int16_t>(random()));

    const auto frames = EncodeView(data, layout, {.avatar = 2, .layout = 9, .number = 40});
    ASSERT_THAT(frames, SizeIs(1));
    FieldReader reader(*frames[0].whole);
    const Head head = ReadHead(reader);
    EXPECT_EQ(head.kind, 1);
    EXPECT_EQ(head.avatar, 2);
    EXPECT_EQ(head.layout, 9u);
    EXPECT_EQ(head.number, 40u);
    EXPECT_EQ(head.samples, 533u);
    EXPECT_DOUBLE_EQ(head.time_code_s, time_code_s);
    ASSERT_EQ(head.flags, kRotations | kTranslations | kWeights | kAudio);
    for (const float v : rotations) EXPECT_NEAR(reader.Take<int16_t>() / 32767.0, v, 2e-5);
    ASSERT_EQ(reader.Take<uint32_t>(), 1u);
    const auto joint = static_cast<size_t>(reader.Take<uint32_t>());
    EXPECT_EQ(joint, static_cast<size_t>(round % 3));
    for (size_t i = 0; i < 3; ++i) EXPECT_EQ(reader.Take<float>(), translations[3 * joint + i]);
    for (const float w : weights) EXPECT_EQ(reader.Take<float>(), w);
    EXPECT_DOUBLE_EQ(reader.Take<double>(), time_code_s);
    for (const int16_t sample : data.audio->samples) ASSERT_EQ(reader.Take<int16_t>(), sample);
    EXPECT_TRUE(reader.AtEnd());

    FieldReader voice(*frames[0].voice);
    const Head voice_head = ReadHead(voice);
    EXPECT_EQ(voice_head.flags, kAudio | kPoseDropped);
    EXPECT_EQ(voice_head.number, 40u);
    EXPECT_DOUBLE_EQ(voice.Take<double>(), time_code_s);
    for (const int16_t sample : data.audio->samples) ASSERT_EQ(voice.Take<int16_t>(), sample);
    EXPECT_TRUE(voice.AtEnd());
  }
}

TEST(EncodeView, MakesAFrameOfEachCodeInOrder) {
  wire::DataChunk data;
  data.pose[wire::kWeights] = Keys({0.25, 0.75}, {0.25f, 0, 0.75f, 0});
  data.pose[wire::kScales] = Keys({0.5}, std::vector<float>(9, 1));
  data.camera[wire::kFocalLength] = Keys({0.5}, {35});
  const auto frames = EncodeView(data, SmallLayout(), {.number = 5});
  ASSERT_THAT(frames, SizeIs(3));
  for (int i = 0; i < 3; ++i) {
    FieldReader reader(*frames[static_cast<size_t>(i)].whole);
    const Head head = ReadHead(reader);
    EXPECT_DOUBLE_EQ(head.time_code_s, 0.25 * (i + 1));
    EXPECT_EQ(head.number, 5u + static_cast<uint32_t>(i));
    EXPECT_EQ(head.flags, i == 1 ? kScales | kCamera : kWeights);
    EXPECT_EQ(frames[static_cast<size_t>(i)].voice, nullptr);
    if (i != 1) {
      EXPECT_EQ(reader.Take<float>(), static_cast<float>(head.time_code_s));
      continue;
    }
    EXPECT_EQ(reader.Take<uint32_t>(), 0u) << "no joint is scaled";
    for (int v = 0; v < 7; ++v) EXPECT_TRUE(std::isnan(reader.Take<float>()));
    EXPECT_EQ(reader.Take<float>(), 35);
  }
}

// A message may hold thousands of frames.
TEST(EncodeView, TakesNoMemoryForWhatAFrameLacks) {
  ViewLayout layout = SmallLayout();
  layout.joints.resize(30000);
  wire::DataChunk data;
  data.pose[wire::kWeights] = Keys({0.25, 0.75}, {0.25f, 0, 0.75f, 0});
  for (const ViewFrame& frame : EncodeView(data, layout, {})) {
    EXPECT_LT(frame.whole->capacity(), 200u);
  }
}

TEST(EncodeView, LeavesOutWhatDoesNotFitTheLayout) {
  wire::DataChunk data;
  data.pose[wire::kRotations] = Keys({0}, {1, 0, 0, 0});  // One, where there are three joints.
  data.pose[wire::kWeights] = Keys({0}, {0.25f, 0.5f});
  data.audio.emplace().samples = {1, 2};
  ViewLayout layout = SmallLayout();
  layout.audio_hz = 0;
  const auto frames = EncodeView(data, layout, {});
  ASSERT_THAT(frames, SizeIs(1));
  FieldReader reader(*frames[0].whole);
  EXPECT_EQ(ReadHead(reader).flags, kWeights);
  EXPECT_EQ(reader.Take<float>(), 0.25f);
  EXPECT_EQ(reader.Take<float>(), 0.5f);
  EXPECT_TRUE(reader.AtEnd());
}

TEST(EncodeView, MakesNothingOfAMessageWithoutCodes) {
  EXPECT_THAT(EncodeView(wire::DataChunk(), SmallLayout(), {}), SizeIs(0));
}

TEST(LayoutOf, TakesRestAndParentsFromTheRigThatFits) {
  const auto rigs = skel::RigCatalog::Builtin();
  ASSERT_TRUE(rigs.ok());
  const auto rig = *rigs->Find("hanim_loa3");
  wire::StreamHeader header;
  for (const std::string& path : rig->joint_paths()) header.joints.push_back(path);
  header.shapes = {"jawOpen"};
  header.audio_rate_hz = 22050;
  header.epoch_s = 12.5;
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

TEST(LayoutOf, TakesNoLongForAnyNames) {
  const auto rigs = skel::RigCatalog::Builtin();
  ASSERT_TRUE(rigs.ok());
  for (const auto& [what, names] : test::HostileNames()) {
    wire::StreamHeader header;
    header.joints = names;
    EXPECT_LT(test::CpuSeconds([&] { LayoutOf(header, *rigs); }), 5) << what;
  }
}

TEST(LayoutOf, BridgesJointsThatTheStreamLeavesOut) {
  const auto rigs = skel::RigCatalog::Builtin();
  ASSERT_TRUE(rigs.ok());
  wire::StreamHeader header;
  header.joints = {"HumanoidRoot", "l_hip", "l_ankle"};
  const ViewLayout layout = LayoutOf(header, *rigs);
  EXPECT_THAT(layout.parents, ElementsAre(-1, 0, 1));
  // l_ankle below l_knee below l_hip.
  EXPECT_NEAR(layout.rest[2 * 7 + 1], -0.4257f - 0.4211f, 1e-5);
}

TEST(LayoutOf, TellsJointsOfOneLastElementApart) {
  const auto rigs = skel::RigCatalog::Builtin();
  ASSERT_TRUE(rigs.ok());
  wire::StreamHeader header;
  // Each ends in a joint that rigs have once: none of them fits.
  header.joints = {"Body", "Body/L/l_wrist", "Body/R/l_wrist"};
  const ViewLayout layout = LayoutOf(header, *rigs);
  EXPECT_EQ(layout.rig, "");
  EXPECT_THAT(layout.joints, ElementsAre("Body", "L/l_wrist", "R/l_wrist"));
  EXPECT_THAT(layout.parents, ElementsAre(-1, 0, 0));
}

TEST(LayoutOf, HangsUnknownJointsByTheirPaths) {
  const auto rigs = skel::RigCatalog::Builtin();
  ASSERT_TRUE(rigs.ok());
  wire::StreamHeader header;
  header.joints = {"tail", "tail/tip", "fin"};
  const ViewLayout layout = LayoutOf(header, *rigs);
  EXPECT_EQ(layout.rig, "");
  EXPECT_THAT(layout.joints, ElementsAre("tail", "tip", "fin"));
  EXPECT_THAT(layout.parents, ElementsAre(-1, 0, -1));
  EXPECT_EQ(layout.rest[7 + 3], 1);
}

TEST(EncodeView, TellsOfTheThingsInEachWholeFrame) {
  wire::Prop cup;
  cup.name = "cup";
  cup.shape = std::string(128, 's');
  cup.position = {1, 2, 3};
  cup.rotation = {0.5f, -0.5f, 0.5f, -0.5f};
  cup.size = {0.08f, 0.1f, 0.07f};
  cup.held_by = "anna";
  wire::Prop box;
  box.name = "box";
  const wire::Prop props[] = {cup, box};
  wire::DataChunk data;
  data.pose[wire::kWeights] = Keys({0, 0.1}, {0.25f, 0.5f, 0.75f, 1});
  data.audio.emplace();
  data.audio->samples = {1, 2, 3};  // what follows is at an odd place
  const auto frames = EncodeView(data, SmallLayout(), {}, props);
  ASSERT_THAT(frames, SizeIs(2));
  for (const ViewFrame& frame : frames) {
    FieldReader reader(*frame.whole);
    const Head head = ReadHead(reader);
    ASSERT_EQ(head.flags, kWeights | kProps | (head.samples > 0 ? kAudio : 0));
    for (int i = 0; i < 2; ++i) reader.Take<float>();
    if (head.samples > 0) reader.Take<double>();
    for (uint32_t i = 0; i < head.samples; ++i) reader.Take<int16_t>();
    ASSERT_EQ(reader.Take<uint32_t>(), 2u);
    for (const wire::Prop& prop : props) {
      for (const float v :
           {prop.position.x, prop.position.y, prop.position.z, prop.rotation.w, prop.rotation.x,
            prop.rotation.y, prop.rotation.z, prop.size.x, prop.size.y, prop.size.z}) {
        EXPECT_EQ(reader.Take<float>(), v);
      }
      for (const std::string& text : {prop.name, prop.shape, prop.held_by}) {
        std::string read(reader.Take<uint8_t>(), '?');
        for (char& c : read) c = reader.Take<char>();
        EXPECT_EQ(read, text);
      }
    }
    EXPECT_TRUE(reader.AtEnd());
  }
  FieldReader voice(*frames[0].voice);
  EXPECT_EQ(ReadHead(voice).flags, kAudio | kPoseDropped);
}

}  // namespace
}  // namespace posewire::renderer_sink
