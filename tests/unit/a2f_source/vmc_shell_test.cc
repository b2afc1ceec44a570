// Captures, and how requests reach their sinks.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <future>
#include <new>
#include <random>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "services/a2f_source/live/capture.h"
#include "services/a2f_source/live/request_writer.h"

namespace posewire::a2f_source {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string TempPath(const char* name) {
  return (std::filesystem::temp_directory_path() /
          absl::StrCat("posewire_", name, "_", std::random_device()()))
      .string();
}

TEST(Capture, KeepsBytesPortsAndTimes) {
  const std::string path = TempPath("capture");
  auto writer = CaptureWriter::Create(path);
  ASSERT_TRUE(writer.ok()) << writer.status();
  std::string all;
  for (int i = 0; i < 256; ++i) all.push_back(static_cast<char>(i));
  (*writer)->Write(all, VmcPort::kMarionette, 77.25);
  (*writer)->Write("", VmcPort::kPerformer, 77.5);
  ASSERT_TRUE((*writer)->Close().ok());
  const auto read = ReadCapture(path);
  std::remove(path.c_str());
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->size(), 2u);
  EXPECT_EQ((*read)[0].bytes, all);
  EXPECT_EQ((*read)[0].time_s, 0);
  EXPECT_EQ((*read)[0].port, VmcPort::kMarionette);
  EXPECT_EQ((*read)[1].bytes, "");
  EXPECT_NEAR((*read)[1].time_s, 0.25, 1e-6);
  EXPECT_EQ((*read)[1].port, VmcPort::kPerformer);
}

TEST(Capture, ReadsAListToo) {
  const auto read = ParseCapture(
      R"([{"buffer": "AQI=", "time": 5.5}, {"time": 5, "buffer": "Aw==", "extra": [1, {"x": "}"}]}])");
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->size(), 2u);
  EXPECT_EQ((*read)[0].bytes, "\x03");
  EXPECT_EQ((*read)[1].bytes, "\x01\x02");
  EXPECT_EQ((*read)[1].time_s, 0.5);
}

TEST(Capture, ATornLastLineIsLeftOutAndNonsenseNamesItsLine) {
  const std::string line = "{\"time\": 1, \"buffer\": \"AQI=\"}\n";
  EXPECT_EQ(ParseCapture(line + line.substr(0, 15))->size(), 1u);
  for (const char* bad : {"x", "{\"time\": 1}", "{\"time\": \"x\", \"buffer\": \"\"}",
                          "{\"time\": 1, \"buffer\": \"*\"}", "{\"time\" 1}"}) {
    const auto read = ParseCapture(line + bad);
    ASSERT_FALSE(read.ok()) << bad;
    EXPECT_THAT(read.status().message(), HasSubstr("line 2")) << bad;
  }
  EXPECT_TRUE(ParseCapture("")->empty());
  EXPECT_EQ(ReadCapture("/nonexistent").status().code(), absl::StatusCode::kNotFound);
}

// Says what was asked of it; may be made to wait.
struct Log {
  std::mutex mutex;
  std::vector<std::string> lines;
  void Add(std::string line) {
    std::lock_guard lock(mutex);
    lines.push_back(std::move(line));
  }
};
class LogSink : public MessageSink {
 public:
  LogSink(Log& log, std::shared_future<void> gate, int takes)
      : log_(log), gate_(std::move(gate)), takes_(takes) {}
  absl::Status Begin(const wire::StreamHeader& h) override {
    log_.Add(
        absl::StrCat("begin ", h.ids.stream_id, " ", h.ids.request_id, " ", h.source_service_id));
    return absl::OkStatus();
  }
  absl::StatusOr<bool> Send(const wire::Message& message) override {
    if (const wire::StatusChunk* status = message.status()) {
      log_.Add(absl::StrCat("status ", wire::CodeName(status->code)));
      return true;
    }
    if (gate_.valid()) gate_.wait();
    if (takes_-- <= 0) return false;
    log_.Add(absl::StrCat("send ", message.data()->camera[wire::kFocalLength].time_codes_s[0]));
    return true;
  }
  absl::StatusOr<std::string> End() override {
    log_.Add("end");
    return std::string("done");
  }

 private:
  Log& log_;
  std::shared_future<void> gate_;
  int takes_;
};

wire::Message Frame(double time_code_s) {
  wire::DataChunk data;
  data.camera[wire::kFocalLength] = {1, {time_code_s}, {35}};
  return wire::MakeMessage(std::move(data));
}

RequestWriterSettings Settings(Log& log, std::shared_future<void> gate = {}, int takes = 1000) {
  RequestWriterSettings s;
  s.ids = {"s", "r", "", "mine"};
  s.open = [&log, gate, takes](int) { return std::make_shared<LogSink>(log, gate, takes); };
  return s;
}

TEST(RequestWriter, OneRequestAfterTheOther) {
  Log log;
  RequestWriter writer(Settings(log));
  ASSERT_TRUE(writer.Do(Frame(9)).ok());
  ASSERT_TRUE(writer.Do(BeginRequest{}).ok());
  ASSERT_TRUE(writer.Do(Frame(1)).ok());
  ASSERT_TRUE(writer.Do(EndRequest{}).ok());
  ASSERT_TRUE(writer.Do(BeginRequest{}).ok());
  ASSERT_TRUE(writer.Do(EndRequest{}).ok());
  EXPECT_THAT(log.lines, ElementsAre("begin s r mine", "send 1", "status SUCCESS", "end",
                                     "begin s r-2 mine", "status SUCCESS", "end"));
}

TEST(RequestWriter, ARequestThatWasStoppedIsNotSentOn) {
  Log log;
  RequestWriter writer(Settings(log, {}, 1));
  ASSERT_TRUE(writer.Do(BeginRequest{}).ok());
  for (int k = 0; k < 4; ++k) ASSERT_TRUE(writer.Do(Frame(k)).ok());
  ASSERT_TRUE(writer.Do(EndRequest{}).ok());
  EXPECT_THAT(log.lines, ElementsAre("begin s r mine", "send 0", "end"));
}

TEST(RequestWriter, ARequestThatEndsWithItsSourceSaysThatItWasStopped) {
  Log log;
  RequestWriterSettings settings = Settings(log);
  bool stopped = false;
  settings.stopped = [&] { return stopped; };
  RequestWriter writer(settings);
  ASSERT_TRUE(writer.Do(BeginRequest{}).ok());
  ASSERT_TRUE(writer.Do(EndRequest{}).ok());
  stopped = true;
  ASSERT_TRUE(writer.Do(BeginRequest{}).ok());
  ASSERT_TRUE(writer.Do(EndRequest{}).ok());
  EXPECT_THAT(log.lines, ElementsAre("begin s r mine", "status SUCCESS", "end", "begin s r-2 mine",
                                     "status INFO", "end"));
}

TEST(RequestQueue, ASlowServerLosesTheOldestFramesAndNoBeginning) {
  Log log;
  std::promise<void> open;
  RequestQueue queue(RequestWriter(Settings(log, open.get_future().share())), 3);
  queue.Put(BeginRequest{});
  for (int k = 0; k < 10; ++k) queue.Put(Frame(k));
  queue.Put(EndRequest{});
  EXPECT_FALSE(queue.Drain(0.01));
  open.set_value();
  EXPECT_TRUE(queue.Drain(10));
  ASSERT_TRUE(queue.status().ok());
  // One may have been under way when the others came.
  EXPECT_GE(queue.dropped(), 6u);
  EXPECT_LE(queue.dropped(), 7u);
  EXPECT_EQ(log.lines.front(), "begin s r mine");
  EXPECT_EQ(log.lines[log.lines.size() - 3], "send 9");
  EXPECT_EQ(log.lines[log.lines.size() - 2], "status SUCCESS");
  EXPECT_EQ(log.lines.back(), "end");
}

TEST(RequestQueue, AnErrorEndsIt) {
  Log log;
  RequestWriterSettings settings = Settings(log);
  class Broken : public LogSink {
   public:
    using LogSink::LogSink;
    absl::StatusOr<bool> Send(const wire::Message&) override {
      return absl::UnavailableError("gone");
    }
  };
  settings.open = [&log](int) {
    return std::make_shared<Broken>(log, std::shared_future<void>(), 1);
  };
  RequestQueue queue{RequestWriter(settings)};
  queue.Put(BeginRequest{});
  queue.Put(Frame(1));
  EXPECT_TRUE(queue.Drain(10));
  EXPECT_EQ(queue.status().message(), "gone");
}

TEST(RequestQueue, WhatItsSinkThrowsEndsItWithAnError) {
  Log log;
  RequestWriterSettings settings = Settings(log);
  settings.open = [](int) -> std::shared_ptr<MessageSink> { throw std::bad_alloc(); };
  RequestQueue queue{RequestWriter(settings)};
  queue.Put(BeginRequest{});
  EXPECT_TRUE(queue.Drain(10));
  EXPECT_EQ(queue.status().code(), absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace posewire::a2f_source
