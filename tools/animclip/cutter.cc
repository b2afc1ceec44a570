#include "tools/animclip/cutter.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "libs/skel/math.h"
#include "libs/timecode/audio_position.h"

namespace posewire::animclip {
namespace {

namespace pb = nvidia_ace::animation_data::v1;

// Codes closer than this are the same instant.
constexpr double kSame_s = 1e-6;

skel::Quat FromProto(const pb::QuatF& q) {
  const skel::Quat out{q.real(), q.i(), q.j(), q.k()};
  return skel::Normalized(out);
}

void SetBetween(const pb::QuatF& a, const pb::QuatF& b, float t, pb::QuatF* out) {
  const skel::Quat q = skel::Normalized(skel::Slerp(FromProto(a), FromProto(b), t));
  out->set_real(q.w), out->set_i(q.x), out->set_j(q.y), out->set_k(q.z);
}

void SetBetween(const pb::Float3& a, const pb::Float3& b, float t, pb::Float3* out) {
  out->set_x(a.x() + (b.x() - a.x()) * t);
  out->set_y(a.y() + (b.y() - a.y()) * t);
  out->set_z(a.z() + (b.z() - a.z()) * t);
}

pb::FloatArrayWithTimeCode Between(const pb::FloatArrayWithTimeCode& a,
                                   const pb::FloatArrayWithTimeCode& b, float t) {
  pb::FloatArrayWithTimeCode out;
  for (int i = 0; i < std::min(a.values_size(), b.values_size()); ++i) {
    out.add_values(a.values(i) + (b.values(i) - a.values(i)) * t);
  }
  return out;
}

pb::FloatWithTimeCode Between(const pb::FloatWithTimeCode& a, const pb::FloatWithTimeCode& b,
                              float t) {
  pb::FloatWithTimeCode out;
  out.set_value(a.value() + (b.value() - a.value()) * t);
  return out;
}

// Keys that hold one or many vectors or rotations.
template <typename Key>
Key Between(const Key& a, const Key& b, float t) {
  Key out;
  if constexpr (requires { a.values(0); }) {
    for (int i = 0; i < std::min(a.values_size(), b.values_size()); ++i) {
      SetBetween(a.values(i), b.values(i), t, out.add_values());
    }
  } else {
    SetBetween(a.value(), b.value(), t, out.mutable_value());
  }
  return out;
}

template <typename Key>
class TrackCutter {
 public:
  TrackCutter(double from_s, double to_s) : from_s_(from_s), to_s_(to_s) {}

  void Cut(google::protobuf::RepeatedPtrField<Key>* keys) {
    google::protobuf::RepeatedPtrField<Key> kept;
    for (Key& key : *keys) {
      if (ended_) break;
      Take(std::move(key), &kept);
    }
    keys->Swap(&kept);
  }

  // The key that is held from the start on when the track ended before it.
  void Rest(google::protobuf::RepeatedPtrField<Key>* keys) {
    if (started_ || !previous_) return;
    Emit(*previous_, from_s_, keys);
  }

  int64_t kept() const { return kept_; }

 private:
  void Take(Key key, google::protobuf::RepeatedPtrField<Key>* out) {
    const double code = key.time_code();
    if (code < from_s_ - kSame_s) {
      previous_ = std::move(key);
      return;
    }
    if (!started_ && previous_ && code > from_s_ + kSame_s) EmitBetween(key, from_s_, out);
    if (code > to_s_ + kSame_s) {
      if (last_emitted_s_ < to_s_ - kSame_s && previous_) EmitBetween(key, to_s_, out);
      ended_ = true;
      return;
    }
    Emit(key, code, out);
    previous_ = std::move(key);
  }

  // The value at `at_s`, between the key before and `next`.
  void EmitBetween(const Key& next, double at_s, google::protobuf::RepeatedPtrField<Key>* out) {
    const double part =
        (at_s - previous_->time_code()) / (next.time_code() - previous_->time_code());
    Emit(Between(*previous_, next, static_cast<float>(part)), at_s, out);
  }

  void Emit(Key key, double code_s, google::protobuf::RepeatedPtrField<Key>* out) {
    key.set_time_code(std::max(0.0, code_s - from_s_));
    *out->Add() = std::move(key);
    started_ = true;
    last_emitted_s_ = code_s;
    ++kept_;
  }

  double from_s_, to_s_;
  std::optional<Key> previous_;
  bool started_ = false, ended_ = false;
  double last_emitted_s_ = -std::numeric_limits<double>::infinity();
  int64_t kept_ = 0;
};

}  // namespace

struct Cutter::Impl {
  Impl(double from, double to)
      : from_s(from),
        to_s(to),
        weights(from, to),
        translations(from, to),
        rotations(from, to),
        scales(from, to),
        position(from, to),
        rotation(from, to),
        focal_length(from, to),
        focus_distance(from, to) {}

  void CutHeader(pb::AnimationDataStreamHeader& header) {
    header.set_start_time_code_since_epoch(header.start_time_code_since_epoch() + from_s);
    if (header.has_audio_header() && header.audio_header().samples_per_second() > 0) {
      placer.emplace(header.audio_header().samples_per_second());
    }
  }

  void CutSkel(pb::SkelAnimation& skel) {
    weights.Cut(skel.mutable_blend_shape_weights());
    translations.Cut(skel.mutable_translations());
    rotations.Cut(skel.mutable_rotations());
    scales.Cut(skel.mutable_scales());
  }

  void CutCamera(pb::Camera& camera) {
    position.Cut(camera.mutable_position());
    rotation.Cut(camera.mutable_rotation());
    focal_length.Cut(camera.mutable_focal_length());
    focus_distance.Cut(camera.mutable_focus_distance());
  }

  // False: no sample is left.
  bool CutAudio(pb::AudioWithTimeCode& audio) {
    if (!placer) return false;
    const auto count = static_cast<int64_t>(audio.audio_buffer().size() / 2);
    const auto at = placer->Place(audio.time_code(), count);
    const int64_t first_wanted = timecode::SampleAt(from_s, placer->rate_hz());
    const int64_t end_wanted = std::isfinite(to_s) ? timecode::SampleAt(to_s, placer->rate_hz())
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

  double from_s, to_s;
  TrackCutter<pb::FloatArrayWithTimeCode> weights;
  TrackCutter<pb::Float3ArrayWithTimeCode> translations;
  TrackCutter<pb::QuatFArrayWithTimeCode> rotations;
  TrackCutter<pb::Float3ArrayWithTimeCode> scales;
  TrackCutter<pb::Float3WithTimeCode> position;
  TrackCutter<pb::QuatFWithTimeCode> rotation;
  TrackCutter<pb::FloatWithTimeCode> focal_length, focus_distance;
  std::optional<timecode::AudioPlacer> placer;
  // Of the newest message that had one; metadata without any code goes by it.
  double newest_s = 0;
  int64_t samples = 0;
};

namespace {

template <typename Keys>
void Newest(const Keys& keys, double* newest_s) {
  if (!keys.empty()) *newest_s = std::max(*newest_s, (keys.end() - 1)->time_code());
}

double NewestCode(const pb::AnimationData& data) {
  double newest = -1;
  Newest(data.skel_animation().blend_shape_weights(), &newest);
  Newest(data.skel_animation().translations(), &newest);
  Newest(data.skel_animation().rotations(), &newest);
  Newest(data.skel_animation().scales(), &newest);
  Newest(data.camera().position(), &newest);
  Newest(data.camera().rotation(), &newest);
  if (data.has_audio()) newest = std::max(newest, data.audio().time_code());
  return newest;
}

bool IsEmpty(const pb::SkelAnimation& skel) {
  return skel.blend_shape_weights().empty() && skel.translations().empty() &&
         skel.rotations().empty() && skel.scales().empty();
}

bool IsEmpty(const pb::Camera& camera) {
  return camera.position().empty() && camera.rotation().empty() && camera.focal_length().empty() &&
         camera.focus_distance().empty();
}

}  // namespace

Cutter::Cutter(double from_s, double to_s) : impl_(std::make_unique<Impl>(from_s, to_s)) {}
Cutter::~Cutter() = default;

bool Cutter::Cut(pb::AnimationDataStream& message) {
  if (message.has_animation_data_stream_header()) {
    impl_->CutHeader(*message.mutable_animation_data_stream_header());
    return true;
  }
  if (!message.has_animation_data()) return true;
  pb::AnimationData& data = *message.mutable_animation_data();
  if (const double newest = NewestCode(data); newest >= 0) impl_->newest_s = newest;
  if (data.has_skel_animation()) {
    impl_->CutSkel(*data.mutable_skel_animation());
    if (IsEmpty(data.skel_animation())) data.clear_skel_animation();
  }
  if (data.has_camera()) {
    impl_->CutCamera(*data.mutable_camera());
    if (IsEmpty(data.camera())) data.clear_camera();
  }
  if (data.has_audio() && !impl_->CutAudio(*data.mutable_audio())) data.clear_audio();
  const bool in_span =
      impl_->newest_s >= impl_->from_s - kSame_s && impl_->newest_s <= impl_->to_s + kSame_s;
  if (!in_span) data.clear_metadata();
  return data.has_skel_animation() || data.has_camera() || data.has_audio() ||
         !data.metadata().empty();
}

bool Cutter::Rest(pb::AnimationDataStream& message) {
  pb::AnimationData& data = *message.mutable_animation_data();
  pb::SkelAnimation& skel = *data.mutable_skel_animation();
  impl_->weights.Rest(skel.mutable_blend_shape_weights());
  impl_->translations.Rest(skel.mutable_translations());
  impl_->rotations.Rest(skel.mutable_rotations());
  impl_->scales.Rest(skel.mutable_scales());
  pb::Camera& camera = *data.mutable_camera();
  impl_->position.Rest(camera.mutable_position());
  impl_->rotation.Rest(camera.mutable_rotation());
  impl_->focal_length.Rest(camera.mutable_focal_length());
  impl_->focus_distance.Rest(camera.mutable_focus_distance());
  if (IsEmpty(skel)) data.clear_skel_animation();
  if (IsEmpty(camera)) data.clear_camera();
  return data.has_skel_animation() || data.has_camera();
}

int64_t Cutter::keys() const {
  return impl_->weights.kept() + impl_->translations.kept() + impl_->rotations.kept() +
         impl_->scales.kept() + impl_->position.kept() + impl_->rotation.kept() +
         impl_->focal_length.kept() + impl_->focus_distance.kept();
}

int64_t Cutter::samples() const { return impl_->samples; }

}  // namespace posewire::animclip
