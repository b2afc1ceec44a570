// Recognises bones by the words in their names, where no naming convention has the name.
#ifndef POSEWIRE_LIBS_SKEL_BONE_WORDS_H_
#define POSEWIRE_LIBS_SKEL_BONE_WORDS_H_

#include <optional>

#include "absl/strings/string_view.h"
#include "libs/skel/humanoid.h"

namespace posewire::skel {

// Returns the bone for names such as "mixamorig:LeftForeArm", "forearm_l" and "Left lower arm";
// nothing for other names.
std::optional<HumanBone> BoneOfWords(absl::string_view name);

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_BONE_WORDS_H_
