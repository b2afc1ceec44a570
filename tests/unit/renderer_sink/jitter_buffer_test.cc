#include "services/renderer_sink/core/jitter_buffer.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "libs/skel/rig.h"
#include "services/renderer_sink/core/picture_pacer.h"

namespace posewire::renderer_sink {
namespace {

constexpr double kDelay_s = 0.1;
constexpr int64_t kLine_hz = VoiceLine::kRate_hz;
const timecode::FrameRate kFilm{25, 1};

// A server at 30 frames a second. Now and then, at the frames `click_every` apart, the voice has
// one loud sample, on the frame's code, and the jaw is open in that one frame.
struct Server {
  int rate_hz = 48000;
  int64_t click_every = 300;
  double epoch_time_code_s = 0;  // code of frame 0
  int16_t hum = 0;               // of the voice between the clicks

  wire::StreamHeader Header() const {
    wire::StreamHeader header;
    header.shapes = {"jawOpen"};
    header.audio_rate_hz = rate_hz;
    return header;
  }
  bool Clicks(int64_t k) const { return k % click_every == click_every / 2; }
  double CodeOf(int64_t k) const { return epoch_time_code_s + static_cast<double>(k) / 30; }
  wire::DataChunk Frame(int64_t k) const {
    wire::DataChunk data;
    data.pose[wire::kWeights] = {1, {CodeOf(k)}, {Clicks(k) ? 1.0f : 0.0f}};
    const int64_t first = k * rate_hz / 30, end = (k + 1) * rate_hz / 30;
    data.audio.emplace();
    data.audio->time_code_s = epoch_time_code_s + static_cast<double>(first) / rate_hz;
    data.audio->samples.assign(static_cast<size_t>(end - first), hum);
    if (Clicks(k)) data.audio->samples[0] = 30000;
    data.earliest_time_code_s = data.audio->time_code_s;
    return data;
  }
};

// A film of what a server sends, by a clock that is moved by hand.
struct Film {
  Film() : catalog(*skel::RigCatalog::Builtin("arkit68")) {
    rig = *catalog.Find("hanim_loa3");
    jitter_buffer.emplace(rig, kDelay_s);
    pose = skel::Pose(rig->joints(), rig->shapes());
    jaw = rig->FindShape("jawOpen");
  }
  // Takes the pictures of all slots up to `now_s`, and their samples two slots later.
  void RunTo(double now_s) {
    for (; kFilm.SecondsAt(slots) <= now_s; ++slots) {
      jitter_buffer->PoseAt(kFilm.SecondsAt(slots), pose.span());
      jaws.push_back(pose.view().weights[jaw]);
      if (slots >= 2) TakeVoice(slots - 2);
    }
  }
  void TakeVoice(int64_t slot) {
    const int64_t first = timecode::FirstSampleOfTick(slot, kLine_hz, kFilm);
    const int64_t end = timecode::FirstSampleOfTick(slot + 1, kLine_hz, kFilm);
    samples.resize(static_cast<size_t>(end - first));
    jitter_buffer->TakeVoice(first, absl::MakeSpan(samples));
    for (size_t i = 0; i < samples.size(); ++i) {
      if (samples[i] > 15000) clicks.push_back(first + static_cast<int64_t>(i));
    }
    taken += end - first;
  }
  void Give(const Server& server, int64_t k, double now_s) {
    RunTo(now_s);
    jitter_buffer->OnData(server.Frame(k), now_s);
  }
  void Start(const Server& server) {
    ASSERT_TRUE(jitter_buffer->OnHeader(server.Header(), catalog).ok());
  }

  skel::RigCatalog catalog;
  std::shared_ptr<const skel::Rig> rig;
  std::optional<JitterBuffer> jitter_buffer;
  skel::Pose pose;
  int jaw = -1;
  int64_t slots = 0, taken = 0;
  std::vector<float> jaws;      // of each slot
  std::vector<int64_t> clicks;  // places on the line
  std::vector<int16_t> samples;
};

// The jaw is open at the clicks, and nowhere else: the frame before and the one after have it shut.
void ExpectJawsAtClicks(const Film& film, double tolerance) {
  size_t next = 0;
  for (size_t n = 0; n < film.jaws.size(); ++n) {
    const double at_s = kFilm.SecondsAt(static_cast<int64_t>(n));
    double want = 0;
    for (size_t c = next < 2 ? 0 : next - 2; c < film.clicks.size(); ++c) {
      const double from_s = at_s - static_cast<double>(film.clicks[c]) / kLine_hz;
      want = std::max(want, 1 - std::abs(from_s) * 30);
      if (from_s > 1) next = c;
      if (from_s < -1) break;
    }
    ASSERT_NEAR(film.jaws[n], want, tolerance) << "at " << at_s << " s";
  }
}

TEST(JitterBuffer, AnHourHasNoDriftAndTheVoiceStaysOnTheLipsToTheSample) {
  Server server;
  Film film;
  film.Start(server);
  constexpr int64_t kFrames = 3600 * 30;
  for (int64_t k = 0; k < kFrames; ++k) film.Give(server, k, 0.5 + static_cast<double>(k) / 30);
  film.RunTo(3600.99);
  // The first frame came at 0.5 s.
  ASSERT_EQ(film.clicks.size(), 360u);
  for (size_t i = 0; i < film.clicks.size(); ++i) {
    ASSERT_EQ(film.clicks[i], (56 + static_cast<int64_t>(i) * 100) * kLine_hz / 10);
  }
  EXPECT_EQ(film.slots, 3600 * 25 + 25);
  EXPECT_EQ(film.taken, (3601 * 25 - 2) * kLine_hz / 25);
  ExpectJawsAtClicks(film, 1e-3);
  EXPECT_EQ(film.jitter_buffer->counts().late, 0);
  EXPECT_EQ(film.jitter_buffer->late_samples(), 0);
}

TEST(JitterBuffer, AVoiceOfAnotherRateIsConvertedInItsPlace) {
  for (const int rate_hz : {8000, 16000, 22050, 44100}) {
    Server server{.rate_hz = rate_hz, .click_every = 30, .epoch_time_code_s = 7};
    Film film;
    film.Start(server);
    for (int64_t k = 0; k < 300; ++k) film.Give(server, k, static_cast<double>(k) / 30);
    film.RunTo(11);
    std::vector<int64_t> seconds;  // a click is several samples wide at the lower rates
    for (const int64_t at : film.clicks) {
      const int64_t off = at % kLine_hz - 6 * kLine_hz / 10;
      ASSERT_LE(std::abs(off), kLine_hz / rate_hz) << rate_hz;
      seconds.push_back(at / kLine_hz);
    }
    seconds.erase(std::unique(seconds.begin(), seconds.end()), seconds.end());
    EXPECT_EQ(seconds.size(), 10u) << rate_hz;
  }
}

TEST(JitterBuffer, ClocksThatDriftApartAreBroughtTogetherInSilence) {
  for (const double drift : {1.0005, 0.9995}) {  // 1.8 s an hour
    Server server;
    Film film;
    film.Start(server);
    double latency_s = 0;
    for (int64_t k = 0; k < 1800 * 30; ++k) {
      const double now_s = static_cast<double>(k) / 30 * drift;
      film.Give(server, k, now_s);
      latency_s = server.CodeOf(k) + film.jitter_buffer->shift_s() - now_s;
      ASSERT_GT(latency_s, 0.2 * kDelay_s);
      ASSERT_LT(latency_s, 2 * kDelay_s);
    }
    EXPECT_EQ(film.jitter_buffer->counts().late, 0);
    EXPECT_EQ(film.clicks.size(), 180u);
    ExpectJawsAtClicks(film, 0.2);  // 5 % of the time between two frames may be taken back
  }
}

TEST(JitterBuffer, AVoiceIsNotCutWhereItIsHeard) {
  Server server{.hum = 1000};
  Film film;
  film.Start(server);
  for (int64_t k = 0; k < 600; ++k) {
    film.Give(server, k, static_cast<double>(k) / 30 * 0.99);  // comes ever earlier
    ASSERT_EQ(film.jitter_buffer->shift_s(), kDelay_s);
  }
}

TEST(JitterBuffer, WhatComesTooLateIsShownLaterAndNothingIsLost) {
  Server server{.click_every = 15};
  Film film;
  film.Start(server);
  double behind_s = 0;
  for (int64_t k = 0; k < 3000; ++k) {
    // For a second nothing comes, then all at once.
    const double now_s = k >= 90 && k < 120 ? 4 : static_cast<double>(k) / 30;
    film.Give(server, k, now_s);
    behind_s = film.jitter_buffer->shift_s();
    if (k == 120) {
      EXPECT_NEAR(behind_s, 1 + kDelay_s, 1e-4);
    }
  }
  film.RunTo(101);
  EXPECT_EQ(film.jitter_buffer->counts().late, 1);
  EXPECT_EQ(film.jitter_buffer->late_samples(), 0);
  EXPECT_EQ(film.clicks.size(), 200u);
  EXPECT_LT(behind_s, 2 * kDelay_s) << "taken back in silence";
  EXPECT_EQ(film.jitter_buffer->counts().left_out, 0);
}

TEST(JitterBuffer, WithoutFramesThePoseGoesToRestAndComesBack) {
  Server server{.click_every = 1};  // the jaw is open all the time
  Film film;
  film.Start(server);
  film.jitter_buffer->OnData(server.Frame(0), 0);
  for (int64_t k = 1; k < 30; ++k) film.Give(server, k, static_cast<double>(k) / 30);
  film.RunTo(4.99);
  ASSERT_TRUE(film.jitter_buffer->OnHeader(server.Header(), film.catalog).ok());
  for (int64_t k = 0; k < 60; ++k) film.Give(server, k, 5 + static_cast<double>(k) / 30);
  film.RunTo(6.99);
  const auto jaw_at = [&](double at_s) { return film.jaws[static_cast<size_t>(at_s * 25)]; };
  EXPECT_EQ(jaw_at(0), 1) << "what comes first needs no way to it";
  EXPECT_EQ(jaw_at(1.4), 1) << "held";
  EXPECT_EQ(jaw_at(2.2), 0) << "at rest";
  EXPECT_EQ(jaw_at(4.9), 0);
  EXPECT_EQ(jaw_at(6), 1) << "back";
  for (size_t n = 1; n < film.jaws.size(); ++n) {
    EXPECT_LT(std::abs(film.jaws[n] - film.jaws[n - 1]), 0.11) << "eased, at slot " << n;
  }
}

TEST(JitterBuffer, ConnectionsFollowEachOtherWhateverTheirCodesAre) {
  Film film;
  double now_s = 0;
  for (const double time_code_s : {5e9, 0.0, 1e4}) {
    Server server{.click_every = 30, .epoch_time_code_s = time_code_s};
    film.Start(server);
    for (int64_t k = 0; k < 60; ++k, now_s += 1.0 / 30) film.Give(server, k, now_s);
  }
  film.RunTo(now_s + 1);
  ASSERT_EQ(film.clicks.size(), 6u);
  for (size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(static_cast<double>(film.clicks[i]), (0.6 + static_cast<double>(i)) * kLine_hz, 2);
  }
}

TEST(JitterBuffer, CodesThatJumpOrFallAreTakenAsTheyCome) {
  Film film;
  for (int64_t k = 0; k < 90; ++k) {
    Server server{.click_every = 30, .epoch_time_code_s = k < 30 ? 500 : k < 60 ? 90000 : 3.0};
    if (k == 0) film.Start(server);
    film.Give(server, k, static_cast<double>(k) / 30);
  }
  film.RunTo(5);
  EXPECT_EQ(film.clicks.size(), 3u);
  EXPECT_EQ(film.jitter_buffer->counts().left_out, 0);
}

TEST(JitterBuffer, WhatIsFarAheadIsHeldUpToItsBound) {
  Server server;
  Film film;
  film.Start(server);
  int64_t rejected = 0;
  for (int64_t k = 0; k < 60 * 30; ++k)
    rejected += film.jitter_buffer->OnData(server.Frame(k), 0) ? 0 : 1;
  EXPECT_EQ(rejected, film.jitter_buffer->counts().left_out);
  EXPECT_NEAR(static_cast<double>(film.jitter_buffer->counts().left_out), 30 * 30, 10);
  film.RunTo(40);
  EXPECT_EQ(film.clicks.size(), 3u);
}

TEST(JitterBuffer, RejectsAHeaderOfUnknownNamesAndGoesOn) {
  Server server{.click_every = 1};
  Film film;
  EXPECT_FALSE(film.jitter_buffer->OnData(server.Frame(0), 0)) << "before any header";
  film.Start(server);
  film.Give(server, 0, 0);
  wire::StreamHeader unknown;
  unknown.shapes = {"no_such_shape"};
  EXPECT_FALSE(film.jitter_buffer->OnHeader(unknown, film.catalog).ok());
  film.Give(server, 1, 1.0 / 30);
  film.RunTo(1);
  EXPECT_EQ(film.clicks.size(), 2u);
}

// Of a tail or a prop, joints that a person's rig would keep in place may slide.
TEST(JitterBuffer, JointsOfARigThatAFileBroughtTakeTranslations) {
  const auto catalog = *skel::RigCatalog::Builtin();
  skel::RigParts parts;
  parts.name = "own";
  parts.joint_paths = {"tail", "tail/tip"};
  parts.rest_translations = {{0, 1, 0}, {0, 1, 0}};
  const auto own = *skel::Rig::Make(std::move(parts));
  for (const auto& rig : {own, *catalog.Find("hanim_loa3")}) {
    const bool is_own = rig == own;
    JitterBuffer jitter_buffer(rig, kDelay_s);
    wire::StreamHeader header;
    header.joints = is_own ? std::vector<std::string>{"tail", "tail/tip"}
                           : std::vector<std::string>{"HumanoidRoot", "l_elbow"};
    ASSERT_TRUE(jitter_buffer.OnHeader(header, catalog).ok());
    wire::DataChunk data;
    data.pose[wire::kTranslations] = {6, {0, 1}, {0, 1, 0, 0, 2, 0, 0, 1, 0, 0, 2, 0}};
    data.earliest_time_code_s = 0;
    ASSERT_TRUE(jitter_buffer.OnData(data, 0));
    skel::Pose pose(rig->joints(), rig->shapes());
    jitter_buffer.PoseAt(kDelay_s + 0.9, pose.span());
    const int joint = rig->FindJoint(header.joints[1]);
    const float rest = rig->rest().translation(joint).y;
    EXPECT_NEAR(pose.view().translation(joint).y, is_own ? 2 : rest, 1e-4f) << rig->name();
  }
}

}  // namespace
}  // namespace posewire::renderer_sink
