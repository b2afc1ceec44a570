// A source that is lost in mid-sentence and comes back: the request rests, and no sample is lost or
// played twice (docs/adr/0039).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/unit/anim_graph/engine_harness.h"

namespace posewire::anim_graph {
namespace {

constexpr int64_t kRate_hz = 16000;

PushCallOptions Resuming() {
  PushCallOptions options;
  options.resume = true;
  return options;
}

// Sound that is never 0: what is 0 in what comes out is a pause.
int16_t LoudAt(int64_t n) { return static_cast<int16_t>(4000 + (n * 37) % 9001); }

// What lies between `first_s` and `last_s` of the sentence, cut at any sample.
wire::DataChunk Piece(double first_s, double last_s, int rate_hz) {
  const auto first = static_cast<int64_t>(std::ceil(first_s * 30 - 1e-9));
  const auto last = static_cast<int64_t>(std::ceil(last_s * 30 - 1e-9));
  wire::DataChunk c = Harness::Keys(first, last, 0);
  const auto begin = static_cast<int64_t>(std::llround(first_s * rate_hz));
  const auto end = static_cast<int64_t>(std::llround(last_s * rate_hz));
  wire::AudioBuffer audio;
  audio.time_code_s = static_cast<double>(begin) / rate_hz;
  for (int64_t n = begin; n < end; ++n) {
    const double t = static_cast<double>(n) / rate_hz;
    // What is to be converted is smooth, so that nothing of it becomes 0.
    const bool smooth = rate_hz != kRate_hz;
    audio.samples.push_back(smooth ? static_cast<int16_t>(9000 + 3000 * std::sin(700 * t))
                                   : LoudAt(n));
  }
  c.earliest_time_code_s = std::min(audio.time_code_s, static_cast<double>(first) / 30);
  c.audio = std::move(audio);
  return c;
}

std::vector<int16_t> Spoken(const FakeSink& sink) {
  std::vector<int16_t> out = sink.audio();
  out.erase(std::remove(out.begin(), out.end(), int16_t{0}), out.end());
  return out;
}

// A sentence of 4 s, sent 0.3 s ahead in pieces of 0.04 s, by a source that breaks off `breaks`
// times at random moments, each for up to 3 s. It goes on where it stopped, or begins up to 0.2 s
// before what the server says that it holds.
std::vector<int16_t> Say(int rate_hz, int breaks, uint64_t seed) {
  std::mt19937_64 rng(seed);
  const auto uniform = [&](double from, double to) {
    return std::uniform_real_distribution<double>(from, to)(rng);
  };
  constexpr double kSentence_s = 4;
  Harness h;
  FakeSink sink;
  std::vector<std::unique_ptr<FakePeer>> peers;
  const auto peer = [&] { return peers.emplace_back(std::make_unique<FakePeer>()).get(); };
  wire::StreamHeader header = Harness::Header("r");
  header.audio_rate_hz = rate_hz;
  EXPECT_TRUE(h.Pull(&sink, "r").ok());
  auto push = h.Push(header, peer());
  EXPECT_TRUE(push.ok()) << push.status();
  std::vector<double> moments;
  for (int i = 0; i < breaks; ++i) moments.push_back(uniform(0.4, 3.9));
  std::sort(moments.begin(), moments.end());
  size_t next_break = 0;
  double sent_s = 0, clock_s = 0;
  while (sent_s < kSentence_s) {
    // Any number of samples.
    const double to_s = std::min(kSentence_s, sent_s + 0.04 + uniform(-0.013, 0.013));
    h.engine->Offer(push->call, Piece(sent_s, to_s, rate_hz), h.now);
    sent_s = to_s;
    h.Run(std::max(0.0, sent_s - 0.3 - clock_s));
    clock_s = std::max(clock_s, sent_s - 0.3);
    if (next_break == moments.size() || sent_s < moments[next_break]) continue;
    ++next_break;
    h.engine->EndPush(push->call, PushEnd::kCancelled, h.now);
    h.Run(uniform(0.2, 3));
    push = h.Push(header, peer(), Resuming());
    EXPECT_TRUE(push.ok()) << push.status();
    if (!push.ok()) break;
    EXPECT_TRUE(push->received_until_s.has_value());
    const double received_until_s = push->received_until_s.value_or(-1);
    EXPECT_LE(received_until_s, sent_s + 1e-9);
    const bool overlaps = rng() % 2 == 0;
    if (overlaps)
      sent_s = std::max(0.0, std::min(received_until_s, sent_s - 0.003) - uniform(0, 0.2));
  }
  h.engine->EndPush(push->call, PushEnd::kHalfClosed, h.now);
  h.Run(9);
  EXPECT_EQ(sink.statuses().back().code(), nvidia_ace::status::v1::Status::SUCCESS);
  return Spoken(sink);
}

TEST(EngineResume, NoSampleIsLostOrPlayedTwiceWhereverTheSourceBreaksOff) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const std::vector<int16_t> said = Say(kRate_hz, 1 + static_cast<int>(seed % 3), seed);
    ASSERT_EQ(said.size(), 4u * kRate_hz) << "seed " << seed;
    for (size_t n = 0; n < said.size(); ++n) {
      ASSERT_EQ(said[n], LoudAt(static_cast<int64_t>(n))) << "sample " << n << ", seed " << seed;
    }
  }
}

TEST(EngineResume, AVoiceOfAnotherRateGoesOnWithoutAJoint) {
  for (const int rate_hz : {24000, 48000}) {
    const std::vector<int16_t> whole = Say(rate_hz, 0, 1);
    for (uint64_t seed = 0; seed < 10; ++seed) {
      EXPECT_EQ(Say(rate_hz, 2, seed), whole) << rate_hz << " Hz, seed " << seed;
    }
  }
}

struct LostRequest {
  explicit LostRequest(HarnessSettings settings = Harness::Passthrough()) : h(settings) {
    EXPECT_TRUE(h.Pull(&window, "r").ok());
    EXPECT_TRUE(h.Pull(&all).ok());
    push = h.Push(Harness::Header("r"), &peer)->call;
    h.engine->Offer(push, Harness::Keys(0, 15), h.now);
  }
  void Lose() { h.engine->EndPush(push, PushEnd::kCancelled, h.now); }
  size_t Frames() {
    h.Run(6);
    EXPECT_TRUE(window.finished.has_value());
    return window.data().size();
  }

  Harness h;
  FakeSink window, all;
  FakePeer peer, again;
  uint64_t push = 0;
};

TEST(EngineResume, AfterThreeSecondsARequestEndsAsLost) {
  LostRequest lost;
  lost.Lose();
  EXPECT_EQ(lost.Frames(), 15u + 3 + 90 + 9);  // played, held, rested, blended out
  EXPECT_EQ(lost.window.statuses().back().code(), nvidia_ace::status::v1::Status::ERROR);
  EXPECT_EQ(lost.h.Push(Harness::Header("r"), &lost.again, Resuming()).status().code(),
            absl::StatusCode::kAlreadyExists);
}

TEST(EngineResume, HowLongItRestsIsASetting) {
  HarnessSettings settings = Harness::Passthrough();
  settings.resume_s = 0.5;
  LostRequest lost(settings);
  lost.Lose();
  EXPECT_EQ(lost.Frames(), 15u + 3 + 15 + 9);
}

TEST(EngineResume, ASourceWithNoMoreToSayIsNotWaitedFor) {
  {
    LostRequest fault;
    fault.h.engine->EndPush(fault.push, PushEnd::kFault, fault.h.now,
                            absl::InvalidArgumentError("faulty"));
    EXPECT_EQ(fault.Frames(), 15u + 3 + 9);
  }
  {
    LostRequest said_so;
    said_so.h.engine->OfferStatus(said_so.push, {}, said_so.h.now);
    said_so.Lose();
    EXPECT_EQ(said_so.Frames(), 15u + 3 + 9);
  }
  {
    // A status in the midst is not the last word.
    LostRequest goes_on;
    goes_on.h.engine->OfferStatus(goes_on.push, {}, goes_on.h.now);
    goes_on.h.engine->Offer(goes_on.push, Harness::Keys(15, 20), goes_on.h.now);
    goes_on.Lose();
    EXPECT_EQ(goes_on.Frames(), 20u + 3 + 90 + 9);
  }
  {
    // Half a minute was enough.
    LostRequest silent;
    silent.h.Run(29);
    ASSERT_FALSE(silent.peer.finished);
    silent.h.Run(1.5);
    ASSERT_TRUE(silent.peer.finished);
    EXPECT_EQ(silent.peer.finished->status.code(), absl::StatusCode::kDeadlineExceeded);
    silent.h.Run(1);
    EXPECT_TRUE(silent.window.finished);
  }
}

TEST(EngineResume, InterruptAndStopEndTheRestAtOnce) {
  for (const bool interrupt : {false, true}) {
    LostRequest lost;
    lost.Lose();
    lost.h.Run(1.5);
    ASSERT_FALSE(lost.window.finished);
    if (interrupt) {
      PushCallOptions options;
      options.policy = Policy::kInterrupt;
      const auto next = lost.h.Push(Harness::Header("next"), &lost.again, options);
      ASSERT_TRUE(next.ok()) << next.status();
      lost.h.engine->Offer(next->call, Harness::Keys(0, 15), lost.h.now);
    } else {
      ASSERT_TRUE(lost.h.engine->StopRequest("stream", "r", lost.h.now).ok());
    }
    lost.h.Run(0.5);
    ASSERT_TRUE(lost.window.finished);
    EXPECT_EQ(lost.window.statuses().back().code(), nvidia_ace::status::v1::Status::INFO);
  }
}

TEST(EngineResume, TheNextRequestOfTheSourceWaitsAndThenPlaysWhole) {
  for (const bool comes_back : {false, true}) {
    LostRequest lost;
    const auto next = lost.h.Push(Harness::Header("next"), &lost.again);
    ASSERT_TRUE(next.ok());
    FakeSink window;
    ASSERT_TRUE(lost.h.Pull(&window, "next").ok());
    lost.h.engine->Offer(next->call, Harness::Keys(0, 30), lost.h.now);
    lost.h.engine->EndPush(next->call, PushEnd::kHalfClosed, lost.h.now);
    lost.Lose();
    lost.h.Run(2.5);
    EXPECT_TRUE(window.data().empty());
    if (comes_back) {
      FakePeer back;
      const auto again = lost.h.Push(Harness::Header("r"), &back, Resuming());
      ASSERT_TRUE(again.ok()) << again.status();
      lost.h.engine->Offer(again->call, Harness::Keys(15, 30), lost.h.now);
      lost.h.engine->EndPush(again->call, PushEnd::kHalfClosed, lost.h.now);
    }
    lost.h.Run(5);
    ASSERT_TRUE(window.finished);
    EXPECT_EQ(window.data().size(), 30u + 9);
    EXPECT_EQ(lost.window.statuses().back().code(), comes_back
                                                        ? nvidia_ace::status::v1::Status::SUCCESS
                                                        : nvidia_ace::status::v1::Status::ERROR);
  }
}

TEST(EngineResume, AnotherSourceDoesNotWait) {
  LostRequest lost;
  lost.Lose();
  lost.h.Run(1.5);
  wire::StreamHeader header = Harness::Header("other");
  header.source_service_id = "somebody else";
  const auto other = lost.h.Push(header, &lost.again);
  ASSERT_TRUE(other.ok());
  FakeSink window;
  ASSERT_TRUE(lost.h.Pull(&window, "other").ok());
  lost.h.engine->Offer(other->call, Harness::Keys(0, 15), lost.h.now);
  lost.h.Run(0.2);
  EXPECT_FALSE(window.data().empty());
}

TEST(EngineResume, VoiceAndPoseStayTogether) {
  // 15 frames and a third of one: the tick that was begun is played to its end.
  LostRequest lost;
  const double received_until_s = 15.0 / 30 + 0.011;
  lost.h.engine->Offer(lost.push, Piece(0.5, received_until_s, kRate_hz), lost.h.now);
  lost.Lose();
  lost.h.Run(1.7);
  const auto again = lost.h.Push(Harness::Header("r"), &lost.again, Resuming());
  ASSERT_TRUE(again.ok()) << again.status();
  lost.h.engine->Offer(again->call, Piece(0.5, 2, kRate_hz), lost.h.now);
  lost.h.engine->EndPush(again->call, PushEnd::kHalfClosed, lost.h.now);
  lost.h.Run(4);
  int compared = 0;
  int64_t spoken = 0;
  for (const auto& data : lost.window.data()) {
    std::vector<int16_t> samples(data.audio().audio_buffer().size() / 2);
    std::memcpy(samples.data(), data.audio().audio_buffer().data(), 2 * samples.size());
    const auto silent = std::count(samples.begin(), samples.end(), int16_t{0});
    spoken += static_cast<int64_t>(samples.size()) - silent;
    if (silent > 0) continue;
    const auto frame = std::llround(static_cast<double>(spoken) * 30 / kRate_hz) - 1;
    if (frame < 17) continue;  // of the part before the break
    const skel::Quat want = Harness::HeadAt(static_cast<double>(frame) / 30);
    double nearest = 0;
    for (const auto& q : data.skel_animation().rotations(0).values()) {
      nearest = std::max<double>(
          nearest, std::abs(q.real() * want.w + q.i() * want.x + q.j() * want.y + q.k() * want.z));
    }
    EXPECT_GT(nearest, 1 - 1e-6) << "frame " << frame;
    ++compared;
  }
  EXPECT_GT(compared, 40);
}

TEST(EngineResume, TheAvatarRestsMeanwhileAndEasesBack) {
  HarnessSettings settings;
  settings.graph = "default";
  LostRequest lost(settings);
  lost.Lose();
  lost.h.Run(3);
  const auto again = lost.h.Push(Harness::Header("r"), &lost.again, Resuming());
  ASSERT_TRUE(again.ok()) << again.status();
  lost.h.engine->Offer(again->call, Harness::Keys(15, 60), lost.h.now);
  lost.h.Run(1.4);
  const auto& shapes = lost.all.header().skel_animation_header().blend_shapes();
  const auto jaw =
      static_cast<int>(std::find(shapes.begin(), shapes.end(), "jawOpen") - shapes.begin());
  ASSERT_LT(jaw, shapes.size());
  std::vector<float> opening;
  for (const auto& data : lost.all.data()) {
    opening.push_back(data.skel_animation().blend_shape_weights(0).values(jaw));
  }
  float largest_step = 0;
  for (size_t i = 1; i < opening.size(); ++i) {
    largest_step = std::max(largest_step, std::abs(opening[i] - opening[i - 1]));
  }
  // The lips are back within 0.1 s, so that they fit the first word, but not at once.
  EXPECT_LT(largest_step, 0.45f);
  EXPECT_LT(opening[60], 0.02f);  // 2 s: the mouth is closed
  EXPECT_GT(opening.back(), 0.1f);
}

TEST(EngineResume, ALiveSourceGoesOnWithWhatIsNew) {
  HarnessSettings settings = Harness::Passthrough();
  settings.source.mode = Mode::kLive;
  LostRequest lost(settings);
  lost.Lose();
  lost.h.Run(2);
  ASSERT_FALSE(lost.window.finished);
  const auto again = lost.h.Push(Harness::Header("r"), &lost.again, Resuming());
  ASSERT_TRUE(again.ok()) << again.status();
  lost.h.engine->Offer(again->call, Harness::Keys(75, 90), lost.h.now);
  lost.h.Run(1);
  EXPECT_FALSE(lost.window.finished);
  lost.h.engine->EndPush(again->call, PushEnd::kCancelled, lost.h.now);
  lost.h.Run(5);
  EXPECT_TRUE(lost.window.finished);
}

}  // namespace
}  // namespace posewire::anim_graph
