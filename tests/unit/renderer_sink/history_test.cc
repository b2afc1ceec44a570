#include "services/renderer_sink/view/history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_split.h"
#include "tests/support/no_temporary_folder.h"
#include "tests/unit/renderer_sink/messages.h"

namespace posewire::renderer_sink {
namespace {

constexpr double kEpoch_s = 1000;

wire::MessageBytes SerializedHeader(const std::string& shape = "jawOpen") {
  Message message;
  auto& header = *message.mutable_animation_data_stream_header();
  header.mutable_skel_animation_header()->add_blend_shapes(shape);
  header.mutable_audio_header()->set_samples_per_second(8000);
  header.mutable_audio_header()->set_channel_count(1);
  header.mutable_audio_header()->set_bits_per_sample(16);
  header.set_start_time_code_since_epoch(kEpoch_s);
  return std::make_shared<const std::string>(message.SerializeAsString());
}

void PushFrame(int frame, History& history) {
  const double time_code_s = frame / 10.0;
  Message message;
  auto& data = *message.mutable_animation_data();
  auto& key = *data.mutable_skel_animation()->add_blend_shape_weights();
  key.set_time_code(time_code_s);
  key.add_values(static_cast<float>(frame));
  data.mutable_audio()->set_time_code(time_code_s);
  data.mutable_audio()->set_audio_buffer(std::string(1600, static_cast<char>(frame)));
  history.OnMessage(std::make_shared<const std::string>(message.SerializeAsString()),
                    kEpoch_s + time_code_s, time_code_s);
}

int Lines(const History& history, double from_s, double to_s) {
  const auto clip = history.Clip("jsonl", from_s, to_s);
  if (!clip.ok()) return 0;
  return static_cast<int>(
      std::vector<std::string>(absl::StrSplit(*clip, '\n', absl::SkipEmpty())).size());
}

TEST(History, GivesWhatLiesBetweenTwoTimesBehindAHeader) {
  History history({});
  history.OnHeader(SerializedHeader(), true);
  for (int i = 0; i < 50; ++i) PushFrame(i, history);
  EXPECT_EQ(Lines(history, kEpoch_s + 0.95, kEpoch_s + 2.05), 1 + 11);
  EXPECT_EQ(Lines(history, 0, 1e12), 1 + 50);
}

TEST(History, GivesTheVoiceOfTheSameTime) {
  History history({});
  history.OnHeader(SerializedHeader(), true);
  for (int i = 0; i < 50; ++i) PushFrame(i, history);
  const auto wav = history.Clip("wav", kEpoch_s + 0.95, kEpoch_s + 2.05);
  ASSERT_TRUE(wav.ok()) << wav.status();
  ASSERT_EQ(wav->size(), 44u + 11 * 1600);
  EXPECT_EQ((*wav)[44], 10);
  EXPECT_EQ(wav->back(), 20);
}

TEST(History, KeepsTheBytesOfFaultyMessagesAndWhatFollowsThem) {
  History history({});
  history.OnHeader(SerializedHeader(), true);
  for (int i = 0; i < 5; ++i) PushFrame(i, history);
  history.OnMessage(Garbage(), kEpoch_s + 0.4, 0.4);
  for (int i = 5; i < 10; ++i) PushFrame(i, history);
  const auto clip = history.Clip("animdata", 0, 1e12);
  ASSERT_TRUE(clip.ok()) << clip.status();
  EXPECT_NE(clip->find(*Garbage()), std::string::npos);
  EXPECT_EQ(Lines(history, 0, 1e12), 1 + 10) << "JSON cannot hold it";
}

TEST(History, NeedsNoTemporaryFile) {
  const NoTemporaryFolder none;
  History history({});
  history.OnHeader(SerializedHeader(), true);
  for (int i = 0; i < 5; ++i) PushFrame(i, history);
  for (const char* extension : {"animdata", "jsonl", "wav"}) {
    const auto clip = history.Clip(extension, 0, 1e12);
    EXPECT_TRUE(clip.ok()) << extension << ": " << clip.status();
  }
}

TEST(History, ForgetsWhatIsOlderThanItsBound) {
  History history({.seconds = 2});
  history.OnHeader(SerializedHeader(), true);
  for (int i = 0; i < 100; ++i) PushFrame(i, history);
  EXPECT_EQ(Lines(history, 0, 1e12), 1 + 21);
}

TEST(History, ForgetsWhatIsOverItsMemory) {
  History history({.bytes = 60000});
  history.OnHeader(SerializedHeader(), true);
  for (int i = 0; i < 100; ++i) PushFrame(i, history);
  const int lines = Lines(history, 0, 1e12);
  EXPECT_GT(lines, 10);
  EXPECT_LT(lines, 60);
}

// A server that sends nothing but these never gets on in time.
TEST(History, CountsWhatASmallMessageTakesBesideItsBytes) {
  History history({.bytes = 60000});
  history.OnHeader(SerializedHeader(), true);
  PushFrame(0, history);
  for (int i = 0; i < 10000; ++i) history.OnMessage(Garbage(), kEpoch_s, 0);
  const auto clip = history.Clip("animdata", 0, 1e12);
  ASSERT_TRUE(clip.ok()) << clip.status();
  EXPECT_LT(clip->size(), 2000 * Garbage()->size());
}

TEST(History, GoesOnOverAReconnectionAndBeginsAnewWithOtherShapes) {
  History history({});
  history.OnHeader(SerializedHeader(), true);
  for (int i = 0; i < 5; ++i) PushFrame(i, history);
  history.OnHeader(SerializedHeader(), false);
  for (int i = 5; i < 10; ++i) PushFrame(i, history);
  EXPECT_EQ(Lines(history, 0, 1e12), 1 + 10);
  history.OnHeader(SerializedHeader("mouthClose"), true);
  for (int i = 10; i < 13; ++i) PushFrame(i, history);
  EXPECT_EQ(Lines(history, 0, 1e12), 1 + 3);
}

TEST(History, RejectsWhatItDoesNotHold) {
  History history({});
  EXPECT_EQ(history.Clip("jsonl", 0, 1e12).status().code(), absl::StatusCode::kNotFound);
  history.OnHeader(SerializedHeader(), true);
  PushFrame(0, history);
  EXPECT_EQ(history.Clip("jsonl", 0, 5).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(history.Clip("mp3", 0, 1e12).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(History, GivesAClipInTheFormatsOfOtherPrograms) {
  History history({});
  history.OnHeader(SerializedHeader(), true);
  for (int i = 0; i < 50; ++i) PushFrame(i, history);
  for (const char* format : {"glb", "vrma"}) {
    const auto clip = history.Clip(format, kEpoch_s + 1, kEpoch_s + 2);
    ASSERT_TRUE(clip.ok()) << format << ": " << clip.status();
    EXPECT_EQ(clip->substr(0, 4), "glTF") << format;
  }
  // BVH has joints alone, and this clip has none.
  EXPECT_EQ(history.Clip("bvh", 0, 1e12).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(history.Clip("fbx", 0, 1e12).status().message()),
              ::testing::HasSubstr("animdata, jsonl, glb, bvh, vrma, wav and not fbx"));
}

}  // namespace
}  // namespace posewire::renderer_sink
