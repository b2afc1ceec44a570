#include "libs/speech/sound_gestures.h"

#include <algorithm>
#include <cmath>

namespace posewire::speech {
namespace {

constexpr double kEnvelopeShare = 0.25;  // weight of the newest 10 ms
constexpr double kSyllable = 0.5;  // how far a syllable stands out, as the logarithm of energy
constexpr double kTopShare = 0.15;
constexpr double kAccent = 0.35;  // in spreads above the usual peak
constexpr double kPause_s = 0.2;
constexpr double kPhrase_s = 0.7;  // shorter speech is not a phrase and has no phrase end

}  // namespace

void SoundGestures::Step(double now_s, double loudness, bool speaking, float arousal) {
  if (speaking) arousal_ += 0.01f * (arousal - arousal_);
  if (speaking && !speaking_) Begin(now_s);
  if (!speaking && speaking_) pause_at_s_ = now_s - began_s_ > kPhrase_s ? now_s + kPause_s : 1e30;
  speaking_ = speaking;
  if (IsAccent(loudness) && speaking) Accent(now_s);
  if (now_s >= pause_at_s_) Pause(now_s);
  if (now_s >= face_.next_blink_s()) face_.Blink(now_s);
  if (now_s >= next_look_s_) {
    const float x = random_.Uniform(-0.06f, 0.06f);
    face_.Look(now_s, x, random_.Uniform(-0.04f, 0.04f));
    next_look_s_ = now_s + random_.Uniform(0.5f, 1.8f);
  }
}

// Returns whether the loudness has just passed the peak of a syllable that stands out.
bool SoundGestures::IsAccent(double loudness) {
  envelope_ += kEnvelopeShare * (loudness - envelope_);
  if (!rising_) {
    low_ = std::min(low_, envelope_);
    rising_ = envelope_ > low_ + kSyllable;
    top_ = envelope_;
    return false;
  }
  top_ = std::max(top_, envelope_);
  if (envelope_ > top_ - kSyllable) return false;
  rising_ = false;
  low_ = envelope_;
  const bool accent = top_ > usual_top_ + kAccent * spread_;
  spread_ += kTopShare * (std::abs(top_ - usual_top_) - spread_);
  usual_top_ += kTopShare * (top_ - usual_top_);
  return accent;
}

void SoundGestures::Accent(double now_s) {
  const float lively = 0.75f + 0.5f * arousal_;
  const float dice = random_.Uniform();
  if (dice < 0.65f && now_s - last_nod_s_ > 0.45) {
    head_.Nod(now_s, lively * random_.Uniform(3.0f, 6.2f));
    last_nod_s_ = now_s;
  }
  const float brow_dice = random_.Uniform();
  if (brow_dice < 0.55f && now_s - last_brow_s_ > 0.9) {
    face_.RaiseBrows(now_s, 0.06 + 0.1 * brow_dice, lively * random_.Uniform(0.14f, 0.34f));
    last_brow_s_ = now_s;
  }
}

void SoundGestures::Begin(double now_s) {
  // A breath within a phrase does not begin another phrase.
  const bool anew = pause_at_s_ > 1e29;
  pause_at_s_ = 1e30;
  if (!anew) return;
  began_s_ = now_s;
  head_.Turn(now_s, random_.Uniform(-2.5f, 2.5f));
  if (random_.Uniform() > 0.4f) return;
  // A speaker looks away while thinking, and then back at the listener.
  const float side = random_.Uniform() < 0.5f ? -1.0f : 1.0f;
  const float x = side * random_.Uniform(0.16f, 0.28f);
  face_.Look(now_s, x, random_.Uniform(-0.08f, 0.16f));
  next_look_s_ = now_s + random_.Uniform(0.5f, 0.9f);
}

void SoundGestures::Pause(double now_s) {
  pause_at_s_ = 1e30;
  const bool blinks = random_.Uniform() < 0.8f, smiles = random_.Uniform() < 0.5f;
  if (blinks && now_s - face_.last_blink_s() > 1.2) face_.Blink(now_s);
  if (now_s - last_nod_s_ > 0.7) head_.Nod(now_s, 2.4f);
  if (smiles) {
    face_.Smile({now_s, now_s + 0.4, now_s + 0.6, now_s + 1.25, random_.Uniform(0.08f, 0.18f)});
  }
}

}  // namespace posewire::speech
