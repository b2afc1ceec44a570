#include <filesystem>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "libs/clipio/clip_reader.h"
#include "services/renderer_sink/consumers.h"
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
  auto reader = clipio::ClipReader::Open(path);
  EXPECT_TRUE(reader.ok()) << reader.status();
  int frames = 0;
  while (reader.ok()) {
    auto message = (*reader)->Next();
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

  void Start(bool requests_only) {
    RecordOptions options{.recorder = {.path = folder_ + "take.animdata"}};
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
