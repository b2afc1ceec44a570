// Where the bytes of a file come from, in pieces: a disk, or a server that knows HTTP ranges.
#ifndef POSEWIRE_LIBS_OFFSETS_BYTE_SOURCE_H_
#define POSEWIRE_LIBS_OFFSETS_BYTE_SOURCE_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace posewire::offsets {

// A piece of a file, and how large the whole of it is.
struct FilePiece {
  std::string bytes;
  uint64_t file_bytes = 0;
};

// Any thread, and several at once. Read blocks, for no longer than the source has said when it was
// made; only workers call it.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // `size` bytes from `offset`, or fewer where the file ends before. Takes little more memory than
  // these. Errors are the source's; a file that has been replaced shows by its size or by the
  // checksums of what is in it.
  virtual absl::StatusOr<FilePiece> Read(uint64_t offset, size_t size) = 0;
  // Ends the reads that block, and all later ones, with CANCELLED. Any thread. A source that blocks
  // for no longer than a disk need not.
  virtual void Stop() {}
};

}  // namespace posewire::offsets

#endif  // POSEWIRE_LIBS_OFFSETS_BYTE_SOURCE_H_
