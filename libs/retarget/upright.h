// Skeletons that stand along another axis than +Y, in another unit than metres, or not at all at
// rest.
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
  // The given one if nothing had to be done, or what skel::Turned made of it.
  std::shared_ptr<const skel::Rig> rig;
  float unit = 1;                     // how many times as large it is
  std::vector<std::string> warnings;  // what was assumed, and which flag says otherwise
};

// Turns a skeleton so that it stands along +Y and looks along +Z, and scales it to metres. `turn`
// and `unit_m` as in RetargetOptions; where they are not given, by how the skeleton stands at rest
// and how tall it is. `read_m`: how many metres its reader took a unit of its file for.
Upright MakeUpright(const std::shared_ptr<const skel::Rig>& rig,
                    const std::optional<skel::Quat>& turn, const std::optional<float>& unit_m,
                    float read_m);

// Returns the skeleton with the first rotations of `keys`, of these joints, as its rest; null
// unless it is upright in that pose.
std::shared_ptr<const skel::Rig> StandingInPose(const skel::Rig& rig,
                                                absl::Span<const std::string> joints,
                                                const wire::DataChunk& keys);

}  // namespace posewire::retarget

#endif  // POSEWIRE_LIBS_RETARGET_UPRIGHT_H_
