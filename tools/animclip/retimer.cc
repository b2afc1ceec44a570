#include "tools/animclip/retimer.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "tools/animclip/key_between.h"
#include "tools/animclip/track_fields.h"

namespace posewire::animclip {

template <typename Key>
class TrackRetimer {
 public:
  using Keys = google::protobuf::RepeatedPtrField<Key>;

  void Retime(const Retiming& how, Keys* keys) {
    Keys out;
    for (Key& key : *keys) {
      key.set_time_code(key.time_code() / how.speed);
      if (how.rate) {
        Resample(*how.rate, key, &out);
        previous_ = std::move(key);
      } else {
        Emit(std::move(key), &out);
      }
    }
    keys->Swap(&out);
  }

  // Writes the last frame if the last key is between two frames.
  void Rest(const Retiming& how, Keys* keys) {
    if (!how.rate || !previous_) return;
    if (how.rate->SecondsAt(next_ - 1) > previous_->time_code() - kSameInstant_s) return;
    EmitAt(*how.rate, *previous_, keys);
  }

  int64_t keys() const { return keys_; }
  double end_s() const { return end_s_; }

 private:
  // Writes all frames after the previous key, up to this key.
  void Resample(const timecode::FrameRate& rate, const Key& key, Keys* out) {
    const double time_code_s = key.time_code();
    if (!previous_) {
      next_ = rate.TickAtOrBefore(time_code_s + kSameInstant_s);
      return EmitAt(rate, key, out);
    }
    while (rate.SecondsAt(next_) < time_code_s + kSameInstant_s) {
      const double at_s = rate.SecondsAt(next_);
      if (at_s > time_code_s - kSameInstant_s) {
        EmitAt(rate, key, out);
      } else {
        const double part =
            (at_s - previous_->time_code()) / (time_code_s - previous_->time_code());
        EmitAt(rate, KeyBetween(*previous_, key, static_cast<float>(part)), out);
      }
    }
  }

  void EmitAt(const timecode::FrameRate& rate, Key key, Keys* out) {
    key.set_time_code(rate.SecondsAt(next_++));
    Emit(std::move(key), out);
  }

  void Emit(Key key, Keys* out) {
    ++keys_;
    end_s_ = key.time_code();
    *out->Add() = std::move(key);
  }

  std::optional<Key> previous_;
  int64_t next_ = 0;  // the next frame to write
  int64_t keys_ = 0;
  double end_s_ = 0;
};

struct Retimer::Impl {
  Retiming how;
  PerTrack<TrackRetimer> tracks;
};

Retimer::Retimer(const Retiming& how) : impl_(std::make_unique<Impl>()) { impl_->how = how; }
Retimer::~Retimer() = default;

absl::StatusOr<bool> Retimer::Apply(Message& message) {
  const Retiming& how = impl_->how;
  if (message.has_animation_data_stream_header()) {
    if (how.drop_audio) message.mutable_animation_data_stream_header()->clear_audio_header();
    return true;
  }
  if (!message.has_animation_data()) return true;
  auto& data = *message.mutable_animation_data();
  if (how.drop_audio) data.clear_audio();
  if (data.has_audio() && how.speed != 1) {
    return absl::FailedPreconditionError(
        "the clip has a voice, which cannot be stretched and would no longer match the lips");
  }
  EditTracks(data,
             [&](auto track, auto& keys) { std::get<track>(impl_->tracks).Retime(how, &keys); });
  return HasContent(data);
}

bool Retimer::Rest(Message& message) {
  auto& data = *message.mutable_animation_data();
  EditTracks(data, [&](auto track, auto& keys) {
    std::get<track>(impl_->tracks).Rest(impl_->how, &keys);
  });
  return HasContent(data);
}

int64_t Retimer::keys() const {
  return std::apply([](const auto&... track) { return (track.keys() + ...); }, impl_->tracks);
}

double Retimer::end_s() const {
  return std::apply([](const auto&... track) { return std::max({track.end_s()...}); },
                    impl_->tracks);
}

}  // namespace posewire::animclip
