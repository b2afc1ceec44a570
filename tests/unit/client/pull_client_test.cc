#include "libs/client/pull_client.h"

#include <atomic>
#include <chrono>
#include <future>
#include <limits>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/allocation_count.h"
#include "tests/unit/client/fake_server.h"

namespace posewire::client {
namespace {

using ::testing::ElementsAre;

AnimationDataStream HeaderMessage(double epoch_s, int shapes = 1) {
  AnimationDataStream message;
  auto& header = *message.mutable_animation_data_stream_header();
  header.set_start_time_code_since_epoch(epoch_s);
  for (int i = 0; i < shapes; ++i) {
    header.mutable_skel_animation_header()->add_blend_shapes("shape" + std::to_string(i));
  }
  return message;
}

AnimationDataStream FrameMessage(double time_code_s, float weight = 0.5f) {
  AnimationDataStream message;
  auto& key =
      *message.mutable_animation_data()->mutable_skel_animation()->add_blend_shape_weights();
  key.set_time_code(time_code_s);
  key.add_values(weight);
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
  std::string retry_ms = {};  // trailing metadata; "": none
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
      if (const std::string& wait = scripts_[index].retry_ms; !wait.empty()) {
        context.AddTrailingMetadata("grpc-retry-pushback-ms", wait);
      }
      for (const auto& message : scripts_[index].messages) writer.Write(message);
      return scripts_[index].status;
    };
    server_.Start();
  }

  PullOptions Options() {
    PullOptions options;
    options.connection = TestConnection(server_.address());
    options.ids.stream_id = "s1";
    return options;
  }

  std::vector<Script> scripts_;
  std::atomic<size_t> calls_ = 0;
  std::string stream_id_, rig_;
  AnimationIds ids_;
  // Last: its threads use the others until it is destroyed.
  FakeServer server_;
};

PullEvent Next(PullClient& client) {
  PullEvent event;
  EXPECT_TRUE(client.Next(-1, &event));
  return event;
}

bool Comes(PullClient& client, double timeout_s) {
  PullEvent event;
  return client.Next(timeout_s, &event);
}

std::vector<PullEvent> AllEvents(PullClient& client) {
  std::vector<PullEvent> events;
  while (events.empty() || events.back().kind != PullEvent::kEnd) {
    events.push_back(Next(client));
  }
  return events;
}

std::vector<PullEvent::Kind> Kinds(const std::vector<PullEvent>& events) {
  std::vector<PullEvent::Kind> kinds;
  for (const auto& event : events) kinds.push_back(event.kind);
  return kinds;
}

TEST(PullClient, YieldsMessagesWithReceiveTimesAndTheEnd) {
  ScriptedPull script({{{HeaderMessage(100), FrameMessage(1), Said(StatusMessage::INFO, "starts"),
                         FrameMessage(2), Said(StatusMessage::SUCCESS, "removed")},
                        grpc::Status::OK}});
  PullOptions options = script.Options();
  options.rig = "vrm";
  options.ids.request_id = "r1";
  options.ids.target_object_id = "t1";
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
    EXPECT_FALSE(events[i].gap_s.has_value());
  }
  EXPECT_TRUE(events[5].why.ok());
  ASSERT_TRUE(events[5].last_status.has_value());
  EXPECT_EQ(events[5].last_status->message, "removed");
  EXPECT_EQ(script.stream_id_, "s1");
  EXPECT_EQ(script.rig_, "vrm");
  EXPECT_EQ(script.ids_.request_id(), "r1");
  EXPECT_EQ(script.ids_.target_object_id(), "t1");
  EXPECT_EQ(Next(client).kind, PullEvent::kEnd);
}

TEST(PullClient, AnIdThatMetadataCannotCarryStandsInTheRequestAlone) {
  ScriptedPull script({{{HeaderMessage(100)}, grpc::Status::OK}});
  PullOptions options = script.Options();
  options.ids.stream_id = "\u00fcber \u2603";
  PullClient client(options);
  EXPECT_THAT(Kinds(AllEvents(client)), ElementsAre(PullEvent::kHeader, PullEvent::kEnd));
  EXPECT_EQ(script.stream_id_, "");
  EXPECT_EQ(script.ids_.stream_id(), "\u00fcber \u2603");
}

TEST(PullClient, RejectsIdsAndRigsThatCannotBeWithoutACall) {
  ScriptedPull script({});
  std::vector<PullOptions> bad(4, script.Options());
  bad[0].ids.stream_id.clear();
  bad[1].ids.request_id = "\xff";
  bad[2].ids.target_object_id = "a\nb";
  bad[3].rig = "r\xc3\xafg";
  for (const PullOptions& options : bad) {
    PullClient client(options);
    const PullEvent event = Next(client);
    EXPECT_EQ(event.kind, PullEvent::kEnd);
    EXPECT_EQ(event.why.code(), absl::StatusCode::kInvalidArgument) << event.why;
  }
  EXPECT_EQ(script.calls_, 0u);
}

TEST(PullClient, ReconnectsAfterALossAndSaysTheHole) {
  ScriptedPull script(
      {{{HeaderMessage(100), FrameMessage(1), FrameMessage(2)},
        {grpc::StatusCode::UNAVAILABLE, "gone"}},
       {{HeaderMessage(103), FrameMessage(0.5), FrameMessage(1)}, grpc::Status::OK}});
  PullClient client(script.Options());
  const auto events = AllEvents(client);
  ASSERT_THAT(Kinds(events),
              ElementsAre(PullEvent::kHeader, PullEvent::kData, PullEvent::kData, PullEvent::kLost,
                          PullEvent::kHeader, PullEvent::kData, PullEvent::kData, PullEvent::kEnd));
  EXPECT_EQ(events[3].why.code(), absl::StatusCode::kUnavailable);
  EXPECT_GT(events[3].retry_in_s, 0);
  EXPECT_EQ(events[4].connection, 2);
  ASSERT_TRUE(events[5].gap_s.has_value());
  EXPECT_NEAR(*events[5].gap_s, 1.5, 1e-9);
  EXPECT_FALSE(events[6].gap_s.has_value());
}

TEST(PullClient, ADrainingServerIsCalledAgain) {
  ScriptedPull script({{{HeaderMessage(1), FrameMessage(1), Said(StatusMessage::INFO, "draining")},
                        {grpc::StatusCode::UNAVAILABLE, "draining"}},
                       {{HeaderMessage(1), FrameMessage(2)}, grpc::Status::OK}});
  PullClient client(script.Options());
  const auto events = AllEvents(client);
  ASSERT_THAT(Kinds(events),
              ElementsAre(PullEvent::kHeader, PullEvent::kData, PullEvent::kStatus,
                          PullEvent::kLost, PullEvent::kHeader, PullEvent::kData, PullEvent::kEnd));
  ASSERT_TRUE(events[3].last_status.has_value());
  EXPECT_EQ(events[3].last_status->code, wire::StatusChunk::kInfo);
}

TEST(PullClient, ARejectionIsFinal) {
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
      {{{HeaderMessage(1), FrameMessage(1)}, {grpc::StatusCode::RESOURCE_EXHAUSTED, "5 s behind"}},
       {{HeaderMessage(1), FrameMessage(9)}, grpc::Status::OK}});
  PullClient client(script.Options());
  const auto events = AllEvents(client);
  ASSERT_EQ(events.size(), 6u);
  EXPECT_EQ(events[2].kind, PullEvent::kLost);
}

TEST(PullClient, AServerWithoutRoomIsAskedAgainWhenItSaysSo) {
  ScriptedPull script({{{}, {grpc::StatusCode::RESOURCE_EXHAUSTED, "64 pulls"}, "300"},
                       {{HeaderMessage(1), FrameMessage(1)}, grpc::Status::OK}});
  PullClient client(script.Options());
  const auto events = AllEvents(client);
  ASSERT_THAT(Kinds(events),
              ElementsAre(PullEvent::kLost, PullEvent::kHeader, PullEvent::kData, PullEvent::kEnd));
  EXPECT_GE(events[0].retry_in_s, 0.3);
}

TEST(PullClient, FaultyMessagesComeAsTheirBytesAndEndNothing) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  AnimationDataStream twice = FrameMessage(1.5);
  twice.mutable_animation_data()
      ->mutable_skel_animation()
      ->mutable_blend_shape_weights(0)
      ->add_values(0);
  ScriptedPull script({{{FrameMessage(0.5), HeaderMessage(100), FrameMessage(1),
                         FrameMessage(1.2, nan), twice, FrameMessage(2)},
                        grpc::Status::OK}});
  PullClient client(script.Options());
  const auto events = AllEvents(client);
  ASSERT_THAT(Kinds(events), ElementsAre(PullEvent::kFaulty, PullEvent::kHeader, PullEvent::kData,
                                         PullEvent::kFaulty, PullEvent::kFaulty, PullEvent::kData,
                                         PullEvent::kEnd));
  EXPECT_EQ(*events[0].message.bytes, FrameMessage(0.5).SerializeAsString());
  EXPECT_THAT(events[0].why.message(), ::testing::HasSubstr("before the header"));
  EXPECT_EQ(*events[3].message.bytes, FrameMessage(1.2, nan).SerializeAsString());
  EXPECT_THAT(events[3].why.message(), ::testing::HasSubstr("must be finite"));
  EXPECT_THAT(events[4].why.message(), ::testing::HasSubstr("must hold 1"));
  EXPECT_EQ(*events[5].message.bytes, FrameMessage(2).SerializeAsString());
  EXPECT_TRUE(events[6].why.ok()) << events[6].why;
}

TEST(PullClient, ASecondHeaderIsAsThatOfANewConnection) {
  ScriptedPull script({{{HeaderMessage(100), FrameMessage(1), HeaderMessage(103, 2),
                         FrameMessage(1), HeaderMessage(103, 1), FrameMessage(0.5)},
                        grpc::Status::OK}});
  PullClient client(script.Options());
  const auto events = AllEvents(client);
  ASSERT_THAT(Kinds(events), ElementsAre(PullEvent::kHeader, PullEvent::kData, PullEvent::kHeader,
                                         PullEvent::kFaulty, PullEvent::kHeader, PullEvent::kData,
                                         PullEvent::kEnd));
  EXPECT_TRUE(events[0].why.ok());
  EXPECT_THAT(events[2].why.message(), ::testing::HasSubstr("second header"));
  ASSERT_TRUE(events[5].gap_s.has_value());
  EXPECT_NEAR(*events[5].gap_s, 2.5, 1e-9);
}

TEST(PullClient, ReadsNoMoreThanAFewMebibytesAhead) {
  constexpr int kMessages = 64;
  std::promise<void> all_sent;
  FakeServer server;
  server.on_pull = [&](auto&, const auto&, auto& writer) -> grpc::Status {
    const AnimationDataStream large = Said(StatusMessage::INFO, std::string(1 << 20, 'x'));
    writer.Write(HeaderMessage(100));
    for (int i = 0; i < kMessages; ++i) writer.Write(large);
    all_sent.set_value();
    return grpc::Status::OK;
  };
  server.Start();
  PullOptions options;
  options.connection = TestConnection(server.address());
  options.ids.stream_id = "s1";
  PullClient client(options);
  EXPECT_EQ(Next(client).kind, PullEvent::kHeader);
  auto sent = all_sent.get_future();
  EXPECT_EQ(sent.wait_for(std::chrono::milliseconds(500)), std::future_status::timeout);
  EXPECT_EQ(AllEvents(client).size(), size_t{kMessages} + 1) << "and loses none";
}

// The second frame leaves out the weights and one of two joints.
void SendSparse(grpc::ServerContext& context, grpc::ServerWriter<AnimationDataStream>& writer,
                bool told) {
  if (told) context.AddInitialMetadata("x-posewire-sparse", "1");
  AnimationDataStream header, whole, sparse;
  auto& names = *header.mutable_animation_data_stream_header()->mutable_skel_animation_header();
  names.add_blend_shapes("jawOpen");
  for (const char* joint : {"a", "b"}) names.add_joints(joint);
  const auto add = [](AnimationDataStream& to, double code) {
    auto& key = *to.mutable_animation_data()->mutable_skel_animation()->add_rotations();
    key.set_time_code(code);
    return &key;
  };
  auto* const first = add(whole, 0);
  for (int i = 0; i < 2; ++i) first->add_values()->set_i(1);
  auto& weights =
      *whole.mutable_animation_data()->mutable_skel_animation()->add_blend_shape_weights();
  weights.add_values(0.5f);
  auto* const second = add(sparse, 1);
  second->add_values()->set_j(1);
  second->add_values();
  for (const auto* message : {&header, &whole, &sparse}) writer.Write(*message);
}

TEST(PullClient, CompletesSparseFramesOfAServerThatSendsThem) {
  for (const bool told : {false, true}) {
    SCOPED_TRACE(told);
    FakeServer server;
    std::string asked;
    server.on_pull = [&](auto& context, const auto&, auto& writer) {
      asked = MetadataOf(context, "x-posewire-sparse");
      SendSparse(context, writer, told);
      return grpc::Status::OK;
    };
    server.Start();
    PullOptions options;
    options.connection = TestConnection(server.address());
    options.ids.stream_id = "s";
    options.form = wire::PoseForm::kSparse;
    PullClient client(options);
    PullEvent event;
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(client.Next(10, &event));
    EXPECT_EQ(asked, "1");
    ASSERT_NE(event.message.data(), nullptr);
    const auto& pose = event.message.data()->pose;
    const std::vector<float> rotations = {0, 0, 1, 0, told ? 0.0f : 1.0f, told ? 1.0f : 0.0f, 0, 0};
    EXPECT_EQ(pose[wire::kRotations].values, rotations);
    EXPECT_EQ(pose[wire::kWeights].empty(), !told);
    AnimationDataStream bytes;
    ASSERT_TRUE(bytes.ParseFromString(*event.message.bytes));
    const auto& skel = bytes.animation_data().skel_animation();
    EXPECT_EQ(skel.rotations(0).values(1).i(), told ? 1 : 0);
    EXPECT_EQ(skel.blend_shape_weights_size(), told ? 1 : 0);
    if (told) {
      EXPECT_EQ(skel.blend_shape_weights(0).time_code(), 1);
    }
  }
}

TEST(PullClient, AMessageWithoutAPartIsASignOfLife) {
  ScriptedPull script(
      {{{HeaderMessage(100), AnimationDataStream(), FrameMessage(1)}, grpc::Status::OK}});
  PullClient client(script.Options());
  const auto events = AllEvents(client);
  ASSERT_THAT(Kinds(events),
              ElementsAre(PullEvent::kHeader, PullEvent::kData, PullEvent::kData, PullEvent::kEnd));
  EXPECT_TRUE(events[1].message.bytes->empty());
}

TEST(PullClient, AServersLimitsAreNotTheClients) {
  AnimationDataStream header, frame;
  auto& names = *header.mutable_animation_data_stream_header()->mutable_skel_animation_header();
  auto& key = *frame.mutable_animation_data()->mutable_skel_animation()->add_rotations();
  for (int i = 0; i < 2000; ++i) {
    names.add_joints("joint" + std::to_string(i));
    key.add_values()->set_real(1);
  }
  ScriptedPull script({{{header, frame}, grpc::Status::OK}});
  PullClient client(script.Options());
  EXPECT_THAT(Kinds(AllEvents(client)),
              ElementsAre(PullEvent::kHeader, PullEvent::kData, PullEvent::kEnd));
}

TEST(PullClient, ASteadyStreamAllocatesTheBytesAndNextToNothingElse) {
  Script all{{HeaderMessage(1, 52)}, grpc::Status::OK};
  for (int i = 0; i < 3000; ++i) {
    AnimationDataStream frame = FrameMessage(i);
    for (int v = 1; v < 52; ++v) {
      frame.mutable_animation_data()
          ->mutable_skel_animation()
          ->mutable_blend_shape_weights(0)
          ->add_values(0.5f);
    }
    all.messages.push_back(frame);
  }
  ScriptedPull script({all});
  PullClient client(script.Options());
  PullEvent event;
  // The server is in this process: only what this thread does is looked at.
  int64_t least = std::numeric_limits<int64_t>::max();
  for (int i = 0; i < 3000; ++i) {
    const AllocationCount count;
    ASSERT_TRUE(client.Next(-1, &event));
    if (i > 100) least = std::min(least, count.count());
  }
  EXPECT_LE(least, 2) << "the text and its owner";
}

TEST(PullClient, NextReturnsNothingAfterItsTimeout) {
  ScriptedPull script({});
  PullClient client(script.Options());
  EXPECT_FALSE(Comes(client, 0.02));
  EXPECT_FALSE(Comes(client, 0));
  EXPECT_EQ(script.calls_, 1u) << "the timeout must not end the call";
}

TEST(PullClient, CancelEndsNextPromptly) {
  ScriptedPull script({});
  PullClient client(script.Options());
  auto event = std::async(std::launch::async, [&] { return Next(client); });
  while (script.calls_ == 0) std::this_thread::yield();
  client.Cancel();
  ASSERT_EQ(event.wait_for(std::chrono::seconds(2)), std::future_status::ready);
  EXPECT_EQ(event.get().why.code(), absl::StatusCode::kCancelled);
}

TEST(PullClient, AFullReadAheadLosesNothing) {
  Script all{{HeaderMessage(1)}, grpc::Status::OK};
  for (int i = 0; i < 2000; ++i) all.messages.push_back(FrameMessage(i));
  ScriptedPull script({all});
  PullOptions options = script.Options();
  options.read_ahead = 3;
  PullClient client(options);
  const auto events = AllEvents(client);
  ASSERT_EQ(events.size(), 2002u);
  for (size_t i = 0; i < 2000; ++i) {
    EXPECT_EQ(std::get<wire::DataChunk>(events[i + 1].message.chunk).earliest_time_code_s,
              static_cast<double>(i));
  }
}

TEST(PullClient, MayBeDestroyedWithUnreadMessages) {
  Script all{{HeaderMessage(1)}, grpc::Status::OK};
  for (int i = 0; i < 2000; ++i) all.messages.push_back(FrameMessage(i));
  ScriptedPull script({all});
  PullOptions options = script.Options();
  options.read_ahead = 3;
  PullClient client(options);
  EXPECT_EQ(Next(client).kind, PullEvent::kHeader);
}

TEST(PullClient, FindsARestartedServer) {
  ScriptedPull script({});
  auto on_pull = script.server_.on_pull;
  PullClient client(script.Options());
  EXPECT_FALSE(Comes(client, 0));
  while (script.calls_ == 0) std::this_thread::yield();
  script.server_.Stop();
  EXPECT_EQ(Next(client).kind, PullEvent::kLost);
  script.server_.on_pull = [](auto&, const auto&, auto& writer) {
    writer.Write(HeaderMessage(5));
    return grpc::Status::OK;
  };
  script.server_.Start();
  PullEvent event = Next(client);
  while (event.kind == PullEvent::kLost) event = Next(client);
  EXPECT_EQ(event.kind, PullEvent::kHeader);
}

}  // namespace
}  // namespace posewire::client
