// What waits to be written to one pull, and what is done when its consumer is slow.
//
// A frame is shared by all pulls, so that waiting costs a reference, but one reference keeps the
// whole frame alive. A consumer that falls behind loses what can be missed first: poses, whose next
// one replaces them. Voice, headers and statuses cannot be, and are kept until the consumer is 5 s
// behind and is cut off. docs/adr/0021-bare-frames-wait.md has what a frame without its pose costs.
#ifndef POSEWIRE_LIBS_STREAM_PULL_QUEUE_H_
#define POSEWIRE_LIBS_STREAM_PULL_QUEUE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "libs/wire/frame_writer.h"

namespace posewire::stream {

// Holds frames by reference. More than 4 data frames behind: the oldest go out without their pose,
// whose memory is let go as soon as that is sure. More than 5 s behind, or a write not completed
// for 5 s: overdue, and the pull is to be ended. Headers and statuses are never dropped. Capacity:
// what 5 s hold, and `most_bytes`, to which each pull counts what it shares; when the memory of the
// process is full, 1 MiB. One message may go beyond. Times are seconds. Guarded by its owner.
class PullQueue {
 public:
  explicit PullQueue(size_t most_bytes = kMostBytes) : most_bytes_(most_bytes) {}

  struct Send {
    wire::EncodedFrame frame;
    bool without_pose = false;
  };

  // False when the consumer is overdue; the frame is not taken then.
  bool Offer(const wire::EncodedFrame& frame, double now_s, bool memory_full = false);
  // The next thing to write, unless a write is under way; it is under way from then on.
  std::optional<Send> Next(double now_s);
  void Written() { writing_ = false; }
  // Forgets what waits; a write that is under way goes on.
  void Clear();

  bool idle() const { return !writing_ && queue_.empty(); }
  size_t behind() const { return queue_.size(); }
  size_t bytes() const { return bytes_; }  // of what waits
  int64_t dropped_poses() const { return dropped_poses_; }

  static constexpr int kMostBehind = 4;
  static constexpr double kMostBehind_s = 5;
  static constexpr size_t kMostBytes = 64 << 20;
  static constexpr size_t kMostBytesWhenFull = 1 << 20;

 private:
  struct Item {
    wire::EncodedFrame frame;
    double offered_s;
    bool bare = false;  // had a pose
  };
  void DropOldPose();

  size_t most_bytes_;
  std::deque<Item> queue_;
  size_t bytes_ = 0;
  int data_queued_ = 0;
  bool writing_ = false;
  double write_began_s_ = 0;
  int64_t dropped_poses_ = 0;
};

}  // namespace posewire::stream

#endif  // POSEWIRE_LIBS_STREAM_PULL_QUEUE_H_
