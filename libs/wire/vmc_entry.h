// Messages of VMC as metadata: those that a stream has no field for (libs/vmc/extras.h).
#ifndef POSEWIRE_LIBS_WIRE_VMC_ENTRY_H_
#define POSEWIRE_LIBS_WIRE_VMC_ENTRY_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "libs/wire/chunk.h"

namespace posewire::wire {

inline constexpr absl::string_view kVmcKeyPrefix = "posewire.vmc.";

// Returns an OSC bundle as the n-th entry of a source: a google.protobuf.BytesValue. Keys repeat
// after 64 entries, so that those of neighbouring frames do not replace each other when anim_graph
// joins them in one; `source` keeps those of several sources apart.
MetadataEntry VmcEntry(absl::string_view source, uint64_t n, absl::string_view bundle);

// Returns the bundle, which is part of the entry; nothing if the entry is no such one. It may hold
// any bytes.
std::optional<absl::string_view> VmcBundleIn(const MetadataEntry& entry);

}  // namespace posewire::wire

#endif  // POSEWIRE_LIBS_WIRE_VMC_ENTRY_H_
