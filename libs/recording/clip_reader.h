// Reads the messages of a clip one by one; never more than one is in memory.
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
// tail), holds bytes that are no length, or a message that does not have the checksum that was
// written for it, which is found up to 64 KiB after it. INVALID_ARGUMENT: JSON that is no
// AnimationDataStream. RESOURCE_EXHAUSTED: a message over the limit. After an error the reader
// returns it again. One thread.
class ClipReader {
 public:
  ClipReader(const ClipReader&) = delete;
  ClipReader& operator=(const ClipReader&) = delete;
  virtual ~ClipReader() = default;

  // Of the file: a path, or what the bytes are.
  virtual const std::string& name() const = 0;

  // The next message, checked, with whole samples; nothing at the end of the file. Also returns the
  // errors of wire::FrameReader, with the file, the number of the message, counted from 0, and its
  // place in the file before them.
  absl::StatusOr<std::optional<wire::Message>> Next();

  // The bytes of the next message, unchecked; null at the end of the file. Of an .animdata file
  // these are its very bytes. A reader is asked for messages or for bytes, never both.
  absl::StatusOr<wire::MessageBytes> NextBytes();

  // Of Next; asset::FileLimits unless set. Before the first Next.
  void set_limits(const wire::ReaderLimits& limits) { frames_ = wire::FrameReader(limits); }

  // Leaves out what is not needed to know what the clip shows from `from_s` to `to_s`, where the
  // file has an index that says so: of each track the last key before that time and the first one
  // after it come all the same, and so do headers and statuses, and maybe much else. Before the
  // first Next. Errors are those of the source.
  virtual absl::Status Narrow(double /*from_s*/, double /*to_s*/) { return absl::OkStatus(); }

  // Bytes from the start of the file to the end of the last message that Next returned, or of the
  // record after it that Next passed over.
  int64_t end_of_last() const { return end_of_last_; }
  int64_t messages() const { return messages_; }
  // What is doubtful about the file, with what was assumed and which flag changes it, a sentence
  // each; more may come with each Next. Includes a WAV next to it that cannot be its voice.
  virtual std::vector<std::string> warnings() const;
  // Adds to them; "" adds nothing.
  void Warn(absl::string_view what);
  // Where that message begins: "byte 120", or "line 7" of JSON.
  virtual std::string place_of_last() const = 0;
  // Of the file, in bytes; 0 when it is a pipe.
  virtual int64_t size() const = 0;
  // As MotionReader's, after the first Next.
  virtual std::shared_ptr<const skel::Rig> skeleton() const { return nullptr; }
  virtual double unit_m() const { return 1; }
  virtual bool moves_nodes() const { return false; }

 protected:
  ClipReader() = default;
  virtual absl::StatusOr<wire::MessageBytes> DoNextBytes() = 0;
  // DoNextBytes and Check, unless a reader has checked messages already.
  virtual absl::StatusOr<std::optional<wire::Message>> DoNext();
  absl::StatusOr<wire::Message> Check(wire::MessageBytes bytes);
  // Of a reader that warns of a clip without a frame by itself, when it is made.
  void Wrap() { wraps_ = true; }
  void WarnOfNoFrame() { Warn("the clip has no frame, so nothing moves"); }

  int64_t end_of_last_ = 0;
  int64_t messages_ = 0;  // with those that were left out
  std::vector<std::string> warnings_;

 private:
  void Count(const wire::MessageBytes& bytes);

  wire::FrameReader frames_{asset::FileLimits()};
  bool wraps_ = false;
  bool any_data_ = false;
  bool ended_ = false;

  absl::Status fault_;
};

}  // namespace posewire::recording

#endif  // POSEWIRE_LIBS_RECORDING_CLIP_READER_H_
