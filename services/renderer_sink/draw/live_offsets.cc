#include "services/renderer_sink/draw/live_offsets.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_format.h"

namespace posewire::renderer_sink {

LiveOffsets::LiveOffsets(const OffsetFiles& files, size_t budget_bytes, service::Logger log)
    : mixer_(files.character, files.shapes),
      log_(std::move(log)),
      stream_({.budget_bytes = budget_bytes}) {}

absl::StatusOr<std::unique_ptr<LiveOffsets>> LiveOffsets::Make(const OffsetFiles& files,
                                                               size_t budget_bytes,
                                                               service::Logger log) {
  std::unique_ptr<LiveOffsets> out(new LiveOffsets(files, budget_bytes, std::move(log)));
  const uint64_t mesh_hash = out->mixer_.mesh_hash();
  for (const OffsetsAt& file : files.clips) {
    if (file.memory > budget_bytes) {
      return absl::ResourceExhaustedError(
          absl::StrFormat("%s: takes %.1f MiB of memory to be shown, and there are %.1f: raise "
                          "--offsets-mib, or bake "
                          "it with another --method",
                          ShownPlace(file.name), static_cast<double>(file.memory) / (1 << 20),
                          static_cast<double>(budget_bytes) / (1 << 20)));
    }
    const offsets::OffsetsHeader& header = file.header;
    Clip& clip = out->clips_[header.clip_hash];
    if (clip.number >= 0) continue;  // two files of one clip: the first counts
    clip.name = ShownPlace(file.name);
    clip.rate_hz = header.rate_hz();
    clip.number = out->stream_.AddClip(
        SourceToStop(file),
        {static_cast<uint32_t>(out->mixer_.skin().points()), mesh_hash, header.clip_hash});
  }
  for (size_t k = 0; k < wire::Contributions::kMost; ++k) {
    out->places_.push_back(out->stream_.AddCharacter());
  }
  return out;
}

bool LiveOffsets::ready() const {
  return std::all_of(clips_.begin(), clips_.end(),
                     [this](const auto& clip) { return stream_.clip_ready(clip.second.number); });
}

absl::Span<const mesh::WeighedOffsets> LiveOffsets::Of(const skel::PoseView& pose,
                                                       const wire::Contributions& seen,
                                                       double now_s) {
  stream_.Update(now_s);
  for (auto& [hash, clip] : clips_) clip.shown = 0;
  const auto mix = mixer_.Of(
      pose, seen,
      [this](const wire::Contribution& one, absl::Span<skel::Vec3> out) -> absl::StatusOr<float> {
        return At(one, out);
      });
  TellFailures();
  TellMissing();
  return mix.ok() ? *mix : absl::Span<const mesh::WeighedOffsets>();
}

float LiveOffsets::At(const wire::Contribution& seen, absl::Span<skel::Vec3> out) {
  const auto found = clips_.find(seen.clip_hash);
  if (found == clips_.end()) return -1;
  Clip& clip = found->second;
  // At the end of the clip the stream stops by itself.
  const double frame = std::clamp(std::round(seen.time_s * clip.rate_hz), 0.0, 4e9);
  const auto place = static_cast<size_t>(clip.shown++);
  return stream_.At(places_[place], clip.number, static_cast<size_t>(frame), out);
}

void LiveOffsets::TellFailures() {
  for (auto& [hash, clip] : clips_) {
    const absl::Status& why = stream_.clip_status(clip.number);
    if (std::exchange(clip.failing, !why.ok()) || why.ok()) continue;
    log_.Warning("offsets cannot be read now; it is drawn without",
                 {{"offsets", clip.name}, {"why", why.message()}});
  }
}

void LiveOffsets::TellMissing() {
  if (clips_.empty()) return;  // a shape set alone
  const auto& missing = mixer_.missing();
  if (missing.size() == told_.size()) return;
  for (const auto& [clip, frames] : missing) {
    if (!told_.insert(clip).second) continue;
    log_.Warning(
        "a clip has no offsets, or is mirrored on a mesh that is not symmetric; it is drawn "
        "without",
        {{"clip", clip}});
  }
}

}  // namespace posewire::renderer_sink
