#include "services/renderer_sink/record/record_consumer.h"

#include <filesystem>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "libs/clipio/open_clip.h"
#include "libs/recording/clip_reader.h"
#include "tests/unit/clipio/parsed_message.h"
#include "tests/unit/renderer_sink/messages.h"

namespace posewire::renderer_sink {
namespace {

Message StartOf(const std::string& request_id) {
  Message message;
  message.mutable_status()->set_message(
      absl::StrCat("request_id \"", request_id, "\" starts at code 7.5"));
  return message;
}

int Frames(const std::string& path) {
  auto reader = clipio::OpenClip(path);
  EXPECT_TRUE(reader.ok()) << reader.status();
  int frames = 0;
  while (reader.ok()) {
    auto message = clipio::NextParsed(**reader);
    EXPECT_TRUE(message.ok()) << message.status();
    if (!message.ok() || !*message) break;
    frames += (*message)->has_animation_data();
  }
  return frames;
}

// A pull at 30 frames a second on a clock of its own.
class RecordConsumerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = ::testing::TempDir() + "record_consumer_" +
              ::testing::UnitTest::GetInstance()->current_test_info()->name() + "/";
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directory(folder_);
  }

  void Start(bool requests_only, const char* ending = ".animdata", size_t most_held_bytes = 1,
             bool overwrite = false) {
    RecordOptions options{.recorder = {.path = folder_ + "take" + ending,
                                       .overwrite = overwrite,
                                       .most_held_bytes = most_held_bytes}};
    options.written = [this](const std::string& file) {
      written_.push_back(file.substr(folder_.size()));
    };
    if (requests_only) {
      options.playing = [this](const auto& ids) {
        EXPECT_EQ(ids.stream_id, "s1");
        ++questions_;
        return playing_;
      };
    }
    auto consumer = RecordConsumer::Create(options, service::Logger());
    ASSERT_TRUE(consumer.ok()) << consumer.status();
    consumer_ = *std::move(consumer);
  }

  void Header(const Message& header = HeaderOf(1.7e9)) {
    ASSERT_TRUE(GiveHeader(*consumer_, header).ok());
  }
  void Status(const Message& status) { ASSERT_TRUE(GiveStatus(*consumer_, status).ok()); }
  void Run(double seconds) {
    for (const int end = tick_ + static_cast<int>(seconds * 30); tick_ < end; ++tick_) {
      ASSERT_TRUE(consumer_->Tick(tick_ / 30.0).ok());
      ASSERT_TRUE(GiveData(*consumer_, TickOf(tick_), tick_ / 30.0).ok());
    }
  }
  std::vector<std::string> Files() const {
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      files.push_back(entry.path().filename());
    }
    std::sort(files.begin(), files.end());
    return files;
  }

  using Names = std::vector<std::string>;
  std::string folder_;
  Names written_;
  absl::StatusOr<bool> playing_ = false;
  int questions_ = 0;
  int tick_ = 0;
  std::unique_ptr<RecordConsumer> consumer_;
};

TEST_F(RecordConsumerTest, RecordsAllThatComesIntoOneTake) {
  Start(false);
  Header();
  Run(2);
  Status(StartOf("r"));
  Run(1);
  ASSERT_TRUE(consumer_->Close().ok());
  EXPECT_EQ(Files(), (Names{"take.animdata", "take.wav"}));
  EXPECT_EQ(written_, Files());
  EXPECT_EQ(Frames(folder_ + "take.animdata"), 90);
  EXPECT_EQ(questions_, 0);
}

TEST_F(RecordConsumerTest, AnotherRigGoesIntoTheNextTake) {
  Start(false);
  Header();
  Run(1);
  Header(HeaderOf(1.7e9, 48000));
  for (int k = 0; k < 30; ++k) {
    ASSERT_TRUE(GiveData(*consumer_, TickOf(tick_ + k, true, 48000), 1 + k / 30.0).ok());
  }
  ASSERT_TRUE(consumer_->Close().ok());
  EXPECT_EQ(Files(), (Names{"take-2.animdata", "take-2.wav", "take.animdata", "take.wav"}));
  EXPECT_EQ(Frames(folder_ + "take-2.animdata"), 30);
}

// The memory of a clip that is written at its end is bounded.
TEST_F(RecordConsumerTest, AFullTakeIsFollowedByTheNext) {
  // A weight with its code, which is held twice, takes 20 bytes.
  Start(false, ".csv", 60 * 20);
  Header();
  Run(5);
  ASSERT_TRUE(consumer_->Close().ok());
  EXPECT_EQ(written_, (Names{"take.csv", "take.wav", "take-2.csv", "take-2.wav", "take-3.csv",
                             "take-3.wav"}));
  EXPECT_EQ(Frames(folder_ + "take.csv"), 60);
  EXPECT_EQ(Frames(folder_ + "take-2.csv"), 60);
  EXPECT_EQ(Frames(folder_ + "take-3.csv"), 30);
}

TEST_F(RecordConsumerTest, ATakeOfAFormatThatIsWrittenAsItComesIsNeverFull) {
  Start(false);
  Header();
  Run(5);
  ASSERT_TRUE(consumer_->Close().ok());
  EXPECT_EQ(Files(), (Names{"take.animdata", "take.wav"}));
}

// No joint of that name can be in a BVH; that of the take after it can.
TEST_F(RecordConsumerTest, ATakeThatItsFormatCannotHoldCostsNoOther) {
  Start(false, ".bvh", 1 << 20);
  Message first = HeaderOf(1.7e9);
  auto& names = *first.mutable_animation_data_stream_header()->mutable_skel_animation_header();
  names.set_joints(0, "a {");
  Header(first);
  Run(1);
  const Message other = HeaderOf(1.7e9, 48000);
  Header(other);
  for (int k = 0; k < 30; ++k) {
    Message turn = TickOf(tick_ + k, true, 48000);
    auto& key = *turn.mutable_animation_data()->mutable_skel_animation()->add_rotations();
    key.set_time_code((tick_ + k) / 30.0);
    key.add_values()->set_real(1);
    ASSERT_TRUE(GiveData(*consumer_, turn, 1 + k / 30.0, other).ok());
  }
  EXPECT_EQ(consumer_->Close().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(written_, (Names{"take-2.bvh", "take-2.wav"}));
  EXPECT_EQ(Files(), (Names{"take-2.bvh", "take-2.wav", "take.bvh.animdata", "take.wav"}));
  EXPECT_EQ(Frames(folder_ + "take-2.bvh"), 30);
}

// Whatever was rescued before: in the same run, by the run before, and with --overwrite.
TEST_F(RecordConsumerTest, EachTakeThatItsFormatCannotHoldIsKept) {
  const std::vector<Names> expected[] = {
      {{"take-2.bvh.animdata", "take.bvh.animdata"},
       {"take-2.bvh.animdata", "take-3.bvh.animdata", "take-4.bvh.animdata", "take.bvh.animdata"}},
      {{"take-2.bvh.animdata", "take.bvh.animdata"},
       {"take-2.bvh-2.animdata", "take-2.bvh.animdata", "take.bvh-2.animdata",
        "take.bvh.animdata"}}};
  for (const bool overwrite : {false, true}) {
    SetUp();
    for (const Names& files : expected[overwrite]) {
      Start(false, ".bvh", 1 << 20, overwrite);
      for (const char* joint : {"a {", "b {"}) {
        Message header = HeaderOf(1.7e9, 0);
        header.mutable_animation_data_stream_header()->mutable_skel_animation_header()->set_joints(
            0, joint);
        Header(header);
        for (int k = 0; k < 30; ++k) {
          Message tick = TickOf(k);
          tick.mutable_animation_data()->clear_audio();
          ASSERT_TRUE(GiveData(*consumer_, tick, k / 30.0, header).ok());
        }
      }
      const absl::Status status = consumer_->Close();
      EXPECT_NE(status.message().find("its keys are in " + folder_), std::string::npos) << status;
      EXPECT_EQ(Files(), files) << overwrite;
    }
    for (const std::string& file : Files()) EXPECT_EQ(Frames(folder_ + file), 30) << file;
  }
}

// A take of a format that is written at its end may have a voice and no clip.
TEST_F(RecordConsumerTest, AVoiceWithoutAClipIsKeptAndToldOf) {
  for (const bool overwrite : {false, true}) {
    SetUp();
    written_.clear();
    Start(false, ".bvh", 1 << 20, overwrite);
    for (const uint32_t rate_hz : {16000u, 48000u}) {
      const Message header = HeaderOf(1.7e9, rate_hz);
      Header(header);
      for (int k = 0; k < 30; ++k) {
        const Message tick = TickOf(k, /*pose=*/false, rate_hz);
        ASSERT_TRUE(GiveData(*consumer_, tick, k / 30.0, header).ok());
      }
    }
    ASSERT_TRUE(consumer_->Close().ok());
    EXPECT_EQ(Files(), (Names{"take-2.wav", "take.wav"})) << overwrite;
    EXPECT_EQ(written_, (Names{"take.wav", "take-2.wav"})) << overwrite;
    EXPECT_EQ(std::filesystem::file_size(folder_ + "take.wav"), 44u + 2 * 16000);
  }
}

TEST_F(RecordConsumerTest, TheVoiceOfATakeThatItsFormatCannotHoldIsNotReplacedByTheNext) {
  Start(false, ".bvh", 1 << 20, /*overwrite=*/true);
  Message first = HeaderOf(1.7e9);
  first.mutable_animation_data_stream_header()->mutable_skel_animation_header()->set_joints(0,
                                                                                            "a {");
  Header(first);
  Run(1);
  Header(HeaderOf(1.7e9, 48000));
  ASSERT_TRUE(GiveData(*consumer_, TickOf(0, false, 48000), 1, HeaderOf(1.7e9, 48000)).ok());
  EXPECT_EQ(consumer_->Close().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Files(), (Names{"take-2.wav", "take.bvh.animdata", "take.wav"}));
  EXPECT_EQ(std::filesystem::file_size(folder_ + "take.wav"), 44u + 2 * 16000);
}

TEST_F(RecordConsumerTest, WhatItsFormatCannotHoldIsKeptAsAnimdata) {
  Message header = HeaderOf(1.7e9);
  header.mutable_animation_data_stream_header()->mutable_skel_animation_header()->set_joints(
      0, "a name {");
  Start(false, ".bvh", 1 << 20);
  Header(header);
  for (int k = 0; k < 30; ++k) {
    Message turn = TickOf(k);
    auto& skel = *turn.mutable_animation_data()->mutable_skel_animation();
    for (auto* keys : {skel.add_translations(), skel.add_scales()}) {
      keys->set_time_code(k / 30.0);
      keys->add_values()->set_y(static_cast<float>(k));
    }
    auto& key = *skel.add_rotations();
    key.set_time_code(k / 30.0);
    key.add_values()->set_real(1);
    ASSERT_TRUE(GiveData(*consumer_, turn, k / 30.0, header).ok());
  }
  const absl::Status status = consumer_->Close();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("\"a name {\" cannot be named in BVH"), std::string::npos);
  EXPECT_NE(status.message().find("its keys are in " + folder_ + "take.bvh.animdata"),
            std::string::npos)
      << status;
  EXPECT_EQ(Files(), (Names{"take.bvh.animdata", "take.wav"}));
  auto reader = clipio::OpenClip(folder_ + "take.bvh.animdata");
  ASSERT_TRUE(reader.ok()) << reader.status();
  for (int k = -1; k < 30; ++k) {
    const auto message = (*reader)->Next();
    ASSERT_TRUE(message.ok() && *message) << message.status();
    if (k < 0) continue;
    const wire::DataChunk& data = *(*message)->data();
    for (const wire::PoseTrack track : {wire::kWeights, wire::kTranslations, wire::kScales}) {
      ASSERT_EQ(data.pose[track].time_codes_s, std::vector<double>{k / 30.0});
      EXPECT_EQ(data.pose[track].values[track == wire::kWeights ? 0 : 1], static_cast<float>(k));
    }
    EXPECT_EQ(data.pose[wire::kRotations].values, (std::vector<float>{1, 0, 0, 0}));
  }
  EXPECT_FALSE((*(*reader)->Next()).has_value());
}

TEST_F(RecordConsumerTest, AnIdleDayLeavesNothing) {
  Start(true);
  Header();
  Run(600);
  ASSERT_TRUE(consumer_->Close().ok());
  EXPECT_EQ(Files(), Names());
  EXPECT_EQ(questions_, 1) << "once at the connection, and not while nothing plays";
}

TEST_F(RecordConsumerTest, EachTimeThatRequestsPlayIsATakeOfItsOwn) {
  Start(true);
  Header();
  Run(60);
  for (const char* request : {"r1", "r2"}) {
    playing_ = true;
    Status(StartOf(request));
    Run(3);
    playing_ = false;
    Run(400);
  }
  ASSERT_TRUE(consumer_->Close().ok());
  EXPECT_EQ(Files(), (Names{"take-2.animdata", "take-2.wav", "take.animdata", "take.wav"}));
  EXPECT_EQ(written_, (Names{"take.animdata", "take.wav", "take-2.animdata", "take-2.wav"}));
  for (const char* take : {"take.animdata", "take-2.animdata"}) {
    EXPECT_GE(Frames(folder_ + take), 90) << take;
    EXPECT_LE(Frames(folder_ + take), 90 + 2 * 30) << take;
  }
}

TEST_F(RecordConsumerTest, WhatFollowsAtOnceBelongsToTheSameTake) {
  Start(true);
  Header();
  Run(1);
  playing_ = true;
  Status(StartOf("r1"));
  Run(2.5);
  // The answer says that nothing plays, and the next one starts before the take has ended.
  playing_ = false;
  Run(0.7);
  playing_ = true;
  Status(StartOf("r2"));
  Run(5);
  ASSERT_TRUE(consumer_->Close().ok());
  EXPECT_EQ(Files(), (Names{"take.animdata", "take.wav"}));
  EXPECT_EQ(Frames(folder_ + "take.animdata"), 246);
}

TEST_F(RecordConsumerTest, ASinkThatComesInTheMiddleRecordsTheRest) {
  Start(true);
  playing_ = true;
  Header();
  Run(2);
  ASSERT_TRUE(consumer_->Close().ok());
  EXPECT_EQ(Frames(folder_ + "take.animdata"), 60);
}

TEST_F(RecordConsumerTest, ATakeGoesOnOverAReconnectionWhileTheRequestPlays) {
  Start(true);
  Header();
  Run(1);
  playing_ = true;
  Status(StartOf("r1"));
  Run(1);
  Header();
  Run(1);
  playing_ = false;  // the server was started anew, and knows of no request
  Header();
  Run(100);
  ASSERT_TRUE(consumer_->Close().ok());
  EXPECT_EQ(Files(), (Names{"take.animdata", "take.wav"}));
  EXPECT_NEAR(Frames(folder_ + "take.animdata"), 75, 2);
}

TEST_F(RecordConsumerTest, AServerThatDoesNotAnswerIsAskedAgain) {
  Start(true);
  Header();
  Run(1);
  playing_ = absl::UnavailableError("away");
  Status(StartOf("r1"));
  Run(5);
  EXPECT_GE(questions_, 5);
  playing_ = false;
  Run(100);
  EXPECT_LE(Frames(folder_ + "take.animdata"), 7 * 30);
}

TEST_F(RecordConsumerTest, AServerThatCannotSayEndsTheRecording) {
  Start(true);
  playing_ = absl::UnimplementedError("no such service");
  Header();
  EXPECT_EQ(consumer_->Tick(0).code(), absl::StatusCode::kUnimplemented);
}

TEST_F(RecordConsumerTest, AFolderThatIsNotThereIsSaidAtOnce) {
  RecordOptions options{.recorder = {.path = "/nowhere/take.animdata"}};
  options.playing = [](const auto&) { return true; };
  const auto made = RecordConsumer::Create(options, service::Logger());
  EXPECT_EQ(made.status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace posewire::renderer_sink
