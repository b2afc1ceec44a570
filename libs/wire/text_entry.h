// A text as a metadata entry: google.protobuf.StringValue, which all protobuf languages support.
#ifndef POSEWIRE_LIBS_WIRE_TEXT_ENTRY_H_
#define POSEWIRE_LIBS_WIRE_TEXT_ENTRY_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "libs/wire/chunk.h"

namespace posewire::wire {

// `text` must be UTF-8.
MetadataEntry TextEntry(absl::string_view key, absl::string_view text);

// Returns nothing if the key or the type differs, the entry cannot be parsed, or the text is longer
// than `most_bytes`. The result may contain any bytes.
std::optional<std::string> ReadTextEntry(const MetadataEntry& entry, absl::string_view key,
                                         size_t most_bytes);

}  // namespace posewire::wire

#endif  // POSEWIRE_LIBS_WIRE_TEXT_ENTRY_H_
