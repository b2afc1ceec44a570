// The eight tracks of animation data, with their field numbers and their names in errors. Internal
// to libs/wire.
#ifndef POSEWIRE_LIBS_WIRE_TRACKS_H_
#define POSEWIRE_LIBS_WIRE_TRACKS_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "libs/wire/chunk.h"
#include "libs/wire/wire_format.h"

namespace posewire::wire {

// Field numbers of the messages that are parsed and written by hand.
namespace field {
// AnimationDataStream
inline constexpr uint32_t kHeader = 1, kData = 2, kStatus = 3;
// AnimationDataStreamHeader
inline constexpr uint32_t kIds = 1, kSourceServiceId = 2, kAudioHeader = 3, kSkelHeader = 4,
                          kEpoch = 5;
// AnimationIds
inline constexpr uint32_t kRequestId = 1, kStreamId = 2, kTargetObjectId = 3;
// AudioHeader
inline constexpr uint32_t kFormat = 1, kChannels = 2, kRate = 3, kBits = 4;
// SkelAnimationHeader
inline constexpr uint32_t kShapeNames = 1, kJointNames = 2;
// AnimationData
inline constexpr uint32_t kSkel = 1, kAudio = 2, kCamera = 3, kMetadata = 4;
// Every ...WithTimeCode: the time code first, then value, values or audio_buffer.
inline constexpr uint32_t kTimeCode = 1, kValues = 2;
// A map entry
inline constexpr uint32_t kMapKey = 1, kMapValue = 2;
// Any
inline constexpr uint32_t kTypeUrl = 1, kAnyValue = 2;
// Status
inline constexpr uint32_t kStatusCode = 1, kStatusMessage = 2;
}  // namespace field

// Pose tracks first, then camera tracks; each in the order of its enum.
inline constexpr size_t kAllTracks = size_t{kPoseTracks} + size_t{kCameraTracks};

struct TrackInfo {
  const char* path;  // in errors
  int floats;        // per element: 1, 3 or 4
  bool rotation;
};

inline constexpr std::array<TrackInfo, kAllTracks> kTracks = {{
    {"animation_data.skel_animation.blend_shape_weights", 1, false},
    {"animation_data.skel_animation.translations", 3, false},
    {"animation_data.skel_animation.rotations", 4, true},
    {"animation_data.skel_animation.scales", 3, false},
    {"animation_data.camera.position", 3, false},
    {"animation_data.camera.rotation", 4, true},
    {"animation_data.camera.focal_length", 1, false},
    {"animation_data.camera.focus_distance", 1, false},
}};

inline constexpr bool IsPoseTrack(size_t track) { return track < size_t{kPoseTracks}; }

// Returns the track for field `number` of SkelAnimation (pose) or Camera; kAllTracks if there is
// none.
inline constexpr size_t TrackOf(bool pose, uint32_t number) {
  if (number < 1 || number > 4) return kAllTracks;
  return (pose ? 0 : size_t{kPoseTracks}) + number - 1;
}

// Number of elements in one key of the track: shapes or joints for pose tracks, 1 for camera
// tracks.
inline size_t ElementsPerKey(size_t track, const StreamHeader& header) {
  if (!IsPoseTrack(track)) return 1;
  return track == kWeights ? header.shapes.size() : header.joints.size();
}

}  // namespace posewire::wire

#endif  // POSEWIRE_LIBS_WIRE_TRACKS_H_
