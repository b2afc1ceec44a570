// Tables of face shapes, a line a frame, as two programs write them. Audio2Face-3D's client:
// `timeCode` in seconds and `blendShapes.NAME` for each shape. Epic's Live Link Face on a phone:
// `Timecode` as HH:MM:SS:FF.fff, `BlendShapeCount`, and the shapes' names. It lets its user choose
// the rate and does not write it: it is found by the time codes (libs/formats/csv/face_time.h).
#ifndef POSEWIRE_LIBS_FORMATS_CSV_FACE_CSV_H_
#define POSEWIRE_LIBS_FORMATS_CSV_FACE_CSV_H_

#include <memory>

#include "absl/status/status.h"
#include "libs/asset/motion.h"
#include "libs/asset/motion_reader.h"
#include "libs/asset/read_options.h"
#include "libs/files/byte_source.h"

namespace posewire::csv {

// Weights are ACE's (docs/protocol.md): Live Link Face's jawOpen, which is Apple's, loses its
// mouthClose.
//
// Shapes are in the order of the columns. Keys: one a line. Holds one line, or those of the first
// ten seconds where the rate must be found. Of Live Link Face times count from the first line with
// a face; lines without one, and those at the time of the line before, are left out, and so are the
// angles of head and eyes. Other columns of Audio2Face's are passed over.
//
// INVALID_ARGUMENT, with the line: no such table, a line with too few or too many columns or over
// 256 KiB, what is no finite number, and times that go back.
std::unique_ptr<asset::MotionReader> OpenFaceCsv(std::unique_ptr<files::ByteSource> source,
                                                 const asset::ReadOptions& options);

// Audio2Face's table, a line for each key of the weights; all else is left out. INVALID_ARGUMENT
// for a clip without shapes, and for names with a comma, a quote or a line end.
absl::Status WriteFaceCsv(const asset::Motion& motion, asset::PutBytes put);

}  // namespace posewire::csv

#endif  // POSEWIRE_LIBS_FORMATS_CSV_FACE_CSV_H_
