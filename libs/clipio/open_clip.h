// Opens clips of every format.
#ifndef POSEWIRE_LIBS_CLIPIO_OPEN_CLIP_H_
#define POSEWIRE_LIBS_CLIPIO_OPEN_CLIP_H_

#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "libs/asset/read_options.h"
#include "libs/clipio/clip_format.h"
#include "libs/files/byte_source.h"
#include "libs/recording/clip_reader.h"

namespace posewire::npz {
struct ColumnMap;
}

namespace posewire::clipio {

struct OpenOptions : asset::ReadOptions {
  // By the extension of the source's name unless given.
  std::optional<Format> format = {};
  // What the columns of a table of joints are; with it, a .csv is one. Null: as is known.
  std::shared_ptr<const npz::ColumnMap> columns = nullptr;
  // Whether a path that is opened may also be a pipe, as File::OpenMaybePipe has it.
  bool may_be_pipe = false;
};

// "-" reads standard input. A WAV of the same name next to a file of a format without sound is its
// voice; if it cannot be, the clip is read without one, and says so (warnings). Errors are those of
// FormatOf, of opening the file, and ClipReader's. `found` becomes the format: by what is in the
// file, where its name leaves that open.
absl::StatusOr<std::unique_ptr<recording::ClipReader>> OpenClip(const std::string& path,
                                                                const OpenOptions& options = {},
                                                                Format* found = nullptr);
absl::StatusOr<std::unique_ptr<recording::ClipReader>> OpenClip(
    std::unique_ptr<files::ByteSource> source, const OpenOptions& options = {},
    Format* found = nullptr);

}  // namespace posewire::clipio

#endif  // POSEWIRE_LIBS_CLIPIO_OPEN_CLIP_H_
