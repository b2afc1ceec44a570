// Reads the messages of a clip one by one. At most one is in memory.
#ifndef POSEWIRE_LIBS_RECORDING_CLIP_READER_H_
#define POSEWIRE_LIBS_RECORDING_CLIP_READER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/asset/read_options.h"
#include "libs/skel/rig.h"
#include "libs/wire/frame_reader.h"
#include "libs/wire/message.h"

namespace posewire::recording {

// Errors name the source, and the byte or line. DATA_LOSS: the file ends within a message (a torn
// tail), has bytes that are not a length, or has a message that does not match its recorded
// checksum, which is detected up to 64 KiB later. INVALID_ARGUMENT: JSON that is not an
// AnimationDataStream. RESOURCE_EXHAUSTED: a message over the limit. After an error, all calls
// return it again. One thread.
class ClipReader {
 public:
  ClipReader(const ClipReader&) = delete;
  ClipReader& operator=(const ClipReader&) = delete;
  virtual ~ClipReader() = default;

  // The file's path, or a description of the bytes.
  virtual const std::string& name() const = 0;

  // Returns the next message, checked, with whole samples; nothing at the end of the file. Also
  // returns the errors of wire::FrameReader, prefixed with the file, the number of the message,
  // counted from 0, and its position in the file.
  absl::StatusOr<std::optional<wire::Message>> Next();

  // Returns the bytes of the next message, unchecked; null at the end of the file. For an .animdata
  // file these are the file's bytes. Call either this or Next on a reader, never both.
  absl::StatusOr<wire::MessageBytes> NextBytes();

  // Sets the limits of Next. Default: asset::FileLimits. Call before the first Next.
  void set_limits(const wire::ReaderLimits& limits) { frames_ = wire::FrameReader(limits); }

  // Skips messages that are not needed to show the clip from `from_s` to `to_s`, if the file has an
  // index. Still returns each track's last key before that time and first key after it, headers and
  // statuses, and possibly more. Call before the first Next. Errors are those of the source.
  virtual absl::Status Narrow(double /*from_s*/, double /*to_s*/) { return absl::OkStatus(); }

  // Bytes from the start of the file to the end of the last message that Next returned, or of a
  // record after it that Next skipped.
  int64_t end_of_last() const { return end_of_last_; }
  int64_t messages() const { return messages_; }
  // Warnings about the file, one sentence each: the assumption that was made, and the flag that
  // overrides it. Each Next may add some. Includes a WAV next to the file that is not a usable
  // voice.
  virtual std::vector<std::string> warnings() const;
  // Adds a warning; "" adds nothing.
  void Warn(absl::string_view what);
  // Position at which that message begins: "byte 120", or "line 7" for JSON.
  virtual std::string place_of_last() const = 0;
  // Size of the file in bytes; 0 for a pipe.
  virtual int64_t size() const = 0;
  // As in MotionReader. Call after the first Next.
  virtual std::shared_ptr<const skel::Rig> skeleton() const { return nullptr; }
  virtual double unit_m() const { return 1; }
  virtual bool moves_nodes() const { return false; }

 protected:
  // `warns_of_no_frame`: whether a clip without any data is a warning. False for a reader that
  // warns by itself, or wraps one that does.
  explicit ClipReader(bool warns_of_no_frame = true) : warns_of_no_frame_(warns_of_no_frame) {}
  virtual absl::StatusOr<wire::MessageBytes> DoNextBytes() = 0;
  // DoNextBytes and Check, unless a reader's messages are already checked.
  virtual absl::StatusOr<std::optional<wire::Message>> DoNext();
  absl::StatusOr<wire::Message> Check(wire::MessageBytes bytes);
  void WarnOfNoFrame() { Warn("the clip has no frame, so nothing moves"); }

  int64_t end_of_last_ = 0;
  int64_t messages_ = 0;  // including skipped ones
  std::vector<std::string> warnings_;

 private:
  void Count(const wire::MessageBytes& bytes);

  wire::FrameReader frames_{asset::FileLimits()};
  const bool warns_of_no_frame_;
  bool any_data_ = false;
  bool ended_ = false;

  absl::Status fault_;
};

}  // namespace posewire::recording

#endif  // POSEWIRE_LIBS_RECORDING_CLIP_READER_H_
