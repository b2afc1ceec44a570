// The header and index of an `.offsets` file, by which any chunk can be read alone.
//
// A file on a server is read in pieces: 60 bytes say how long the index is, the index says where
// each chunk lies, and a chunk's own bytes are all that it takes to show its 256 frames. Bytes come
// from others, so every count is held against what is there before memory is taken for it.
#ifndef POSEWIRE_LIBS_OFFSETS_FILE_INDEX_H_
#define POSEWIRE_LIBS_OFFSETS_FILE_INDEX_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/offsets/method.h"

namespace posewire::offsets {

struct OffsetsHeader {
  Method method = Method::kFloat;
  uint32_t points = 0, frames = 0;
  uint32_t rate_num = 30, rate_den = 1;  // frames a second
  uint64_t mesh_hash = 0, clip_hash = 0;

  double rate_hz() const { return static_cast<double>(rate_num) / rate_den; }
};

struct FileLimits {
  uint32_t points = 2u << 20;
  uint32_t frames = 1u << 24;
  uint64_t chunk_bytes = 512ull << 20;  // of a chunk, inflated
};

// Where a chunk lies in its file, in bytes.
struct ChunkPlace {
  uint64_t offset = 0;
  uint32_t stored = 0, raw = 0, crc = 0;  // raw: inflated; the same as stored: not deflated
};

// Immutable; any thread.
class FileIndex {
 public:
  static constexpr size_t kHeadBytes = 60;

  // How many bytes at the start of a file hold header and index, told from the first kHeadBytes.
  // `file_bytes` is the file's size. INVALID_ARGUMENT says what is wrong; UNIMPLEMENTED a later
  // version or method; RESOURCE_EXHAUSTED a limit.
  static absl::StatusOr<size_t> BytesToRead(absl::string_view head, uint64_t file_bytes,
                                            const FileLimits& limits = {});
  // From so many bytes, or more of the file. Errors as above; DATA_LOSS a checksum.
  static absl::StatusOr<FileIndex> Parse(absl::string_view bytes, uint64_t file_bytes,
                                         const FileLimits& limits = {});

  const OffsetsHeader& header() const { return header_; }
  size_t chunks() const { return places_.size(); }
  size_t chunk_frames(size_t chunk) const;
  const ChunkPlace& place(size_t chunk) const { return places_[chunk]; }
  // Of memory.
  size_t held_bytes() const { return places_.capacity() * sizeof(ChunkPlace); }

  // FAILED_PRECONDITION if it was made of another mesh or clip; 0 stands for any.
  absl::Status Check(uint64_t mesh_hash, uint64_t clip_hash) const;

  // What its `place` has stored, if the checksum is right. DATA_LOSS, INVALID_ARGUMENT, with the
  // chunk's number.
  absl::StatusOr<std::unique_ptr<Chunk>> Open(size_t chunk, absl::string_view stored) const;
  // No less than the memory that Open takes meanwhile, the chunk that it makes included.
  size_t OpenBytes(size_t chunk) const;

 private:
  OffsetsHeader header_;
  std::vector<ChunkPlace> places_;
};

}  // namespace posewire::offsets

#endif  // POSEWIRE_LIBS_OFFSETS_FILE_INDEX_H_
