#include "libs/speech/sound_face.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace posewire::speech {
absl::StatusOr<std::unique_ptr<SoundFace>> SoundFace::Make(
    std::shared_ptr<const SpeechNetwork> network, int rate_hz, const SoundFaceOptions& options) {
  if (rate_hz < kMinSoundRate_hz || rate_hz > kMaxSoundRate_hz) {
    return absl::InvalidArgumentError(absl::StrCat("samples a second: ", rate_hz, ", ",
                                                   kMinSoundRate_hz, " to ", kMaxSoundRate_hz,
                                                   " is right"));
  }
  const timecode::FrameRate fps = options.fps;
  if (fps.num <= 0 || fps.den <= 0 || fps.hz() < 23 || fps.hz() > 120) {
    return absl::InvalidArgumentError(
        absl::StrCat("fps: ", timecode::ToString(fps),
                     " is out of range; the face of a sound takes 23.976 to 120"));
  }
  return std::unique_ptr<SoundFace>(new SoundFace(std::move(network), rate_hz, options));
}

SoundFace::SoundFace(std::shared_ptr<const SpeechNetwork> network, int rate_hz,
                     const SoundFaceOptions& options)
    : rate_hz_(rate_hz),
      options_(options),
      hearing_(std::move(network), rate_hz),
      head_random_(options.seed + 1),
      face_(options.seed),
      head_(head_random_),
      gestures_(options.seed + 2, face_, head_),
      tuner_(options.tuning) {}

void SoundFace::Add(absl::Span<const float> samples) { hearing_.Add(samples); }

void SoundFace::Finish() {
  finished_ = true;
  end_s_ = static_cast<double>(samples()) / rate_hz_;
  last_frame_ = static_cast<int64_t>(std::ceil((end_s_ + kTail_s) * options_.fps.hz()));
  // The last frame is the first one at rest.
  const double rest_s = options_.fps.SecondsAt(last_frame_);
  face_.Finish(rest_s);
  head_.Finish(rest_s);
}

const FaceFrame* SoundFace::Next() {
  if (finished_ && next_frame_ > last_frame_) return nullptr;
  const double t_s = options_.fps.SecondsAt(next_frame_);
  while (!Ready(t_s)) {
    const HeardStep* step = hearing_.Next(/*pad=*/finished_);
    if (step == nullptr) return nullptr;
    Take(*step);
  }
  MakeFrame(t_s);
  ++next_frame_;
  return &frame_;
}

// Returns whether the network has heard all that the mouth at t_s depends on.
bool SoundFace::Ready(double t_s) const {
  return static_cast<double>(mouth_.frames()) * kHop_s + 1e-9 >= t_s + SoundMouth::kAhead_s;
}

void SoundFace::Take(const HeardStep& step) {
  const std::optional<Syllable> syllable = syllables_.Step(step.hop);
  mood_.Step(step.hop, mouth_.speaking());
  if (step.frame == nullptr) return;
  const bool over = static_cast<double>(step.index) * kHop_s >= end_s_;
  mouth_.Add(*step.frame, over ? -1e9 : step.frame_loudness);
  // A gesture that begins after the end would not come to rest in time.
  const double now_s = options_.fps.SecondsAt(next_frame_);
  if (now_s < end_s_) {
    gestures_.Step(now_s, step.loudness, mouth_.speaking(), step.frame->arousal);
  }
  if (syllable && mouth_.speaking() &&
      (!syllable_ || syllable->prominence > syllable_->prominence)) {
    syllable_ = syllable;
  }
}

void SoundFace::MakeFrame(double t_s) {
  frame_.index = next_frame_;
  frame_.time_s = t_s;
  frame_.syllable = std::exchange(syllable_, std::nullopt);
  frame_.head = options_.head ? head_.At(t_s) : HeadAngles{};
  face_.At(t_s, mouth_.At(t_s), frame_.head.look(), frame_.weights);
  tuner_.Apply(options_.fps.period_s(), frame_.weights);
  const SoundFrame& heard = hearing_.frame(static_cast<size_t>(t_s / kHop_s));
  frame_.classes = heard.classes;
  frame_.arousal = heard.arousal;
  frame_.mood = mood_.mood();
  frame_.speaking = mouth_.speaking();
}

}  // namespace posewire::speech
