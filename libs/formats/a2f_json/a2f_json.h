// Audio2Face's JSON export of a face: shape weights, one row per frame, and the rotations of jaw
// and eyes.
//
//   {"exportFps": 60, "trackPath": "C:\\voices\\hello.wav", "numPoses": 52, "numFrames": 563,
//    "facsNames": ["eyeBlinkLeft", ...], "weightMat": [[0.1, ...], ...],
//    "joints": ["jaw", "eye_L", "eye_R"], "rotations": [[[w, x, y, z], ...], ...],
//    "translations": [[[x, y, z], ...], ...]}
//
// The first six members are the shape form; the last three, which may be missing or empty, are the
// pose form. There is no published format. This description is based on exports of Audio2Face 2022
// and 2023, and on the programs that read and write such files.
#ifndef POSEWIRE_LIBS_FORMATS_A2F_JSON_A2F_JSON_H_
#define POSEWIRE_LIBS_FORMATS_A2F_JSON_A2F_JSON_H_

#include <cstddef>
#include <memory>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "libs/asset/motion.h"
#include "libs/asset/motion_reader.h"
#include "libs/asset/read_options.h"
#include "libs/files/byte_source.h"

namespace posewire::a2f_json {

// Maximum number of weights and rotation components in one file. A written number takes at most 20
// bytes with its brackets, and the reader accepts 512 MiB.
inline constexpr size_t kMostA2fNumbers = 24u << 20;

// Reads both forms. The file is read as a whole, with at most options.max_json_bytes.
//
// - Weights are ACE's (docs/protocol.md), so mouthClose and jawOpen are unchanged. A shape keeps
//   its name, unless only its spelling differs from ARKit's: "A2F:mouthSmile_L" is mouthSmileLeft.
// - Rotations are relative to rest, with the real part first. If a file has it last, as some
//   programs write it, that is detected, with a warning.
// - Translations are ignored. The jaw's, in centimetres, only compensate for rotating it about the
//   origin of the exported scene, at the feet, instead of about the jaw.
// - Frame k is at k / exportFps seconds ("fps" if that is missing). options.fps overrides it. A
//   rate that is missing, not a number, or not from 1/300 to 100000 is replaced by 30; that, and a
//   rate below 1 or above 1000, causes a warning.
// - The voice is the file at the end of trackPath, if it is next to this one. If it is not there,
//   or not PCM, mono, 16 bit, there is no voice, with a warning.
// - numPoses and numFrames that differ from the number of names and rows cause a warning.
//
// INVALID_ARGUMENT names the field, the index and the value: JSON of another form; rows that do not
// match the names or each other; numbers that are not finite, and rotations of length 0; names that
// are empty, duplicate, or over 1 MiB together; over 512 shapes, 1024 joints or 64 levels.
// RESOURCE_EXHAUSTED: a longer file, and over kMostA2fNumbers.
std::unique_ptr<asset::MotionReader> OpenA2fJson(std::unique_ptr<files::ByteSource> source,
                                                 const asset::ReadOptions& options);

// Returns true if a file that begins with these bytes is such an export, and not a sequence of
// messages: it has a member that only an export has.
bool IsA2fJson(absl::string_view bytes);

// Writes the shape form, and the rotations of the joints named jaw, eye_L and eye_R, with
// translations of 0. Everything else is dropped. Frames are evenly spaced from the first key on,
// and times begin at 0. trackPath is the voice's file, if any.
//
// INVALID_ARGUMENT for a clip that has neither shapes nor such joints; RESOURCE_EXHAUSTED over
// kMostA2fNumbers.
absl::Status WriteA2fJson(const asset::Motion& motion, asset::PutBytes put);

}  // namespace posewire::a2f_json

#endif  // POSEWIRE_LIBS_FORMATS_A2F_JSON_A2F_JSON_H_
