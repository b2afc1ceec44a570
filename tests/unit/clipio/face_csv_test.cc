#include "libs/formats/csv/face_csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "libs/clipio/clip_writer.h"
#include "libs/clipio/open_clip.h"
#include "libs/recording/clip_reader.h"
#include "libs/recording/voice_reader.h"
#include "nvidia_ace.animation_data.v1.pb.h"
#include "tests/unit/clipio/clips.h"
#include "tests/unit/clipio/temp_file.h"
#include "tests/unit/wire/status_matchers.h"
#include "tests/unit/wire/stream_messages.h"

namespace posewire::clipio {
namespace {

namespace ace = nvidia_ace::animation_data::v1;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr MemoryFile kFaceCsv{"face.csv"};

constexpr char kOfClient[] =
    ",timeCode,blendShapes.JawOpen,blendShapes.MouthClose,note\n"
    "0,0.0,0.25,-0.5,hello\n"
    "1,0.03333333333333333,1e-3,2,\n\n";

TEST(FaceCsv, TakesTheTableOfAudio2FacesClient) {
  const ReadClip read = kFaceCsv.Read(kOfClient);
  ASSERT_THAT(read.end, IsOk());
  EXPECT_THAT(read.shapes(), ElementsAre("JawOpen", "MouthClose"));
  ASSERT_EQ(read.messages.size(), 4u);
  EXPECT_EQ(read.weights(0).time_code(), 0);
  EXPECT_THAT(read.weights(0).values(), ElementsAre(0.25f, -0.5f));
  EXPECT_EQ(read.weights(1).time_code(), 1.0 / 30);
  EXPECT_THAT(read.weights(1).values(), ElementsAre(0.001f, 2.0f));
  EXPECT_TRUE(read.messages.back().has_status());
}

TEST(FaceCsv, TakesTheTableOfLiveLinkFace) {
  const ReadClip read = kFaceCsv.Read(
      "Timecode,BlendShapeCount,EyeBlinkLeft,JawOpen,MouthClose,HeadYaw,LeftEyePitch\r\n"
      "23:59:59:57.500,0,,,,,\r\n"
      "23:59:59:58.000,61,0.1,0.7,0.3,1,1\r\n"
      "23:59:59:58.000,61,0.9,0.9,0.9,1,1\r\n"
      "00:00:00:01.250,61,0.2,0.5,0.0,1,1\r\n");
  ASSERT_THAT(read.end, IsOk());
  EXPECT_THAT(read.shapes(), ElementsAre("EyeBlinkLeft", "JawOpen", "MouthClose"));
  ASSERT_EQ(read.messages.size(), 4u);
  EXPECT_EQ(read.weights(0).time_code(), 0);
  // ACE's mouthClose opens the jaw, Apple's does not.
  EXPECT_THAT(read.weights(0).values(), ElementsAre(0.1f, ::testing::FloatEq(0.4f), 0.3f));
  EXPECT_NEAR(read.weights(1).time_code(), 3.25 / 60, 1e-9);
  EXPECT_THAT(read.weights(1).values(), ElementsAre(0.2f, 0.5f, 0.0f));
}

TEST(FaceCsv, AWrittenFileReadsBackExactly) {
  Messages clip = {wire::SmallHeader()};
  for (int k = 0; k < 50; ++k) {
    clip.push_back(wire::Weights(k * 1001 / 30000.0, {static_cast<float>(k) / 7, -0.1f}));
  }
  std::string text;
  auto writer = ClipWriter::Open(std::make_unique<files::MemorySink>("face.csv", &text));
  ASSERT_THAT(writer, IsOk());
  for (const auto& m : clip) ASSERT_THAT((*writer)->Write(m), IsOk());
  ASSERT_THAT((*writer)->Close(), IsOk());
  EXPECT_EQ((*writer)->bytes(), static_cast<int64_t>(text.size()));
  const ReadClip back = kFaceCsv.Read(text);
  ASSERT_THAT(back.end, IsOk());
  ASSERT_EQ(back.messages.size(), clip.size() + 1);
  for (size_t k = 0; k < 50; ++k) {
    const auto& before = clip[k + 1].animation_data().skel_animation().blend_shape_weights(0);
    EXPECT_EQ(back.weights(k).SerializeAsString(), before.SerializeAsString());
  }
}

TEST(FaceCsv, AClipWithoutShapesIsRejected) {
  std::string text;
  auto writer = ClipWriter::Open(std::make_unique<files::MemorySink>("face.csv", &text));
  ASSERT_THAT(writer, IsOk());
  EXPECT_THAT((*writer)->Close(), Invalid(HasSubstr("the clip has no face shapes")));
}

TEST(FaceCsv, ErrorsNameTheLine) {
  const struct {
    const char *from, *to, *says;
  } cases[] = {
      {"timeCode", "time", "line 1: the first line must name the columns"},
      {"blendShapes.", "", "line 1: the first line must name the columns"},
      {",0.25", "", "line 2: has 4 columns; the first line names 5"},
      {"0.25", "nan", "line 2: \"nan\" stands for a weight"},
      {"1e-3", "1e39", "line 3: \"1e39\" stands for a weight"},
      {"0.0333", "-0.0333", "line 3: the time \"-0.03333333333333333\" does not come after"},
  };
  for (const auto& c : cases) {
    const std::string text = absl::StrReplaceAll(kOfClient, {{c.from, c.to}});
    EXPECT_THAT(kFaceCsv.Read(text).end,
                Invalid(AllOf(HasSubstr("face.csv: line"), HasSubstr(c.says))))
        << c.from;
  }
  EXPECT_THAT(kFaceCsv.Read("Timecode,BlendShapeCount,JawOpen\n12:00:61:00,61,0\n").end,
              Invalid(HasSubstr("line 2: Timecode \"12:00:61:00\"; must be HH:MM:SS:FF.fff")));
  EXPECT_THAT(DoubtfulFile{"face.csv"}.Read(kOfClient, "30").warnings,
              ElementsAre("face.csv: timeCode counts seconds; --fps is ignored"));
  EXPECT_THAT(kFaceCsv.Read("").end, Invalid(HasSubstr("line 1")));
  EXPECT_THAT(kFaceCsv.Read(std::string(300 << 10, 'x')).end,
              Invalid(HasSubstr("more than 256 KiB")));
}

// 480 samples a frame, numbered from 0.
std::string Wav(int samples, int rate_hz = 14400, const std::string& before = "") {
  const auto little = [](int64_t value, int bytes) {
    std::string out;
    for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xff);
    return out;
  };
  std::string pcm;
  for (int i = 0; i < samples; ++i) pcm += little(i, 2);
  return absl::StrCat("RIFF", little(36 + samples * 2, 4), "WAVE", before, "fmt ", little(16, 4),
                      little(1, 2), little(1, 2), little(rate_hz, 4), little(rate_hz * 2, 4),
                      little(2, 2), little(16, 2), "data", little(samples * 2, 4), pcm);
}

struct HeardSamples {
  std::vector<int> samples;
  int frames = 0;
  std::string warning;
  absl::Status end;
};

HeardSamples Hear(const std::string& path) {
  HeardSamples heard;
  auto reader = OpenClip(path);
  heard.end = reader.status();
  if (reader.ok()) heard.warning = absl::StrJoin((*reader)->warnings(), "; ");
  while (heard.end.ok()) {
    const auto message = (*reader)->Next();
    heard.end = message.status();
    if (!message.ok() || !*message) break;
    const wire::DataChunk* const data = (*message)->data();
    if (data == nullptr) continue;
    heard.frames += !data->pose[wire::kWeights].empty();
    if (!data->audio) continue;
    EXPECT_DOUBLE_EQ(data->audio->time_code_s, static_cast<double>(heard.samples.size()) / 14400);
    if (!data->pose[wire::kWeights].empty()) {
      EXPECT_LE(data->audio->time_code_s, data->earliest_time_code_s + 1.0 / 30 + 1e-9);
    }
    for (const int16_t s : data->audio->samples) heard.samples.push_back(s);
  }
  return heard;
}

// A clip with its WAV in a folder of their own.
struct VoiceFiles {
  std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / absl::StrCat("posewire_beside_", ::getpid());
  VoiceFiles() { std::filesystem::create_directory(folder); }
  ~VoiceFiles() { std::filesystem::remove_all(folder); }
  std::string Put(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder / name, std::ios::binary) << bytes;
    return (folder / name).string();
  }
};

TEST(SidecarVoice, IsReadWithTheClip) {
  const VoiceFiles files;
  const std::string clip = files.Put("animation_frames.csv", kOfClient);
  EXPECT_TRUE(Hear(clip).samples.empty());
  for (const char* name : {"out.wav", "animation_frames.wav"}) {
    for (const int samples : {0, 10, 480, 960, 30000}) {
      files.Put(name, Wav(samples, 14400, std::string("LIST\3\0\0\0abc\0", 12)));
      const HeardSamples heard = Hear(clip);
      ASSERT_THAT(heard.end, IsOk());
      ASSERT_EQ(static_cast<int>(heard.samples.size()), samples);
      for (int i = 0; i < samples; ++i) ASSERT_EQ(heard.samples[static_cast<size_t>(i)], i);
    }
  }
  // A client's sound belongs to its own table alone.
  EXPECT_TRUE(Hear(files.Put("other.csv", kOfClient)).samples.empty());
}

TEST(SidecarVoice, EndsWhereItIsCutOff) {
  const VoiceFiles files;
  const std::string clip = files.Put("face.csv", kOfClient);
  files.Put("face.wav", Wav(500).substr(0, 44 + 301));
  const HeardSamples heard = Hear(clip);
  ASSERT_THAT(heard.end, IsOk());
  EXPECT_EQ(heard.samples.size(), 150u);
}

// Nobody asked for it: it may lie there for another reason.
TEST(SidecarVoice, WhatIsNoSuchWavIsLeftOutWithAWarning) {
  const VoiceFiles files;
  const std::string clip = files.Put("face.csv", kOfClient);
  const auto expect_warning = [&](const std::string& bytes, const char* what) {
    files.Put("face.wav", bytes);
    const HeardSamples heard = Hear(clip);
    EXPECT_THAT(heard.end, IsOk());
    EXPECT_TRUE(heard.samples.empty());
    EXPECT_GT(heard.frames, 0);
    EXPECT_THAT(heard.warning, HasSubstr("face.wav, the voice next to the clip, "));
    EXPECT_THAT(heard.warning, HasSubstr(what));
  };
  expect_warning("not a wav at all", "is no WAV; going on without a voice");
  std::string stereo = Wav(10);
  stereo[22] = 2;
  expect_warning(stereo, "has 2 channels of 16 bit; must be PCM, mono");
  expect_warning(Wav(10, 5), "has 5 samples a second");
  const std::string whole = Wav(10);
  for (size_t n = 0; n < 44; ++n) expect_warning(whole.substr(0, n), "");
  files.Put("face.wav", whole);
  EXPECT_EQ(Hear(clip).warning, "");
}

TEST(SidecarVoice, AFolderOfItsNameBreaksNoClip) {
  const VoiceFiles files;
  const std::string clip = files.Put("face.csv", kOfClient);
  std::filesystem::create_directory(files.folder / "face.wav");
  const HeardSamples heard = Hear(clip);
  EXPECT_THAT(heard.end, IsOk());
  EXPECT_THAT(heard.warning, HasSubstr("face.wav"));
}

}  // namespace
}  // namespace posewire::clipio
