#include "tools/loadgen/frame_scan.h"

#include <cmath>
#include <cstring>

#include "absl/strings/string_view.h"
#include "libs/wire/quantised_pose.h"

namespace posewire::loadgen {
namespace {

using Bytes = absl::Span<const uint8_t>;

// Field numbers of AnimationDataStream, its header, AnimationData, and of all that has a time code.
constexpr uint32_t kHeader = 1, kData = 2, kStatus = 3;
constexpr uint32_t kEpoch = 5;
constexpr uint32_t kSkel = 1, kAudio = 2, kMetadata = 4;
constexpr uint32_t kTimeCode = 1, kAudioBuffer = 2;

struct Field {
  uint32_t number = 0;
  bool is_double = false;
  double number_value = 0;
  Bytes bytes;  // length-delimited
};

bool Varint(Bytes& in, uint64_t& value) {
  value = 0;
  for (unsigned shift = 0; shift < 64 && !in.empty(); shift += 7) {
    const uint8_t byte = in[0];
    in.remove_prefix(1);
    value |= static_cast<uint64_t>(byte & 0x7fu) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

bool Next(Bytes& in, Field& field) {
  uint64_t tag = 0, value = 0;
  if (!Varint(in, tag)) return false;
  field = {};
  field.number = static_cast<uint32_t>(tag >> 3);
  size_t size = 0;
  switch (tag & 7u) {
    case 0:
      return Varint(in, value);
    case 1:
      size = 8;
      break;
    case 2:
      if (!Varint(in, value) || value > in.size()) return false;
      size = static_cast<size_t>(value);
      break;
    case 5:
      size = 4;
      break;
    default:
      return false;
  }
  if (size > in.size()) return false;
  if ((tag & 7u) == 1) {
    field.is_double = true;
    std::memcpy(&field.number_value, in.data(), sizeof field.number_value);
  } else if ((tag & 7u) == 2) {
    field.bytes = in.subspan(0, size);
  }
  in.remove_prefix(size);
  return true;
}

// The time code that `coded` begins with; an absent one is 0.
bool Code(Bytes coded, double& time_code_s) {
  Field field;
  time_code_s = 0;
  if (coded.empty()) return true;
  if (!Next(coded, field)) return false;
  if (field.number == kTimeCode && field.is_double) time_code_s = field.number_value;
  return true;
}

// All tracks have the same time code.
bool ScanSkel(Bytes skel, FrameFacts& facts) {
  Field field;
  facts.has_pose = !skel.empty();
  if (skel.empty()) return true;
  return Next(skel, field) && Code(field.bytes, facts.time_code_s);
}

// A quantised pose (libs/wire/quantised_pose.h) begins with a byte and the time code.
bool ScanMetadata(Bytes entry, FrameFacts& facts) {
  Field key, value;
  if (!Next(entry, key) || !Next(entry, value)) return false;
  const absl::string_view name(reinterpret_cast<const char*>(key.bytes.data()), key.bytes.size());
  if (name != wire::kQuantisedPoseKey) return true;
  Bytes any = value.bytes;
  Field url, message, bytes;
  if (!Next(any, url) || !Next(any, message) || !Next(message.bytes, bytes)) return false;
  if (bytes.bytes.size() < 1 + sizeof(double)) return false;
  facts.has_pose = true;
  std::memcpy(&facts.time_code_s, bytes.bytes.data() + 1, sizeof(double));
  return true;
}

bool ScanAudio(Bytes audio, FrameFacts& facts) {
  double time_code_s = 0;
  if (!Code(audio, time_code_s)) return false;
  if (std::isnan(facts.time_code_s)) facts.time_code_s = time_code_s;
  Field field;
  while (!audio.empty()) {
    if (!Next(audio, field)) return false;
    if (field.number == kAudioBuffer) facts.audio = field.bytes;
  }
  return true;
}

bool ScanData(Bytes data, FrameFacts& facts) {
  Field field;
  while (!data.empty()) {
    if (!Next(data, field)) return false;
    if (field.number == kSkel && !ScanSkel(field.bytes, facts)) return false;
    if (field.number == kMetadata && !ScanMetadata(field.bytes, facts)) return false;
    if (field.number == kAudio && !ScanAudio(field.bytes, facts)) return false;
  }
  return true;
}

bool ScanHeader(Bytes header, FrameFacts& facts) {
  Field field;
  while (!header.empty()) {
    if (!Next(header, field)) return false;
    if (field.number == kEpoch && field.is_double) facts.epoch_s = field.number_value;
  }
  return true;
}

}  // namespace

bool ScanFrame(absl::Span<const uint8_t> message, FrameFacts& facts) {
  facts = {};
  Field field;
  if (!Next(message, field)) return false;
  switch (field.number) {
    case kHeader:
      facts.kind = FrameFacts::kHeader;
      return ScanHeader(field.bytes, facts);
    case kData:
      facts.kind = FrameFacts::kData;
      return ScanData(field.bytes, facts);
    case kStatus:
      facts.kind = FrameFacts::kStatus;
      return true;
    default:
      return false;
  }
}

}  // namespace posewire::loadgen
