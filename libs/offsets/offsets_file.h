// `.offsets`: a clip's offsets in chunks that can be read alone (docs/formats.md documents the
// bytes).
#ifndef POSEWIRE_LIBS_OFFSETS_OFFSETS_FILE_H_
#define POSEWIRE_LIBS_OFFSETS_OFFSETS_FILE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/offsets/file_index.h"
#include "libs/offsets/method.h"

namespace posewire::offsets {

// FNV-1a, 64 bits. Detects accidental differences, not deliberate ones. `seed` chains several
// calls.
inline constexpr uint64_t kHashSeed = 14695981039346656037ull;
uint64_t ContentHash(absl::string_view bytes, uint64_t seed = kHashSeed);

// Returns the whole file. `values` has `header.points` offsets for each frame. INVALID_ARGUMENT for
// other counts, no points or frames, a rate of 0, settings out of range, or a value that is not
// finite (named) or over 1000 m; otherwise the method's errors.
absl::StatusOr<std::string> WriteOffsets(const OffsetsHeader& header, const Settings& settings,
                                         absl::Span<const skel::Vec3> values);

// Immutable; any thread.
class OffsetsFile {
 public:
  // Checks header and index, with every count compared to the available bytes. INVALID_ARGUMENT
  // names the fault; UNIMPLEMENTED a later version or method; RESOURCE_EXHAUSTED a limit; DATA_LOSS
  // a wrong checksum.
  static absl::StatusOr<OffsetsFile> Parse(std::string bytes, const FileLimits& limits = {});

  const OffsetsHeader& header() const { return index_.header(); }
  size_t bytes() const { return bytes_.size(); }
  size_t chunks() const { return index_.chunks(); }
  size_t chunk_frames(size_t chunk) const { return index_.chunk_frames(chunk); }
  size_t chunk_bytes(size_t chunk) const { return index_.place(chunk).stored; }

  // FAILED_PRECONDITION if it was made for another mesh or clip; 0 matches any.
  absl::Status Check(uint64_t mesh_hash, uint64_t clip_hash) const {
    return index_.Check(mesh_hash, clip_hash);
  }

  // Opens a chunk after checking its checksum; errors as above, with the chunk's number.
  absl::StatusOr<std::unique_ptr<Chunk>> Open(size_t chunk) const;

 private:
  std::string bytes_;
  FileIndex index_;
};

}  // namespace posewire::offsets

#endif  // POSEWIRE_LIBS_OFFSETS_OFFSETS_FILE_H_
