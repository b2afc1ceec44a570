// A speaking avatar from sound: the sound as it came, and face and head that go with it.
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
#include "services/a2f_source/core/sound_plan.h"
#include "services/a2f_source/core/source.h"

namespace posewire::a2f_source {

// Sound from a file, a pipe or a microphone, mixed down to one channel. One thread.
class SoundInput {
 public:
  virtual ~SoundInput() = default;
  // Samples a second; 8000 to 192000.
  virtual int rate_hz() const = 0;
  // In all, where it is known.
  virtual std::optional<int64_t> samples() const { return std::nullopt; }
  // What was doubtful about it, a sentence each; all at the end.
  virtual std::vector<std::string> notes() const { return {}; }
  // Up to to.size() samples in -1..1: those that are there, or waits for some; 0 at the end.
  virtual absl::StatusOr<size_t> Read(absl::Span<float> to) = 0;
};

// One message a frame: the weights of speech::FaceShapeNames(), the rotations of the neck and head
// of HeadJointNames() unless the options leave out the head, and the frame's share of the sound
// (from floor(k R / fps) to floor((k + 1) R / fps)) at the sound's own rate R, 16 bit. After the
// sound come speech::SoundFace::kTail_s of silence in which all comes to rest. With a head,
// gestures are announced (SoundPlan). Sound is read as messages are asked for; that of a file
// SoundPlan::kHearAhead_s ahead. Of any other sound a frame is there once it is
// SoundFace::kLatency_s old. The same sound and options give the same messages.
//
// Next returns the input's error.
class WavSource : public Source {
 public:
  // INVALID_ARGUMENT for a frame rate out of range.
  static absl::StatusOr<std::unique_ptr<WavSource>> Make(
      std::unique_ptr<SoundInput> input, std::shared_ptr<const speech::SpeechNetwork> network,
      const speech::SoundFaceOptions& options);

  absl::StatusOr<wire::StreamHeader> Header() override;
  absl::StatusOr<std::optional<wire::Message>> Next() override;
  std::optional<double> duration_s() const override;
  // As SoundInput::notes.
  std::vector<std::string> notes() const override { return input_->notes(); }

 private:
  WavSource(std::unique_ptr<SoundInput> input, std::unique_ptr<speech::SoundFace> face,
            const speech::SoundFaceOptions& options);

  absl::Status Listen();
  // Has the next face, and with a file those behind it, unless there are no more.
  absl::Status HearAhead();
  wire::AudioBuffer TakeAudio(int64_t frame);

  std::unique_ptr<SoundInput> input_;
  std::unique_ptr<speech::SoundFace> face_;
  timecode::FrameRate fps_;
  bool head_;
  const double ahead_s_;
  SoundPlan plan_;
  std::deque<speech::FaceFrame> faces_;  // heard and not sent
  std::vector<float> portion_;
  std::vector<int16_t> samples_;  // what was heard and not sent
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_CORE_WAV_SOURCE_H_
