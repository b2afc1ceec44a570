// Voices in buffers of any number of bytes, as text-to-speech services send them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "libs/wire/edit_codes.h"
#include "libs/wire/frame_reader.h"
#include "tests/support/allocation_count.h"
#include "tests/unit/wire/status_matchers.h"
#include "tests/unit/wire/stream_messages.h"

namespace posewire::wire {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double kVoiceRate_hz = 16000;  // SmallHeader's

std::string NumberedVoice(int samples) {
  std::string bytes;
  for (int i = 0; i < samples; ++i) {
    bytes += static_cast<char>(i & 0xff);
    bytes += static_cast<char>(i >> 8);
  }
  return bytes;
}

// The bytes in pieces of these sizes, over and over, each with the code at which it begins.
std::vector<ace::AnimationDataStream> InPieces(const std::string& bytes,
                                               const std::vector<size_t>& sizes) {
  std::vector<ace::AnimationDataStream> messages;
  for (size_t at = 0, i = 0; at < bytes.size(); ++i) {
    const size_t size = std::min(sizes[i % sizes.size()], bytes.size() - at);
    messages.push_back(Audio(static_cast<double>(at / 2) / kVoiceRate_hz, bytes.substr(at, size)));
    at += size;
  }
  return messages;
}

std::string BytesOf(const std::vector<int16_t>& samples) {
  return {reinterpret_cast<const char*>(samples.data()), samples.size() * sizeof(int16_t)};
}

std::string SamplesRead(FrameReader& reader,
                        const std::vector<ace::AnimationDataStream>& messages) {
  std::string read;
  for (const auto& message : messages) {
    const auto chunk = ReadData(reader, message);
    EXPECT_THAT(chunk, IsOk());
    if (!chunk.ok()) return read;
    if (!chunk->audio) continue;
    EXPECT_FALSE(chunk->audio->half);
    read += BytesOf(chunk->audio->samples);
  }
  return read;
}

TEST(HalfSamples, BuffersOfAnySizeGiveTheSamplesOfEvenOnes) {
  const std::string voice = NumberedVoice(9000);
  for (const std::vector<size_t>& sizes : std::vector<std::vector<size_t>>{
           {4063, 1697}, {1}, {3}, {1, 1, 2}, {1067, 1066}, {4095}, {2, 1}, {960, 961}}) {
    FrameReader reader = ReaderAfterHeader();
    EXPECT_EQ(SamplesRead(reader, InPieces(voice, sizes)), voice) << sizes[0];
    EXPECT_EQ(reader.dropped_half_samples(), 0) << sizes[0];
    EXPECT_EQ(reader.HalfSamplesText(), "");
  }
}

TEST(HalfSamples, RandomPiecesGiveTheSamplesOfEvenOnesByBothWays) {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    const std::string voice = NumberedVoice(1 + static_cast<int>(random() % 3000));
    std::vector<size_t> sizes(1 + random() % 20);
    for (size_t& size : sizes) size = 1 + random() % 900;
    std::vector<ace::AnimationDataStream> messages = InPieces(voice, sizes);
    // Metadata sends a message the general way.
    for (auto& message : messages) {
      if (random() % 2 == 0) (*message.mutable_animation_data()->mutable_metadata())["a"];
    }
    FrameReader reader = ReaderAfterHeader();
    ASSERT_EQ(SamplesRead(reader, messages), voice) << round;
  }
}

TEST(HalfSamples, AHalfAtTheEndIsDroppedAndCounted) {
  FrameReader reader = ReaderAfterHeader();
  EXPECT_EQ(SamplesRead(reader, {Audio(0, "abc")}), "ab");
  EXPECT_EQ(reader.dropped_half_samples(), 1);
  EXPECT_THAT(reader.HalfSamplesText(), HasSubstr("1 half sample dropped"));
}

TEST(HalfSamples, AHalfBeforeAGapDoesNotShiftTheBytesAfterIt) {
  FrameReader reader = ReaderAfterHeader();
  EXPECT_EQ(SamplesRead(reader, {Audio(0, "abc"), Audio(1, "defg")}), "abdefg");
  EXPECT_EQ(reader.dropped_half_samples(), 1);
}

TEST(HalfSamples, SilentAndEmptyMessagesDoNotComeBetweenTheHalves) {
  FrameReader reader = ReaderAfterHeader();
  EXPECT_EQ(SamplesRead(reader, {Audio(0, "abc"), Weights(0.1, {1, 0}), Audio(0, ""),
                                 Audio(1 / kVoiceRate_hz, "d")}),
            "abcd");
}

TEST(HalfSamples, ALenientReaderPutsThemTogetherToo) {
  FrameReader reader = ReaderAfterHeader(ClientLimits());
  EXPECT_EQ(SamplesRead(reader, {Audio(0, "abc")}), "ab");
  // A faulty message is as if it had never come.
  EXPECT_FALSE(Read(reader, Weights(1, {1, 2, 3})).ok());
  EXPECT_EQ(SamplesRead(reader, {Audio(1 / kVoiceRate_hz, "def")}), "cdef");
  // A new header begins a new voice.
  EXPECT_EQ(SamplesRead(reader, {Audio(0, "abc")}), "ab");
  EXPECT_THAT(Read(reader, SmallHeader()), IsOk());
  EXPECT_EQ(SamplesRead(reader, {Audio(1 / kVoiceRate_hz, "de")}), "de");
}

TEST(HalfSamples, TheBytesOfAMessageGetTheWholeSamplesAndKeepTheRest) {
  FrameReader reader = ReaderAfterHeader();
  std::string kept;
  std::vector<ace::AnimationDataStream> messages = InPieces(NumberedVoice(500), {5, 7, 333, 3});
  for (ace::AnimationDataStream& sent : messages) {
    AddWeights(sent.animation_data().audio().time_code(), {0.25f, 0.5f}, &sent);
    auto& data = *sent.mutable_animation_data();
    data.GetReflection()->MutableUnknownFields(&data)->AddVarint(77, 5);
    data.audio().GetReflection()->MutableUnknownFields(data.mutable_audio())->AddVarint(78, 6);
    if (kept.size() > 2) sent.mutable_animation_data()->clear_skel_animation();
    Message message;
    message.bytes = std::make_shared<const std::string>(sent.SerializeAsString());
    ASSERT_THAT(reader.Read({SpanOf(message.bytes)}, &message.chunk), IsOk());
    SetWholeSamples(&message);
    ace::AnimationDataStream rest;
    ASSERT_TRUE(rest.ParseFromString(*message.bytes));
    kept += rest.animation_data().audio().audio_buffer();
    EXPECT_EQ(rest.animation_data().audio().audio_buffer().size() % 2, 0u);
    sent.mutable_animation_data()->mutable_audio()->clear_audio_buffer();
    rest.mutable_animation_data()->mutable_audio()->clear_audio_buffer();
    EXPECT_EQ(rest.SerializeAsString(), sent.SerializeAsString());
  }
  EXPECT_EQ(kept, NumberedVoice(500));
}

TEST(HalfSamples, ASteadyStreamOfOddBuffersAllocatesNothing) {
  std::vector<std::string> sent;
  for (const auto& message : InPieces(NumberedVoice(40000), {1067, 1065})) {
    sent.push_back(message.SerializeAsString());
  }
  FrameReader reader = ReaderAfterHeader();
  Chunk chunk;
  const auto read = [&](size_t i) {
    const absl::Span<const uint8_t> slices[] = {
        {reinterpret_cast<const uint8_t*>(sent[i].data()), sent[i].size()}};
    return reader.Read(slices, &chunk).ok();
  };
  for (size_t i = 0; i < 4; ++i) ASSERT_TRUE(read(i));
  const AllocationCount allocated;
  bool all = true;
  for (size_t i = 4; i < sent.size(); ++i) all = read(i) && all;
  EXPECT_EQ(allocated.count(), 0);
  EXPECT_TRUE(all);
}

}  // namespace
}  // namespace posewire::wire
