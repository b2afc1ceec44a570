#include "libs/speech/voice_mood.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "libs/speech/speech_features.h"

namespace posewire::speech {
namespace {

struct Usual {
  double mean;
  double unknown_deviation, known_deviation;  // of all voices; of one voice
  double speaker_share;  // how much of the speaker's own mean replaces the usual one
};
// In the order of Measure.
constexpr Usual kUsual[] = {
    {9, 6, 4, 1},             // pitch, semitones above 100 Hz: between women and men
    {-10.5, 4, 4, 0.8},       // 1 to 4 kHz over what is below, dB
    {34, 9, 9, 0.5},          // semitones a second
    {-24, 6, 5, 1},           // above 4 kHz over all, dB; depends on the microphone
    {0.75, 0.12, 0.12, 0.5},  // share of speech that is voiced
    {3, 1.3, 1.3, 0.5},       // standard deviation of pitch, semitones
};

constexpr double kPeriodic = 0.6;
constexpr double kBelowLoudest_db = 25;
constexpr double kLoudestFalls_db = 0.02;          // in each step
constexpr double kJump = 3;                        // semitones in a step, which no voice makes
constexpr double kLeast_s = 0.3, kMemory_s = 1.5;  // of voice
constexpr double kNewPhrase_s = 0.3, kOldPhrase_s = 0.1;
constexpr double kSpeakerMemory_s = 60, kSpeakerUnknown_s = 8;
constexpr double kEnough_s = 1;  // of voice, for a mood at full strength
constexpr double kForget_s = 1;
constexpr double kArousalGain = 0.9, kValenceGain = 0.35;
constexpr double kMostOff = 2.5;

double Decibel(double energy) { return 10 * std::log10(energy); }

}  // namespace

VoiceMood::VoiceMood() {
  for (size_t i = 0; i < kMeasures; ++i) now_[i] = speaker_[i] = kUsual[i].mean;
}

void VoiceMood::Step(absl::Span<const float> hop, bool speaking) {
  double low = 1e-7, middle = 1e-7, high = 1e-8;
  for (const float given : hop) {
    const double sample = std::isfinite(given) ? given : 0.0F;
    const double below = low_.Step(sample), over = middle_.Step(above_.Step(sample));
    const double hiss = high_.Step(sample);
    low += below * below;
    middle += over * over;
    high += hiss * hiss;
  }
  const std::optional<Pitch> pitch = pitch_.Step(hop);
  const double loud_db = Decibel(low + middle);
  loudest_db_ = std::max(loudest_db_ - kLoudestFalls_db, loud_db);
  const bool heard = speaking && loud_db > loudest_db_ - kBelowLoudest_db;
  const bool voiced = heard && pitch && static_cast<double>(pitch->periodicity) > kPeriodic;

  if (!heard) {
    was_voiced_ = false;
    pause_s_ += kHop_s;
    if (pause_s_ > kNewPhrase_s) fresh_s_ = std::min(fresh_s_, kOldPhrase_s);
    if (pause_s_ > kForget_s) Forget();
    return;
  }
  Measures now = now_;
  now[kHiss] = Decibel(high / (low + middle));
  now[kVoiced] = voiced ? 1 : 0;
  if (voiced) {
    now[kPitch] = static_cast<double>(pitch->semitones);
    now[kTilt] = Decibel(middle / low);
    const double moved = std::abs(now[kPitch] - last_pitch_);
    if (was_voiced_ && moved < kJump) now[kMoves] = moved / kHop_s;
    now[kSpread] = std::abs(now[kPitch] - now_[kPitch]) * std::sqrt(std::numbers::pi / 2);
    last_pitch_ = now[kPitch];
  }
  was_voiced_ = voiced;
  Hear(now, voiced);
}

void VoiceMood::Hear(const Measures& now, bool voiced) {
  if (voiced) {
    pause_s_ = 0;
    fresh_s_ = std::min(fresh_s_ + kHop_s, kMemory_s);
    heard_s_ += kHop_s;
  }
  const double share = kHop_s / std::max(fresh_s_, kLeast_s);
  const double speaker_share = kHop_s / (std::min(heard_s_, kSpeakerMemory_s) + kSpeakerUnknown_s);
  for (size_t i = 0; i < kMeasures; ++i) {
    now_[i] += share * (now[i] - now_[i]);
    speaker_[i] += speaker_share * (now[i] - speaker_[i]);
  }
  Judge();
}

void VoiceMood::Forget() {
  for (size_t i = 0; i < kMeasures; ++i) {
    now_[i] += kHop_s / kForget_s * (Usually(static_cast<Measure>(i)) - now_[i]);
  }
  Judge();
}

void VoiceMood::Judge() {
  const double sure = std::min(1.0, heard_s_ / kEnough_s);
  const double arousal = (Off(kPitch) + Off(kTilt) + Off(kMoves)) / 3;
  const double valence = (Off(kVoiced) + Off(kSpread) - Off(kHiss)) / 3;
  mood_.arousal = static_cast<float>(std::tanh(kArousalGain * sure * arousal));
  mood_.valence = static_cast<float>(std::tanh(kValenceGain * sure * valence));
}

double VoiceMood::Usually(Measure measure) const {
  const Usual& usual = kUsual[measure];
  return usual.mean + usual.speaker_share * (speaker_[measure] - usual.mean);
}

double VoiceMood::Off(Measure measure) const {
  const Usual& usual = kUsual[measure];
  const double known = heard_s_ / (heard_s_ + kSpeakerUnknown_s);
  const double deviation =
      usual.unknown_deviation + known * (usual.known_deviation - usual.unknown_deviation);
  return std::clamp((now_[measure] - Usually(measure)) / deviation, -kMostOff, kMostOff);
}

}  // namespace posewire::speech
