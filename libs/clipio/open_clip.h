// Opens clips of every format.
#ifndef POSEWIRE_LIBS_CLIPIO_OPEN_CLIP_H_
#define POSEWIRE_LIBS_CLIPIO_OPEN_CLIP_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "libs/asset/read_options.h"
#include "libs/files/byte_source.h"
#include "libs/recording/clip_reader.h"

namespace posewire::clipio {

// "-" reads standard input. A WAV of the same name next to a file of a format without sound is its
// voice; if it cannot be, the clip is read without one, and says so (warnings). Errors
// are those of FormatOf, of opening the file, and ClipReader's.
absl::StatusOr<std::unique_ptr<recording::ClipReader>> OpenClip(
    const std::string& path, const asset::ReadOptions& options = {});
absl::StatusOr<std::unique_ptr<recording::ClipReader>> OpenClip(
    std::unique_ptr<files::ByteSource> source, const asset::ReadOptions& options = {});

}  // namespace posewire::clipio

#endif  // POSEWIRE_LIBS_CLIPIO_OPEN_CLIP_H_
