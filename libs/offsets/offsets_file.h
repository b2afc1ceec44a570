// `.offsets`: a clip's offsets in chunks that can be read alone (docs/complex-characters.md has the
// bytes).
#ifndef POSEWIRE_LIBS_OFFSETS_OFFSETS_FILE_H_
#define POSEWIRE_LIBS_OFFSETS_OFFSETS_FILE_H_

#include <cstdint>
#include <memory>
#include <string>
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
};

// FNV-1a, 64 bits: tells by accident apart, not on purpose. `seed` chains several calls.
inline constexpr uint64_t kHashSeed = 14695981039346656037ull;
uint64_t ContentHash(absl::string_view bytes, uint64_t seed = kHashSeed);

// The whole file. `values` has `header.points` offsets for each frame. INVALID_ARGUMENT for other
// counts, no points or frames, a rate of 0, settings out of range, or a value that is not finite
// (named) or over 1000 m.
absl::StatusOr<std::string> WriteOffsets(const OffsetsHeader& header, const Settings& settings,
                                         absl::Span<const skel::Vec3> values);

struct FileLimits {
  uint32_t points = 2u << 20;
  uint32_t frames = 1u << 24;
  uint64_t chunk_bytes = 512ull << 20;  // of a chunk, inflated
};

// Immutable; any thread.
class OffsetsFile {
 public:
  // Checks header and index, of which every count is held against the bytes that are there.
  // INVALID_ARGUMENT says what is wrong; UNIMPLEMENTED a later version or method;
  // RESOURCE_EXHAUSTED a limit; DATA_LOSS a checksum.
  static absl::StatusOr<OffsetsFile> Parse(std::string bytes, const FileLimits& limits = {});

  const OffsetsHeader& header() const { return header_; }
  size_t bytes() const { return bytes_.size(); }
  size_t chunks() const { return chunks_.size(); }
  size_t chunk_frames(size_t chunk) const;
  size_t chunk_bytes(size_t chunk) const { return chunks_[chunk].stored; }

  // FAILED_PRECONDITION if it was made of another mesh or clip; 0 stands for any.
  absl::Status Check(uint64_t mesh_hash, uint64_t clip_hash) const;

  // A chunk whose checksum is right; errors as above, with the chunk's number.
  absl::StatusOr<std::unique_ptr<Chunk>> Open(size_t chunk) const;

 private:
  struct Place {
    uint64_t offset = 0;
    uint32_t stored = 0, raw = 0, crc = 0;
  };
  std::string bytes_;
  OffsetsHeader header_;
  std::vector<Place> chunks_;
};

}  // namespace posewire::offsets

#endif  // POSEWIRE_LIBS_OFFSETS_OFFSETS_FILE_H_
