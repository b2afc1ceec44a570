// The speaking face as weights of ARKit's shapes: the mouth's visemes, and blinks, brows, gaze and
// small smiles that follow the words.
#ifndef POSEWIRE_LIBS_SPEECH_FACE_TRACK_H_
#define POSEWIRE_LIBS_SPEECH_FACE_TRACK_H_

#include <array>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/random/random.h"
#include "libs/speech/phrase.h"
#include "libs/speech/pulse_track.h"
#include "libs/speech/viseme_table.h"

namespace posewire::speech {

inline constexpr size_t kFaceShapes = 40;
using FaceWeights = std::array<float, kFaceShapes>;

// The ARKit shapes that speaking moves, in Apple's order, "eyeBlinkLeft" to "tongueOut". The other
// twelve (wide eyes, frown, sneer and such) are not named, and so stay available to other sources.
absl::Span<const absl::string_view> FaceShapeNames();

// The head's direction relative to straight ahead. The eyes turn the other way to stay on the
// listener.
struct HeadLook {
  float yaw_rad = 0;    // to the avatar's left
  float pitch_rad = 0;  // down
};

// The same seed and phrases give the same face. Add phrases in order, each before At is called for
// times that it affects (from 0.3 s before its start). One thread.
class FaceTrack {
 public:
  explicit FaceTrack(uint64_t seed);

  void Add(const Phrase& phrase);

  // The methods below plan single movements, for speech whose words are unknown. Each must begin
  // after the last time passed to At, and not before the last movement of its kind.
  void Blink(double t_s);
  // Time of the next blink, unless something causes one earlier.
  double next_blink_s() const { return next_blink_s_; }
  double last_blink_s() const { return last_blink_s_; }
  void RaiseBrows(double from_s, double hold_s, float amount);
  // Turns the eyes away from the listener: to the avatar's left and up, as shares of the full
  // rotation.
  void Look(double at_s, float x, float y);
  void Smile(const Pulse& smile) { smiles_.Add(smile); }

  // Nothing more will be added: everything is at rest at `end_s`.
  void Finish(double end_s);
  // Writes weights in 0..1 at t. Times must not decrease.
  void At(double t_s, const MouthPose& mouth, const HeadLook& head, FaceWeights& out);

 private:
  void PlanBlinks(const Phrase& phrase);
  void PlanBrows(const Phrase& phrase);
  void PlanGaze(const Phrase& phrase);
  void PlanSmile(const Phrase& phrase);
  void SetGaze(double t_s, const HeadLook& head, float presence, FaceWeights& out) const;

  Random random_;
  float smile_right_;  // smile of the right side relative to the left
  double next_blink_s_;
  double last_blink_s_ = -10;
  double gaze_planned_s_ = 0;
  double end_s_ = 1e30;
  PulseTrack blinks_, brow_inner_, brow_outer_, brow_down_, smiles_;
  GlideTrack gaze_x_, gaze_y_;
};

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_FACE_TRACK_H_
