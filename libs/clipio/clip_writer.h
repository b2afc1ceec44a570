// Writes clips message by message, so that a crash leaves whole messages.
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
  // By the extension of the sink's name unless given.
  std::optional<Format> format;
  // Go on behind the last whole message of a file that is there; a torn tail is cut off. Of a path
  // only.
  bool append = false;
  // Opens a file beside the clip: one whose name is `stem` and this ending, such as ".wav". For
  // formats that name the files of what they do not hold themselves: a stage has its voice so.
  // Null: the voice is left out.
  std::function<absl::StatusOr<std::unique_ptr<files::ByteSink>>(const std::string& ending)>
      beside = nullptr;
  std::string stem = {};  // without a folder
  // False: the voice is written by somebody else, who says where it is (SetVoice).
  bool voice = true;
  // A stage as three (libs/formats/usd/usda.h): the take, and beside it its rig and its clip.
  bool split_usd = false;
  // Messages of a format that is written as a whole are read as by a client (wire::ClientLimits),
  // each by itself: one that is refused is left out, and the next is taken.
  bool lenient = false;
  // Opens an .animdata file that takes the keys of a clip which its format cannot hold, so that
  // they are not lost; the error names it. Null: they are.
  std::function<absl::StatusOr<std::unique_ptr<files::ByteSink>>()> rescue = nullptr;
  // Of a format that is written as a whole: full() from so many bytes of keys on.
  size_t most_held_bytes = std::numeric_limits<size_t>::max();
};

// Formats that say how many frames there are, such as .bvh, are written as a whole by Close, and
// until then the clip is in memory; a message that breaks the rules of a stream is refused by
// Write, and a clip that the format cannot hold by Close, as INVALID_ARGUMENT. Nothing can be
// appended to them.
//
// Of the others each message goes to the system in one write: it survives the death of the process
// at once, and of the machine after Sync. A write that fails leaves the file as it was before it,
// and the next one may succeed (RESOURCE_EXHAUSTED: the disk is full). One thread.
class ClipWriter {
 public:
  // "-" writes standard output.
  static absl::StatusOr<std::unique_ptr<ClipWriter>> Open(const std::string& path,
                                                          const WriteOptions& options = {});
  // Begins at the start of the sink.
  static absl::StatusOr<std::unique_ptr<ClipWriter>> Open(std::unique_ptr<files::ByteSink> sink,
                                                          const WriteOptions& options = {});

  ~ClipWriter();

  absl::Status Write(const nvidia_ace::animation_data::v1::AnimationDataStream& message);

  // `slices` together are one serialized message: written as it lies to .animdata, unknown fields
  // and all; INVALID_ARGUMENT when it must become JSON and does not parse.
  absl::Status WriteSerialized(absl::Span<const absl::Span<const uint8_t>> slices);

  absl::Status Sync() { return sink_->Sync(); }
  // Writes the index of an .animdata file, without which it is whole too; and a clip that is
  // written as a whole.
  absl::Status Close();

  // Where the clip's voice is, for a format that names its file; of a writer that writes none.
  // Before Close.
  void SetVoice(asset::VoiceFile voice);

  // Of what was written so far, a file's older part included.
  int64_t bytes() const { return end_; }
  // The format is written as a whole.
  bool whole() const { return whole_ != nullptr; }
  // Of a clip that is written as a whole: bytes of the keys so far (Motion::key_bytes).
  size_t held_bytes() const;
  // A clip that is written as a whole should be closed, and another one begun: it has the keys that
  // were allowed to be held, or that the format can hold. Later messages are taken all the same.
  bool full() const;

 private:
  struct Whole;  // the clip so far, for a format that is written as a whole

  ClipWriter(std::unique_ptr<files::ByteSink> sink, Format format, const WriteOptions& options);
  absl::Status Append(absl::string_view record);
  // What record_ holds, which ends with a message, and a record behind it when it is time.
  absl::Status AppendMessage(size_t message_bytes);

  std::unique_ptr<files::ByteSink> sink_;
  Format format_;
  int64_t end_ = 0;
  recording::ChunkBuilder chunks_;  // of .animdata
  std::string record_;              // kept for its memory
  std::unique_ptr<Whole> whole_;
};

}  // namespace posewire::clipio

#endif  // POSEWIRE_LIBS_CLIPIO_CLIP_WRITER_H_
