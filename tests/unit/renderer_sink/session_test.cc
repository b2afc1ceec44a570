#include "services/renderer_sink/session.h"

#include <deque>

#include "gtest/gtest.h"
#include "tests/unit/renderer_sink/messages.h"

namespace posewire::renderer_sink {
namespace {

using client::PullEvent;

class Counter : public Consumer {
 public:
  absl::Status OnHeader(const Message&) override {
    ++headers;
    return absl::OkStatus();
  }
  absl::Status OnData(Message, double) override {
    ++frames;
    return fault;
  }
  absl::Status OnStatus(const Message&) override {
    ++statuses;
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
  absl::Status fault;
};

struct Fixture {
  // One list a pull; an absent event is a wait that brought nothing.
  std::deque<std::deque<std::optional<PullEvent>>> pulls;
  int opened = 0;
  double now_s = 500;
  bool stopped = false;
  Counter consumer;
  StreamStats stats;

  void Add(PullEvent::Kind kind, Message message = {}, double receive_s = 0) {
    PullEvent event;
    event.kind = kind;
    event.message = std::move(message);
    event.receive_time_s = receive_s;
    pulls.back().push_back(event);
  }
  void AddTicks(int first, int count) {
    for (int k = first; k < first + count; ++k) Add(PullEvent::kData, TickOf(k), 500 + k / 30.0);
  }
  void AddEnd(absl::Status why, std::optional<int> code = std::nullopt) {
    PullEvent event;
    event.kind = PullEvent::kEnd;
    event.why = std::move(why);
    if (code) {
      event.last_status.emplace().set_code(
          static_cast<nvidia_ace::status::v1::Status::Code>(*code));
    }
    pulls.back().push_back(event);
  }

  absl::Status Run(const SessionOptions& options) {
    SessionParts parts;
    parts.open = [this]() -> std::function<std::optional<PullEvent>(double)> {
      const size_t index = static_cast<size_t>(opened++);
      return [this, index](double timeout_s) -> std::optional<PullEvent> {
        if (index >= pulls.size() || pulls[index].empty()) {
          // Nothing comes any more.
          now_s += timeout_s;
          if (now_s > 1000) stopped = true;
          return std::nullopt;
        }
        auto event = pulls[index].front();
        pulls[index].pop_front();
        return event;
      };
    };
    parts.now_s = [this] { return now_s; };
    parts.stopped = [this] { return stopped; };
    return RunSession(options, parts, consumer, stats);
  }
};

TEST(RunSession, GivesEveryMessageToTheConsumerUntilTheEnd) {
  Fixture f;
  f.pulls.emplace_back();
  f.Add(PullEvent::kHeader, HeaderOf(1));
  f.AddTicks(0, 10);
  f.Add(PullEvent::kStatus);
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
  Fixture f;
  f.pulls.emplace_back();
  f.Add(PullEvent::kHeader, HeaderOf(1));
  f.AddTicks(0, 64);
  f.AddEnd(absl::OkStatus(), 0);
  f.stopped = true;
  EXPECT_TRUE(f.Run({.pushed = true}).ok());
  EXPECT_EQ(f.consumer.frames, 64);
  EXPECT_EQ(f.consumer.closed, 1);
}

TEST(RunSession, TakesJustTheSecondsThatWereAskedFor) {
  Fixture f;
  f.pulls.emplace_back();
  f.Add(PullEvent::kHeader, HeaderOf(1));
  f.AddTicks(77, 500);
  EXPECT_TRUE(f.Run({.duration_s = 4}).ok());
  EXPECT_EQ(f.consumer.frames, 120);
}

TEST(RunSession, TheDurationEndsThoughNothingComesAnyMore) {
  Fixture f;
  f.pulls.emplace_back();
  f.Add(PullEvent::kHeader, HeaderOf(1));
  f.AddTicks(0, 3);
  EXPECT_TRUE(f.Run({.duration_s = 4}).ok());
  EXPECT_NEAR(f.now_s, 504.5, 0.2);
  EXPECT_FALSE(f.stopped);
}

TEST(RunSession, ARemovedStreamIsPulledAgainUnlessToldToEnd) {
  Fixture f;
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
  Fixture f;
  f.pulls.emplace_back();
  f.Add(PullEvent::kHeader, HeaderOf(1));
  f.AddEnd(absl::OkStatus(), 3);
  EXPECT_EQ(f.Run({.until_end = true}).code(), absl::StatusCode::kAborted);
  EXPECT_EQ(f.consumer.closed, 1);
}

TEST(RunSession, ARefusalIsReturned) {
  Fixture f;
  f.pulls.emplace_back();
  f.AddEnd(absl::NotFoundError("no request"));
  EXPECT_EQ(f.Run({}).code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(f.consumer.closed, 1);
}

TEST(RunSession, AFaultOfTheConsumerEndsItAndClosesIt) {
  Fixture f;
  f.pulls.emplace_back();
  f.Add(PullEvent::kHeader, HeaderOf(1));
  f.AddTicks(0, 30);
  f.consumer.fault = absl::ResourceExhaustedError("disk full");
  EXPECT_EQ(f.Run({}).code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(f.consumer.frames, 1);
  EXPECT_EQ(f.consumer.closed, 1);
}

TEST(RunSession, AStopIsNoError) {
  Fixture f;
  f.pulls.emplace_back();
  f.Add(PullEvent::kHeader, HeaderOf(1));
  EXPECT_TRUE(f.Run({}).ok());
  EXPECT_TRUE(f.stopped);
  EXPECT_GT(f.consumer.ticks, 100);
  EXPECT_EQ(f.consumer.closed, 1);
}

}  // namespace
}  // namespace posewire::renderer_sink
