#include "libs/speech/sound_mouth.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "absl/strings/string_view.h"
#include "libs/speech/speech_features.h"

namespace posewire::speech {
namespace {

// The phoneme whose viseme represents each class.
constexpr absl::string_view kClassPhones[kSoundClasses] = {
    "pau", "p", "f", "th", "t", "k", "sh", "s", "n", "r", "aa", "eh", "ih", "ow", "uw", "pau"};

// The half width of the averaging window, and how far its middle is ahead: the mouth moves before
// the sound, and rounds even earlier. Their sum is at most kAhead_s.
constexpr double kWindow_s = 0.048, kEarlier_s = 0.012;
constexpr double kRoundWindow_s = 0.046, kRoundEarlier_s = 0.014;

// Mean probability of speech, over four frames, at which speech begins and ends; it ends after
// kQuietFrames below the latter.
constexpr float kSpeechBegins = 0.5f, kSpeechEnds = 0.25f;
constexpr int kQuietFrames = 6;
// The loudness of digital silence and the faintest noise. No voice is this quiet.
constexpr double kSilent = -11;

constexpr double kHeardMeet_s = 0.05, kHeardPart_s = 0.07;

constexpr double kUsualVowels = 100;  // frames: one second of vowels
// The targets are those of stressed vowels, but a class also contains weak vowels.
constexpr double kUsualOpenness = 0.83;
// The weight of p, b and m in the mean, so that they hold their own against open vowels: lips also
// meet where the network hears a closure with too little certainty for a contact.
constexpr float kLipsWeight = 1.15f;

float Hann(double t_s, double half_s) {
  if (std::abs(t_s) >= half_s) return 0;
  return static_cast<float>(0.5 + 0.5 * std::cos(std::numbers::pi * t_s / half_s));
}

const Viseme& VisemeOf(size_t sound_class) {
  return *FindVisemes(kClassPhones[sound_class], PhoneSet::kArpabet).first;
}

}  // namespace

SoundMouth::SoundMouth()
    : contacts_(kHeardMeet_s, kHeardPart_s),
      bilabial_{VisemeOf(kClassPp)},
      labiodental_{VisemeOf(kClassFf)} {}

double SoundMouth::EndOfLast() const { return static_cast<double>(frames_) * kHop_s; }

void SoundMouth::Add(const SoundFrame& heard, double loudness) {
  Listen(heard, loudness);
  const float openness = Openness(heard, loudness);
  MouthMean& mean = means_[frames_ % kRing];
  mean = MouthMean();
  float silent = 1;
  for (size_t c = kClassSil + 1; c < kClassNoise; ++c) {
    const float w = speaking_ ? heard.classes[c] : 0;
    silent -= w;
    mean.Add(VisemeOf(c), c == kClassPp ? kLipsWeight * w : w, w, openness);
  }
  mean.Add(VisemeOf(kClassSil), silent, silent, 1);
  ++frames_;
  Hold(heard.bilabial, kBilabial.begins, kBilabial.ends, bilabial_);
  Hold(heard.labiodental, kLabiodental.begins, kLabiodental.ends, labiodental_);
}

void SoundMouth::Listen(const SoundFrame& heard, double loudness) {
  const float speech = 1 - heard.classes[kClassSil] - heard.classes[kClassNoise];
  speech_[frames_ % speech_.size()] = loudness < kSilent ? 0 : speech;
  const float mean = (speech_[0] + speech_[1] + speech_[2] + speech_[3]) / 4;
  if (mean > kSpeechBegins) speaking_ = true;
  quiet_frames_ = mean < kSpeechEnds ? quiet_frames_ + 1 : 0;
  if (quiet_frames_ >= kQuietFrames) speaking_ = false;
}

// Returns how far a vowel opens the mouth, from its loudness relative to this voice's usual
// loudness.
float SoundMouth::Openness(const SoundFrame& heard, double loudness) {
  if (!speaking_ || heard.vowel < 0.5f) return 1;
  vowels_ = std::min(vowels_ + 1, kUsualVowels);
  usual_ += (loudness - usual_) / vowels_;
  // The fourth root of the energy is the square root of the amplitude.
  return static_cast<float>(
      std::clamp(kUsualOpenness * std::exp((loudness - usual_) / 4), 0.6, 1.1));
}

void SoundMouth::Hold(float probability, float begins_at, float ends_at, Contact& contact) {
  const bool likely = std::exchange(contact.likely, probability > ends_at);
  // A single frame closes nothing. Lips may meet before speech is detected.
  const bool begins = likely && probability > begins_at;
  if (quiet_frames_ > 0 || !(contact.held ? contact.likely : begins)) {
    contact.held = nullptr;
    return;
  }
  const double end_s = EndOfLast();
  if (contact.held == nullptr) {
    contact.held = &contacts_.Add(contact.viseme, end_s - 2 * kHop_s, end_s);
  }
  contact.held->end_s = std::max(end_s, contact.held->start_s + kMinContact_s);
}

MouthPose SoundMouth::At(double t_s) {
  contacts_.DropBefore(t_s - kHeardPart_s);
  MouthMean mean;
  for (size_t f = frames_ - std::min(frames_, kRing); f < frames_; ++f) {
    const double after_s = (static_cast<double>(f) + 0.5) * kHop_s - t_s;
    mean.Add(means_[f % kRing], Hann(after_s - kEarlier_s, kWindow_s),
             Hann(after_s - kRoundEarlier_s, kRoundWindow_s));
  }
  MouthPose pose = mean.Mean();
  contacts_.Draw(t_s, pose);
  for (float& w : pose) w = std::clamp(w, 0.0f, 1.0f);
  return pose;
}

}  // namespace posewire::speech
