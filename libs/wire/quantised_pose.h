// A sparse pose in few bytes, as the metadata entry "posewire.pose" of a frame without a
// SkelAnimation: 16-bit rotations, and bits that say which joints and shapes follow.
// docs/protocol.md describes the bytes.
#ifndef POSEWIRE_LIBS_WIRE_QUANTISED_POSE_H_
#define POSEWIRE_LIBS_WIRE_QUANTISED_POSE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/skel/pose.h"
#include "libs/wire/chunk.h"

namespace posewire::wire {

struct PoseChanges;

inline constexpr absl::string_view kQuantisedPoseKey = "posewire.pose";
inline constexpr absl::string_view kQuantisedPoseType = "google.protobuf.BytesValue";

// A unit rotation as 16-bit numbers w, x, y, z, and back. Receivers hold what RotationOf returns.
using QuantisedRotation = std::array<int16_t, 4>;
QuantisedRotation Quantise(const skel::Quat& rotation);
skel::Quat RotationOf(const QuantisedRotation& numbers);

// The most bytes of a pose.
size_t MostQuantisedBytes(int joints, int shapes);

// Writes the changed values of `pose`, and their `rotations`; without `changes` a complete pose.
// Reuses the memory of `out`.
void QuantisePose(double time_code_s, const skel::PoseView& pose,
                  absl::Span<const QuantisedRotation> rotations, const PoseChanges* changes,
                  std::vector<uint8_t>* out);

// Applies the bytes to `tracks`, each of which has one key or, if nothing is known yet, none.
// Returns false if the bytes break the rules, or change values that are not known; `tracks` is then
// undefined.
bool ApplyQuantised(absl::Span<const uint8_t> bytes, size_t joints, size_t shapes,
                    KeyBlock (&tracks)[kPoseTracks]);

}  // namespace posewire::wire

#endif  // POSEWIRE_LIBS_WIRE_QUANTISED_POSE_H_
