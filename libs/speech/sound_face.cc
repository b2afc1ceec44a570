#include "libs/speech/sound_face.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace posewire::speech {
namespace {

// Of a sound at a time, so that no call takes long.
constexpr size_t kPortion = 256;

float Clean(float sample) { return std::isfinite(sample) ? std::clamp(sample, -1.0f, 1.0f) : 0.0f; }

}  // namespace

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
    : network_(std::move(network)),
      rate_hz_(rate_hz),
      options_(options),
      resampler_(rate_hz),
      run_(network_),
      loudness_(network_->lookahead() + 1),
      head_random_(options.seed + 1),
      face_(options.seed),
      head_(head_random_),
      gestures_(options.seed + 2, face_, head_),
      tuner_(options.tuning) {}

void SoundFace::Add(absl::Span<const float> samples) {
  if (sound_at_ > sound_.size() / 2) {
    sound_.erase(sound_.begin(), sound_.begin() + static_cast<std::ptrdiff_t>(sound_at_));
    sound_at_ = 0;
  }
  const size_t before = sound_.size();
  sound_.resize(before + samples.size());
  std::transform(samples.begin(), samples.end(),
                 sound_.begin() + static_cast<std::ptrdiff_t>(before), Clean);
  samples_ += static_cast<int64_t>(samples.size());
}

void SoundFace::Finish() {
  finished_ = true;
  end_s_ = static_cast<double>(samples_) / rate_hz_;
  last_frame_ = static_cast<int64_t>(std::ceil((end_s_ + kTail_s) * options_.fps.hz()));
  // The last face is the first at rest.
  const double rest_s = options_.fps.SecondsAt(last_frame_);
  face_.Finish(rest_s);
  head_.Finish(rest_s);
}

const FaceFrame* SoundFace::Next() {
  if (finished_ && next_frame_ > last_frame_) return nullptr;
  const double t_s = options_.fps.SecondsAt(next_frame_);
  while (!Ready(t_s)) {
    if (heard_.size() - heard_at_ >= kHopSamples) {
      Hear(absl::MakeConstSpan(heard_).subspan(heard_at_, kHopSamples));
      heard_at_ += kHopSamples;
    } else if (!TakeSound()) {
      return nullptr;
    }
  }
  MakeFrame(t_s);
  ++next_frame_;
  return &frame_;
}

// Whether what the mouth at t depends on was heard.
bool SoundFace::Ready(double t_s) const {
  return static_cast<double>(mouth_.frames()) * kHop_s + 1e-9 >= t_s + SoundMouth::kAhead_s;
}

bool SoundFace::TakeSound() {
  heard_.erase(heard_.begin(), heard_.begin() + static_cast<std::ptrdiff_t>(heard_at_));
  heard_at_ = 0;
  constexpr float kSilence[kPortion] = {};
  const size_t left = sound_.size() - sound_at_;
  if (left == 0 && !finished_) return false;
  const size_t count = left == 0 ? kPortion : std::min(left, kPortion);
  resampler_.Process({left == 0 ? kSilence : sound_.data() + sound_at_, count}, heard_);
  if (left > 0) sound_at_ += count;
  return true;
}

void SoundFace::Hear(absl::Span<const float> hop) {
  features_.Step(hop, feature_frame_);
  const std::optional<Syllable> syllable = syllables_.Step(hop);
  loudness_[steps_ % loudness_.size()] = features_.loudness();
  const absl::Span<const float> logits = run_.Step(feature_frame_);
  ++steps_;
  const double now_s = options_.fps.SecondsAt(next_frame_);
  if (steps_ >= loudness_.size()) {
    const size_t frame = steps_ - loudness_.size();
    const bool over = static_cast<double>(frame) * kHop_s >= end_s_;
    SoundFrame& heard = frames_heard_[frame % kRing] = run_.Read(logits);
    mouth_.Add(heard, over ? -1e9 : loudness_[frame % loudness_.size()]);
    // What begins behind the end would not come to rest in time.
    if (now_s < end_s_) {
      gestures_.Step(now_s, features_.loudness(), mouth_.speaking(), heard.arousal);
    }
    if (syllable && mouth_.speaking() &&
        (!syllable_ || syllable->prominence > syllable_->prominence)) {
      syllable_ = syllable;
    }
  }
}

void SoundFace::MakeFrame(double t_s) {
  frame_.index = next_frame_;
  frame_.time_s = t_s;
  frame_.syllable = std::exchange(syllable_, std::nullopt);
  frame_.head = options_.head ? head_.At(t_s) : HeadAngles{};
  face_.At(t_s, mouth_.At(t_s), frame_.head.look(), frame_.weights);
  tuner_.Apply(options_.fps.period_s(), frame_.weights);
  const SoundFrame& heard = frames_heard_[static_cast<size_t>(t_s / kHop_s) % kRing];
  frame_.classes = heard.classes;
  frame_.arousal = heard.arousal;
  frame_.speaking = mouth_.speaking();
}

}  // namespace posewire::speech
