// A clip as checked chunks: ClipReader and wire::FrameReader together.
#ifndef POSEWIRE_LIBS_CLIPIO_STREAM_READER_H_
#define POSEWIRE_LIBS_CLIPIO_STREAM_READER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/asset/byte_stream.h"
#include "libs/asset/read_options.h"
#include "libs/clipio/clip_format.h"
#include "libs/recording/clip_reader.h"
#include "libs/retarget/retarget.h"
#include "libs/skel/rig.h"
#include "libs/wire/chunk.h"
#include "libs/wire/frame_reader.h"
#include "libs/wire/message.h"

namespace posewire::clipio {

// Looser than a server's: a file may hold hours in one message (of up to 512 MiB), name as many
// joints and shapes as an index can count, and has no ids when it was pulled by stream.
wire::ReaderLimits FileLimits();

// Errors are those of ClipReader; and those of wire::FrameReader, with the file, the number of the
// message, counted from 0, and its place in the file before them. One thread.
class StreamReader {
 public:
  // "-" reads standard input. `prim` is ReadOptions'.
  static absl::StatusOr<StreamReader> Open(const std::string& path,
                                           const wire::ReaderLimits& limits = FileLimits(),
                                           const std::string& prim = "");
  static absl::StatusOr<StreamReader> Open(const std::string& path,
                                           const asset::ReadOptions& options,
                                           const wire::ReaderLimits& limits = FileLimits());
  static absl::StatusOr<StreamReader> Open(std::unique_ptr<asset::ByteSource> source,
                                           asset::Format format,
                                           const wire::ReaderLimits& limits = FileLimits());
  StreamReader(StreamReader&&) noexcept;
  StreamReader& operator=(StreamReader&&) noexcept;
  ~StreamReader();

  // Of the source: a path, or what the bytes are.
  const std::string& name() const { return name_; }

  // As ClipReader::format.
  asset::Format format() const { return clip_->format(); }
  // As ClipReader::warnings.
  std::vector<std::string> warnings() const;

  // From now on the messages of libs/retarget/retarget.h. Before the first Next.
  void Retarget(std::shared_ptr<const skel::Rig> rig, skel::RigCatalog catalog,
                retarget::RetargetOptions options = {});

  // As ClipReader::skeleton.
  std::shared_ptr<const skel::Rig> skeleton() const;

  // As ClipReader::Narrow.
  absl::Status Narrow(double from_s, double to_s);

  // The next message; nothing at the end of the file.
  absl::StatusOr<std::optional<wire::Chunk>> Next();

  // The same with its bytes.
  absl::StatusOr<std::optional<wire::Message>> NextMessage();

  // The same in two steps, for who wants the bytes as well or alone: the next message as it lies
  // in the file, unchecked; and what NextBytes returned last, checked.
  absl::StatusOr<std::optional<std::string>> NextBytes();
  absl::StatusOr<wire::Chunk> Check(absl::string_view bytes);

  // Read so far: messages, and bytes to the end of the last.
  int64_t messages() const;
  int64_t end_of_last() const;
  // Of the file, in bytes; 0 when it is a pipe.
  int64_t size() const;

 private:
  StreamReader(std::string name, std::unique_ptr<recording::ClipReader> clip,
               const wire::ReaderLimits& limits);

  std::string name_;
  std::unique_ptr<recording::ClipReader> clip_;
  wire::FrameReader frames_;
  bool ended_ = false;  // NextMessage has come to the end
};

}  // namespace posewire::clipio

#endif  // POSEWIRE_LIBS_CLIPIO_STREAM_READER_H_
