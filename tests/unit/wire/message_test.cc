#include "libs/wire/message.h"

#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <variant>

#include "gtest/gtest.h"
#include "tests/unit/wire/stream_messages.h"

namespace posewire::wire {
namespace {

// Two shapes, three joints, of random keys.
DataChunk RandomData(std::mt19937& random) {
  DataChunk chunk;
  const auto number = [&] { return std::uniform_real_distribution<float>(-1, 1)(random); };
  const auto fill = [&](KeyBlock& block, int width, int floats) {
    block.width = width;
    const int keys = static_cast<int>(random() % 4);
    for (int k = 0; k < keys; ++k) {
      block.time_codes_s.push_back(0.1 * k);
      for (int i = 0; i < width; i += floats) {
        float v[4];
        for (float& f : v) f = number();
        const float length = std::hypot(std::hypot(v[0], v[1]), std::hypot(v[2], v[3]));
        for (int f = 0; f < floats; ++f) block.values.push_back(floats == 4 ? v[f] / length : v[f]);
      }
    }
  };
  fill(chunk.pose[kWeights], 2, 1);
  fill(chunk.pose[kTranslations], 9, 3);
  fill(chunk.pose[kRotations], 12, 4);
  fill(chunk.pose[kScales], 9, 3);
  fill(chunk.camera[kCameraPosition], 3, 3);
  fill(chunk.camera[kCameraRotation], 4, 4);
  fill(chunk.camera[kFocalLength], 1, 1);
  fill(chunk.camera[kFocusDistance], 1, 1);
  if (random() % 2 == 0) {
    chunk.audio.emplace().time_code_s = 0.25;
    for (auto n = 1 + random() % 500; n > 0; --n) {
      chunk.audio->samples.push_back(static_cast<int16_t>(random()));
    }
  }
  google::protobuf::Any any;
  any.set_type_url("type.googleapis.com/google.protobuf.StringValue");
  if (random() % 2 == 0) chunk.metadata.push_back({"mood", any.SerializeAsString()});
  return chunk;
}

TEST(SerializeData, IsReadAsItWas) {
  std::mt19937 random(1);
  for (int i = 0; i < 500; ++i) {
    const DataChunk chunk = RandomData(random);
    FrameReader reader;
    ASSERT_TRUE(Read(reader, SmallHeader()).ok());
    const auto read = ReadBytes(reader, *SerializeData(chunk));
    ASSERT_TRUE(read.ok()) << read.status();
    const auto& back = std::get<DataChunk>(*read);
    for (size_t t = 0; t < kPoseTracks; ++t) {
      EXPECT_EQ(back.pose[t].time_codes_s, chunk.pose[t].time_codes_s);
      ASSERT_EQ(back.pose[t].values.size(), chunk.pose[t].values.size());
      for (size_t v = 0; v < chunk.pose[t].values.size(); ++v) {
        EXPECT_NEAR(back.pose[t].values[v], chunk.pose[t].values[v], 1e-6f);
      }
    }
    for (size_t t = 0; t < kCameraTracks; ++t) {
      EXPECT_EQ(back.camera[t].time_codes_s, chunk.camera[t].time_codes_s);
    }
    ASSERT_EQ(back.audio.has_value(), chunk.audio.has_value());
    if (chunk.audio) {
      EXPECT_EQ(back.audio->time_code_s, chunk.audio->time_code_s);
      EXPECT_EQ(back.audio->samples, chunk.audio->samples);
    }
    ASSERT_EQ(back.metadata.size(), chunk.metadata.size());
    if (!chunk.metadata.empty()) {
      EXPECT_EQ(back.metadata[0].any, chunk.metadata[0].any);
    }
  }
}

TEST(SerializeData, OfNothingIsASignOfLife) {
  ace::AnimationDataStream message;
  ASSERT_TRUE(message.ParseFromString(*SerializeData({})));
  EXPECT_TRUE(message.has_animation_data());
}

TEST(MakeMessage, SerializesEachKind) {
  ace::AnimationDataStream message;
  ASSERT_TRUE(
      message.ParseFromString(*MakeMessage(StatusChunk{StatusChunk::kWarning, "slow"}).bytes));
  EXPECT_EQ(message.status().code(), nvidia_ace::status::v1::Status::WARNING);
  EXPECT_EQ(message.status().message(), "slow");
  StreamHeader header;
  header.ids.stream_id = "s";
  header.joints = {"Root"};
  ASSERT_TRUE(message.ParseFromString(*MakeMessage(header).bytes));
  EXPECT_EQ(message.animation_data_stream_header().animation_ids().stream_id(), "s");
}

TEST(ReadStatus, ReadsTheAnswerOfAPush) {
  nvidia_ace::status::v1::Status status;
  status.set_code(nvidia_ace::status::v1::Status::WARNING);
  status.set_message("slow");
  const auto bytes = std::make_shared<const std::string>(status.SerializeAsString());
  const auto read = ReadStatus(SpanOf(bytes));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_STREQ(CodeName(read->code), "WARNING");
  EXPECT_EQ(read->message, "slow");
  const auto torn = std::make_shared<const std::string>(bytes->substr(0, bytes->size() - 1));
  EXPECT_EQ(ReadStatus(SpanOf(torn)).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(TimesOf, SpansAllTracks) {
  DataChunk chunk;
  EXPECT_TRUE(TimesOf(chunk, 16000).empty());
  chunk.camera[kFocalLength] = {1, {0.5, 2}, {35, 35}};
  EXPECT_TRUE(std::isinf(TimesOf(chunk, 16000).first_pose_s));
  chunk.pose[kWeights] = {1, {1, 1.5}, {0, 0}};
  chunk.audio = AudioBuffer{1.75, std::vector<int16_t>(16000)};
  const ChunkTimes times = TimesOf(chunk, 16000);
  EXPECT_EQ(times.earliest_s, 0.5);
  EXPECT_EQ(times.latest_s, 2.75);
  EXPECT_EQ(times.first_pose_s, 1);
  EXPECT_EQ(times.newest_key_s, 2);
  EXPECT_EQ(TimesOf(chunk, 0).latest_s, 2);
}

}  // namespace
}  // namespace posewire::wire
