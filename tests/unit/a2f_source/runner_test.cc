#include "services/a2f_source/core/runner.h"

#include <deque>
#include <limits>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/a2f_source/test_clip.h"

namespace posewire::a2f_source {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using wire::StatusChunk;

constexpr double kBurst = std::numeric_limits<double>::infinity();

class FakeClock : public Clock {
 public:
  double Now() override { return now_s; }
  bool SleepUntil(double time_s) override {
    if (time_s > stop_at_s) {
      now_s = std::max(now_s, stop_at_s);
      return false;
    }
    now_s = std::max(now_s, time_s);
    return true;
  }
  double now_s = 1000;
  double stop_at_s = 1e9;
};

class FakeSource : public Source {
 public:
  absl::StatusOr<wire::StreamHeader> Header() override { return SourceHeader(); }
  absl::StatusOr<std::optional<wire::Message>> Next() override {
    if (parts.empty()) {
      if (!fault.ok()) return fault;
      return std::nullopt;
    }
    auto part = std::optional(parts.front());
    parts.pop_front();
    return part;
  }
  std::deque<wire::Message> parts;
  absl::Status fault;
};

class FakeSink : public MessageSink {
 public:
  explicit FakeSink(FakeClock& clock) : clock_(clock) {}
  absl::Status Begin(const wire::StreamHeader& h) override {
    header = h;
    return absl::OkStatus();
  }
  absl::StatusOr<bool> Send(const wire::Message& message) override {
    if (message.status() != nullptr) return SendStatus(*message.status());
    if (static_cast<int>(times_s.size()) == takes) return false;
    if (!fault.ok()) return fault;
    times_s.push_back(clock_.now_s - 1000);
    return true;
  }
  absl::StatusOr<std::string> End() override {
    ended = true;
    return std::string("taken");
  }
  wire::StreamHeader header;
  std::vector<double> times_s;
  std::vector<std::string> statuses;  // behind how many frames, and what they say
  int takes = -1;
  absl::Status fault, status_fault;
  bool ended = false;

 private:
  absl::StatusOr<bool> SendStatus(const StatusChunk& status) {
    EXPECT_FALSE(ended);
    if (!status_fault.ok()) return status_fault;
    if (static_cast<int>(times_s.size()) == takes) return false;
    statuses.push_back(
        absl::StrCat(times_s.size(), " ", wire::CodeName(status.code), " ", status.message));
    return true;
  }

  FakeClock& clock_;
};

struct Fixture {
  FakeClock clock;
  FakeSource source;
  FakeSink sink{clock};
  Fixture() {
    for (int k = 0; k < 5; ++k) source.parts.push_back(FrameAt(20 + k * 0.25));
  }
  absl::StatusOr<RunResult> Run(double rate = 1, double lead_s = 0.3) {
    return a2f_source::Run(source, sink, Pacer(rate, lead_s), clock, {"s", "r", "t", ""}, 77,
                           nullptr);
  }
};

TEST(Run, PacesByTheCodesAheadByTheLead) {
  Fixture f;
  const auto result = f.Run();
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_EQ(f.sink.times_s.size(), 5u);
  const double want_s[] = {0, 0, 0.2, 0.45, 0.7};
  for (size_t i = 0; i < 5; ++i) EXPECT_NEAR(f.sink.times_s[i], want_s[i], 1e-9) << i;
  EXPECT_EQ(result->answer, "taken");
  EXPECT_EQ(result->progress.messages, 5);
  EXPECT_NEAR(result->progress.sent_s(), 1, 1e-9);
}

TEST(Run, SendsABurstWithoutWaiting) {
  Fixture f;
  ASSERT_TRUE(f.Run(kBurst).ok());
  EXPECT_THAT(f.sink.times_s, ElementsAre(0, 0, 0, 0, 0));
}

TEST(Run, FillsInIdsAndEpoch) {
  Fixture f;
  ASSERT_TRUE(f.Run(kBurst).ok());
  const wire::StreamIds& ids = f.sink.header.ids;
  EXPECT_EQ(ids.stream_id, "s");
  EXPECT_EQ(ids.request_id, "r");
  EXPECT_EQ(ids.target_object_id, "t");
  EXPECT_EQ(f.sink.header.source_service_id, "a2f_source");
  EXPECT_EQ(f.sink.header.epoch_s, 77);
  EXPECT_THAT(f.sink.header.shapes, ElementsAre("jawOpen"));
}

wire::Message StatusOf(StatusChunk::Code code, const std::string& text) {
  return wire::MakeMessage(StatusChunk{code, text});
}

TEST(Run, TheLastMessageIsAStatus) {
  Fixture f;
  ASSERT_TRUE(f.Run(kBurst).ok());
  EXPECT_THAT(f.sink.statuses, ElementsAre("5 SUCCESS the source has sent all"));
}

TEST(Run, StatusesOfTheSourceGoWhereTheyStandAndItsLastOneIsTheLast) {
  Fixture f;
  f.source.parts.insert(f.source.parts.begin() + 2, StatusOf(StatusChunk::kWarning, "cold"));
  f.source.parts.push_back(StatusOf(StatusChunk::kInfo, "stopped"));
  const auto result = f.Run(kBurst);
  ASSERT_TRUE(result.ok());
  EXPECT_THAT(f.sink.statuses, ElementsAre("2 WARNING cold", "5 INFO stopped"));
  EXPECT_EQ(result->progress.messages, 5) << "of data";
}

TEST(Run, AStatusInBetweenIsNotTheLast) {
  Fixture f;
  f.source.parts.push_front(StatusOf(StatusChunk::kSuccess, "early"));
  ASSERT_TRUE(f.Run(kBurst).ok());
  EXPECT_THAT(f.sink.statuses, ElementsAre("0 SUCCESS early", "5 SUCCESS the source has sent all"));
}

TEST(Run, AFaultOfTheSourceEndsTheSinkInOrderWithAnError) {
  Fixture f;
  f.source.parts.push_back(StatusOf(StatusChunk::kInfo, "so far"));
  f.source.fault = absl::DataLossError("t\xf6rn: ends within a message");
  EXPECT_EQ(f.Run(kBurst).status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(f.sink.times_s.size(), 5u);
  EXPECT_THAT(
      f.sink.statuses,
      ElementsAre("5 INFO so far", "5 ERROR the source failed: t\\xf6rn: ends within a message"));
  EXPECT_TRUE(f.sink.ended);
}

TEST(Run, AFaultOfTheSourceGoesBeforeOneOfTheSinkThatFollowsIt) {
  Fixture f;
  f.source.fault = absl::DataLossError("the clip is torn");
  f.sink.status_fault = absl::UnavailableError("no server");
  EXPECT_EQ(f.Run(kBurst).status().code(), absl::StatusCode::kDataLoss);
}

TEST(Run, AFaultOfTheSinkIsReturned) {
  Fixture f;
  f.sink.fault = absl::InvalidArgumentError("bad");
  EXPECT_EQ(f.Run(kBurst).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(Run, EndsWhenTheFarEndWantsNoMore) {
  Fixture f;
  f.sink.takes = 2;
  const auto result = f.Run(kBurst);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->progress.messages, 2);
  EXPECT_TRUE(f.sink.statuses.empty());
  EXPECT_TRUE(f.sink.ended);
}

TEST(Run, StopsWhileItWaitsAndInABurstAndSaysSo) {
  {
    Fixture f;
    f.clock.stop_at_s = 1000.3;
    EXPECT_EQ(f.Run().status().code(), absl::StatusCode::kCancelled);
    EXPECT_EQ(f.sink.times_s.size(), 3u);
    EXPECT_THAT(f.sink.statuses, ElementsAre("3 INFO the source was stopped"));
    EXPECT_TRUE(f.sink.ended);
  }
  {
    Fixture f;
    f.clock.stop_at_s = 0;
    EXPECT_EQ(f.Run(kBurst).status().code(), absl::StatusCode::kCancelled);
    EXPECT_TRUE(f.sink.times_s.empty());
    EXPECT_THAT(f.sink.statuses, ElementsAre("0 INFO the source was stopped"));
  }
}

TEST(Run, MessagesWithoutCodesGoWithTheOnesBeforeThem) {
  Fixture f;
  f.source.parts.insert(f.source.parts.begin() + 4, wire::MakeMessage(wire::DataChunk()));
  ASSERT_TRUE(f.Run(1, 0).ok());
  EXPECT_THAT(f.sink.times_s, ElementsAre(0, 0.25, 0.5, 0.75, 0.75, 1));
}

// Ready from a time on.
class LateSource : public FakeSource {
 public:
  explicit LateSource(FakeClock& clock) : clock_(clock) {}
  bool Ready() override { return parts.size() != late_at || clock_.now_s >= ready_s; }
  absl::StatusOr<std::optional<wire::Message>> NextNow() override {
    made_do_at_s.push_back(clock_.now_s - 1000);
    return Next();
  }
  size_t late_at = 3;  // with so many parts left
  double ready_s = 1e6;
  std::vector<double> made_do_at_s;

 private:
  FakeClock& clock_;
};

struct LateFixture {
  FakeClock clock;
  LateSource source{clock};
  FakeSink sink{clock};
  LateFixture() {
    for (int k = 0; k < 5; ++k) source.parts.push_back(FrameAt(20 + k * 0.25));
  }
  absl::StatusOr<RunResult> Run(double rate) {
    return a2f_source::Run(source, sink, Pacer(rate, 0.3), clock, {"s", "r", "t", ""}, 77, nullptr);
  }
};

TEST(Run, ASourceThatIsLateHasToMakeDoSoonAfterItsMessageIsDue) {
  LateFixture f;
  ASSERT_TRUE(f.Run(1).ok());
  ASSERT_EQ(f.source.made_do_at_s.size(), 1u);
  EXPECT_NEAR(f.source.made_do_at_s[0], 0.1, 0.06) << "due 0.3 s before its time";
  EXPECT_EQ(f.sink.times_s.size(), 5u);
}

TEST(Run, WaitsForASourceThatIsLateButNotTooLate) {
  LateFixture f;
  f.source.ready_s = 1000.05;
  ASSERT_TRUE(f.Run(1).ok());
  EXPECT_TRUE(f.source.made_do_at_s.empty());
}

TEST(Run, ABurstWaitsForASourceAsLongAsItTakes) {
  LateFixture f;
  f.source.ready_s = 1500;
  ASSERT_TRUE(f.Run(kBurst).ok());
  EXPECT_TRUE(f.source.made_do_at_s.empty());
  EXPECT_NEAR(f.clock.now_s, 1500, 0.01);
}

TEST(Run, StopsWhileItWaitsForTheFirstSound) {
  LateFixture f;
  f.source.late_at = 5;
  f.clock.stop_at_s = 1002;
  EXPECT_EQ(f.Run(1).status().code(), absl::StatusCode::kCancelled);
  EXPECT_TRUE(f.sink.times_s.empty());
  EXPECT_FALSE(f.sink.ended) << "nothing was begun";
}

TEST(ProgressText, SaysHowFarItHasGot) {
  Progress progress{.messages = 12, .first_time_code_s = 10, .last_time_code_s = 12.5};
  EXPECT_EQ(ProgressText(progress, 0), "2.5 s sent, 12 messages");
  EXPECT_THAT(ProgressText(progress, 10), HasSubstr("2.5 s of 10.0 s (25 %)"));
}

}  // namespace
}  // namespace posewire::a2f_source
