#include "libs/client/pull_client.h"

#include <atomic>
#include <future>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/client/fake_server.h"

namespace posewire::client {
namespace {

using ::testing::ElementsAre;

AnimationDataStream Header(double epoch_s) {
  AnimationDataStream message;
  message.mutable_animation_data_stream_header()->set_start_time_code_since_epoch(epoch_s);
  return message;
}

AnimationDataStream Frame(double code_s) {
  AnimationDataStream message;
  message.mutable_animation_data()
      ->mutable_skel_animation()
      ->add_blend_shape_weights()
      ->set_time_code(code_s);
  return message;
}

AnimationDataStream Said(StatusMessage::Code code, const std::string& text) {
  AnimationDataStream message;
  message.mutable_status()->set_code(code);
  message.mutable_status()->set_message(text);
  return message;
}

struct Script {
  std::vector<AnimationDataStream> messages;
  grpc::Status status;
};

// Plays one script a call; later calls wait until they are cancelled.
class ScriptedPull {
 public:
  explicit ScriptedPull(std::vector<Script> scripts) : scripts_(std::move(scripts)) {
    server_.on_pull = [this](auto& context, const auto& ids, auto& writer) -> grpc::Status {
      const size_t index = calls_++;
      stream_id_ = MetadataOf(context, "x-stream-id");
      rig_ = MetadataOf(context, "x-posewire-rig");
      ids_ = ids;
      if (index >= scripts_.size()) {
        while (!context.IsCancelled()) std::this_thread::yield();
        return grpc::Status::CANCELLED;
      }
      for (const auto& message : scripts_[index].messages) writer.Write(message);
      return scripts_[index].status;
    };
    server_.Start();
  }

  PullOptions Options() {
    PullOptions options;
    options.connection = TestConnection(server_.address());
    options.ids.set_stream_id("s1");
    return options;
  }

  std::vector<Script> scripts_;
  std::atomic<size_t> calls_ = 0;
  std::string stream_id_, rig_;
  AnimationIds ids_;
  // Last: its threads use the others until it is destroyed.
  FakeServer server_;
};

std::vector<PullEvent> AllEvents(PullClient& client) {
  std::vector<PullEvent> events;
  while (events.empty() || events.back().kind != PullEvent::kEnd) {
    events.push_back(*client.Next(-1));
  }
  return events;
}

std::vector<PullEvent::Kind> Kinds(const std::vector<PullEvent>& events) {
  std::vector<PullEvent::Kind> kinds;
  for (const auto& event : events) kinds.push_back(event.kind);
  return kinds;
}

TEST(PullClient, YieldsMessagesWithReceiveTimesAndTheEnd) {
  ScriptedPull script({{{Header(100), Frame(1), Said(StatusMessage::INFO, "starts"), Frame(2),
                         Said(StatusMessage::SUCCESS, "removed")},
                        grpc::Status::OK}});
  PullOptions options = script.Options();
  options.rig = "vrm";
  options.ids.set_request_id("r1");
  options.ids.set_target_object_id("t1");
  PullClient client(options);
  const double before_s = SteadySeconds();
  const auto events = AllEvents(client);
  const double after_s = SteadySeconds();
  EXPECT_THAT(Kinds(events), ElementsAre(PullEvent::kHeader, PullEvent::kData, PullEvent::kStatus,
                                         PullEvent::kData, PullEvent::kStatus, PullEvent::kEnd));
  double last_s = before_s;
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_GE(events[i].receive_time_s, last_s);
    EXPECT_LE(events[i].receive_time_s, after_s);
    last_s = events[i].receive_time_s;
    EXPECT_EQ(events[i].connection, 1);
    EXPECT_FALSE(events[i].hole_s.has_value());
  }
  EXPECT_TRUE(events[5].why.ok());
  ASSERT_TRUE(events[5].last_status.has_value());
  EXPECT_EQ(events[5].last_status->message(), "removed");
  EXPECT_EQ(script.stream_id_, "s1");
  EXPECT_EQ(script.rig_, "vrm");
  EXPECT_EQ(script.ids_.request_id(), "r1");
  EXPECT_EQ(script.ids_.target_object_id(), "t1");
  EXPECT_EQ(client.Next(-1)->kind, PullEvent::kEnd);
}

TEST(PullClient, AnIdThatMetadataCannotCarryStandsInTheRequestAlone) {
  ScriptedPull script({{{Header(100)}, grpc::Status::OK}});
  PullOptions options = script.Options();
  options.ids.set_stream_id("\u00fcber \u2603");
  PullClient client(options);
  EXPECT_THAT(Kinds(AllEvents(client)), ElementsAre(PullEvent::kHeader, PullEvent::kEnd));
  EXPECT_EQ(script.stream_id_, "");
  EXPECT_EQ(script.ids_.stream_id(), "\u00fcber \u2603");
}

TEST(PullClient, RefusesIdsAndRigsThatCannotBeWithoutACall) {
  ScriptedPull script({});
  std::vector<PullOptions> bad(4, script.Options());
  bad[0].ids.clear_stream_id();
  bad[1].ids.set_request_id("\xff");
  bad[2].ids.set_target_object_id("a\nb");
  bad[3].rig = "r\xc3\xafg";
  for (const PullOptions& options : bad) {
    PullClient client(options);
    const auto event = client.Next(-1);
    ASSERT_TRUE(event.has_value());
    EXPECT_EQ(event->kind, PullEvent::kEnd);
    EXPECT_EQ(event->why.code(), absl::StatusCode::kInvalidArgument) << event->why;
  }
  EXPECT_EQ(script.calls_, 0u);
}

TEST(PullClient, ReconnectsAfterALossAndSaysTheHole) {
  ScriptedPull script({{{Header(100), Frame(1), Frame(2)}, {grpc::StatusCode::UNAVAILABLE, "gone"}},
                       {{Header(103), Frame(0.5), Frame(1)}, grpc::Status::OK}});
  PullClient client(script.Options());
  const auto events = AllEvents(client);
  ASSERT_THAT(Kinds(events),
              ElementsAre(PullEvent::kHeader, PullEvent::kData, PullEvent::kData, PullEvent::kLost,
                          PullEvent::kHeader, PullEvent::kData, PullEvent::kData, PullEvent::kEnd));
  EXPECT_EQ(events[3].why.code(), absl::StatusCode::kUnavailable);
  EXPECT_GT(events[3].retry_in_s, 0);
  EXPECT_EQ(events[4].connection, 2);
  ASSERT_TRUE(events[5].hole_s.has_value());
  EXPECT_NEAR(*events[5].hole_s, 1.5, 1e-9);
  EXPECT_FALSE(events[6].hole_s.has_value());
}

TEST(PullClient, ADrainingServerIsCalledAgain) {
  ScriptedPull script({{{Header(1), Frame(1), Said(StatusMessage::INFO, "draining")},
                        {grpc::StatusCode::UNAVAILABLE, "draining"}},
                       {{Header(1), Frame(2)}, grpc::Status::OK}});
  PullClient client(script.Options());
  const auto events = AllEvents(client);
  ASSERT_THAT(Kinds(events),
              ElementsAre(PullEvent::kHeader, PullEvent::kData, PullEvent::kStatus,
                          PullEvent::kLost, PullEvent::kHeader, PullEvent::kData, PullEvent::kEnd));
  ASSERT_TRUE(events[3].last_status.has_value());
  EXPECT_EQ(events[3].last_status->code(), StatusMessage::INFO);
}

TEST(PullClient, ARefusalIsFinal) {
  for (const auto code : {grpc::StatusCode::INVALID_ARGUMENT, grpc::StatusCode::NOT_FOUND,
                          grpc::StatusCode::RESOURCE_EXHAUSTED}) {
    ScriptedPull script({{{}, {code, "no"}}});
    PullClient client(script.Options());
    const auto events = AllEvents(client);
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(static_cast<int>(events[0].why.code()), static_cast<int>(code));
    EXPECT_EQ(script.calls_, 1u);
  }
}

TEST(PullClient, TooSlowAfterDataIsALoss) {
  ScriptedPull script(
      {{{Header(1), Frame(1)}, {grpc::StatusCode::RESOURCE_EXHAUSTED, "5 s behind"}},
       {{Header(1), Frame(9)}, grpc::Status::OK}});
  PullClient client(script.Options());
  const auto events = AllEvents(client);
  ASSERT_EQ(events.size(), 6u);
  EXPECT_EQ(events[2].kind, PullEvent::kLost);
}

TEST(PullClient, DataBeforeAHeaderIsAFaultOfTheServer) {
  ScriptedPull script({{{Frame(1)}, grpc::Status::OK}});
  PullClient client(script.Options());
  const auto events = AllEvents(client);
  EXPECT_EQ(events.back().why.code(), absl::StatusCode::kInternal);
}

TEST(PullClient, NextReturnsNothingAfterItsTimeout) {
  ScriptedPull script({});
  PullClient client(script.Options());
  EXPECT_FALSE(client.Next(0.02).has_value());
  EXPECT_FALSE(client.Next(0).has_value());
  EXPECT_EQ(script.calls_, 1u) << "the timeout must not end the call";
}

TEST(PullClient, CancelEndsNextPromptly) {
  ScriptedPull script({});
  PullClient client(script.Options());
  auto event = std::async(std::launch::async, [&] { return client.Next(-1); });
  while (script.calls_ == 0) std::this_thread::yield();
  client.Cancel();
  ASSERT_EQ(event.wait_for(std::chrono::seconds(2)), std::future_status::ready);
  EXPECT_EQ(event.get()->why.code(), absl::StatusCode::kCancelled);
}

TEST(PullClient, AFullReadAheadLosesNothing) {
  Script all{{Header(1)}, grpc::Status::OK};
  for (int i = 0; i < 2000; ++i) all.messages.push_back(Frame(i));
  ScriptedPull script({all});
  PullOptions options = script.Options();
  options.read_ahead = 3;
  PullClient client(options);
  const auto events = AllEvents(client);
  ASSERT_EQ(events.size(), 2002u);
  for (size_t i = 0; i < 2000; ++i) {
    EXPECT_EQ(
        events[i + 1].message.animation_data().skel_animation().blend_shape_weights(0).time_code(),
        static_cast<double>(i));
  }
}

TEST(PullClient, MayBeDestroyedWithUnreadMessages) {
  Script all{{Header(1)}, grpc::Status::OK};
  for (int i = 0; i < 2000; ++i) all.messages.push_back(Frame(i));
  ScriptedPull script({all});
  PullOptions options = script.Options();
  options.read_ahead = 3;
  PullClient client(options);
  EXPECT_EQ(client.Next(-1)->kind, PullEvent::kHeader);
}

TEST(PullClient, FindsARestartedServer) {
  ScriptedPull script({});
  auto on_pull = script.server_.on_pull;
  PullClient client(script.Options());
  EXPECT_FALSE(client.Next(0).has_value());
  while (script.calls_ == 0) std::this_thread::yield();
  script.server_.Stop();
  EXPECT_EQ(client.Next(-1)->kind, PullEvent::kLost);
  script.server_.on_pull = [](auto&, const auto&, auto& writer) {
    writer.Write(Header(5));
    return grpc::Status::OK;
  };
  script.server_.Start();
  PullEvent event = *client.Next(-1);
  while (event.kind == PullEvent::kLost) event = *client.Next(-1);
  EXPECT_EQ(event.kind, PullEvent::kHeader);
}

}  // namespace
}  // namespace posewire::client
