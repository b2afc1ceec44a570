// Messages of our own as metadata entries, whose values are google.protobuf.Any. Internal to
// libs/wire.
#ifndef POSEWIRE_LIBS_WIRE_ANY_ENTRY_H_
#define POSEWIRE_LIBS_WIRE_ANY_ENTRY_H_

#include <cstddef>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "libs/wire/chunk.h"
#include "libs/wire/wire_format.h"

namespace posewire::wire {

// Before the type in an Any's type_url.
inline constexpr absl::string_view kAnyPrefix = "type.googleapis.com/";

// `type` with its package, as in "posewire.gesture.v1.SpeechGesture".
MetadataEntry PackEntry(absl::string_view key, absl::string_view type, absl::string_view message);

// The same into an entry whose key is already set. Does not allocate if its capacity suffices.
void RepackEntry(absl::string_view type, absl::string_view message, MetadataEntry& entry);

// Returns the message's bytes, which are part of the entry. Nothing if the key or type differs, or
// the entry cannot be parsed.
std::optional<Bytes> UnpackEntry(const MetadataEntry& entry, absl::string_view key,
                                 absl::string_view type);

// Reads a string of one of our messages. Returns false, and leaves `out` unchanged, if it is longer
// than kMostTextBytes or not UTF-8.
inline constexpr size_t kMostTextBytes = 128;
bool TakeText(Bytes bytes, std::string& out);

}  // namespace posewire::wire

#endif  // POSEWIRE_LIBS_WIRE_ANY_ENTRY_H_
