#include "services/a2f_source/core/sound_plan.h"

#include <algorithm>
#include <cmath>

#include "services/a2f_source/core/say_gestures.h"

namespace posewire::a2f_source {
namespace {

constexpr double kAhead_s = GesturePlan::kAhead_s, kApart_s = GesturePlan::kApart_s;
// An accent this close to a stronger one is part of it.
constexpr double kNeighbour_s = 0.6;
// A gesture announced less than the first before its stroke would be dropped. It strikes after the
// second instead, unless its accent is older than the third.
constexpr double kLeast_s = 0.2, kLate_s = 0.33, kOld_s = 0.7;
constexpr double kPause_s = 0.25;  // shorter pauses do not end a phrase
constexpr double kHold_s = 1.0;    // used while the end of the phrase is unknown

}  // namespace

void SoundPlan::Hear(const speech::FaceFrame& face) {
  heard_s_ = face.time_s;
  if (face.speaking) arousal_ += 0.05f * (face.arousal - arousal_);
  if (!face.speaking && speaking_) pauses_.push_back({face.time_s, face.time_s});
  if (!face.speaking && !pauses_.empty()) pauses_.back().to_s = face.time_s;
  speaking_ = face.speaking;
  if (face.syllable) accents_.push_back(*face.syllable);
  while (!pauses_.empty() && pauses_.front().to_s < heard_s_ - 10) pauses_.pop_front();
}

// Returns true if a stronger accent is near, before or after.
bool SoundPlan::Outdone(const speech::Syllable& accent) const {
  return std::any_of(accents_.begin(), accents_.end(), [&](const speech::Syllable& other) {
    return std::abs(other.time_s - accent.time_s) < kNeighbour_s &&
           other.prominence > accent.prominence;
  });
}

// Returns when the hand may go back: the phrase's end, as far as it is known.
double SoundPlan::EndAfter(double stroke_s) const {
  for (const Pause& pause : pauses_) {
    if (pause.from_s > stroke_s && pause.to_s - pause.from_s >= kPause_s) return pause.from_s;
  }
  return stroke_s + kHold_s;
}

std::optional<wire::SpeechGesture> SoundPlan::Take(double t_s) {
  while (!accents_.empty() && accents_.front().time_s - kAhead_s <= t_s) {
    const speech::Syllable accent = accents_.front();
    accents_.pop_front();
    const bool late = accent.time_s < t_s + kLeast_s;
    const double stroke_s = late ? t_s + kLate_s : accent.time_s;
    const bool outdone = Outdone(accent) || accent.time_s < taken_s_ + kNeighbour_s;
    if (t_s - accent.time_s > kOld_s || stroke_s - last_s_ < kApart_s || outdone) continue;
    wire::SpeechGesture gesture;
    gesture.kind = wire::SpeechGesture::kBeat;
    const float lively = 0.75f + 0.5f * arousal_;
    gesture.strength = std::clamp(
        lively * (0.25f + 0.15f * accent.prominence) + random_.Uniform(-0.15f, 0.15f), 0.0f, 0.9f);
    gesture.stroke_in_s = stroke_s - t_s;
    gesture.end_in_s = EndAfter(stroke_s) - t_s;
    taken_s_ = accent.time_s;
    last_s_ = stroke_s;
    return gesture;
  }
  return std::nullopt;
}

}  // namespace posewire::a2f_source
