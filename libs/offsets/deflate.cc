#include "libs/offsets/deflate.h"

#include <zlib.h>

#include "absl/strings/str_cat.h"
#include "libs/offsets/bytes.h"

namespace posewire::offsets {

std::string Deflate(absl::string_view bytes) {
  uLongf size = compressBound(bytes.size());
  std::string out(size, '\0');
  compress2(reinterpret_cast<Bytef*>(out.data()), &size, UnsignedBytes(bytes), bytes.size(),
            Z_BEST_COMPRESSION);
  out.resize(size);
  return out;
}

absl::StatusOr<std::string> Inflate(absl::string_view bytes, size_t size) {
  if (size / kMostDeflateGain > bytes.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(bytes.size(), " bytes cannot be ", size, " deflated ones"));
  }
  std::string out(size, '\0');
  uLongf got = size;
  const int code =
      uncompress(reinterpret_cast<Bytef*>(out.data()), &got, UnsignedBytes(bytes), bytes.size());
  if (code == Z_OK && got == size) return out;
  return absl::InvalidArgumentError(absl::StrCat("deflated bytes are broken (zlib says ", code,
                                                 "), expected ", size, " of them"));
}

uint32_t Crc32(absl::string_view bytes) {
  return static_cast<uint32_t>(crc32_z(0, UnsignedBytes(bytes), bytes.size()));
}

}  // namespace posewire::offsets
