// What a stage holds beside the pose: its camera and its voice.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/clipio/clip_writer.h"
#include "libs/clipio/open_clip.h"
#include "libs/recording/clip_reader.h"
#include "nvidia_ace.animation_data.v1.pb.h"
#include "tests/unit/clipio/clips.h"
#include "tests/unit/clipio/parsed_message.h"
#include "tests/unit/clipio/pcm.h"

namespace posewire::clipio {
namespace {

namespace ace = nvidia_ace::animation_data::v1;
using ::testing::HasSubstr;
using ::testing::Not;
using Files = std::map<std::string, std::string>;

ReadClip ReadStage(const Files& files, const std::string& name = "take.usda") {
  OpenOptions options;
  options.sidecar = [&](const std::string& path) -> absl::StatusOr<std::string> {
    const auto it = files.find(path.substr(path.rfind('/') + 1));
    if (it == files.end()) return absl::NotFoundError(absl::StrCat(path, ": is not there"));
    return it->second;
  };
  return ReadAll(OpenClip(std::make_unique<files::MemorySource>(name, files.at(name)), options));
}

Files WriteStage(const Messages& messages, bool split = false) {
  Files files;
  WriteOptions options;
  options.split_usd = split;
  options.stem = "take";
  options.sidecar =
      [&](const std::string& ending) -> absl::StatusOr<std::unique_ptr<files::ByteSink>> {
    const std::string name = absl::StrCat("take", ending);
    return std::make_unique<files::MemorySink>(name, &files[name]);
  };
  auto writer = ClipWriter::Open(
      std::make_unique<files::MemorySink>("take.usda", &files["take.usda"]), options);
  EXPECT_TRUE(writer.ok());
  for (const auto& message : messages) EXPECT_TRUE((*writer)->Write(message).ok());
  const absl::Status s = (*writer)->Close();
  EXPECT_TRUE(s.ok()) << s;
  return files;
}

ace::AnimationDataStream Header(int audio_hz) {
  ace::AnimationDataStream out;
  auto& header = *out.mutable_animation_data_stream_header();
  header.mutable_skel_animation_header()->add_joints("Hips");
  if (audio_hz == 0) return out;
  header.mutable_audio_header()->set_samples_per_second(static_cast<uint32_t>(audio_hz));
  header.mutable_audio_header()->set_channel_count(1);
  header.mutable_audio_header()->set_bits_per_sample(16);
  return out;
}

void AddPose(double time_code_s, ace::AnimationData& data) {
  auto& turn = *data.mutable_skel_animation()->add_rotations();
  turn.set_time_code(time_code_s);
  turn.add_values()->set_real(1);
  auto& place = *data.mutable_skel_animation()->add_translations();
  place.set_time_code(time_code_s);
  place.add_values()->set_y(1);
}

// Frames at 30 a second from `start_s` on, with a share of a voice of 16 kHz.
Messages Spoken(int frames, double start_s = 0) {
  Messages out = {Header(16000)};
  for (int i = 0; i < frames; ++i) {
    auto& data = *out.emplace_back().mutable_animation_data();
    AddPose((start_s * 30 + i) / 30, data);
    data.mutable_audio()->set_time_code(start_s + i * 533 / 16000.0);
    data.mutable_audio()->set_audio_buffer(Pcm(i * 533, 533));
  }
  out.emplace_back().mutable_status();
  return out;
}

struct Voice {
  double first_s = -1;
  std::string pcm;
};
Voice VoiceOf(const Messages& messages) {
  Voice out;
  for (const auto& message : messages) {
    if (!message.animation_data().has_audio()) continue;
    const auto& audio = message.animation_data().audio();
    if (out.pcm.empty()) out.first_s = audio.time_code();
    EXPECT_NEAR(audio.time_code(), out.first_s + static_cast<double>(out.pcm.size()) / 2 / 16000,
                1e-9);
    out.pcm += audio.audio_buffer();
  }
  return out;
}

TEST(UsdaScene, ACameraComesBack) {
  Messages clip = {Header(0)};
  for (int i = 0; i < 20; ++i) {
    auto& data = *clip.emplace_back().mutable_animation_data();
    const double time_code_s = i / 30.0;
    const auto f = static_cast<float>(i);
    AddPose(time_code_s, data);
    auto& camera = *data.mutable_camera();
    auto& position = *camera.add_position();
    position.set_time_code(time_code_s);
    position.mutable_value()->set_x(f / 7);
    position.mutable_value()->set_z(2 + f / 3);
    auto& rotation = *camera.add_rotation();
    rotation.set_time_code(time_code_s);
    rotation.mutable_value()->set_real(std::cos(f / 20));
    rotation.mutable_value()->set_j(std::sin(f / 20));
    if (i % 2 == 0) {
      camera.add_focal_length()->set_time_code(time_code_s);
      camera.mutable_focal_length(0)->set_value(24 + 3.3f * f);
    }
    if (i == 3) {
      camera.add_focus_distance()->set_time_code(time_code_s);
      camera.mutable_focus_distance(0)->set_value(2.5f);
    }
  }
  clip.emplace_back().mutable_status();
  const Messages again = Good(ReadStage(WriteStage(clip)));
  ASSERT_EQ(again.size(), clip.size());
  for (size_t i = 1; i + 1 < clip.size(); ++i) {
    const auto& a = clip[i].animation_data().camera();
    const auto& b = again[i].animation_data().camera();
    ASSERT_EQ(b.position_size(), 1) << i;
    EXPECT_EQ(a.position(0).time_code(), b.position(0).time_code());
    EXPECT_EQ(a.position(0).value().x(), b.position(0).value().x());
    EXPECT_EQ(a.position(0).value().z(), b.position(0).value().z());
    ASSERT_EQ(b.rotation_size(), 1);
    EXPECT_NEAR(a.rotation(0).value().real(), b.rotation(0).value().real(), 1e-6);
    EXPECT_NEAR(a.rotation(0).value().j(), b.rotation(0).value().j(), 1e-6);
    ASSERT_EQ(a.focal_length_size(), b.focal_length_size()) << i;
    if (a.focal_length_size() > 0) {
      EXPECT_NEAR(a.focal_length(0).value(), b.focal_length(0).value(), 1e-5);
    }
    ASSERT_EQ(a.focus_distance_size(), b.focus_distance_size()) << i;
    for (const auto& key : b.focus_distance()) EXPECT_EQ(key.value(), 2.5f);
  }
}

constexpr char kMoved[] = R"(
 def Skeleton "S" { uniform token[] joints = ["A"]
  rel skel:animationSource = </R/One> }
 def SkelAnimation "One" { uniform token[] joints = ["A"]
  float3[] translations.timeSamples = { 0: [(1, 0, 0)], 24: [(2, 0, 0)] }
  quatf[] rotations = [(1, 0, 0, 0)]
  half3[] scales = [(1, 1, 1)] }
)";

TEST(UsdaScene, ACameraOfAnotherStageIsBroughtIntoOurSpaceAndOurPicture) {
  // Of Z-up centimetres: stands 3 m before the origin, looks along the stage's +Y.
  const Messages out = Good(ReadStage({{"take.usda", absl::StrCat(R"(#usda 1.0
( timeCodesPerSecond = 24; metersPerUnit = 0.01; upAxis = "Z" )
def SkelRoot "R" {)",
                                                                  kMoved, R"(}
def Camera "other" { float focalLength = 1 }
def Xform "Rig" { double3 xformOp:translate = (0, -300, 160)
 uniform token[] xformOpOrder = ["xformOp:translate"]
 def Camera "main_cam" { float focalLength.timeSamples = { -24: 40, 24: 60 }
  float focusDistance = 250
  float verticalAperture = 16
  float xformOp:rotateX = 90
  uniform token[] xformOpOrder = ["xformOp:rotateX"] } })")}}));
  ASSERT_GE(out.size(), 3u);
  const auto& camera = out[1].animation_data().camera();
  ASSERT_EQ(camera.position_size(), 1);
  EXPECT_NEAR(camera.position(0).value().x(), 0, 1e-6);
  EXPECT_NEAR(camera.position(0).value().y(), 1.6, 1e-6);
  EXPECT_NEAR(camera.position(0).value().z(), 3, 1e-6);
  // Our cameras look along -Z, and so does this one.
  EXPECT_NEAR(std::abs(camera.rotation(0).value().real()), 1, 1e-6);
  // What was before the first pose is as it is then.
  ASSERT_EQ(camera.focal_length_size(), 1);
  EXPECT_NEAR(camera.focal_length(0).value(), 50 * 24 / 16., 1e-4);
  EXPECT_EQ(camera.focal_length(0).time_code(), 0);
  EXPECT_NEAR(camera.focus_distance(0).value(), 2.5, 1e-6);
}

TEST(UsdaScene, AVoiceIsAFileThatTheStageNames) {
  for (const double start_s : {0.0, 2.5}) {
    const Messages clip = Spoken(60, start_s);
    const Files files = WriteStage(clip);
    EXPECT_THAT(files.at("take.usda"), HasSubstr("uniform asset filePath = @./take.wav@"));
    EXPECT_THAT(files.at("take.usda"),
                HasSubstr(absl::StrCat("uniform timecode startTime = ", start_s * 30, "\n")));
    EXPECT_EQ(files.at("take.wav").size(), 44u + 60 * 533 * 2);
    const Messages again = Good(ReadStage(files));
    EXPECT_EQ(again[0].animation_data_stream_header().audio_header().samples_per_second(), 16000u);
    const Voice heard = VoiceOf(again);
    EXPECT_NEAR(heard.first_s, start_s, 1e-9);
    EXPECT_TRUE(heard.pcm == VoiceOf(clip).pcm);
  }
}

TEST(UsdaScene, RigAndClipApartAreReadAsOne) {
  Messages clip = Spoken(30);
  for (size_t i = 1; i <= 30; ++i) {
    auto& position = *clip[i].mutable_animation_data()->mutable_camera()->add_position();
    position.set_time_code(static_cast<double>(i - 1) / 30);
    position.mutable_value()->set_x(static_cast<float>(i));
  }
  const Files whole = WriteStage(clip), split = WriteStage(clip, true);
  EXPECT_THAT(split.at("take.usda"), HasSubstr("references = @./take.rig.usda@"));
  EXPECT_THAT(split.at("take.usda"), HasSubstr("references = @./take.clip.usda@"));
  EXPECT_THAT(split.at("take.rig.usda"), Not(HasSubstr("timeSamples")));
  EXPECT_THAT(split.at("take.clip.usda"), Not(HasSubstr("restTransforms")));
  const Messages a = Good(ReadStage(whole)), b = Good(ReadStage(split));
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].SerializeAsString(), b[i].SerializeAsString()) << i;
  }
  // The clip alone is one too.
  const auto alone = ReadStage(split, "take.clip.usda");
  ASSERT_TRUE(alone.end.ok()) << alone.end;
  EXPECT_EQ(alone.messages.size(), a.size());
}

TEST(UsdaScene, AGapInAVoiceIsSilence) {
  Messages clip = Spoken(30);
  clip[10].mutable_animation_data()->clear_audio();
  std::string expected = VoiceOf(Spoken(30)).pcm;
  std::fill(expected.begin() + 9 * 1066, expected.begin() + 10 * 1066, '\0');
  EXPECT_TRUE(VoiceOf(Good(ReadStage(WriteStage(clip)))).pcm == expected);
}

TEST(UsdaScene, TheTimesOfASoundAreKept) {
  const std::string wav = WriteStage(Spoken(60)).at("take.wav");
  const auto stage = [&](const std::string& times) {
    return Files{{"take.usda", absl::StrCat(R"(#usda 1.0
( timeCodesPerSecond = 24 )
def SkelRoot "R" {)",
                                            kMoved, R"(
 def SpatialAudio "Crowd" { uniform asset filePath = @crowd.mp3@ }
 def SpatialAudio "V" { uniform asset filePath = @sound/take.wav@ )",
                                            times, "} }")},
                 {"take.wav", wav}};
  };
  const std::string whole = VoiceOf(Spoken(60)).pcm;
  EXPECT_TRUE(VoiceOf(Good(ReadStage(stage("")))).pcm == whole);
  const Voice late = VoiceOf(Good(ReadStage(stage("uniform timecode startTime = 12"))));
  EXPECT_NEAR(late.first_s, 0.5, 1e-9);
  EXPECT_TRUE(late.pcm == whole);
  const Voice early = VoiceOf(Good(ReadStage(stage("uniform timecode startTime = -6"))));
  EXPECT_EQ(early.first_s, 0);
  EXPECT_TRUE(early.pcm == whole.substr(2 * 4000));
  const Voice skipped = VoiceOf(Good(ReadStage(stage(R"(uniform double mediaOffset = 0.5
    uniform token playbackMode = "onceFromStartToEnd"
    uniform timecode startTime = 6
    uniform timecode endTime = 12)"))));
  EXPECT_NEAR(skipped.first_s, 0.25, 1e-9);
  EXPECT_TRUE(skipped.pcm == whole.substr(2 * 8000, 2 * 4000));
}

TEST(UsdaScene, AVoiceThatCannotBeReadIsSaid) {
  Files files = WriteStage(Spoken(3));
  files["take.wav"].resize(30);
  EXPECT_THAT(
      std::string(ReadStage(files).end.message()),
      HasSubstr("take.wav, the voice next to the clip, is a WAV file that ends before its data"));
  files.erase("take.wav");
  EXPECT_THAT(std::string(ReadStage(files).end.message()), HasSubstr("take.wav: is not there"));
  // Who may read no other file has no voice.
  auto alone = OpenClip(std::make_unique<files::MemorySource>("take.usda", files["take.usda"]));
  ASSERT_TRUE(alone.ok());
  const auto header = NextParsed(**alone);
  ASSERT_TRUE(header.ok()) << header.status();
  EXPECT_FALSE((*header)->animation_data_stream_header().has_audio_header());
}

TEST(UsdaScene, WithoutAVoiceOrAPlaceForItThereIsNone) {
  Messages mute = Spoken(3);
  for (auto& message : mute) {
    if (message.has_animation_data()) message.mutable_animation_data()->clear_audio();
  }
  EXPECT_THAT(WriteStage(mute).at("take.usda"), Not(HasSubstr("SpatialAudio")));
  std::string out;
  auto writer = ClipWriter::Open(std::make_unique<files::MemorySink>("take.usda", &out));
  for (const auto& message : Spoken(3)) EXPECT_TRUE((*writer)->Write(message).ok());
  EXPECT_TRUE((*writer)->Close().ok());
  EXPECT_THAT(out, Not(HasSubstr("SpatialAudio")));
}

}  // namespace
}  // namespace posewire::clipio
