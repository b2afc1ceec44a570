#include "services/a2f_source/core/play_source.h"

#include <cmath>
#include <fstream>
#include <string>
#include <variant>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "libs/client/message_times.h"
#include "tests/unit/a2f_source/test_clip.h"

namespace posewire::a2f_source {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::unique_ptr<PlaySource> Open(const std::string& path, const PlayOptions& options = {}) {
  auto source = PlaySource::Open(path, options);
  EXPECT_TRUE(source.ok()) << source.status();
  return *std::move(source);
}

std::vector<double> PoseCodes(PlaySource& source, int messages) {
  std::vector<double> codes;
  for (int i = 0; i < messages; ++i) {
    auto data = source.Next();
    EXPECT_TRUE(data.ok()) << data.status();
    if (!data.ok() || !*data) break;
    for (const auto& key : std::get<AnimationData>(**data).skel_animation().blend_shape_weights()) {
      codes.push_back(key.time_code());
    }
  }
  return codes;
}

TEST(PlaySource, GivesTheHeaderTheDataAndTheStatusesWhereTheyStand) {
  AnimationDataStream status;
  status.mutable_status()->set_message("starts");
  for (const char* name : {"plain.animdata", "plain.jsonl"}) {
    auto source = Open(WriteClip(
        name, {HeaderMessage(), status, FrameMessage(0), status, FrameMessage(0.5), status}));
    const auto header = source->Header();
    ASSERT_TRUE(header.ok()) << header.status();
    EXPECT_EQ(header->skel_animation_header().blend_shapes(0), "jawOpen");
    std::string parts;
    while (true) {
      const auto part = source->Next();
      ASSERT_TRUE(part.ok()) << part.status();
      if (!*part) break;
      const bool data = std::holds_alternative<AnimationData>(**part);
      parts += data ? 'd' : std::get<nvidia_ace::status::v1::Status>(**part).message()[0];
    }
    EXPECT_EQ(parts, "sdsds");
  }
}

TEST(PlaySource, ALoopHasNoStatuses) {
  AnimationDataStream last;
  last.mutable_status()->set_message("over");
  auto source = Open(
      WriteClip("loop_status.animdata", {HeaderMessage(0), FrameMessage(0), FrameMessage(1), last}),
      {.loop = true});
  ASSERT_TRUE(source->Header().ok());
  EXPECT_THAT(PoseCodes(*source, 4), ElementsAre(0, 1, 2, 3));
}

TEST(PlaySource, RefusesFilesThatAreNoStream) {
  EXPECT_EQ(PlaySource::Open("/nowhere/clip.animdata").status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(PlaySource::Open("clip.mp4").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Open(WriteClip("empty.animdata", {}))->Header().status().code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(Open(WriteClip("headless.animdata", {FrameMessage(0)}))->Header().status().code(),
            absl::StatusCode::kFailedPrecondition);
  auto twice = Open(WriteClip("twice.animdata", {HeaderMessage(), HeaderMessage()}));
  ASSERT_TRUE(twice->Header().ok());
  EXPECT_THAT(std::string(twice->Next().status().message()), HasSubstr("message 2"));
}

TEST(PlaySource, ATornTailComesAfterWhatIsWhole) {
  const std::string path = WriteClip("torn.animdata", {HeaderMessage(), FrameMessage(0)});
  std::ofstream(path, std::ios::app | std::ios::binary) << "\x7f"
                                                        << "abc";
  auto source = Open(path);
  ASSERT_TRUE(source->Header().ok());
  EXPECT_TRUE(source->Next().ok());
  EXPECT_EQ(source->Next().status().code(), absl::StatusCode::kDataLoss);
}

TEST(PlaySource, ALoopGoesOnWithoutASeam) {
  std::vector<AnimationDataStream> clip = {HeaderMessage(0)};
  for (int k = 0; k < 90; ++k) clip.push_back(FrameMessage(7 + k / 30.0));
  auto source = Open(WriteClip("loop.animdata", clip), {.loop = true});
  ASSERT_TRUE(source->Header().ok());
  const std::vector<double> codes = PoseCodes(*source, 90 * 20);
  ASSERT_EQ(codes.size(), 90u * 20);
  for (size_t k = 0; k < codes.size(); ++k) {
    // Every key of every pass lies on the grid of the first.
    ASSERT_NEAR(codes[k], 7 + static_cast<double>(k) / 30, 1e-9) << k;
  }
  EXPECT_EQ(source->passes(), 20);
}

TEST(PlaySource, ALoopWaitsForItsVoice) {
  // The voice ends 0.25 s after the last key: 7.5 steps.
  std::vector<AnimationDataStream> clip = {HeaderMessage(16000)};
  for (int k = 0; k < 30; ++k) clip.push_back(FrameMessage(k / 30.0, k == 29 ? 4000 : 0));
  auto source = Open(WriteClip("voice.animdata", clip), {.loop = true});
  ASSERT_TRUE(source->Header().ok());
  const std::vector<double> codes = PoseCodes(*source, 31);
  EXPECT_NEAR(codes[30], 37 / 30.0, 1e-9);
}

TEST(PlaySource, ALoopOfUnevenKeysStillRises) {
  auto source = Open(WriteClip("uneven.animdata", {HeaderMessage(0), FrameMessage(0),
                                                   FrameMessage(0.1), FrameMessage(0.37)}),
                     {.loop = true});
  ASSERT_TRUE(source->Header().ok());
  const std::vector<double> codes = PoseCodes(*source, 9);
  for (size_t i = 1; i < codes.size(); ++i) EXPECT_GT(codes[i], codes[i - 1] + 0.05);
  EXPECT_NEAR(codes[3], 0.47, 1e-9);
}

TEST(PlaySource, ALoopOfOneMessageWithTheWholeClip) {
  AnimationDataStream all;
  for (int k = 0; k < 25; ++k) AddKey(k / 25.0, *all.mutable_animation_data());
  auto source = Open(WriteClip("one.animdata", {HeaderMessage(0), all}), {.loop = true});
  ASSERT_TRUE(source->Header().ok());
  const std::vector<double> codes = PoseCodes(*source, 3);
  ASSERT_EQ(codes.size(), 75u);
  for (size_t k = 0; k < codes.size(); ++k) {
    EXPECT_NEAR(codes[k], static_cast<double>(k) / 25, 1e-9);
  }
}

TEST(PlaySource, ALoopWithoutCodesEnds) {
  AnimationDataStream empty;
  empty.mutable_animation_data();
  auto source = Open(WriteClip("timeless.animdata", {HeaderMessage(), empty}), {.loop = true});
  ASSERT_TRUE(source->Header().ok());
  EXPECT_TRUE(source->Next().ok());
  EXPECT_EQ(source->Next().status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(PlaySource::Open("-", {.loop = true}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(PlaySource, CutsMessagesOverTheLimit) {
  AnimationDataStream all;
  for (int k = 0; k < 1000; ++k) AddKey(k / 30.0, *all.mutable_animation_data());
  auto& audio = *all.mutable_animation_data()->mutable_audio();
  audio.set_time_code(0);
  std::string samples;
  for (int i = 0; i < 500000; ++i) samples += static_cast<char>(i * 31 % 251);
  audio.set_audio_buffer(samples);
  auto source =
      Open(WriteClip("large.animdata", {HeaderMessage(16000), all}), {.message_bytes = 20000});
  ASSERT_TRUE(source->Header().ok());
  double pose_s = -1;
  int64_t position = 0;
  std::string got;
  int keys = 0, messages = 0;
  while (true) {
    auto part = source->Next();
    ASSERT_TRUE(part.ok()) << part.status();
    if (!*part) break;
    const auto& data = std::get<AnimationData>(**part);
    ++messages;
    EXPECT_LE(data.ByteSizeLong(), 20000u);
    for (const auto& key : data.skel_animation().blend_shape_weights()) {
      EXPECT_GT(key.time_code(), pose_s);
      pose_s = key.time_code();
      EXPECT_EQ(key.values(0), static_cast<float>(pose_s));
      ++keys;
    }
    if (data.has_audio()) {
      EXPECT_EQ(std::lround(data.audio().time_code() * 16000), position);
      got += data.audio().audio_buffer();
      position = static_cast<int64_t>(got.size() / 2);
    }
  }
  EXPECT_EQ(keys, 1000);
  EXPECT_EQ(got, samples);
  EXPECT_GT(messages, 25);
}

TEST(PlaySource, SaysWhatCannotBeCut) {
  AnimationDataStream large;
  auto& key = *large.mutable_animation_data()->mutable_skel_animation()->add_blend_shape_weights();
  for (int i = 0; i < 10000; ++i) key.add_values(1);
  auto source =
      Open(WriteClip("uncut.animdata", {HeaderMessage(), large}), {.message_bytes = 2000});
  ASSERT_TRUE(source->Header().ok());
  EXPECT_EQ(source->Next().status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace posewire::a2f_source
