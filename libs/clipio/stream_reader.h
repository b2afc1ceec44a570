// A clip file as checked chunks: ClipReader and wire::FrameReader together.
#ifndef POSEWIRE_LIBS_CLIPIO_STREAM_READER_H_
#define POSEWIRE_LIBS_CLIPIO_STREAM_READER_H_

#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "libs/wire/chunk.h"
#include "libs/wire/frame_reader.h"

namespace posewire::clipio {

class ClipReader;

// Limits for files: messages of up to 64 MiB, and no ids needed.
wire::ReaderLimits FileLimits();

// Errors are those of ClipReader, and those of wire::FrameReader with the file and the number of
// the message before them. One thread.
class StreamReader {
 public:
  static absl::StatusOr<StreamReader> Open(const std::string& path,
                                           const wire::ReaderLimits& limits = FileLimits());
  StreamReader(StreamReader&&) noexcept;
  ~StreamReader();

  // The next chunk; nothing at the end of the file.
  absl::StatusOr<std::optional<wire::Chunk>> Next();

  // Read so far.
  int64_t messages() const;
  int64_t end_of_last() const;

 private:
  StreamReader(std::string path, std::unique_ptr<ClipReader> clip,
               const wire::ReaderLimits& limits);

  std::string path_;
  std::unique_ptr<ClipReader> clip_;
  wire::FrameReader frames_;
};

}  // namespace posewire::clipio

#endif  // POSEWIRE_LIBS_CLIPIO_STREAM_READER_H_
