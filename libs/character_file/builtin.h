// The characters that come with the program.
#ifndef POSEWIRE_LIBS_CHARACTER_FILE_BUILTIN_H_
#define POSEWIRE_LIBS_CHARACTER_FILE_BUILTIN_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/character/character.h"
#include "libs/skel/rig.h"

namespace posewire::character_file {

// The GLB of "woman" or "man"; "" for other names, and where the build had no data to make it of.
absl::string_view BuiltinFile(absl::string_view name);

// A figure of capsules on hanim_loa3 that shows what the stream says, with a plain face: what takes
// a person's place when there is none.
absl::StatusOr<std::shared_ptr<const character::Character>> PlainFigure(
    const skel::RigCatalog& rigs);

}  // namespace posewire::character_file

#endif  // POSEWIRE_LIBS_CHARACTER_FILE_BUILTIN_H_
