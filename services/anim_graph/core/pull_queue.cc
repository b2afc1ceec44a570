#include "services/anim_graph/core/pull_queue.h"

#include <utility>

namespace posewire::anim_graph {

bool PullQueue::Offer(const wire::EncodedFrame& frame, double now_s) {
  if (writing_ && now_s - write_began_s_ > kMostBehind_s) return false;
  if (!queue_.empty() && now_s - queue_.front().offered_s > kMostBehind_s) return false;
  queue_.push_back({frame, now_s});
  data_queued_ += frame.is_data();
  return true;
}

void PullQueue::Clear() {
  queue_.clear();
  data_queued_ = 0;
}

std::optional<PullQueue::Send> PullQueue::Next(double now_s) {
  if (writing_ || queue_.empty()) return std::nullopt;
  Send send{std::move(queue_.front().frame), false};
  queue_.pop_front();
  if (send.frame.is_data()) {
    send.without_pose = data_queued_ > kMostBehind && send.frame.has_pose();
    dropped_poses_ += send.without_pose;
    --data_queued_;
  }
  writing_ = true;
  write_began_s_ = now_s;
  return send;
}

}  // namespace posewire::anim_graph
