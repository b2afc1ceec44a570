// Who is told of pushes that are turned away, and what of.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/anim_graph/engine_harness.h"

namespace posewire::anim_graph {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class Listener : public Observer {
 public:
  void On(const EngineEvent& event) override { events.push_back(event); }
  int Count(EngineEvent::Kind kind) const {
    return static_cast<int>(
        std::count_if(events.begin(), events.end(), [&](const auto& e) { return e.kind == kind; }));
  }
  std::vector<EngineEvent> events;
};

class RejectionTest : public ::testing::Test {
 protected:
  RejectionTest() {
    h.parts.observer = &listener;
    h.engine = std::make_unique<Engine>(h.parts, h.now);
  }
  EngineEvent::Kind Reject(const absl::Status& why, const wire::StreamIds& ids) {
    h.engine->RejectPush(h.Context(ids), why);
    return listener.events.back().kind;
  }

  const absl::Status bad = absl::InvalidArgumentError("joints[0] is wrong");
  const wire::StreamIds ids{"r", "stream", ""};
  Listener listener;
  Harness h;
  FakePeer peer;
};

TEST_F(RejectionTest, ARejectedRequestHasEnded) {
  EXPECT_EQ(Reject(bad, ids), EngineEvent::kRequestRejected);
  const EngineEvent& event = listener.events.back();
  EXPECT_EQ(event.stream_id, "stream");
  EXPECT_EQ(event.request_id, "r");
  EXPECT_EQ(event.detail, "INVALID_ARGUMENT: joints[0] is wrong");
  EXPECT_EQ(event.peer, "test");
  EXPECT_EQ(Reject(absl::ResourceExhaustedError("full"), ids), EngineEvent::kRequestRejected);
  const auto& counts = h.engine->counters().rejected_pushes;
  EXPECT_EQ(counts[static_cast<size_t>(absl::StatusCode::kInvalidArgument)], 1);
  EXPECT_EQ(counts[static_cast<size_t>(absl::StatusCode::kResourceExhausted)], 1);
}

TEST_F(RejectionTest, OneWithoutIdsOrRightsSaysNothingOfARequest) {
  EXPECT_EQ(Reject(bad, {"", "stream", ""}), EngineEvent::kPushRejected);
  EXPECT_EQ(Reject(bad, {"r", "", ""}), EngineEvent::kPushRejected);
  EXPECT_EQ(Reject(absl::PermissionDeniedError("no"), ids), EngineEvent::kPushRejected);
  EXPECT_EQ(Reject(absl::UnauthenticatedError("no"), ids), EngineEvent::kPushRejected);
  EXPECT_EQ(Reject(absl::AlreadyExistsError("second"), ids), EngineEvent::kPushRejected);
}

TEST_F(RejectionTest, ARequestThatPlaysOrWaitsIsLeftAlone) {
  ASSERT_TRUE(h.Push(h.Header("r"), &peer).ok());
  EXPECT_EQ(Reject(bad, ids), EngineEvent::kPushRejected);  // It waits for its data.
  FakePeer other;
  const auto playing = h.Push(h.Header("p"), &other);
  ASSERT_TRUE(playing.ok());
  h.engine->Offer(playing->call, h.Keys(0, 30), h.now);
  h.engine->EndPush(playing->call, PushEnd::kHalfClosed, h.now);
  EXPECT_EQ(Reject(bad, {"p", "stream", ""}), EngineEvent::kPushRejected);
  ASSERT_TRUE(h.engine->StopRequest("stream", "r", h.now).ok());
  h.Run(10);
  // Both have had their turn: who waits now waits for the push that was refused.
  EXPECT_EQ(Reject(bad, {"p", "stream", ""}), EngineEvent::kRequestRejected);
  EXPECT_EQ(Reject(bad, ids), EngineEvent::kRequestRejected);
}

TEST_F(RejectionTest, ALostSourceSaysWhy) {
  const auto push = h.Push(h.Header("r"), &peer);
  ASSERT_TRUE(push.ok());
  h.engine->Offer(push->call, h.Keys(0, 3), h.now);
  h.engine->EndPush(push->call, PushEnd::kFault, h.now, bad);
  ASSERT_EQ(listener.Count(EngineEvent::kSourceLost), 1);
  EXPECT_EQ(listener.events.back().detail, "INVALID_ARGUMENT: joints[0] is wrong");
  h.Run(10);
  EXPECT_EQ(listener.Count(EngineEvent::kRequestInterrupted), 1);
  const auto& counts = h.engine->counters().lost_sources;
  EXPECT_EQ(counts[static_cast<size_t>(absl::StatusCode::kInvalidArgument)], 1);

  FakePeer other;
  const auto cut = h.Push(h.Header("cut"), &other);
  ASSERT_TRUE(cut.ok());
  h.engine->EndPush(cut->call, PushEnd::kCancelled, h.now);
  EXPECT_THAT(listener.events.back().detail, AllOf(StartsWith("CANCELLED: "), HasSubstr("lost")));
}

// ACE's controller waits for the end of a request though nothing of it ever came.
TEST_F(RejectionTest, ARequestThatFailsAtItsFirstMessageIsTold) {
  const auto push = h.Push(h.Header("r"), &peer);
  ASSERT_TRUE(push.ok());
  h.engine->EndPush(push->call, PushEnd::kFault, h.now, bad);
  h.Run(1);
  EXPECT_EQ(listener.Count(EngineEvent::kRequestInterrupted), 1);
}

}  // namespace
}  // namespace posewire::anim_graph
