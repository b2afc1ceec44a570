#include "libs/wire/voice_mood.h"

#include <array>
#include <cmath>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "libs/wire/any_entry.h"
#include "libs/wire/wire_format.h"
#include "libs/wire/wire_writer.h"

namespace posewire::wire {
namespace {

constexpr absl::string_view kVoiceMoodKey = "posewire.voice_mood";
constexpr absl::string_view kVoiceMoodType = "posewire.gesture.v1.VoiceMood";

enum : uint32_t { kArousalField = 1, kValenceField };

}  // namespace

MetadataEntry ToMetadata(const VoiceMood& mood) {
  std::array<uint8_t, 16> message;
  WireWriter fields(message.data());
  fields.FloatField(kArousalField, mood.arousal);
  fields.FloatField(kValenceField, mood.valence);
  const auto* const begin = reinterpret_cast<const char*>(message.data());
  return PackEntry(kVoiceMoodKey, kVoiceMoodType,
                   {begin, static_cast<size_t>(fields.position() - message.data())});
}

std::optional<VoiceMood> ReadVoiceMood(const MetadataEntry& entry) {
  const std::optional<Bytes> message = UnpackEntry(entry, kVoiceMoodKey, kVoiceMoodType);
  if (!message) return std::nullopt;
  VoiceMood mood;
  FieldReader fields(*message);
  for (Field f; fields.Next(&f);) {
    if (f.Is(kArousalField, kFixed32)) mood.arousal = f.AsFloat();
    if (f.Is(kValenceField, kFixed32)) mood.valence = f.AsFloat();
  }
  const bool right = std::abs(mood.arousal) <= 1 && std::abs(mood.valence) <= 1;
  if (!fields.ok() || !right) return std::nullopt;
  return mood;
}

}  // namespace posewire::wire
