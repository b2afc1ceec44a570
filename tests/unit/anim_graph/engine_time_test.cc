// The timeline: prebuffers, stalls, live sources, silence, back-pressure and holes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "tests/unit/anim_graph/engine_harness.h"

namespace posewire::anim_graph {
namespace {

using ::testing::HasSubstr;

int SpokenTicks(const FakeSink& sink) {
  int n = 0;
  for (const auto& d : sink.data()) {
    const std::string& b = d.audio().audio_buffer();
    n += std::any_of(b.begin(), b.end(), [](char c) { return c != 0; });
  }
  return n;
}

TEST(EngineTime, ARequestStartsWhenItsPrebufferIsFilled) {
  Harness h;
  FakeSink sink;
  FakePeer peer;
  ASSERT_TRUE(h.Pull(&sink).ok());
  const auto push = h.Push(Harness::Header("r"), &peer);
  h.engine->Offer(push->call, Harness::Keys(0, 2), h.now);
  h.Run(0.3);
  EXPECT_EQ(SpokenTicks(sink), 0);
  h.engine->Offer(push->call, Harness::Keys(2, 10), h.now);
  h.Run(0.2);
  EXPECT_GT(SpokenTicks(sink), 3);
}

TEST(EngineTime, ARequestStartsHalfASecondAfterItsFirstDataAtTheLatest) {
  Harness h;
  FakeSink sink;
  FakePeer peer;
  ASSERT_TRUE(h.Pull(&sink).ok());
  const auto push = h.Push(Harness::Header("r"), &peer);
  h.engine->Offer(push->call, Harness::Keys(0, 2), h.now);
  h.Run(0.45);
  EXPECT_EQ(SpokenTicks(sink), 0);
  h.Run(0.15);
  EXPECT_GT(SpokenTicks(sink), 0);
}

TEST(EngineTime, AStallRequestWaitsForTheFirstPullAtMostTwoSeconds) {
  Harness h;
  FakePeer peer;
  const auto push = h.Push(Harness::Header("r"), &peer);
  h.engine->Offer(push->call, Harness::Keys(0, 60), h.now);
  h.Run(1.9);
  EXPECT_EQ(h.engine->Streams()[0].avatars[0].requests[0].state, PlayState::kQueued);
  h.Run(0.2);
  EXPECT_EQ(h.engine->Streams()[0].avatars[0].requests[0].state, PlayState::kPlaying);
}

TEST(EngineTime, AStallHoldsTheRequestAndLosesNoWord) {
  Harness h;
  FakeSink sink;
  FakePeer peer;
  ASSERT_TRUE(h.Pull(&sink).ok());
  const auto push = h.Push(Harness::Header("r"), &peer);
  h.engine->Offer(push->call, Harness::Keys(0, 20), h.now);
  h.Run(2);
  EXPECT_EQ(h.engine->Streams()[0].avatars[0].requests[0].state, PlayState::kStarved);
  h.engine->Offer(push->call, Harness::Keys(20, 22), h.now);  // less than the prebuffer
  h.Run(0.2);
  EXPECT_EQ(h.engine->Streams()[0].avatars[0].requests[0].state, PlayState::kStarved);
  h.engine->Offer(push->call, Harness::Keys(22, 40), h.now);
  h.engine->EndPush(push->call, PushEnd::kHalfClosed, h.now);
  h.Run(2);
  // The voice without its silences is the whole voice.
  std::vector<int16_t> voice;
  for (const auto& d : sink.data()) {
    std::vector<int16_t> tick(d.audio().audio_buffer().size() / 2);
    std::memcpy(tick.data(), d.audio().audio_buffer().data(), tick.size() * 2);
    if (std::any_of(tick.begin(), tick.end(), [](int16_t s) { return s != 0; })) {
      voice.insert(voice.end(), tick.begin(), tick.end());
    }
  }
  const size_t total = 40 * 16000 / 30;
  ASSERT_GE(voice.size(), total);
  for (size_t n = 0; n < total; ++n)
    ASSERT_EQ(voice[n], Harness::SampleAt(static_cast<int64_t>(n)));
}

TEST(EngineTime, AfterAStatusStarvationCountsAsTheEnd) {
  Harness h;
  FakeSink sink;
  FakePeer peer;
  ASSERT_TRUE(h.Pull(&sink, "r").ok());
  const auto push = h.Push(Harness::Header("r"), &peer);
  h.engine->Offer(push->call, Harness::Keys(0, 20), h.now);
  h.engine->OfferStatus(push->call, {wire::StatusChunk::kSuccess, "done"}, h.now);
  h.Run(3);
  ASSERT_TRUE(sink.finished);
  EXPECT_EQ(sink.statuses().back().code(), nvidia_ace::status::v1::Status::SUCCESS);
}

TEST(EngineTime, AStatusWithDataBehindItEndsNothing) {
  Harness h;
  FakeSink sink;
  FakePeer peer;
  ASSERT_TRUE(h.Pull(&sink, "r").ok());
  const auto push = h.Push(Harness::Header("r"), &peer);
  h.engine->OfferStatus(push->call, {wire::StatusChunk::kInfo, "in between"}, h.now);
  h.engine->Offer(push->call, Harness::Keys(0, 20), h.now);
  h.Run(3);
  EXPECT_FALSE(sink.finished) << "starved, not over";
  h.engine->Offer(push->call, Harness::Keys(20, 40), h.now);
  h.engine->EndPush(push->call, PushEnd::kHalfClosed, h.now);
  h.Run(3);
  ASSERT_TRUE(sink.finished);
  EXPECT_EQ(sink.statuses().back().code(), nvidia_ace::status::v1::Status::SUCCESS);
}

TEST(EngineTime, ASilentSourceIsHeldAndGivenUpAfterThirtySeconds) {
  Harness h;
  FakeSink sink;
  FakePeer peer;
  ASSERT_TRUE(h.Pull(&sink, "r").ok());
  const auto push = h.Push(Harness::Header("r"), &peer);
  h.engine->Offer(push->call, Harness::Keys(0, 20), h.now);
  h.Run(29);
  EXPECT_FALSE(peer.finished);
  h.Run(2);
  ASSERT_TRUE(peer.finished);
  EXPECT_EQ(peer.finished->status.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_TRUE(sink.finished);
}

TEST(EngineTime, TheSilenceTimerRestsWhileTheSourceIsNotRead) {
  HarnessSettings settings = Harness::Passthrough();
  settings.buffer_s = 60;
  Harness h(settings);
  FakeSink sink;
  FakePeer peer;
  ASSERT_TRUE(h.Pull(&sink).ok());
  const auto push = h.Push(Harness::Header("r"), &peer);
  EXPECT_FALSE(h.engine->Offer(push->call, Harness::Keys(0, 100 * 30), h.now));
  h.Run(39);
  EXPECT_FALSE(peer.finished);
  EXPECT_EQ(peer.read_on, 0);
  h.Run(2);
  EXPECT_EQ(peer.read_on, 1);
  h.Run(31);
  EXPECT_TRUE(peer.finished);
}

TEST(EngineTime, AQueuedSourceIsNotTimed) {
  Harness h;
  FakeSink sink;
  FakePeer first, second;
  ASSERT_TRUE(h.Pull(&sink).ok());
  const auto a = h.Push(Harness::Header("a"), &first);
  const auto b = h.Push(Harness::Header("b"), &second);
  h.engine->Offer(a->call, Harness::Keys(0, 60 * 30), h.now);
  h.engine->EndPush(a->call, PushEnd::kHalfClosed, h.now);
  h.engine->Offer(b->call, Harness::Keys(0, 3), h.now);
  h.Run(59);
  EXPECT_FALSE(second.finished);
  h.Run(35);
  EXPECT_TRUE(second.finished);
}

TEST(EngineTime, AFloodIsReadNoFasterThanItPlays) {
  Harness h;
  FakeSink sink;
  FakePeer peer;
  ASSERT_TRUE(h.Pull(&sink).ok());
  const auto push = h.Push(Harness::Header("r"), &peer);
  int64_t sent = 0;
  while (h.engine->Offer(push->call, Harness::Keys(sent, sent + 30), h.now)) sent += 30;
  EXPECT_NEAR(static_cast<double>(sent) / 30, 30, 1.1);
  h.Run(2);
  EXPECT_EQ(peer.read_on, 1);
  EXPECT_FALSE(peer.finished);
}

TEST(EngineTime, MissedTicksLosePoseOnly) {
  Harness h;
  FakeSink sink;
  FakePeer peer;
  ASSERT_TRUE(h.Pull(&sink, "r").ok());
  const auto push = h.Push(Harness::Header("r"), &peer);
  h.engine->Offer(push->call, Harness::Keys(0, 90), h.now);
  h.engine->EndPush(push->call, PushEnd::kHalfClosed, h.now);
  h.Run(0.5);
  h.Freeze(0.7);
  h.Run(4);
  const auto audio = sink.audio();
  ASSERT_GE(audio.size(), 48000u);
  for (int64_t n = 0; n < 48000; ++n)
    ASSERT_EQ(audio[static_cast<size_t>(n)], Harness::SampleAt(n));
  EXPECT_LT(sink.data().size(), 85u);
}

TEST(EngineTime, AWindowGetsTheSoundOfMissedTicksInWhichItEnds) {
  for (const double frozen_from_s : {2.5, 2.8, 3.0, 3.2}) {
    Harness h;
    FakeSink window, all;
    FakePeer peer;
    ASSERT_TRUE(h.Pull(&window, "r").ok());
    ASSERT_TRUE(h.Pull(&all).ok());
    const auto push = h.Push(Harness::Header("r"), &peer);
    h.engine->Offer(push->call, Harness::Keys(0, 90), h.now);
    h.engine->EndPush(push->call, PushEnd::kHalfClosed, h.now);
    h.Run(frozen_from_s);
    ASSERT_FALSE(window.finished);
    h.Freeze(0.95);
    h.Run(1);
    ASSERT_TRUE(window.finished);
    const auto audio = window.audio();
    ASSERT_GE(audio.size(), 48000u) << "frozen from " << frozen_from_s;
    for (int64_t n = 0; n < 48000; ++n)
      ASSERT_EQ(audio[static_cast<size_t>(n)], Harness::SampleAt(n));
    double last_s = -1;
    for (const auto& data : all.data()) {  // other pulls get no frame twice
      EXPECT_GT(data.skel_animation().rotations(0).time_code(), last_s);
      last_s = data.skel_animation().rotations(0).time_code();
    }
  }
}

TEST(EngineTime, AvatarsMadeAtOnceAreSpreadOverTheSlots) {
  Harness h;
  constexpr size_t kAvatars = 80;
  std::vector<FakeSink> sinks(kAvatars);
  std::map<double, int> by_epoch;
  for (size_t i = 0; i < kAvatars; ++i) {
    ASSERT_TRUE(h.Pull(&sinks[i], "", absl::StrCat("a", i)).ok());
    ++by_epoch[sinks[i].header().start_time_code_since_epoch()];
  }
  EXPECT_EQ(by_epoch.size(), 16u);
  EXPECT_LE(by_epoch.rbegin()->first - by_epoch.begin()->first, 1.0 / 30);
  for (const auto& [epoch, avatars] : by_epoch) EXPECT_EQ(avatars, 80 / 16) << epoch;
  h.Run(1);
  for (const FakeSink& sink : sinks) EXPECT_NEAR(static_cast<double>(sink.data().size()), 30, 1);
}

// A thread that has time for two frames in three: all avatars lose alike, and nobody a sample.
TEST(EngineTime, OverloadTakesPosesFromAllAlikeAndNoSample) {
  Harness h;
  constexpr size_t kAvatars = 32;
  std::vector<FakeSink> sinks(kAvatars);
  std::vector<FakePeer> peers(kAvatars);
  for (size_t i = 0; i < kAvatars; ++i) {
    const std::string target = absl::StrCat("a", i);
    ASSERT_TRUE(h.Pull(&sinks[i], target, target).ok());
    const auto push = h.Push(Harness::Header(target, target), &peers[i]);
    h.engine->Offer(push->call, Harness::Keys(0, 90), h.now);
    h.engine->EndPush(push->call, PushEnd::kHalfClosed, h.now);
  }
  const EngineCounters before = h.engine->counters();
  while (h.now.ns < 6'000'000'000) {
    h.engine->Advance(h.now);
    h.Freeze(0.05);
  }
  size_t least = 1000, most = 0;
  for (const FakeSink& sink : sinks) {
    const auto audio = sink.audio();
    ASSERT_GE(audio.size(), 48000u);
    for (int64_t n = 0; n < 48000; ++n) {
      ASSERT_EQ(audio[static_cast<size_t>(n)], Harness::SampleAt(n));
    }
    least = std::min(least, sink.data().size());
    most = std::max(most, sink.data().size());
  }
  EXPECT_LE(most - least, 2u);
  EXPECT_NEAR(static_cast<double>(most), 3.3 * 20, 5);
  const EngineCounters after = h.engine->counters();
  // 100 steps of 1.5 ticks each, of which one is shown.
  EXPECT_NEAR(static_cast<double>(after.missed_ticks - before.missed_ticks), 50 * kAvatars,
              3 * kAvatars);
  EXPECT_NEAR(static_cast<double>(after.ticks - before.ticks), 100 * kAvatars, 3 * kAvatars);
  EXPECT_GT(after.late_slots, 1000);
  // Within steps of 50 ms no slot is later than that, and most are later than 10 ms.
  const auto& late = after.lateness.counts;
  EXPECT_EQ(late[9] + late[10] + late[11], 0);
  EXPECT_GT(late[7] + late[8], 1000);
  EXPECT_EQ(after.messages, static_cast<int64_t>(kAvatars));
  int64_t frames = 0;
  for (const FakeSink& sink : sinks) frames += static_cast<int64_t>(sink.data().size());
  EXPECT_EQ(after.frames, frames);
}

TEST(EngineTime, AHoleIsJumpedWithOneWarningAndNoBurst) {
  Harness h;
  FakeSink sink;
  FakePeer peer;
  ASSERT_TRUE(h.Pull(&sink, "r").ok());
  const auto push = h.Push(Harness::Header("r"), &peer);
  h.engine->Offer(push->call, Harness::Keys(0, 60), h.now);
  h.Run(1);
  const size_t before = sink.data().size();
  h.Freeze(40);
  h.Run(0.1);
  EXPECT_LE(sink.data().size(), before + 4);
  EXPECT_FALSE(peer.finished);  // time-outs stood still
  h.engine->EndPush(push->call, PushEnd::kHalfClosed, h.now);
  h.Run(3);
  int warnings = 0;
  for (const auto& s : sink.statuses())
    warnings += s.code() == nvidia_ace::status::v1::Status::WARNING;
  EXPECT_EQ(warnings, 1);
  const auto audio = sink.audio();
  for (int64_t n = 0; n < 32000; ++n)
    ASSERT_EQ(audio[static_cast<size_t>(n)], Harness::SampleAt(n));
  double last = -1, jump = 0;
  for (const auto& d : sink.data()) {
    const double code = d.skel_animation().rotations(0).time_code();
    EXPECT_GT(code, last);
    if (last >= 0) jump = std::max(jump, code - last);
    last = code;
    EXPECT_NEAR(d.audio().time_code(), code, 1e-4);
  }
  EXPECT_NEAR(jump, 40, 0.1);
}

TEST(EngineTime, AStepOfTheWallClockHasNoEffect) {
  Harness h;
  FakeSink sink;
  ASSERT_TRUE(h.Pull(&sink).ok());
  h.Run(0.5);
  h.now.unix_s += 3600;
  h.Run(0.5);
  h.now.unix_s -= 7200;
  h.Run(0.5);
  const auto data = sink.data();
  EXPECT_NEAR(static_cast<double>(data.size()), 45, 1);
  for (size_t k = 0; k < data.size(); ++k) {
    EXPECT_EQ(data[k].skel_animation().rotations(0).time_code(), static_cast<double>(k) / 30);
  }
}

TEST(EngineTime, ALiveSourceShowsItsNewestKeyAndDropsWhatIsOlder) {
  Harness h;
  FakeSink sink;
  FakePeer peer;
  PushCallOptions live;
  live.mode = Mode::kLive;
  ASSERT_TRUE(h.Pull(&sink).ok());
  auto header = Harness::Header("r");
  header.audio_rate_hz.reset();
  const auto push = h.Push(header, &peer, live);
  const auto jaw = [&] {
    const auto names = sink.header().skel_animation_header().blend_shapes();
    const auto it = std::find(names.begin(), names.end(), "jawOpen");
    return sink.data().back().skel_animation().blend_shape_weights(0).values(
        static_cast<int>(it - names.begin()));
  };
  for (int k = 0; k < 30; ++k) {
    h.engine->Offer(push->call, Harness::Keys(k, k + 1, 0), h.now);
    h.Run(1.0 / 30);
    if (k > 10) {
      EXPECT_NEAR(jaw(), Harness::JawAt(k / 30.0), 0.035) << k;
    }
  }
  // The network stands still for a second, then all of it comes at once: the newest is shown.
  h.Run(1);
  h.engine->Offer(push->call, Harness::Keys(30, 61, 0), h.now);
  h.Run(1.0 / 30);
  EXPECT_NEAR(jaw(), Harness::JawAt(2), 0.01);
}

TEST(EngineTime, ALiveVoiceKeepsItsSamplesThroughJitter) {
  Harness h;
  FakeSink sink;
  FakePeer peer;
  PushCallOptions live;
  live.mode = Mode::kLive;
  ASSERT_TRUE(h.Pull(&sink).ok());
  const auto push = h.Push(Harness::Header("r"), &peer, live);
  uint32_t seed = 7;
  for (int k = 0; k < 300; ++k) {
    h.engine->Offer(push->call, Harness::Keys(k, k + 1), h.now);
    // The next one comes up to 40 ms later than it was sent.
    seed = seed * 1664525u + 1013904223u;
    const double arrival_s = 1.0 + (k + 1) / 30.0 + (seed >> 16) % 40 / 1000.0;
    h.Run(std::max(0.0, arrival_s - static_cast<double>(h.now.ns) * 1e-9));
  }
  h.engine->EndPush(push->call, PushEnd::kHalfClosed, h.now);
  h.Run(1);
  const auto audio = sink.audio();
  size_t at = 0;
  while (at < audio.size() && audio[at] != Harness::SampleAt(0)) ++at;
  int64_t matched = 0;
  while (at + static_cast<size_t>(matched) < audio.size() &&
         audio[at + static_cast<size_t>(matched)] == Harness::SampleAt(matched)) {
    ++matched;
  }
  EXPECT_EQ(matched, 300 * 16000 / 30);
}

TEST(EngineTime, AlignedRequestsOfTwoSourcesKeepTheDistanceOfTheirEpochs) {
  Harness h;
  FakeSink sink;
  FakePeer peers[2];
  ASSERT_TRUE(h.Pull(&sink).ok());
  PushCallOptions aligned;
  aligned.align_to_epoch = true;
  for (int i = 0; i < 2; ++i) {
    auto header = Harness::Header(i == 0 ? "a" : "b");
    header.source_service_id = i == 0 ? "one" : "two";
    header.epoch_s = 100 + 0.5 * i;
    const auto push = h.Push(header, &peers[i], aligned);
    h.engine->Offer(push->call, Harness::Keys(0, 60), h.now);
    h.engine->EndPush(push->call, PushEnd::kHalfClosed, h.now);
  }
  h.Run(1);
  std::vector<double> starts;
  for (const auto& s : sink.statuses()) {
    const size_t at = s.message().find("code ");
    if (at != std::string::npos) starts.push_back(std::stod(s.message().substr(at + 5)));
  }
  ASSERT_EQ(starts.size(), 2u);
  EXPECT_NEAR(starts[1] - starts[0], 0.5, 1e-6);
}

TEST(EngineTime, EarlierCodesThatComeLaterAreLate) {
  Harness h;
  FakeSink sink;
  FakePeer peer;
  ASSERT_TRUE(h.Pull(&sink).ok());
  auto header = Harness::Header("r");
  header.audio_rate_hz.reset();
  const auto push = h.Push(header, &peer);
  auto late = Harness::Keys(0, 30, 0);
  wire::DataChunk weights, rotations;
  weights.pose[wire::kWeights] = Harness::Keys(30, 60, 0).pose[wire::kWeights];
  weights.earliest_time_code_s = 1;
  h.engine->Offer(push->call, std::move(weights), h.now);
  h.Run(0.5);
  rotations.pose[wire::kRotations] = late.pose[wire::kRotations];
  rotations.earliest_time_code_s = 0;
  h.engine->Offer(push->call, std::move(rotations), h.now);
  const auto answer = h.engine->EndPush(push->call, PushEnd::kHalfClosed, h.now);
  EXPECT_THAT(answer.message, HasSubstr("30 late keys dropped"));
}

TEST(EngineTime, ANewGraphReachesAllAvatarsAFewAFrameAndCostsNobodyAFrame) {
  Harness h;
  constexpr size_t kAvatars = 40;
  std::vector<FakeSink> sinks(kAvatars);
  for (size_t i = 0; i < kAvatars; ++i) {
    ASSERT_TRUE(h.Pull(&sinks[i], "", absl::StrCat("a", i)).ok());
  }
  h.Run(0.5);
  const auto asset = graph::MakeBuiltinGraphAsset("passthrough", h.rig, nullptr).value();
  const auto others = asset.use_count();
  h.engine->SetGraphAsset(asset);
  std::vector<long> uses = {asset.use_count()};
  const size_t before = sinks[0].data().size();
  for (int frame = 0; frame < 10; ++frame) {
    h.Run(1.0 / 30);
    uses.push_back(asset.use_count());
  }
  // Each avatar's nodes hold the plan.
  const auto each = (uses.back() - uses.front()) / static_cast<long>(kAvatars);
  ASSERT_GE(each, 1) << others;
  EXPECT_EQ(uses.back() - uses.front(), each * static_cast<long>(kAvatars));
  for (size_t i = 1; i < uses.size(); ++i) EXPECT_LE(uses[i] - uses[i - 1], 8 * each + each) << i;
  for (const FakeSink& sink : sinks) {
    EXPECT_GE(sink.data().size(), before + 9);
    EXPECT_LE(sink.data().size(), before + 11);
  }
}

// A client that replaces the graph, or adds to it, may use what is new at once.
TEST(EngineTime, AVariableOfANewGraphIsSetWhenTheAvatarAdoptsIt) {
  Harness h;
  FakeSink sink;
  ASSERT_TRUE(h.Pull(&sink, "", "a").ok());
  h.Run(0.5);
  h.engine->SetGraphAsset(graph::MakeBuiltinGraphAsset("default", h.rig, nullptr).value());
  const auto set = h.engine->control().SetVariable("stream", "", "character", "woman", h.now);
  ASSERT_TRUE(set.ok()) << set.status();
  EXPECT_EQ(set->avatars, 1);
  h.Run(0.2);
  EXPECT_THAT(*h.engine->control().Variables("stream", "a"), ::testing::Contains("woman"));
}

}  // namespace
}  // namespace posewire::anim_graph
