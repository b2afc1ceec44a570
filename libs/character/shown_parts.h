// Characters without the parts that are not shown: hair and clothes of other choices.
#ifndef POSEWIRE_LIBS_CHARACTER_SHOWN_PARTS_H_
#define POSEWIRE_LIBS_CHARACTER_SHOWN_PARTS_H_

#include <vector>

#include "libs/character/character.h"
#include "libs/character/deformer.h"

namespace posewire::character {

// Removes meshes of which `keep` is false, and the materials, pictures, skins and drives that only
// they use.
void KeepMeshes(const std::vector<bool>& keep, Character& c);

// Returns the character as `deformer` shows it: its meshes and colours by the current choices, and
// no variants.
Character ShownParts(const Deformer& deformer);

}  // namespace posewire::character

#endif  // POSEWIRE_LIBS_CHARACTER_SHOWN_PARTS_H_
