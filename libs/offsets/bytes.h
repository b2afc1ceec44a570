// Writes little-endian numbers to bytes, and reads them from untrusted bytes.
#ifndef POSEWIRE_LIBS_OFFSETS_BYTES_H_
#define POSEWIRE_LIBS_OFFSETS_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

#include "absl/strings/string_view.h"

namespace posewire::offsets {

// Bytes in the type that zlib and the codecs take.
inline const uint8_t* UnsignedBytes(absl::string_view bytes) {
  return reinterpret_cast<const uint8_t*>(bytes.data());
}

class ByteWriter {
 public:
  template <typename T>
  void Put(T value) {
    static_assert(std::is_arithmetic_v<T>);
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    out_.append(bytes, sizeof value);
  }
  void Bytes(absl::string_view bytes) { out_.append(bytes.data(), bytes.size()); }
  // Seven bits per byte, the lowest first.
  void Varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) out_.push_back(static_cast<char>(value | 0x80));
    out_.push_back(static_cast<char>(value));
  }
  // 0, -1, 1, -2, ... as 0, 1, 2, 3, ...
  void Signed(int64_t value) {
    Varint((static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63));
  }
  const std::string& bytes() const { return out_; }
  std::string Take() { return std::move(out_); }

 private:
  std::string out_;
};

// Reads past the end return 0, and make ok() false.
class ByteReader {
 public:
  explicit ByteReader(absl::string_view bytes) : bytes_(bytes) {}

  bool ok() const { return ok_; }
  size_t left() const { return bytes_.size(); }
  bool Done() const { return ok_ && bytes_.empty(); }

  template <typename T>
  T Get() {
    static_assert(std::is_arithmetic_v<T>);
    T value{};
    const absl::string_view from = Bytes(sizeof value);
    if (from.size() == sizeof value) std::memcpy(&value, from.data(), sizeof value);
    return value;
  }
  // Returns `n` bytes, or none if there are fewer.
  absl::string_view Bytes(size_t n) {
    if (n > bytes_.size()) {
      ok_ = false;
      bytes_ = {};
      return {};
    }
    const absl::string_view out = bytes_.substr(0, n);
    bytes_.remove_prefix(n);
    return out;
  }
  uint64_t Varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const auto byte = Get<uint8_t>();
      value |= static_cast<uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
    ok_ = false;
    return 0;
  }
  int64_t Signed() {
    const uint64_t value = Varint();
    return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
  }

 private:
  absl::string_view bytes_;
  bool ok_ = true;
};

}  // namespace posewire::offsets

#endif  // POSEWIRE_LIBS_OFFSETS_BYTES_H_
