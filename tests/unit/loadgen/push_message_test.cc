#include "tools/loadgen/push_message.h"

#include <gtest/gtest.h>

#include <variant>

#include "libs/wire/frame_reader.h"
#include "tools/loadgen/frame_scan.h"
#include "tools/loadgen/numbered_voice.h"

namespace posewire::loadgen {
namespace {

absl::Span<const uint8_t> Bytes(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

TEST(PushMessage, IsTakenByTheReaderAsOneStream) {
  auto message = PushMessage::Make();
  ASSERT_TRUE(message.ok()) << message.status();
  wire::FrameReader reader;
  const std::string header = message->Header("s", 12.5);
  auto chunk = reader.Read({Bytes(header)});
  ASSERT_TRUE(chunk.ok()) << chunk.status();
  EXPECT_EQ(std::get<wire::StreamHeader>(*chunk).joints.size(), 94);
  EXPECT_EQ(std::get<wire::StreamHeader>(*chunk).epoch_s, 12.5);
  size_t samples = 0;
  for (int64_t k = 0; k < 90; ++k) {
    const std::string frame = message->Frame(k);
    chunk = reader.Read({Bytes(frame)});
    ASSERT_TRUE(chunk.ok()) << chunk.status();
    const auto& data = std::get<wire::DataChunk>(*chunk);
    for (const auto& track : data.pose) {
      ASSERT_EQ(track.time_codes_s.size(), 1u);
      EXPECT_EQ(track.time_codes_s[0], static_cast<double>(k) / 30);
    }
    ASSERT_TRUE(data.audio.has_value());
    EXPECT_EQ(data.audio->time_code_s, static_cast<double>(k) / 30);
    samples += data.audio->samples.size();
  }
  EXPECT_EQ(samples, 48000u);
}

TEST(PushMessage, CarriesTheNumberedVoiceWithoutABreak) {
  auto message = PushMessage::Make();
  ASSERT_TRUE(message.ok()) << message.status();
  VoiceListener listener;
  for (int64_t k = 0; k < 200; ++k) {
    FrameFacts facts;
    ASSERT_TRUE(ScanFrame(Bytes(message->Frame(k)), facts));
    EXPECT_EQ(facts.kind, FrameFacts::kData);
    EXPECT_TRUE(facts.has_pose);
    EXPECT_EQ(facts.time_code_s, static_cast<double>(k) / 30);
    listener.Hear(facts.audio);
  }
  EXPECT_EQ(listener.breaks(), 0);
  EXPECT_EQ(listener.silent(), 0);
  EXPECT_EQ(listener.spoken(), 200 * 16000 / 30);
}

TEST(ScanFrame, ReadsHeadersAndStatuses) {
  auto message = PushMessage::Make();
  ASSERT_TRUE(message.ok()) << message.status();
  FrameFacts facts;
  ASSERT_TRUE(ScanFrame(Bytes(message->Header("s", 1.7e9)), facts));
  EXPECT_EQ(facts.kind, FrameFacts::kHeader);
  EXPECT_EQ(facts.epoch_s, 1.7e9);
  ASSERT_TRUE(ScanFrame(Bytes("\x1a\x02\x08\x01"), facts));
  EXPECT_EQ(facts.kind, FrameFacts::kStatus);
}

TEST(ScanFrame, RejectsWhatIsCutOff) {
  auto message = PushMessage::Make();
  ASSERT_TRUE(message.ok()) << message.status();
  const std::string frame = message->Frame(3);
  FrameFacts facts;
  for (size_t size : {size_t{0}, size_t{1}, size_t{2}, frame.size() / 2, frame.size() - 1}) {
    EXPECT_FALSE(ScanFrame(Bytes(frame).subspan(0, size), facts)) << size;
  }
}

}  // namespace
}  // namespace posewire::loadgen
