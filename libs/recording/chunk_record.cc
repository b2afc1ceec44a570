#include "libs/recording/chunk_record.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "libs/recording/crc32c.h"

namespace posewire::recording {
namespace {

// Fields 1000 (bytes) and 1001 (fixed32).
constexpr absl::string_view kRecordTag("\xc2\x3e", 2);
constexpr absl::string_view kSizeTag("\xcd\x3e", 2);
constexpr size_t kLengthBytes = kRecordLengthBytes;
constexpr size_t kBodyOffset = kMarkOffset + kRecordMark.size() + sizeof(uint32_t);
constexpr size_t kCrcOffset = kBodyOffset - sizeof(uint32_t);
constexpr size_t kTrailerBytes = kSizeTag.size() + kSizeBytes;

static_assert(kMarkOffset == kLengthBytes + kRecordTag.size() + kLengthBytes);
static_assert(std::endian::native == std::endian::little);

void PutLength(size_t value, char* to) {
  for (size_t i = 0; i < kLengthBytes; ++i) {
    to[i] = static_cast<char>(((value >> (7 * i)) & 0x7f) | (i + 1 < kLengthBytes ? 0x80 : 0));
  }
}

// The checksum covers all of a frame except itself.
uint32_t CrcOf(absl::string_view frame) {
  return Crc32c(frame.substr(kBodyOffset), Crc32c(frame.substr(0, kCrcOffset)));
}

uint32_t Fixed32At(absl::string_view bytes, size_t at) {
  uint32_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof(value));
  return value;
}

}  // namespace

void AppendVarint(uint64_t v, std::string* out) {
  while (v >= 0x80) {
    out->push_back(static_cast<char>(v | 0x80));
    v >>= 7;
  }
  out->push_back(static_cast<char>(v));
}

std::optional<Framing> ReadFraming(absl::string_view bytes) {
  Framing framing;
  while (framing.length_bytes < std::min<size_t>(bytes.size(), 5)) {
    const auto byte = static_cast<uint8_t>(bytes[framing.length_bytes]);
    framing.message_bytes |= static_cast<uint64_t>(byte & 0x7f) << (7 * framing.length_bytes);
    ++framing.length_bytes;
    if (byte < 0x80) return framing;
  }
  return std::nullopt;
}

void FrameRecord(const ChunkRecord& record, absl::string_view status, std::string* frame) {
  frame->assign(kBodyOffset, '\0');
  record.AppendToString(frame);
  const size_t field_bytes = frame->size() - kMarkOffset;
  frame->append(status.data(), status.size());
  frame->append(kSizeTag.data(), kSizeTag.size());
  const auto size = static_cast<uint32_t>(frame->size() + kSizeBytes);
  frame->append(reinterpret_cast<const char*>(&size), kSizeBytes);

  PutLength(frame->size() - kLengthBytes, frame->data());
  std::copy_n(kRecordTag.data(), kRecordTag.size(), frame->data() + kLengthBytes);
  PutLength(field_bytes, frame->data() + kLengthBytes + kRecordTag.size());
  std::copy_n(kRecordMark.data(), kRecordMark.size(), frame->data() + kMarkOffset);
  const uint32_t crc = CrcOf(*frame);
  std::memcpy(frame->data() + kCrcOffset, &crc, sizeof(crc));
}

bool IsRecord(absl::string_view message) {
  constexpr size_t kAt = kMarkOffset - kLengthBytes;
  if (message.size() < kAt + kRecordMark.size()) return false;
  size_t same = 0;
  for (size_t i = 0; i < kRecordMark.size(); ++i) same += message[kAt + i] == kRecordMark[i];
  return same + 2 >= kRecordMark.size();
}

bool BeginsAsRecord(absl::string_view frame) {
  return frame.size() >= kMarkOffset + kRecordMark.size() &&
         frame.substr(kLengthBytes, kRecordTag.size()) == kRecordTag &&
         frame.substr(kMarkOffset, kRecordMark.size()) == kRecordMark;
}

bool EndsWithSize(absl::string_view bytes, uint64_t size) {
  return bytes.size() >= kSizeBytes && Fixed32At(bytes, bytes.size() - kSizeBytes) == size;
}

std::optional<ChunkRecord> ParseRecord(absl::string_view frame) {
  if (frame.size() < kBodyOffset + kTrailerBytes || !IsRecord(frame.substr(kLengthBytes)) ||
      CrcOf(frame) != Fixed32At(frame, kCrcOffset)) {
    return std::nullopt;
  }
  const std::optional<Framing> field = ReadFraming(frame.substr(kMarkOffset - kLengthBytes));
  if (!field || field->message_bytes > frame.size() - kMarkOffset ||
      field->message_bytes < kBodyOffset - kMarkOffset) {
    return std::nullopt;
  }
  ChunkRecord record;
  if (!record.ParseFromArray(
          frame.data() + kBodyOffset,
          static_cast<int>(field->message_bytes - (kBodyOffset - kMarkOffset)))) {
    return std::nullopt;
  }
  if (record.message_bytes_size() != record.message_crc32c_size()) return std::nullopt;
  return record;
}

}  // namespace posewire::recording
