// posewire.gesture.v1.VoiceMood between plain numbers and a metadata entry.
#ifndef POSEWIRE_LIBS_WIRE_VOICE_MOOD_H_
#define POSEWIRE_LIBS_WIRE_VOICE_MOOD_H_

#include <optional>

#include "libs/wire/chunk.h"

namespace posewire::wire {

// Fields as in the .proto file.
struct VoiceMood {
  float arousal = 0, valence = 0;
};

MetadataEntry ToMetadata(const VoiceMood& mood);

// Returns nothing if the entry has another key, cannot be parsed, or has a number outside -1..1.
std::optional<VoiceMood> ReadVoiceMood(const MetadataEntry& entry);

}  // namespace posewire::wire

#endif  // POSEWIRE_LIBS_WIRE_VOICE_MOOD_H_
