#include "services/anim_graph/core/metadata_queue.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "libs/wire/memory_of.h"

namespace posewire::anim_graph {

size_t MetadataQueue::BytesOf(const Pending& pending) {
  return sizeof(Pending) + wire::MemoryOf(pending.entries);
}

std::optional<double> MetadataQueue::Admit(const wire::DataChunk& chunk) {
  const bool coded = std::isfinite(chunk.earliest_time_code_s);
  const double code = coded ? chunk.earliest_time_code_s : std::max(0.0, newest_s_);
  if (coded && code <= floor_s_) return std::nullopt;
  newest_s_ = std::max(newest_s_, code);
  return code;
}

void MetadataQueue::Append(double time_code_s, std::vector<wire::MetadataEntry> entries) {
  if (head_ > 0 && head_ >= entries_.size() / 2) {
    entries_.erase(entries_.begin(), entries_.begin() + static_cast<ptrdiff_t>(head_));
    head_ = 0;
  }
  entries_.push_back({time_code_s, std::move(entries)});
  bytes_ += BytesOf(entries_.back());
}

void MetadataQueue::AppendFirst(wire::MetadataEntry entry) {
  Pending first{-1, {std::move(entry)}};
  bytes_ += BytesOf(first);
  entries_.insert(entries_.begin() + static_cast<ptrdiff_t>(head_), std::move(first));
}

void MetadataQueue::TakeDue(double time_code_s, size_t most,
                            std::vector<wire::MetadataEntry>& out) {
  const size_t full = out.size() + most;
  while (!empty() && entries_[head_].time_code_s <= time_code_s && out.size() < full) {
    Pending& due = entries_[head_++];
    bytes_ -= BytesOf(due);
    for (wire::MetadataEntry& entry : due.entries) out.push_back(std::move(entry));
    due.entries = {};
  }
  if (!empty()) return;
  entries_.clear();
  head_ = 0;
}

}  // namespace posewire::anim_graph
