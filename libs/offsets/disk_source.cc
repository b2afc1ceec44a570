#include "libs/offsets/disk_source.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "libs/files/open.h"

namespace posewire::offsets {
namespace {

class DiskSource : public ByteSource {
 public:
  DiskSource(files::Descriptor file, std::string path)
      : file_(std::move(file)), path_(std::move(path)) {}

  absl::StatusOr<FilePiece> Read(uint64_t offset, size_t size) override {
    struct stat about {};
    if (fstat(file_.get(), &about) != 0) return Failed("size");
    FilePiece out;
    out.file_bytes = static_cast<uint64_t>(about.st_size);
    if (offset >= out.file_bytes) return out;
    out.bytes.resize(static_cast<size_t>(std::min<uint64_t>(size, out.file_bytes - offset)));
    size_t got = 0;
    while (got < out.bytes.size()) {
      const ssize_t n = pread(file_.get(), out.bytes.data() + got, out.bytes.size() - got,
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
    return files::Fault(path_, absl::StrCat("cannot read the ", what), errno);
  }

  const files::Descriptor file_;
  const std::string path_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<ByteSource>> OpenDiskSource(const std::string& path) {
  absl::StatusOr<files::Descriptor> file = files::OpenToRead(path);
  if (!file.ok()) return file.status();
  return std::make_shared<DiskSource>(*std::move(file), path);
}

}  // namespace posewire::offsets
