// Makes a speaking face from audio: takes samples in any portions, and returns faces at a fixed
// rate.
//
//   auto face = SoundFace::Make(SpeechNetwork::Builtin(), 48000, {.fps = {60, 1}});
//   (*face)->Add(samples);                      // as they come
//   while (const FaceFrame* frame = (*face)->Next()) Send(*frame);
//   ...
//   (*face)->Finish();                          // and Next until it returns null
//
// Audio is resampled to 16 kHz and converted to features every 10 ms. The network's output for
// these drives the mouth (sound_mouth.h) and the other movements (sound_gestures.h). The face at a
// time is known `kLatency_s` after the audio of that time, whatever the speed of the input.
#ifndef POSEWIRE_LIBS_SPEECH_SOUND_FACE_H_
#define POSEWIRE_LIBS_SPEECH_SOUND_FACE_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "libs/speech/face_track.h"
#include "libs/speech/face_tuning.h"
#include "libs/speech/head_track.h"
#include "libs/speech/hearing.h"
#include "libs/speech/sound_gestures.h"
#include "libs/speech/sound_mouth.h"
#include "libs/speech/speech_network.h"
#include "libs/speech/syllable_track.h"
#include "libs/speech/voice_mood.h"
#include "libs/timecode/frame_rate.h"

namespace posewire::speech {

struct SoundFaceOptions {
  timecode::FrameRate fps;  // faces per second; 23.976 to 120
  uint64_t seed = 0;        // selects among the movements other than the lips
  // Also moves the head; the eyes turn against it. If false, `head` stays straight.
  bool head = true;
  FaceTuning tuning;
};

struct FaceFrame {
  int64_t index = 0;  // from 0; its audio begins at timecode::FirstSampleOfTick(index, rate, fps)
  double time_s = 0;  // index / fps
  FaceWeights weights{};  // of FaceShapeNames(); in 0..1, unless the tuning does not clamp
  HeadAngles head;
  // Recognised at that time: the probability of each sound, whether there is speech, and how lively
  // the voice is (0..1, 0.5 is neutral).
  std::array<float, kSoundClasses> classes{};
  bool speaking = false;
  float arousal = 0.5f;
  Mood mood;  // of the voice up to kLatency_s after this time
  // The most prominent syllable that ended since the previous face: up to kLatency_s after this
  // time, or up to half a second before.
  std::optional<Syllable> syllable = std::nullopt;
};

// The face of one piece of audio. One thread at a time; several instances may share a network. The
// same audio, options and network give the same faces bit for bit on one machine, however the audio
// is divided.
class SoundFace {
 public:
  // Duration after the last sample in which the face returns to rest.
  static constexpr double kTail_s = 0.5;
  // The face of time t is available once the audio has reached t + kLatency_s, with a network that
  // looks 70 ms ahead.
  static constexpr double kLatency_s = 0.145;

  // INVALID_ARGUMENT for a sample rate not in kMinSoundRate_hz..kMaxSoundRate_hz, and for a frame
  // rate out of range.
  static absl::StatusOr<std::unique_ptr<SoundFace>> Make(
      std::shared_ptr<const SpeechNetwork> network, int rate_hz, const SoundFaceOptions& options);

  SoundFace(const SoundFace&) = delete;
  SoundFace& operator=(const SoundFace&) = delete;

  // Adds mono samples. Values beyond -1..1 are clipped, and NaN is silence. They are kept until
  // Next needs them, so memory grows if Next is not called.
  void Add(absl::Span<const float> samples);
  // The audio has ended. Nothing may be added after this.
  void Finish();

  // Returns the next face; null if that needs more audio, and after the last one. Valid until the
  // next call. Computes at most one face.
  const FaceFrame* Next();

  // Total number of faces; 0 before Finish.
  int64_t frames() const { return last_frame_ + 1; }
  // Number of samples added.
  int64_t samples() const { return hearing_.samples(); }

 private:
  SoundFace(std::shared_ptr<const SpeechNetwork> network, int rate_hz,
            const SoundFaceOptions& options);

  void Take(const HeardStep& step);
  bool Ready(double t_s) const;
  void MakeFrame(double t_s);

  int rate_hz_;
  SoundFaceOptions options_;

  bool finished_ = false;
  double end_s_ = 1e30;
  int64_t last_frame_ = -1;
  Hearing hearing_;

  SoundMouth mouth_;
  Random head_random_;
  FaceTrack face_;
  HeadTrack head_;
  SoundGestures gestures_;
  FaceTuner tuner_;
  FaceFrame frame_;
  SyllableTrack syllables_;
  VoiceMood mood_;
  std::optional<Syllable> syllable_;  // for the next frame
  int64_t next_frame_ = 0;
};

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_SOUND_FACE_H_
