#include "services/renderer_sink/core/jitter_buffer.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

#include "libs/skel/blend_job.h"

namespace posewire::renderer_sink {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kStretch_s = 5;
// Share of the time by which the shift is corrected in silence.
constexpr double kAdjusting = 0.05;
// Beyond these shares of the delay the shift is adjusted.
constexpr double kLowMargin = 0.25, kHighMargin = 1.5;
// Minimum distance of keys across connections.
constexpr double kLeastStep_s = 1.0 / 60;

bool IsSilent(const std::optional<wire::AudioBuffer>& audio) {
  return !audio || std::all_of(audio->samples.begin(), audio->samples.end(), [](int16_t sample) {
    return std::abs(sample) <= JitterBuffer::kSilence;
  });
}

// From one rate to another, rounded; the product of both factors would be too large.
int64_t Rescale(int64_t sample, int64_t from_hz, int64_t to_hz) {
  return sample / from_hz * to_hz + (sample % from_hz * to_hz + from_hz / 2) / from_hz;
}

}  // namespace

JitterBuffer::JitterBuffer(std::shared_ptr<const skel::Rig> rig, double delay_s,
                           const skel::Pose& at_ease)
    : rig_(std::move(rig)),
      delay_s_(delay_s),
      pose_(rig_->joints(), rig_->shapes()),
      rest_(rig_->joints(), rig_->shapes()) {
  rest_.span().CopyFrom(rig_->rest());
  const skel::PoseView ease = at_ease.view();
  for (int j = 0; j < std::min(ease.joints, rig_->joints()); ++j) {
    if (ease.has_r[j]) rest_.span().SetRotation(j, ease.rotation(j));
  }
}

absl::Status JitterBuffer::OnHeader(const wire::StreamHeader& header,
                                    const skel::RigCatalog& catalog) {
  wire::BindingOptions options;
  options.all_translations = !catalog.Find(rig_->name()).ok();
  auto binding = wire::SourceBinding::Make(header, rig_, catalog, options);
  if (!binding.ok()) return binding.status();
  const int shapes = static_cast<int>(header.shapes.size());
  const int joints = static_cast<int>(header.joints.size());
  if (!binding_ || header.shapes != shapes_ || header.joints != joints_) {
    tracks_ = {{shapes, false}, {3 * joints, false}, {4 * joints, true}, {3 * joints, false}};
    for (size_t t = 0; t < tracks_.size(); ++t) {
      between_[t].resize(static_cast<size_t>(tracks_[t].width()));
    }
    shapes_ = header.shapes;
    joints_ = header.joints;
  }
  binding_ = *std::move(binding);
  anchored_ = false;
  voice_.Begin(header.audio_rate_hz.value_or(VoiceLine::kRate_hz));
  placer_.reset();
  if (header.audio_rate_hz) placer_.emplace(*header.audio_rate_hz);
  return absl::OkStatus();
}

double JitterBuffer::EndOfKeys() const {
  double end_s = -kInfinity;
  for (const skel::KeyTrack& track : tracks_) {
    if (!track.empty()) end_s = std::max(end_s, track.newest_s());
  }
  return end_s;
}

double JitterBuffer::end_s() const { return std::max(EndOfKeys(), EndOfVoice()); }

void JitterBuffer::Anchor(double time_code_s, double now_s) {
  const double free_s =
      std::max(EndOfKeys() + kLeastStep_s, static_cast<double>(voice_.end()) / VoiceLine::kRate_hz);
  const double at_s = std::max(now_s + delay_s_, free_s);
  shift_ = timecode::SampleAt(at_s, VoiceLine::kRate_hz) -
           timecode::SampleAt(time_code_s, VoiceLine::kRate_hz);
  voice_.EndRun();
  if (placer_) placer_.emplace(placer_->rate_hz());
  anchored_ = true;
  stretch_end_s_ = now_s + kStretch_s;
  margin_s_ = margin_before_s_ = delay_s_;
}

void JitterBuffer::Adjust(const wire::DataChunk& data, double now_s) {
  if (now_s >= stretch_end_s_) {
    stretch_end_s_ = now_s + kStretch_s;
    margin_before_s_ = std::exchange(margin_s_, kInfinity);
  }
  const double held_s = EndOfKeys();
  margin_s_ = std::min(margin_s_, (std::isfinite(held_s) ? held_s : EndOfVoice()) - now_s);
  const bool was_silent = std::exchange(silent_, IsSilent(data.audio));
  if (!was_silent || !silent_) return;
  const double least_s = std::min(margin_s_, margin_before_s_);
  const double most_s =
      kAdjusting * std::clamp(data.earliest_time_code_s - last_code_s_, 0.0, 2 * delay_s_);
  double step_s = 0;
  if (least_s > kHighMargin * delay_s_) step_s = -std::min(most_s, least_s - delay_s_);
  if (least_s < kLowMargin * delay_s_) step_s = std::min(most_s, delay_s_ - least_s);
  const int64_t step = timecode::SampleAt(step_s, VoiceLine::kRate_hz);
  shift_ += step;
  voice_.Shift(step);
  const double moved_s = static_cast<double>(step) / VoiceLine::kRate_hz;
  margin_s_ += moved_s;
  margin_before_s_ += moved_s;
}

bool JitterBuffer::OnData(const wire::DataChunk& data, double now_s) {
  const double time_code_s = data.earliest_time_code_s;
  if (!binding_ || !std::isfinite(time_code_s)) return false;
  const double ahead_s = time_code_s + shift_s() - now_s;
  if (!anchored_) {
    Anchor(time_code_s, now_s);
  } else if (ahead_s < 0) {
    ++counts_.late;
    Anchor(time_code_s, now_s);
  } else if (ahead_s > kMostAhead_s) {
    Anchor(time_code_s, now_s);  // a jump of time codes has no place to wait for
  } else {
    Adjust(data, now_s);
  }
  last_code_s_ = time_code_s;
  const bool full = time_code_s + shift_s() - now_s > kMostAhead_s ||
                    std::any_of(tracks_.begin(), tracks_.end(),
                                [](const auto& track) { return track.size() > kMostKeys; });
  if (full) {
    ++counts_.left_out;
    return false;
  }
  for (size_t t = 0; t < tracks_.size(); ++t) {
    const wire::KeyBlock& keys = data.pose[t];
    codes_s_.assign(keys.time_codes_s.begin(), keys.time_codes_s.end());
    for (double& key_s : codes_s_) key_s += shift_s();
    tracks_[t].Append(codes_s_, keys.values);
  }
  if (data.audio && placer_) AppendVoice(*data.audio);
  return true;
}

void JitterBuffer::AppendVoice(const wire::AudioBuffer& audio) {
  const auto placed = placer_->Place(audio.time_code_s, static_cast<int64_t>(audio.samples.size()));
  if (placed.silence_before > 0) voice_.EndRun();
  voice_.Append(Rescale(placed.first_sample, placer_->rate_hz(), VoiceLine::kRate_hz) + shift_,
                absl::MakeConstSpan(audio.samples).subspan(static_cast<size_t>(placed.drop)));
}

void JitterBuffer::PoseAt(double at_s, const skel::PoseSpan& out) {
  const bool fresh = EndOfKeys() + kHold_s >= at_s;
  const double step = (at_s - std::exchange(last_at_s_, at_s)) / kToRest_s;
  shown_ = shown_ < 0 ? (fresh ? 1 : 0) : std::clamp(shown_ + (fresh ? step : -step), 0.0, 1.0);
  if (fresh) {
    wire::SourceBinding::Sample sample;
    for (size_t t = 0; t < tracks_.size(); ++t) {
      sample.track[t] = tracks_[t].Sample(at_s, absl::MakeSpan(between_[t]));
    }
    binding_->Apply(sample, pose_.span());
    for (skel::KeyTrack& track : tracks_) track.DiscardBefore(at_s);
  }
  const auto weight = static_cast<float>(shown_);
  const skel::BlendJob::Input inputs[] = {{pose_.view(), weight}, {rest_.view(), 1 - weight}};
  skel::BlendJob{.inputs = inputs, .below = rest_.view(), .out = out}.Run();
}

}  // namespace posewire::renderer_sink
