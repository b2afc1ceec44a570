// The messages of a stream from what moves in a file.
#ifndef POSEWIRE_LIBS_RECORDING_MOTION_CLIP_H_
#define POSEWIRE_LIBS_RECORDING_MOTION_CLIP_H_

#include <memory>

#include "libs/asset/motion_reader.h"
#include "libs/recording/clip_reader.h"

namespace posewire::recording {

// A header, a message for each time that has keys, SUCCESS; and the voice that the file names.
// Errors and warnings get the file's name.
std::unique_ptr<ClipReader> MessagesOf(std::unique_ptr<asset::MotionReader> motion);

}  // namespace posewire::recording

#endif  // POSEWIRE_LIBS_RECORDING_MOTION_CLIP_H_
