// The speaking face as weights of ARKit's shapes: the mouth's visemes, with blinks, brows, gaze and
// small smiles around them that follow the words.
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
// twelve (wide eyes, frown, sneer and such) are not named, and so stay free for other sources.
absl::Span<const absl::string_view> FaceShapeNames();

// Where the head looks, against straight ahead; the eyes turn against it to stay on the listener.
struct HeadLook {
  float yaw_rad = 0;    // to the avatar's left
  float pitch_rad = 0;  // down
};

// One thread; the same seed and phrases give the same face. Phrases come in order, each before the
// times it touches are asked for (it acts up to 0.3 s before its start).
class FaceTrack {
 public:
  explicit FaceTrack(uint64_t seed);

  void Add(const Phrase& phrase);

  // The same piece by piece, for speech whose words nobody knows. Each begins at a time that was
  // not asked for yet, and not before the last of its kind.
  void Blink(double t_s);
  // When the next blink is due if nothing brings one on before.
  double next_blink_s() const { return next_blink_s_; }
  double last_blink_s() const { return last_blink_s_; }
  void RaiseBrows(double from_s, double hold_s, float amount);
  // Turns the eyes from the listener: to the avatar's left and up, as parts of the eyes' full turn.
  void Look(double at_s, float x, float y);
  void Smile(const Pulse& smile) { smiles_.Add(smile); }

  // Nothing is added any more: everything has come to rest at `end_s`.
  void Finish(double end_s);
  // Weights in 0..1 at t. Times do not go back.
  void At(double t_s, const MouthPose& mouth, const HeadLook& head, FaceWeights& out);

 private:
  void PlanBlinks(const Phrase& phrase);
  void PlanBrows(const Phrase& phrase);
  void PlanGaze(const Phrase& phrase);
  void PlanSmile(const Phrase& phrase);
  void SetGaze(double t_s, const HeadLook& head, float presence, FaceWeights& out) const;

  Random random_;
  float smile_right_;  // the right side's part of the left one's smile
  double next_blink_s_;
  double last_blink_s_ = -10;
  double gaze_planned_s_ = 0;
  double end_s_ = 1e30;
  PulseTrack blinks_, brow_inner_, brow_outer_, brow_down_, smiles_;
  GlideTrack gaze_x_, gaze_y_;
};

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_FACE_TRACK_H_
