// What waits to be written to one pull, and what is done when its consumer is slow.
//
// A frame is shared by all pulls, so that waiting costs a reference, but one reference keeps the
// whole frame alive. A consumer that falls behind loses what can be missed first: poses, whose next
// one replaces them. Voice, headers and statuses cannot be, and are kept until the consumer is 5 s
// behind and is cut off. docs/adr/0021-bare-frames-wait.md has what a frame without its pose costs.
#ifndef POSEWIRE_LIBS_STREAM_PULL_QUEUE_H_
#define POSEWIRE_LIBS_STREAM_PULL_QUEUE_H_

#include <cstdint>
#include <deque>
#include <optional>

#include "libs/wire/frame_writer.h"

namespace posewire::stream {

// Holds frames by reference. More than 4 data frames behind: the oldest go out without their pose,
// whose memory is let go as soon as that is sure. More than 5 s behind, or a write not completed
// for 5 s: overdue, and the pull is to be ended. Headers and statuses are never dropped. Capacity:
// what 5 s hold. Times are seconds. Guarded by its owner.
class PullQueue {
 public:
  struct Send {
    wire::EncodedFrame frame;
    bool without_pose = false;
  };

  // False when the consumer is overdue; the frame is not taken then.
  bool Offer(const wire::EncodedFrame& frame, double now_s);
  // The next thing to write, unless a write is under way; it is under way from then on.
  std::optional<Send> Next(double now_s);
  void Written() { writing_ = false; }
  // Forgets what waits; a write that is under way goes on.
  void Clear();

  bool idle() const { return !writing_ && queue_.empty(); }
  size_t behind() const { return queue_.size(); }
  int64_t dropped_poses() const { return dropped_poses_; }

  static constexpr int kMostBehind = 4;
  static constexpr double kMostBehind_s = 5;

 private:
  struct Item {
    wire::EncodedFrame frame;
    double offered_s;
    bool bare = false;  // had a pose
  };
  void DropOldPose();

  std::deque<Item> queue_;
  int data_queued_ = 0;
  bool writing_ = false;
  double write_began_s_ = 0;
  int64_t dropped_poses_ = 0;
};

}  // namespace posewire::stream

#endif  // POSEWIRE_LIBS_STREAM_PULL_QUEUE_H_
