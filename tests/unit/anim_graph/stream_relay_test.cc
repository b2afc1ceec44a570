// Calls that reach a node which does not serve their stream, with two nodes in this process.
#include <gmock/gmock.h>
#include <grpcpp/create_channel.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "libs/service/access/token_table.h"
#include "libs/wire/message.h"
#include "nvidia_ace.services.animation_controller.v1.grpc.pb.h"
#include "nvidia_ace.services.animation_data.v1.grpc.pb.h"
#include "posewire.control.v1.grpc.pb.h"
#include "services/anim_graph/grpc/grpc_api.h"
#include "services/anim_graph/relay/call_metadata.h"
#include "services/anim_graph/relay/relay.h"
#include "services/anim_graph/runtime/control.h"
#include "tests/unit/anim_graph/engine_harness.h"

namespace posewire::anim_graph {
namespace {

using nvidia_ace::animation_id::v1::AnimationIds;
using nvidia_ace::services::animation_controller::v1::AnimationControllerService;
using nvidia_ace::services::animation_data::v1::AnimationDataService;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::StartsWith;
using StreamMessage = pb::AnimationDataStream;
using AceStatus = nvidia_ace::status::v1::Status;

constexpr char kToken[] = "0123456789abcdef";

// All streams are served by one node.
class OneOwner final : public StreamDirectory {
 public:
  void Locate(absl::string_view, Done done) override {
    std::unique_lock lock(mutex_);
    const Location location = owner_.empty() ? Location(Here{}) : Location(At{owner_});
    lock.unlock();
    done(location);
  }
  void MoveTo(const std::string& owner) {
    std::lock_guard lock(mutex_);
    owner_ = owner;
  }

 private:
  std::mutex mutex_;
  std::string owner_;  // guarded by mutex_; empty: this node
};

// Callers need the token, if there is one.
class OneToken final : public stream::Authorizer {
 public:
  explicit OneToken(absl::string_view token) : token_(token) {}
  absl::StatusOr<std::string> Check(const stream::Caller& caller, absl::string_view,
                                    stream::Permission) const override {
    if (token_.empty() || caller.token == service::HashOf(token_)) return "test";
    return absl::UnauthenticatedError("no token");
  }

 private:
  const std::string token_;
};

class RelayNode {
 public:
  explicit RelayNode(absl::string_view token = "", EngineSettings settings = {})
      : authorizer_(token), harness_(With(settings)), workers_(2, Parts()) {
    CallParts parts = Calls();
    parts.peers = &relay_;
    control_ = std::make_unique<Control>(parts, nullptr, &events_);
    service::GrpcHostOptions options{.listen = "127.0.0.1:0"};
    api_ = GrpcApi::Start(options, control_.get(), &relay_, {}, {}).value();
    channel_ = grpc::CreateChannel(address(), grpc::InsecureChannelCredentials());
  }

  std::string address() { return api_->host().address(); }
  const std::shared_ptr<grpc::Channel>& channel() const { return channel_; }
  OneOwner& directory() { return directory_; }
  Relay& relay() { return relay_; }
  Capacity& capacity() { return *harness_.parts.capacity; }
  void Stop() { api_.reset(); }

 private:
  static HarnessSettings With(const EngineSettings& settings) {
    HarnessSettings with = Harness::Passthrough();
    static_cast<EngineSettings&>(with) = settings;
    return with;
  }
  CallParts Calls() {
    CallParts parts{&workers_, &authorizer_, &directory_, {}};
    parts.capacity = harness_.parts.capacity;
    return parts;
  }
  EngineParts Parts() {
    EngineParts parts = harness_.parts;
    parts.observer = &events_;
    return parts;
  }

  OneOwner directory_;
  const OneToken authorizer_;
  Harness harness_;
  EventHub events_;
  Workers workers_;
  Relay relay_{{}, 100, Calls()};
  std::unique_ptr<Control> control_;
  std::unique_ptr<GrpcApi> api_;
  std::shared_ptr<grpc::Channel> channel_;
};

template <typename Condition>
bool Until(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

StreamMessage Parsed(const wire::MessageBytes& bytes) {
  StreamMessage message;
  EXPECT_TRUE(message.ParseFromString(*bytes));
  return message;
}
StreamMessage PushedHeader(const std::string& request) {
  return Parsed(wire::SerializeHeader(Harness::Header(request)));
}
StreamMessage PushedKeys(int64_t first, int64_t last) {
  return Parsed(wire::MakeMessage(Harness::Keys(first, last)).bytes);
}

// A call of the test, which gives up after 20 s.
struct CallContextOf : grpc::ClientContext {
  explicit CallContextOf(const std::string& token = "") {
    set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(20));
    if (!token.empty()) AddMetadata("authorization", "Bearer " + token);
  }
};

class OpenPull {
 public:
  explicit OpenPull(const RelayNode& node, const std::string& token = "")
      : context_(token), stub_(AnimationDataService::NewStub(node.channel())) {
    AnimationIds ids;
    ids.set_stream_id("stream");
    reader_ = stub_->PullAnimationDataStream(&context_, ids);
  }
  bool Read(StreamMessage* message) { return reader_->Read(message); }
  // Reads to the end.
  grpc::Status Finish() {
    StreamMessage message;
    while (Read(&message)) {
    }
    return reader_->Finish();
  }
  CallContextOf& context() { return context_; }

 private:
  CallContextOf context_;
  const std::unique_ptr<AnimationDataService::Stub> stub_;
  std::unique_ptr<grpc::ClientReader<StreamMessage>> reader_;
};

class OpenPush {
 public:
  explicit OpenPush(const RelayNode& node, bool resume = false)
      : stub_(AnimationDataService::NewStub(node.channel())) {
    if (resume) context_.AddMetadata("x-posewire-resume", "1");
    writer_ = stub_->PushAnimationDataStream(&context_, &answer_);
  }
  void Write(const StreamMessage& message) { EXPECT_TRUE(writer_->Write(message)); }
  grpc::Status Finish() {
    writer_->WritesDone();
    return writer_->Finish();
  }
  const AceStatus& answer() const { return answer_; }
  grpc::ClientWriter<StreamMessage>& writer() { return *writer_; }
  CallContextOf& context() { return context_; }

 private:
  CallContextOf context_;
  const std::unique_ptr<AnimationDataService::Stub> stub_;
  AceStatus answer_;
  std::unique_ptr<grpc::ClientWriter<StreamMessage>> writer_;
};

grpc::Status SetPosture(const RelayNode& node, const std::string& token, std::string* value) {
  CallContextOf context(token);
  cv1::SetVariableRequest request;
  cv1::SetVariableResponse response;
  request.set_stream_id("stream");
  request.set_name("posture_state");
  request.set_value("Talking");
  const grpc::Status status =
      cv1::ControlService::NewStub(node.channel())->SetVariable(&context, request, &response);
  *value = response.value();
  return status;
}

TEST(Relay, APushAndAPullAtTheWrongNodeMeetAtTheOwner) {
  RelayNode owner, other;
  other.directory().MoveTo(owner.address());
  OpenPull pull(other);
  StreamMessage message;
  ASSERT_TRUE(pull.Read(&message));
  EXPECT_TRUE(message.has_animation_data_stream_header());
  OpenPush push(other);
  push.Write(PushedHeader("r"));
  push.Write(PushedKeys(0, 15));
  const grpc::Status pushed = push.Finish();
  EXPECT_TRUE(pushed.ok()) << pushed.error_message();
  EXPECT_THAT(push.answer().message(), HasSubstr("messages"));
  bool heard = false;
  while (!heard && pull.Read(&message)) {
    for (const char c : message.animation_data().audio().audio_buffer()) heard |= c != 0;
  }
  EXPECT_TRUE(heard);
  EXPECT_EQ(owner.capacity().avatars.used(), 1);
  EXPECT_EQ(other.capacity().avatars.used(), 0);
  EXPECT_EQ(other.capacity().pushes.used(), 0);
  EXPECT_TRUE(Until([&] { return other.capacity().relayed.used() == 1; }));
  EXPECT_EQ(other.relay().counts().pushes, 1);
  EXPECT_EQ(other.relay().counts().pulls, 1);
  pull.context().TryCancel();
  EXPECT_TRUE(Until([&] { return other.capacity().relayed.used() == 0; }));
}

TEST(Relay, ResumesAPushFromWhatTheOwnerHolds) {
  RelayNode owner, other;
  other.directory().MoveTo(owner.address());
  {
    OpenPush push(other);
    push.Write(PushedHeader("r"));
    push.Write(PushedKeys(0, 15));
    EXPECT_TRUE(Until([&] { return owner.capacity().buffered.used() > 0; }));
    push.context().TryCancel();
    EXPECT_EQ(push.Finish().error_code(), grpc::StatusCode::CANCELLED);
  }
  EXPECT_TRUE(Until([&] { return owner.capacity().pushes.used() == 0; }));
  OpenPush again(other, /*resume=*/true);
  again.Write(PushedHeader("r"));
  again.writer().WaitForInitialMetadata();
  const auto& metadata = again.context().GetServerInitialMetadata();
  const auto held = metadata.find("x-posewire-held-s");
  ASSERT_NE(held, metadata.end());
  EXPECT_THAT(std::string(held->second.data(), held->second.size()), StartsWith("0.4"));
  EXPECT_TRUE(again.Finish().ok());
}

TEST(Relay, PassesTheOwnersStatusAndTrailingMetadataOn) {
  EngineSettings full;
  full.max_stream_pulls = 1;
  RelayNode owner("", full), other;
  other.directory().MoveTo(owner.address());
  OpenPull first(owner);
  StreamMessage message;
  ASSERT_TRUE(first.Read(&message));
  const std::string why = OpenPull(owner).Finish().error_message();
  EXPECT_THAT(why, HasSubstr("--max-pulls-per-stream"));
  OpenPull second(other);
  const grpc::Status status = second.Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(status.error_message(), why);
  EXPECT_EQ(second.context().GetServerTrailingMetadata().count("grpc-retry-pushback-ms"), 1u);

  OpenPush bad(other);
  bad.Write(PushedHeader("r"));
  StreamMessage twice = PushedHeader("r");
  bad.Write(twice);
  const grpc::Status refused = bad.Finish();
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << refused.error_message();
}

TEST(Relay, RelaysPullsOfTheControllerToo) {
  RelayNode owner, other;
  other.directory().MoveTo(owner.address());
  CallContextOf context;
  AnimationIds ids;
  ids.set_stream_id("stream");
  const auto stub = AnimationControllerService::NewStub(other.channel());
  const auto reader = stub->PullAnimationDataStream(&context, ids);
  StreamMessage message;
  EXPECT_TRUE(reader->Read(&message));
  context.TryCancel();
  EXPECT_EQ(reader->Finish().error_code(), grpc::StatusCode::CANCELLED);
}

TEST(Relay, ARelayedCallIsNotRelayedAgain) {
  RelayNode owner, other;
  other.directory().MoveTo(owner.address());
  owner.directory().MoveTo(other.address());
  const std::string why = "stream_id \"stream\" is served by " + other.address();
  const grpc::Status pulled = OpenPull(other).Finish();
  EXPECT_EQ(pulled.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(pulled.error_message(), why);
  OpenPush push(other);
  push.Write(PushedHeader("r"));
  EXPECT_EQ(push.Finish().error_message(), why);
  EXPECT_THAT(push.context().GetServerInitialMetadata(), IsEmpty());
  std::string value;
  EXPECT_EQ(SetPosture(other, "", &value).error_message(), why);
  EXPECT_EQ(other.relay().counts().calls, 1);
  EXPECT_EQ(owner.relay().counts().calls, 0);
}

TEST(Relay, CancellationAndDeadlineReachTheOwner) {
  RelayNode owner, other;
  other.directory().MoveTo(owner.address());
  OpenPull pull(other);
  StreamMessage message;
  ASSERT_TRUE(pull.Read(&message));
  EXPECT_EQ(owner.capacity().pulls.used(), 1);
  pull.context().TryCancel();
  EXPECT_TRUE(Until([&] { return owner.capacity().pulls.used() == 0; }));
  EXPECT_EQ(pull.Finish().error_code(), grpc::StatusCode::CANCELLED);

  grpc::ClientContext brief;
  brief.set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(300));
  AceStatus answer;
  const auto stub = AnimationDataService::NewStub(other.channel());
  const auto push = stub->PushAnimationDataStream(&brief, &answer);
  EXPECT_TRUE(push->Write(PushedHeader("r")));
  EXPECT_EQ(push->Finish().error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_TRUE(Until([&] { return owner.capacity().pushes.used() == 0; }));
  EXPECT_TRUE(Until([&] { return other.capacity().relayed.used() == 0; }));
}

TEST(Relay, EndsWithTheOwnerOrWhenClosed) {
  auto owner = std::make_unique<RelayNode>();
  RelayNode other;
  other.directory().MoveTo(owner->address());
  OpenPull first(other);
  StreamMessage message;
  ASSERT_TRUE(first.Read(&message));
  owner->Stop();
  EXPECT_EQ(first.Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
  // Nothing listens there now.
  EXPECT_EQ(OpenPull(other).Finish().error_code(), grpc::StatusCode::UNAVAILABLE);

  RelayNode next;
  other.directory().MoveTo(next.address());
  OpenPull second(other);
  ASSERT_TRUE(second.Read(&message));
  other.relay().Close();
  for (const grpc::Status& status : {second.Finish(), OpenPull(other).Finish()}) {
    EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
    EXPECT_THAT(status.error_message(), HasSubstr("shutting down"));
  }
}

TEST(Relay, EndsWhenTheStreamHasMovedFromAPeerThatIsSilent) {
  RelayNode owner, next, other;
  other.directory().MoveTo(owner.address());
  OpenPush push(other);
  push.Write(PushedHeader("r"));
  EXPECT_TRUE(Until([&] { return owner.capacity().pushes.used() == 1; }));
  other.directory().MoveTo(next.address());
  const grpc::Status status = push.writer().Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(status.error_message(), HasSubstr("another server"));
}

TEST(Relay, MakesControlCallsAtTheOwnerWithTheCallersToken) {
  RelayNode owner(kToken), other(kToken);
  other.directory().MoveTo(owner.address());
  OpenPull pull(other, kToken);
  StreamMessage message;
  ASSERT_TRUE(pull.Read(&message));
  std::string value;
  grpc::Status status = SetPosture(other, kToken, &value);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND) << "passthrough has no variables";
  EXPECT_EQ(status.error_message(), SetPosture(owner, kToken, &value).error_message());
  EXPECT_EQ(SetPosture(other, "", &value).error_code(), grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(other.relay().counts().calls, 1);

  CallContextOf context(kToken);
  cv1::PlaceAvatarRequest place;
  place.set_stream_id("stream");
  cv1::PlaceAvatarResponse placed;
  const auto control = cv1::ControlService::NewStub(other.channel());
  status = control->PlaceAvatar(&context, place, &placed);
  EXPECT_TRUE(status.ok()) << status.error_message();
  // The owner has another token.
  RelayNode stranger("fedcba9876543210");
  other.directory().MoveTo(stranger.address());
  EXPECT_EQ(SetPosture(other, kToken, &value).error_code(), grpc::StatusCode::UNAUTHENTICATED);
}

TEST(Relay, WatchesTheEventsOfTheOwnersStream) {
  auto owner = std::make_unique<RelayNode>();
  RelayNode other;
  other.directory().MoveTo(owner->address());
  CallContextOf context;
  cv1::WatchEventsRequest request;
  request.set_stream_id("stream");
  const auto stub = cv1::ControlService::NewStub(other.channel());
  const auto events = stub->WatchEvents(&context, request);
  EXPECT_TRUE(Until([&] { return owner->capacity().watchers.used() == 1; }));
  OpenPull pull(other);
  StreamMessage message;
  ASSERT_TRUE(pull.Read(&message));
  cv1::Event event;
  ASSERT_TRUE(events->Read(&event));
  EXPECT_EQ(event.type(), cv1::Event::AVATAR_MADE);
  {
    CallContextOf second_context;
    const auto second = stub->WatchEvents(&second_context, request);
    EXPECT_TRUE(Until([&] { return owner->capacity().watchers.used() == 2; }));
    second_context.TryCancel();
    EXPECT_EQ(second->Finish().error_code(), grpc::StatusCode::CANCELLED);
  }
  EXPECT_TRUE(Until([&] { return owner->capacity().watchers.used() == 1; }));
  owner->Stop();
  while (events->Read(&event)) {
  }
  EXPECT_EQ(events->Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
}

TEST(Relay, OverTheBudgetClientsAreAskedToTryAgain) {
  EngineSettings settings;
  settings.max_relayed = 1;
  RelayNode owner, other("", settings);
  other.directory().MoveTo(owner.address());
  OpenPull pull(other);
  StreamMessage message;
  ASSERT_TRUE(pull.Read(&message));
  OpenPull second(other);
  const grpc::Status status = second.Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(status.error_message(), HasSubstr("1 calls are relayed, and --max-relayed allows 1"));
  EXPECT_EQ(second.context().GetServerTrailingMetadata().count("grpc-retry-pushback-ms"), 1u);
  std::string value;
  EXPECT_EQ(SetPosture(other, "", &value).error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
}

TEST(CallMetadata, PassesOnWhatIsNotOfOneHopAndMayBeSent) {
  const auto passed = [](const std::multimap<grpc::string_ref, grpc::string_ref>& metadata) {
    std::vector<std::pair<std::string, std::string>> out;
    PassOn(metadata,
           [&](const std::string& key, const std::string& value) { out.emplace_back(key, value); });
    return out;
  };
  EXPECT_THAT(passed({{"x-stream-id", "s"}, {"authorization", "Bearer t"}, {"raw-bin", "\x01"}}),
              ElementsAre(Pair("authorization", "Bearer t"), Pair("raw-bin", "\x01"),
                          Pair("x-stream-id", "s")));
  EXPECT_THAT(passed({{"grpc-retry-pushback-ms", "5000"}}),
              ElementsAre(Pair("grpc-retry-pushback-ms", "5000")));
  EXPECT_THAT(passed({{"grpc-timeout", "1S"},
                      {"user-agent", "a"},
                      {"te", "trailers"},
                      {":path", "/"},
                      {kRelayedKey, "1"},
                      {"x-text", "\xc3\xa4"},
                      {"x-control", "a\nb"},
                      {"X-Upper", "a"}}),
              IsEmpty());
}

TEST(PeerChannels, OpenAnotherConnectionWhenOneHasAllCallsThatAPeerAccepts) {
  PeerChannels channels({}, 2);
  const auto a = channels.Take("127.0.0.1:1");
  auto b = channels.Take("127.0.0.1:1");
  EXPECT_EQ(a->channel, b->channel);
  const auto c = channels.Take("127.0.0.1:1");
  EXPECT_NE(a->channel, c->channel);
  EXPECT_NE(a->channel, channels.Take("127.0.0.1:2")->channel);
  EXPECT_EQ(channels.size(), 3u);
  b.reset();
  EXPECT_EQ(channels.Take("127.0.0.1:1")->channel, a->channel);
}

TEST(PeerChannels, ForgetUnusedConnectionsWhenThereAreMany) {
  PeerChannels channels({}, 2);
  const auto used = channels.Take("127.0.0.1:1");
  for (size_t i = 1; i < PeerChannels::kMostKept; ++i) {
    channels.Take("127.0.0.1:" + std::to_string(1000 + i));
  }
  EXPECT_EQ(channels.size(), PeerChannels::kMostKept);
  channels.Take("127.0.0.1:999");
  EXPECT_EQ(channels.size(), 2u);
  EXPECT_EQ(channels.Take("127.0.0.1:1")->channel, used->channel);
}

}  // namespace
}  // namespace posewire::anim_graph
