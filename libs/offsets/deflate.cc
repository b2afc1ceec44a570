#include "libs/offsets/deflate.h"

#include <zlib.h>

#include "absl/strings/str_cat.h"

namespace posewire::offsets {
namespace {

constexpr size_t kMostGain = 1032;  // of deflate, by its format

const Bytef* In(absl::string_view bytes) { return reinterpret_cast<const Bytef*>(bytes.data()); }

}  // namespace

std::string Deflate(absl::string_view bytes) {
  uLongf size = compressBound(bytes.size());
  std::string out(size, '\0');
  compress2(reinterpret_cast<Bytef*>(out.data()), &size, In(bytes), bytes.size(),
            Z_BEST_COMPRESSION);
  out.resize(size);
  return out;
}

absl::StatusOr<std::string> Inflate(absl::string_view bytes, size_t size) {
  if (size / kMostGain > bytes.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(bytes.size(), " bytes cannot be ", size, " deflated ones"));
  }
  std::string out(size, '\0');
  uLongf got = size;
  const int code = uncompress(reinterpret_cast<Bytef*>(out.data()), &got, In(bytes), bytes.size());
  if (code == Z_OK && got == size) return out;
  return absl::InvalidArgumentError(absl::StrCat("deflated bytes are broken (zlib says ", code,
                                                 "), expected ", size, " of them"));
}

uint32_t Crc32(absl::string_view bytes) {
  return static_cast<uint32_t>(crc32_z(0, In(bytes), bytes.size()));
}

}  // namespace posewire::offsets
