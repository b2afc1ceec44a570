// The rest pose of skeletons of Mixamo's convention, for clips that do not include it.
//
// Animations are distributed without their character ("without skin"), and then the file has no
// rest pose. For rigs named and built like Mixamo's (Ready Player Me's are too) it is known: they
// stand in a T pose with the palms down, a bone's +Y runs along it, and its Z points to the back of
// the hand, the front of the leg, or the front of the body.
#ifndef POSEWIRE_LIBS_RETARGET_MIXAMO_REST_H_
#define POSEWIRE_LIBS_RETARGET_MIXAMO_REST_H_

#include <memory>
#include <string>

#include "absl/types/span.h"
#include "libs/skel/rig.h"

namespace posewire::retarget {

// Returns the rig of joints with these paths, parents first. `translations` has 3 * n numbers, each
// joint's place in its parent in metres. Null if the names are not Mixamo's.
std::shared_ptr<const skel::Rig> MixamoRest(absl::Span<const std::string> joints,
                                            absl::Span<const float> translations);

}  // namespace posewire::retarget

#endif  // POSEWIRE_LIBS_RETARGET_MIXAMO_REST_H_
