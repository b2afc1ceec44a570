#include "libs/offsets/disk_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace posewire::offsets {
namespace {

class DiskSource : public ByteSource {
 public:
  DiskSource(int file, std::string path) : file_(file), path_(std::move(path)) {}
  ~DiskSource() override { close(file_); }

  absl::StatusOr<FilePiece> Read(uint64_t offset, size_t size) override {
    struct stat about {};
    if (fstat(file_, &about) != 0) return Failed("size");
    FilePiece out;
    out.file_bytes = static_cast<uint64_t>(about.st_size);
    if (offset >= out.file_bytes) return out;
    out.bytes.resize(static_cast<size_t>(std::min<uint64_t>(size, out.file_bytes - offset)));
    size_t got = 0;
    while (got < out.bytes.size()) {
      const ssize_t n = pread(file_, out.bytes.data() + got, out.bytes.size() - got,
                              static_cast<off_t>(offset + got));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return Failed("bytes");
      if (n == 0) break;
      got += static_cast<size_t>(n);
    }
    out.bytes.resize(got);
    return out;
  }

 private:
  absl::Status Failed(absl::string_view what) const {
    const int error = errno;
    return absl::ErrnoToStatus(error,
                               absl::StrCat("cannot read the ", what, " of \"", path_, "\""));
  }

  const int file_;
  const std::string path_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<ByteSource>> OpenDiskSource(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    const int error = errno;
    return absl::ErrnoToStatus(error, absl::StrCat("cannot open \"", path, "\""));
  }
  return std::make_shared<DiskSource>(file, path);
}

}  // namespace posewire::offsets
