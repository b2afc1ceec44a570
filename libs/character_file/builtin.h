// The characters that come with the program.
#ifndef POSEWIRE_LIBS_CHARACTER_FILE_BUILTIN_H_
#define POSEWIRE_LIBS_CHARACTER_FILE_BUILTIN_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/character/character.h"
#include "libs/skel/rig.h"

namespace posewire::character_file {

// Returns the GLB of "woman" or "man"; "" for other names, and if the build had no data for it.
absl::string_view BuiltinFile(absl::string_view name);

// Returns a figure of capsules on hanim_loa3 with a plain face, the replacement for a missing
// person.
absl::StatusOr<std::shared_ptr<const character::Character>> PlainFigure(
    const skel::RigCatalog& rigs);

}  // namespace posewire::character_file

#endif  // POSEWIRE_LIBS_CHARACTER_FILE_BUILTIN_H_
