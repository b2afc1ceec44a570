// How a skeleton of Mixamo's convention stands at rest, for clips that do not say.
//
// Animations are given away without their character ("without skin"), and then nothing in the file
// says how the bones lie when nobody moves. Of rigs named and made as Mixamo's are (Ready Player
// Me's are too) it is known: they stand in a T with the palms down, a bone's +Y runs along it, and
// its Z looks to the back of the hand, the front of the leg, or the front of the body.
#ifndef POSEWIRE_LIBS_RETARGET_MIXAMO_REST_H_
#define POSEWIRE_LIBS_RETARGET_MIXAMO_REST_H_

#include <memory>
#include <string>

#include "absl/types/span.h"
#include "libs/skel/rig.h"

namespace posewire::retarget {

// Of joints by these paths, parents first, whose places in their parents are 3 * n numbers in
// metres. Null where the names are not Mixamo's.
std::shared_ptr<const skel::Rig> MixamoRest(absl::Span<const std::string> joints,
                                            absl::Span<const float> translations);

}  // namespace posewire::retarget

#endif  // POSEWIRE_LIBS_RETARGET_MIXAMO_REST_H_
