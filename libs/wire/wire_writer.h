// Writes the protobuf wire format without protobuf, into memory of known size. Internal to
// libs/wire. The caller first computes the exact size with the *Size functions.
#ifndef POSEWIRE_LIBS_WIRE_WIRE_WRITER_H_
#define POSEWIRE_LIBS_WIRE_WIRE_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "absl/strings/string_view.h"
#include "libs/wire/wire_format.h"

namespace posewire::wire {

constexpr size_t VarintSize(uint64_t v) {
  size_t n = 1;
  while (v >= 0x80) v >>= 7, ++n;
  return n;
}

// Size of a field with a number below 16: tag, length and `n` bytes.
constexpr size_t LengthFieldSize(size_t n) { return 1 + VarintSize(n) + n; }
inline constexpr size_t kDoubleFieldSize = 9;
inline constexpr size_t kFloatFieldSize = 5;

class WireWriter {
 public:
  explicit WireWriter(uint8_t* to) : p_(to) {}

  void Varint(uint64_t v) {
    while (v >= 0x80) {
      *p_++ = static_cast<uint8_t>(v | 0x80);
      v >>= 7;
    }
    *p_++ = static_cast<uint8_t>(v);
  }
  // Writes a tag of one byte. `number` must be below 16, here and below.
  void Tag(uint32_t number, WireType type) { *p_++ = static_cast<uint8_t>((number << 3) | type); }
  // Writes tag and length of a field whose bytes follow.
  void Open(uint32_t number, size_t bytes) {
    Tag(number, kLength);
    Varint(bytes);
  }
  void Raw(const void* from, size_t bytes) {
    if (bytes != 0) std::memcpy(p_, from, bytes);
    p_ += bytes;
  }
  void VarintField(uint32_t number, uint64_t v) {
    Tag(number, kVarint);
    Varint(v);
  }
  void DoubleField(uint32_t number, double v) {
    Tag(number, kFixed64);
    Raw(&v, sizeof(v));
  }
  void FloatField(uint32_t number, float v) {
    Tag(number, kFixed32);
    Raw(&v, sizeof(v));
  }
  void TextField(uint32_t number, absl::string_view text) {
    Open(number, text.size());
    Raw(text.data(), text.size());
  }
  uint8_t* position() const { return p_; }

 private:
  uint8_t* p_;
};

}  // namespace posewire::wire

#endif  // POSEWIRE_LIBS_WIRE_WIRE_WRITER_H_
