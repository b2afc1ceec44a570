#include "libs/clipio/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"

namespace posewire::clipio {

absl::Status File::Fault(absl::string_view what) const {
  const int code = errno;
  const std::string text = absl::StrCat(path_, ": ", what, ": ", std::strerror(code));
  switch (code) {
    case ENOENT:
    case ENOTDIR:
      return absl::NotFoundError(text);
    case EACCES:
    case EPERM:
    case EROFS:
      return absl::PermissionDeniedError(text);
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return absl::ResourceExhaustedError(text);
    case EEXIST:
      return absl::AlreadyExistsError(text);
    case EISDIR:
      return absl::InvalidArgumentError(text);
    default:
      return absl::UnavailableError(text);
  }
}

absl::StatusOr<std::unique_ptr<File>> File::Open(const std::string& path, Mode mode) {
  if (path == "-") {
    const int fd = mode == Mode::kRead ? STDIN_FILENO : STDOUT_FILENO;
    return std::unique_ptr<File>(new File(path, fd, false));
  }
  const int flags = mode == Mode::kRead      ? O_RDONLY
                    : mode == Mode::kReplace ? O_WRONLY | O_CREAT | O_TRUNC
                    : mode == Mode::kNew     ? O_WRONLY | O_CREAT | O_EXCL
                                             : O_WRONLY | O_CREAT;
  int fd = -1;
  do {
    fd = ::open(path.c_str(), flags | O_CLOEXEC, 0666);
  } while (fd < 0 && errno == EINTR);
  std::unique_ptr<File> file(new File(path, fd, true));
  if (fd < 0) return file->Fault("cannot open");
  return file;
}

File::~File() {
  if (owned_ && fd_ >= 0) ::close(fd_);
}

int64_t File::Size() const {
  struct stat about = {};
  return ::fstat(fd_, &about) == 0 && S_ISREG(about.st_mode) ? about.st_size : 0;
}

absl::StatusOr<size_t> File::Read(absl::Span<char> to) {
  while (true) {
    const ssize_t n = ::read(fd_, to.data(), to.size());
    if (n >= 0) return static_cast<size_t>(n);
    if (errno != EINTR) return Fault("cannot read");
  }
}

absl::Status File::Seek(int64_t offset) {
  return ::lseek(fd_, offset, SEEK_SET) < 0 ? Fault("cannot seek") : absl::OkStatus();
}

absl::Status File::Write(absl::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Fault("cannot write");
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return absl::OkStatus();
}

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
  if (!owned_) return absl::OkStatus();
  if (::ftruncate(fd_, size) != 0 || ::lseek(fd_, size, SEEK_SET) < 0) return Fault("cannot cut");
  return absl::OkStatus();
}

absl::Status File::Sync() {
  if (!owned_ || ::fdatasync(fd_) == 0 || errno == EINVAL) return absl::OkStatus();
  return Fault("cannot sync");
}

absl::StatusOr<std::string> PlaceOf(const std::string& path) {
  namespace fs = std::filesystem;
  constexpr int kMostLinks = 40;  // as the system
  if (path == "-") return path;
  fs::path place = path;
  std::error_code error;
  for (int links = 0; fs::is_symlink(place, error); ++links) {
    if (links == kMostLinks) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ": leads from link to link without an end"));
    }
    const fs::path to = fs::read_symlink(place, error);
    if (error) return absl::UnavailableError(absl::StrCat(path, ": ", error.message()));
    place = to.is_absolute() ? to : place.parent_path() / to;
  }
  if (fs::exists(place, error) && !fs::is_regular_file(place, error)) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": is no regular file"));
  }
  return place.string();
}

absl::Status File::Close() {
  if (!owned_) return absl::OkStatus();
  const int fd = std::exchange(fd_, -1);
  if (fd < 0 || ::close(fd) == 0) return absl::OkStatus();
  return Fault("cannot close");
}

}  // namespace posewire::clipio
