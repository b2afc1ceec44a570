// Which files a recording makes, and when another one is due.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "libs/files/byte_sink.h"
#include "services/renderer_sink/core/recorder.h"
#include "tests/unit/renderer_sink/messages.h"
#include "tests/unit/renderer_sink/recordings.h"

namespace posewire::renderer_sink {
namespace {

// Records a second under `path`, and returns where it went.
std::string RecordASecond(const RecorderOptions& options) {
  auto recorder = Recorder::Create(options);
  EXPECT_TRUE(recorder.ok()) << recorder.status();
  EXPECT_TRUE(GiveHeader(**recorder, HeaderOf(0)).ok());
  for (int k = 0; k < 30; ++k) EXPECT_TRUE(GiveData(**recorder, TickOf(k), k / 30.0).ok());
  EXPECT_TRUE((*recorder)->Close().ok());
  EXPECT_EQ((*recorder)->path(), TakePath(options.path, (*recorder)->take()));
  return (*recorder)->path();
}

TEST(Recorder, ATakeThatIsThereStaysAndTheNextNumberIsTaken) {
  const std::string folder = FreshFolder("takes");
  const std::string path = folder + "take.animdata";
  { std::ofstream(path) << "the first take"; }
  EXPECT_EQ(RecordASecond({.path = path}), folder + "take-2.animdata");
  EXPECT_EQ(RecordASecond({.path = path}), folder + "take-3.animdata");
  EXPECT_EQ(std::filesystem::file_size(path), 14u);
  EXPECT_FALSE(std::filesystem::exists(folder + "take.wav"));
  EXPECT_EQ(Samples(folder + "take-2.wav").size(), 16000u);
  EXPECT_EQ(Samples(folder + "take-3.wav").size(), 16000u);
}

TEST(Recorder, AVoiceThatIsThereStaysToo) {
  const std::string folder = FreshFolder("voices");
  { std::ofstream(folder + "take.wav") << "a voice"; }
  EXPECT_EQ(RecordASecond({.path = folder + "take.animdata"}), folder + "take-2.animdata");
  EXPECT_EQ(std::filesystem::file_size(folder + "take.wav"), 7u);
  EXPECT_FALSE(std::filesystem::exists(folder + "take.animdata"));
}

TEST(Recorder, RecordingsOfOneNameThatBeginTogetherGetANumberEach) {
  const std::string folder = FreshFolder("together");
  std::vector<std::unique_ptr<Recorder>> recorders;
  for (const char* ending : {"animdata", "usda", "csv", "animdata"}) {
    auto recorder = Recorder::Create({.path = folder + "take." + ending, .split_usd = true});
    ASSERT_TRUE(recorder.ok()) << recorder.status();
    recorders.push_back(*std::move(recorder));
    EXPECT_EQ(recorders.back()->take(), static_cast<int>(recorders.size()));
  }
  for (const auto& recorder : recorders) {
    ASSERT_TRUE(GiveHeader(*recorder, HeaderOf(0)).ok());
    for (int k = 0; k < 30; ++k) ASSERT_TRUE(GiveData(*recorder, TickOf(k), k / 30.0).ok());
    ASSERT_TRUE(recorder->Close().ok());
    EXPECT_EQ(Samples(WavPath(recorder->path())).size(), 16000u);
    EXPECT_GE(ReadAll(recorder->path()).size(), 31u);
  }
}

TEST(Recorder, RemovesTheFilesOfATakeIntoWhichNothingCame) {
  const std::string folder = FreshFolder("claimed");
  for (const bool voice : {true, false}) {
    auto recorder = Recorder::Create({.path = folder + "take.usda", .split_usd = true});
    ASSERT_TRUE(recorder.ok()) << recorder.status();
    for (const char* ending : {".usda", ".wav", ".rig.usda", ".clip.usda"}) {
      EXPECT_TRUE(std::filesystem::exists(folder + "take" + ending)) << ending;
    }
    if (!voice) {
      ASSERT_TRUE(GiveHeader(**recorder, HeaderOf(0, 0)).ok());
    }
    ASSERT_TRUE((*recorder)->Close().ok());
    EXPECT_TRUE(std::filesystem::is_empty(folder)) << voice;
    // A name that was given back may be somebody else's by now.
    { std::ofstream(folder + "take.wav"); }
    *recorder = nullptr;
    EXPECT_TRUE(std::filesystem::remove(folder + "take.wav"));
  }
}

TEST(Recorder, ATakeThatCannotBeMadeLeavesNoFiles) {
  const std::string folder = FreshFolder("unmade");
  EXPECT_FALSE(Recorder::Create({.path = folder + "take.npz"}).ok());
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

// Of a WAV, only how long it is.
class LengthSink final : public files::ByteSink {
 public:
  explicit LengthSink(int64_t* length) : length_(length) {}

  const std::string& name() const override { return name_; }
  absl::Status Write(absl::string_view bytes) override {
    *length_ += static_cast<int64_t>(bytes.size());
    return absl::OkStatus();
  }
  absl::Status Overwrite(int64_t, absl::string_view) override { return absl::OkStatus(); }
  absl::Status Truncate(int64_t size) override {
    *length_ = size;
    return absl::OkStatus();
  }
  absl::Status Sync() override { return absl::OkStatus(); }
  absl::Status Close() override { return absl::OkStatus(); }

 private:
  const std::string name_ = "take.wav";
  int64_t* const length_;
};

// A recording at 192 kHz, of whose WAV only the length is kept.
struct LongVoice {
  LongVoice() {
    auto made = Recorder::Create(std::make_unique<files::MemorySink>("take.animdata", &clip),
                                 [&] { return std::make_unique<LengthSink>(&length); }, {});
    if (made.ok()) recorder = *std::move(made);
  }

  const Message header = HeaderOf(0, 192000);
  std::string clip;
  int64_t length = 0;
  std::unique_ptr<Recorder> recorder;
};

TEST(Recorder, AVoiceOverFourGibibytesBelongsIntoAnotherFile) {
  LongVoice voice;
  ASSERT_NE(voice.recorder, nullptr);
  ASSERT_TRUE(GiveHeader(*voice.recorder, voice.header).ok());
  absl::Status status;
  int messages = 0;
  // Each as far from the one before as readers take.
  for (; status.ok() && messages < 100; ++messages) {
    const Message tick = TickOf(messages * 30 * 299, true, 192000);
    status = GiveData(*voice.recorder, tick, messages * 299, voice.header);
  }
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
  EXPECT_EQ(messages, 39) << "4 GiB are 11184 s";
  EXPECT_GT(voice.length, (int64_t{1} << 32) - 300 * 2 * 192000);
  EXPECT_LT(voice.length, int64_t{1} << 32);
  ASSERT_TRUE(voice.recorder->Close().ok());
}

// In a take of its own it would have no place either.
TEST(Recorder, AMessageAloneOverFourGibibytesKeepsItsPose) {
  LongVoice voice;
  ASSERT_NE(voice.recorder, nullptr);
  ASSERT_TRUE(GiveHeader(*voice.recorder, voice.header).ok());
  Message message = TickOf(50 * 30 * 299, true, 192000);
  auto& skel = *message.mutable_animation_data()->mutable_skel_animation();
  skel.clear_blend_shape_weights();
  for (int k = 0; k <= 50; ++k) {
    auto& key = *skel.add_blend_shape_weights();
    key.set_time_code(k * 299);
    key.add_values(1);
  }
  ASSERT_TRUE(GiveData(*voice.recorder, message, 0, voice.header).ok());
  EXPECT_EQ(voice.recorder->left_out(), 1);
  EXPECT_EQ(
      GiveData(*voice.recorder, TickOf(50 * 30 * 299 + 1, true, 192000), 0, voice.header).code(),
      absl::StatusCode::kFailedPrecondition);
  ASSERT_TRUE(voice.recorder->Close().ok());
  EXPECT_EQ(voice.length, 44);
}

TEST(Recorder, OverwritesOnlyWhenItIsTold) {
  const std::string folder = FreshFolder("overwrite");
  const std::string path = folder + "take.animdata";
  { std::ofstream(path) << std::string(100'000, 'x'); }
  EXPECT_EQ(RecordASecond({.path = path, .overwrite = true}), path);
  ExpectLegal(ReadAll(path));
  EXPECT_EQ(RecordASecond({.path = path, .overwrite = true}), path);
  EXPECT_EQ(Samples(folder + "take.wav").size(), 16000u);
}

TEST(Recorder, OverwritesNothingUntilThereIsAMessage) {
  const std::string folder = FreshFolder("overwrite_late");
  const std::string path = folder + "take.animdata";
  { std::ofstream(path) << std::string(100'000, 'x'); }
  {
    auto recorder = Recorder::Create({.path = path, .overwrite = true});
    ASSERT_TRUE(recorder.ok()) << recorder.status();
    ASSERT_TRUE((*recorder)->Tick(1).ok());
    ASSERT_TRUE((*recorder)->Close().ok());
  }
  EXPECT_EQ(std::filesystem::file_size(path), 100'000u);
  std::filesystem::remove(path);
  auto recorder = Recorder::Create({.path = path, .overwrite = true});
  ASSERT_TRUE(recorder.ok()) << recorder.status();
  ASSERT_TRUE((*recorder)->Close().ok());
  EXPECT_FALSE(std::filesystem::exists(path));
}

// Neither the clip, nor its voice, nor the parts of a split stage.
TEST(Recorder, OverwritesNothingWithATakeThatCannotBeWritten) {
  const std::string folder = FreshFolder("overwrite_refused");
  const std::vector<std::string> endings = {".bvh", ".usda", ".wav", ".rig.usda", ".clip.usda"};
  for (const std::string& ending : endings) std::ofstream(folder + "take" + ending) << "old";
  for (const char* clip : {".bvh", ".usda"}) {
    for (const bool keys : {false, true}) {
      Message header = HeaderOf(0);
      auto& names = *header.mutable_animation_data_stream_header()->mutable_skel_animation_header();
      if (clip == endings[0]) names.set_joints(0, "a {");
      auto recorder = Recorder::Create(
          {.path = folder + "take" + clip, .overwrite = true, .split_usd = clip == endings[1]});
      ASSERT_TRUE(recorder.ok()) << recorder.status();
      ASSERT_TRUE(GiveHeader(**recorder, header).ok());
      ASSERT_TRUE((*recorder)->Tick(1).ok());
      const bool rejected = keys && clip == endings[0];
      if (rejected) {
        Message tick = TickOf(0);
        tick.mutable_animation_data()->clear_audio();
        ASSERT_TRUE(GiveData(**recorder, tick, 0, header).ok());
      }
      EXPECT_EQ((*recorder)->Close().ok(), !rejected);
      EXPECT_EQ((*recorder)->empty(), !rejected) << "its keys are rescued";
      for (const std::string& ending : endings) {
        std::ifstream file(folder + "take" + ending);
        std::string text;
        file >> text;
        EXPECT_EQ(text, "old") << clip << " " << keys << " " << ending;
      }
    }
  }
  EXPECT_EQ(ReadAll(folder + "take.bvh.animdata").size(), 2u);
}

// A user moved the take away while it ran, and another recording has got its name.
TEST(Recorder, AFileThatHasTheNameOfAnEmptyOneByNowStays) {
  const std::string folder = FreshFolder("moved");
  const std::string path = folder + "take.animdata";
  for (const bool overwrite : {false, true}) {
    auto first = Recorder::Create({.path = path, .overwrite = overwrite});
    ASSERT_TRUE(first.ok()) << first.status();
    std::filesystem::rename(path, folder + "moved.animdata");
    if (!overwrite) std::filesystem::rename(folder + "take.wav", folder + "moved.wav");
    auto second = Recorder::Create({.path = path});
    ASSERT_TRUE(second.ok()) << second.status();
    ASSERT_EQ((*second)->path(), path);
    // To replace what is there is not to have made it.
    auto third = Recorder::Create({.path = path, .overwrite = true});
    ASSERT_TRUE(third.ok()) << third.status();
    ASSERT_TRUE((*first)->Close().ok());
    ASSERT_TRUE((*third)->Close().ok());
    EXPECT_TRUE(std::filesystem::exists(path)) << overwrite;
    EXPECT_TRUE(std::filesystem::exists(folder + "take.wav")) << overwrite;
    ASSERT_TRUE((*second)->Close().ok());
    EXPECT_FALSE(std::filesystem::exists(path));
  }
}

TEST(Recorder, TheNumberOfATakeOfWhichOnlyTheRescueIsLeftIsTaken) {
  const std::string folder = FreshFolder("rescued");
  { std::ofstream(folder + "take.bvh.animdata") << "keys"; }
  auto recorder = Recorder::Create({.path = folder + "take.bvh"});
  ASSERT_TRUE(recorder.ok()) << recorder.status();
  EXPECT_EQ((*recorder)->take(), 2);
}

TEST(TakePath, NumbersStandBeforeTheExtension) {
  EXPECT_EQ(TakePath("a/take.animdata", 1), "a/take.animdata");
  EXPECT_EQ(TakePath("a/take.animdata", 2), "a/take-2.animdata");
  EXPECT_EQ(TakePath("a.b/take", 3), "a.b/take-3");
  EXPECT_EQ(TakePath("a.b/take.a2f.json", 2), "a.b/take-2.a2f.json");
  EXPECT_EQ(WavPath("a.b/take.a2f.json"), "a.b/take.wav");
  EXPECT_EQ(WavPath("a.b/take.animdata"), "a.b/take.wav");
}

}  // namespace
}  // namespace posewire::renderer_sink
