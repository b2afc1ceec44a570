#include "services/renderer_sink/core/recorder.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "gtest/gtest.h"
#include "libs/clipio/open_clip.h"
#include "libs/recording/clip_reader.h"
#include "libs/wire/frame_reader.h"
#include "tests/unit/renderer_sink/messages.h"
#include "tests/unit/renderer_sink/recordings.h"

namespace posewire::renderer_sink {
namespace {

std::string Path(const std::string& name) { return ::testing::TempDir() + "recorder_" + name; }

std::unique_ptr<Recorder> Create(const std::string& path) {
  std::filesystem::remove(path);
  std::filesystem::remove(WavPath(path));
  auto recorder = Recorder::Create({.path = path});
  EXPECT_TRUE(recorder.ok()) << recorder.status();
  return *std::move(recorder);
}

double PoseCode(const Message& message) {
  return message.animation_data().skel_animation().blend_shape_weights(0).time_code();
}

TEST(Recorder, WritesCodesFromZeroAndTheVoiceBesideThem) {
  const std::string path = Path("plain.animdata");
  auto recorder = Create(path);
  ASSERT_TRUE(GiveHeader(*recorder, HeaderOf(1.7e9)).ok());
  for (int k = 100; k < 190; ++k) ASSERT_TRUE(GiveData(*recorder, TickOf(k), k / 30.0).ok());
  ASSERT_TRUE(recorder->Close().ok());
  const auto messages = ReadAll(path);
  ASSERT_EQ(messages.size(), 91u);
  ExpectLegal(messages);
  EXPECT_NEAR(messages[0].animation_data_stream_header().start_time_code_since_epoch(),
              1.7e9 + 100 / 30.0, 1e-6);
  for (size_t i = 0; i < 90; ++i) {
    EXPECT_NEAR(PoseCode(messages[i + 1]), static_cast<double>(i) / 30, 1e-9);
  }
  const auto samples = Samples(WavPath(path));
  ASSERT_EQ(samples.size(), 48000u);
  const int64_t first = 100 * 16000 / 30;
  for (size_t i = 0; i < samples.size(); ++i) {
    ASSERT_EQ(samples[i], static_cast<int16_t>(first + static_cast<int64_t>(i)));
  }
}

// Some senders have a message for each track.
TEST(Recorder, KeepsTracksThatComeOneAfterTheOther) {
  const std::string path = Path("tracks.animdata");
  auto recorder = Create(path);
  ASSERT_TRUE(GiveHeader(*recorder, HeaderOf(1.7e9)).ok());
  Message weights, rotations;
  for (int k = 0; k < 3; ++k) {
    auto& w =
        *weights.mutable_animation_data()->mutable_skel_animation()->add_blend_shape_weights();
    w.set_time_code(k / 30.0);
    w.add_values(0.5f);
    auto& r = *rotations.mutable_animation_data()->mutable_skel_animation()->add_rotations();
    r.set_time_code(k / 30.0);
    r.add_values()->set_real(1);
  }
  ASSERT_TRUE(GiveData(*recorder, weights, 0).ok());
  ASSERT_TRUE(GiveData(*recorder, rotations, 0).ok());
  ASSERT_TRUE(GiveData(*recorder, TickOf(0, /*pose=*/false), 0).ok());
  ASSERT_TRUE(recorder->Close().ok());
  EXPECT_EQ(recorder->left_out(), 0);
  const auto messages = ReadAll(path);
  ASSERT_EQ(messages.size(), 4u);
  ExpectLegal(messages);
  EXPECT_EQ(messages[2].animation_data().skel_animation().rotations_size(), 3);
  EXPECT_EQ(Samples(WavPath(path)).size(), 533u);
}

// A client that goes on after a broken connection may send too much.
TEST(Recorder, KeepsOfAMessageWhatIsNotThereYet) {
  const std::string path = Path("overlap.animdata");
  auto recorder = Create(path);
  ASSERT_TRUE(GiveHeader(*recorder, HeaderOf(1.7e9)).ok());
  for (int k = 0; k < 6; ++k) ASSERT_TRUE(GiveData(*recorder, TickOf(k), k / 30.0).ok());
  Message more = TickOf(4);
  for (int k = 5; k < 9; ++k) {
    const Message next = TickOf(k);
    *more.mutable_animation_data()->mutable_skel_animation()->add_blend_shape_weights() =
        next.animation_data().skel_animation().blend_shape_weights(0);
    *more.mutable_animation_data()->mutable_audio()->mutable_audio_buffer() +=
        next.animation_data().audio().audio_buffer();
  }
  ASSERT_TRUE(GiveData(*recorder, more, 0.3).ok());
  ASSERT_TRUE(GiveData(*recorder, TickOf(5), 0.3).ok());  // nothing new at all
  ASSERT_TRUE(recorder->Close().ok());
  const auto messages = ReadAll(path);
  ASSERT_EQ(messages.size(), 8u);
  ExpectLegal(messages);
  EXPECT_EQ(messages[7].animation_data().skel_animation().blend_shape_weights_size(), 3);
  const auto samples = Samples(WavPath(path));
  ASSERT_EQ(samples.size(), 4800u);
  for (size_t i = 0; i < samples.size(); ++i) ASSERT_EQ(samples[i], static_cast<int16_t>(i));
}

TEST(Recorder, GoesOnOverAReconnectionWithSilenceInTheHole) {
  const std::string path = Path("hole.animdata");
  auto recorder = Create(path);
  ASSERT_TRUE(GiveHeader(*recorder, HeaderOf(1.7e9)).ok());
  for (int k = 0; k < 30; ++k) ASSERT_TRUE(GiveData(*recorder, TickOf(k), k / 30.0).ok());
  ASSERT_TRUE(GiveHeader(*recorder, HeaderOf(1.7e9)).ok());
  for (int k = 75; k < 105; ++k) ASSERT_TRUE(GiveData(*recorder, TickOf(k), k / 30.0).ok());
  ASSERT_TRUE(recorder->Close().ok());
  const auto messages = ReadAll(path);
  ASSERT_EQ(messages.size(), 61u) << "one header only";
  ExpectLegal(messages);
  EXPECT_NEAR(PoseCode(messages[31]), 2.5, 1e-9);
  const auto samples = Samples(WavPath(path));
  ASSERT_EQ(samples.size(), 56000u);
  for (size_t i = 0; i < samples.size(); ++i) {
    ASSERT_EQ(samples[i], i < 16000 || i >= 40000 ? static_cast<int16_t>(i) : 0) << i;
  }
}

TEST(Recorder, ARestartedServerGoesOnInTheSameFile) {
  const std::string path = Path("restart.animdata");
  auto recorder = Create(path);
  ASSERT_TRUE(GiveHeader(*recorder, HeaderOf(1.7e9)).ok());
  for (int k = 900; k < 930; ++k) ASSERT_TRUE(GiveData(*recorder, TickOf(k), k / 30.0).ok());
  ASSERT_TRUE(GiveHeader(*recorder, HeaderOf(1.7e9 + 33)).ok());
  for (int k = 0; k < 30; ++k) ASSERT_TRUE(GiveData(*recorder, TickOf(k), 33 + k / 30.0).ok());
  ASSERT_TRUE(recorder->Close().ok());
  const auto messages = ReadAll(path);
  ExpectLegal(messages);
  EXPECT_NEAR(PoseCode(messages[31]), 3, 1e-6);
  EXPECT_EQ(Samples(WavPath(path)).size(), 64000u);
}

TEST(Recorder, KeepsFieldsThatItDoesNotKnow) {
  const std::string path = Path("unknown.animdata");
  auto recorder = Create(path);
  // Field 999 of the header, of the data and of a key: no such fields are declared.
  const std::string unknown("\xb8\x3e\x07", 3);
  Message header = HeaderOf(0, 0);
  ASSERT_TRUE(header.mutable_animation_data_stream_header()->MergeFromString(unknown));
  Message frame = TickOf(50);
  ASSERT_TRUE(frame.mutable_animation_data()->MergeFromString(unknown));
  ASSERT_TRUE(frame.mutable_animation_data()
                  ->mutable_skel_animation()
                  ->mutable_blend_shape_weights(0)
                  ->MergeFromString(unknown));
  ASSERT_TRUE(GiveHeader(*recorder, header).ok());
  ASSERT_TRUE(GiveData(*recorder, frame, 0).ok());
  ASSERT_TRUE(recorder->Close().ok());
  const auto messages = ReadAll(path);
  ASSERT_EQ(messages.size(), 2u);
  const auto fields = [](const auto& message) {
    return message.GetReflection()->GetUnknownFields(message).field_count();
  };
  EXPECT_EQ(fields(messages[0].animation_data_stream_header()), 1);
  EXPECT_EQ(fields(messages[1].animation_data()), 1);
  EXPECT_EQ(fields(messages[1].animation_data().skel_animation().blend_shape_weights(0)), 1);
  EXPECT_FALSE(std::filesystem::exists(WavPath(path))) << "no audio, no WAV";
}

// Of all that stands between the codes no byte is another.
TEST(Recorder, WritesTheBytesThatCameButForTheCodes) {
  const std::string path = Path("bytes.animdata");
  auto recorder = Create(path);
  const std::string unknown("\xb8\x3e\x07", 3);
  std::vector<std::string> wanted;
  ASSERT_TRUE(GiveHeader(*recorder, HeaderOf(1000)).ok());
  for (int k = 60; k < 70; ++k) {
    const auto with_unknown = [&](int tick) {
      Message m = TickOf(tick);
      auto& data = *m.mutable_animation_data();
      EXPECT_TRUE(
          data.mutable_skel_animation()->mutable_blend_shape_weights(0)->MergeFromString(unknown));
      EXPECT_TRUE(data.mutable_audio()->MergeFromString(unknown));
      return m.SerializeAsString() + unknown;
    };
    Message moved;
    ASSERT_TRUE(moved.ParseFromString(with_unknown(k)));
    ASSERT_TRUE(GiveData(*recorder, moved, k / 30.0).ok());
    // The code that the file has is 2 s less.
    auto& key =
        *moved.mutable_animation_data()->mutable_skel_animation()->mutable_blend_shape_weights(0);
    key.set_time_code(std::max(0.0, key.time_code() - 2));
    auto& audio = *moved.mutable_animation_data()->mutable_audio();
    audio.set_time_code(std::max(0.0, audio.time_code() - 2));
    wanted.push_back(moved.SerializeAsString());
  }
  ASSERT_TRUE(recorder->Close().ok());
  auto reader = clipio::OpenClip(path);
  ASSERT_TRUE(reader.ok());
  ASSERT_TRUE((*reader)->NextBytes().ok());
  for (const std::string& bytes : wanted) {
    const auto got = (*reader)->NextBytes();
    ASSERT_TRUE(got.ok() && *got);
    Message message;
    ASSERT_TRUE(message.ParseFromString(**got));
    EXPECT_EQ(message.SerializeAsString(), bytes);
  }
}

std::vector<std::string> AllBytes(const std::string& path) {
  std::vector<std::string> all;
  auto reader = clipio::OpenClip(path);
  EXPECT_TRUE(reader.ok()) << reader.status();
  while (reader.ok()) {
    const auto bytes = (*reader)->NextBytes();
    EXPECT_TRUE(bytes.ok()) << bytes.status();
    if (!bytes.ok() || !*bytes) break;
    all.push_back(**bytes);
  }
  return all;
}

TEST(Recorder, KeepsFaultyMessagesAsTheyCameInTheirPlace) {
  const std::string path = Path("faulty.animdata");
  auto recorder = Create(path);
  ASSERT_TRUE(GiveHeader(*recorder, HeaderOf(5)).ok());
  ASSERT_TRUE(recorder->OnFaulty(Garbage()).ok());  // before the header's epoch is known
  ASSERT_TRUE(GiveData(*recorder, TickOf(30), 0).ok());
  ASSERT_TRUE(recorder->OnFaulty(Garbage()).ok());
  ASSERT_TRUE(GiveData(*recorder, TickOf(31), 0).ok());
  ASSERT_TRUE(recorder->Close().ok());
  const auto all = AllBytes(path);
  ASSERT_EQ(all.size(), 5u);
  EXPECT_EQ(all[1], *Garbage());
  EXPECT_EQ(all[3], *Garbage());
  Message header;
  ASSERT_TRUE(header.ParseFromString(all[0]));
  EXPECT_EQ(header.animation_data_stream_header().start_time_code_since_epoch(), 6);
}

TEST(Recorder, KeepsAStreamOfWhichNothingCanBeRead) {
  for (const bool with_header : {true, false}) {
    const std::string path = Path("unreadable.animdata");
    auto recorder = Create(path);
    if (with_header) {
      ASSERT_TRUE(GiveHeader(*recorder, HeaderOf(5)).ok());
    }
    for (int i = 0; i < 1000; ++i) ASSERT_TRUE(recorder->OnFaulty(Garbage()).ok());
    ASSERT_TRUE(recorder->Close().ok());
    EXPECT_EQ(AllBytes(path).size(), with_header ? 1001u : 1000u);
  }
}

TEST(Recorder, WhatJsonCannotHoldIsLeftOutOfJsonlAndEndsNothing) {
  const std::string path = Path("faulty.jsonl");
  auto recorder = Create(path);
  ASSERT_TRUE(GiveHeader(*recorder, HeaderOf(5)).ok());
  ASSERT_TRUE(GiveData(*recorder, TickOf(0), 0).ok());
  ASSERT_TRUE(recorder->OnFaulty(Garbage()).ok());
  ASSERT_TRUE(GiveData(*recorder, TickOf(1), 0).ok());
  ASSERT_TRUE(recorder->Close().ok());
  EXPECT_EQ(recorder->left_out(), 1);
  EXPECT_EQ(ReadAll(path).size(), 3u);
}

TEST(Recorder, LeavesOutFramesThatDoNotRise) {
  const std::string path = Path("repeat.animdata");
  auto recorder = Create(path);
  ASSERT_TRUE(GiveHeader(*recorder, HeaderOf(0)).ok());
  for (const int k : {3, 4, 4, 2, 5}) ASSERT_TRUE(GiveData(*recorder, TickOf(k), k).ok());
  EXPECT_EQ(recorder->left_out(), 2);
  ASSERT_TRUE(recorder->Close().ok());
  ExpectLegal(ReadAll(path));
  EXPECT_EQ(ReadAll(path).size(), 4u);
}

TEST(Recorder, FramesWithoutPoseKeepTheVoiceWhole) {
  const std::string path = Path("poseless.animdata");
  auto recorder = Create(path);
  ASSERT_TRUE(GiveHeader(*recorder, HeaderOf(0)).ok());
  for (int k = 1; k < 61; ++k) ASSERT_TRUE(GiveData(*recorder, TickOf(k, k % 3 == 0), k).ok());
  ASSERT_TRUE(recorder->Close().ok());
  ExpectLegal(ReadAll(path));
  const auto samples = Samples(WavPath(path));
  ASSERT_EQ(samples.size(), static_cast<size_t>(61 * 16000 / 30 - 533));
  for (size_t i = 0; i < samples.size(); ++i) {
    ASSERT_EQ(samples[i], static_cast<int16_t>(i + 533));
  }
}

TEST(Recorder, AnotherLayoutBelongsIntoAnotherFile) {
  auto recorder = Create(Path("layout.animdata"));
  ASSERT_TRUE(GiveHeader(*recorder, HeaderOf(0)).ok());
  EXPECT_EQ(GiveHeader(*recorder, HeaderOf(0, 48000)).code(),
            absl::StatusCode::kFailedPrecondition);
  Message other = HeaderOf(0);
  other.mutable_animation_data_stream_header()->mutable_skel_animation_header()->add_joints("knee");
  EXPECT_EQ(GiveHeader(*recorder, other).code(), absl::StatusCode::kFailedPrecondition);
}

TEST(Recorder, APullWithoutDataLeavesItsHeader) {
  const std::string path = Path("headeronly.animdata");
  auto recorder = Create(path);
  ASSERT_TRUE(GiveHeader(*recorder, HeaderOf(5)).ok());
  ASSERT_TRUE(recorder->Close().ok());
  const auto messages = ReadAll(path);
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(messages[0].animation_data_stream_header().start_time_code_since_epoch(), 5);
}

TEST(Recorder, NothingLeavesNoFile) {
  const std::string path = Path("nothing.animdata");
  auto recorder = Create(path);
  EXPECT_TRUE(std::filesystem::exists(path)) << "what cannot be made is told at once";
  ASSERT_TRUE(recorder->Close().ok());
  EXPECT_TRUE(recorder->empty());
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(Recorder, WritesStatusesInTheirPlaceAndJsonlToo) {
  const std::string path = Path("status.jsonl");
  auto recorder = Create(path);
  Message status;
  status.mutable_status()->set_message("starts");
  ASSERT_TRUE(GiveHeader(*recorder, HeaderOf(0)).ok());
  ASSERT_TRUE(
      recorder->OnStatus(Checked(status).bytes).ok());  // before the header's epoch is known
  ASSERT_TRUE(GiveData(*recorder, TickOf(0), 0).ok());
  ASSERT_TRUE(recorder->OnStatus(Checked(status).bytes).ok());
  ASSERT_TRUE(GiveData(*recorder, TickOf(1), 0).ok());
  ASSERT_TRUE(recorder->Close().ok());
  const auto messages = ReadAll(path);
  ExpectLegal(messages);
  ASSERT_EQ(messages.size(), 5u);
  EXPECT_TRUE(messages[1].has_status());
  EXPECT_TRUE(messages[3].has_status());
}

TEST(Recorder, AStageNamesTheVoiceBesideIt) {
  const std::string path = Path("stage.usda");
  auto recorder = Create(path);
  ASSERT_TRUE(GiveHeader(*recorder, HeaderOf(1.7e9)).ok());
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(GiveData(*recorder, TickOf(i), i / 30.0).ok());
  ASSERT_TRUE(recorder->Close().ok());
  std::ifstream in(path);
  const std::string stage((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  EXPECT_NE(stage.find("filePath = @./recorder_stage.wav@"), std::string::npos) << stage;
  const std::vector<Message> messages = ReadAll(path);
  std::string pcm;
  for (const Message& message : messages) pcm += message.animation_data().audio().audio_buffer();
  EXPECT_EQ(pcm.size(), 2 * Samples(WavPath(path)).size());
  EXPECT_FALSE(pcm.empty());
}

TEST(Recorder, AStageInThreeFilesIsOneTake) {
  const std::string path = Path("split.usda"), second = Path("split-2.usda");
  for (const std::string ending : {".usda", ".rig.usda", ".clip.usda", ".wav"}) {
    std::filesystem::remove(Path("split" + ending));
    std::filesystem::remove(Path("split-2" + ending));
  }
  for (const std::string& expected : {path, second}) {
    auto recorder = Recorder::Create({.path = path, .split_usd = true});
    ASSERT_TRUE(recorder.ok()) << recorder.status();
    EXPECT_EQ((*recorder)->path(), expected);
    ASSERT_TRUE(GiveHeader(**recorder, HeaderOf(1.7e9)).ok());
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(GiveData(**recorder, TickOf(i), i / 30.0).ok());
    ASSERT_TRUE((*recorder)->Close().ok());
    EXPECT_EQ(ReadAll(expected).size(), 5u);
    // A rig that is left over is somebody's work.
    std::filesystem::remove(path);
    std::filesystem::remove(WavPath(path));
  }
  EXPECT_TRUE(std::filesystem::exists(Path("split.rig.usda")));
  EXPECT_TRUE(std::filesystem::exists(Path("split-2.clip.usda")));
}

TEST(Recorder, ARequestThatIsOverLeavesItsStatusThoughNoFrameCame) {
  const std::string path = Path("over.animdata");
  auto recorder = Create(path);
  Message status;
  ASSERT_TRUE(GiveHeader(*recorder, HeaderOf(5)).ok());
  for (int i = 0; i < 100; ++i) {
    status.mutable_status()->set_message(std::to_string(i));
    ASSERT_TRUE(recorder->OnStatus(Checked(status).bytes).ok());
  }
  ASSERT_TRUE(recorder->Close().ok());
  const auto messages = ReadAll(path);
  ExpectLegal(messages);
  ASSERT_EQ(messages.size(), 65u) << "no more than a server should have sent";
  EXPECT_EQ(messages.back().status().message(), "99");
}

// A child records, as fast as it can on a clock of its own, and is killed; what it left must reach
// to its last second.
TEST(Recorder, KillLosesAtMostTheLastSecond) {
  const std::string path = Path("killed.animdata");
  std::filesystem::remove(path);
  std::filesystem::remove(WavPath(path));
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    auto recorder = Recorder::Create({.path = path});
    if (!recorder.ok() || !GiveHeader(**recorder, HeaderOf(1.7e9)).ok()) _exit(1);
    for (int k = 0; k < 1'000'000; ++k) {
      const double now_s = k / 30.0;
      if (!GiveData(**recorder, TickOf(k), now_s).ok() || !(*recorder)->Tick(now_s).ok()) _exit(1);
      const int32_t done = k;
      if (write(ready[1], &done, sizeof done) != sizeof done) _exit(1);
    }
    _exit(0);
  }
  close(ready[1]);
  int32_t frame = 0;
  while (frame < 137 && read(ready[0], &frame, sizeof frame) == sizeof frame) {
  }
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  while (read(ready[0], &frame, sizeof frame) == sizeof frame) {
  }
  close(ready[0]);
  ASSERT_TRUE(WIFSIGNALED(status));
  const auto messages = ReadAll(path);
  ExpectLegal(messages);
  EXPECT_GE(static_cast<int32_t>(messages.size()), frame + 1)
      << "frames went to the system at once";
  const auto samples = Samples(WavPath(path));
  EXPECT_GE(static_cast<double>(samples.size()) / 16000, frame / 30.0 - 1);
  for (size_t i = 0; i < samples.size(); ++i) ASSERT_EQ(samples[i], static_cast<int16_t>(i));
}

TEST(Recorder, SaysWhenItCannotWrite) {
  EXPECT_FALSE(Recorder::Create({.path = "/nowhere/take.animdata"}).ok());
}

}  // namespace
}  // namespace posewire::renderer_sink
