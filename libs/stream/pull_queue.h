// The queue of frames that wait to be written to one pull, and the rules for slow consumers.
//
// A frame is shared by all pulls, so a waiting frame costs only a reference, but one reference
// keeps the whole frame in memory. A slow consumer first loses what the next frame replaces: poses.
// Voice, headers and statuses are kept until the consumer is 5 s late, and then the pull is ended.
// docs/adr/0021-bare-frames-wait.md has the cost of a frame without its pose.
#ifndef POSEWIRE_LIBS_STREAM_PULL_QUEUE_H_
#define POSEWIRE_LIBS_STREAM_PULL_QUEUE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "libs/wire/frame_writer.h"

namespace posewire::stream {

// Holds frames by reference. If more than 4 data frames wait, the oldest are sent without their
// pose, and the memory of the pose is released as soon as that is certain. Sparse frames after one
// that lost its pose lose theirs, too, up to the next complete one: offer complete frames while
// wants_complete(). If the oldest frame has waited for more than 5 s, or a write has not completed
// for 5 s, the consumer is overdue, and the pull must be ended. Headers and statuses are never
// dropped. Capacity: 5 s of frames, and `most_bytes`, counting shared frames in full for each pull;
// 1 MiB if the memory of the process is full. One message may exceed the limit. Times are seconds.
// Guarded by its owner.
class PullQueue {
 public:
  explicit PullQueue(size_t most_bytes = kMostBytes) : most_bytes_(most_bytes) {}

  struct Send {
    wire::EncodedFrame frame;
    bool without_pose = false;
  };

  // Returns false if the consumer is overdue; the frame is then not queued.
  bool Offer(const wire::EncodedFrame& frame, double now_s, bool memory_full = false);
  // Returns the next frame to write and starts its write. Returns nothing if a write is in progress
  // or the queue is empty.
  std::optional<Send> Next(double now_s);
  void Written() { writing_ = false; }
  // Drops all waiting frames. A write in progress continues.
  void Clear();

  // Returns whether the next data frame may take the pose of an older one, and must be complete.
  bool wants_complete() const { return data_queued_ >= kMostBehind; }

  bool idle() const { return !writing_ && queue_.empty(); }
  size_t behind() const { return queue_.size(); }
  size_t bytes() const { return bytes_; }  // of the waiting frames
  int64_t dropped_poses() const { return dropped_poses_; }

  static constexpr int kMostBehind = 4;
  static constexpr double kMostBehind_s = 5;
  static constexpr size_t kMostBytes = 64 << 20;
  static constexpr size_t kMostBytesWhenFull = 1 << 20;

 private:
  struct Item {
    wire::EncodedFrame frame;
    double offered_s;
    bool bare = false;  // its pose was removed
  };
  void DropOldPose();
  void Strip(Item& item);

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
