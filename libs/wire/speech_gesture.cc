#include "libs/wire/speech_gesture.h"

#include <array>
#include <cmath>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "libs/wire/any_entry.h"
#include "libs/wire/wire_format.h"
#include "libs/wire/wire_writer.h"

namespace posewire::wire {
namespace {

constexpr absl::string_view kSpeechGestureKey = "posewire.speech_gesture";
constexpr absl::string_view kSpeechGestureType = "posewire.gesture.v1.SpeechGesture";
constexpr double kMost_s = 3600;

enum : uint32_t { kKindField = 1, kStrength, kStrokeIn, kEndIn, kNumberField };

bool IsTime(double seconds) { return std::abs(seconds) <= kMost_s; }  // false for a NaN

}  // namespace

MetadataEntry ToMetadata(const SpeechGesture& gesture) {
  std::array<uint8_t, 64> message;
  WireWriter fields(message.data());
  // Omits zeros, like other proto3 writers.
  const auto kind = static_cast<uint64_t>(gesture.kind);
  if (kind != 0) fields.VarintField(kKindField, kind);
  fields.FloatField(kStrength, gesture.strength);
  fields.DoubleField(kStrokeIn, gesture.stroke_in_s);
  fields.DoubleField(kEndIn, gesture.end_in_s);
  if (gesture.number > 0) fields.VarintField(kNumberField, static_cast<uint64_t>(gesture.number));
  const auto* const begin = reinterpret_cast<const char*>(message.data());
  const auto size = static_cast<size_t>(fields.position() - message.data());
  return PackEntry(kSpeechGestureKey, kSpeechGestureType, {begin, size});
}

std::optional<SpeechGesture> ReadSpeechGesture(const MetadataEntry& entry) {
  const std::optional<Bytes> message = UnpackEntry(entry, kSpeechGestureKey, kSpeechGestureType);
  if (!message) return std::nullopt;
  SpeechGesture gesture;
  FieldReader fields(*message);
  for (Field f; fields.Next(&f);) {
    if (f.Is(kKindField, kVarint)) gesture.kind = static_cast<int>(f.value & 0xff);
    if (f.Is(kStrength, kFixed32)) gesture.strength = f.AsFloat();
    if (f.Is(kStrokeIn, kFixed64)) gesture.stroke_in_s = f.AsDouble();
    if (f.Is(kEndIn, kFixed64)) gesture.end_in_s = f.AsDouble();
    if (f.Is(kNumberField, kVarint)) gesture.number = static_cast<int>(f.value & 0xff);
  }
  const bool right = gesture.strength >= 0 && gesture.strength <= 1 &&
                     IsTime(gesture.stroke_in_s) && IsTime(gesture.end_in_s);
  if (!fields.ok() || !right) return std::nullopt;
  return gesture;
}

}  // namespace posewire::wire
