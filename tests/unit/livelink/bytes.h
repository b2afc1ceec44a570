// Datagrams of Live Link Face written byte by byte, independently of the writer.
#ifndef POSEWIRE_TESTS_UNIT_LIVELINK_BYTES_H_
#define POSEWIRE_TESTS_UNIT_LIVELINK_BYTES_H_

#include <cstdint>
#include <string>

namespace posewire::livelink {

// Appends to a datagram, most significant byte first.
struct Bytes {
  std::string text;

  Bytes& U8(int value) {
    text.push_back(static_cast<char>(value));
    return *this;
  }
  Bytes& U32(uint32_t value) {
    for (int shift = 24; shift >= 0; shift -= 8) text.push_back(static_cast<char>(value >> shift));
    return *this;
  }
  Bytes& Raw(const std::string& bytes) {
    text += bytes;
    return *this;
  }
  Bytes& Name(const std::string& name) { return U32(static_cast<uint32_t>(name.size())).Raw(name); }
};

inline constexpr char kPhone[] = "01234567-89AB-CDEF-0123-456789ABCDEF";

// Version, ids and the time code 12:00:00:30.5 at 60 frames a second.
inline Bytes HeaderBytes() {
  return Bytes().U8(6).Name(kPhone).Name("iPhone").U32(2592030).U32(0x3F000000).U32(60).U32(1);
}

// 61 curves of the bit pattern, 0.25 unless given.
inline Bytes FaceBytes(uint32_t each = 0x3E800000) {
  Bytes bytes = HeaderBytes().U8(61);
  for (int c = 0; c < 61; ++c) bytes.U32(each);
  return bytes;
}

}  // namespace posewire::livelink

#endif  // POSEWIRE_TESTS_UNIT_LIVELINK_BYTES_H_
