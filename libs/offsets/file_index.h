// The header and index of an `.offsets` file, with which any chunk can be read alone.
//
// A file on a server is read in parts: the first 68 bytes have the length of the index, the index
// has the position of each chunk, and a chunk's own bytes suffice to show its 256 frames. The bytes
// are untrusted, so every count is checked against the available size before memory is allocated.
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

// What the frames of a file are. These numbers are stored in files: never change them.
enum class Content : uint32_t {
  kClip = 0,    // moments of a clip
  kShapes = 1,  // the face at rest, then each shape of the rig alone (character::ShapeOffsets)
};

struct OffsetsHeader {
  Method method = Method::kFloat;
  Content content = Content::kClip;
  uint32_t points = 0, frames = 0;
  uint32_t rate_num = 30, rate_den = 1;  // frames per second
  uint64_t mesh_hash = 0, clip_hash = 0;
  // Of the shape set that a clip was baked on top of (character::ShapeOffsets::hash); 0: none.
  uint64_t shapes_hash = 0;

  double rate_hz() const { return static_cast<double>(rate_num) / rate_den; }
};

struct FileLimits {
  uint32_t points = 2u << 20;
  uint32_t frames = 1u << 24;
  uint64_t chunk_bytes = 512ull << 20;  // of a decompressed chunk
};

// Position of a chunk in its file, in bytes.
struct ChunkPlace {
  uint64_t offset = 0;
  uint32_t stored = 0, raw = 0, crc = 0;  // raw: decompressed; if equal to stored: not compressed
};

// Immutable; any thread.
class FileIndex {
 public:
  static constexpr size_t kHeadBytes = 68;

  // Returns the size of header and index at the start of a file, from the first kHeadBytes.
  // `file_bytes` is the file's size. INVALID_ARGUMENT names the fault; UNIMPLEMENTED a later
  // version or method; RESOURCE_EXHAUSTED a limit.
  static absl::StatusOr<size_t> BytesToRead(absl::string_view head, uint64_t file_bytes,
                                            const FileLimits& limits = {});
  // Parses that many bytes, or more of the file. Errors as above; DATA_LOSS for a wrong checksum.
  static absl::StatusOr<FileIndex> Parse(absl::string_view bytes, uint64_t file_bytes,
                                         const FileLimits& limits = {});

  const OffsetsHeader& header() const { return header_; }
  size_t chunks() const { return places_.size(); }
  size_t chunk_frames(size_t chunk) const;
  const ChunkPlace& place(size_t chunk) const { return places_[chunk]; }
  // Memory used.
  size_t held_bytes() const { return places_.capacity() * sizeof(ChunkPlace); }

  // FAILED_PRECONDITION if it was made for another mesh or clip; 0 matches any.
  absl::Status Check(uint64_t mesh_hash, uint64_t clip_hash) const;

  // Decodes the bytes stored at a chunk's `place`, after checking the checksum. DATA_LOSS,
  // INVALID_ARGUMENT, with the chunk's number.
  absl::StatusOr<std::unique_ptr<Chunk>> Open(size_t chunk, absl::string_view stored) const;
  // Upper bound of the memory that Open uses, including the chunk that it returns.
  size_t OpenBytes(size_t chunk) const;

 private:
  OffsetsHeader header_;
  std::vector<ChunkPlace> places_;
};

}  // namespace posewire::offsets

#endif  // POSEWIRE_LIBS_OFFSETS_FILE_INDEX_H_
