// The table of clip formats. Its rows are in format_table.cc.
#ifndef POSEWIRE_LIBS_CLIPIO_FORMAT_TABLE_H_
#define POSEWIRE_LIBS_CLIPIO_FORMAT_TABLE_H_

#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/asset/motion.h"
#include "libs/asset/motion_reader.h"
#include "libs/asset/scene.h"
#include "libs/clipio/clip_format.h"
#include "libs/clipio/open_clip.h"
#include "libs/files/byte_source.h"
#include "libs/recording/clip_reader.h"

namespace posewire::clipio {

struct FormatRow {
  Format format = {};
  absl::Span<const absl::string_view> endings =
      {};                          // file extensions in lower case; the first is the usual one
  absl::string_view opening = "";  // first bytes by which it is detected; "": none
  // Open a reader. Exactly one of the two is set: `open` for a format that contains messages,
  // `motion` for one that contains animation keys. For the latter, a WAV next to the file is its
  // voice (libs/recording/voice_reader.h).
  std::unique_ptr<recording::ClipReader> (*open)(std::unique_ptr<files::ByteSource> source,
                                                 const OpenOptions& options) = nullptr;
  std::unique_ptr<asset::MotionReader> (*motion)(std::unique_ptr<files::ByteSource> source,
                                                 const OpenOptions& options) = nullptr;
  // Writes a whole clip. Null if the format is written message by message.
  absl::Status (*write)(const asset::Motion& motion, asset::PutBytes put) = nullptr;
  // Detection by content: a file whose name suggests format `told_from` has this format instead if
  // `told_by` returns true for its first kMostTold bytes.
  std::optional<Format> told_from = {};
  bool (*told_by)(absl::string_view bytes) = nullptr;
  // Whether a file may contain a skeleton, and a function that reads only the skeleton. Null: open
  // the file with `motion` to get it.
  bool holds_skeleton = false;
  absl::StatusOr<asset::SkeletonAtRest> (*skeleton)(absl::string_view bytes) = nullptr;
  // Lists the characters, props and camera of a file that may have several characters; then a
  // reader takes ReadOptions::character. Null: files have one.
  absl::StatusOr<asset::Scene> (*scene)(std::unique_ptr<files::ByteSource> source,
                                        const asset::ReadOptions& options) = nullptr;
  // Writes such a scene. Null: a file has one character.
  absl::Status (*write_scene)(const std::vector<asset::SceneClip>& clips,
                              const std::vector<asset::SceneProp>& props,
                              asset::PutBytes put) = nullptr;
  bool only_read = false;
  // Whether ReadOptions::fps applies.
  bool takes_fps = false;
  // Upper limit on the size of the keys in one file (Motion::key_bytes). Up to this size, our
  // reader accepts the written file for any key values.
  size_t most_key_bytes = std::numeric_limits<size_t>::max();
};

inline constexpr size_t kMostTold = 64 << 10;

absl::Span<const FormatRow> Formats();
const FormatRow& RowOf(Format format);

}  // namespace posewire::clipio

#endif  // POSEWIRE_LIBS_CLIPIO_FORMAT_TABLE_H_
