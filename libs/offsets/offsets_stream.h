// Streams offsets for live pictures: a StreamScheduler with workers that read and decode.
//
// Each worker shares one atomic word with the drawing thread, which determines the owner of the
// load. Neither ever waits for the other: an idle worker sleeps, and the drawing thread takes
// finished loads in Update.
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

// One thread, except its workers. StreamScheduler defines the rules.
class OffsetsStream {
 public:
  explicit OffsetsStream(const StreamLimits& limits = {}, size_t workers = 2);
  // Stops the sources being read, and waits for the workers.
  ~OffsetsStream();
  OffsetsStream(const OffsetsStream&) = delete;
  OffsetsStream& operator=(const OffsetsStream&) = delete;

  int AddClip(std::shared_ptr<files::ByteSource> source, const ExpectedFile& expected) {
    return scheduler_.AddClip(std::move(source), expected);
  }
  void RemoveClip(int clip) { scheduler_.RemoveClip(clip); }
  int AddCharacter() { return scheduler_.AddCharacter(); }
  void RemoveCharacter(int character) { scheduler_.RemoveCharacter(character); }

  // Call once per frame, before its queries: takes finished loads from the workers, and gives them
  // the next ones.
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
