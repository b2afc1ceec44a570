#include "libs/wire/data_counts.h"

#include "absl/strings/str_cat.h"

namespace posewire::wire {
namespace {

class DataCounter {
 public:
  DataCounter(const StreamHeader& header, const ReaderLimits& limits, DataCounts* counts)
      : header_(header), limits_(limits), counts_(*counts) {}

  absl::Status Count(Bytes data) {
    FieldReader reader(data);
    Field f;
    while (reader.Next(&f)) {
      if (f.type != kLength) continue;
      absl::Status s;
      switch (f.number) {
        case field::kSkel:
          s = CountTracks(/*pose=*/true, f.bytes);
          break;
        case field::kCamera:
          s = CountTracks(/*pose=*/false, f.bytes);
          break;
        case field::kAudio:
          s = Add(1);
          break;
        case field::kMetadata:
          s = CountMetadata();
          break;
        default:
          break;
      }
      if (!s.ok()) return s;
    }
    if (!reader.ok()) return Malformed("animation_data");
    return absl::OkStatus();
  }

 private:
  absl::Status Add(size_t n) {
    counts_.elements += n;
    if (counts_.elements <= limits_.elements) return absl::OkStatus();
    return absl::ResourceExhaustedError(
        absl::StrCat("animation_data holds more than ", limits_.elements,
                     " elements (sub-messages and numbers); send it in smaller messages"));
  }

  absl::Status CountMetadata() {
    if (++counts_.metadata_entries > static_cast<size_t>(limits_.metadata_entries)) {
      return absl::ResourceExhaustedError(absl::StrCat("animation_data.metadata holds more than ",
                                                       limits_.metadata_entries, " entries"));
    }
    return Add(1);
  }

  absl::Status CountTracks(bool pose, Bytes message) {
    if (absl::Status s = Add(1); !s.ok()) return s;
    FieldReader reader(message);
    Field f;
    while (reader.Next(&f)) {
      const size_t track = TrackOf(pose, f.number);
      if (f.type != kLength || track == kAllTracks) continue;
      if (absl::Status s = Add(1); !s.ok()) return s;
      if (pose) {
        if (absl::Status s = CountValues(track, f.bytes); !s.ok()) return s;
      }
      ++counts_.keys[track];
    }
    if (!reader.ok()) {
      return Malformed(pose ? "animation_data.skel_animation" : "animation_data.camera");
    }
    return absl::OkStatus();
  }

  absl::Status CountValues(size_t track, Bytes key) {
    size_t n = 0;
    FieldReader reader(key);
    Field f;
    Bytes record;
    while (true) {
      while (track != kWeights && reader.TakeShort(field::kValues, &record)) ++n;
      if (!reader.Next(&f)) break;
      if (f.number != field::kValues) continue;
      if (track != kWeights) {
        if (f.type == kLength) ++n;
        continue;
      }
      if (f.type == kFixed32) ++n;
      if (f.type == kLength) {
        if (f.bytes.size() % 4 != 0) return Malformed(KeyName(track));
        n += f.bytes.size() / 4;
      }
    }
    if (!reader.ok()) return Malformed(KeyName(track));
    if (absl::Status s = Add(n); !s.ok()) return s;
    const size_t named = ElementsPerKey(track, header_);
    return n == named ? absl::OkStatus() : WrongLength(track, n, named);
  }

  std::string KeyName(size_t track) const {
    return absl::StrCat(kTracks[track].path, "[", counts_.keys[track], "]");
  }

  absl::Status WrongLength(size_t track, size_t n, size_t named) const {
    const char* what = track == kWeights ? "blend_shapes" : "joints";
    const std::string key = KeyName(track);
    if (named == 0) {
      return absl::InvalidArgumentError(
          absl::StrCat(key, ".values holds ", n, ", but the header names no ", what,
                       "; name them in skel_animation_header.", what, " or leave the values out"));
    }
    if (n == 0) {
      return absl::InvalidArgumentError(absl::StrCat(key, ".values is empty; must hold ", named,
                                                     ", one for each of the header's ", what,
                                                     ", or leave the key out"));
    }
    return absl::InvalidArgumentError(absl::StrCat(key, ".values holds ", n, "; must hold ", named,
                                                   ", one for each of the header's ", what));
  }

  const StreamHeader& header_;
  const ReaderLimits& limits_;
  DataCounts& counts_;
};

}  // namespace

absl::Status Malformed(absl::string_view where) {
  return absl::InvalidArgumentError(absl::StrCat(where, ": the bytes are no protobuf message"));
}

absl::Status CountData(Bytes data, const StreamHeader& header, const ReaderLimits& limits,
                       DataCounts* counts) {
  return DataCounter(header, limits, counts).Count(data);
}

absl::Status CountHeader(Bytes header, const ReaderLimits& limits) {
  size_t shapes = 0, joints = 0;
  FieldReader reader(header);
  Field f;
  while (reader.Next(&f)) {
    if (!f.Is(field::kSkelHeader, kLength)) continue;
    FieldReader names(f.bytes);
    Field name;
    while (names.Next(&name)) {
      if (name.Is(field::kShapeNames, kLength)) ++shapes;
      if (name.Is(field::kJointNames, kLength)) ++joints;
    }
    if (!names.ok()) return Malformed("header.skel_animation_header");
  }
  if (!reader.ok()) return Malformed("header");
  if (joints > static_cast<size_t>(limits.joints)) {
    return absl::ResourceExhaustedError(absl::StrCat("header.skel_animation_header.joints names ",
                                                     joints, " joints; at most ", limits.joints));
  }
  if (shapes > static_cast<size_t>(limits.shapes)) {
    return absl::ResourceExhaustedError(
        absl::StrCat("header.skel_animation_header.blend_shapes names ", shapes,
                     " shapes; at most ", limits.shapes));
  }
  return absl::OkStatus();
}

}  // namespace posewire::wire
