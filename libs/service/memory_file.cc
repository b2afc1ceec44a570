#include "libs/service/memory_file.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace posewire::service {
namespace {

absl::Status Fault(absl::string_view what) {
  const int code = errno;
  const std::string text = absl::StrCat(what, " a file in memory: ", std::strerror(code));
  return code == ENOMEM || code == ENOSPC || code == EMFILE || code == ENFILE
             ? absl::ResourceExhaustedError(text)
             : absl::UnavailableError(text);
}

}  // namespace

absl::StatusOr<files::Descriptor> MakeMemoryFile(absl::string_view bytes) {
  files::Descriptor file(memfd_create("posewire", MFD_CLOEXEC));
  if (file.get() < 0) return Fault("cannot make");
  while (!bytes.empty()) {
    const ssize_t n = write(file.get(), bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Fault("cannot fill");
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  if (lseek(file.get(), 0, SEEK_SET) < 0) return Fault("cannot rewind");
  return file;
}

}  // namespace posewire::service
