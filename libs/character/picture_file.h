// PNG, JPEG and WebP pictures of others.
#ifndef POSEWIRE_LIBS_CHARACTER_PICTURE_FILE_H_
#define POSEWIRE_LIBS_CHARACTER_PICTURE_FILE_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/character/character.h"
#include "libs/character/limits.h"

namespace posewire::character {

// A picture from the bytes of its file, halved until no side is over limits.kept_side; its size is
// looked at before memory is taken. INVALID_ARGUMENT for broken ones, UNIMPLEMENTED for other
// formats (KTX2 by name), RESOURCE_EXHAUSTED for a side over limits.picture_side.
absl::StatusOr<Texture> DecodePicture(absl::string_view bytes, const Limits& limits = {});

}  // namespace posewire::character

#endif  // POSEWIRE_LIBS_CHARACTER_PICTURE_FILE_H_
