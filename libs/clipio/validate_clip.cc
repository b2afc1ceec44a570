#include "libs/clipio/validate_clip.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "libs/clipio/stream_reader.h"
#include "libs/timecode/audio_position.h"

namespace posewire::clipio {
namespace {

constexpr const char* kNames[] = {
    "blend_shape_weights", "translations",    "rotations",           "scales",
    "camera position",     "camera rotation", "camera focal_length", "camera focus_distance"};

class Summary {
 public:
  Summary() {
    for (size_t t = 0; t < out_.tracks.size(); ++t) out_.tracks[t].name = kNames[t];
  }

  void Add(wire::Chunk chunk) {
    if (auto* header = std::get_if<wire::StreamHeader>(&chunk)) {
      if (header->audio_rate_hz) placer_.emplace(*header->audio_rate_hz);
      out_.header = std::move(*header);
    } else if (auto* status = std::get_if<wire::StatusChunk>(&chunk)) {
      ++out_.statuses;
      out_.last_status = std::move(*status);
    } else {
      AddData(std::get<wire::DataChunk>(chunk));
    }
  }

  ClipSummary Finish(const StreamReader& reader, absl::Status fault) {
    out_.messages = reader.messages();
    out_.whole_bytes = whole_bytes_;
    out_.fault = std::move(fault);
    if (first_s_ <= last_s_) out_.first_s = first_s_, out_.last_s = last_s_;
    for (const TrackSummary& t : out_.tracks) out_.frames = std::max(out_.frames, t.keys);
    if (placer_) {
      out_.audio_s =
          static_cast<double>(out_.audio_samples) / static_cast<double>(placer_->rate_hz());
    }
    return std::move(out_);
  }

  void MarkWhole(int64_t bytes) { whole_bytes_ = bytes; }

 private:
  void AddData(const wire::DataChunk& data) {
    ++out_.data_messages;
    for (size_t t = 0; t < wire::kPoseTracks; ++t) AddKeys(data.pose[t], &out_.tracks[t]);
    for (size_t t = 0; t < wire::kCameraTracks; ++t) {
      AddKeys(data.camera[t], &out_.tracks[wire::kPoseTracks + t]);
    }
    if (data.audio && placer_) AddAudio(*data.audio);
    for (const wire::MetadataEntry& e : data.metadata) ++out_.metadata[e.key];
    out_.zero_rotations += data.zero_rotations;
    out_.normalized_rotations += data.normalized_rotations;
  }

  void AddKeys(const wire::KeyBlock& block, TrackSummary* track) {
    if (block.empty()) return;
    if (track->keys == 0) track->first_s = block.codes_s.front();
    track->keys += static_cast<int64_t>(block.codes_s.size());
    track->last_s = block.codes_s.back();
    Cover(block.codes_s.front(), block.codes_s.back());
  }

  void AddAudio(const wire::AudioBuffer& audio) {
    const auto samples = static_cast<int64_t>(audio.samples.size());
    const timecode::AudioPlacer::Placement p = placer_->Place(audio.code_s, samples);
    ++out_.audio_buffers;
    out_.audio_samples += p.silence_before + samples - p.drop;
    out_.audio_silence += p.silence_before;
    out_.audio_dropped += p.drop;
    const auto rate = static_cast<double>(placer_->rate_hz());
    Cover(audio.code_s, static_cast<double>(placer_->position()) / rate);
  }

  void Cover(double first_s, double last_s) {
    first_s_ = std::min(first_s_, first_s);
    last_s_ = std::max(last_s_, last_s);
  }

  ClipSummary out_;
  std::optional<timecode::AudioPlacer> placer_;
  double first_s_ = std::numeric_limits<double>::infinity();
  double last_s_ = -std::numeric_limits<double>::infinity();
  int64_t whole_bytes_ = 0;
};

}  // namespace

wire::ReaderLimits ValidateLimits() {
  wire::ReaderLimits limits;
  limits.require_ids = false;
  return limits;
}

absl::StatusOr<ClipSummary> ValidateClip(const std::string& path,
                                         const wire::ReaderLimits& limits) {
  absl::StatusOr<StreamReader> reader = StreamReader::Open(path, limits);
  if (!reader.ok()) return reader.status();
  Summary summary;
  while (true) {
    absl::StatusOr<std::optional<wire::Chunk>> chunk = reader->Next();
    if (!chunk.ok()) return summary.Finish(*reader, chunk.status());
    if (!*chunk) break;
    summary.Add(**std::move(chunk));
    summary.MarkWhole(reader->end_of_last());
  }
  absl::Status fault;
  if (reader->messages() == 0) {
    fault = absl::InvalidArgumentError(absl::StrCat(path, ": holds no message"));
  }
  return summary.Finish(*reader, std::move(fault));
}

}  // namespace posewire::clipio
