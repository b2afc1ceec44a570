// A file as a source or a sink of bytes, with errors that name it.
#ifndef POSEWIRE_LIBS_CLIPIO_FILE_H_
#define POSEWIRE_LIBS_CLIPIO_FILE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/clipio/byte_stream.h"

namespace posewire::clipio {

// A source when opened with kRead, else a sink. Errors: NOT_FOUND, PERMISSION_DENIED,
// RESOURCE_EXHAUSTED when the disk is full, INVALID_ARGUMENT for a folder, ALREADY_EXISTS of kNew,
// else UNAVAILABLE.
class File final : public ByteSource, public ByteSink {
 public:
  enum class Mode {
    kRead,
    kReplace,
    kAppend,
    kNew,  // a sink that this call makes, in one step: of two callers one gets it
  };

  // "-" is standard input or standard output.
  static absl::StatusOr<std::unique_ptr<File>> Open(const std::string& path, Mode mode);
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() override;

  const std::string& name() const override { return path_; }
  int64_t Size() const override;
  absl::StatusOr<size_t> Read(absl::Span<char> to) override;
  absl::Status Seek(int64_t offset) override;
  // In one call of the system where that takes it.
  absl::Status Write(absl::string_view bytes) override;
  absl::Status Overwrite(int64_t offset, absl::string_view bytes) override;
  absl::Status Truncate(int64_t size) override;
  absl::Status Sync() override;
  absl::Status Close() override;

 private:
  File(std::string path, int fd, bool owned) : path_(std::move(path)), fd_(fd), owned_(owned) {}
  absl::Status Fault(absl::string_view what) const;

  const std::string path_;
  int fd_;
  const bool owned_;
};

// Where a file is put that replaces the one of this path as a whole: the path itself, or of a link
// to a file what the link leads to in the end, whether it is there or not. "-" stays. Errors:
// INVALID_ARGUMENT for what is there and is no regular file, and for links without an end.
absl::StatusOr<std::string> PlaceOf(const std::string& path);

}  // namespace posewire::clipio

#endif  // POSEWIRE_LIBS_CLIPIO_FILE_H_
