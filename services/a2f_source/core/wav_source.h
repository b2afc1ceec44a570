// Source that makes a speaking avatar from audio: the audio unchanged, with a face and head that
// match.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_CORE_WAV_SOURCE_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_CORE_WAV_SOURCE_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "libs/speech/sound_face.h"
#include "services/a2f_source/core/emotion_track.h"
#include "services/a2f_source/core/heard_mood.h"
#include "services/a2f_source/core/sound_plan.h"
#include "services/a2f_source/core/source.h"

namespace posewire::a2f_source {

// Audio from a file, a pipe or a microphone, mixed down to one channel. One thread.
class SoundInput {
 public:
  virtual ~SoundInput() = default;
  // Samples per second; 8000 to 192000.
  virtual int rate_hz() const = 0;
  // Total number, if known.
  virtual std::optional<int64_t> samples() const { return std::nullopt; }
  // Doubts about the audio, a sentence each; complete at the end.
  virtual std::vector<std::string> notes() const { return {}; }
  // Reads up to to.size() samples in -1..1: those available, or waits for some. Returns 0 at the
  // end.
  virtual absl::StatusOr<size_t> Read(absl::Span<float> to) = 0;
};

// Makes one message per frame: the weights of speech::FaceShapeNames(), the rotations of the neck
// and head of HeadJointNames() unless the head is disabled, and the frame's share of the audio
// (from floor(k R / fps) to floor((k + 1) R / fps)) at the audio's own rate R, 16 bit. After the
// audio come speech::SoundFace::kTail_s of silence in which everything returns to rest. With a
// head, gestures are announced (SoundPlan). With emotion, the face also shows the mood that is
// heard in the voice, and that mood is announced (posewire.voice_mood). Audio is read as messages
// are requested; that of a file SoundPlan::kHearAhead_s ahead. For any other audio, a frame is
// available once it is SoundFace::kLatency_s old. The same audio and options give the same
// messages.
//
// Next returns the input's error.
class WavSource : public Source {
 public:
  // INVALID_ARGUMENT for a frame rate out of range. With `emotion` the mood that
  // is heard is announced and shown, so strongly: 0 (not at all) to 1.
  static absl::StatusOr<std::unique_ptr<WavSource>> Make(
      std::unique_ptr<SoundInput> input, std::shared_ptr<const speech::SpeechNetwork> network,
      const speech::SoundFaceOptions& options, std::optional<float> emotion = std::nullopt);

  absl::StatusOr<wire::StreamHeader> Header() override;
  absl::StatusOr<std::optional<wire::Message>> Next() override;
  std::optional<double> duration_s() const override;
  // See SoundInput::notes.
  std::vector<std::string> notes() const override { return input_->notes(); }

 private:
  WavSource(std::unique_ptr<SoundInput> input, std::unique_ptr<speech::SoundFace> face,
            const speech::SoundFaceOptions& options, std::optional<float> emotion);

  absl::Status Listen();
  // Makes the next face, and for a file those after it, unless the audio has ended.
  absl::Status HearAhead();
  wire::AudioBuffer TakeAudio(int64_t frame);

  std::unique_ptr<SoundInput> input_;
  std::unique_ptr<speech::SoundFace> face_;
  timecode::FrameRate fps_;
  bool head_;
  const double ahead_s_;
  SoundPlan plan_;
  std::optional<EmotionTrack> emotions_;
  MoodAnnouncer moods_;
  std::deque<speech::FaceFrame> faces_;  // made, not yet sent
  std::vector<float> portion_;
  std::vector<int16_t> samples_;  // heard, not yet sent
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_CORE_WAV_SOURCE_H_
