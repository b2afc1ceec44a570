// Movements of face and head other than the lips during speech: blinks, brows, gaze, nods. With
// text, they follow words (FaceTrack::Add). Here they follow the audio of a voice whose words are
// unknown: syllables louder than their neighbours, pauses, and how lively it is.
#ifndef POSEWIRE_LIBS_SPEECH_SOUND_GESTURES_H_
#define POSEWIRE_LIBS_SPEECH_SOUND_GESTURES_H_

#include "libs/random/random.h"
#include "libs/speech/face_track.h"
#include "libs/speech/head_track.h"

namespace posewire::speech {

// The same seed and audio give the same gestures. One thread.
class SoundGestures {
 public:
  // `face` and `head` must outlive this.
  SoundGestures(uint64_t seed, FaceTrack& face, HeadTrack& head)
      : random_(seed), face_(face), head_(head) {}

  // Processes the next 10 ms: their loudness (SpeechFeatures::loudness), whether there is speech,
  // and how lively it is (0..1). Resulting movements begin at `now_s`.
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
  // Of syllables: the smoothed loudness; its maximum since the last minimum; the usual height of
  // such peaks, and how much they vary.
  double envelope_ = -14, top_ = -14, low_ = -14;
  bool rising_ = false;
  double usual_top_ = -14, spread_ = 1;
  double last_nod_s_ = -10, last_brow_s_ = -10, next_look_s_ = 0.5;
};

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_SOUND_GESTURES_H_
