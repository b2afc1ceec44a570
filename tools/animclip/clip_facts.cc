#include "tools/animclip/clip_facts.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <memory>
#include <optional>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "libs/clipio/open_clip.h"
#include "libs/retarget/retarget.h"
#include "libs/timecode/audio_position.h"
#include "tools/animclip/open_clip.h"

namespace posewire::animclip {
namespace {

constexpr size_t kStatusesKept = 20;

void AddKeys(const wire::KeyBlock& block, TrackFacts* track) {
  for (const double time_code_s : block.time_codes_s) track->Add(time_code_s);
}

class Gatherer {
 public:
  Gatherer(ClipFacts& facts, std::unique_ptr<diagram::Waveform>* wave)
      : facts_(facts), wave_(wave) {}

  void Take(const wire::Chunk& chunk) {
    ++facts_.messages;
    facts_.last_status.reset();
    if (const auto* header = std::get_if<wire::StreamHeader>(&chunk)) {
      facts_.header = *header;
      facts_.has_header = true;
      if (header->audio_rate_hz) {
        placer_.emplace(*header->audio_rate_hz);
        if (wave_ != nullptr) *wave_ = std::make_unique<diagram::Waveform>(*header->audio_rate_hz);
      }
    } else if (const auto* data = std::get_if<wire::DataChunk>(&chunk)) {
      TakeData(*data);
    } else {
      ++facts_.status_count;
      facts_.last_status = std::get<wire::StatusChunk>(chunk);
      if (facts_.statuses.size() < kStatusesKept) facts_.statuses.push_back(*facts_.last_status);
    }
  }

  void Finish() {
    double start = std::numeric_limits<double>::infinity(), end = 0;
    const auto grow = [&](const TrackFacts& track) {
      if (track.keys == 0) return;
      start = std::min(start, track.first_s);
      end = std::max(end, track.last_s);
    };
    for (const TrackFacts& track : facts_.pose) grow(track);
    for (const TrackFacts& track : facts_.camera) grow(track);
    if (facts_.audio.samples > 0) {
      const double rate = *facts_.header.audio_rate_hz;
      start = std::min(start, static_cast<double>(facts_.audio.first_sample) / rate);
      end = std::max(end, static_cast<double>(facts_.audio.end_sample) / rate);
    }
    facts_.start_s = std::isfinite(start) ? start : 0;
    facts_.end_s = end;
  }

 private:
  void TakeData(const wire::DataChunk& data) {
    for (int t = 0; t < wire::kPoseTracks; ++t) AddKeys(data.pose[t], &facts_.pose[t]);
    for (int t = 0; t < wire::kCameraTracks; ++t) AddKeys(data.camera[t], &facts_.camera[t]);
    for (const wire::MetadataEntry& entry : data.metadata) ++facts_.metadata[entry.key];
    facts_.zero_rotations += data.zero_rotations;
    facts_.normalized_rotations += data.normalized_rotations;
    if (data.audio && placer_) TakeAudio(*data.audio);
  }

  void TakeAudio(const wire::AudioBuffer& buffer) {
    AudioFacts& audio = facts_.audio;
    ++audio.buffers;
    const auto count = static_cast<int64_t>(buffer.samples.size());
    const bool first = !placer_->started();
    const auto at = placer_->Place(buffer.time_code_s, count);
    if (first) audio.first_sample = at.first_sample;
    audio.samples += count;
    audio.end_sample = placer_->position();
    if (at.silence_before > 0) ++audio.gaps;
    audio.silence += at.silence_before;
    audio.repeated += at.drop;
    for (int16_t s : buffer.samples) audio.peak = std::max(audio.peak, std::abs(int{s}));
    if (wave_ == nullptr || at.drop >= count) return;
    (*wave_)->Add(at.first_sample,
                  absl::MakeConstSpan(buffer.samples).subspan(static_cast<size_t>(at.drop)));
  }

  ClipFacts& facts_;
  std::unique_ptr<diagram::Waveform>* wave_;
  std::optional<timecode::AudioPlacer> placer_;
};

}  // namespace

absl::StatusOr<ClipFacts> GatherFacts(const std::string& path, const Console& console,
                                      std::unique_ptr<diagram::Waveform>* wave,
                                      const clipio::OpenOptions& options) {
  auto input = animclip::OpenClip(path, options);
  if (!input.ok()) return input.status();
  ProgressBar progress(console, "reading", (*input)->size());
  ClipFacts facts;
  Gatherer gatherer(facts, wave);
  for (int64_t before = 0;; before = (*input)->end_of_last()) {
    const absl::StatusOr<std::optional<wire::Message>> message = (*input)->Next();
    if (!message.ok()) return message.status();
    if (!*message) break;
    facts.largest_message_bytes =
        std::max(facts.largest_message_bytes, (*input)->end_of_last() - before);
    gatherer.Take((*message)->chunk);
    progress.At((*input)->end_of_last());
  }
  Warn(console, (*input)->warnings());
  gatherer.Finish();
  const auto catalog = skel::RigCatalog::Builtin();
  if (catalog.ok() && retarget::IsForeign((*input)->skeleton().get(), *catalog)) {
    facts.own_skeleton = (*input)->skeleton();
  }
  return facts;
}

std::string StatusText(const wire::StatusChunk& status) {
  return absl::StrCat(wire::CodeName(status.code), status.message.empty() ? "" : " ",
                      status.message);
}

const char* PoseTrackName(int track) {
  static constexpr const char* kNames[] = {"weights", "translations", "rotations", "scales"};
  return kNames[track];
}

const char* CameraTrackName(int track) {
  static constexpr const char* kNames[] = {"camera position", "camera rotation",
                                           "camera focal length", "camera focus distance"};
  return kNames[track];
}

std::string RateText(const TrackFacts& track) {
  if (track.keys == 0) return "none";
  if (track.keys == 1) return "one key";
  if (!track.IsEven()) {
    return absl::StrFormat("%g to %g ms apart", std::round(track.shortest_s * 1e4) / 10,
                           std::round(track.longest_s * 1e4) / 10);
  }
  return absl::StrFormat("%.6g fps", std::round(1e3 / track.MeanGap()) / 1e3);
}

}  // namespace posewire::animclip
