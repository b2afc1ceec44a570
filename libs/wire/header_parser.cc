#include "libs/wire/header_parser.h"

#include <cmath>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "libs/skel/path_index.h"
#include "libs/wire/data_counts.h"
#include "libs/wire/pull_ids.h"
#include "libs/wire/text_check.h"
#include "libs/wire/tracks.h"

namespace posewire::wire {
namespace {

constexpr uint32_t kMinRateHz = 8000, kMaxRateHz = 192000;

absl::Status ReadText(absl::string_view where, Bytes bytes, std::string* out) {
  if (!IsUtf8(AsText(bytes))) {
    return absl::InvalidArgumentError(
        absl::StrCat(where, " is ", Quoted(AsText(bytes)), "; must be UTF-8"));
  }
  *out = std::string(AsText(bytes));
  return absl::OkStatus();
}

absl::Status ReadIds(Bytes bytes, StreamIds* ids) {
  FieldReader reader(bytes);
  Field f;
  while (reader.Next(&f)) {
    if (f.type != kLength || f.number > field::kTargetObjectId) continue;
    static constexpr const char* kNames[] = {"request_id", "stream_id", "target_object_id"};
    std::string* const to[] = {&ids->request_id, &ids->stream_id, &ids->target_object_id};
    const std::string where = absl::StrCat("header.animation_ids.", kNames[f.number - 1]);
    if (absl::Status s = ReadText(where, f.bytes, to[f.number - 1]); !s.ok()) return s;
  }
  return reader.ok() ? absl::OkStatus() : Malformed("header.animation_ids");
}

absl::Status CheckIds(const StreamHeader& header, const ReaderLimits& limits) {
  const struct {
    const char* field;
    const std::string& id;
    bool needed;
  } ids[] = {
      {"header.animation_ids.request_id", header.ids.request_id, limits.require_ids},
      {"header.animation_ids.stream_id", header.ids.stream_id, limits.require_ids},
      {"header.animation_ids.target_object_id", header.ids.target_object_id, false},
      {"header.source_service_id", header.source_service_id, false},
  };
  for (const auto& [field, id, needed] : ids) {
    if (limits.lenient || (id.empty() && !needed)) continue;
    if (absl::Status s = CheckId(field, id); !s.ok()) return s;
  }
  return absl::OkStatus();
}

struct AudioFields {
  uint64_t format = 0;
  uint32_t channels = 0, rate = 0, bits = 0;
};

absl::Status ReadAudioHeader(Bytes bytes, AudioFields* audio) {
  FieldReader reader(bytes);
  Field f;
  while (reader.Next(&f)) {
    if (f.type != kVarint) continue;
    const auto value = static_cast<uint32_t>(f.value);
    if (f.number == field::kFormat) audio->format = value;
    if (f.number == field::kChannels) audio->channels = value;
    if (f.number == field::kRate) audio->rate = value;
    if (f.number == field::kBits) audio->bits = value;
  }
  return reader.ok() ? absl::OkStatus() : Malformed("header.audio_header");
}

// An audio header with only default values counts as absent.
absl::Status CheckAudio(const AudioFields& audio, StreamHeader* header) {
  if (audio.format == 0 && audio.channels == 0 && audio.rate == 0 && audio.bits == 0) {
    return absl::OkStatus();
  }
  if (audio.format != 0) {
    return absl::InvalidArgumentError(absl::StrCat("header.audio_header.audio_format is ",
                                                   static_cast<int32_t>(audio.format),
                                                   "; must be AUDIO_FORMAT_PCM (0)"));
  }
  if (audio.channels != 1) {
    return absl::InvalidArgumentError(absl::StrCat("header.audio_header.channel_count is ",
                                                   audio.channels, "; must be 1 (mono)"));
  }
  if (audio.bits != 16) {
    return absl::InvalidArgumentError(
        absl::StrCat("header.audio_header.bits_per_sample is ", audio.bits, "; must be 16"));
  }
  if (audio.rate < kMinRateHz || audio.rate > kMaxRateHz) {
    return absl::InvalidArgumentError(absl::StrCat("header.audio_header.samples_per_second is ",
                                                   audio.rate, "; must be ", kMinRateHz, " to ",
                                                   kMaxRateHz));
  }
  header->audio_rate_hz = static_cast<int>(audio.rate);
  return absl::OkStatus();
}

absl::Status ReadNames(Bytes bytes, StreamHeader* header) {
  FieldReader reader(bytes);
  Field f;
  while (reader.Next(&f)) {
    if (f.type != kLength) continue;
    std::vector<std::string>* to = f.number == field::kShapeNames   ? &header->shapes
                                   : f.number == field::kJointNames ? &header->joints
                                                                    : nullptr;
    if (to == nullptr) continue;
    const std::string where =
        absl::StrCat("header.skel_animation_header.",
                     to == &header->shapes ? "blend_shapes[" : "joints[", to->size(), "]");
    std::string name;
    if (absl::Status s = ReadText(where, f.bytes, &name); !s.ok()) return s;
    to->push_back(std::move(name));
  }
  return reader.ok() ? absl::OkStatus() : Malformed("header.skel_animation_header");
}

// Joints are compared by path. Shapes are compared by last element, ignoring case, so names that
// differ only in the rest are duplicates.
absl::Status CheckNames(absl::string_view what, const std::vector<std::string>& names,
                        bool are_paths) {
  absl::flat_hash_set<std::string> seen;
  for (size_t i = 0; i < names.size(); ++i) {
    const absl::string_view last = skel::LastPathElement(names[i]);
    const auto where = [&] {
      return absl::StrCat("header.skel_animation_header.", what, "[", i, "]");
    };
    if (last.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(where(), " is ", Quoted(names[i]),
                                                     "; the last path element must not be empty"));
    }
    if (!seen.insert(are_paths ? names[i] : absl::AsciiStrToLower(last)).second) {
      return absl::InvalidArgumentError(
          absl::StrCat(where(), " is ", Quoted(names[i]),
                       are_paths ? ", which another joint is called already; must be unique"
                                 : ", whose last path element another name has already; must be "
                                   "unique (ignoring case)"));
    }
  }
  return absl::OkStatus();
}

absl::Status KeepUnknown(Bytes field, const ReaderLimits& limits, StreamHeader* header) {
  if (header->unknown_fields.size() + field.size() > limits.unknown_header_bytes) {
    return absl::ResourceExhaustedError(
        absl::StrCat("header: its fields that are not known, which are passed on, take more than ",
                     limits.unknown_header_bytes, " bytes; send them as metadata of the data"));
  }
  const absl::string_view bytes = AsText(field);
  header->unknown_fields.append(bytes.data(), bytes.size());
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<StreamHeader> ParseHeader(Bytes bytes, const ReaderLimits& limits) {
  if (absl::Status s = CountHeader(bytes, limits); !s.ok()) return s;
  StreamHeader header;
  AudioFields audio;
  FieldReader reader(bytes);
  Field f;
  Bytes raw;
  while (reader.NextRaw(&f, &raw)) {
    absl::Status s;
    if (f.number > field::kEpoch) s = KeepUnknown(raw, limits, &header);
    if (f.Is(field::kIds, kLength)) s = ReadIds(f.bytes, &header.ids);
    if (f.Is(field::kSourceServiceId, kLength)) {
      s = ReadText("header.source_service_id", f.bytes, &header.source_service_id);
    }
    if (f.Is(field::kAudioHeader, kLength)) s = ReadAudioHeader(f.bytes, &audio);
    if (f.Is(field::kSkelHeader, kLength)) s = ReadNames(f.bytes, &header);
    if (f.Is(field::kEpoch, kFixed64)) header.epoch_s = f.AsDouble();
    if (!s.ok()) return s;
  }
  if (!reader.ok()) return Malformed("header");
  if (absl::Status s = CheckIds(header, limits); !s.ok()) return s;
  if (absl::Status s = CheckAudio(audio, &header); !s.ok()) return s;
  if (absl::Status s = CheckNames("blend_shapes", header.shapes, /*are_paths=*/false); !s.ok()) {
    return s;
  }
  if (absl::Status s = CheckNames("joints", header.joints, /*are_paths=*/true); !s.ok()) return s;
  if (!std::isfinite(header.epoch_s)) {
    return absl::InvalidArgumentError(absl::StrCat("header.start_time_code_since_epoch is ",
                                                   Number(header.epoch_s),
                                                   "; must be finite seconds since 1970"));
  }
  return header;
}

StreamIds LegalIds(Bytes header) {
  StreamIds ids;
  FieldReader reader(header);
  Field f;
  while (reader.Next(&f)) {
    // Ids before an error, if there is one, were read.
    if (f.Is(field::kIds, kLength)) ReadIds(f.bytes, &ids).IgnoreError();
  }
  for (std::string* id : {&ids.request_id, &ids.stream_id, &ids.target_object_id}) {
    if (!CheckId("id", *id).ok()) id->clear();
  }
  return ids;
}

absl::StatusOr<StatusChunk> ParseStatus(Bytes bytes) {
  StatusChunk status;
  FieldReader reader(bytes);
  Field f;
  while (reader.Next(&f)) {
    if (f.Is(field::kStatusCode, kVarint)) {
      const auto code = static_cast<int32_t>(f.value);
      status.code = code >= StatusChunk::kSuccess && code <= StatusChunk::kError
                        ? static_cast<StatusChunk::Code>(code)
                        : StatusChunk::kInfo;
    } else if (f.Is(field::kStatusMessage, kLength)) {
      if (absl::Status s = ReadText("status.message", f.bytes, &status.message); !s.ok()) return s;
    }
  }
  if (!reader.ok()) return Malformed("status");
  return status;
}

absl::StatusOr<StreamIds> ParsePullIds(Bytes bytes) {
  StreamIds ids;
  if (!ReadIds(bytes, &ids).ok()) {
    return absl::InvalidArgumentError(
        "the request is no AnimationIds message, or one of its ids is not UTF-8");
  }
  if (absl::Status s = CheckId("stream_id", ids.stream_id); !s.ok()) return s;
  if (!ids.request_id.empty()) {
    if (absl::Status s = CheckId("request_id", ids.request_id); !s.ok()) return s;
  }
  if (!ids.target_object_id.empty()) {
    if (absl::Status s = CheckId("target_object_id", ids.target_object_id); !s.ok()) return s;
  }
  return ids;
}

}  // namespace posewire::wire
