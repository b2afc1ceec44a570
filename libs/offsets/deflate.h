// zlib compression of arbitrary bytes.
#ifndef POSEWIRE_LIBS_OFFSETS_DEFLATE_H_
#define POSEWIRE_LIBS_OFFSETS_DEFLATE_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace posewire::offsets {

// Maximum number of bytes that one deflated byte can represent, by the format.
inline constexpr size_t kMostDeflateGain = 1032;

// Uses the slowest level.
std::string Deflate(absl::string_view bytes);

// Returns exactly `size` bytes. INVALID_ARGUMENT if the input does not decompress to that, before
// memory is allocated if its size shows it.
absl::StatusOr<std::string> Inflate(absl::string_view bytes, size_t size);

uint32_t Crc32(absl::string_view bytes);

}  // namespace posewire::offsets

#endif  // POSEWIRE_LIBS_OFFSETS_DEFLATE_H_
