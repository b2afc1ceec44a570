// What is pushed comes out: values, audio, order, whatever way it was cut into messages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/anim_graph/engine_harness.h"

namespace posewire::anim_graph {
namespace {

using ::testing::HasSubstr;

int Find(const google::protobuf::RepeatedPtrField<std::string>& names, const std::string& leaf) {
  for (int i = 0; i < names.size(); ++i) {
    if (names[i] == leaf || (names[i].size() > leaf.size() &&
                             names[i].substr(names[i].size() - leaf.size() - 1) == "/" + leaf)) {
      return i;
    }
  }
  return -1;
}

// The frames of the window of one request, which was pushed in messages that end before `cuts`.
std::vector<std::string> PlayCut(const std::vector<int64_t>& cuts, FakeSink& sink) {
  Harness h;
  FakePeer peer;
  EXPECT_TRUE(h.Pull(&sink, "r").ok());
  h.Run(0.05);
  const auto push = h.Push(Harness::Header("r"), &peer);
  EXPECT_TRUE(push.ok()) << push.status();
  int64_t first = 0;
  for (int64_t cut : cuts) {
    h.engine->Offer(push->call, Harness::Keys(first, cut), h.now);
    first = cut;
  }
  h.engine->EndPush(push->call, PushEnd::kHalfClosed, h.now);
  h.Run(5);
  return sink.raw;
}

TEST(EnginePlay, EveryNamedElementComesOutAsItWasPushed) {
  FakeSink sink;
  PlayCut({60}, sink);
  const auto& skel = sink.header().skel_animation_header();
  const int jaw = Find(skel.blend_shapes(), "jawOpen");
  const int head = Find(skel.joints(), "skullbase");
  ASSERT_GE(jaw, 0);
  ASSERT_GE(head, 0);
  const auto data = sink.data();
  ASSERT_GE(data.size(), 60u);
  for (int k = 0; k < 60; ++k) {
    const auto& anim = data[static_cast<size_t>(k)].skel_animation();
    EXPECT_NEAR(anim.blend_shape_weights(0).values(jaw), Harness::JawAt(k / 30.0), 1e-6);
    const auto& q = anim.rotations(0).values(head);
    const skel::Quat want = Harness::HeadAt(k / 30.0);
    const float dot = q.real() * want.w + q.i() * want.x + q.j() * want.y + q.k() * want.z;
    EXPECT_NEAR(std::fabs(dot), 1, 1e-6) << k;
  }
}

TEST(EnginePlay, AnyCutIntoMessagesGivesTheSameBytes) {
  FakeSink whole, frames, odd;
  const auto a = PlayCut({60}, whole);
  std::vector<int64_t> each;
  for (int64_t k = 1; k <= 60; ++k) each.push_back(k);
  EXPECT_EQ(a, PlayCut(each, frames));
  EXPECT_EQ(a, PlayCut({1, 8, 9, 31, 60}, odd));
}

TEST(EnginePlay, AudioIsBitExactAndContiguous) {
  FakeSink sink;
  PlayCut({60}, sink);
  const auto audio = sink.audio();
  ASSERT_GE(audio.size(), 32000u);
  // The window begins at some tick of the avatar, whose share of samples may be 533 or 534.
  for (int64_t n = 0; n < 32000; ++n) {
    ASSERT_EQ(audio[static_cast<size_t>(n)], Harness::SampleAt(n)) << n;
  }
  for (size_t n = 32000; n < audio.size(); ++n) ASSERT_EQ(audio[n], 0);
}

TEST(EnginePlay, TenMinutesInABurstLoseNoSample) {
  Harness h;
  FakeSink sink;
  sink.keep_parsed = false;
  FakePeer peer;
  ASSERT_TRUE(h.Pull(&sink).ok());
  const auto push = h.Push(Harness::Header("r"), &peer);
  ASSERT_TRUE(push.ok());
  const int64_t frames = 600 * 30;
  int64_t sent = 0;
  bool read_on = true;
  double elapsed = 0;
  while (sent < frames && elapsed < 700) {
    const int seen = peer.read_on;
    while (read_on && sent < frames) {
      read_on = h.engine->Offer(push->call, Harness::Keys(sent, sent + 30), h.now);
      sent += 30;
    }
    h.Run(0.25);
    elapsed += 0.25;
    if (peer.read_on > seen) read_on = true;
  }
  ASSERT_EQ(sent, frames);
  h.engine->EndPush(push->call, PushEnd::kHalfClosed, h.now);
  h.Run(40);
  int64_t next = -1;
  double last_code = -1;
  for (const std::string& raw : sink.raw) {
    pb::AnimationDataStream m;
    ASSERT_TRUE(m.ParseFromString(raw));
    if (!m.has_animation_data()) continue;
    const double code = m.animation_data().skel_animation().rotations(0).time_code();
    ASSERT_GT(code, last_code);
    last_code = code;
    const std::string& b = m.animation_data().audio().audio_buffer();
    for (size_t i = 0; i + 1 < b.size(); i += 2) {
      int16_t s = 0;
      std::memcpy(&s, b.data() + i, 2);
      if (next < 0 && s == Harness::SampleAt(0)) next = 0;
      if (next < 0) {
        ASSERT_EQ(s, 0);
        continue;
      }
      ASSERT_EQ(s, next < frames * 16000 / 30 ? Harness::SampleAt(next) : 0) << next;
      ++next;
    }
  }
  EXPECT_GE(next, frames * 16000 / 30);
}

TEST(EnginePlay, OnePullOpenedBeforeThePushGetsItWithoutATarget) {
  Harness h;
  FakeSink sink;
  FakePeer peer;
  ASSERT_TRUE(h.Pull(&sink).ok());
  const auto push = h.Push(Harness::Header("r", "Avatar"), &peer);
  ASSERT_TRUE(push.ok());
  h.engine->Offer(push->call, Harness::Keys(0, 30), h.now);
  h.engine->EndPush(push->call, PushEnd::kHalfClosed, h.now);
  h.Run(2);
  double most = 0;
  const int jaw = Find(sink.header().skel_animation_header().blend_shapes(), "jawOpen");
  for (const auto& d : sink.data()) {
    most = std::max<double>(most, d.skel_animation().blend_shape_weights(0).values(jaw));
  }
  EXPECT_GT(most, 0.4);
  EXPECT_THAT(sink.statuses().at(0).message(), HasSubstr("\"r\" starts at code"));
}

TEST(EnginePlay, TheNextQueuedRequestStartsOnTheTickAfterTheLastOnesEnd) {
  Harness h;
  FakeSink sink;
  FakePeer first, second;
  ASSERT_TRUE(h.Pull(&sink).ok());
  const auto a = h.Push(Harness::Header("a"), &first);
  const auto b = h.Push(Harness::Header("b"), &second);
  ASSERT_TRUE(a.ok() && b.ok());
  for (const auto& p : {*a, *b}) {
    h.engine->Offer(p.call, Harness::Keys(0, 30), h.now);
    h.engine->EndPush(p.call, PushEnd::kHalfClosed, h.now);
  }
  h.Run(4);
  const auto audio = sink.audio();
  size_t at = 0;
  while (at < audio.size() && audio[at] == 0) ++at;
  ASSERT_LT(at + 32000, audio.size());
  for (int64_t n = 0; n < 16000; ++n) {
    ASSERT_EQ(audio[at + static_cast<size_t>(n)], Harness::SampleAt(n));
  }
  // The last tick of the first may hold a sample or two of silence before the second begins.
  size_t next = at + 16000;
  while (next < at + 16003 && audio[next] == 0) ++next;
  for (int64_t n = 0; n < 16000; ++n) {
    ASSERT_EQ(audio[next + static_cast<size_t>(n)], Harness::SampleAt(n)) << n;
  }
}

TEST(EnginePlay, VoicesOfDifferentSourcesAreSummedAndSaturated) {
  Harness h;
  FakeSink sink;
  FakePeer peers[2];
  ASSERT_TRUE(h.Pull(&sink).ok());
  for (int i = 0; i < 2; ++i) {
    auto header = Harness::Header(i == 0 ? "a" : "b");
    header.source_service_id = i == 0 ? "one" : "two";
    header.shapes.clear();
    header.joints.clear();
    const auto push = h.Push(header, &peers[i]);
    ASSERT_TRUE(push.ok()) << push.status();
    wire::DataChunk c;
    c.earliest_time_code_s = 0;
    c.audio = wire::AudioBuffer{0, std::vector<int16_t>(16000, 20000)};
    h.engine->Offer(push->call, std::move(c), h.now);
    h.engine->EndPush(push->call, PushEnd::kHalfClosed, h.now);
  }
  h.Run(2);
  const auto audio = sink.audio();
  EXPECT_EQ(std::count(audio.begin(), audio.end(), int16_t{32767}), 16000);
}

TEST(EnginePlay, AnotherRateIsResampledFromSampleZeroToTheRoundedLength) {
  for (int rate : {8000, 22050, 44100, 48000}) {
    Harness h;
    FakeSink sink;
    FakePeer peer;
    ASSERT_TRUE(h.Pull(&sink).ok());
    auto header = Harness::Header("r");
    header.audio_rate_hz = rate;
    const auto push = h.Push(header, &peer);
    ASSERT_TRUE(push.ok());
    // A 200 Hz tone, in pieces.
    const int total = rate + 7;
    for (int n = 0; n < total;) {
      wire::DataChunk c;
      wire::AudioBuffer audio;
      audio.time_code_s = static_cast<double>(n) / rate;
      for (int i = 0; i < 777 && n < total; ++i, ++n) {
        audio.samples.push_back(
            static_cast<int16_t>(10000 * std::sin(2 * 3.14159265358979 * 200 * n / rate)));
      }
      c.earliest_time_code_s = audio.time_code_s;
      c.audio = std::move(audio);
      h.engine->Offer(push->call, std::move(c), h.now);
    }
    h.engine->EndPush(push->call, PushEnd::kHalfClosed, h.now);
    h.Run(3);
    // Sample 0 is silent by itself: compare with the ideal tone at every offset near the first
    // sound.
    const auto audio = sink.audio();
    size_t loud = 0;
    while (loud < audio.size() && std::abs(audio[loud]) < 700) ++loud;
    ASSERT_LT(loud + 15500, audio.size());
    double best = 1e9;
    for (int shift = -3; shift <= 3; ++shift) {
      double error = 0;
      for (int n = 200; n < 15000; ++n) {
        const size_t i = loud + static_cast<size_t>(n + shift) - 1;
        const double want = 10000 * std::sin(2 * 3.14159265358979 * 200 * n / 16000.0);
        error = std::max(error, std::fabs(audio[i] - want));
      }
      best = std::min(best, error);
    }
    EXPECT_LT(best, 40) << rate;
    const auto last = std::find_if(audio.rbegin(), audio.rend(), [](int16_t s) { return s != 0; });
    EXPECT_NEAR(static_cast<double>(audio.rend() - last) - static_cast<double>(loud),
                std::round(total * 16000.0 / rate), 20)
        << rate;
  }
}

TEST(EnginePlay, ALiveVoiceThatBeginsLateIsNotHeldBack) {
  Harness h;
  FakeSink sink;
  FakePeer peer;
  PushCallOptions live;
  live.mode = Mode::kLive;
  ASSERT_TRUE(h.Pull(&sink).ok());
  const auto push = h.Push(Harness::Header("r"), &peer, live);
  for (int k = 0; k < 120; ++k) {
    h.engine->Offer(push->call, Harness::Keys(k, k + 1, k < 60 ? 0 : 16000), h.now);
    h.Run(1.0 / 30);
  }
  const auto audio = sink.audio();
  const auto first = std::find_if(audio.begin(), audio.end(), [](int16_t s) { return s != 0; });
  EXPECT_GE(first - audio.begin(), 2 * 16000);
  EXPECT_LT(first - audio.begin(), 2.8 * 16000);
}

TEST(EnginePlay, CodesComeFromTheIntegerTick) {
  Harness h;
  FakeSink sink;
  ASSERT_TRUE(h.Pull(&sink).ok());
  h.Run(3);
  const auto data = sink.data();
  ASSERT_GT(data.size(), 80u);
  for (size_t k = 0; k < data.size(); ++k) {
    EXPECT_EQ(data[k].skel_animation().rotations(0).time_code(), static_cast<double>(k) / 30);
    EXPECT_EQ(data[k].audio().time_code(), static_cast<double>(k * 16000 / 30) / 16000);
  }
}

TEST(EnginePlay, MetadataGoesOutOnceAndTheNewestRequestWinsAKey) {
  Harness h;
  FakeSink sink;
  FakePeer peers[2];
  ASSERT_TRUE(h.Pull(&sink).ok());
  for (int i = 0; i < 2; ++i) {
    auto header = Harness::Header(i == 0 ? "a" : "b");
    header.source_service_id = i == 0 ? "one" : "two";
    const auto push = h.Push(header, &peers[i]);
    auto c = Harness::Keys(0, 30);
    google::protobuf::Any any;
    any.set_type_url(i == 0 ? "older" : "newer");
    c.metadata.push_back({"mood", any.SerializeAsString()});
    h.engine->Offer(push->call, std::move(c), h.now);
    h.engine->EndPush(push->call, PushEnd::kHalfClosed, h.now);
  }
  h.Run(2);
  std::vector<std::string> seen;
  for (const auto& d : sink.data()) {
    for (const auto& [key, any] : d.metadata()) seen.push_back(any.type_url());
  }
  EXPECT_EQ(seen, std::vector<std::string>{"newer"});
}

TEST(EnginePlay, TheCameraIsSampledAtEveryTick) {
  Harness h;
  FakeSink sink;
  FakePeer peer;
  ASSERT_TRUE(h.Pull(&sink).ok());
  const auto push = h.Push(Harness::Header("r"), &peer);
  auto c = Harness::Keys(0, 31);
  c.camera[wire::kFocalLength].width = 1;
  c.camera[wire::kFocalLength].time_codes_s = {0, 1};
  c.camera[wire::kFocalLength].values = {10, 40};
  h.engine->Offer(push->call, std::move(c), h.now);
  h.engine->EndPush(push->call, PushEnd::kHalfClosed, h.now);
  h.Run(2);
  int with_camera = 0;
  for (const auto& d : sink.data()) {
    if (!d.has_camera()) continue;
    EXPECT_NEAR(d.camera().focal_length(0).value(), 10 + with_camera, 1e-3);
    ++with_camera;
  }
  EXPECT_EQ(with_camera, 31);
}

// Whoever pushes to the wrong stream, or before anybody looks, is told.
TEST(EnginePlay, APushThatNobodyPulledSaysSo) {
  const auto answer_of = [](Harness& h, const std::string& request) {
    FakePeer peer;
    const auto push = h.Push(Harness::Header(request), &peer);
    h.engine->Offer(push->call, Harness::Keys(0, 20), h.now);
    h.Run(0.5);
    return h.engine->EndPush(push->call, PushEnd::kHalfClosed, h.now).message;
  };
  constexpr char kNobody[] = "1 messages accepted; no client has pulled the avatar meanwhile";
  Harness h;
  FakeSink sink;
  EXPECT_EQ(answer_of(h, "unseen"), kNobody);
  const auto pull = h.Pull(&sink);
  ASSERT_TRUE(pull.ok());
  EXPECT_EQ(answer_of(h, "seen"), "1 messages accepted");
  h.engine->ClosePull(*pull, h.now);
  h.Run(0.1);
  EXPECT_EQ(answer_of(h, "unseen again"), kNobody);
  FakeSink window;
  ASSERT_TRUE(h.Pull(&window, "awaited").ok());
  EXPECT_EQ(answer_of(h, "awaited"), "1 messages accepted");
}

}  // namespace
}  // namespace posewire::anim_graph
