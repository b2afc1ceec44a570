#include "libs/wire/frame_writer.h"

#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <random>
#include <thread>

#include "libs/wire/frame_reader.h"
#include "tests/support/allocation_count.h"
#include "tests/unit/wire/slices.h"
#include "tests/unit/wire/status_matchers.h"
#include "tests/unit/wire/stream_messages.h"

namespace posewire::wire {
namespace {

// One frame with everything, its memory, and the message that it must become.
struct Example {
  skel::Pose pose;
  std::vector<int16_t> audio;
  CameraSample camera;
  std::vector<MetadataEntry> metadata;
  OutputFrame frame;
  ace::AnimationDataStream expected;

  Example(int joints, int shapes, unsigned seed) : pose(joints, shapes) {
    std::mt19937 rng(seed);
    std::uniform_real_distribution<float> real(-1, 1);
    const skel::PoseSpan& p = pose.span();
    for (int j = 0; j < joints; ++j) {
      p.SetTranslation(j, {real(rng), real(rng), real(rng)});
      p.SetRotation(j, skel::Normalized({real(rng), real(rng), real(rng), real(rng)}));
      p.SetScale(j, {1, real(rng), 0});
    }
    for (int s = 0; s < shapes; ++s) p.SetWeight(s, real(rng));
    audio.resize(533 + seed % 2);
    for (int16_t& a : audio) a = static_cast<int16_t>(rng());
    camera = {true, true, true, true, {real(rng), 0, 2}, {1, 0, 0, 0}, 35, 2.5f};
    google::protobuf::Any any;
    any.set_type_url("type.googleapis.com/google.protobuf.StringValue");
    any.set_value("\n\x03joy");
    metadata = {{"zz", any.SerializeAsString()}, {"a", ""}};
    frame.time_code_s = seed / 30.0;
    frame.pose = pose.view();
    frame.audio_time_code_s = frame.time_code_s + 0.001;
    frame.audio = audio;
    frame.camera = &camera;
    frame.metadata = metadata;
    Expect();
  }

  void Expect() {
    const double t = frame.time_code_s;
    const skel::PoseView p = pose.view();
    Float3s translations, scales;
    Quats rotations;
    for (int j = 0; j < p.joints; ++j) {
      translations.push_back({p.tx[j], p.ty[j], p.tz[j]});
      rotations.push_back({p.qw[j], p.qx[j], p.qy[j], p.qz[j]});
      scales.push_back({p.sx[j], p.sy[j], p.sz[j]});
    }
    auto& data = *expected.mutable_animation_data();
    if (p.shapes > 0) AddWeights(t, {p.weights, p.weights + p.shapes}, &expected);
    if (p.joints > 0) {
      AddTranslations(t, translations, &expected);
      AddRotations(t, rotations, &expected);
      AddScales(t, scales, &expected);
    }
    data.mutable_audio()->set_time_code(frame.audio_time_code_s);
    data.mutable_audio()->set_audio_buffer(audio.data(), audio.size() * 2);
    auto& c = *data.mutable_camera();
    auto& position = *c.add_position();
    position.set_time_code(t);
    position.mutable_value()->set_x(camera.position.x);
    position.mutable_value()->set_z(2);
    auto& rotation = *c.add_rotation();
    rotation.set_time_code(t);
    rotation.mutable_value()->set_real(1);
    auto& focal = *c.add_focal_length();
    focal.set_time_code(t), focal.set_value(35);
    auto& focus = *c.add_focus_distance();
    focus.set_time_code(t), focus.set_value(2.5f);
    for (const MetadataEntry& e : metadata) {
      ASSERT_TRUE((*data.mutable_metadata())[e.key].ParseFromString(e.any));
    }
  }
};

// Equal, with the fields that differ.
MATCHER_P(IsMessage, expected, "") {
  google::protobuf::util::MessageDifferencer differencer;
  std::string difference;
  differencer.ReportDifferencesToString(&difference);
  const bool same = differencer.Compare(expected, arg);
  *result_listener << difference;
  return same;
}

TEST(FrameWriter, BothFormsParseToTheExpectedMessage) {
  for (const auto& [joints, shapes] : {std::pair{94, 52}, {1, 0}, {0, 1}, {3, 40}, {1024, 512}}) {
    FrameWriter writer(joints, shapes);
    for (unsigned seed = 0; seed < 20; ++seed) {
      Example e(joints, shapes, seed);
      const EncodedFrame frame = writer.Write(e.frame);
      EXPECT_THAT(Parse(frame.Whole()), IsMessage(e.expected));
      EXPECT_EQ(Join(frame.Whole()).size(), frame.size());
      EXPECT_TRUE(frame.has_pose());
      EXPECT_TRUE(frame.is_data());
      EXPECT_EQ(frame.time_code_s(), e.frame.time_code_s);
      e.expected.mutable_animation_data()->clear_skel_animation();
      EXPECT_THAT(Parse(frame.WithoutPose()), IsMessage(e.expected));
      EXPECT_EQ(Join(frame.CopyWithoutPose().Whole()), Join(frame.WithoutPose()));
    }
  }
}

TEST(FrameWriter, PartsThatAreAbsentAreLeftOut) {
  FrameWriter writer(0, 0);
  OutputFrame nothing;
  const EncodedFrame empty = writer.Write(nothing);
  EXPECT_FALSE(empty.has_pose());
  EXPECT_TRUE(Parse(empty.Whole()).has_animation_data());
  EXPECT_EQ(empty.size(), 2u);
  EXPECT_EQ(Join(empty.WithoutPose()), Join(empty.Whole()));

  FrameWriter poses(2, 1);
  const skel::Pose pose(2, 1);
  OutputFrame bare;
  bare.pose = pose.view();
  const EncodedFrame frame = poses.Write(bare);
  const auto m = Parse(frame.Whole());
  EXPECT_FALSE(m.animation_data().has_audio());
  EXPECT_FALSE(m.animation_data().has_camera());
  EXPECT_EQ(m.animation_data().skel_animation().rotations_size(), 1);
  EXPECT_EQ(Join(frame.WithoutPose()), std::string("\x12\x00", 2));
}

TEST(FrameWriter, AudioStandsOnceInMemoryForBothForms) {
  FrameWriter writer(2, 1);
  const skel::Pose pose(2, 1);
  const std::vector<int16_t> audio(533, 77);
  OutputFrame f;
  f.pose = pose.view();
  f.audio = audio;
  const EncodedFrame frame = writer.Write(f);
  const EncodedFrame::Slice whole = frame.Whole()[0], rest = frame.WithoutPose()[1];
  EXPECT_GT(rest.size(), audio.size() * sizeof(int16_t));
  EXPECT_EQ(rest.data() + rest.size(), whole.data() + whole.size());
  const EncodedFrame other = frame;  // for another pull
  EXPECT_EQ(other.Whole()[0].data(), whole.data());
}

TEST(FrameWriter, OnlyTheCameraTracksThatAreKnownAreWritten) {
  FrameWriter writer(0, 0);
  CameraSample camera;
  camera.has_focal_length = true;
  camera.focal_length = 50;
  OutputFrame f;
  f.time_code_s = 1.5;
  f.camera = &camera;
  const auto m = Parse(writer.Write(f).Whole()).animation_data().camera();
  EXPECT_EQ(m.position_size() + m.rotation_size() + m.focus_distance_size(), 0);
  ASSERT_EQ(m.focal_length_size(), 1);
  EXPECT_EQ(m.focal_length(0).value(), 50);
  EXPECT_EQ(m.focal_length(0).time_code(), 1.5);
}

TEST(FrameWriter, TheSameFrameIsTheSameBytes) {
  Example e(94, 52, 3);
  FrameWriter one(94, 52), two(94, 52);
  const std::string first = Join(one.Write(e.frame).Whole());
  one.Write(Example(94, 52, 4).frame);
  EXPECT_EQ(Join(one.Write(e.frame).Whole()), first);
  EXPECT_EQ(Join(two.Write(e.frame).Whole()), first);
}

TEST(FrameWriter, FramesThatAreHeldKeepTheirBytes) {
  FrameWriter writer(94, 52);
  std::vector<EncodedFrame> held;
  std::vector<std::string> bytes;
  std::mt19937 rng(7);
  for (unsigned i = 0; i < 500; ++i) {
    Example e(94, 52, i);
    held.push_back(writer.Write(e.frame));
    bytes.push_back(Join(held.back().Whole()));
    if (held.size() > 100 || rng() % 3 == 0) {
      const size_t drop = rng() % held.size();
      held.erase(held.begin() + static_cast<ptrdiff_t>(drop));
      bytes.erase(bytes.begin() + static_cast<ptrdiff_t>(drop));
    }
    for (size_t k = 0; k < held.size(); k += 7) ASSERT_EQ(Join(held[k].Whole()), bytes[k]);
  }
  for (size_t k = 0; k < held.size(); ++k) EXPECT_EQ(Join(held[k].Whole()), bytes[k]);
}

TEST(FrameWriter, OwnerKeepsTheBytesPastWriterAndFrame) {
  std::shared_ptr<const void> owner;
  std::array<EncodedFrame::Slice, 3> slices;
  std::string before;
  {
    FrameWriter writer(94, 52);
    const EncodedFrame frame = writer.Write(Example(94, 52, 1).frame);
    owner = frame.owner();
    slices = frame.Whole();
    before = Join(slices);
  }
  EXPECT_EQ(Join(slices), before);
}

TEST(FrameWriter, ASteadyStreamAllocatesNothing) {
  FrameWriter writer(94, 52);
  std::array<EncodedFrame, 4> ring;  // what pulls hold
  std::vector<std::unique_ptr<Example>> examples;
  for (unsigned i = 0; i < 4; ++i) examples.push_back(std::make_unique<Example>(94, 52, i));
  for (size_t i = 0; i < 16; ++i) ring[i % 4] = writer.Write(examples[i % 4]->frame);
  const AllocationCount count;
  for (size_t i = 0; i < 1000; ++i) ring[i % 4] = writer.Write(examples[i % 4]->frame);
  EXPECT_EQ(count.count(), 0);
}

// Meant for a thread sanitizer: buffers come back from other threads.
// Nothing but the frames themselves orders their last reader before the next writer.
TEST(FrameWriter, FramesMayBeLetGoOnAnyThread) {
  FrameWriter writer(3, 2);
  std::vector<std::thread> readers;
  for (unsigned i = 0; i < 200; ++i) {
    const Example e(3, 2, i % 4);
    EncodedFrame frame = writer.Write(e.frame);
    std::string bytes = Join(frame.Whole());
    readers.emplace_back([frame = std::move(frame), bytes = std::move(bytes)] {
      ASSERT_EQ(Join(frame.Whole()), bytes);
    });
  }
  for (std::thread& reader : readers) reader.join();
}

TEST(FrameWriter, WhatItWritesReadsBack) {
  FrameReader reader = ReaderAfterHeader();
  FrameWriter writer(3, 2);
  for (unsigned i = 0; i < 10; ++i) {
    Example e(3, 2, i);
    const auto chunk = reader.Read(writer.Write(e.frame).Whole());
    ASSERT_THAT(chunk, IsOk());
    EXPECT_EQ(std::get<DataChunk>(*chunk).normalized_rotations, 0);
    EXPECT_EQ(std::get<DataChunk>(*chunk).audio->samples, e.audio);
  }
}

TEST(FrameWriterDeathTest, APoseOfAnotherSizeEndsTheProgram) {
  FrameWriter writer(3, 2);
  const skel::Pose pose(3, 1);
  OutputFrame frame;
  frame.pose = pose.view();
  EXPECT_DEATH(writer.Write(frame), "");
}

TEST(EncodeHeader, ParsesToTheSameHeader) {
  StreamHeader header;
  header.ids = {"r", "s", "t"};
  header.source_service_id = "posewire";
  header.audio_rate_hz = 44100;
  header.shapes = {"jawOpen", ""};
  header.joints = {std::string(300, 'j'), "b"};
  header.epoch_s = 1.7e9;
  const EncodedFrame frame = EncodeHeader(header);
  const auto m = Parse(frame.Whole()).animation_data_stream_header();
  EXPECT_EQ(m.animation_ids().request_id(), "r");
  EXPECT_EQ(m.animation_ids().stream_id(), "s");
  EXPECT_EQ(m.animation_ids().target_object_id(), "t");
  EXPECT_EQ(m.source_service_id(), "posewire");
  EXPECT_EQ(m.audio_header().samples_per_second(), 44100u);
  EXPECT_EQ(m.audio_header().channel_count(), 1u);
  EXPECT_EQ(m.audio_header().bits_per_sample(), 16u);
  EXPECT_THAT(m.skel_animation_header().blend_shapes(), ::testing::ElementsAreArray(header.shapes));
  EXPECT_THAT(m.skel_animation_header().joints(), ::testing::ElementsAreArray(header.joints));
  EXPECT_EQ(m.start_time_code_since_epoch(), 1.7e9);
  EXPECT_FALSE(frame.is_data());
  EXPECT_EQ(Join(frame.WithoutPose()), Join(frame.Whole()));
}

TEST(EncodeHeader, PassesUnknownFieldsOnBitForBit) {
  StreamHeader header;
  header.ids = {"r", "s", ""};
  header.epoch_s = 1;
  // Field 6, its length not the shortest, and a group.
  header.unknown_fields = std::string("\x32\x83\x00\x0a\x01k\x53\x54", 8);
  const std::string bytes = Join(EncodeHeader(header).Whole());
  EXPECT_EQ(bytes.substr(bytes.size() - 8), header.unknown_fields);
  const auto m = Parse(EncodeHeader(header).Whole()).animation_data_stream_header();
  EXPECT_EQ(m.animation_ids().stream_id(), "s");
  EXPECT_EQ(m.start_time_code_since_epoch(), 1);
  FrameReader reader;
  const auto chunk = reader.Read(EncodeHeader(header).Whole());
  ASSERT_THAT(chunk, IsOk());
  EXPECT_EQ(std::get<StreamHeader>(*chunk).unknown_fields, header.unknown_fields);
}

TEST(EncodeHeader, LeavesOutWhatIsAbsent) {
  const auto m = Parse(EncodeHeader({}).Whole()).animation_data_stream_header();
  EXPECT_FALSE(m.has_source_service_id());
  EXPECT_FALSE(m.has_audio_header());
  EXPECT_FALSE(m.has_skel_animation_header());
}

TEST(EncodeStatus, ParsesToTheSameStatus) {
  const EncodedFrame frame = EncodeStatus(StatusChunk::kError, "source lost");
  const auto m = Parse(frame.Whole());
  EXPECT_EQ(m.status().code(), nvidia_ace::status::v1::Status::ERROR);
  EXPECT_EQ(m.status().message(), "source lost");
  EXPECT_FALSE(frame.is_data());
  EXPECT_TRUE(Parse(EncodeStatus(StatusChunk::kSuccess, "").Whole()).has_status());
}

TEST(EncodedFrame, DefaultIsEmpty) {
  const EncodedFrame frame;
  EXPECT_FALSE(frame);
  EXPECT_EQ(frame.size(), 0u);
  EXPECT_EQ(Join(frame.Whole()), "");
}

}  // namespace
}  // namespace posewire::wire
