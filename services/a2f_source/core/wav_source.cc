#include "services/a2f_source/core/wav_source.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "libs/timecode/audio_position.h"
#include "services/a2f_source/core/emotion_face.h"
#include "services/a2f_source/core/say_body.h"

namespace posewire::a2f_source {
namespace {

constexpr double kPortion_s = 0.01;

int16_t ToPcm(float sample) {
  if (!std::isfinite(sample)) return 0;
  return static_cast<int16_t>(std::lround(std::clamp(sample * 32768.0f, -32768.0f, 32767.0f)));
}

}  // namespace

absl::StatusOr<std::unique_ptr<WavSource>> WavSource::Make(
    std::unique_ptr<SoundInput> input, std::shared_ptr<const speech::SpeechNetwork> network,
    const speech::SoundFaceOptions& options, std::optional<float> emotion) {
  auto face = speech::SoundFace::Make(std::move(network), input->rate_hz(), options);
  if (!face.ok()) return face.status();
  return std::unique_ptr<WavSource>(
      new WavSource(std::move(input), *std::move(face), options, emotion));
}

WavSource::WavSource(std::unique_ptr<SoundInput> input, std::unique_ptr<speech::SoundFace> face,
                     const speech::SoundFaceOptions& options, std::optional<float> emotion)
    : input_(std::move(input)),
      face_(std::move(face)),
      fps_(options.fps),
      head_(options.head),
      ahead_s_(input_->samples() ? SoundPlan::kHearAhead_s : 0),
      plan_(options.seed + 3),
      portion_(static_cast<size_t>(input_->rate_hz() * kPortion_s)) {
  if (emotion) emotions_.emplace(EmotionSettings{.given_strength = 0, .strength = *emotion});
}

absl::StatusOr<wire::StreamHeader> WavSource::Header() {
  wire::StreamHeader header;
  header.source_service_id = "posewire-wav";
  header.audio_rate_hz = input_->rate_hz();
  if (emotions_) {
    header.shapes = EmotionalShapeNames();
  } else {
    for (const absl::string_view name : speech::FaceShapeNames()) header.shapes.emplace_back(name);
  }
  for (size_t j = 0; head_ && j < kHeadJoints; ++j) header.joints.emplace_back(HeadJointNames()[j]);
  return header;
}

absl::StatusOr<std::optional<wire::Message>> WavSource::Next() {
  if (absl::Status s = HearAhead(); !s.ok()) return s;
  if (faces_.empty()) return std::nullopt;
  const speech::FaceFrame* const face = &faces_.front();
  wire::DataChunk data;
  std::vector<float> weights(face->weights.begin(), face->weights.end());
  if (emotions_) {
    weights =
        WithEmotions(weights, emotions_->At(face->time_s, fps_.period_s(), EmotionsOf(face->mood)));
    moods_.Announce(face->time_s, face->mood, data.metadata);
  }
  data.pose[wire::kWeights] = {
      static_cast<int>(weights.size()), {face->time_s}, std::move(weights)};
  if (head_) {
    wire::KeyBlock& rotations = data.pose[wire::kRotations];
    rotations.width = static_cast<int>(4 * kHeadJoints);
    rotations.time_codes_s = {face->time_s};
    std::array<skel::Quat, kHeadJoints> joints;
    PoseHead(face->head, absl::MakeSpan(joints));
    for (const skel::Quat& q : joints) {
      rotations.values.insert(rotations.values.end(), {q.w, q.x, q.y, q.z});
    }
  }
  const auto gesture = plan_.Take(face->time_s);
  if (gesture && head_) data.metadata.push_back(wire::ToMetadata(*gesture));
  data.audio = TakeAudio(face->index);
  faces_.pop_front();
  return wire::MakeMessage(std::move(data));
}

std::optional<double> WavSource::duration_s() const {
  if (face_->frames() > 0) return fps_.SecondsAt(face_->frames());
  if (!input_->samples()) return std::nullopt;
  return static_cast<double>(*input_->samples()) / input_->rate_hz() + speech::SoundFace::kTail_s;
}

absl::Status WavSource::HearAhead() {
  while (faces_.empty() || faces_.back().time_s < faces_.front().time_s + ahead_s_) {
    if (const speech::FaceFrame* face = face_->Next()) {
      faces_.push_back(*face);
      plan_.Hear(*face);
    } else if (face_->frames() > 0) {
      return absl::OkStatus();
    } else if (absl::Status s = Listen(); !s.ok()) {
      return s;
    }
  }
  return absl::OkStatus();
}

absl::Status WavSource::Listen() {
  const auto count = input_->Read(absl::MakeSpan(portion_));
  if (!count.ok()) return count.status();
  const auto heard = absl::MakeConstSpan(portion_).subspan(0, *count);
  face_->Add(heard);
  if (heard.empty()) face_->Finish();
  std::transform(heard.begin(), heard.end(), std::back_inserter(samples_), ToPcm);
  return absl::OkStatus();
}

wire::AudioBuffer WavSource::TakeAudio(int64_t frame) {
  const int rate_hz = input_->rate_hz();
  const int64_t first = timecode::FirstSampleOfTick(frame, rate_hz, fps_);
  const auto count =
      static_cast<size_t>(timecode::FirstSampleOfTick(frame + 1, rate_hz, fps_) - first);
  wire::AudioBuffer audio;
  audio.time_code_s = static_cast<double>(first) / rate_hz;
  const auto end = samples_.begin() + static_cast<std::ptrdiff_t>(std::min(count, samples_.size()));
  audio.samples.assign(samples_.begin(), end);
  audio.samples.resize(count);
  samples_.erase(samples_.begin(), end);
  return audio;
}

}  // namespace posewire::a2f_source
