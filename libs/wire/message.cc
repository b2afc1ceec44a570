#include "libs/wire/message.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <utility>
#include <variant>
#include <vector>

#include "libs/wire/frame_writer.h"
#include "libs/wire/header_parser.h"
#include "libs/wire/record_form.h"
#include "libs/wire/tracks.h"
#include "libs/wire/wire_writer.h"

namespace posewire::wire {
namespace {

const KeyBlock& BlockOf(const DataChunk& chunk, size_t track) {
  return IsPoseTrack(track) ? chunk.pose[track] : chunk.camera[track - kPoseTracks];
}

// Number of bytes in a key after its time code.
size_t ValueBytes(size_t track, size_t floats) {
  const auto each = static_cast<size_t>(kTracks[track].floats);
  if (track == kWeights) return floats == 0 ? 0 : LengthFieldSize(floats * sizeof(float));
  if (each == 1) return kFloatFieldSize;
  return floats / each * LengthFieldSize(each * kFloatFieldSize);
}

size_t KeyBytes(size_t track, const KeyBlock& block) {
  return kDoubleFieldSize + ValueBytes(track, static_cast<size_t>(block.width));
}

size_t TracksBytes(const DataChunk& chunk, size_t first, size_t end) {
  size_t n = 0;
  for (size_t track = first; track < end; ++track) {
    const KeyBlock& block = BlockOf(chunk, track);
    if (!block.empty()) n += block.time_codes_s.size() * LengthFieldSize(KeyBytes(track, block));
  }
  return n;
}

void PutValues(size_t track, absl::Span<const float> values, WireWriter* w) {
  const auto each = static_cast<size_t>(kTracks[track].floats);
  if (track == kWeights) {
    if (values.empty()) return;
    w->Open(field::kValues, values.size() * sizeof(float));
    w->Raw(values.data(), values.size() * sizeof(float));
    return;
  }
  if (each == 1) {
    w->FloatField(field::kValues, values[0]);
    return;
  }
  for (size_t at = 0; at + each <= values.size(); at += each) {
    w->Open(field::kValues, each * kFloatFieldSize);
    for (size_t i = 0; i < each; ++i) {
      w->FloatField(static_cast<uint32_t>(i + 1), values[at + i]);
    }
  }
}

void PutTracks(const DataChunk& chunk, size_t first, size_t end, WireWriter* w) {
  for (size_t track = first; track < end; ++track) {
    const KeyBlock& block = BlockOf(chunk, track);
    for (size_t k = 0; k < block.time_codes_s.size(); ++k) {
      w->Open(static_cast<uint32_t>(track - first + 1), KeyBytes(track, block));
      w->DoubleField(field::kTimeCode, block.time_codes_s[k]);
      PutValues(track, block.key(k), w);
    }
  }
}

MessageBytes Copy(const EncodedFrame& frame) {
  const EncodedFrame::Slice all = frame.Whole()[0];
  return std::make_shared<const std::string>(AsText(all));
}

}  // namespace

bool HasPose(const DataChunk& chunk) {
  return std::any_of(std::begin(chunk.pose), std::end(chunk.pose),
                     [](const KeyBlock& keys) { return !keys.empty(); });
}

const MetadataEntry* FindMetadata(const DataChunk& chunk, absl::string_view key) {
  const auto found = std::find_if(chunk.metadata.begin(), chunk.metadata.end(),
                                  [&](const MetadataEntry& entry) { return entry.key == key; });
  return found == chunk.metadata.end() ? nullptr : &*found;
}

double EndOf(const AudioBuffer& audio, int audio_rate_hz) {
  const auto samples = static_cast<double>(audio.samples.size());
  return audio_rate_hz > 0 ? audio.time_code_s + samples / audio_rate_hz : audio.time_code_s;
}

ChunkTimes TimesOf(const DataChunk& chunk, int audio_rate_hz) {
  ChunkTimes times;
  const auto note = [&times](double first_s, double last_s) {
    times.earliest_s = std::min(times.earliest_s, first_s);
    times.latest_s = std::max(times.latest_s, last_s);
  };
  const auto note_tracks = [&](absl::Span<const KeyBlock> blocks) {
    for (const KeyBlock& block : blocks) {
      if (block.empty()) continue;
      note(block.time_codes_s.front(), block.time_codes_s.back());
      times.newest_key_s = std::max(times.newest_key_s, block.time_codes_s.back());
    }
  };
  note_tracks(chunk.pose);
  times.first_pose_s = times.earliest_s;
  note_tracks(chunk.camera);
  if (chunk.audio) {
    const double first_s = chunk.audio->time_code_s;
    note(first_s, EndOf(*chunk.audio, audio_rate_hz));
    times.newest_key_s = std::max(times.newest_key_s, first_s);
  }
  return times;
}

MessageBytes SerializeData(const DataChunk& chunk) {
  const size_t pose = TracksBytes(chunk, 0, kPoseTracks);
  const size_t camera = TracksBytes(chunk, kPoseTracks, kAllTracks);
  const size_t pcm = chunk.audio ? chunk.audio->samples.size() * sizeof(int16_t) : 0;
  const size_t audio = kDoubleFieldSize + LengthFieldSize(pcm);
  const auto entry_bytes = [](const MetadataEntry& e) {
    return LengthFieldSize(e.key.size()) + LengthFieldSize(e.any.size());
  };
  size_t data = 0;
  if (pose != 0) data += LengthFieldSize(pose);
  if (chunk.audio) data += LengthFieldSize(audio);
  if (camera != 0) data += LengthFieldSize(camera);
  for (const MetadataEntry& e : chunk.metadata) data += LengthFieldSize(entry_bytes(e));

  auto bytes = std::make_shared<std::string>(LengthFieldSize(data), '\0');
  WireWriter w(reinterpret_cast<uint8_t*>(bytes->data()));
  w.Open(field::kData, data);
  if (pose != 0) {
    w.Open(field::kSkel, pose);
    PutTracks(chunk, 0, kPoseTracks, &w);
  }
  if (chunk.audio) {
    w.Open(field::kAudio, audio);
    w.DoubleField(field::kTimeCode, chunk.audio->time_code_s);
    w.Open(field::kValues, pcm);
    w.Raw(chunk.audio->samples.data(), pcm);
  }
  if (camera != 0) {
    w.Open(field::kCamera, camera);
    PutTracks(chunk, kPoseTracks, kAllTracks, &w);
  }
  for (const MetadataEntry& e : chunk.metadata) {
    w.Open(field::kMetadata, entry_bytes(e));
    w.TextField(field::kMapKey, e.key);
    w.TextField(field::kMapValue, e.any);
  }
  return bytes;
}

MessageBytes SerializeHeader(const StreamHeader& header) { return Copy(EncodeHeader(header)); }

MessageBytes SerializeStatus(StatusChunk::Code code, absl::string_view message) {
  return Copy(EncodeStatus(code, message));
}

Message MakeMessage(Chunk chunk) {
  Message message;
  if (const auto* data = std::get_if<DataChunk>(&chunk)) {
    message.bytes = SerializeData(*data);
  } else if (const auto* header = std::get_if<StreamHeader>(&chunk)) {
    message.bytes = SerializeHeader(*header);
  } else {
    const auto& status = std::get<StatusChunk>(chunk);
    message.bytes = SerializeStatus(status.code, status.message);
  }
  message.chunk = std::move(chunk);
  return message;
}

absl::StatusOr<StatusChunk> ReadStatus(absl::Span<const uint8_t> bytes) {
  return ParseStatus(bytes);
}

const char* CodeName(StatusChunk::Code code) {
  static constexpr const char* kNames[] = {"SUCCESS", "INFO", "WARNING", "ERROR"};
  return kNames[code];
}

}  // namespace posewire::wire
