// Where bytes come from: files and pipes (libs/files/file.h), memory, and servers.
#ifndef POSEWIRE_LIBS_FILES_BYTE_SOURCE_H_
#define POSEWIRE_LIBS_FILES_BYTE_SOURCE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace posewire::files {

// Bytes that can be read at any offset, by several threads at once. A pipe can only be read in
// order, by one thread.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // For errors: a path, an address, or a description of the bytes.
  virtual const std::string& name() const = 0;
  // The number of bytes now; 0 for a pipe, and for a server's file until its first read.
  virtual int64_t Size() const = 0;
  // Reads to.size() bytes from `offset` on; fewer only at the end. A pipe returns what it has, and
  // 0 only at the end. May block.
  virtual absl::StatusOr<size_t> Read(int64_t offset, absl::Span<char> to) = 0;
  // Ends the reads that block, and all later ones, with CANCELLED. Any thread. Does nothing to a
  // source that blocks no longer than a disk.
  virtual void Stop() {}
};

// Returns what Read does.
absl::StatusOr<std::string> ReadBytes(ByteSource& source, int64_t offset, size_t size);

// Borrows the bytes.
class MemorySource final : public ByteSource {
 public:
  MemorySource(std::string name, absl::string_view bytes) : name_(std::move(name)), bytes_(bytes) {}

  const std::string& name() const override { return name_; }
  int64_t Size() const override { return static_cast<int64_t>(bytes_.size()); }
  absl::StatusOr<size_t> Read(int64_t offset, absl::Span<char> to) override;

 private:
  const std::string name_;
  const absl::string_view bytes_;
};

}  // namespace posewire::files

#endif  // POSEWIRE_LIBS_FILES_BYTE_SOURCE_H_
