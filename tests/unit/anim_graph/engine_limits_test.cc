// Every budget of docs/configuration.md that the engine keeps, at its edge.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "libs/stream/busy.h"
#include "libs/wire/memory_of.h"
#include "tests/unit/anim_graph/engine_harness.h"

namespace posewire::anim_graph {
namespace {

wire::DataChunk Metadata(int entries, size_t bytes) {
  wire::DataChunk chunk;
  for (int i = 0; i < entries; ++i) {
    chunk.metadata.push_back({std::string(1, static_cast<char>('a' + i)), std::string(bytes, 'x')});
  }
  return chunk;
}

wire::StreamHeader HeaderOf(int number) {
  wire::StreamHeader header = Harness::Header(absl::StrCat("r", number));
  header.source_service_id = absl::StrCat("source", number);
  return header;
}

// A push of a stream of its own.
wire::StreamHeader Elsewhere(const std::string& stream) {
  wire::StreamHeader header = Harness::Header("r");
  header.ids.stream_id = stream;
  return header;
}

class EngineLimits : public ::testing::Test {
 protected:
  void Start(const HarnessSettings& settings = Harness::Passthrough()) {
    h = std::make_unique<Harness>(settings);
  }
  const Capacity& capacity() const { return *h->parts.capacity; }
  // An avatar that the sink pulls and the peer pushes to; gives the push's number.
  absl::StatusOr<uint64_t> StartWith(FakeSink* sink) {
    Start();
    if (const auto pull = h->Pull(sink); !pull.ok()) return pull.status();
    const auto push = h->Push(Harness::Header("r"), &peer);
    if (!push.ok()) return push.status();
    return push->call;
  }
  // Offers it until the engine wants no more; gives how often it was taken.
  int Flood(uint64_t push, const wire::DataChunk& chunk, int most = 1'000'000) {
    int taken = 1;
    while (taken < most && h->engine->Offer(push, chunk, h->now)) ++taken;
    return taken;
  }
  std::unique_ptr<Harness> h;
  FakePeer peer;
};

TEST_F(EngineLimits, SmallMetadataCountsWithWhatItTakes) {
  Start();
  const auto push = h->Push(Harness::Header("r"), &peer);
  ASSERT_TRUE(push.ok());
  const wire::DataChunk chunk = Metadata(32, 0);
  const auto most = static_cast<int>(h->parts.settings->buffer_bytes / wire::MemoryOf(chunk));
  EXPECT_GE(wire::MemoryOf(chunk), 32 * sizeof(wire::MetadataEntry));
  const int taken = Flood(push->call, chunk);
  EXPECT_LE(taken, most + 1);
  EXPECT_GT(taken, most / 2);
  EXPECT_GE(capacity().buffered.used(), static_cast<int64_t>(taken) * 32 * 64);
  EXPECT_FALSE(peer.finished) << "it is read slower, and not refused";
}

TEST_F(EngineLimits, MetadataThatIsDueAtOnceGoesOutOverSomeTicks) {
  FakeSink sink;
  const auto call = StartWith(&sink);
  ASSERT_TRUE(call.ok()) << call.status();
  for (int i = 0; i < 1000; ++i) {
    wire::DataChunk chunk;
    chunk.metadata.push_back({absl::StrCat("key", i), ""});
    h->engine->Offer(*call, chunk, h->now);
  }
  h->engine->EndPush(*call, PushEnd::kHalfClosed, h->now);
  h->Run(2);
  int entries = 0, ticks = 0;
  for (const pb::AnimationData& data : sink.data()) {
    entries += data.metadata_size();
    ticks += data.metadata_size() > 0;
    EXPECT_LE(data.metadata_size(), 64);
  }
  EXPECT_EQ(entries, 1000);
  EXPECT_EQ(ticks, 16);
}

TEST_F(EngineLimits, EmptyEntriesCount) {
  Start();
  const auto push = h->Push(Harness::Header("r"), &peer);
  ASSERT_TRUE(push.ok());
  wire::DataChunk chunk;
  chunk.metadata.emplace_back();
  EXPECT_LT(Flood(push->call, chunk), 200'000);
}

TEST_F(EngineLimits, NamesOfAHeaderCountAndAreBounded) {
  Start();
  wire::StreamHeader header = Harness::Header("long");
  for (int i = 0; i < 500; ++i) header.joints.push_back(absl::StrCat(std::string(1000, 'j'), i));
  ASSERT_TRUE(h->Push(header, &peer).ok());
  EXPECT_GT(capacity().buffered.used(), 500 * 1000);
  header.ids.request_id = "longer";
  for (std::string& joint : header.joints) joint += std::string(4000, 'x');
  FakePeer other;
  const absl::Status rejected = h->Push(header, &other).status();
  EXPECT_TRUE(absl::IsResourceExhausted(rejected));
  EXPECT_FALSE(stream::IsBusy(rejected)) << "no later attempt mends it";
  EXPECT_TRUE(absl::StrContains(rejected.message(), "at most 2097152")) << rejected;
}

TEST_F(EngineLimits, RequestsOfAnAvatar) {
  Start();
  std::vector<std::unique_ptr<FakePeer>> peers;
  int taken = 0;
  absl::Status rejected;
  for (int i = 0; i < 2000; ++i) {
    auto push = h->Push(HeaderOf(i), peers.emplace_back(std::make_unique<FakePeer>()).get());
    taken += push.ok();
    if (!push.ok()) rejected = push.status();
  }
  EXPECT_EQ(taken, 32);
  EXPECT_EQ(rejected, stream::BusyError("32 requests play or wait on target_object_id \"\", and "
                                        "--max-requests-per-avatar allows 32; try again in 5 s"));
  EXPECT_EQ(capacity().avatar_requests.rejections(), 2000 - 32);
}

TEST_F(EngineLimits, PullsOfAStreamAndOfTheProcess) {
  HarnessSettings settings = Harness::Passthrough();
  settings.max_stream_pulls = 3;
  settings.max_pulls = 4;
  Start(settings);
  std::vector<FakeSink> sinks(8);
  std::vector<uint64_t> pulls;
  for (size_t i = 0; i < 3; ++i) {
    const auto pull = h->Pull(&sinks[i], i == 2 ? "a request that waits" : "");
    ASSERT_TRUE(pull.ok());
    pulls.push_back(*pull);
  }
  EXPECT_EQ(h->Pull(&sinks[3]).status(),
            stream::BusyError("3 pulls are open of stream_id \"stream\", and "
                              "--max-pulls-per-stream allows 3; try again in 5 s"));
  const auto elsewhere = [&](size_t sink, const std::string& stream) {
    return h->engine->OpenPull(h->Context({"", stream, ""}), {}, &sinks[sink], h->now);
  };
  EXPECT_TRUE(elsewhere(4, "b").ok());
  EXPECT_EQ(elsewhere(5, "c").status(),
            stream::BusyError("4 pulls are open, and --max-pulls allows 4; try again in 5 s"));
  for (const uint64_t pull : pulls) h->engine->ClosePull(pull, h->now);
  EXPECT_EQ(capacity().pulls.used(), 1);
  EXPECT_TRUE(h->Pull(&sinks[6]).ok()) << "whoever goes makes room";
}

class FullBuffers : public EngineLimits {
 protected:
  void SetUp() override {
    HarnessSettings settings = Harness::Passthrough();
    settings.max_buffered_bytes = 4 << 20;
    Start(settings);
    const auto push = h->Push(Elsewhere("greedy"), &greedy);
    ASSERT_TRUE(push.ok());
    Flood(push->call, Metadata(1, 60'000));
    ASSERT_TRUE(capacity().buffered.full());
    ASSERT_LT(capacity().buffered.used(), 5 << 20) << "before its own 8 MiB are reached";
  }
  FakePeer greedy;
};

TEST_F(FullBuffers, NewRequestsAreRejectedAndAskedToComeAgain) {
  const absl::Status rejected = h->Push(Elsewhere("new"), &peer).status();
  EXPECT_TRUE(stream::IsBusy(rejected)) << rejected;
  EXPECT_TRUE(absl::StrContains(rejected.message(),
                                "4 MiB of requests are buffered, and "
                                "--max-buffered-mib allows 4; try again in 5 s"))
      << rejected;
}

TEST(EngineFullBuffers, WhoPlaysAlreadyPlaysOn) {
  HarnessSettings settings = Harness::Passthrough();
  settings.max_buffered_bytes = 4 << 20;
  Harness h(settings);
  FakePeer peer, greedy;
  FakeSink sink;
  ASSERT_TRUE(h.Pull(&sink).ok());
  const auto push = h.Push(Harness::Header("r"), &peer);
  ASSERT_TRUE(push.ok());
  const auto other = h.Push(Elsewhere("greedy"), &greedy);
  ASSERT_TRUE(other.ok());
  while (h.engine->Offer(other->call, Metadata(1, 60'000), h.now)) {
  }
  ASSERT_TRUE(h.parts.capacity->buffered.full());
  // A frame at a time, as it is played.
  for (int64_t k = 0; k < 300; ++k) {
    ASSERT_TRUE(h.engine->Offer(push->call, Harness::Keys(k, k + 1), h.now)) << k;
    if (k > 9) h.Run(1.0 / 30);
  }
  h.engine->EndPush(push->call, PushEnd::kHalfClosed, h.now);
  h.Run(2);
  const std::vector<int16_t> heard = sink.audio();
  const auto first = std::find(heard.begin(), heard.end(), Harness::SampleAt(0));
  ASSERT_GE(heard.end() - first, 160000);
  for (int64_t n = 0; n < 160000; ++n) ASSERT_EQ(first[n], Harness::SampleAt(n)) << n;
}

TEST(EngineFullBuffers, AMessageThatIsTooLargeEndsItsPushWhichMayBeResumed) {
  HarnessSettings settings = Harness::Passthrough();
  settings.max_buffered_bytes = 4 << 20;
  Harness h(settings);
  FakePeer peer, greedy;
  const auto push = h.Push(Harness::Header("r"), &peer);
  const auto other = h.Push(Elsewhere("greedy"), &greedy);
  ASSERT_TRUE(push.ok() && other.ok());
  ASSERT_TRUE(h.engine->Offer(push->call, Harness::Keys(0, 10), h.now));
  while (h.engine->Offer(other->call, Metadata(1, 60'000), h.now)) {
  }
  const int64_t before = h.parts.capacity->buffered.used();
  EXPECT_FALSE(h.engine->Offer(push->call, Metadata(1, 4 << 20), h.now));
  ASSERT_TRUE(peer.finished);
  EXPECT_TRUE(stream::IsBusy(peer.finished->status)) << peer.finished->status;
  EXPECT_EQ(h.parts.capacity->buffered.used(), before) << "nothing of it was kept";
  PushCallOptions resume;
  resume.resume = true;
  FakePeer again;
  EXPECT_TRUE(h.Push(Harness::Header("r"), &again, resume).ok());
}

TEST_F(EngineLimits, AllIsGivenBack) {
  FakeSink sink;
  const auto call = StartWith(&sink);
  ASSERT_TRUE(call.ok()) << call.status();
  h->engine->Offer(*call, Harness::Keys(0, 60), h->now);
  h->Run(0.5);
  EXPECT_GT(capacity().buffered.used(), 10'000);
  ASSERT_TRUE(h->engine->RemoveStream("stream", h->now).ok());
  for (const stream::Budget* budget : {&capacity().streams, &capacity().avatars, &capacity().pulls,
                                       &capacity().buffered, &capacity().remembered}) {
    EXPECT_EQ(budget->used(), 0) << std::string(budget->names().name);
  }
  h->engine = nullptr;
  EXPECT_EQ(capacity().frames.used(), 0);
}

TEST_F(EngineLimits, MemoryOfPlayedDataIsReleasedDuringARequest) {
  FakeSink sink;
  const auto call = StartWith(&sink);
  ASSERT_TRUE(call.ok()) << call.status();
  h->engine->Offer(*call, Harness::Keys(0, 60), h->now);
  const int64_t before = capacity().buffered.used();
  h->Run(4);
  EXPECT_LT(capacity().buffered.used(), before - 50'000);
}

TEST_F(EngineLimits, LargeFramesAreNotKept) {
  FakeSink sink;
  sink.keep_parsed = false;
  const auto call = StartWith(&sink);
  ASSERT_TRUE(call.ok()) << call.status();
  for (int k = 0; k < 30; ++k) {
    wire::DataChunk chunk = Harness::Keys(k, k + 1);
    chunk.metadata = Metadata(1, 200'000).metadata;
    h->engine->Offer(*call, chunk, h->now);
    h->Run(1.0 / 30);
    sink.raw.clear();
  }
  h->Run(1);
  EXPECT_LT(capacity().frames.used(), 128 << 10);
}

TEST_F(EngineLimits, NoPullIsOpenedWhileTooManyFramesWait) {
  HarnessSettings settings = Harness::Passthrough();
  settings.max_frame_bytes = 1000;  // a frame has more
  Start(settings);
  FakeSink sink, other;
  ASSERT_TRUE(h->Pull(&sink).ok());
  h->Run(0.1);
  const absl::Status rejected = h->Pull(&other).status();
  EXPECT_TRUE(stream::IsBusy(rejected));
  EXPECT_TRUE(absl::StrContains(rejected.message(), "--max-frames-mib")) << rejected;
  EXPECT_FALSE(sink.finished);
}

TEST_F(EngineLimits, OverTheBudgetEachStreamRemembersItsLastSixteen) {
  HarnessSettings settings = Harness::Passthrough();
  settings.max_remembered = 100;
  Start(settings);
  for (int k = 0; k < 40; ++k) {
    for (int s = 0; s < 10; ++s) {
      wire::StreamHeader header = Elsewhere(absl::StrCat("s", s));
      header.ids.request_id = absl::StrCat("r", k);
      FakePeer once;
      const auto push = h->Push(header, &once);
      ASSERT_TRUE(push.ok()) << push.status();
      ASSERT_TRUE(h->engine->StopRequest(header.ids.stream_id, header.ids.request_id, h->now).ok());
    }
    h->Run(0.04);
  }
  EXPECT_LE(capacity().remembered.used(), 160);
  FakeSink sink;
  ASSERT_TRUE(h->engine->OpenPull(h->Context({"r39", "s0", ""}), {}, &sink, h->now).ok());
  EXPECT_TRUE(sink.finished) << "the newest are remembered";
}

}  // namespace
}  // namespace posewire::anim_graph
