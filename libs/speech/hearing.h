// Runs the network on audio: takes samples in any portions, and returns one frame of probabilities
// per 10 ms.
#ifndef POSEWIRE_LIBS_SPEECH_HEARING_H_
#define POSEWIRE_LIBS_SPEECH_HEARING_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "libs/speech/sound_resampler.h"
#include "libs/speech/speech_features.h"
#include "libs/speech/speech_network.h"

namespace posewire::speech {

// One step of 10 ms. The network looks ahead, so its frame is SpeechNetwork::lookahead() steps
// before the newest audio.
struct HeardStep {
  absl::Span<const float> hop;  // the newest audio, kHopSamples at 16 kHz
  double loudness = 0;          // its SpeechFeatures::loudness
  // Null in the first steps.
  const SoundFrame* frame = nullptr;
  size_t index = 0;           // of the frame
  double frame_loudness = 0;  // of the audio at the frame
};

// Several may share a network. One thread.
class Hearing {
 public:
  // `rate_hz` from kMinSoundRate_hz to kMaxSoundRate_hz.
  Hearing(std::shared_ptr<const SpeechNetwork> network, int rate_hz);

  // Adds mono samples. Values beyond -1..1 are clipped, and NaN is silence. They are kept until
  // Next needs them.
  void Add(absl::Span<const float> samples);
  void Add(absl::Span<const int16_t> samples);

  // Returns the next step; null if that needs more audio. With `pad`, endless silence follows the
  // audio. Valid until the next call.
  const HeardStep* Next(bool pad);

  int64_t samples() const { return samples_; }  // that were added

  static constexpr size_t kRing = 32;
  // Returns a frame among the last kRing.
  const SoundFrame& frame(size_t index) const { return frames_[index % kRing]; }

 private:
  bool TakeSound(bool pad);
  float* Room(size_t count);

  std::shared_ptr<const SpeechNetwork> network_;
  std::vector<float> sound_;  // as received, from sound_at_ on
  size_t sound_at_ = 0;
  int64_t samples_ = 0;
  SoundResampler resampler_;
  std::vector<float> heard_;  // at 16 kHz, from heard_at_ on
  size_t heard_at_ = 0;
  SpeechFeatures features_;
  FeatureFrame feature_frame_{};
  SpeechNetworkRun run_;
  size_t steps_ = 0;
  std::vector<double> loudness_;  // for each frame of the network's look-ahead, plus one
  std::vector<SoundFrame> frames_;
  HeardStep step_;
};

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_HEARING_H_
