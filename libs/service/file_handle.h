// A file descriptor with an owner.
#ifndef POSEWIRE_LIBS_SERVICE_FILE_HANDLE_H_
#define POSEWIRE_LIBS_SERVICE_FILE_HANDLE_H_

#include <unistd.h>

#include <utility>

namespace posewire::service {

class FileHandle {
 public:
  explicit FileHandle(int fd = -1) : fd_(fd) {}
  ~FileHandle() {
    if (fd_ >= 0) close(fd_);
  }
  FileHandle(FileHandle&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileHandle& operator=(FileHandle&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  int get() const { return fd_; }
  // The descriptor, whose owner is the caller from now on.

 private:
  int fd_;
};

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_FILE_HANDLE_H_
