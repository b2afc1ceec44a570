// Offsets for pictures that cannot wait: a StreamScheduler with workers that read and decode.
//
// A worker and the thread that draws meet at one atomic word for each worker, which says whose the
// load is. Neither ever waits for the other: an idle worker sleeps, and the drawing thread takes
// what is done when it comes by.
#ifndef POSEWIRE_LIBS_OFFSETS_OFFSETS_STREAM_H_
#define POSEWIRE_LIBS_OFFSETS_OFFSETS_STREAM_H_

#include <atomic>
#include <cstddef>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "libs/offsets/stream_scheduler.h"

namespace posewire::offsets {

// One thread, but for its workers. As StreamScheduler's, which has the rules.
class OffsetsStream {
 public:
  explicit OffsetsStream(const StreamLimits& limits = {}, size_t workers = 2);
  // Stops the sources that are being read, and waits for their ends.
  ~OffsetsStream();
  OffsetsStream(const OffsetsStream&) = delete;
  OffsetsStream& operator=(const OffsetsStream&) = delete;

  int AddClip(std::shared_ptr<files::ByteSource> source, const ExpectedFile& expected) {
    return scheduler_.AddClip(std::move(source), expected);
  }
  void RemoveClip(int clip) { scheduler_.RemoveClip(clip); }
  int AddCharacter() { return scheduler_.AddCharacter(); }
  void RemoveCharacter(int character) { scheduler_.RemoveCharacter(character); }

  // Once a frame, before its queries: takes what workers have done, and gives them what is next.
  void Update(double now_s);
  float At(int character, int clip, size_t frame, absl::Span<skel::Vec3> out) {
    return scheduler_.At(character, clip, frame, out);
  }

  const absl::Status& clip_status(int clip) const { return scheduler_.clip_status(clip); }
  bool clip_ready(int clip) const { return scheduler_.clip_ready(clip); }
  const StreamCounts& counts() const { return scheduler_.counts(); }

 private:
  enum class Turn : int { kIdle, kAsked, kDone, kStop };
  struct Worker {
    std::atomic<Turn> turn{Turn::kIdle};
    ChunkLoad* load = nullptr;  // the worker's while kAsked
    std::thread thread;
  };
  static void Work(Worker& worker);

  StreamScheduler scheduler_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace posewire::offsets

#endif  // POSEWIRE_LIBS_OFFSETS_OFFSETS_STREAM_H_
