// Ids, lifetimes, windows, resume, limits: who may call what, and what is answered.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "libs/stream/busy.h"
#include "tests/unit/anim_graph/engine_harness.h"

namespace posewire::anim_graph {
namespace {

using ::testing::HasSubstr;

void PushWhole(Harness& h, const std::string& request, FakePeer& peer, int64_t frames,
               const std::string& target = "") {
  const auto push = h.Push(Harness::Header(request, target), &peer);
  ASSERT_TRUE(push.ok()) << push.status();
  h.engine->Offer(push->call, Harness::Keys(0, frames), h.now);
  h.engine->EndPush(push->call, PushEnd::kHalfClosed, h.now);
}

TEST(EngineCalls, ASecondPushOfAnOpenRequestIsRejectedAndTheFirstUnharmed) {
  Harness h;
  FakePeer first, second;
  const auto a = h.Push(Harness::Header("r"), &first);
  ASSERT_TRUE(a.ok());
  const auto b = h.Push(Harness::Header("r"), &second);
  EXPECT_EQ(b.status().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_THAT(std::string(b.status().message()), HasSubstr("x-posewire-resume"));
  EXPECT_FALSE(first.finished);
  EXPECT_TRUE(h.engine->Offer(a->call, Harness::Keys(0, 3), h.now));
}

TEST(EngineCalls, AResumedPushLosesAndDoublesNoSample) {
  Harness h;
  FakeSink sink;
  FakePeer first, second;
  ASSERT_TRUE(h.Pull(&sink, "r").ok());
  const auto a = h.Push(Harness::Header("r"), &first);
  h.engine->Offer(a->call, Harness::Keys(0, 20), h.now);
  h.Run(0.3);
  PushCallOptions resume;
  resume.resume = true;
  const auto b = h.Push(Harness::Header("r"), &second, resume);
  ASSERT_TRUE(b.ok()) << b.status();
  ASSERT_TRUE(first.finished);
  EXPECT_EQ(first.finished->status.code(), absl::StatusCode::kAborted);
  EXPECT_NEAR(b->received_until_s.value_or(-1), 19 / 30.0, 1e-9);
  h.engine->Offer(b->call, Harness::Keys(15, 40), h.now);  // some of it again
  h.engine->EndPush(b->call, PushEnd::kHalfClosed, h.now);
  h.Run(3);
  const auto audio = sink.audio();
  const int64_t total = 40 * 16000 / 30;
  ASSERT_GE(static_cast<int64_t>(audio.size()), total);
  for (int64_t n = 0; n < total; ++n)
    ASSERT_EQ(audio[static_cast<size_t>(n)], Harness::SampleAt(n));
  EXPECT_EQ(sink.statuses().back().code(), nvidia_ace::status::v1::Status::SUCCESS);
}

TEST(EngineCalls, AResumedPushOfWhichNothingIsHeldSaysMinusOne) {
  Harness h;
  FakePeer first, second;
  ASSERT_TRUE(h.Push(Harness::Header("r"), &first).ok());
  PushCallOptions resume;
  resume.resume = true;
  const auto b = h.Push(Harness::Header("r"), &second, resume);
  ASSERT_TRUE(b.ok()) << b.status();
  EXPECT_EQ(b->received_until_s, -1);
}

TEST(EngineCalls, ABrokenOffPushMayBeResumedWhileItStillPlays) {
  Harness h;
  FakePeer first, second;
  const auto a = h.Push(Harness::Header("r"), &first);
  h.engine->Offer(a->call, Harness::Keys(0, 30), h.now);
  h.engine->EndPush(a->call, PushEnd::kCancelled, h.now);
  PushCallOptions resume;
  resume.resume = true;
  auto other = Harness::Header("r");
  other.joints = {"skullbase"};
  EXPECT_EQ(h.Push(other, &second, resume).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(h.Push(Harness::Header("r"), &second, resume).ok());
}

TEST(EngineCalls, AfterItsTurnARequestIsNotResumedButMayBeMadeAnew) {
  Harness h;
  FakeSink sink;
  FakePeer first, second;
  ASSERT_TRUE(h.Pull(&sink).ok());
  PushWhole(h, "r", first, 10);
  h.Run(2);
  PushCallOptions resume;
  resume.resume = true;
  EXPECT_EQ(h.Push(Harness::Header("r"), &second, resume).status().code(),
            absl::StatusCode::kAlreadyExists);
  EXPECT_TRUE(h.Push(Harness::Header("r"), &second).ok());
}

TEST(EngineCalls, ALostSourceHoldsRestsBlendsOutAndEndsItsWindowWithError) {
  Harness h;
  FakeSink sink;
  FakePeer peer, again;
  ASSERT_TRUE(h.Pull(&sink, "r").ok());
  const auto a = h.Push(Harness::Header("r"), &peer);
  h.engine->Offer(a->call, Harness::Keys(0, 15), h.now);
  h.engine->EndPush(a->call, PushEnd::kCancelled, h.now);
  h.Run(5);
  EXPECT_EQ(sink.statuses().back().code(), nvidia_ace::status::v1::Status::ERROR);
  ASSERT_TRUE(sink.finished);
  EXPECT_TRUE(sink.finished->ok());
  EXPECT_EQ(sink.data().size(), 15u + 3 + 90 + 9);  // played, held, rested, blended out
}

TEST(EngineCalls, AnEndWhoseAnswerReachedNobodyIsTakenBack) {
  for (const bool vanished : {false, true}) {
    Harness h;
    FakeSink window;
    FakePeer first, again;
    ASSERT_TRUE(h.Pull(&window, "r").ok());
    const auto header = Harness::Header("r");
    // The first call breaks off and a second goes on: what is heard of the first changes nothing.
    const auto broken = h.Push(header, &first);
    ASSERT_TRUE(broken.ok());
    h.engine->Offer(broken->call, Harness::Keys(0, 15), h.now);
    h.engine->EndPush(broken->call, PushEnd::kCancelled, h.now);
    PushCallOptions resume;
    resume.resume = true;
    const auto push = h.Push(header, &again, resume);
    ASSERT_TRUE(push.ok()) << push.status();
    h.engine->Offer(push->call, Harness::Keys(15, 30), h.now);
    h.engine->EndPush(push->call, PushEnd::kHalfClosed, h.now);
    h.engine->SourceVanished(broken->call, header.ids, h.now);
    h.engine->SourceVanished(push->call, {"other", "stream", ""}, h.now);
    h.engine->SourceVanished(push->call, {"r", "other", ""}, h.now);
    h.engine->SourceVanished(0, header.ids, h.now);
    if (vanished) h.engine->SourceVanished(push->call, header.ids, h.now);
    h.Run(6);
    ASSERT_TRUE(window.finished.has_value());
    EXPECT_EQ(window.statuses().back().code(), vanished ? nvidia_ace::status::v1::Status::ERROR
                                                        : nvidia_ace::status::v1::Status::SUCCESS);
    // When it is over there is nothing to take back.
    h.engine->SourceVanished(push->call, header.ids, h.now);
  }
}

TEST(EngineCalls, AWindowRunsFromTheFirstTickToTheEndOfTheBlendOut) {
  Harness h;
  FakeSink all, window;
  FakePeer peer;
  ASSERT_TRUE(h.Pull(&all).ok());
  ASSERT_TRUE(h.Pull(&window, "r").ok());
  h.Run(0.5);
  EXPECT_EQ(window.raw.size(), 0u);  // the request's avatar is not known yet
  PushWhole(h, "r", peer, 30);
  h.Run(3);
  EXPECT_EQ(window.data().size(), 30u + 9);
  ASSERT_TRUE(window.finished && window.finished->ok());
  // The same bytes as the instance's.
  for (size_t i = 1; i + 1 < window.raw.size(); ++i) {
    EXPECT_NE(std::find(all.raw.begin(), all.raw.end(), window.raw[i]), all.raw.end()) << i;
  }
}

TEST(EngineCalls, AWindowOnARequestThatIsOverGetsHeaderAndStatus) {
  Harness h;
  FakeSink all, late;
  FakePeer peer;
  ASSERT_TRUE(h.Pull(&all).ok());
  PushWhole(h, "r", peer, 10);
  h.Run(2);
  ASSERT_TRUE(h.Pull(&late, "r").ok());
  ASSERT_EQ(late.messages.size(), 2u);
  EXPECT_TRUE(late.messages[0].has_animation_data_stream_header());
  EXPECT_EQ(late.messages[1].status().code(), nvidia_ace::status::v1::Status::SUCCESS);
  EXPECT_TRUE(late.finished && late.finished->ok());
}

TEST(EngineCalls, AWindowsHeaderPassesOnWhatIsUnknownInThePushedOne) {
  const std::string unknown("\x32\x0a\x0a\x01k\x12\x05\x0a\x03joy\x53\x54", 14);
  Harness h;
  FakeSink all, early, named, during, late;
  FakePeer peer;
  ASSERT_TRUE(h.Pull(&early, "r").ok());
  ASSERT_TRUE(h.Pull(&named, "r", "avatar").ok());
  ASSERT_TRUE(h.Pull(&all, "", "avatar").ok());
  auto header = Harness::Header("r");
  header.unknown_fields = unknown;
  const auto push = h.Push(header, &peer);
  ASSERT_TRUE(push.ok());
  h.engine->Offer(push->call, Harness::Keys(0, 30), h.now);
  h.engine->EndPush(push->call, PushEnd::kHalfClosed, h.now);
  h.Run(0.5);
  ASSERT_TRUE(h.Pull(&during, "r").ok());
  h.Run(3);
  ASSERT_TRUE(h.Pull(&late, "r").ok());
  const auto passed_on = [&](const FakeSink& sink) {
    return absl::StrContains(sink.raw.at(0), unknown);
  };
  EXPECT_TRUE(passed_on(early));
  EXPECT_TRUE(passed_on(during));
  EXPECT_FALSE(passed_on(named));  // it was sent before the push came
  EXPECT_FALSE(passed_on(all));    // it belongs to no request
  EXPECT_FALSE(passed_on(late));   // what is remembered is small
  EXPECT_EQ(early.header().animation_ids().request_id(), "r");
}

TEST(EngineCalls, UnknownFieldsOfAHeaderCountAsBuffered) {
  HarnessSettings settings = Harness::Passthrough();
  settings.buffer_bytes = 40000;
  for (const size_t bytes : {0u, 8000u}) {
    Harness h(settings);
    FakeSink sink;
    FakePeer peer;
    ASSERT_TRUE(h.Pull(&sink).ok());
    auto header = Harness::Header("r");
    header.unknown_fields = std::string(bytes, 'x');
    const auto push = h.Push(header, &peer);
    ASSERT_TRUE(push.ok());
    EXPECT_EQ(h.engine->Offer(push->call, Harness::Keys(0, 30), h.now), bytes == 0);
  }
}

TEST(EngineCalls, AWindowThatNoPushComesForIsNotFound) {
  Harness h;
  FakeSink sink;
  ASSERT_TRUE(h.Pull(&sink, "never").ok());
  h.Run(29.5);
  EXPECT_FALSE(sink.finished);
  h.Run(1);
  ASSERT_TRUE(sink.finished);
  EXPECT_EQ(sink.finished->code(), absl::StatusCode::kNotFound);
}

TEST(EngineCalls, AStoppedRequestFadesAndItsWindowSaysSo) {
  Harness h;
  FakeSink sink;
  FakePeer peer;
  ASSERT_TRUE(h.Pull(&sink, "r").ok());
  const auto a = h.Push(Harness::Header("r"), &peer);
  h.engine->Offer(a->call, Harness::Keys(0, 60), h.now);
  h.Run(0.5);
  ASSERT_TRUE(h.engine->StopRequest("stream", "r", h.now).ok());
  ASSERT_TRUE(peer.finished);
  EXPECT_TRUE(peer.finished->status.ok());
  EXPECT_EQ(peer.finished->answer.code, wire::StatusChunk::kInfo);
  h.Run(1);
  EXPECT_EQ(sink.statuses().back().code(), nvidia_ace::status::v1::Status::INFO);
  const auto audio = sink.audio();
  const auto last = std::find_if(audio.rbegin(), audio.rend(), [](int16_t s) { return s != 0; });
  // 20 ms of voice after the tick at which it was stopped, then silence to the end of the window.
  EXPECT_NEAR(static_cast<double>(last - audio.rbegin()), 16000 * (0.3 - 0.02), 600);
}

TEST(EngineCalls, AQueuedRequestThatIsStoppedEndsItsWindow) {
  Harness h;
  FakeSink sink;
  FakePeer first, second;
  ASSERT_TRUE(h.Pull(&sink, "second").ok());
  const auto a = h.Push(Harness::Header("first"), &first);
  h.engine->Offer(a->call, Harness::Keys(0, 60), h.now);
  const auto b = h.Push(Harness::Header("second"), &second);
  h.engine->Offer(b->call, Harness::Keys(0, 60), h.now);
  h.Run(0.5);
  ASSERT_TRUE(h.engine->StopRequest("stream", "second", h.now).ok());
  EXPECT_TRUE(second.finished);
  h.Run(0.1);
  ASSERT_TRUE(sink.finished);
  EXPECT_TRUE(sink.finished->ok());
  ASSERT_EQ(sink.statuses().size(), 1u);
  EXPECT_EQ(sink.statuses()[0].code(), nvidia_ace::status::v1::Status::INFO);
}

TEST(EngineCalls, AWindowThatNamesAnotherAvatarThanItsRequestsIsRejected) {
  Harness h;
  FakeSink before, after;
  FakePeer peer;
  ASSERT_TRUE(h.Pull(&before, "r", "B").ok());
  const auto push = h.Push(Harness::Header("r", "A"), &peer);
  ASSERT_TRUE(push.ok());
  ASSERT_TRUE(before.finished);
  EXPECT_EQ(before.finished->code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(before.finished->message()), HasSubstr("\"A\""));
  EXPECT_EQ(h.Pull(&after, "r", "B").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(h.Pull(&after, "r", "A").ok());
}

TEST(EngineCalls, AnAnswerThatListsAvatarsStaysShort) {
  Harness h;
  std::vector<FakeSink> sinks(30);
  for (size_t i = 0; i < sinks.size(); ++i) {
    ASSERT_TRUE(h.Pull(&sinks[i], "", absl::StrCat(std::string(100, 'x'), i)).ok());
  }
  FakeSink sink;
  const absl::Status status = h.Pull(&sink).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("and 22 more"));
  EXPECT_LT(status.message().size(), 2000u);
}

TEST(EngineCalls, ARequestThatIsStillPushedIsNotForgotten) {
  HarnessSettings settings = Harness::Passthrough();
  settings.max_remembered_requests = 2;
  settings.start_wait_s = 0;
  Harness h(settings);
  FakePeer peer;
  const auto push = h.Push(Harness::Header("a"), &peer);
  h.engine->Offer(push->call, Harness::Keys(0, 5), h.now);
  h.engine->OfferStatus(push->call, {}, h.now);  // starvation ends it, though its call stays open
  h.Run(3);
  for (int i = 0; i < 5; ++i) {
    FakePeer other;
    PushWhole(h, absl::StrCat("b", i), other, 5);
    h.Run(2);
  }
  // A push of a forgotten request would be a new one.
  FakePeer again;
  EXPECT_EQ(h.Push(Harness::Header("a"), &again).status().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_TRUE(h.engine->Offer(push->call, Harness::Keys(5, 6), h.now));
}

TEST(EngineCalls, AStreamThatOnlyRemembersTakesNoPlace) {
  HarnessSettings settings = Harness::Passthrough();
  settings.max_streams = 2;
  settings.start_wait_s = 0;
  Harness h(settings);
  const auto push = [&](const std::string& stream, bool resume = false) {
    FakePeer peer;
    PushCallOptions options;
    options.resume = resume;
    wire::StreamHeader header = Harness::Header("r");
    header.ids.stream_id = stream;
    const auto opened = h.Push(header, &peer, options);
    if (!opened.ok()) return opened.status();
    h.engine->Offer(opened->call, Harness::Keys(0, 5), h.now);
    h.engine->EndPush(opened->call, PushEnd::kHalfClosed, h.now);
    return absl::OkStatus();
  };
  EXPECT_TRUE(push("s0").ok());
  EXPECT_TRUE(push("s1").ok());
  const absl::Status full = push("s2");
  EXPECT_EQ(full.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(stream::IsBusy(full));
  for (int i = 2; i < 6; ++i) {
    h.Run(70);
    EXPECT_TRUE(push(absl::StrCat("s", i)).ok()) << i;
  }
  h.Run(70);
  EXPECT_TRUE(h.engine->Streams().empty());
  EXPECT_EQ(h.parts.capacity->streams.used(), 0);
  // The last ones are remembered, and no more of them than there may be streams.
  EXPECT_EQ(push("s5", true).code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(h.parts.capacity->streams.used(), 0);
  EXPECT_TRUE(push("s0", true).ok());
}

TEST(EngineCalls, AnInterruptingRequestReplacesTheOneThatPlays) {
  Harness h;
  FakeSink sink;
  FakePeer first, second;
  ASSERT_TRUE(h.Pull(&sink, "a").ok());
  const auto a = h.Push(Harness::Header("a"), &first);
  h.engine->Offer(a->call, Harness::Keys(0, 90), h.now);
  h.Run(0.5);
  PushCallOptions interrupt;
  interrupt.policy = Policy::kInterrupt;
  const auto b = h.Push(Harness::Header("b"), &second, interrupt);
  h.engine->Offer(b->call, Harness::Keys(0, 90), h.now);
  h.Run(1);
  ASSERT_TRUE(first.finished);
  EXPECT_EQ(first.finished->answer.code, wire::StatusChunk::kInfo);
  EXPECT_EQ(sink.statuses().back().code(), nvidia_ace::status::v1::Status::INFO);
  EXPECT_FALSE(second.finished);
}

TEST(EngineCalls, TheDefaultAvatarTakesTheFirstName) {
  Harness h;
  FakeSink one, two, three;
  FakePeer peer;
  ASSERT_TRUE(h.Pull(&one).ok());
  ASSERT_TRUE(h.Pull(&two, "", "A").ok());
  EXPECT_EQ(h.engine->Streams().at(0).avatars.size(), 1u);
  PushWhole(h, "r", peer, 3, "B");
  EXPECT_EQ(h.engine->Streams().at(0).avatars.size(), 2u);
  const auto rejected = h.Pull(&three);
  EXPECT_EQ(rejected.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(rejected.status().message()), HasSubstr("\"A\", \"B\""));
}

TEST(EngineCalls, StreamsAreListedInPieces) {
  Harness h;
  for (const char* id : {"c", "a", "e", "b", "d"}) {
    ASSERT_TRUE(h.engine->RegisterStream(id, "", h.now).ok());
  }
  const auto ids = [&](const char* after, size_t most) {
    std::string out;
    for (const auto& info : h.engine->Streams(after, most)) out += info.stream_id;
    return out;
  };
  EXPECT_EQ(ids("", 100), "abcde");
  EXPECT_EQ(ids("", 4), "ab");  // two streams with an avatar each
  EXPECT_EQ(ids("b", 3), "cd");
  EXPECT_EQ(ids("ba", 1), "c");  // "b" may have gone meanwhile
  EXPECT_EQ(ids("e", 4), "");
}

TEST(EngineCalls, OverTheLimitsNewWorkIsRejected) {
  HarnessSettings settings = Harness::Passthrough();
  settings.max_avatars = 1;
  Harness h(settings);
  FakePeer peer;
  ASSERT_TRUE(h.Push(Harness::Header("a", "A"), &peer).ok());
  EXPECT_EQ(h.Push(Harness::Header("b", "B"), &peer).status().code(),
            absl::StatusCode::kResourceExhausted);
  for (int i = 0; i < 7; ++i) {
    ASSERT_TRUE(h.Push(Harness::Header(absl::StrCat("q", i), "A"), &peer).ok()) << i;
  }
  EXPECT_EQ(h.Push(Harness::Header("one too many", "A"), &peer).status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(EngineCalls, ARejectedStreamTakesNoPlace) {
  HarnessSettings settings = Harness::Passthrough();
  settings.max_streams = 3;
  settings.max_avatars = 2;
  Harness h(settings);
  FakePeer peer;
  FakeSink sink;
  const auto push = [&](const std::string& stream_id) {
    wire::StreamHeader header = Harness::Header("r");
    header.ids.stream_id = stream_id;
    return h.Push(header, &peer).status();
  };
  ASSERT_TRUE(push("a").ok());
  ASSERT_TRUE(push("b").ok());
  const auto rejected = absl::StatusCode::kResourceExhausted;
  EXPECT_EQ(push("c").code(), rejected);
  EXPECT_EQ(h.engine->RegisterStream("d", "A", h.now).code(), rejected);
  CallContext context;
  context.ids.stream_id = "e";
  EXPECT_EQ(h.engine->OpenPull(context, {}, &sink, h.now).status().code(), rejected);
  EXPECT_EQ(h.parts.capacity->streams.used(), 2);
  EXPECT_EQ(h.engine->Streams().size(), 2u);
}

TEST(EngineCalls, AnAvatarThatNobodyUsesIsRemovedAfterAMinute) {
  Harness h;
  FakeSink sink;
  const auto pull = h.Pull(&sink);
  h.Run(1);
  h.engine->ClosePull(*pull, h.now);
  h.Run(58);
  EXPECT_EQ(h.engine->Streams().size(), 1u);
  h.Run(5);
  EXPECT_EQ(h.engine->Streams().size(), 0u);
  EXPECT_EQ(h.parts.capacity->streams.used(), 0);
  EXPECT_EQ(h.parts.capacity->avatars.used(), 0);
}

TEST(EngineCalls, ARegisteredStreamStaysUntilItIsRemoved) {
  Harness h;
  FakeSink sink;
  ASSERT_TRUE(h.engine->RegisterStream("stream", "A", h.now).ok());
  h.Run(100);
  ASSERT_EQ(h.engine->Streams().size(), 1u);
  ASSERT_TRUE(h.Pull(&sink).ok());
  h.Run(0.2);
  ASSERT_TRUE(h.engine->RemoveStream("stream", h.now).ok());
  EXPECT_EQ(sink.statuses().back().code(), nvidia_ace::status::v1::Status::SUCCESS);
  EXPECT_TRUE(sink.finished && sink.finished->ok());
  EXPECT_EQ(h.engine->Streams().size(), 0u);
}

TEST(EngineCalls, UsersWithoutAnAvatarAreForgottenToo) {
  Harness h;
  const auto set = [&](int i) {
    StreamUser user;
    user.name = absl::StrCat("user", i);
    return h.engine->control().SetUser("stream", user, h.now);
  };
  for (int i = 0; i < 16; ++i) ASSERT_TRUE(set(i).ok());
  EXPECT_EQ(set(16).code(), absl::StatusCode::kResourceExhausted);
  h.Run(1.5);
  ASSERT_TRUE(set(0).ok());  // still there
  h.Run(0.6);
  for (int i = 16; i < 31; ++i) EXPECT_TRUE(set(i).ok()) << i;
  EXPECT_FALSE(set(31).ok());
  // Nobody needs to ask.
  h.Run(3.5);
  EXPECT_EQ(h.engine->control().RemoveUser("stream", "user30").code(), absl::StatusCode::kNotFound);
}

TEST(EngineCalls, AUserStaysForAsLongAsWasSaid) {
  Harness h;
  const auto set = [&](const char* name, double hold_s) {
    StreamUser user;
    user.name = name;
    user.hold_s = hold_s;
    return h.engine->control().SetUser("stream", user, h.now);
  };
  for (double wrong_s : {0.0, -1.0, 3601.0, std::nan("")}) {
    EXPECT_EQ(set("x", wrong_s).code(), absl::StatusCode::kInvalidArgument) << wrong_s;
  }
  ASSERT_TRUE(set("long", 100).ok());
  ASSERT_TRUE(set("short", 5).ok());
  const auto remove = [&](const char* name) {
    return h.engine->control().RemoveUser("stream", name).code();
  };
  h.Run(4);
  ASSERT_TRUE(set("again", 2).ok());
  ASSERT_TRUE(set("again", 100).ok());
  h.Run(2);
  EXPECT_EQ(remove("short"), absl::StatusCode::kNotFound);
  // Longer than a stream stays that nobody uses.
  h.Run(80);
  EXPECT_EQ(remove("again"), absl::StatusCode::kOk);
  h.Run(20);
  EXPECT_EQ(remove("long"), absl::StatusCode::kNotFound);
}

TEST(EngineCalls, ADrainTellsEveryCall) {
  Harness h;
  FakeSink sink;
  FakePeer peer;
  ASSERT_TRUE(h.Pull(&sink).ok());
  ASSERT_TRUE(h.Push(Harness::Header("r"), &peer).ok());
  h.engine->Drain(h.now);
  EXPECT_EQ(sink.statuses().back().code(), nvidia_ace::status::v1::Status::INFO);
  EXPECT_EQ(sink.finished->code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(peer.finished->status.code(), absl::StatusCode::kUnavailable);
}

// Such a pull has no avatar yet, and so has had no header.
TEST(EngineCalls, APullThatWaitsForItsRequestGetsAHeaderBeforeItsLastStatus) {
  Harness h;
  FakeSink removed, drained;
  ASSERT_TRUE(h.Pull(&removed, "unknown").ok());
  EXPECT_TRUE(removed.messages.empty());
  ASSERT_TRUE(h.engine->RemoveStream("stream", h.now).ok());
  ASSERT_TRUE(h.Pull(&drained, "unknown", "", "ace_biped").ok());
  h.engine->Drain(h.now);
  for (const FakeSink* sink : {&removed, &drained}) {
    ASSERT_EQ(sink->messages.size(), 2u);
    EXPECT_EQ(sink->header().animation_ids().request_id(), "unknown");
    EXPECT_EQ(sink->header().start_time_code_since_epoch(), h.now.unix_s);
    EXPECT_TRUE(sink->messages[1].has_status());
  }
  EXPECT_EQ(removed.header().skel_animation_header().joints_size(), 94);
  EXPECT_EQ(drained.header().skel_animation_header().joints_size(), 78);
  EXPECT_TRUE(removed.finished && removed.finished->ok());
  EXPECT_EQ(drained.finished->code(), absl::StatusCode::kUnavailable);
}

TEST(EngineCalls, APullMayChooseItsRig) {
  Harness h;
  FakeSink sink, unknown;
  ASSERT_TRUE(h.Pull(&sink, "", "", "ace_biped").ok());
  h.Run(0.2);
  EXPECT_EQ(sink.header().skel_animation_header().joints_size(), 78);
  EXPECT_EQ(sink.data().at(0).skel_animation().rotations(0).values_size(), 78);
  EXPECT_EQ(h.Pull(&unknown, "", "", "nonsense").status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(EngineCalls, ATooSlowPullIsEndedAndOthersGoOn) {
  Harness h;
  FakeSink slow, other;
  ASSERT_TRUE(h.Pull(&slow).ok());
  ASSERT_TRUE(h.Pull(&other).ok());
  h.Run(0.5);
  slow.full = true;
  h.Run(0.5);
  ASSERT_TRUE(slow.finished);
  EXPECT_EQ(slow.finished->code(), absl::StatusCode::kResourceExhausted);
  EXPECT_GE(other.data().size(), 29u);
  EXPECT_EQ(h.engine->pulls(), 1);
  EXPECT_EQ(h.engine->counters().slow_pulls, 1);
  EXPECT_EQ(h.engine->counters().pulls, 2);
}

}  // namespace
}  // namespace posewire::anim_graph
