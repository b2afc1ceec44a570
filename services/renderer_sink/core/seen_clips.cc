#include "services/renderer_sink/core/seen_clips.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "libs/wire/message.h"

namespace posewire::renderer_sink {

bool SeenClips::IsSaid(const wire::DataChunk& data) {
  return wire::FindMetadata(data, wire::kContributionsKey) != nullptr;
}

bool SeenClips::Add(double at_s, const wire::DataChunk& data) {
  const wire::MetadataEntry* const said = wire::FindMetadata(data, wire::kContributionsKey);
  if (said == nullptr && !wire::HasPose(data)) return true;  // a voice by itself
  const size_t bytes = said == nullptr ? 0 : said->any.size();
  if (waiting_.size() == kMostFrames || bytes_ + bytes > kMost_bytes) {
    ++left_out_;
    return false;
  }
  // The film's line may have moved since the frame before.
  if (!waiting_.empty()) at_s = std::max(at_s, waiting_.back().at_s);
  bytes_ += bytes;
  waiting_.push_back({at_s, said == nullptr ? wire::MetadataEntry{} : *said});
  return true;
}

const wire::Contributions& SeenClips::By(double at_s) {
  std::optional<Entry> due;
  double before_s = shown_s_;
  while (!waiting_.empty()) {
    Entry& next = waiting_.front();
    // From halfway to the next frame, that one is nearer.
    if (next.at_s > at_s && next.at_s - at_s > at_s - before_s) break;
    bytes_ -= next.said.any.size();
    before_s = next.at_s;
    due = std::move(next);
    waiting_.pop_front();
  }
  if (!due) return shown_;
  shown_s_ = due->at_s;
  shown_ = wire::ReadContributions(due->said).value_or(wire::Contributions{});
  return shown_;
}

}  // namespace posewire::renderer_sink
