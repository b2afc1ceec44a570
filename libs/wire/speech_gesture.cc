#include "libs/wire/speech_gesture.h"

#include <array>
#include <cmath>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "libs/wire/tracks.h"
#include "libs/wire/wire_format.h"
#include "libs/wire/wire_writer.h"

namespace posewire::wire {
namespace {

constexpr absl::string_view kKey = "posewire.speech_gesture";
constexpr absl::string_view kType = "type.googleapis.com/posewire.gesture.v1.SpeechGesture";
constexpr double kMost_s = 3600;

enum : uint32_t { kKindField = 1, kStrength, kStrokeIn, kEndIn, kNumberField };

Bytes BytesOf(absl::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

absl::string_view Written(const WireWriter& out, const uint8_t* from) {
  return {reinterpret_cast<const char*>(from), static_cast<size_t>(out.position() - from)};
}

bool IsTime(double seconds) { return std::abs(seconds) <= kMost_s; }  // false for a NaN

}  // namespace

MetadataEntry ToMetadata(const SpeechGesture& gesture) {
  std::array<uint8_t, 64> message;
  WireWriter fields(message.data());
  // As other writers of proto3, which leave out a zero.
  const auto kind = static_cast<uint64_t>(gesture.kind);
  if (kind != 0) fields.VarintField(kKindField, kind);
  fields.FloatField(kStrength, gesture.strength);
  fields.DoubleField(kStrokeIn, gesture.stroke_in_s);
  fields.DoubleField(kEndIn, gesture.end_in_s);
  if (gesture.number > 0) fields.VarintField(kNumberField, static_cast<uint64_t>(gesture.number));
  std::array<uint8_t, 160> any;
  WireWriter out(any.data());
  out.TextField(field::kTypeUrl, kType);
  out.TextField(field::kAnyValue, Written(fields, message.data()));
  return {std::string(kKey), std::string(Written(out, any.data()))};
}

std::optional<SpeechGesture> ReadSpeechGesture(const MetadataEntry& entry) {
  if (entry.key != kKey) return std::nullopt;
  FieldReader any(BytesOf(entry.any));
  Bytes message;
  bool ours = false;
  for (Field f; any.Next(&f);) {
    if (f.Is(field::kTypeUrl, kLength)) ours = AsText(f.bytes) == kType;
    if (f.Is(field::kAnyValue, kLength)) message = f.bytes;
  }
  if (!any.ok() || !ours) return std::nullopt;
  SpeechGesture gesture;
  FieldReader fields(message);
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
