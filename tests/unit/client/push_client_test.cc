#include "libs/client/push_client.h"

#include <algorithm>
#include <atomic>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/client/fake_server.h"

namespace posewire::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

wire::StreamHeader PushedHeader() {
  wire::StreamHeader header;
  header.ids.stream_id = "s1";
  header.ids.request_id = "r1";
  header.shapes = {"jawOpen"};
  header.epoch_s = 42;
  return header;
}

wire::Message PushedFrame(double time_code_s, size_t audio_bytes = 0) {
  wire::DataChunk data;
  data.pose[wire::kWeights] = {1, {time_code_s}, {0.5f}};
  if (audio_bytes > 0) data.audio.emplace().samples.resize(audio_bytes / 2);
  return wire::MakeMessage(std::move(data));
}

double CodeOf(const AnimationDataStream& message) {
  return message.animation_data().skel_animation().blend_shape_weights(0).time_code();
}

// What one call of a push brought.
struct SeenCall {
  std::string stream_id, resume, mode, prebuffer_s, policy;
  std::string header;  // the bytes of its message
  std::vector<double> time_codes_s;
  std::vector<std::string> statuses;  // behind how many data messages, and what they say
};

// A server that reads a set number of data messages of each call, and then answers as told.
class ScriptedPush {
 public:
  struct Step {
    int data_messages = 1 << 30;  // then answers without reading on
    grpc::Status status = {};
    std::string received_until_s = {};  // initial metadata; "": none
    std::string retry_ms = {};          // trailing metadata; "": none
    bool initial_metadata = true;
  };

  explicit ScriptedPush(std::initializer_list<Step> steps) : steps_(steps) {
    server_.on_push = [this](auto& context, auto& reader, auto& response) {
      return Run(context, reader, response);
    };
    server_.Start();
  }

  PushOptions Options() {
    PushOptions options;
    options.connection = TestConnection(server_.address());
    options.resume_wait_s = 5;
    return options;
  }
  std::vector<SeenCall> calls() {
    std::unique_lock lock(mutex_);
    return calls_;
  }
  FakeServer& server() { return server_; }

 private:
  grpc::Status Run(grpc::ServerContext& context, grpc::ServerReader<AnimationDataStream>& reader,
                   StatusMessage& response) {
    std::unique_lock lock(mutex_);
    const size_t index = calls_.size();
    calls_.emplace_back();
    const Step step = index < steps_.size() ? steps_[index] : Step();
    calls_[index].stream_id = MetadataOf(context, "x-stream-id");
    calls_[index].resume = MetadataOf(context, "x-posewire-resume");
    calls_[index].mode = MetadataOf(context, "x-posewire-mode");
    calls_[index].prebuffer_s = MetadataOf(context, "x-posewire-prebuffer-s");
    calls_[index].policy = MetadataOf(context, "x-posewire-policy");
    lock.unlock();
    AnimationDataStream message;
    if (!reader.Read(&message)) return grpc::Status::CANCELLED;
    lock.lock();
    calls_[index].header = message.SerializeAsString();
    lock.unlock();
    if (!step.received_until_s.empty())
      context.AddInitialMetadata("x-posewire-held-s", step.received_until_s);
    if (!step.retry_ms.empty()) {
      context.AddTrailingMetadata("grpc-retry-pushback-ms", step.retry_ms);
    }
    if (step.initial_metadata) reader.SendInitialMetadata();
    for (int i = 0; i < step.data_messages; ++i) {
      if (!reader.Read(&message)) break;
      lock.lock();
      if (message.has_status()) {
        calls_[index].statuses.push_back(
            absl::StrCat(calls_[index].time_codes_s.size(), " ", message.status().message()));
      }
      lock.unlock();
      if (!message.has_animation_data()) continue;
      lock.lock();
      calls_[index].time_codes_s.push_back(CodeOf(message));
      lock.unlock();
    }
    response.set_code(StatusMessage::SUCCESS);
    response.set_message("taken");
    return step.status;
  }

  std::vector<Step> steps_;
  std::mutex mutex_;
  std::vector<SeenCall> calls_;
  FakeServer server_;
};

const grpc::Status kLost(grpc::StatusCode::UNAVAILABLE, "going away");

TEST(PushClient, SendsHeaderDataAndMetadata) {
  ScriptedPush script{{}};
  PushOptions options = script.Options();
  options.mode = "live";
  options.prebuffer_s = "0.25";
  options.policy = "interrupt";
  PushClient client(options, PushedHeader());
  for (int i = 0; i < 3; ++i) {
    const auto sent = client.Send(PushedFrame(i));
    ASSERT_TRUE(sent.ok()) << sent.status();
    EXPECT_TRUE(*sent);
  }
  const auto answer = client.Finish();
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->message, "taken");
  const auto calls = script.calls();
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0].stream_id, "s1");
  EXPECT_EQ(calls[0].resume, "");
  EXPECT_EQ(calls[0].mode, "live");
  EXPECT_EQ(calls[0].prebuffer_s, "0.25");
  EXPECT_EQ(calls[0].policy, "interrupt");
  EXPECT_EQ(calls[0].header, *wire::SerializeHeader(PushedHeader()));
  EXPECT_THAT(calls[0].time_codes_s, ElementsAre(0, 1, 2));
  EXPECT_EQ(client.counters().messages, 3u);
}

// What a client does not know of a message must not be lost on its way, and not on a second way.
TEST(PushClient, SendsTheVeryBytesAndSharesThem) {
  AnimationDataStream known;
  ASSERT_TRUE(known.ParseFromString(*PushedFrame(7).bytes));
  known.GetReflection()->MutableUnknownFields(&known)->AddLengthDelimited(3000, "later");
  wire::Message message = PushedFrame(7);
  message.bytes = std::make_shared<const std::string>(known.SerializeAsString());
  FakeServer server;
  std::mutex mutex;
  std::vector<std::string> got;
  int calls = 0;
  server.on_push = [&](auto& context, auto& reader, auto&) {
    context.AddInitialMetadata("x-posewire-held-s", "-1");
    reader.SendInitialMetadata();
    AnimationDataStream read;
    for (int i = 0; reader.Read(&read); ++i) {
      std::lock_guard lock(mutex);
      if (i == 0) {
        ++calls;
      } else {
        got.push_back(read.SerializeAsString());
      }
    }
    std::lock_guard lock(mutex);
    return calls == 1 ? kLost : grpc::Status::OK;
  };
  server.Start();
  PushOptions options;
  options.connection = TestConnection(server.address());
  PushClient client(options, PushedHeader());
  ASSERT_TRUE(client.Send(message).ok());
  EXPECT_GE(message.bytes.use_count(), 2) << "they were copied";
  ASSERT_TRUE(client.Finish().ok());
  EXPECT_THAT(got, ElementsAre(*message.bytes, *message.bytes));
}

TEST(PushClient, SendsStatusesInTheirPlacesAndAgainAfterALoss) {
  ScriptedPush script{{.status = kLost}, {.received_until_s = "1"}};
  PushClient client(script.Options(), PushedHeader());
  const auto say = [&](const char* text) {
    const auto sent =
        client.Send(wire::MakeMessage(wire::StatusChunk{wire::StatusChunk::kSuccess, text}));
    EXPECT_TRUE(sent.ok() && *sent) << sent.status();
  };
  say("begins");
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(client.Send(PushedFrame(i)).ok());
  say("last");
  const auto answer = client.Finish();
  ASSERT_TRUE(answer.ok()) << answer.status();
  const auto calls = script.calls();
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_THAT(calls[0].statuses, ElementsAre("0 begins", "3 last"));
  EXPECT_THAT(calls[1].time_codes_s, ElementsAre(2));
  EXPECT_THAT(calls[1].statuses, ElementsAre("1 last"));
}

TEST(PushClient, AnIdThatMetadataCannotCarryStandsInTheHeaderAlone) {
  for (const std::string id : {"\u00fcber/../x \u2603", " blank at an end"}) {
    ScriptedPush script{{}};
    wire::StreamHeader header = PushedHeader();
    header.ids.stream_id = id;
    PushClient client(script.Options(), header);
    ASSERT_TRUE(client.Finish().ok());
    ASSERT_EQ(script.calls().size(), 1u);
    EXPECT_EQ(script.calls()[0].stream_id, "");
    EXPECT_EQ(script.calls()[0].header, *wire::SerializeHeader(header));
  }
}

TEST(PushClient, RejectsIdsAndMetadataThatCannotBeWithoutACall) {
  ScriptedPush script{{}};
  const auto rejected = [&](const PushOptions& options, const wire::StreamHeader& header) {
    PushClient client(options, header);
    const absl::Status sent = client.Send(PushedFrame(0)).status();
    EXPECT_EQ(client.Finish().status(), sent);
    EXPECT_EQ(sent.code(), absl::StatusCode::kInvalidArgument) << sent;
    return std::string(sent.message());
  };
  wire::StreamHeader header = PushedHeader();
  header.ids.stream_id = "\xff\xfe";
  EXPECT_THAT(rejected(script.Options(), header), HasSubstr("stream_id"));
  header = PushedHeader();
  header.ids.request_id = "a\nb";
  EXPECT_THAT(rejected(script.Options(), header), HasSubstr("request_id"));
  header.ids.request_id.clear();
  EXPECT_THAT(rejected(script.Options(), header), HasSubstr("request_id"));
  header = PushedHeader();
  header.ids.target_object_id = std::string(129, 'x');
  EXPECT_THAT(rejected(script.Options(), header), HasSubstr("target_object_id"));
  PushOptions options = script.Options();
  options.mode =
      "l\xc3\xaf"
      "ve";
  EXPECT_THAT(rejected(options, PushedHeader()), HasSubstr("x-posewire-mode"));
  EXPECT_TRUE(script.calls().empty());
}

TEST(PushClient, AnswersAPushOfNothingButItsHeader) {
  ScriptedPush script{{}};
  PushClient client(script.Options(), PushedHeader());
  const auto answer = client.Finish();
  ASSERT_TRUE(answer.ok()) << answer.status();
  ASSERT_EQ(script.calls().size(), 1u);
  EXPECT_EQ(script.calls()[0].header, *wire::SerializeHeader(PushedHeader()));
}

TEST(PushClient, ResumesAfterTheCodeThatTheServerHolds) {
  ScriptedPush script{{.data_messages = 5, .status = kLost}, {.received_until_s = "2"}};
  std::vector<ConnectionEvent> events;
  PushOptions options = script.Options();
  options.connection.on_event = [&](const ConnectionEvent& event) { events.push_back(event); };
  PushClient client(options, PushedHeader());
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(client.Send(PushedFrame(i)).ok());
  const auto answer = client.Finish();
  ASSERT_TRUE(answer.ok()) << answer.status();
  const auto calls = script.calls();
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_THAT(calls[0].time_codes_s, ElementsAre(0, 1, 2, 3, 4));
  EXPECT_EQ(calls[1].resume, "1");
  EXPECT_EQ(calls[1].stream_id, "s1");
  EXPECT_EQ(calls[1].header, calls[0].header);
  // Everything after 2, once each and in order.
  EXPECT_THAT(calls[1].time_codes_s, ElementsAre(3, 4, 5, 6, 7, 8, 9));
  ASSERT_GE(events.size(), 4u);
  EXPECT_EQ(events[0].kind, ConnectionEvent::kConnected);
  EXPECT_EQ(events[1].kind, ConnectionEvent::kLost);
  EXPECT_EQ(events[3].kind, ConnectionEvent::kResumed);
  EXPECT_EQ(events[3].received_until_s, 2);
  EXPECT_FALSE(events[3].unknown_to_server);
}

TEST(ConnectionStory, TellsALossAndTheReturnOnce) {
  ConnectionStory story("127.0.0.1:1", "s1");
  const auto is_minor = [&](ConnectionEvent::Kind kind, double now_s, bool resumes = false) {
    return story.Complete({.kind = kind}, now_s, resumes).minor;
  };
  EXPECT_FALSE(is_minor(ConnectionEvent::kConnected, 1));
  EXPECT_FALSE(is_minor(ConnectionEvent::kLost, 10));
  EXPECT_TRUE(is_minor(ConnectionEvent::kLost, 12));
  EXPECT_TRUE(is_minor(ConnectionEvent::kConnected, 13, /*resumes=*/true));
  // It broke before it was resumed.
  EXPECT_TRUE(is_minor(ConnectionEvent::kLost, 14));
  EXPECT_TRUE(is_minor(ConnectionEvent::kConnected, 15, /*resumes=*/true));
  const ConnectionEvent back = story.Complete({.kind = ConnectionEvent::kResumed}, 16);
  EXPECT_FALSE(back.minor);
  EXPECT_EQ(back.away_s, 6);
  EXPECT_EQ(back.address, "127.0.0.1:1");
  EXPECT_EQ(back.stream_id, "s1");
  EXPECT_FALSE(is_minor(ConnectionEvent::kLost, 20));
  EXPECT_EQ(Describe(story.Complete({.kind = ConnectionEvent::kConnected}, 22.5)),
            "connected again after 2.5 s");
}

TEST(PushClient, ResumesOverSeveralLosses) {
  ScriptedPush script{{.data_messages = 2, .status = kLost},
                      {.data_messages = 1, .status = kLost, .received_until_s = "1"},
                      {.data_messages = 0, .status = kLost, .received_until_s = "2"},
                      {.received_until_s = "2"}};
  PushClient client(script.Options(), PushedHeader());
  for (int i = 0; i < 6; ++i) ASSERT_TRUE(client.Send(PushedFrame(i)).ok());
  ASSERT_TRUE(client.Finish().ok());
  const auto calls = script.calls();
  ASSERT_EQ(calls.size(), 4u);
  EXPECT_THAT(calls[1].time_codes_s, ElementsAre(2));
  EXPECT_THAT(calls[3].time_codes_s, ElementsAre(3, 4, 5));
}

TEST(PushClient, AServerThatHeldNothingGetsEverything) {
  ScriptedPush script{{.data_messages = 2, .status = kLost}, {.received_until_s = "-1"}};
  PushClient client(script.Options(), PushedHeader());
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(client.Send(PushedFrame(i)).ok());
  ASSERT_TRUE(client.Finish().ok());
  EXPECT_THAT(script.calls().at(1).time_codes_s, ElementsAre(0, 1, 2, 3));
}

TEST(PushClient, AServerWithoutRoomIsAskedAgainWhenItSaysSo) {
  const grpc::Status full(grpc::StatusCode::RESOURCE_EXHAUSTED,
                          "8 streams, and --max-streams is 8");
  ScriptedPush script{{.data_messages = 0, .status = full, .retry_ms = "50"},
                      {.data_messages = 0, .status = full, .retry_ms = "0"},
                      {}};
  std::vector<std::string> told;
  PushOptions options = script.Options();
  options.connection.on_event = [&](const ConnectionEvent& event) {
    if (event.kind == ConnectionEvent::kLost) told.push_back(Describe(event));
  };
  PushClient client(options, PushedHeader());
  for (int i = 0; i < 6; ++i) ASSERT_TRUE(client.Send(PushedFrame(i)).ok());
  const auto answer = client.Finish();
  ASSERT_TRUE(answer.ok()) << answer.status();
  const auto calls = script.calls();
  ASSERT_EQ(calls.size(), 3u);
  EXPECT_EQ(calls[2].resume, "") << "nothing was begun that could be resumed";
  EXPECT_THAT(calls[2].time_codes_s, ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(told, ElementsAre(HasSubstr("no room"), HasSubstr("no room")));
}

TEST(PushClient, ARejectionWithoutAHintIsFinal) {
  const grpc::Status full(grpc::StatusCode::RESOURCE_EXHAUSTED, "too much");
  for (const std::string hint : {"", "-1", "soon"}) {
    ScriptedPush script{{.data_messages = 0, .status = full, .retry_ms = hint}};
    PushClient client(script.Options(), PushedHeader());
    EXPECT_EQ(client.Finish().status().code(), absl::StatusCode::kResourceExhausted) << hint;
    EXPECT_EQ(script.calls().size(), 1u);
  }
}

TEST(PushClient, GivesUpOnAServerThatStaysFull) {
  const grpc::Status full(grpc::StatusCode::RESOURCE_EXHAUSTED, "8 streams");
  ScriptedPush script{{.data_messages = 0, .status = full, .retry_ms = "10"},
                      {.data_messages = 0, .status = full, .retry_ms = "10"}};
  PushOptions options = script.Options();
  options.connection.reconnect.give_up_s = 1e-3;
  PushClient client(options, PushedHeader());
  const absl::Status end = client.Finish().status();
  EXPECT_EQ(end.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(end.message(), HasSubstr("8 streams"));
}

TEST(PushClient, AServerThatKnowsNothingGoesOnWherePlaybackWas) {
  // The burst is over in no time: of its 60 s next to nothing had played.
  ScriptedPush script{{.data_messages = 60, .status = kLost}, {}};
  std::vector<ConnectionEvent> events;
  PushOptions options = script.Options();
  options.connection.on_event = [&](const ConnectionEvent& event) { events.push_back(event); };
  PushClient client(options, PushedHeader());
  for (int i = 0; i < 60; ++i) ASSERT_TRUE(client.Send(PushedFrame(10 + i)).ok());
  ASSERT_TRUE(client.Finish().ok());
  const auto calls = script.calls();
  ASSERT_EQ(calls.size(), 2u);
  ASSERT_FALSE(calls[1].time_codes_s.empty());
  EXPECT_LE(calls[1].time_codes_s.front(), 12);
  EXPECT_EQ(calls[1].time_codes_s.back(), 69);
  EXPECT_TRUE(events.back().unknown_to_server);
}

TEST(PushClient, AnOutageIsNoPlayback) {
  // Of two seconds nothing had played when the server went away for longer than that.
  ScriptedPush script{{}, {}};
  std::vector<ConnectionEvent> events;
  PushOptions options = script.Options();
  options.connection.reconnect.initial_delay_s = 0.5;
  options.connection.reconnect.max_delay_s = 0.5;
  options.connection.on_event = [&](const ConnectionEvent& event) {
    events.push_back(event);
    const auto losses = std::count_if(events.begin(), events.end(), [](const auto& e) {
      return e.kind == ConnectionEvent::kLost;
    });
    if (event.kind == ConnectionEvent::kLost && losses == 3) script.server().Start();
  };
  PushClient client(options, PushedHeader());
  for (int i = 0; i <= 20; ++i) ASSERT_TRUE(client.Send(PushedFrame(i * 0.1)).ok());
  while (script.calls().empty() || script.calls()[0].time_codes_s.size() < 21)
    std::this_thread::yield();
  script.server().Stop();
  ASSERT_TRUE(client.Finish().ok());
  EXPECT_EQ(events.back().kind, ConnectionEvent::kResumed);
  EXPECT_TRUE(events.back().unknown_to_server);
  EXPECT_LT(events.back().received_until_s, 0.9);
}

TEST(PushClient, AResumeIsNotHeldUpByAServerThatSendsNoMetadata) {
  ScriptedPush script{{.data_messages = 1, .status = kLost}, {.initial_metadata = false}};
  PushOptions options = script.Options();
  options.resume_wait_s = 0.05;
  PushClient client(options, PushedHeader());
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(client.Send(PushedFrame(i)).ok());
  ASSERT_TRUE(client.Finish().ok());
  EXPECT_EQ(script.calls().at(1).time_codes_s.back(), 2);
}

TEST(PushClient, LostAfterTheHalfCloseItResumesAndHalfClosesAgain) {
  ScriptedPush script{{.status = kLost}, {.received_until_s = "1"}};
  PushClient client(script.Options(), PushedHeader());
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(client.Send(PushedFrame(i)).ok());
  const auto answer = client.Finish();
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->code, wire::StatusChunk::kSuccess);
  EXPECT_THAT(script.calls().at(1).time_codes_s, ElementsAre(2));
}

TEST(PushClient, ARequestThatIsOverAtTheResumeIsReported) {
  const grpc::Status over(grpc::StatusCode::ALREADY_EXISTS, "request \"r1\" has ended");
  {
    ScriptedPush script{{.status = kLost}, {.data_messages = 0, .status = over}};
    PushClient client(script.Options(), PushedHeader());
    ASSERT_TRUE(client.Send(PushedFrame(0)).ok());
    const auto answer = client.Finish();
    ASSERT_TRUE(answer.ok()) << answer.status();
    EXPECT_EQ(answer->code, wire::StatusChunk::kInfo);
    EXPECT_THAT(answer->message, HasSubstr("has ended"));
  }
  {
    ScriptedPush script{{.data_messages = 1, .status = kLost},
                        {.data_messages = 0, .status = over}};
    PushClient client(script.Options(), PushedHeader());
    absl::Status status;
    for (int i = 0; status.ok() && i < 100000; ++i) status = client.Send(PushedFrame(i)).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kAlreadyExists) << status;
  }
}

TEST(PushClient, ADefinitiveErrorEndsWithItsStatus) {
  ScriptedPush script{
      {.data_messages = 1, .status = {grpc::StatusCode::INVALID_ARGUMENT, "rotations[3] is NaN"}}};
  PushClient client(script.Options(), PushedHeader());
  absl::Status status;
  for (int i = 0; status.ok() && i < 100000; ++i) status = client.Send(PushedFrame(i)).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("rotations[3]"));
  EXPECT_EQ(client.Finish().status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(script.calls().size(), 1u);
}

TEST(PushClient, AStoppedRequestIsNoError) {
  ScriptedPush script{{.data_messages = 1}};
  PushClient client(script.Options(), PushedHeader());
  bool taken = true;
  for (int i = 0; taken && i < 100000; ++i) {
    const auto sent = client.Send(PushedFrame(i));
    ASSERT_TRUE(sent.ok()) << sent.status();
    taken = *sent;
  }
  EXPECT_FALSE(taken);
  const auto answer = client.Finish();
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->message, "taken");
}

TEST(PushClient, WaitsForAServerThatComesLater) {
  ScriptedPush script{{}};
  script.server().Stop();
  std::promise<void> lost;
  std::atomic<int> losses = 0;
  PushOptions options = script.Options();
  options.connection.on_event = [&](const ConnectionEvent& event) {
    if (event.kind == ConnectionEvent::kLost && ++losses == 2) lost.set_value();
  };
  std::thread starter([&] {
    lost.get_future().wait();
    script.server().Start();
  });
  PushClient client(options, PushedHeader());
  ASSERT_TRUE(client.Send(PushedFrame(0)).ok());
  const auto answer = client.Finish();
  starter.join();
  ASSERT_TRUE(answer.ok()) << answer.status();
  // No server has seen the request before.
  EXPECT_EQ(script.calls().at(0).resume, "");
  EXPECT_THAT(script.calls().at(0).time_codes_s, ElementsAre(0));
}

TEST(PushClient, GivesUpAfterItsTime) {
  ScriptedPush script({});
  script.server().Stop();
  PushOptions options = script.Options();
  options.connection.reconnect.give_up_s = 0.1;
  PushClient client(options, PushedHeader());
  const auto sent = client.Send(PushedFrame(0));
  EXPECT_EQ(sent.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(sent.status().message()), HasSubstr(options.connection.address));
}

TEST(PushClient, SurvivesAServerThatIsTornDown) {
  ScriptedPush script{{}, {.received_until_s = "1"}};
  PushClient client(script.Options(), PushedHeader());
  ASSERT_TRUE(client.Send(PushedFrame(0)).ok());
  ASSERT_TRUE(client.Send(PushedFrame(1)).ok());
  while (script.calls().empty() || script.calls()[0].time_codes_s.size() < 2)
    std::this_thread::yield();
  script.server().Stop();
  script.server().Start();
  ASSERT_TRUE(client.Send(PushedFrame(2)).ok());
  const auto answer = client.Finish();
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_THAT(script.calls().at(1).time_codes_s, ElementsAre(2));
}

TEST(PushClient, FeelsBackPressureAndCancelEndsItPromptly) {
  std::promise<void> release;
  FakeServer server;
  server.on_push = [released = release.get_future().share()](
                       grpc::ServerContext&, grpc::ServerReader<AnimationDataStream>&,
                       StatusMessage&) {
    released.wait();  // never reads
    return grpc::Status::OK;
  };
  server.Start();
  PushOptions options;
  options.connection = TestConnection(server.address());
  PushClient client(options, PushedHeader());
  std::atomic<int> sent = 0;
  auto result = std::async(std::launch::async, [&] {
    for (int i = 0; i < 200; ++i) {
      const auto taken = client.Send(PushedFrame(i, 1 << 20));
      if (!taken.ok()) return taken.status();
      ++sent;
    }
    return absl::OkStatus();
  });
  EXPECT_EQ(result.wait_for(std::chrono::milliseconds(300)), std::future_status::timeout);
  client.Cancel();
  EXPECT_EQ(result.wait_for(std::chrono::seconds(2)), std::future_status::ready);
  EXPECT_EQ(result.get().code(), absl::StatusCode::kCancelled);
  EXPECT_LT(sent, 100);
  release.set_value();
}

TEST(PushClient, CancelEndsTheWaitForAServer) {
  ScriptedPush script({});
  script.server().Stop();
  PushOptions options = script.Options();
  options.connection.reconnect.initial_delay_s = 60;
  options.connection.reconnect.max_delay_s = 60;
  std::promise<void> lost;
  options.connection.on_event = [&](const ConnectionEvent&) { lost.set_value(); };
  PushClient client(options, PushedHeader());
  auto result =
      std::async(std::launch::async, [&] { return client.Send(PushedFrame(0)).status(); });
  lost.get_future().wait();
  client.Cancel();
  ASSERT_EQ(result.wait_for(std::chrono::seconds(2)), std::future_status::ready);
  EXPECT_EQ(result.get().code(), absl::StatusCode::kCancelled);
}

TEST(PushClient, RejectsAMessageOverTheLimitAndGoesOn) {
  ScriptedPush script{{}};
  PushClient client(script.Options(), PushedHeader());
  const auto sent = client.Send(PushedFrame(0, 5 << 20));
  EXPECT_EQ(sent.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(sent.status().message()), HasSubstr("4194304"));
  ASSERT_TRUE(client.Send(PushedFrame(1)).ok());
  ASSERT_TRUE(client.Finish().ok());
  EXPECT_THAT(script.calls().at(0).time_codes_s, ElementsAre(1));
}

}  // namespace
}  // namespace posewire::client
