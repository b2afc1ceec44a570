// A file descriptor with an owner, and errors that name the file. Internal to libs/clipio.
#ifndef POSEWIRE_LIBS_CLIPIO_FILE_H_
#define POSEWIRE_LIBS_CLIPIO_FILE_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace posewire::clipio {

class File {
 public:
  enum class Mode { kRead, kReplace, kAppend };

  // "-" is standard input or standard output. NOT_FOUND, PERMISSION_DENIED or UNAVAILABLE.
  static absl::StatusOr<File> Open(const std::string& path, Mode mode);
  File(File&& other) noexcept;
  File& operator=(File&&) = delete;
  ~File();

  const std::string& path() const { return path_; }
  // Bytes; 0 for what has no size, as a pipe.
  int64_t Size() const;
  // Up to size bytes; 0 at the end.
  absl::StatusOr<size_t> Read(absl::Span<char> to);
  // All of it, in one call of the system where that takes it. RESOURCE_EXHAUSTED: no space.
  absl::Status Write(absl::string_view bytes);
  // Cuts the file and goes on writing there. Nothing happens to a pipe.
  absl::Status Truncate(int64_t size);
  // On the disk, and not only with the system.
  absl::Status Sync();
  absl::Status Close();

 private:
  File(std::string path, int fd, bool owned) : path_(std::move(path)), fd_(fd), owned_(owned) {}
  absl::Status Fault(absl::string_view what) const;

  std::string path_;
  int fd_ = -1;
  bool owned_ = true;
};

}  // namespace posewire::clipio

#endif  // POSEWIRE_LIBS_CLIPIO_FILE_H_
