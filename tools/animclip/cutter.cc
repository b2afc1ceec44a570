#include "tools/animclip/cutter.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "libs/timecode/audio_position.h"
#include "tools/animclip/key_between.h"
#include "tools/animclip/track_fields.h"

namespace posewire::animclip {

struct TimeSpan {
  double from_s, to_s;
};

template <typename Key>
class TrackCutter {
 public:
  using Keys = google::protobuf::RepeatedPtrField<Key>;

  void Cut(const TimeSpan& span, Keys* keys) {
    Keys kept;
    for (Key& key : *keys) {
      if (ended_) break;
      Take(span, std::move(key), &kept);
    }
    keys->Swap(&kept);
  }

  // Writes the last key at the start of the span if the track ended before it, because its value is
  // held.
  void Rest(const TimeSpan& span, Keys* keys) {
    if (started_ || !previous_) return;
    Emit(span, *previous_, span.from_s, keys);
  }

  int64_t kept() const { return kept_; }

 private:
  void Take(const TimeSpan& span, Key key, Keys* out) {
    const double code = key.time_code();
    if (code < span.from_s - kSameInstant_s) {
      previous_ = std::move(key);
      return;
    }
    if (!started_ && previous_ && code > span.from_s + kSameInstant_s) {
      EmitBetween(span, key, span.from_s, out);
    }
    if (code > span.to_s + kSameInstant_s) {
      if (last_emitted_s_ < span.to_s - kSameInstant_s && previous_) {
        EmitBetween(span, key, span.to_s, out);
      }
      ended_ = true;
      return;
    }
    Emit(span, key, code, out);
    previous_ = std::move(key);
  }

  // Writes the value at `at_s`, interpolated between the previous key and `next`.
  void EmitBetween(const TimeSpan& span, const Key& next, double at_s, Keys* out) {
    const double part =
        (at_s - previous_->time_code()) / (next.time_code() - previous_->time_code());
    Emit(span, KeyBetween(*previous_, next, static_cast<float>(part)), at_s, out);
  }

  void Emit(const TimeSpan& span, Key key, double time_code_s, Keys* out) {
    key.set_time_code(std::max(0.0, time_code_s - span.from_s));
    *out->Add() = std::move(key);
    started_ = true;
    last_emitted_s_ = time_code_s;
    ++kept_;
  }

  std::optional<Key> previous_;
  bool started_ = false, ended_ = false;
  double last_emitted_s_ = -std::numeric_limits<double>::infinity();
  int64_t kept_ = 0;
};

namespace {

namespace pb = nvidia_ace::animation_data::v1;

double NewestCode(const pb::AnimationData& data) {
  double newest = data.has_audio() ? data.audio().time_code() : -1;
  ForEachTrack(data, [&](auto, const auto& keys) {
    if (!keys.empty()) newest = std::max(newest, (keys.end() - 1)->time_code());
  });
  return newest;
}

}  // namespace

struct Cutter::Impl {
  explicit Impl(const TimeSpan& wanted) : span(wanted) {}

  void CutHeader(pb::AnimationDataStreamHeader& header) {
    header.set_start_time_code_since_epoch(header.start_time_code_since_epoch() + span.from_s);
    if (header.has_audio_header() && header.audio_header().samples_per_second() > 0) {
      placer.emplace(header.audio_header().samples_per_second());
    }
  }

  // Returns false if no samples are left.
  bool CutAudio(pb::AudioWithTimeCode& audio) {
    if (!placer) return false;
    const auto count = static_cast<int64_t>(audio.audio_buffer().size() / 2);
    const auto at = placer->Place(audio.time_code(), count);
    const int64_t first_wanted = timecode::SampleAt(span.from_s, placer->rate_hz());
    const int64_t end_wanted = std::isfinite(span.to_s)
                                   ? timecode::SampleAt(span.to_s, placer->rate_hz())
                                   : std::numeric_limits<int64_t>::max();
    const int64_t first = std::max(at.first_sample, first_wanted);
    const int64_t end = std::min(at.first_sample + count - at.drop, end_wanted);
    if (first >= end) return false;
    const int64_t skip = at.drop + first - at.first_sample;
    audio.set_audio_buffer(audio.audio_buffer().substr(static_cast<size_t>(2 * skip),
                                                       static_cast<size_t>(2 * (end - first))));
    audio.set_time_code(static_cast<double>(first - first_wanted) /
                        static_cast<double>(placer->rate_hz()));
    samples += end - first;
    return true;
  }

  void See(double time_code_s) {
    newest_s = time_code_s;
    if (!(time_code_s > end_s)) return;
    frame_s = time_code_s - end_s;
    end_s = time_code_s;
  }

  void SeeSound(const pb::AudioWithTimeCode& audio) {
    if (!(sound_rate_hz > 0)) return;
    const double samples_sent = static_cast<double>(audio.audio_buffer().size()) / 2;
    sound_end_s = std::max(sound_end_s, audio.time_code() + samples_sent / sound_rate_hz);
  }

  TimeSpan span;
  PerTrack<TrackCutter> tracks;
  std::optional<timecode::AudioPlacer> placer;
  // Time code of the newest message that had one. Metadata without a time code uses it.
  double newest_s = 0;
  double end_s = 0, frame_s = 0;  // the largest time code, and its distance to the one before
  double sound_rate_hz = 0, sound_end_s = 0;
  int64_t samples = 0;
};

Cutter::Cutter(double from_s, double to_s)
    : impl_(std::make_unique<Impl>(TimeSpan{from_s, to_s})) {}
Cutter::~Cutter() = default;

void Cutter::See(const pb::AnimationDataStream& message) {
  if (message.animation_data_stream_header().has_audio_header()) {
    impl_->sound_rate_hz =
        message.animation_data_stream_header().audio_header().samples_per_second();
  }
  if (!message.has_animation_data()) return;
  const pb::AnimationData& data = message.animation_data();
  if (const double newest = NewestCode(data); newest >= 0) impl_->See(newest);
  if (data.has_audio()) impl_->SeeSound(data.audio());
}

bool Cutter::Cut(pb::AnimationDataStream& message) {
  See(message);
  if (message.has_animation_data_stream_header()) {
    impl_->CutHeader(*message.mutable_animation_data_stream_header());
    return true;
  }
  if (!message.has_animation_data()) return true;
  pb::AnimationData& data = *message.mutable_animation_data();
  const TimeSpan& span = impl_->span;
  EditTracks(data,
             [&](auto track, auto& keys) { std::get<track>(impl_->tracks).Cut(span, &keys); });
  if (data.has_audio() && !impl_->CutAudio(*data.mutable_audio())) data.clear_audio();
  const bool in_span = impl_->newest_s >= span.from_s - kSameInstant_s &&
                       impl_->newest_s <= span.to_s + kSameInstant_s;
  if (!in_span) data.clear_metadata();
  return HasContent(data);
}

bool Cutter::Rest(pb::AnimationDataStream& message) {
  pb::AnimationData& data = *message.mutable_animation_data();
  EditTracks(data, [&](auto track, auto& keys) {
    std::get<track>(impl_->tracks).Rest(impl_->span, &keys);
  });
  return HasContent(data);
}

int64_t Cutter::keys() const {
  return std::apply([](const auto&... track) { return (track.kept() + ...); }, impl_->tracks);
}

int64_t Cutter::samples() const { return impl_->samples; }

double Cutter::end_s() const { return std::max(impl_->end_s, impl_->sound_end_s); }
double Cutter::frame_s() const { return impl_->frame_s; }

}  // namespace posewire::animclip
