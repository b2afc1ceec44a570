// The protobuf wire format, read without protobuf: fields of one message in order, from borrowed
// bytes. Internal to libs/wire.
//
// Source: protobuf's encoding document. Groups are legal and skipped, whatever their number; they
// nest at most 100 deep, as in protobuf's own parser. Nothing here allocates or throws.
#ifndef POSEWIRE_LIBS_WIRE_WIRE_FORMAT_H_
#define POSEWIRE_LIBS_WIRE_WIRE_FORMAT_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace posewire::wire {

static_assert(std::endian::native == std::endian::little,
              "samples and floats are copied as they lie");

using Bytes = absl::Span<const uint8_t>;

inline absl::string_view AsText(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

enum WireType : uint8_t {
  kVarint = 0,
  kFixed64 = 1,
  kLength = 2,
  kStartGroup = 3,
  kEndGroup = 4,
  kFixed32 = 5
};

struct Field {
  uint32_t number = 0;
  WireType type = kVarint;
  uint64_t value = 0;  // kVarint, kFixed64, kFixed32
  Bytes bytes;         // kLength

  bool Is(uint32_t n, WireType t) const { return number == n && type == t; }
  double AsDouble() const { return std::bit_cast<double>(value); }
  float AsFloat() const { return std::bit_cast<float>(static_cast<uint32_t>(value)); }
};

// Walks the fields of one message. Next returns false at the end and at the first error; ok()
// distinguishes them.
class FieldReader {
 public:
  explicit FieldReader(Bytes bytes) : p_(bytes.data()), end_(p_ + bytes.size()) {}

  bool Next(Field* field) {
    while (p_ != end_) {
      if (!ReadTag(field)) return Fail();
      if (field->type == kStartGroup) {
        if (!SkipGroup(field->number)) return Fail();
        continue;
      }
      return field->type != kEndGroup && ReadPayload(field) ? true : Fail();
    }
    return false;
  }
  bool ok() const { return ok_; }
  // Start of the next field, or of a group that Next would skip.
  const uint8_t* position() const { return p_; }

  // Like Next, but returns groups as fields of type kStartGroup. `raw` is the whole field, tag and
  // payload.
  bool NextRaw(Field* field, Bytes* raw) {
    if (p_ == end_) return false;
    const uint8_t* const begin = p_;
    if (!ReadTag(field) || field->type == kEndGroup) return Fail();
    const bool read = field->type == kStartGroup ? SkipGroup(field->number) : ReadPayload(field);
    if (!read) return Fail();
    *raw = {begin, static_cast<size_t>(p_ - begin)};
    return true;
  }

  // Takes the next field if it is a sub-message with this number (below 16) of under 128 bytes,
  // which is the usual case. Otherwise returns false and takes nothing; then use Next.
  bool TakeShort(uint32_t number, Bytes* bytes) {
    if (end_ - p_ < 2 || p_[0] != ((number << 3) | kLength) || p_[1] > end_ - p_ - 2 ||
        p_[1] >= 0x80) {
      return false;
    }
    *bytes = {p_ + 2, p_[1]};
    p_ += 2 + p_[1];
    return true;
  }

 private:
  static constexpr int kMaxDepth = 100;

  bool Fail() {
    ok_ = false;
    p_ = end_;
    return false;
  }

  // At most `max_bytes` bytes long.
  bool ReadVarint(uint64_t* value, int max_bytes) {
    uint64_t v = 0;
    for (int i = 0; i < max_bytes && p_ != end_; ++i) {
      const uint8_t b = *p_++;
      v |= static_cast<uint64_t>(b & 0x7f) << (7 * i);
      if (b < 0x80) {
        *value = v;
        return true;
      }
    }
    return false;
  }

  bool ReadTag(Field* field) {
    uint64_t tag = 0;
    if (!ReadVarint(&tag, 5)) return false;
    // Bits beyond the 32 of a tag are dropped, as in protobuf's parser.
    field->number = static_cast<uint32_t>(tag) >> 3;
    field->type = static_cast<WireType>(tag & 7);
    return field->number != 0 && field->type <= kFixed32;
  }

  bool ReadPayload(Field* field) {
    const size_t left = static_cast<size_t>(end_ - p_);
    switch (field->type) {
      case kVarint:
        return ReadVarint(&field->value, 10);
      case kFixed64:
        if (left < 8) return false;
        std::memcpy(&field->value, p_, 8);
        p_ += 8;
        return true;
      case kFixed32:
        if (left < 4) return false;
        field->value = 0;
        std::memcpy(&field->value, p_, 4);
        p_ += 4;
        return true;
      case kLength: {
        uint64_t n = 0;
        if (!ReadVarint(&n, 5) || n > static_cast<size_t>(end_ - p_)) return false;
        field->bytes = {p_, static_cast<size_t>(n)};
        p_ += n;
        return true;
      }
      default:
        return false;
    }
  }

  // Starts after the group's start tag; reads to its matching end tag without recursion.
  bool SkipGroup(uint32_t number) {
    uint32_t open[kMaxDepth];
    int depth = 0;
    open[depth++] = number;
    Field field;
    while (depth > 0) {
      if (!ReadTag(&field)) return false;
      if (field.type == kStartGroup) {
        if (depth == kMaxDepth) return false;
        open[depth++] = field.number;
      } else if (field.type == kEndGroup) {
        if (open[--depth] != field.number) return false;
      } else if (!ReadPayload(&field)) {
        return false;
      }
    }
    return true;
  }

  const uint8_t* p_;
  const uint8_t* end_;
  bool ok_ = true;
};

}  // namespace posewire::wire

#endif  // POSEWIRE_LIBS_WIRE_WIRE_FORMAT_H_
