// A speaking face from sound: samples in, in any portions; faces out, so many a second.
//
//   auto face = SoundFace::Make(SpeechNetwork::Builtin(), 48000, {.fps = {60, 1}});
//   (*face)->Add(samples);                      // as they come
//   while (const FaceFrame* frame = (*face)->Next()) Send(*frame);
//   ...
//   (*face)->Finish();                          // and Next until it gives nothing
//
// The sound goes to 16 kHz, each 10 ms of it to features, those through the network, and what that
// hears to the mouth (sound_mouth.h) and to what moves around it (sound_gestures.h). The face of a
// time is known `kLatency_s` after the sound of that time, however fast or slow the sound comes.
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
#include "libs/timecode/frame_rate.h"

namespace posewire::speech {

struct SoundFaceOptions {
  timecode::FrameRate fps;  // faces a second; 23.976 to 120
  uint64_t seed = 0;        // chooses among the ways to move beside the lips
  // Moves the head too; the eyes turn against it. Without it `head` stays straight.
  bool head = true;
  FaceTuning tuning;
};

struct FaceFrame {
  int64_t index = 0;  // from 0; its sound begins at timecode::FirstSampleOfTick(index, rate, fps)
  double time_s = 0;  // index / fps
  FaceWeights weights{};  // of FaceShapeNames(); in 0..1, unless the tuning does not clamp
  HeadAngles head;
  // What is heard at that time: how likely each sound is, whether somebody speaks, and how lively
  // the voice is (0..1, 0.5 is neutral).
  std::array<float, kSoundClasses> classes{};
  bool speaking = false;
  float arousal = 0.5f;
  // The most prominent syllable that ended since the face before: up to kLatency_s ahead of this
  // time, or up to half a second behind.
  std::optional<Syllable> syllable = std::nullopt;
};

// One sound. One thread at a time; several sounds may share a network. The same sound, options and
// network give the same faces bit for bit on one machine, however the sound is cut.
class SoundFace {
 public:
  // After the last sample come faces for so long, in which the face comes to rest.
  static constexpr double kTail_s = 0.5;
  // The face of time t is there once the sound is up to t + kLatency_s, with a network that looks
  // 70 ms ahead.
  static constexpr double kLatency_s = 0.145;

  // INVALID_ARGUMENT for a rate that is not in kMinSoundRate_hz..kMaxSoundRate_hz, and for frames a
  // second out of range.
  static absl::StatusOr<std::unique_ptr<SoundFace>> Make(
      std::shared_ptr<const SpeechNetwork> network, int rate_hz, const SoundFaceOptions& options);

  SoundFace(const SoundFace&) = delete;
  SoundFace& operator=(const SoundFace&) = delete;

  // The next samples, mono; beyond -1..1 they are clipped, and what is no number is silence. They
  // are kept until Next has need of them: whoever adds without end and never asks fills the memory.
  void Add(absl::Span<const float> samples);
  // There is no more sound. Nothing may be added any more.
  void Finish();

  // The next face; null when that needs more sound, and after the last one. Valid until the next
  // call. It computes at most as much as one face takes.
  const FaceFrame* Next();

  // How many faces there are in all; 0 before Finish.
  int64_t frames() const { return last_frame_ + 1; }
  // Samples that were added.
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
  std::optional<Syllable> syllable_;  // for the next frame
  int64_t next_frame_ = 0;
};

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_SOUND_FACE_H_
