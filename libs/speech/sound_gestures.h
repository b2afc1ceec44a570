// What a face and a head do beside the lips while somebody speaks: blinks, brows, gaze, nods. From
// text they follow words (FaceTrack::Add); here they follow what can be heard of a voice whose
// words nobody knows: syllables louder than their neighbours, pauses, and how lively it is.
#ifndef POSEWIRE_LIBS_SPEECH_SOUND_GESTURES_H_
#define POSEWIRE_LIBS_SPEECH_SOUND_GESTURES_H_

#include "libs/random/random.h"
#include "libs/speech/face_track.h"
#include "libs/speech/head_track.h"

namespace posewire::speech {

// One thread; the same seed and sound give the same gestures.
class SoundGestures {
 public:
  // Borrows face and head.
  SoundGestures(uint64_t seed, FaceTrack& face, HeadTrack& head)
      : random_(seed), face_(face), head_(head) {}

  // The next 10 ms: their loudness (SpeechFeatures::loudness), whether somebody speaks, and how
  // lively (0..1). What follows from them begins at `now_s`.
  void Step(double now_s, double loudness, bool speaking, float arousal);

 private:
  bool IsAccent(double loudness);
  void Accent(double now_s);
  void Begin(double now_s);
  void Pause(double now_s);

  Random random_;
  FaceTrack& face_;
  HeadTrack& head_;
  bool speaking_ = false;
  double began_s_ = 0, pause_at_s_ = 1e30;
  float arousal_ = 0.5f;
  // Of syllables: the loudness, smoothed; its highest since the last low; the usual height of such
  // peaks, and how much they differ.
  double envelope_ = -14, top_ = -14, low_ = -14;
  bool rising_ = false;
  double usual_top_ = -14, spread_ = 1;
  double last_nod_s_ = -10, last_brow_s_ = -10, next_look_s_ = 0.5;
};

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_SOUND_GESTURES_H_
