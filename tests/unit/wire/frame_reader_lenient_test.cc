// What a client's reader lets pass, and that a faulty message is as if it had not come.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "absl/strings/str_cat.h"
#include "libs/wire/frame_reader.h"
#include "tests/support/cpu_time.h"
#include "tests/unit/wire/stream_messages.h"

namespace posewire::wire {
namespace {

using ::testing::HasSubstr;

FrameReader Lenient() { return FrameReader(ClientLimits()); }
FrameReader LenientAfterHeader() { return ReaderAfterHeader(ClientLimits()); }

TEST(LenientReader, ReadsOnBehindFaultyMessages) {
  FrameReader reader = LenientAfterHeader();
  const std::string faulty[] = {
      Weights(1, {std::numeric_limits<float>::quiet_NaN(), 0}).SerializeAsString(),
      Weights(1, {0.5f}).SerializeAsString(),
      Weights(std::numeric_limits<double>::infinity(), {0, 0}).SerializeAsString(),
      "\x12\xff no message"};
  double time_code_s = 0;
  for (const std::string& bytes : faulty) {
    EXPECT_FALSE(ReadBytes(reader, bytes).ok());
    time_code_s += 0.5;
    const auto data = ReadData(reader, Weights(time_code_s, {0.25f, 0.5f}));
    ASSERT_TRUE(data.ok()) << data.status();
    EXPECT_EQ(data->earliest_time_code_s, time_code_s);
    EXPECT_THAT(data->pose[kWeights].values, ::testing::ElementsAre(0.25f, 0.5f));
  }
}

// A twin that never saw the faulty ones gives the same chunks.
TEST(LenientReader, AFaultyMessageIsAsIfItHadNotCome) {
  std::mt19937 random(3);
  FrameReader reader = LenientAfterHeader(), twin = LenientAfterHeader();
  for (int i = 0; i < 3000; ++i) {
    ace::AnimationDataStream message = Weights(i / 30.0, {0.5f, static_cast<float>(i)});
    AddRotations(i / 30.0, {{1, 0, 0, 0}, {0.6f, 0.8f, 0, 0}, {1, 0, 0, 0}}, &message);
    std::string bytes = message.SerializeAsString();
    std::string torn = bytes.substr(0, random() % bytes.size());
    if (!torn.empty()) torn[random() % torn.size()] = static_cast<char>(random());
    // As a header it would be one.
    if (torn.empty() || torn[0] != '\x0a') (void)ReadBytes(reader, torn);
    const auto a = ReadBytes(reader, bytes), b = ReadBytes(twin, bytes);
    ASSERT_TRUE(a.ok() && b.ok()) << a.status();
    ASSERT_EQ(std::get<DataChunk>(*a).pose[kWeights].values,
              std::get<DataChunk>(*b).pose[kWeights].values);
    ASSERT_EQ(std::get<DataChunk>(*a).pose[kRotations].values,
              std::get<DataChunk>(*b).pose[kRotations].values);
  }
}

TEST(LenientReader, CodesMayStandStillGoBackAndJump) {
  FrameReader reader = LenientAfterHeader();
  for (const double time_code_s : {5.0, 5.0, 4.0, 4000.0}) {
    EXPECT_TRUE(ReadData(reader, Weights(time_code_s, {0, 0})).ok()) << time_code_s;
    EXPECT_TRUE(ReadData(reader, Audio(time_code_s, "ab")).ok()) << time_code_s;
  }
  ace::AnimationDataStream message = Weights(1, {0, 0});
  AddWeights(0.5, {0, 0}, &message);
  EXPECT_THAT(ReadData(reader, message).status().message(), HasSubstr("must increase"));
}

// To compare each with each took the square of their number.
TEST(LenientReader, ManyMetadataEntriesTakeNoLong) {
  FrameReader reader = LenientAfterHeader();
  ace::AnimationDataStream m;
  for (int i = 0; i < 100'000; ++i) {
    (*m.mutable_animation_data()->mutable_metadata())[absl::StrCat("k", i)];
  }
  // Each key twice.
  std::string data = m.animation_data().SerializeAsString();
  data += data;
  std::string bytes(
      1, static_cast<char>(ace::AnimationDataStream::kAnimationDataFieldNumber << 3 | 2));
  for (size_t left = data.size(); left > 0; left >>= 7) {
    bytes += static_cast<char>((left & 0x7F) | (left > 0x7F ? 0x80 : 0));
  }
  bytes += data;
  const double cpu_s = test::CpuSeconds([&] {
    const auto chunk = ReadBytes(reader, bytes);
    ASSERT_THAT(chunk, IsOk());
    EXPECT_EQ(std::get<DataChunk>(*chunk).metadata.size(), 100'000u);
  });
  EXPECT_LT(cpu_s, 5);
}

TEST(LenientReader, WhatBoundsAServerDoesNotBoundIt) {
  FrameReader reader = Lenient();
  ace::AnimationDataStream header;
  auto& names = *header.mutable_animation_data_stream_header()->mutable_skel_animation_header();
  for (int i = 0; i < 2000; ++i) names.add_joints(absl::StrCat("joint", i));
  header.mutable_animation_data_stream_header()->mutable_animation_ids()->set_stream_id("a\nb");
  ASSERT_TRUE(Read(reader, header).ok());
  ace::AnimationDataStream message = Rotations(0, Quats(2000, {1, 0, 0, 0}));
  for (int i = 0; i < 100; ++i) {
    (*message.mutable_animation_data()->mutable_metadata())[absl::StrCat(i)].set_value("x");
  }
  const auto data = ReadData(reader, message);
  ASSERT_TRUE(data.ok()) << data.status();
  EXPECT_EQ(data->pose[kRotations].width, 8000);
  EXPECT_EQ(data->metadata.size(), 100u);
}

TEST(LenientReader, AStatusNeedsNoHeaderAndDataDoes) {
  FrameReader reader = Lenient();
  ace::AnimationDataStream status;
  status.mutable_status()->set_message("waits");
  const auto said = Read(reader, status);
  ASSERT_TRUE(said.ok()) << said.status();
  EXPECT_EQ(std::get<StatusChunk>(*said).message, "waits");
  EXPECT_EQ(Read(reader, Weights(0, {0, 0})).status().code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(Read(reader, SmallHeader()).ok());
  EXPECT_TRUE(Read(reader, Weights(0, {0, 0})).ok());
}

TEST(LenientReader, ASecondHeaderTakesThePlaceOfTheFirstUnlessItIsFaulty) {
  FrameReader reader = LenientAfterHeader();
  ace::AnimationDataStream other = SmallHeader();
  auto& names = *other.mutable_animation_data_stream_header()->mutable_skel_animation_header();
  names.add_blend_shapes("MouthClose");
  EXPECT_FALSE(Read(reader, other).ok()) << "twice the same shape";
  EXPECT_TRUE(Read(reader, Weights(0, {0, 0})).ok());
  names.set_blend_shapes(2, "MouthLeft");
  ASSERT_TRUE(Read(reader, other).ok());
  EXPECT_FALSE(Read(reader, Weights(1, {0, 0})).ok());
  EXPECT_TRUE(Read(reader, Weights(1, {0, 0, 0})).ok());
}

}  // namespace
}  // namespace posewire::wire
