#include "services/renderer_sink/pushes/push_inbox.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "libs/stream/busy.h"
#include "libs/wire/frame_reader.h"
#include "tests/support/allocation_count.h"
#include "tests/unit/renderer_sink/messages.h"

namespace posewire::renderer_sink {
namespace {

using client::PullEvent;
using stream::PushEnd;

class Peer : public stream::PushPeer {
 public:
  void ReadOn() override { ++read_on; }
  void Finish(const stream::PushAnswer& a) override { answer = a; }
  int read_on = 0;
  std::optional<stream::PushAnswer> answer;
};

// One push as it comes over the wire.
struct Push {
  std::shared_ptr<Peer> peer = std::make_shared<Peer>();
  wire::FrameReader reader;
  wire::Message checked;
  absl::Status rejected;
  service::TakenPush taken;

  bool Send(const Message& message) {
    return Send(std::make_shared<const std::string>(message.SerializeAsString()));
  }
  bool Send(const wire::MessageBytes& bytes) {
    checked.bytes = bytes;
    const absl::Status s = Read();
    EXPECT_TRUE(s.ok()) << s;
    return taken.taker->Take(&checked);
  }
  absl::Status Read() {
    const std::string& bytes = *checked.bytes;
    const absl::Span<const uint8_t> slices[] = {
        {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}};
    return reader.Read(slices, &checked.chunk);
  }
};

stream::PushCallOptions Resumed() {
  stream::PushCallOptions options;
  options.resume = true;
  return options;
}
stream::PushCallOptions Interrupting() {
  stream::PushCallOptions options;
  options.policy = stream::Policy::kInterrupt;
  return options;
}
stream::PushCallOptions Live() {
  stream::PushCallOptions options;
  options.mode = stream::Mode::kLive;
  return options;
}

class PushInboxTest : public ::testing::Test {
 protected:
  void Make(bool paced = false, const std::string& stream = "") {
    PushInboxOptions options;
    options.ids.stream_id = stream;
    options.paced = paced;
    options.most_waiting = 4;
    options.now_s = [this] { return now_s; };
    inbox = std::make_unique<PushInbox>(options);
  }
  std::unique_ptr<Push> Open(const std::string& request,
                             const stream::PushCallOptions& options = {}) {
    auto push = std::make_unique<Push>();
    Message header = HeaderOf(100);
    header.mutable_animation_data_stream_header()->mutable_animation_ids()->set_request_id(request);
    push->checked.bytes = std::make_shared<const std::string>(header.SerializeAsString());
    const absl::Status read = push->Read();
    EXPECT_TRUE(read.ok()) << read;
    auto taken = inbox->OpenPush(std::get<wire::StreamHeader>(push->checked.chunk),
                                 push->checked.bytes, options, push->peer);
    push->rejected = taken.status();
    if (taken.ok()) push->taken = *std::move(taken);
    return push;
  }
  // The kinds of all events that are due: h(eader), d(ata), s(tatus), l(ost), e(nd).
  std::string Kinds() {
    std::string kinds;
    while (inbox->Next(0, &last)) kinds += "hdsfle"[last.kind];
    return kinds;
  }

  double now_s = 1000;
  std::unique_ptr<PushInbox> inbox;
  PullEvent last;
};

TEST_F(PushInboxTest, APushIsAHeaderDataAndAnEnd) {
  Make();
  const auto push = Open("r");
  EXPECT_TRUE(push->taken.read_on);
  EXPECT_TRUE(push->Send(TickOf(0)));
  EXPECT_TRUE(push->Send(TickOf(1)));
  EXPECT_EQ(Kinds(), "hdd");
  EXPECT_EQ(*last.message.bytes, TickOf(1).SerializeAsString());
  EXPECT_EQ(push->taken.taker->HalfClosed().message, "2 messages accepted");
  // It may have been a connection that died.
  EXPECT_EQ(Kinds(), "");
  push->taken.taker->Over(PushEnd::kHalfClosed, absl::OkStatus());
  EXPECT_EQ(Kinds(), "e");
  EXPECT_TRUE(last.why.ok());
}

TEST_F(PushInboxTest, AFullInboxIsNotReadUntilThereIsRoom) {
  Make();
  const auto push = Open("r");
  for (int k = 0; k < 3; ++k) EXPECT_TRUE(push->Send(TickOf(k)));
  EXPECT_FALSE(push->Send(TickOf(3)));
  EXPECT_EQ(push->peer->read_on, 0);
  EXPECT_EQ(Kinds(), "hdddd");
  EXPECT_EQ(push->peer->read_on, 1);
}

// Messages of a few bytes take hundreds in memory.
TEST_F(PushInboxTest, APacedRequestIsFullOfSmallMessagesToo) {
  Make(true);
  const auto push = Open("r");
  push->Send(TickOf(0));
  const wire::MessageBytes word = wire::SerializeStatus(wire::StatusChunk::kInfo, "");
  int taken = 1;
  while (taken < 100000 && push->Send(word)) ++taken;
  EXPECT_LT(taken, 100000);
  EXPECT_GT(taken, 5000);
}

TEST_F(PushInboxTest, RequestsComeOneAfterTheOther) {
  Make();
  const auto first = Open("one"), second = Open("two");
  second->Send(TickOf(0));
  first->Send(TickOf(0));
  EXPECT_EQ(Kinds(), "hd");
  first->taken.taker->HalfClosed();
  first->taken.taker->Over(PushEnd::kHalfClosed, absl::OkStatus());
  EXPECT_EQ(Kinds(), "ehd");
  for (int i = 0; i < stream::kMaxQueuedRequests; ++i)
    EXPECT_TRUE(Open(absl::StrCat("w", i))->rejected.ok());
  EXPECT_TRUE(stream::IsBusy(Open("much")->rejected));
}

TEST_F(PushInboxTest, WhatInterruptsAFullLineFindsAPlace) {
  Make();
  std::vector<std::unique_ptr<Push>> line;
  for (int i = 0; i <= stream::kMaxQueuedRequests; ++i) line.push_back(Open(absl::StrCat("w", i)));
  stream::PushCallOptions interrupt;
  interrupt.policy = stream::Policy::kInterrupt;
  const auto newest = Open("newest", interrupt);
  EXPECT_TRUE(newest->rejected.ok()) << newest->rejected;
  newest->Send(TickOf(0));
  const std::string kinds = Kinds();
  EXPECT_EQ(kinds.substr(kinds.size() - 2), "hd");
}

TEST_F(PushInboxTest, OtherIdsThanThoseThatAreTakenAreNotFound) {
  Make(false, "mine");
  EXPECT_EQ(Open("r")->rejected.code(), absl::StatusCode::kNotFound);
}

TEST_F(PushInboxTest, ALostRequestGoesOnAndNothingIsDoubled) {
  Make();
  const auto push = Open("r");
  push->Send(TickOf(0));
  push->Send(TickOf(1));
  EXPECT_EQ(Open("r")->rejected.code(), absl::StatusCode::kAlreadyExists);
  push->taken.taker->Over(PushEnd::kCancelled, absl::OkStatus());
  EXPECT_EQ(Kinds(), "hddl");
  now_s += 29;
  const auto again = Open("r", Resumed());
  ASSERT_TRUE(again->rejected.ok()) << again->rejected;
  EXPECT_NEAR(again->taken.received_until_s.value_or(-9), 1 / 30.0, 1e-9);
  for (int k = 1; k < 3; ++k) again->Send(TickOf(k));
  EXPECT_EQ(Kinds(), "d");
  EXPECT_EQ(*last.message.bytes, TickOf(2).SerializeAsString());
}

TEST_F(PushInboxTest, AStatusThatIsSentAgainIsNotDoubled) {
  Make();
  Message status;
  status.mutable_status()->set_message("the source has sent all");
  const auto push = Open("r");
  push->Send(TickOf(0));
  push->Send(status);
  push->taken.taker->Over(PushEnd::kCancelled, absl::OkStatus());
  EXPECT_EQ(Kinds(), "hdsl");
  const auto again = Open("r", Resumed());
  again->Send(TickOf(0));
  again->Send(status);
  EXPECT_EQ(Kinds(), "");
  // Behind new data it is a new one.
  again->Send(TickOf(1));
  again->Send(status);
  EXPECT_EQ(Kinds(), "ds");
}

TEST_F(PushInboxTest, AFaultIsTheReasonOfTheEnd) {
  Make();
  const auto push = Open("r");
  push->Send(TickOf(0));
  push->taken.taker->Over(PushEnd::kFault, absl::InvalidArgumentError("rotations[3] is nan"));
  EXPECT_EQ(Kinds(), "hde");
  ASSERT_TRUE(last.last_status);
  EXPECT_EQ(last.last_status->message, "the push ended in a fault: rotations[3] is nan");
}

TEST_F(PushInboxTest, ASourceThatStaysAwayIsLost) {
  Make();
  const auto push = Open("r");
  push->Send(TickOf(0));
  push->taken.taker->Over(PushEnd::kCancelled, absl::OkStatus());
  EXPECT_EQ(Kinds(), "hdl");
  now_s += 30;
  EXPECT_EQ(Kinds(), "e");
  ASSERT_TRUE(last.last_status);
  EXPECT_EQ(last.last_status->code, wire::StatusChunk::kError);
  EXPECT_EQ(Open("r", Resumed())->rejected.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_TRUE(Open("r")->rejected.ok());
}

TEST_F(PushInboxTest, ALostRequestMakesRoomForTheNext) {
  Make();
  const auto push = Open("r");
  push->taken.taker->Over(PushEnd::kCancelled, absl::OkStatus());
  EXPECT_EQ(Kinds(), "hl");
  const auto next = Open("next");
  EXPECT_EQ(Kinds(), "eh");
}

TEST_F(PushInboxTest, AnInterruptEndsWhatWasThere) {
  Make();
  const auto old = Open("old"), waits = Open("waits");
  old->Send(TickOf(0));
  EXPECT_EQ(Kinds(), "hd");
  const auto now = Open("now", Interrupting());
  ASSERT_TRUE(old->peer->answer && waits->peer->answer);
  EXPECT_TRUE(old->peer->answer->status.ok());
  EXPECT_EQ(old->peer->answer->answer.code, wire::StatusChunk::kInfo);
  EXPECT_EQ(Kinds(), "eheh");
}

TEST_F(PushInboxTest, ASilentSourceIsGivenUp) {
  Make();
  const auto push = Open("r");
  EXPECT_EQ(Kinds(), "h");
  now_s += 31;
  EXPECT_EQ(Kinds(), "e");
  ASSERT_TRUE(push->peer->answer);
  EXPECT_EQ(push->peer->answer->status.code(), absl::StatusCode::kDeadlineExceeded);
}

TEST_F(PushInboxTest, PacedMessagesComeByTheirCodesBehindAPrebuffer) {
  Make(/*paced=*/true);
  const auto push = Open("r");
  for (int k = 0; k < 3; ++k) EXPECT_TRUE(push->Send(TickOf(k)));
  EXPECT_EQ(Kinds(), "h");
  for (int k = 3; k < 30; ++k) EXPECT_TRUE(push->Send(TickOf(k)));
  EXPECT_EQ(Kinds(), "d");
  now_s += 3.5 / 30;
  EXPECT_EQ(Kinds(), "ddd");
  EXPECT_EQ(last.receive_time_s, now_s);
  now_s += 1;
  EXPECT_EQ(Kinds().size(), 26u);
}

TEST_F(PushInboxTest, APacedRequestThatRanDryFillsItsPrebufferAgain) {
  Make(/*paced=*/true);
  const auto push = Open("r");
  for (int k = 0; k < 5; ++k) push->Send(TickOf(k));
  EXPECT_EQ(Kinds(), "hd");
  now_s += 1;
  EXPECT_EQ(Kinds(), "dddd");
  push->Send(TickOf(5));
  EXPECT_EQ(Kinds(), "");
  for (int k = 6; k < 10; ++k) push->Send(TickOf(k));
  EXPECT_EQ(Kinds(), "d");
  now_s += 1.1 / 30;
  EXPECT_EQ(Kinds(), "d");
}

TEST_F(PushInboxTest, APacedRequestIsReadAheadByThirtySeconds) {
  Make(/*paced=*/true);
  const auto push = Open("r");
  int k = 0;
  while (k < 2000 && push->Send(TickOf(k))) ++k;
  EXPECT_EQ(k, 900);
  EXPECT_EQ(Kinds(), "hd");
  EXPECT_EQ(push->peer->read_on, 1);
}

TEST_F(PushInboxTest, ALivePushIsNotPaced) {
  Make(/*paced=*/true);
  const auto push = Open("r", Live());
  push->Send(TickOf(0));
  push->Send(TickOf(7));
  EXPECT_EQ(Kinds(), "hdd");
}

TEST_F(PushInboxTest, TheEndIsToldToThoseWhoPush) {
  Make();
  const auto push = Open("r");
  inbox->Close({absl::UnavailableError("going"), {}});
  ASSERT_TRUE(push->peer->answer);
  EXPECT_EQ(push->peer->answer->status.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(Open("other")->rejected.code(), absl::StatusCode::kUnavailable);
}

TEST_F(PushInboxTest, MessagesComeOutUnchanged) {
  Make();
  const auto push = Open("r");
  // Fields that no definition has, beside the data and in it.
  const auto bytes = std::make_shared<const std::string>(TickOf(0).SerializeAsString() +
                                                         std::string("\xb8\x3e\x07", 3));
  push->Send(bytes);
  EXPECT_EQ(Kinds(), "hd");
  EXPECT_EQ(last.message.bytes, bytes) << "the very same";
  EXPECT_EQ(std::get<wire::DataChunk>(last.message.chunk).pose[wire::kWeights].time_codes_s.size(),
            1u);
}

TEST_F(PushInboxTest, ASteadyPushTakesNoMemoryOfItsOwn) {
  Make();
  const auto push = Open("r");
  std::vector<wire::MessageBytes> ticks;
  for (int k = 0; k < 200; ++k) {
    ticks.push_back(std::make_shared<const std::string>(TickOf(k).SerializeAsString()));
  }
  const auto play = [&](size_t first, size_t end) {
    for (size_t k = first; k < end; ++k) {
      push->checked.bytes = ticks[k];
      ASSERT_TRUE(push->Read().ok());
      push->taken.taker->Take(&push->checked);
      ASSERT_TRUE(inbox->Next(0, &last));
    }
  };
  play(0, 100);
  const AllocationCount count;
  play(100, 200);
  EXPECT_EQ(count.count(), 0);
}

}  // namespace
}  // namespace posewire::renderer_sink
