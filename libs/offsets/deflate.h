// zlib, for bytes of any kind.
#ifndef POSEWIRE_LIBS_OFFSETS_DEFLATE_H_
#define POSEWIRE_LIBS_OFFSETS_DEFLATE_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace posewire::offsets {

// The most bytes that one deflated byte can stand for, by the format.
inline constexpr size_t kMostDeflateGain = 1032;

// At the level that takes longest.
std::string Deflate(absl::string_view bytes);

// Exactly `size` bytes. INVALID_ARGUMENT for what deflate cannot have made of that many, before any
// memory is taken where the size alone tells.
absl::StatusOr<std::string> Inflate(absl::string_view bytes, size_t size);

uint32_t Crc32(absl::string_view bytes);

}  // namespace posewire::offsets

#endif  // POSEWIRE_LIBS_OFFSETS_DEFLATE_H_
