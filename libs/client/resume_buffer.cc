#include "libs/client/resume_buffer.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace posewire::client {

void ResumeBuffer::Add(wire::MessageBytes message, const wire::ChunkTimes& times) {
  if (!times.empty()) {
    if (std::isinf(last_code_s_)) {
      for (Entry& entry : entries_) entry.end_s = times.earliest_s;
    }
    first_code_s_ = std::min(first_code_s_, times.earliest_s);
    last_code_s_ = std::max(last_code_s_, times.latest_s);
  }
  bytes_ += message->size();
  entries_.push_back(
      {std::move(message), times.empty() ? last_code_s_ : times.latest_s, times.empty()});
  while (entries_.size() > 1) {
    const Entry& oldest = entries_.front();
    if (oldest.end_s > last_code_s_ - keep_s_ || bytes_ - oldest.message->size() < keep_bytes_)
      break;
    dropped_to_s_ = std::max(dropped_to_s_, oldest.end_s);
    bytes_ -= oldest.message->size();
    entries_.pop_front();
  }
}

ResumeBuffer::Tail ResumeBuffer::After(double received_until_s) const {
  Tail tail;
  for (const Entry& entry : entries_) {
    // A message without time codes may have been sent after the last time code that arrived.
    if (entry.end_s > received_until_s || (entry.timeless && entry.end_s >= received_until_s)) {
      tail.messages.push_back(entry.message);
    }
  }
  const double wanted_from_s = std::max(received_until_s, first_code_s_);
  if (dropped_to_s_ > wanted_from_s) tail.lost_s = dropped_to_s_ - wanted_from_s;
  return tail;
}

}  // namespace posewire::client
