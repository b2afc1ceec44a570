// Audio2Face's export of a face as JSON: shape weights, a row a frame, and the turns of jaw and
// eyes.
//
//   {"exportFps": 60, "trackPath": "C:\\voices\\hello.wav", "numPoses": 52, "numFrames": 563,
//    "facsNames": ["eyeBlinkLeft", ...], "weightMat": [[0.1, ...], ...],
//    "joints": ["jaw", "eye_L", "eye_R"], "rotations": [[[w, x, y, z], ...], ...],
//    "translations": [[[x, y, z], ...], ...]}
//
// The first six members are the shape form; the last three, which may be missing or empty, are the
// pose form. There is no published format. What is said here comes from exports of Audio2Face 2022
// and 2023, and from the programs that read and write such files.
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

// The most weights and parts of turns in one file. Written, a number takes at most 20 bytes with
// its brackets, and the reader takes 512 MiB.
inline constexpr size_t kMostA2fNumbers = 24u << 20;

// Reads both forms. The file is read as a whole, of at most options.max_json_bytes.
//
// - Weights are ACE's (docs/protocol.md), so mouthClose and jawOpen stay as they are. A shape keeps
//   its name, unless only its spelling hides one of ARKit's: "A2F:mouthSmile_L" is mouthSmileLeft.
// - Turns are from rest, with the real part first. A file whose turns have it last, as some
// programs
//   write them, is taken for that, with a warning.
// - Translations are passed over. The jaw's, in centimetres, only make up for turning it about the
//   origin of the scene that was exported, at the feet, and not about the jaw.
// - Frame k is at k / exportFps seconds ("fps" where that is missing). options.fps goes before it.
//   A rate that is missing, no number, or not from 1/300 to 100000 is taken for 30; that, and a
//   rate below 1 or above 1000, is a warning.
// - The voice is the file that trackPath ends with, if it is next to this one; else, or if it is no
//   PCM, mono, 16 bit, there is none, with a warning.
// - numPoses and numFrames that are not the number of names and rows are a warning.
//
// INVALID_ARGUMENT names the field, the index and the value: what is no such JSON; rows that do not
// fit the names or each other; what is no finite number, and turns of no length; names that are
// empty, there twice, or over 1 MiB together; over 512 shapes, 1024 joints or 64 levels.
// RESOURCE_EXHAUSTED: a longer file, and over kMostA2fNumbers.
std::unique_ptr<asset::MotionReader> OpenA2fJson(std::unique_ptr<files::ByteSource> source,
                                                 const asset::ReadOptions& options);

// Whether a file that begins with these bytes is such an export, and not a run of messages: by a
// member of the object that only an export has.
bool IsA2fJson(absl::string_view bytes);

// Writes the shape form, and the turns of the joints that are called jaw, eye_L and eye_R, with
// translations of 0. All else is left out. Frames are at even distances from the first key on, and
// times begin at 0. trackPath is the voice's file, where there is one.
//
// INVALID_ARGUMENT for a clip that has neither shapes nor such joints; RESOURCE_EXHAUSTED over
// kMostA2fNumbers.
absl::Status WriteA2fJson(const asset::Motion& motion, asset::PutBytes put);

}  // namespace posewire::a2f_json

#endif  // POSEWIRE_LIBS_FORMATS_A2F_JSON_A2F_JSON_H_
