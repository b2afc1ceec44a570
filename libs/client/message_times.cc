#include "libs/client/message_times.h"

#include <algorithm>

namespace posewire::client {
namespace {

using nvidia_ace::animation_data::v1::AnimationData;

template <typename Keys, typename Visit>
void VisitKeys(Keys&& keys, Visit visit) {
  for (auto& key : keys) visit(key);
}

}  // namespace

MessageTimes TimesOf(const AnimationData& data, uint32_t audio_rate_hz) {
  MessageTimes times;
  const auto note = [&times](double first_s, double last_s) {
    times.earliest_s = std::min(times.earliest_s, first_s);
    times.latest_s = std::max(times.latest_s, last_s);
    times.newest_key_s = std::max(times.newest_key_s, first_s);
  };
  const auto note_key = [&](const auto& key) { note(key.time_code(), key.time_code()); };
  if (data.has_skel_animation()) {
    const auto& skel = data.skel_animation();
    VisitKeys(skel.blend_shape_weights(), note_key);
    VisitKeys(skel.translations(), note_key);
    VisitKeys(skel.rotations(), note_key);
    VisitKeys(skel.scales(), note_key);
    times.first_pose_s = times.earliest_s;
  }
  if (data.has_camera()) {
    VisitKeys(data.camera().position(), note_key);
    VisitKeys(data.camera().rotation(), note_key);
    VisitKeys(data.camera().focal_length(), note_key);
    VisitKeys(data.camera().focus_distance(), note_key);
  }
  if (data.has_audio()) {
    const double first_s = data.audio().time_code();
    const size_t samples = data.audio().audio_buffer().size() / 2;
    note(first_s,
         audio_rate_hz > 0 ? first_s + static_cast<double>(samples) / audio_rate_hz : first_s);
  }
  return times;
}

void ShiftCodes(double delta_s, AnimationData& data) {
  const auto move = [delta_s](auto& key) {
    key.set_time_code(std::max(0.0, key.time_code() + delta_s));
  };
  if (data.has_skel_animation()) {
    auto& skel = *data.mutable_skel_animation();
    VisitKeys(*skel.mutable_blend_shape_weights(), move);
    VisitKeys(*skel.mutable_translations(), move);
    VisitKeys(*skel.mutable_rotations(), move);
    VisitKeys(*skel.mutable_scales(), move);
  }
  if (data.has_camera()) {
    auto& camera = *data.mutable_camera();
    VisitKeys(*camera.mutable_position(), move);
    VisitKeys(*camera.mutable_rotation(), move);
    VisitKeys(*camera.mutable_focal_length(), move);
    VisitKeys(*camera.mutable_focus_distance(), move);
  }
  if (data.has_audio()) move(*data.mutable_audio());
}

uint32_t AudioRate(const nvidia_ace::animation_data::v1::AnimationDataStreamHeader& header) {
  return header.has_audio_header() ? header.audio_header().samples_per_second() : 0;
}

}  // namespace posewire::client
