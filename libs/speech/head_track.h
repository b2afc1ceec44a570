// The movement of a speaking head: it nods at the voice's accents, tilts at questions, shakes at a
// no, and drifts a little all the time.
#ifndef POSEWIRE_LIBS_SPEECH_HEAD_TRACK_H_
#define POSEWIRE_LIBS_SPEECH_HEAD_TRACK_H_

#include <array>
#include <deque>

#include "libs/random/random.h"
#include "libs/speech/face_track.h"
#include "libs/speech/phrase.h"
#include "libs/speech/pulse_track.h"

namespace posewire::speech {

// Degrees: down, to the avatar's left, and over its right shoulder.
struct HeadAngles {
  float pitch_deg = 0, yaw_deg = 0, roll_deg = 0;

  HeadLook look() const { return {yaw_deg * kDeg, pitch_deg * kDeg}; }

 private:
  static constexpr float kDeg = 0.01745329252f;
};

// The same random numbers and calls give the same motion. Movements must be planned after the last
// time passed to At. One thread.
class HeadTrack {
 public:
  explicit HeadTrack(Random& random);

  // Plans the head's movement for a phrase. It begins up to 0.3 s before the phrase.
  void Add(const Phrase& phrase, Random& random);
  // Plan single movements, for speech whose words are unknown: a nod that is lowest 0.21 s after
  // `from_s`, and a turn within 0.55 s.
  void Nod(double from_s, float size_deg);
  void Turn(double from_s, float yaw_deg);
  // Nothing more will be added: everything is at rest at `end_s`.
  void Finish(double end_s) { end_s_ = end_s; }

  // Times must not decrease.
  HeadAngles At(double t_s);

 private:
  struct Shake {
    double from_s, to_s;
    float amount;
  };

  std::array<double, 6> phase_{};
  double end_s_ = 1e30;
  PulseTrack nods_, tilts_;
  GlideTrack turn_;
  std::deque<Shake> shakes_;
  double shake_free_s_ = 0;
  float tilt_side_ = 1;
};

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_HEAD_TRACK_H_
