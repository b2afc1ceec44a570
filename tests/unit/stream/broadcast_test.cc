#include "libs/stream/broadcast.h"

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace posewire::stream {
namespace {

std::string Bytes(const wire::EncodedFrame& frame) {
  std::string bytes;
  for (const auto& slice : frame.Whole()) bytes.append(slice.begin(), slice.end());
  return bytes;
}

// Takes what it is offered, and holds it by its bytes.
class Sink : public PullStream {
 public:
  Offered Offer(const wire::EncodedFrame& frame, double) override {
    if (full) return Offered::kFull;
    got.push_back(Bytes(frame));
    return Offered::kTaken;
  }
  void Finish(const absl::Status& status) override { end = status; }
  size_t waiting() const override { return behind; }
  bool Holds(const std::string& text) const {
    for (const std::string& bytes : got) {
      if (bytes.find(text) != std::string::npos) return true;
    }
    return false;
  }

  std::vector<std::string> got;
  std::optional<absl::Status> end;
  size_t behind = 0;
  bool full = false;
};

class BroadcastTest : public ::testing::Test {
 protected:
  BroadcastTest() { broadcast.AddStream("s"); }

  std::shared_ptr<Sink> Pull(const std::string& request = "", const std::string& target = "") {
    auto sink = std::make_shared<Sink>();
    rejected = broadcast.OpenPull({request, "s", target}, sink, now_s);
    return sink;
  }
  uint64_t Begin(const std::string& request, const std::string& target = "",
                 const std::string& layout = "a", double epoch_s = 100) {
    return broadcast.Begin(
        {request, "s", target}, epoch_s, layout,
        [layout](const wire::StreamIds& ids, double epoch) {
          wire::StreamHeader header;
          header.ids = ids;
          header.joints = {"head of " + layout};
          header.epoch_s = epoch;
          return wire::EncodeHeader(header);
        },
        now_s);
  }
  // A message whose bytes are text.
  void Send(uint64_t request, const std::string& text, double end_s = 1) {
    wire::MetadataEntry entry{text, ""};
    wire::OutputFrame frame;
    frame.metadata = absl::MakeConstSpan(&entry, 1);
    broadcast.Send(request, writer.Write(frame), end_s, now_s);
  }

  Broadcast broadcast;
  wire::FrameWriter writer{0, 0};
  double now_s = 0;
  absl::Status rejected;
};

TEST_F(BroadcastTest, APullByStreamGetsOneHeaderAndGoesOnOverRequests) {
  const auto pull = Pull();
  EXPECT_TRUE(pull->got.empty());
  const uint64_t first = Begin("one");
  ASSERT_EQ(pull->got.size(), 1u);
  EXPECT_TRUE(pull->Holds("head of a"));
  Send(first, "first");
  broadcast.End(first, Ending::kEnded, now_s);
  Send(Begin("two"), "second");
  // A header, and of each request that it starts and its message.
  EXPECT_EQ(pull->got.size(), 5u);
  EXPECT_TRUE(pull->Holds("request_id \"two\" starts"));
  EXPECT_FALSE(pull->end);
}

TEST_F(BroadcastTest, AWindowGetsItsRequestAndItsStatusAlone) {
  const auto window = Pull("two");
  const uint64_t first = Begin("one");
  Send(first, "first");
  broadcast.End(first, Ending::kEnded, now_s);
  EXPECT_TRUE(window->got.empty());
  const uint64_t second = Begin("two");
  Send(second, "second");
  broadcast.End(second, Ending::kStopped, now_s);
  EXPECT_EQ(window->got.size(), 4u);
  EXPECT_TRUE(window->Holds("the request was stopped"));
  ASSERT_TRUE(window->end);
  EXPECT_TRUE(window->end->ok());
}

TEST_F(BroadcastTest, APullByStreamHearsAtTheEndThatTheLastSourceWasLost) {
  const auto pull = Pull();
  const uint64_t request = Begin("one");
  Send(request, "first");
  broadcast.End(request, Ending::kLost, now_s);
  EXPECT_FALSE(pull->end);
  broadcast.Close(now_s);
  EXPECT_TRUE(pull->Holds("the source of the request was lost"));
  ASSERT_TRUE(pull->end);
  EXPECT_TRUE(pull->end->ok());
}

TEST_F(BroadcastTest, ALongRequestKeepsNoOthersFromBeingForgotten) {
  const uint64_t lasting = Begin("long", "a");
  broadcast.End(Begin("short", "b"), Ending::kEnded, now_s);
  now_s += kRemember_s + 1;
  Send(lasting, "still");
  EXPECT_EQ(Pull("short")->got.size(), 0u);
  EXPECT_EQ(Pull("long")->got.size(), 1u);
  for (int i = 0; i < kMaxRememberedRequests + 8; ++i) {
    broadcast.End(Begin(absl::StrCat("r", i), "b"), Ending::kEnded, now_s);
  }
  EXPECT_EQ(Pull("r0")->got.size(), 0u);
  EXPECT_EQ(Pull("r1000")->got.size(), 2u);
}

TEST_F(BroadcastTest, ALatePullJoinsLiveBehindAHeader) {
  const uint64_t request = Begin("one");
  Send(request, "early");
  const auto window = Pull("one");
  const auto stream = Pull();
  Send(request, "late");
  for (const auto& pull : {window, stream}) {
    EXPECT_TRUE(pull->Holds("head of a"));
    EXPECT_FALSE(pull->Holds("early"));
    EXPECT_TRUE(pull->Holds("late"));
  }
}

TEST_F(BroadcastTest, ARequestThatIsOverIsRememberedForTenMinutes) {
  const uint64_t request = Begin("one");
  broadcast.End(request, Ending::kLost, now_s);
  const auto pull = Pull("one");
  EXPECT_EQ(pull->got.size(), 2u);
  EXPECT_TRUE(pull->Holds("lost"));
  ASSERT_TRUE(pull->end);
  EXPECT_TRUE(pull->end->ok());
  now_s = 601;
  const auto later = Pull("one");
  EXPECT_TRUE(later->got.empty());
  EXPECT_FALSE(later->end);
}

TEST_F(BroadcastTest, AnUnknownRequestIsWaitedForThirtySeconds) {
  const auto pull = Pull("never");
  broadcast.Tick(29.9);
  EXPECT_FALSE(pull->end);
  broadcast.Tick(30);
  ASSERT_TRUE(pull->end);
  EXPECT_EQ(pull->end->code(), absl::StatusCode::kNotFound);
  EXPECT_NE(pull->end->message().find("never"), std::string::npos);
  EXPECT_EQ(broadcast.pulls(), 0);
}

TEST_F(BroadcastTest, AStreamOfOthersIsNotFoundAndThoseThereAreAreNamed) {
  const absl::Status status =
      broadcast.OpenPull({"", "other", ""}, std::make_shared<Sink>(), now_s);
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_NE(status.message().find("\"s\""), std::string::npos);
}

TEST_F(BroadcastTest, AStreamIsForgottenWithItsRequestsUnlessItIsKept) {
  broadcast.AddStream("guest", 600);
  const auto pull = [&] {
    return broadcast.OpenPull({"r", "guest", ""}, std::make_shared<Sink>(), now_s);
  };
  EXPECT_TRUE(pull().ok());
  broadcast.Tick(40);
  now_s = 601;
  EXPECT_EQ(pull().code(), absl::StatusCode::kNotFound);
  EXPECT_TRUE(broadcast.OpenPull({"r", "s", ""}, std::make_shared<Sink>(), now_s).ok());
}

TEST_F(BroadcastTest, TargetsTellAvatarsApart) {
  const auto first = Pull("", "a"), second = Pull("", "b");
  const uint64_t to_a = Begin("one", "a"), to_b = Begin("two", "b");
  Send(to_a, "for a");
  Send(to_b, "for b");
  EXPECT_TRUE(first->Holds("for a"));
  EXPECT_FALSE(first->Holds("for b"));
  EXPECT_TRUE(second->Holds("for b"));
  Pull();
  EXPECT_EQ(rejected.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(rejected.message().find("\"a\", \"b\""), std::string::npos);
  Pull("one", "b");
  EXPECT_EQ(rejected.code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(BroadcastTest, CodesNeverGoBackOverRequests) {
  const uint64_t first = Begin("one", "", "a", 100);
  EXPECT_EQ(broadcast.ShiftOf(first, 0.5), 0);
  Send(first, "first", 3);
  broadcast.End(first, Ending::kEnded, now_s);
  // By its epoch it would begin where the first one still lasts.
  const uint64_t second = Begin("two", "", "a", 102);
  EXPECT_NEAR(broadcast.ShiftOf(second, 0), 3 + 1.0 / 30, 1e-9);
  EXPECT_NEAR(broadcast.ShiftOf(second, 7), 3 + 1.0 / 30, 1e-9);
  Send(second, "second", 5);
  broadcast.End(second, Ending::kEnded, now_s);
  EXPECT_EQ(broadcast.ShiftOf(Begin("three", "", "a", 110), 0), 10);
}

TEST_F(BroadcastTest, AnotherHeaderEndsPullsByStreamSoThatTheyPullAgain) {
  broadcast.End(Begin("one"), Ending::kEnded, now_s);
  const auto pull = Pull();
  const auto window = Pull("two");
  Begin("two", "", "b");
  ASSERT_TRUE(pull->end);
  EXPECT_EQ(pull->end->code(), absl::StatusCode::kUnavailable);
  EXPECT_FALSE(window->end);
  EXPECT_TRUE(window->Holds("head of b"));
  EXPECT_TRUE(Pull()->Holds("head of b"));
}

TEST_F(BroadcastTest, APullThatIsHopelesslyBehindIsSentAwayAlone) {
  const auto slow = Pull(), good = Pull();
  const uint64_t request = Begin("one");
  slow->full = true;
  slow->behind = 7;
  EXPECT_EQ(broadcast.Waiting(request), 7u);
  Send(request, "text");
  ASSERT_TRUE(slow->end);
  EXPECT_EQ(slow->end->code(), absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(good->Holds("text"));
  EXPECT_EQ(broadcast.Waiting(request), 0u);
}

TEST_F(BroadcastTest, ANewRequestInterruptsWhatTheAvatarPlays) {
  const uint64_t first = Begin("one");
  const auto window = Pull("one");
  const uint64_t second = Begin("two");
  ASSERT_TRUE(window->end);
  EXPECT_TRUE(window->Holds("interrupted"));
  Send(first, "too late");
  EXPECT_FALSE(window->Holds("too late"));
  EXPECT_NE(first, second);
}

TEST_F(BroadcastTest, TheEndOfAllIsTold) {
  const auto stream = Pull();
  Begin("one");
  const auto waiting = Pull("never");
  broadcast.Close(now_s);
  EXPECT_TRUE(stream->end->ok());
  EXPECT_TRUE(stream->Holds("the stream has ended"));
  EXPECT_EQ(waiting->end->code(), absl::StatusCode::kNotFound);
  const auto drained = Pull();
  broadcast.Drain(now_s);
  EXPECT_EQ(drained->end->code(), absl::StatusCode::kUnavailable);
  EXPECT_TRUE(drained->Holds("shutting down"));
}

TEST_F(BroadcastTest, ItIsWantedByPullsThatWouldGetIt) {
  EXPECT_FALSE(broadcast.IsWanted({"one", "s", ""}));
  const auto other = Pull("two");
  EXPECT_FALSE(broadcast.IsWanted({"one", "s", ""}));
  const auto stream = Pull("", "t");
  EXPECT_TRUE(broadcast.IsWanted({"one", "s", ""}));
  EXPECT_FALSE(broadcast.IsWanted({"one", "s", "u"}));
  broadcast.ClosePull(stream.get());
  EXPECT_FALSE(broadcast.IsWanted({"one", "s", ""}));
}

}  // namespace
}  // namespace posewire::stream
