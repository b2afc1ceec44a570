// Corrects skeletons whose up axis is not +Y, whose unit is not metres, or whose rest pose is not
// upright.
#ifndef POSEWIRE_LIBS_RETARGET_UPRIGHT_H_
#define POSEWIRE_LIBS_RETARGET_UPRIGHT_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "libs/skel/rig.h"
#include "libs/wire/chunk.h"

namespace posewire::retarget {

struct Upright {
  // The given rig if nothing had to change, otherwise the result of skel::Turned.
  std::shared_ptr<const skel::Rig> rig;
  float unit = 1;                     // scale factor applied
  std::vector<std::string> warnings;  // assumptions, and the flags that change them
};

// Rotates a skeleton so that it is along +Y and faces +Z, and scales it to metres. `turn` and
// `unit_m` are as in RetargetOptions; if absent, they follow from its rest pose and its height.
// `read_m`: the metres per unit that its reader assumed.
Upright MakeUpright(const std::shared_ptr<const skel::Rig>& rig,
                    const std::optional<skel::Quat>& turn, const std::optional<float>& unit_m,
                    float read_m);

// Returns the skeleton with the first rotations of `keys`, of these joints, as its rest pose. Null
// unless it is upright in that pose.
std::shared_ptr<const skel::Rig> StandingInPose(const skel::Rig& rig,
                                                absl::Span<const std::string> joints,
                                                const wire::DataChunk& keys);

}  // namespace posewire::retarget

#endif  // POSEWIRE_LIBS_RETARGET_UPRIGHT_H_
