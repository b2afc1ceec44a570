// Requests whose parts lie years apart. Each is legal; none may cost more than its bytes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "tests/unit/anim_graph/engine_harness.h"

namespace posewire::anim_graph {
namespace {

constexpr double kYear_s = 3e7;

// Sound that is never quiet.
int16_t SoundAt(int64_t n) { return static_cast<int16_t>(4000 + n % 16000); }
wire::DataChunk Sound(double time_code_s, int64_t samples) {
  wire::DataChunk chunk;
  wire::AudioBuffer audio;
  audio.time_code_s = time_code_s;
  for (int64_t n = 0; n < samples; ++n) audio.samples.push_back(SoundAt(n));
  chunk.earliest_time_code_s = time_code_s;
  chunk.audio = std::move(audio);
  return chunk;
}

// The same beside a camera key: the audio alone may not be so far ahead.
wire::DataChunk SoundAndCamera(double time_code_s, int64_t samples) {
  wire::DataChunk chunk = Sound(time_code_s, samples);
  wire::KeyBlock& key = chunk.camera[wire::kFocalLength];
  key.width = 1;
  key.time_codes_s = {time_code_s};
  key.values = {50};
  return chunk;
}

wire::StreamHeader VoiceHeader(const std::string& request, int rate) {
  wire::StreamHeader header = Harness::Header(request);
  header.audio_rate_hz = rate;
  return header;
}

TEST(EngineGap, AYearBetweenTwoSamplesIsSilence) {
  for (const int rate : {8000, 16000, 44100, 48000, 192000}) {
    Harness h;
    FakeSink sink, window;
    FakePeer peer;
    ASSERT_TRUE(h.Pull(&sink).ok());
    ASSERT_TRUE(h.Pull(&window, "r").ok());
    const auto push = h.Push(VoiceHeader("r", rate), &peer);
    ASSERT_TRUE(push.ok());
    EXPECT_TRUE(h.engine->Offer(push->call, Sound(0, rate / 100), h.now));
    // More than can be buffered: the source has to wait, and does so for a year.
    EXPECT_FALSE(h.engine->Offer(push->call, SoundAndCamera(kYear_s, rate / 100), h.now));
    h.Run(2);
    const auto audio = sink.audio();
    const auto sounds =
        std::count_if(audio.begin(), audio.end(), [](int16_t sample) { return sample != 0; });
    EXPECT_NEAR(static_cast<double>(sounds), 160, 3) << rate;
    EXPECT_GT(audio.size(), 31000u);
    // All goes on as with any other request.
    ASSERT_TRUE(h.engine->StopRequest("stream", "r", h.now).ok());
    h.Run(1);
    EXPECT_TRUE(peer.finished.has_value());
    EXPECT_TRUE(window.finished.has_value());
    FakePeer next;
    const auto second = h.Push(VoiceHeader("next", rate), &next);
    ASSERT_TRUE(second.ok());
    h.engine->Offer(second->call, Sound(0, rate), h.now);
    h.engine->EndPush(second->call, PushEnd::kHalfClosed, h.now);
    h.Run(2);
    const auto more = sink.audio();
    const auto spoken =
        std::count_if(more.begin(), more.end(), [](int16_t sample) { return sample != 0; });
    EXPECT_NEAR(static_cast<double>(spoken), 160 + 16000, 30) << rate;
  }
}

TEST(EngineGap, ALiveVoiceDropsTheSilenceOfAYearAndNoSample) {
  for (const int rate : {16000, 48000}) {
    Harness h;
    FakeSink sink;
    FakePeer peer;
    PushCallOptions live;
    live.mode = Mode::kLive;
    ASSERT_TRUE(h.Pull(&sink).ok());
    const auto push = h.Push(VoiceHeader("r", rate), &peer, live);
    ASSERT_TRUE(push.ok());
    h.engine->Offer(push->call, Sound(0, rate), h.now);
    h.Run(0.5);
    h.engine->Offer(push->call, SoundAndCamera(kYear_s, rate), h.now);
    h.Run(0.5);
    h.engine->EndPush(push->call, PushEnd::kHalfClosed, h.now);
    h.Run(3);
    std::vector<int16_t> heard;
    for (int16_t sample : sink.audio()) {
      if (sample != 0) heard.push_back(sample);
    }
    if (rate != 16000) {
      EXPECT_NEAR(static_cast<double>(heard.size()), 32000, 30);
      continue;
    }
    ASSERT_EQ(heard.size(), 32000u);
    for (size_t i = 0; i < heard.size(); ++i) {
      ASSERT_EQ(heard[i], SoundAt(static_cast<int64_t>(i % 16000))) << i;
    }
  }
}

// Speech of a second every five minutes, as live sources have it.
TEST(EngineGap, ALiveVoiceThatSpeaksSeldomIsHeardWithoutDelay) {
  Harness h;
  FakeSink sink;
  sink.keep_parsed = false;
  FakePeer peer;
  PushCallOptions live;
  live.mode = Mode::kLive;
  ASSERT_TRUE(h.Pull(&sink).ok());
  const auto push = h.Push(VoiceHeader("r", 16000), &peer, live);
  ASSERT_TRUE(push.ok());
  for (int i = 0; i < 4; ++i) {
    if (i > 0) {
      // Says nothing but that it is there.
      for (int k = 0; k < 29; ++k) {
        h.Run(10);
        EXPECT_TRUE(h.engine->Offer(push->call, {}, h.now)) << i;
        sink.raw.clear();
      }
      h.Run(9);
    }
    sink.keep_parsed = true;
    sink.messages.clear();
    EXPECT_TRUE(h.engine->Offer(push->call, Sound(300.0 * i, 16000), h.now)) << i;
    h.Run(1);
    const auto audio = sink.audio();
    const auto first = std::find_if(audio.begin(), audio.end(), [](int16_t s) { return s != 0; });
    EXPECT_LT(first - audio.begin(), 16000 * 0.3) << i;
    sink.keep_parsed = false;
  }
}

TEST(EngineGap, ARequestWhoseFirstCodeIsCenturiesLateStartsAtOnce) {
  Harness h;
  FakeSink sink;
  FakePeer peer;
  ASSERT_TRUE(h.Pull(&sink).ok());
  const auto push = h.Push(VoiceHeader("r", 48000), &peer);
  ASSERT_TRUE(push.ok());
  h.engine->Offer(push->call, SoundAndCamera(9.9e9, 48000), h.now);
  h.engine->EndPush(push->call, PushEnd::kHalfClosed, h.now);
  h.Run(2);
  const auto audio = sink.audio();
  const auto sounds = std::count_if(audio.begin(), audio.end(), [](int16_t s) { return s != 0; });
  EXPECT_NEAR(static_cast<double>(sounds), 16000, 30);
  EXPECT_TRUE(h.engine->Streams()[0].avatars[0].requests.empty());
}

// An epoch may be any finite number.
TEST(EngineGap, AlignedRequestsMayLieAnyTimeApart) {
  constexpr double kMost = std::numeric_limits<double>::max();
  for (const double apart_s : {-kYear_s, -1e18, -kMost, kYear_s, 1e18, kMost}) {
    Harness h;
    FakeSink sink;
    FakePeer peers[2];
    ASSERT_TRUE(h.Pull(&sink).ok());
    PushCallOptions aligned;
    aligned.align_to_epoch = true;
    for (int i = 0; i < 2; ++i) {
      wire::StreamHeader header = VoiceHeader(i == 0 ? "a" : "b", 16000);
      header.source_service_id = i == 0 ? "one" : "two";
      header.epoch_s = i * apart_s;
      const auto push = h.Push(header, &peers[i], aligned);
      ASSERT_TRUE(push.ok());
      h.engine->Offer(push->call, Sound(0, 32000), h.now);
      h.engine->EndPush(push->call, PushEnd::kHalfClosed, h.now);
      h.Run(0.1);
    }
    h.Run(1);
    // One that lies behind is over as soon as it starts; one that lies ahead waits, until nothing
    // is left to be aligned to.
    const auto requests = h.engine->Streams()[0].avatars[0].requests;
    ASSERT_EQ(requests.size(), apart_s < 0 ? 1u : 2u) << apart_s;
    EXPECT_EQ(requests[0].request_id, "a");
    h.Run(3.5);
    EXPECT_TRUE(h.engine->Streams()[0].avatars[0].requests.empty()) << apart_s;
  }
}

PushCallOptions Live() {
  PushCallOptions options;
  options.mode = Mode::kLive;
  return options;
}

// A camera key, and perhaps a pose.
wire::DataChunk Camera(double time_code_s, wire::DataChunk chunk = {}) {
  wire::KeyBlock& key = chunk.camera[wire::kFocalLength];
  key.width = 1;
  key.time_codes_s = {time_code_s};
  key.values = {50};
  chunk.earliest_time_code_s = std::min(chunk.earliest_time_code_s, time_code_s);
  return chunk;
}
wire::DataChunk Pose(double time_code_s) {
  wire::DataChunk chunk;
  wire::KeyBlock& key = chunk.pose[wire::kWeights];
  key.width = 2;
  key.time_codes_s = {time_code_s};
  key.values = {0.5f, 0.5f};
  chunk.earliest_time_code_s = time_code_s;
  return chunk;
}

// As a call does: it reads on when it may, half-closes behind its last message, and is answered.
class LiveCall {
 public:
  LiveCall(Harness* h, const wire::StreamHeader& header, std::vector<wire::DataChunk> chunks)
      : h_(*h), chunks_(std::move(chunks)), push_(h_.Push(header, &peer_, Live())->call) {
    Read();
  }
  void Run(double seconds) {
    for (int i = 0; i < static_cast<int>(std::lround(seconds * 100)); ++i) {
      h_.Run(0.01);
      if (std::exchange(peer_.read_on, 0) > 0) Read();
    }
  }
  bool answered() const { return answered_; }

 private:
  void Read() {
    while (next_ < chunks_.size()) {
      if (!h_.engine->Offer(push_, chunks_[next_++], h_.now)) return;
    }
    h_.engine->EndPush(push_, PushEnd::kHalfClosed, h_.now);
    answered_ = true;
  }

  Harness& h_;
  std::vector<wire::DataChunk> chunks_;
  FakePeer peer_;
  size_t next_ = 0;
  const uint64_t push_;
  bool answered_ = false;
};

HarnessSettings WithDelay(double delay_s) {
  HarnessSettings settings = Harness::Passthrough();
  settings.source.live_delay_s = delay_s;
  return settings;
}

bool Over(const Harness& h) { return h.engine->Streams()[0].avatars[0].requests.empty(); }

TEST(EngineGap, ALivePushWithGapsBetweenItsSamplesIsAnsweredAtOnce) {
  for (const int rate : {16000, 48000}) {
    for (const double delay_s : {0.0, 0.5}) {
      Harness h(WithDelay(delay_s));
      FakeSink sink;
      ASSERT_TRUE(h.Pull(&sink).ok());
      std::vector<wire::DataChunk> words;
      for (int i = 0; i < 5; ++i) words.push_back(Sound(290.0 * i, rate / 5));
      LiveCall call(&h, VoiceHeader("r", rate), words);
      call.Run(0.5);
      EXPECT_TRUE(call.answered()) << rate << " " << delay_s;
      call.Run(2.5);
      EXPECT_TRUE(Over(h)) << rate << " " << delay_s;
      const auto audio = sink.audio();
      const auto sounds = std::count_if(audio.begin(), audio.end(), [](int16_t s) { return s; });
      EXPECT_NEAR(static_cast<double>(sounds), 16000, 60) << rate << " " << delay_s;
    }
  }
}

TEST(EngineGap, ALivePushWithGapsBetweenItsKeysIsAnsweredAtOnce) {
  for (const double delay_s : {0.0, 0.5}) {
    Harness h(WithDelay(delay_s));
    FakeSink sink;
    ASSERT_TRUE(h.Pull(&sink).ok());
    std::vector<wire::DataChunk> keys;
    for (int i = 0; i < 8; ++i) keys.push_back(Pose(290.0 * i));
    LiveCall call(&h, VoiceHeader("r", 16000), keys);
    call.Run(1);
    EXPECT_TRUE(call.answered()) << delay_s;
    call.Run(2);
    EXPECT_TRUE(Over(h)) << delay_s;
  }
}

// The first key of a track may be anywhere.
TEST(EngineGap, ALiveKeyAYearAheadOfTheOthersHoldsUpNothing) {
  for (const double delay_s : {0.0, 0.5}) {
    for (const bool voice : {false, true}) {
      Harness h(WithDelay(delay_s));
      FakeSink sink;
      ASSERT_TRUE(h.Pull(&sink).ok());
      LiveCall call(&h, VoiceHeader("r", 16000),
                    {voice ? Sound(0, 1600) : Pose(0), Camera(kYear_s), Pose(0.1), Pose(0.2),
                     Camera(kYear_s + 0.1, Pose(0.3))});
      call.Run(0.5);
      EXPECT_TRUE(call.answered()) << delay_s << voice;
      call.Run(2);
      EXPECT_TRUE(Over(h)) << delay_s << voice;
    }
  }
}

TEST(EngineGap, ALiveCameraAloneIsShownLateByTheDelay) {
  Harness h(WithDelay(0.5));
  FakeSink sink;
  FakePeer peer;
  ASSERT_TRUE(h.Pull(&sink).ok());
  const auto push = h.Push(VoiceHeader("r", 16000), &peer, Live());
  ASSERT_TRUE(push.ok());
  h.Run(5);
  for (int i = 0; i < 60; ++i) {
    wire::DataChunk chunk = Camera(i / 30.0);
    chunk.camera[wire::kFocalLength].values = {static_cast<float>(i)};
    h.engine->Offer(push->call, chunk, h.now);
    h.Run(1.0 / 30);
  }
  const auto data = sink.data();
  ASSERT_TRUE(data.back().has_camera());
  EXPECT_NEAR(data.back().camera().focal_length(0).value(), 59 - 15, 1.5);
}

// Loud sound is never left out, so it is what is buffered, wherever the source's clock stands.
TEST(EngineGap, ALiveVoiceThatFloodsIsReadNoFasterThanItIsHeard) {
  Harness h;
  FakeSink sink;
  FakePeer peer;
  ASSERT_TRUE(h.Pull(&sink).ok());
  const auto push = h.Push(VoiceHeader("r", 16000), &peer, Live());
  ASSERT_TRUE(push.ok());
  int seconds = 0;
  for (int i = 0; i <= 100; ++i) {
    if (i == 0 || std::exchange(peer.read_on, 0) > 0) {
      while (seconds < 100 && h.engine->Offer(push->call, Sound(seconds++, 16000), h.now)) {
      }
    }
    if (i == 0) {
      EXPECT_EQ(seconds, 30);
    }
    h.Run(0.1);
  }
  EXPECT_NEAR(seconds, 30 + 10, 1);
}

// A word shorter than the prebuffer, with nothing behind it.
TEST(EngineGap, TheLastSoundOfALiveVoiceDoesNotWaitForMore) {
  Harness h;
  FakeSink sink;
  FakePeer peer;
  ASSERT_TRUE(h.Pull(&sink).ok());
  const auto push = h.Push(VoiceHeader("r", 16000), &peer, Live());
  ASSERT_TRUE(push.ok());
  for (int i = 0; i < 2; ++i) {
    sink.messages.clear();
    h.engine->Offer(push->call, Sound(5.0 * i, 800), h.now);
    h.Run(1);
    const auto audio = sink.audio();
    EXPECT_EQ(std::count_if(audio.begin(), audio.end(), [](int16_t s) { return s; }), 800) << i;
    h.Run(4);
  }
}

}  // namespace
}  // namespace posewire::anim_graph
