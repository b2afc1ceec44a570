#include "libs/stream/pull_queue.h"

#include <algorithm>
#include <utility>

namespace posewire::stream {

bool PullQueue::Offer(const wire::EncodedFrame& frame, double now_s, bool memory_full) {
  const size_t most = memory_full ? std::min(most_bytes_, kMostBytesWhenFull) : most_bytes_;
  if (bytes_ > most) return false;
  if (writing_ && now_s - write_began_s_ > kMostBehind_s) return false;
  if (!queue_.empty() && now_s - queue_.front().offered_s > kMostBehind_s) return false;
  queue_.push_back({frame, now_s});
  bytes_ += frame.size();
  if (frame.is_data() && ++data_queued_ > kMostBehind) DropOldPose();
  return true;
}

// The data frame with kMostBehind frames after it will be sent without its pose; frames before it
// have already lost theirs.
void PullQueue::DropOldPose() {
  int behind = 0;
  for (auto item = queue_.rbegin(); item != queue_.rend(); ++item) {
    if (!item->frame.is_data() || behind++ < kMostBehind) continue;
    Strip(*item);
    for (auto next = item.base(); next != queue_.end(); ++next) {
      if (!next->frame.is_data()) continue;
      if (!next->frame.is_sparse()) break;
      Strip(*next);
    }
    return;
  }
}

void PullQueue::Strip(Item& item) {
  item.bare = item.bare || item.frame.has_pose();
  bytes_ -= item.frame.size();
  item.frame = item.frame.CopyWithoutPose();
  bytes_ += item.frame.size();
}

void PullQueue::Clear() {
  queue_.clear();
  bytes_ = 0;
  data_queued_ = 0;
}

std::optional<PullQueue::Send> PullQueue::Next(double now_s) {
  if (writing_ || queue_.empty()) return std::nullopt;
  Send send{std::move(queue_.front().frame), queue_.front().bare};
  queue_.pop_front();
  bytes_ -= send.frame.size();
  if (send.frame.is_data()) {
    dropped_poses_ += send.without_pose;
    --data_queued_;
  }
  writing_ = true;
  write_began_s_ = now_s;
  return send;
}

}  // namespace posewire::stream
