// Memory used by the parts of messages, including overhead: a map entry of two empty strings is 64
// bytes in memory, and 2 on the wire.
#ifndef POSEWIRE_LIBS_WIRE_MEMORY_OF_H_
#define POSEWIRE_LIBS_WIRE_MEMORY_OF_H_

#include <cstddef>
#include <string>
#include <vector>

#include "libs/wire/chunk.h"

namespace posewire::wire {

// Overhead of one heap block.
inline constexpr size_t kBlockBytes = 16;

inline size_t MemoryOf(const std::string& text) {
  const bool inside = text.size() <= 15;  // stored within the object
  return sizeof(text) + (inside ? 0 : text.size() + 1 + kBlockBytes);
}
inline size_t MemoryOf(const MetadataEntry& entry) {
  return MemoryOf(entry.key) + MemoryOf(entry.any);
}
template <typename T>
size_t MemoryOf(const std::vector<T>& all) {
  size_t bytes = sizeof(all) + kBlockBytes;
  for (const T& one : all) bytes += MemoryOf(one);
  return bytes;
}
inline size_t MemoryOf(const StreamHeader& header) {
  return sizeof(header) + MemoryOf(header.ids.request_id) + MemoryOf(header.ids.stream_id) +
         MemoryOf(header.ids.target_object_id) + MemoryOf(header.source_service_id) +
         MemoryOf(header.shapes) + MemoryOf(header.joints) + MemoryOf(header.unknown_fields);
}
// Memory for the chunk's contents, not for reserved capacity.
inline size_t MemoryOf(const DataChunk& chunk) {
  size_t bytes = MemoryOf(chunk.metadata);
  const auto add = [&bytes](const KeyBlock& block) {
    bytes += block.time_codes_s.size() * sizeof(double) + block.values.size() * sizeof(float);
  };
  for (const KeyBlock& block : chunk.pose) add(block);
  for (const KeyBlock& block : chunk.camera) add(block);
  if (chunk.audio) bytes += chunk.audio->samples.size() * sizeof(int16_t);
  return bytes;
}

}  // namespace posewire::wire

#endif  // POSEWIRE_LIBS_WIRE_MEMORY_OF_H_
