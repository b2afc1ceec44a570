// Tables of face shapes, one line per frame, in the forms of two programs. Audio2Face-3D's client:
// `timeCode` in seconds and `blendShapes.NAME` for each shape. Epic's Live Link Face on a phone:
// `Timecode` as HH:MM:SS:FF.fff, `BlendShapeCount`, and the shapes' names. Its user chooses the
// frame rate, which is not written; it is derived from the time codes
// (libs/formats/csv/face_time.h).
#ifndef POSEWIRE_LIBS_FORMATS_CSV_FACE_CSV_H_
#define POSEWIRE_LIBS_FORMATS_CSV_FACE_CSV_H_

#include <memory>

#include "absl/status/status.h"
#include "libs/asset/motion.h"
#include "libs/asset/motion_reader.h"
#include "libs/asset/read_options.h"
#include "libs/files/byte_source.h"

namespace posewire::csv {

// Weights are ACE's (docs/protocol.md): mouthClose is subtracted from Live Link Face's jawOpen,
// which is Apple's.
//
// Shapes are in the order of the columns. Keys: one per line. Keeps one line, or those of the first
// ten seconds if the rate must be found. For Live Link Face, times count from the first line with a
// face; lines without one, and those at the time of the previous line, are dropped, and so are the
// angles of head and eyes. Other columns of Audio2Face are ignored.
//
// INVALID_ARGUMENT, with the line: a table of another form, a line with too few or too many columns
// or over 256 KiB, numbers that are not finite, and decreasing times.
std::unique_ptr<asset::MotionReader> OpenFaceCsv(std::unique_ptr<files::ByteSource> source,
                                                 const asset::ReadOptions& options);

// Writes Audio2Face's table, a line for each key of the weights; everything else is dropped.
// INVALID_ARGUMENT for a clip without shapes, and for names with a comma, a quote or a line end.
absl::Status WriteFaceCsv(const asset::Motion& motion, asset::PutBytes put);

}  // namespace posewire::csv

#endif  // POSEWIRE_LIBS_FORMATS_CSV_FACE_CSV_H_
