// Access to the tracks of a message by index, whatever the types of their keys.
#ifndef POSEWIRE_TOOLS_ANIMCLIP_TRACK_FIELDS_H_
#define POSEWIRE_TOOLS_ANIMCLIP_TRACK_FIELDS_H_

#include <cstddef>
#include <tuple>
#include <type_traits>

#include "nvidia_ace.animation_data.v1.pb.h"

namespace posewire::animclip {

// One T for the keys of each track: the four of the pose, then the four of the camera, in the order
// of wire::PoseTrack and wire::CameraTrack.
template <template <typename> typename T>
using PerTrack = std::tuple<T<nvidia_ace::animation_data::v1::FloatArrayWithTimeCode>,
                            T<nvidia_ace::animation_data::v1::Float3ArrayWithTimeCode>,
                            T<nvidia_ace::animation_data::v1::QuatFArrayWithTimeCode>,
                            T<nvidia_ace::animation_data::v1::Float3ArrayWithTimeCode>,
                            T<nvidia_ace::animation_data::v1::Float3WithTimeCode>,
                            T<nvidia_ace::animation_data::v1::QuatFWithTimeCode>,
                            T<nvidia_ace::animation_data::v1::FloatWithTimeCode>,
                            T<nvidia_ace::animation_data::v1::FloatWithTimeCode>>;

template <size_t n>
using TrackNumber = std::integral_constant<size_t, n>;

// Calls f(TrackNumber, repeated field of keys) for each track, empty ones too.
template <typename F>
void ForEachTrack(const nvidia_ace::animation_data::v1::AnimationData& data, F&& f) {
  f(TrackNumber<0>(), data.skel_animation().blend_shape_weights());
  f(TrackNumber<1>(), data.skel_animation().translations());
  f(TrackNumber<2>(), data.skel_animation().rotations());
  f(TrackNumber<3>(), data.skel_animation().scales());
  f(TrackNumber<4>(), data.camera().position());
  f(TrackNumber<5>(), data.camera().rotation());
  f(TrackNumber<6>(), data.camera().focal_length());
  f(TrackNumber<7>(), data.camera().focus_distance());
}

// The same, for changing them; removes a pose or camera that is left without keys.
template <typename F>
void EditTracks(nvidia_ace::animation_data::v1::AnimationData& data, F&& f) {
  auto& skel = *data.mutable_skel_animation();
  auto& camera = *data.mutable_camera();
  f(TrackNumber<0>(), *skel.mutable_blend_shape_weights());
  f(TrackNumber<1>(), *skel.mutable_translations());
  f(TrackNumber<2>(), *skel.mutable_rotations());
  f(TrackNumber<3>(), *skel.mutable_scales());
  f(TrackNumber<4>(), *camera.mutable_position());
  f(TrackNumber<5>(), *camera.mutable_rotation());
  f(TrackNumber<6>(), *camera.mutable_focal_length());
  f(TrackNumber<7>(), *camera.mutable_focus_distance());
  bool pose = false, filmed = false;
  ForEachTrack(data,
               [&](auto track, const auto& keys) { (track < 4 ? pose : filmed) |= !keys.empty(); });
  if (!pose) data.clear_skel_animation();
  if (!filmed) data.clear_camera();
}

// Returns true if it has any content.
inline bool HasContent(const nvidia_ace::animation_data::v1::AnimationData& data) {
  return data.has_skel_animation() || data.has_camera() || data.has_audio() ||
         !data.metadata().empty();
}

}  // namespace posewire::animclip

#endif  // POSEWIRE_TOOLS_ANIMCLIP_TRACK_FIELDS_H_
