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

class RefusalTest : public ::testing::Test {
 protected:
  RefusalTest() {
    h.parts.observer = &listener;
    h.engine = std::make_unique<Engine>(h.parts, h.now);
  }
  EngineEvent::Kind Refuse(const absl::Status& why, const wire::StreamIds& ids) {
    h.engine->RefusePush(h.Context(ids), why);
    return listener.events.back().kind;
  }

  const absl::Status bad = absl::InvalidArgumentError("joints[0] is wrong");
  const wire::StreamIds ids{"r", "stream", ""};
  Listener listener;
  Harness h;
  FakePeer peer;
};

TEST_F(RefusalTest, ARefusedRequestHasEnded) {
  EXPECT_EQ(Refuse(bad, ids), EngineEvent::kRequestRefused);
  const EngineEvent& event = listener.events.back();
  EXPECT_EQ(event.stream_id, "stream");
  EXPECT_EQ(event.request_id, "r");
  EXPECT_EQ(event.detail, "INVALID_ARGUMENT: joints[0] is wrong");
  EXPECT_EQ(event.peer, "test");
  EXPECT_EQ(Refuse(absl::ResourceExhaustedError("full"), ids), EngineEvent::kRequestRefused);
  const auto& counts = h.engine->counters().refused_pushes;
  EXPECT_EQ(counts[static_cast<size_t>(absl::StatusCode::kInvalidArgument)], 1);
  EXPECT_EQ(counts[static_cast<size_t>(absl::StatusCode::kResourceExhausted)], 1);
}

TEST_F(RefusalTest, OneWithoutIdsOrRightsSaysNothingOfARequest) {
  EXPECT_EQ(Refuse(bad, {"", "stream", ""}), EngineEvent::kPushRefused);
  EXPECT_EQ(Refuse(bad, {"r", "", ""}), EngineEvent::kPushRefused);
  EXPECT_EQ(Refuse(absl::PermissionDeniedError("no"), ids), EngineEvent::kPushRefused);
  EXPECT_EQ(Refuse(absl::UnauthenticatedError("no"), ids), EngineEvent::kPushRefused);
  EXPECT_EQ(Refuse(absl::AlreadyExistsError("second"), ids), EngineEvent::kPushRefused);
}

TEST_F(RefusalTest, ARequestThatPlaysOrWaitsIsLeftAlone) {
  ASSERT_TRUE(h.Push(h.Header("r"), &peer).ok());
  EXPECT_EQ(Refuse(bad, ids), EngineEvent::kPushRefused);  // It waits for its data.
  FakePeer other;
  const auto playing = h.Push(h.Header("p"), &other);
  ASSERT_TRUE(playing.ok());
  h.engine->Offer(playing->call, h.Keys(0, 30), h.now);
  h.engine->EndPush(playing->call, PushEnd::kHalfClosed, h.now);
  EXPECT_EQ(Refuse(bad, {"p", "stream", ""}), EngineEvent::kPushRefused);
  ASSERT_TRUE(h.engine->StopRequest("stream", "r", h.now).ok());
  h.Run(10);
  // Both have had their turn: who waits now waits for the push that was refused.
  EXPECT_EQ(Refuse(bad, {"p", "stream", ""}), EngineEvent::kRequestRefused);
  EXPECT_EQ(Refuse(bad, ids), EngineEvent::kRequestRefused);
}

TEST_F(RefusalTest, ALostSourceSaysWhy) {
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
TEST_F(RefusalTest, ARequestThatFailsAtItsFirstMessageIsTold) {
  const auto push = h.Push(h.Header("r"), &peer);
  ASSERT_TRUE(push.ok());
  h.engine->EndPush(push->call, PushEnd::kFault, h.now, bad);
  h.Run(1);
  EXPECT_EQ(listener.Count(EngineEvent::kRequestInterrupted), 1);
}

}  // namespace
}  // namespace posewire::anim_graph
