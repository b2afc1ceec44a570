// UsdMedia's SpatialAudio: a sound that a stage refers to.
#ifndef POSEWIRE_LIBS_FORMATS_USD_SOUND_H_
#define POSEWIRE_LIBS_FORMATS_USD_SOUND_H_

#include <optional>
#include <string>
#include <vector>

#include "libs/formats/usd/stage.h"

namespace posewire::usd {

struct Sound {
  std::string file;       // relative to the stage's folder
  double start_code = 0;  // time code at which it begins
  double skipped_s = 0;   // of the file, from its beginning
  // Time code at which it ends; nothing: at the file's end.
  std::optional<double> end_code;
};

// Returns the first defined SpatialAudio whose file's name ends in .wav; nothing if there is none.
// A looped one plays once.
std::optional<Sound> FindSound(const Stage& stage);
// Returns the first such sound below a prim.
std::optional<Sound> FindSoundBelow(const Stage& stage, int above);
// Returns the first such sound that is below none of these prims.
std::optional<Sound> FindSoundOutside(const Stage& stage, const std::vector<int>& above);

}  // namespace posewire::usd

#endif  // POSEWIRE_LIBS_FORMATS_USD_SOUND_H_
