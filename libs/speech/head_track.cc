#include "libs/speech/head_track.h"

#include <algorithm>
#include <cmath>

#include "libs/speech/easing_curves.h"
#include "libs/speech/speech_text.h"

namespace posewire::speech {
namespace {

constexpr double kHeadRest_s = 0.6;  // time to come to rest
constexpr double kTurn_s = 0.55;
constexpr double kTwoPi = 6.283185307179586;

}  // namespace

HeadTrack::HeadTrack(Random& random) {
  for (double& p : phase_) p = random.Uniform() * kTwoPi;
}

void HeadTrack::Nod(double from_s, float size_deg) {
  nods_.Add({from_s, from_s + 0.21, from_s + 0.23, from_s + 0.6, size_deg});
}

void HeadTrack::Turn(double from_s, float yaw_deg) { turn_.MoveTo(from_s, kTurn_s, yaw_deg); }

void HeadTrack::Add(const Phrase& phrase, Random& random) {
  Turn(phrase.speech_start_s - 0.1, random.Uniform(-2.5f, 2.5f));
  double last_s = phrase.start_s - 1;
  for (const Word& w : phrase.words) {
    if (IsNegation(w.text) && w.start_s > shake_free_s_) {
      const double to_s = std::max(w.end_s, w.start_s + 0.5) + 0.35;
      shakes_.push_back({w.start_s - 0.12, to_s, random.Uniform(4.0f, 6.0f)});
      shake_free_s_ = to_s;
    }
    const float dice = random.Uniform();
    if (!w.accented || dice > 0.65f || w.beat_s - last_s < 0.45) continue;
    const float size = random.Uniform(3.0f, 6.2f);
    nods_.Add({w.beat_s - 0.32, w.beat_s - 0.18, w.beat_s - 0.18, w.beat_s, -0.25f * size});
    Nod(w.beat_s - 0.18, size);
    last_s = w.beat_s;
  }
  const double end_s = phrase.speech_end_s;
  if (phrase.ending == SpeechEnding::kQuestion) {
    const double from_s = std::max(end_s - 0.8, phrase.speech_start_s - 0.1);
    tilts_.Add({from_s, from_s + 0.45, end_s + 0.2, end_s + 0.8, 4.5f * tilt_side_});
    nods_.Add({from_s, from_s + 0.45, end_s + 0.15, end_s + 0.7, -2.5f});
    tilt_side_ = -tilt_side_;
  } else if (EndsSentence(phrase.ending) && end_s - last_s > 0.5) {
    nods_.Add({end_s - 0.25, end_s, end_s + 0.05, end_s + 0.55, 2.4f});
  }
}

HeadAngles HeadTrack::At(double t_s) {
  nods_.DropBefore(t_s);
  tilts_.DropBefore(t_s);
  turn_.DropBefore(t_s);
  while (!shakes_.empty() && shakes_.front().to_s < t_s) shakes_.pop_front();

  const float at_rest = 1 - EaseInOut(t_s, end_s_ - kHeadRest_s, end_s_);
  const float presence = EaseInOut(t_s, 0, 0.7) * at_rest;
  // Slow sways at unrelated rates, so that the head never stops and never repeats a movement.
  const auto sway = [&](size_t i, double hz) {
    return static_cast<float>(std::sin(kTwoPi * hz * t_s + phase_[i]));
  };
  HeadAngles head;
  head.yaw_deg = turn_.At(t_s) + 1.3f * sway(0, 0.17) + 0.7f * sway(1, 0.41);
  head.pitch_deg = 0.9f * sway(2, 0.23) + 0.5f * sway(3, 0.53) + nods_.Sum(t_s);
  head.roll_deg = 0.9f * sway(4, 0.19) + 0.4f * sway(5, 0.37) + tilts_.Sum(t_s);
  for (const Shake& s : shakes_) {
    const double x = (t_s - s.from_s) / (s.to_s - s.from_s);
    if (x <= 0 || x >= 1) continue;
    const auto window = static_cast<float>(std::sin(x * kTwoPi / 2));
    head.yaw_deg +=
        s.amount * window * window * static_cast<float>(std::sin(kTwoPi * 2.1 * (t_s - s.from_s)));
  }
  head.pitch_deg *= presence;
  head.yaw_deg *= presence;
  head.roll_deg *= presence;
  return head;
}

}  // namespace posewire::speech
