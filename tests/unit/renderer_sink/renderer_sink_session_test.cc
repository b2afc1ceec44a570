#include <deque>
#include <sstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "services/renderer_sink/session/session.h"
#include "tests/unit/renderer_sink/messages.h"

namespace posewire::renderer_sink {
namespace {

using client::PullEvent;

class Counter : public Consumer {
 public:
  absl::Status OnHeader(const wire::StreamHeader&, const wire::MessageBytes&) override {
    ++headers;
    return absl::OkStatus();
  }
  absl::Status OnData(const wire::DataChunk&, const wire::MessageBytes&, double) override {
    ++frames;
    return fault;
  }
  absl::Status OnStatus(const wire::StatusChunk&, const wire::MessageBytes&) override {
    ++statuses;
    return absl::OkStatus();
  }
  absl::Status OnFaulty(const wire::MessageBytes& bytes, const absl::Status&) override {
    faulty.push_back(*bytes);
    return absl::OkStatus();
  }
  absl::Status Tick(double) override {
    ++ticks;
    return absl::OkStatus();
  }
  absl::Status Close() override {
    ++closed;
    return absl::OkStatus();
  }
  int headers = 0, frames = 0, statuses = 0, ticks = 0, closed = 0;
  std::vector<std::string> faulty;
  absl::Status fault;
};

struct SessionFixture {
  // One list a pull; an absent event is a wait that brought nothing.
  std::deque<std::deque<std::optional<PullEvent>>> pulls;
  int opened = 0;
  double now_s = 500;
  bool stopped = false;
  Counter consumer;
  StreamStats stats;
  std::ostringstream text;
  service::Logger log{"sink", {}, text};

  void Add(PullEvent::Kind kind, const Message& message, double receive_s = 0) {
    PullEvent event;
    event.kind = kind;
    event.message = Checked(message);
    event.receive_time_s = receive_s;
    pulls.back().push_back(event);
  }
  void AddTicks(int first, int count) {
    for (int k = first; k < first + count; ++k) Add(PullEvent::kData, TickOf(k), 500 + k / 30.0);
  }
  void AddStatus() {
    Message status;
    status.mutable_status()->set_message("starts");
    Add(PullEvent::kStatus, status);
  }
  void AddFaulty() {
    PullEvent event;
    event.kind = PullEvent::kFaulty;
    event.message.bytes = Garbage();
    event.why = absl::InvalidArgumentError("no message");
    pulls.back().push_back(event);
  }
  void AddEnd(absl::Status why, std::optional<int> code = std::nullopt) {
    PullEvent event;
    event.kind = PullEvent::kEnd;
    event.why = std::move(why);
    if (code) event.last_status = {static_cast<wire::StatusChunk::Code>(*code), ""};
    pulls.back().push_back(event);
  }

  absl::Status Run(const SessionOptions& options) {
    SessionParts parts;
    parts.log = log;
    parts.open = [this]() -> NextEvent {
      const size_t index = static_cast<size_t>(opened++);
      return [this, index](double timeout_s, PullEvent* event) {
        if (index >= pulls.size() || pulls[index].empty()) {
          // Nothing comes any more.
          now_s += timeout_s;
          if (now_s > 1000) stopped = true;
          return false;
        }
        *event = *std::move(pulls[index].front());
        pulls[index].pop_front();
        return true;
      };
    };
    parts.now_s = [this] { return now_s; };
    parts.stopped = [this] { return stopped; };
    return RunSession(options, parts, consumer, stats);
  }
};

TEST(RunSession, GivesEveryMessageToTheConsumerUntilTheEnd) {
  SessionFixture f;
  f.pulls.emplace_back();
  f.Add(PullEvent::kHeader, HeaderOf(1));
  f.AddTicks(0, 10);
  f.AddStatus();
  f.AddTicks(10, 5);
  f.AddEnd(absl::OkStatus(), 0);
  EXPECT_TRUE(f.Run({.until_end = true}).ok());
  EXPECT_EQ(f.consumer.headers, 1);
  EXPECT_EQ(f.consumer.frames, 15);
  EXPECT_EQ(f.consumer.statuses, 1);
  EXPECT_EQ(f.consumer.closed, 1);
  EXPECT_EQ(f.stats.frames(), 15);
  EXPECT_EQ(f.opened, 1);
}

TEST(RunSession, WhatWasPushedIsTakenThoughItIsToldToStop) {
  SessionFixture f;
  f.pulls.emplace_back();
  f.Add(PullEvent::kHeader, HeaderOf(1));
  f.AddTicks(0, 64);
  f.AddEnd(absl::OkStatus(), 0);
  f.stopped = true;
  EXPECT_TRUE(f.Run({.pushed = true}).ok());
  EXPECT_EQ(f.consumer.frames, 64);
  EXPECT_EQ(f.consumer.closed, 1);
}

TEST(RunSession, FaultyMessagesAreCountedToldAndEndNothing) {
  SessionFixture f;
  f.pulls.emplace_back();
  f.AddFaulty();
  f.Add(PullEvent::kHeader, HeaderOf(1));
  f.AddTicks(0, 10);
  f.AddFaulty();
  f.AddTicks(10, 5);
  f.Add(PullEvent::kHeader, HeaderOf(1));
  f.pulls.back().back()->why = absl::InvalidArgumentError("a second header");
  f.AddTicks(15, 5);
  f.AddEnd(absl::OkStatus(), 0);
  EXPECT_TRUE(f.Run({.until_end = true}).ok());
  EXPECT_EQ(f.consumer.frames, 20);
  EXPECT_EQ(f.consumer.headers, 2);
  EXPECT_EQ(f.consumer.faulty, (std::vector<std::string>{*Garbage(), *Garbage()}));
  EXPECT_EQ(f.stats.faulty(), 3);
  f.log = service::Logger();  // the last copy has written all
  EXPECT_NE(f.text.str().find("breaks the rules"), std::string::npos) << f.text.str();
  EXPECT_NE(f.text.str().find("a second header"), std::string::npos) << f.text.str();
}

TEST(RunSession, TakesJustTheSecondsThatWereAskedFor) {
  SessionFixture f;
  f.pulls.emplace_back();
  f.Add(PullEvent::kHeader, HeaderOf(1));
  f.AddTicks(77, 500);
  EXPECT_TRUE(f.Run({.duration_s = 4}).ok());
  EXPECT_EQ(f.consumer.frames, 120);
}

TEST(RunSession, TheDurationEndsThoughNothingComesAnyMore) {
  SessionFixture f;
  f.pulls.emplace_back();
  f.Add(PullEvent::kHeader, HeaderOf(1));
  f.AddTicks(0, 3);
  EXPECT_TRUE(f.Run({.duration_s = 4}).ok());
  EXPECT_NEAR(f.now_s, 504.5, 0.2);
  EXPECT_FALSE(f.stopped);
}

TEST(RunSession, ARemovedStreamIsPulledAgainUnlessToldToEnd) {
  SessionFixture f;
  f.pulls.emplace_back();
  f.Add(PullEvent::kHeader, HeaderOf(1));
  f.AddEnd(absl::OkStatus(), 0);
  f.pulls.emplace_back();
  f.Add(PullEvent::kHeader, HeaderOf(1));
  f.AddTicks(0, 30);
  EXPECT_TRUE(f.Run({.duration_s = 1}).ok());
  EXPECT_EQ(f.opened, 2);
  EXPECT_EQ(f.consumer.headers, 2);
  EXPECT_EQ(f.consumer.frames, 30);
}

TEST(RunSession, ASourceThatWasLostIsAnError) {
  SessionFixture f;
  f.pulls.emplace_back();
  f.Add(PullEvent::kHeader, HeaderOf(1));
  f.AddEnd(absl::OkStatus(), 3);
  EXPECT_EQ(f.Run({.until_end = true}).code(), absl::StatusCode::kAborted);
  EXPECT_EQ(f.consumer.closed, 1);
}

TEST(RunSession, ARejectionIsReturned) {
  SessionFixture f;
  f.pulls.emplace_back();
  f.AddEnd(absl::NotFoundError("no request"));
  EXPECT_EQ(f.Run({}).code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(f.consumer.closed, 1);
}

TEST(RunSession, AFaultOfTheConsumerEndsItAndClosesIt) {
  SessionFixture f;
  f.pulls.emplace_back();
  f.Add(PullEvent::kHeader, HeaderOf(1));
  f.AddTicks(0, 30);
  f.consumer.fault = absl::ResourceExhaustedError("disk full");
  EXPECT_EQ(f.Run({}).code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(f.consumer.frames, 1);
  EXPECT_EQ(f.consumer.closed, 1);
}

TEST(RunSession, AStopIsNoError) {
  SessionFixture f;
  f.pulls.emplace_back();
  f.Add(PullEvent::kHeader, HeaderOf(1));
  EXPECT_TRUE(f.Run({}).ok());
  EXPECT_TRUE(f.stopped);
  EXPECT_GT(f.consumer.ticks, 100);
  EXPECT_EQ(f.consumer.closed, 1);
}

}  // namespace
}  // namespace posewire::renderer_sink
