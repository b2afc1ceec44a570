#include "libs/files/file.h"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/files/open.h"

namespace posewire::files {

namespace {

constexpr int kLook_ms = 100;  // at whether to stop

// Returns the current offset of a file, which a previous reader may have moved; 0 for a pipe.
int64_t OffsetOf(int fd) { return std::max<off_t>(0, ::lseek(fd, 0, SEEK_CUR)); }

}  // namespace

absl::Status File::Fault(absl::string_view what) const { return files::Fault(path_, what, errno); }

absl::StatusOr<std::unique_ptr<File>> File::Open(const std::string& path, Mode mode) {
  if (path == "-") {
    const int fd = mode == Mode::kRead ? STDIN_FILENO : STDOUT_FILENO;
    std::unique_ptr<File> out(new File(path, fd, Descriptor()));
    if (mode == Mode::kRead) out->base_ = OffsetOf(fd);
    return out;
  }
  const Writing writing = mode == Mode::kReplace ? Writing::kReplace
                          : mode == Mode::kNew   ? Writing::kNew
                                                 : Writing::kKeep;
  absl::StatusOr<Descriptor> file =
      mode == Mode::kRead ? OpenToRead(path) : OpenToWrite(path, writing);
  if (!file.ok()) return file.status();
  const int fd = file->get();
  return std::unique_ptr<File>(new File(path, fd, *std::move(file)));
}

absl::StatusOr<std::unique_ptr<File>> File::OpenMaybePipe(const std::string& path,
                                                          std::function<bool()> stopped) {
  std::unique_ptr<File> out;
  if (path == "-") {
    out.reset(new File(path, STDIN_FILENO, Descriptor()));
    out->stream_ = true;
    out->base_ = OffsetOf(STDIN_FILENO);
  } else {
    absl::StatusOr<Descriptor> file = OpenToRead(path, Readable::kRegularFileOrPipe);
    if (!file.ok()) return file.status();
    const int fd = file->get();
    out.reset(new File(path, fd, *std::move(file)));
    out->stream_ = IsPipe(out->owned_);
  }
  out->stopped_ = std::move(stopped);
  return out;
}

FileId File::id() const {
  struct stat about = {};
  if (::fstat(fd_, &about) != 0) return {};
  return {about.st_dev, about.st_ino};
}

int64_t File::Size() const {
  struct stat about = {};
  const bool known = ::fstat(fd_, &about) == 0 && S_ISREG(about.st_mode);
  return known ? std::max<int64_t>(0, about.st_size - base_) : 0;
}

// A pipe that was opened without waiting is at its end until it has its first writer, which poll
// tells from one that has gone.
absl::Status File::AwaitBytes() const {
  while (!stopped_()) {
    pollfd polled = {fd_, POLLIN, 0};
    const int n = ::poll(&polled, 1, kLook_ms);
    if (n > 0) return absl::OkStatus();
    if (n < 0 && errno != EINTR) return Fault("cannot read");
  }
  return absl::CancelledError(absl::StrCat(path_, ": told to stop"));
}

absl::StatusOr<size_t> File::Read(int64_t offset, absl::Span<char> to) {
  size_t got = 0;
  while (got < to.size()) {
    if (stream_) {
      if (absl::Status s = AwaitBytes(); !s.ok()) return s;
    }
    const absl::Span<char> rest = to.subspan(got);
    ssize_t n = ::pread(fd_, rest.data(), rest.size(), base_ + offset + static_cast<int64_t>(got));
    const bool seeks = n >= 0 || errno != ESPIPE;
    if (!seeks && offset != passed_) return Fault("cannot seek");
    if (!seeks) n = ::read(fd_, rest.data(), rest.size());
    // Another reader of the pipe may have been faster.
    if (n < 0 && (errno == EINTR || (stream_ && errno == EAGAIN))) continue;
    if (n < 0) return Fault("cannot read");
    got += static_cast<size_t>(n);
    if (!seeks) passed_ += n;
    if (!seeks || n == 0) break;
  }
  return got;
}

absl::Status File::Write(absl::string_view bytes) { return WriteAll(fd_, path_, bytes); }

absl::Status File::Overwrite(int64_t offset, absl::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::pwrite(fd_, bytes.data(), bytes.size(), offset);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Fault("cannot write");
    bytes.remove_prefix(static_cast<size_t>(n));
    offset += n;
  }
  return absl::OkStatus();
}

absl::Status File::Truncate(int64_t size) {
  if (!owned()) return absl::OkStatus();
  if (::ftruncate(fd_, size) != 0 || ::lseek(fd_, size, SEEK_SET) < 0) return Fault("cannot cut");
  return absl::OkStatus();
}

absl::Status File::Sync() {
  if (!owned() || ::fdatasync(fd_) == 0 || errno == EINVAL) return absl::OkStatus();
  return Fault("cannot sync");
}

absl::Status File::Close() {
  if (!owned()) return absl::OkStatus();
  fd_ = -1;
  if (::close(owned_.Release()) == 0) return absl::OkStatus();
  return Fault("cannot close");
}

}  // namespace posewire::files
