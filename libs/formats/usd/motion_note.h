// Explains why a UsdSkel animation moves nothing, or less than it names.
#ifndef POSEWIRE_LIBS_FORMATS_USD_MOTION_NOTE_H_
#define POSEWIRE_LIBS_FORMATS_USD_MOTION_NOTE_H_

#include <string>

#include "libs/formats/usd/skeleton.h"
#include "libs/formats/usd/stage.h"

namespace posewire::usd {

// Returns one line about skeleton.animation, with its path: it lacks translations, rotations or
// scales, their number differs from that of the joints, or the skeleton does not have its joints;
// weights likewise. "" if all that it names moves. OpenUSD plays such animations the same way,
// without a message.
std::string NoteOfMotion(const Stage& stage, const Skeleton& skeleton);

}  // namespace posewire::usd

#endif  // POSEWIRE_LIBS_FORMATS_USD_MOTION_NOTE_H_
