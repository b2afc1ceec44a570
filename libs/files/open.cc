#include "libs/files/open.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace posewire::files {
namespace {

absl::string_view KindName(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

absl::Status Rejected(absl::string_view path, mode_t mode, Readable readable) {
  return absl::InvalidArgumentError(absl::StrCat(path, ": is ", KindName(mode),
                                                 readable == Readable::kRegularFile
                                                     ? "; a regular file is needed"
                                                     : "; a regular file or a pipe is needed"));
}

Descriptor Open(const std::string& path, int flags) {
  int fd = -1;
  do {
    fd = ::open(path.c_str(), flags | O_NONBLOCK | O_CLOEXEC | O_NOCTTY, 0666);
  } while (fd < 0 && errno == EINTR);
  return Descriptor(fd);
}

}  // namespace

absl::Status Fault(absl::string_view path, absl::string_view what, int error) {
  const std::string text = absl::StrCat(path, ": ", what, ": ", std::strerror(error));
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return absl::NotFoundError(text);
    case EEXIST:
      return absl::AlreadyExistsError(text);
    case EACCES:
    case EPERM:
    case EROFS:
      return absl::PermissionDeniedError(text);
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return absl::ResourceExhaustedError(text);
    case EISDIR:
      return absl::InvalidArgumentError(text);
    default:
      return absl::UnavailableError(text);
  }
}

absl::StatusOr<Descriptor> OpenToRead(const std::string& path, Readable readable) {
  Descriptor file = Open(path, O_RDONLY);
  const int error = errno;
  struct stat info = {};
  if (file.get() < 0) {
    // Sockets cannot be opened at all.
    const bool socket =
        error == ENXIO && ::stat(path.c_str(), &info) == 0 && S_ISSOCK(info.st_mode);
    return socket ? Rejected(path, info.st_mode, readable) : Fault(path, "cannot open", error);
  }
  if (::fstat(file.get(), &info) != 0) return Fault(path, "cannot open", errno);
  const bool pipe = readable == Readable::kRegularFileOrPipe && S_ISFIFO(info.st_mode);
  if (!S_ISREG(info.st_mode) && !pipe) return Rejected(path, info.st_mode, readable);
  return file;
}

bool IsPipe(const Descriptor& file) {
  struct stat info = {};
  return ::fstat(file.get(), &info) == 0 && S_ISFIFO(info.st_mode);
}

absl::StatusOr<Descriptor> OpenToWrite(const std::string& path, Writing writing) {
  const int how = writing == Writing::kReplace ? O_TRUNC : writing == Writing::kNew ? O_EXCL : 0;
  Descriptor file = Open(path, O_WRONLY | O_CREAT | how);
  if (file.get() < 0 && errno == ENXIO) {
    return absl::UnavailableError(
        absl::StrCat(path, ": cannot open: it is a pipe that nothing reads, or a socket"));
  }
  if (file.get() < 0) return Fault(path, "cannot open", errno);
  const int flags = ::fcntl(file.get(), F_GETFL);
  if (flags < 0 || ::fcntl(file.get(), F_SETFL, flags & ~O_NONBLOCK) != 0) {
    return Fault(path, "cannot open", errno);
  }
  return file;
}

absl::Status WriteAll(int fd, absl::string_view path, absl::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Fault(path, "cannot write", errno);
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return absl::OkStatus();
}

}  // namespace posewire::files
