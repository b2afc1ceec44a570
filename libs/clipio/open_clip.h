// Opens clips of any format.
#ifndef POSEWIRE_LIBS_CLIPIO_OPEN_CLIP_H_
#define POSEWIRE_LIBS_CLIPIO_OPEN_CLIP_H_

#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "libs/asset/read_options.h"
#include "libs/asset/scene.h"
#include "libs/clipio/clip_format.h"
#include "libs/files/byte_source.h"
#include "libs/recording/clip_reader.h"

namespace posewire::npz {
struct ColumnMap;
}

namespace posewire::clipio {

struct OpenOptions : asset::ReadOptions {
  // Default: by the extension of the source's name.
  std::optional<Format> format = {};
  // Meaning of the columns of a table of joints. If set, a .csv is such a table. Null: detected.
  std::shared_ptr<const npz::ColumnMap> columns = nullptr;
  // Whether a path may also be a pipe, as in File::OpenMaybePipe.
  bool may_be_pipe = false;
};

// "-" reads standard input. For a format without sound, a WAV of the same name next to the file is
// its voice; if it cannot be used, the clip is read without a voice and has a warning. Errors are
// those of FormatOf, of opening the file, and of ClipReader. Sets `found` to the format, detected
// from the contents if the name leaves it open.
absl::StatusOr<std::unique_ptr<recording::ClipReader>> OpenClip(const std::string& path,
                                                                const OpenOptions& options = {},
                                                                Format* found = nullptr);
absl::StatusOr<std::unique_ptr<recording::ClipReader>> OpenClip(
    std::unique_ptr<files::ByteSource> source, const OpenOptions& options = {},
    Format* found = nullptr);

// Returns what a file has besides one clip: its characters, props and camera. Without characters
// for formats that have no scenes, standard input and pipes. Errors are those of the reader.
absl::StatusOr<asset::Scene> OpenScene(const std::string& path, const OpenOptions& options = {});
absl::StatusOr<asset::Scene> OpenScene(std::unique_ptr<files::ByteSource> source,
                                       const OpenOptions& options = {});

}  // namespace posewire::clipio

#endif  // POSEWIRE_LIBS_CLIPIO_OPEN_CLIP_H_
