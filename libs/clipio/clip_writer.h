// Writes clips message by message, so that whole messages survive a crash.
#ifndef POSEWIRE_LIBS_CLIPIO_CLIP_WRITER_H_
#define POSEWIRE_LIBS_CLIPIO_CLIP_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "libs/asset/motion.h"
#include "libs/clipio/clip_format.h"
#include "libs/files/byte_sink.h"
#include "libs/recording/chunk_builder.h"

namespace nvidia_ace::animation_data::v1 {
class AnimationDataStream;
}

namespace posewire::clipio {

struct WriteOptions {
  // Default: by the extension of the sink's name.
  std::optional<Format> format;
  // Append after the last whole message of an existing file; a torn tail is cut off. Only when
  // opened by path.
  bool append = false;
  // Opens a sidecar file of the clip, named `stem` plus this extension, such as ".wav". For formats
  // that refer to other files for data they cannot contain: a USD stage refers to its voice. If
  // null, the voice is dropped.
  std::function<absl::StatusOr<std::unique_ptr<files::ByteSink>>(const std::string& ending)>
      sidecar = nullptr;
  std::string stem = {};  // without a folder
  // If false, the caller writes the voice and reports its location (SetVoice).
  bool voice = true;
  // Write a USD stage as three files (libs/formats/usd/usda.h): the take, and next to it its rig
  // and its clip.
  bool split_usd = false;
  // Write the animation of a USD stage as value clips of so many seconds, in files of their own; 0:
  // in the stage.
  double value_clips_s = 0;
  // For a format that is written as a whole: check each message by itself, as a client does
  // (wire::ClientLimits). A rejected message is skipped, and later ones are taken.
  bool lenient = false;
  // Opens an .animdata file for the keys of a clip that its format cannot represent, so that they
  // are not lost; the error names the file. If null, they are lost.
  std::function<absl::StatusOr<std::unique_ptr<files::ByteSink>>()> rescue = nullptr;
  // For a format that is written as a whole: full() becomes true at this many bytes of keys.
  size_t most_held_bytes = std::numeric_limits<size_t>::max();
};

// Formats with a frame count, such as .bvh, are kept in memory and written as a whole by Close.
// Write returns INVALID_ARGUMENT for a message that breaks the rules of a stream, and Close for a
// clip that the format cannot represent. They cannot be appended to.
//
// For all others, each message is one write to the system: it survives the death of the process at
// once, and that of the machine after Sync. A failed write leaves the file as it was before, and
// the next one may succeed (RESOURCE_EXHAUSTED: the disk is full). One thread.
class ClipWriter {
 public:
  // "-" writes to standard output.
  static absl::StatusOr<std::unique_ptr<ClipWriter>> Open(const std::string& path,
                                                          const WriteOptions& options = {});
  // Begins at the start of the sink.
  static absl::StatusOr<std::unique_ptr<ClipWriter>> Open(std::unique_ptr<files::ByteSink> sink,
                                                          const WriteOptions& options = {});

  ~ClipWriter();

  absl::Status Write(const nvidia_ace::animation_data::v1::AnimationDataStream& message);

  // Writes one serialized message, the concatenation of `slices`. An .animdata file gets the bytes
  // unchanged, unknown fields included. INVALID_ARGUMENT if it must become JSON and cannot be
  // parsed.
  absl::Status WriteSerialized(absl::Span<const absl::Span<const uint8_t>> slices);

  absl::Status Sync() { return sink_->Sync(); }
  // Writes the index of an .animdata file, which is also readable without it; or a clip that is
  // written as a whole.
  absl::Status Close();

  // Sets the location of the clip's voice, for a format that names its file and a writer with
  // `voice` false. Call before Close.
  void SetVoice(asset::VoiceFile voice);

  // Size of the file so far, including the part that was there before.
  int64_t bytes() const { return end_; }
  // Returns true if the format is written as a whole.
  bool whole() const { return whole_ != nullptr; }
  // For a clip that is written as a whole: bytes of its keys so far (Motion::key_bytes).
  size_t held_bytes() const;
  // Returns true if a clip that is written as a whole should be closed and another one begun,
  // because it has as many keys as may be kept or as the format can represent. Later messages are
  // still taken.
  bool full() const;

 private:
  struct Whole;  // the clip so far, for a format that is written as a whole

  ClipWriter(std::unique_ptr<files::ByteSink> sink, Format format, const WriteOptions& options);
  absl::Status Append(absl::string_view record);
  // Writes record_, which ends with a message, and a record after it when one is due.
  absl::Status AppendMessage(size_t message_bytes);

  std::unique_ptr<files::ByteSink> sink_;
  Format format_;
  int64_t end_ = 0;
  recording::ChunkBuilder chunks_;  // of .animdata
  std::string record_;              // reused to avoid allocation
  std::unique_ptr<Whole> whole_;
};

}  // namespace posewire::clipio

#endif  // POSEWIRE_LIBS_CLIPIO_CLIP_WRITER_H_
