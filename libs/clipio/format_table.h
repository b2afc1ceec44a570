// The table of clip formats. Its rows are in format_table.cc.
#ifndef POSEWIRE_LIBS_CLIPIO_FORMAT_TABLE_H_
#define POSEWIRE_LIBS_CLIPIO_FORMAT_TABLE_H_

#include <cstddef>
#include <limits>
#include <memory>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/asset/motion.h"
#include "libs/asset/motion_reader.h"
#include "libs/clipio/clip_format.h"
#include "libs/clipio/open_clip.h"
#include "libs/files/byte_source.h"
#include "libs/recording/clip_reader.h"

namespace posewire::clipio {

struct FormatRow {
  Format format = {};
  absl::Span<const absl::string_view> endings =
      {};                          // file extensions in lower case; the first is the usual one
  absl::string_view opening = "";  // first word of its text; "": detected by extension only
  // Opens the reader: either one of messages or one of motion. For motion, a WAV next to the file
  // is its voice (libs/recording/voice_file.h).
  std::unique_ptr<recording::ClipReader> (*open)(std::unique_ptr<files::ByteSource> source,
                                                 const OpenOptions& options) = nullptr;
  std::unique_ptr<asset::MotionReader> (*motion)(std::unique_ptr<files::ByteSource> source,
                                                 const OpenOptions& options) = nullptr;
  // Null if it is written message by message.
  absl::Status (*write)(const asset::Motion& motion, asset::PutBytes put) = nullptr;
  // A file whose name suggests format `told_from` has this format if told_by returns true for its
  // first bytes, of which kMostTold suffice.
  std::optional<Format> told_from = {};
  bool (*told_by)(absl::string_view bytes) = nullptr;
  // Whether it may contain a skeleton, and a function that reads only that. Null: it is read with
  // the clip.
  bool holds_skeleton = false;
  absl::StatusOr<asset::SkeletonAtRest> (*skeleton)(absl::string_view bytes) = nullptr;
  bool only_read = false;
  // Whether ReadOptions::fps applies.
  bool takes_fps = false;
  // The most bytes of keys (Motion::key_bytes) that can be written to a file so that our reader
  // accepts it regardless of their values.
  size_t most_key_bytes = std::numeric_limits<size_t>::max();
};

inline constexpr size_t kMostTold = 64 << 10;

absl::Span<const FormatRow> Formats();
const FormatRow& RowOf(Format format);

}  // namespace posewire::clipio

#endif  // POSEWIRE_LIBS_CLIPIO_FORMAT_TABLE_H_
