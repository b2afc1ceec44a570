// Joint rotations of a speaker's head.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_CORE_SAY_BODY_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_CORE_SAY_BODY_H_

#include <array>
#include <cstddef>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/skel/math.h"
#include "libs/speech/head_track.h"

namespace posewire::a2f_source {

// H-Anim V1 names: neck and head.
inline constexpr size_t kHeadJoints = 3;
using HeadPose = std::array<skel::Quat, kHeadJoints>;
absl::Span<const absl::string_view> HeadJointNames();

// Writes the local rotations of these joints: neck and head share a turn.
void PoseHead(const speech::HeadAngles& head, absl::Span<skel::Quat> joints);

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_CORE_SAY_BODY_H_
