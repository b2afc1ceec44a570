// Constants of the `.offsets` format for reader and writer. Internal to libs/offsets.
#ifndef POSEWIRE_LIBS_OFFSETS_FILE_LAYOUT_H_
#define POSEWIRE_LIBS_OFFSETS_FILE_LAYOUT_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "libs/offsets/file_index.h"

namespace posewire::offsets {

inline constexpr absl::string_view kMagic = "PWOFFSET";
inline constexpr uint32_t kVersion = 2;
inline constexpr size_t kPlaceBytes = 20, kSumBytes = 4;

inline size_t ChunksFor(size_t frames) { return (frames + kChunkFrames - 1) / kChunkFrames; }
// Returns the size of header, index and their checksum.
inline size_t FirstChunkAt(size_t chunks) {
  return FileIndex::kHeadBytes + chunks * kPlaceBytes + kSumBytes;
}

}  // namespace posewire::offsets

#endif  // POSEWIRE_LIBS_OFFSETS_FILE_LAYOUT_H_
