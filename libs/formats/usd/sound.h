// UsdMedia's SpatialAudio: a sound that a stage names.
#ifndef POSEWIRE_LIBS_FORMATS_USD_SOUND_H_
#define POSEWIRE_LIBS_FORMATS_USD_SOUND_H_

#include <optional>
#include <string>

#include "libs/formats/usd/stage.h"

namespace posewire::usd {

struct Sound {
  std::string file;       // from the folder of the stage
  double start_code = 0;  // the time code at which it is first heard
  double skipped_s = 0;   // of the file, from its beginning
  // The time code from which it is heard no more; nothing: at the file's end.
  std::optional<double> end_code;
};

// The first defined SpatialAudio whose file's name ends in .wav; nothing if there is none. One that
// is to be heard again and again is heard once.
std::optional<Sound> FindSound(const Stage& stage);

}  // namespace posewire::usd

#endif  // POSEWIRE_LIBS_FORMATS_USD_SOUND_H_
