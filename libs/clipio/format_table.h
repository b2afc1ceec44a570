// The formats of clips: a line each, in format_table.cc.
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
      {};                          // of names, in lower case; the first is the usual one
  absl::string_view opening = "";  // what its text begins with; "": told by its ending alone
  // What reads it: messages, or what moves in a file, one of the two. A WAV next to a file of the
  // latter kind is its voice (libs/recording/voice_file.h).
  std::unique_ptr<recording::ClipReader> (*open)(std::unique_ptr<files::ByteSource> source,
                                                 const OpenOptions& options) = nullptr;
  std::unique_ptr<asset::MotionReader> (*motion)(std::unique_ptr<files::ByteSource> source,
                                                 const OpenOptions& options) = nullptr;
  // Null: it is written message by message, as it comes.
  absl::Status (*write)(const asset::Motion& motion, asset::PutBytes put) = nullptr;
  // A file that is of format `told_from` by its name is of this one if told_by says so of its first
  // bytes, of which kMostTold are enough.
  std::optional<Format> told_from = {};
  bool (*told_by)(absl::string_view bytes) = nullptr;
  // Whether it may hold a skeleton; and what reads that alone. Null: it comes with the clip.
  bool holds_skeleton = false;
  absl::StatusOr<asset::SkeletonAtRest> (*skeleton)(absl::string_view bytes) = nullptr;
  bool only_read = false;
  // Whether ReadOptions::fps is for it.
  bool takes_fps = false;
  // The most bytes of keys (Motion::key_bytes) that are written to a file that our reader takes,
  // whatever they are.
  size_t most_key_bytes = std::numeric_limits<size_t>::max();
};

inline constexpr size_t kMostTold = 64 << 10;

absl::Span<const FormatRow> Formats();
const FormatRow& RowOf(Format format);

}  // namespace posewire::clipio

#endif  // POSEWIRE_LIBS_CLIPIO_FORMAT_TABLE_H_
