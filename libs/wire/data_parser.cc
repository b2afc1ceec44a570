#include "libs/wire/data_parser.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "libs/wire/text_check.h"

namespace posewire::wire {
namespace {

// Tags of fields 1 to 4 when they are fixed32.
constexpr uint8_t FloatTag(size_t i) { return static_cast<uint8_t>(((i + 1) << 3) | kFixed32); }

// Reads a Float3 or QuatF. The full form, with every number in order, is read directly; any other
// (zeros omitted, another order, unknown fields) field by field. `out` is not cleared.
template <size_t kFloats>
bool ReadRecord(Bytes bytes, float* out) {
  if (bytes.size() == 5 * kFloats) {
    bool fixed = true;
    for (size_t i = 0; i < kFloats; ++i) fixed &= bytes[5 * i] == FloatTag(i);
    if (fixed) {
      for (size_t i = 0; i < kFloats; ++i) std::memcpy(out + i, bytes.data() + 5 * i + 1, 4);
      return true;
    }
  }
  FieldReader reader(bytes);
  Field f;
  while (reader.Next(&f)) {
    if (f.type == kFixed32 && f.number <= kFloats) out[f.number - 1] = f.AsFloat();
  }
  return reader.ok();
}

bool ReadRecord(int floats, Bytes bytes, float* out) {
  return floats == 3 ? ReadRecord<3>(bytes, out) : ReadRecord<4>(bytes, out);
}

// Reads the weights of a key, packed or one by one, into room for as many as were counted.
bool ReadWeights(Bytes bytes, double* code, float* out) {
  FieldReader reader(bytes);
  Field f;
  while (reader.Next(&f)) {
    if (f.Is(field::kTimeCode, kFixed64)) *code = f.AsDouble();
    if (f.Is(field::kValues, kFixed32)) *out++ = f.AsFloat();
    if (f.Is(field::kValues, kLength) && !f.bytes.empty()) {
      std::memcpy(out, f.bytes.data(), f.bytes.size());
      out += f.bytes.size() / sizeof(float);
    }
  }
  return reader.ok();
}

template <size_t kFloats>
bool ReadRecords(Bytes bytes, double* code, float* out) {
  FieldReader reader(bytes);
  Field f;
  Bytes record;
  while (true) {
    while (reader.TakeShort(field::kValues, &record)) {
      if (!ReadRecord<kFloats>(record, out)) return false;
      out += kFloats;
    }
    if (!reader.Next(&f)) return reader.ok();
    if (f.Is(field::kTimeCode, kFixed64)) *code = f.AsDouble();
    if (!f.Is(field::kValues, kLength)) continue;
    if (!ReadRecord<kFloats>(f.bytes, out)) return false;
    out += kFloats;
  }
}

// Reads one key of a pose track. CountData has checked that it has the block's width of values.
bool ReadPoseKey(Bytes bytes, size_t track, KeyBlock* block) {
  const size_t at = block->values.size();
  block->values.resize(at + static_cast<size_t>(block->width));
  float* out = block->values.data() + at;
  double code = 0;
  const bool ok = track == kWeights     ? ReadWeights(bytes, &code, out)
                  : track == kRotations ? ReadRecords<4>(bytes, &code, out)
                                        : ReadRecords<3>(bytes, &code, out);
  block->time_codes_s.push_back(code);
  return ok;
}

// Reads one key of a camera track. It has one value; repeated fields merge.
bool ReadCameraKey(Bytes bytes, size_t track, KeyBlock* block) {
  const int floats = kTracks[track].floats;
  const size_t at = block->values.size();
  block->values.resize(at + static_cast<size_t>(floats));
  double code = 0;
  FieldReader reader(bytes);
  Field f;
  while (reader.Next(&f)) {
    if (f.Is(field::kTimeCode, kFixed64)) code = f.AsDouble();
    if (f.number != field::kValues) continue;
    if (floats == 1) {
      if (f.type == kFixed32) block->values[at] = f.AsFloat();
    } else if (f.type == kLength && !ReadRecord(floats, f.bytes, block->values.data() + at)) {
      return false;
    }
  }
  block->time_codes_s.push_back(code);
  return reader.ok();
}

absl::Status ReadTracks(bool pose, Bytes bytes, DataChunk* chunk) {
  FieldReader reader(bytes);
  Field f;
  while (reader.Next(&f)) {
    const size_t track = TrackOf(pose, f.number);
    if (f.type != kLength || track == kAllTracks) continue;
    KeyBlock& block = BlockOf(*chunk, track);
    const bool ok =
        pose ? ReadPoseKey(f.bytes, track, &block) : ReadCameraKey(f.bytes, track, &block);
    if (!ok)
      return Malformed(absl::StrCat(kTracks[track].path, "[", block.time_codes_s.size() - 1, "]"));
  }
  return absl::OkStatus();
}

absl::Status ReadAudio(Bytes bytes, AudioBuffer* audio) {
  Bytes buffer;
  FieldReader reader(bytes);
  Field f;
  while (reader.Next(&f)) {
    if (f.Is(field::kTimeCode, kFixed64)) audio->time_code_s = f.AsDouble();
    if (f.Is(field::kValues, kLength)) buffer = f.bytes;
  }
  if (!reader.ok()) return Malformed("animation_data.audio");
  // A later occurrence of the field merges into this one: the buffer stays if it has none.
  if (buffer.data() != nullptr) CopySamples(buffer, audio);
  return absl::OkStatus();
}

absl::Status CheckAny(absl::string_view where, absl::string_view any) {
  FieldReader reader({reinterpret_cast<const uint8_t*>(any.data()), any.size()});
  Field f;
  while (reader.Next(&f)) {
    if (f.Is(field::kTypeUrl, kLength) && !IsUtf8(AsText(f.bytes))) {
      return absl::InvalidArgumentError(
          absl::StrCat(where, ".type_url is ", Quoted(AsText(f.bytes)), "; must be UTF-8"));
    }
  }
  return reader.ok() ? absl::OkStatus() : Malformed(where);
}

// Index of each metadata key; the views point into the entries, which must not move.
using KeyPlaces = absl::flat_hash_map<absl::string_view, size_t>;

// Returns the entry with this key, or null. Typical messages have few entries; larger ones use the
// map instead of a linear search.
MetadataEntry* FindEntry(absl::string_view key, std::vector<MetadataEntry>* metadata,
                         KeyPlaces* places) {
  constexpr size_t kFew = 32;
  if (metadata->size() <= kFew) {
    const auto same = std::find_if(metadata->begin(), metadata->end(),
                                   [&](const MetadataEntry& e) { return e.key == key; });
    return same == metadata->end() ? nullptr : &*same;
  }
  while (places->size() < metadata->size()) {
    const size_t next = places->size();
    places->emplace((*metadata)[next].key, next);
  }
  const auto it = places->find(key);
  return it == places->end() ? nullptr : &(*metadata)[it->second];
}

absl::Status ReadMetadata(Bytes bytes, std::vector<MetadataEntry>* metadata, KeyPlaces* places) {
  MetadataEntry entry;
  FieldReader reader(bytes);
  Field f;
  while (reader.Next(&f)) {
    if (f.Is(field::kMapKey, kLength)) {
      entry.key = std::string(AsText(f.bytes));
      if (!IsUtf8(entry.key)) {
        return absl::InvalidArgumentError(absl::StrCat("animation_data.metadata has the key ",
                                                       Quoted(entry.key), "; must be UTF-8"));
      }
    }
    if (f.Is(field::kMapValue, kLength)) {
      // Concatenated messages are equal to their merge if each is valid on its own.
      const std::string piece(AsText(f.bytes));
      if (absl::Status s = CheckAny("animation_data.metadata", piece); !s.ok()) return s;
      entry.any += piece;
    }
  }
  if (!reader.ok()) return Malformed("animation_data.metadata");
  const std::string where = absl::StrCat("animation_data.metadata[", Quoted(entry.key), "]");
  if (absl::Status s = CheckAny(where, entry.any); !s.ok()) return s;
  // In a map, the last entry with a key counts.
  if (MetadataEntry* const same = FindEntry(entry.key, metadata, places); same != nullptr) {
    same->any = std::move(entry.any);
  } else {
    metadata->push_back(std::move(entry));
  }
  return absl::OkStatus();
}

void Reserve(const StreamHeader& header, const DataCounts& counts, DataChunk* chunk) {
  for (size_t track = 0; track < kAllTracks; ++track) {
    KeyBlock& block = BlockOf(*chunk, track);
    const size_t width = ElementsPerKey(track, header) * static_cast<size_t>(kTracks[track].floats);
    block.width = static_cast<int>(width);
    block.time_codes_s.reserve(counts.keys[track]);
    block.values.reserve(counts.keys[track] * width);
  }
  chunk->metadata.reserve(counts.metadata_entries);
}

}  // namespace

absl::Status ParseData(Bytes data, const StreamHeader& header, const DataCounts& counts,
                       DataChunk* chunk) {
  Reserve(header, counts, chunk);
  KeyPlaces places;
  FieldReader reader(data);
  Field f;
  while (reader.Next(&f)) {
    if (f.type != kLength) continue;
    absl::Status s;
    switch (f.number) {
      case field::kSkel:
        s = ReadTracks(/*pose=*/true, f.bytes, chunk);
        break;
      case field::kCamera:
        s = ReadTracks(/*pose=*/false, f.bytes, chunk);
        break;
      case field::kAudio:
        if (!chunk->audio) chunk->audio.emplace();
        s = ReadAudio(f.bytes, &*chunk->audio);
        break;
      case field::kMetadata:
        s = ReadMetadata(f.bytes, &chunk->metadata, &places);
        break;
      default:
        break;
    }
    if (!s.ok()) return s;
  }
  return absl::OkStatus();
}

}  // namespace posewire::wire
