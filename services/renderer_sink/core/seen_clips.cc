#include "services/renderer_sink/core/seen_clips.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace posewire::renderer_sink {

bool SeenClips::IsSaid(const wire::DataChunk& data) {
  return std::any_of(data.metadata.begin(), data.metadata.end(),
                     [](const auto& entry) { return entry.key == wire::kContributionsKey; });
}

bool SeenClips::Add(double at_s, const wire::DataChunk& data) {
  for (const wire::MetadataEntry& entry : data.metadata) {
    if (entry.key != wire::kContributionsKey) continue;
    if (waiting_.size() == kMostFrames || bytes_ + entry.any.size() > kMost_bytes) return false;
    // The film's line may have moved since the frame before.
    if (!waiting_.empty()) at_s = std::max(at_s, waiting_.back().at_s);
    bytes_ += entry.any.size();
    waiting_.push_back({at_s, entry});
    return true;
  }
  return true;
}

const wire::Contributions& SeenClips::By(double at_s) {
  std::optional<Entry> due;
  double before_s = shown_s_;
  while (!waiting_.empty()) {
    Entry& next = waiting_.front();
    // Halfway to the next frame it is that one's turn.
    if (next.at_s > at_s && next.at_s - at_s > at_s - before_s) break;
    bytes_ -= next.said.any.size();
    before_s = next.at_s;
    due = std::move(next);
    waiting_.pop_front();
  }
  if (!due) return shown_;
  shown_s_ = due->at_s;
  if (auto read = wire::ReadContributions(due->said)) shown_ = *std::move(read);
  return shown_;
}

}  // namespace posewire::renderer_sink
