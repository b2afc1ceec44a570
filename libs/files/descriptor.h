// Owns a file descriptor.
#ifndef POSEWIRE_LIBS_FILES_DESCRIPTOR_H_
#define POSEWIRE_LIBS_FILES_DESCRIPTOR_H_

#include <unistd.h>

#include <utility>

namespace posewire::files {

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  int get() const { return fd_; }
  // Passes ownership to the caller.
  int Release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

}  // namespace posewire::files

#endif  // POSEWIRE_LIBS_FILES_DESCRIPTOR_H_
