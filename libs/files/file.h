// A file as a source or a sink of bytes, with errors that name it.
#ifndef POSEWIRE_LIBS_FILES_FILE_H_
#define POSEWIRE_LIBS_FILES_FILE_H_

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/files/byte_sink.h"
#include "libs/files/byte_source.h"
#include "libs/files/descriptor.h"

namespace posewire::files {

// Identifies a file independently of its path. The system may reuse the id of a deleted file.
struct FileId {
  dev_t device = 0;
  ino_t inode = 0;
  bool operator==(const FileId&) const = default;
};

// A source if opened with kRead, otherwise a sink. Refers to the same file even if its path is
// later given to another file. Errors are those of libs/files/open.h.
class File final : public ByteSource, public ByteSink {
 public:
  enum class Mode {
    kRead,
    kReplace,
    kAppend,
    kNew,  // a sink; creates the file atomically, ALREADY_EXISTS if it exists
  };

  // "-" is standard input, read from its current offset, or standard output. kRead accepts only
  // regular files.
  static absl::StatusOr<std::unique_ptr<File>> Open(const std::string& path, Mode mode);
  // Opens for reading, as above or a pipe. Reading a pipe or standard input waits for bytes, and is
  // CANCELLED soon after `stopped` returns true. For files that a command's user names; never for
  // those that servers watch, or that other files name.
  static absl::StatusOr<std::unique_ptr<File>> OpenMaybePipe(const std::string& path,
                                                             std::function<bool()> stopped);
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  // Whether it has no size and can be read only once.
  bool is_stream() const { return stream_; }
  const std::string& name() const override { return path_; }
  // Before Close.
  FileId id() const;
  int64_t Size() const override;
  absl::StatusOr<size_t> Read(int64_t offset, absl::Span<char> to) override;
  // Uses one write(2) if the system accepts all bytes at once.
  absl::Status Write(absl::string_view bytes) override;
  absl::Status Overwrite(int64_t offset, absl::string_view bytes) override;
  absl::Status Truncate(int64_t size) override;
  absl::Status Sync() override;
  absl::Status Close() override;

 private:
  File(std::string path, int fd, Descriptor owned)
      : path_(std::move(path)), fd_(fd), owned_(std::move(owned)) {}
  absl::Status Fault(absl::string_view what) const;
  bool owned() const { return owned_.get() >= 0; }
  absl::Status AwaitBytes() const;

  const std::string path_;
  int fd_;
  Descriptor owned_;  // none: fd_ is standard input or output
  bool stream_ = false;
  int64_t base_ = 0;    // where standard input was when it was opened
  int64_t passed_ = 0;  // bytes of a pipe that were read
  std::function<bool()> stopped_ = nullptr;
};

}  // namespace posewire::files

#endif  // POSEWIRE_LIBS_FILES_FILE_H_
