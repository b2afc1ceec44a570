// Which chunks of which clips are in memory: one scheduler for all characters.
//
// A film's offsets are too many to hold, and a picture must never wait for a disk or a server. So
// every chunk has a time until it is needed: none for those that are shown, the frames that are
// left for those that come next, a minute for the first chunk of every clip, which any moment may
// ask for, and no end for the rest. What is needed soonest is loaded first; what is needed last
// makes room for it. What is not there in time is shown as the simple rig: each character and clip
// has a factor of its offsets, which only ever moves at a bounded rate. When a chunk is missing,
// the last frame that was shown is held, and fades; when it has come, the new one fades in.
//
// The scheduler is a machine without threads or clock: time is an argument, and work is handed out
// as ChunkLoads, which workers run (OffsetsStream) or a test.
#ifndef POSEWIRE_LIBS_OFFSETS_STREAM_SCHEDULER_H_
#define POSEWIRE_LIBS_OFFSETS_STREAM_SCHEDULER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "libs/files/byte_source.h"
#include "libs/offsets/chunk_load.h"
#include "libs/skel/math.h"

namespace posewire::offsets {

// A factor goes from 0 to 1, and back, in kFade_s. One frame moves it by at most kLongestStep_s of
// that, however late the frame comes.
inline constexpr double kFade_s = 0.2, kLongestStep_s = 0.05;

struct StreamLimits {
  // Of memory, for indexes, chunks and what workers take while they read and decode. A chunk that
  // needs more than all of it is never shown.
  size_t budget_bytes = size_t{256} << 20;
  size_t chunks = 4096;                        // held at once
  double retry_s = 0.5, longest_retry_s = 30;  // after a failure; doubled with each in a row
  FileLimits file = {2u << 20, 1u << 20, size_t{512} << 20};
};

struct StreamCounts {
  uint64_t loads = 0, failures = 0, evictions = 0;
  uint64_t starved = 0;    // queries for what was not there
  size_t used_bytes = 0;   // of the budget
  size_t held_chunks = 0;  // decoded
};

// One thread. AddClip, AddCharacter and their opposites allocate and belong between frames; all
// else allocates nothing, frees nothing and takes no lock.
class StreamScheduler {
 public:
  // `loads` may be under way at once, at least 1.
  StreamScheduler(const StreamLimits& limits, size_t loads);
  StreamScheduler(const StreamScheduler&) = delete;
  StreamScheduler& operator=(const StreamScheduler&) = delete;

  // A number for a clip whose offsets `source` has. Its index and first chunk are loaded next.
  int AddClip(std::shared_ptr<files::ByteSource> source, const ExpectedFile& expected);
  // Its number may be given again. What is under way of it is dropped when it is done.
  void RemoveClip(int clip);
  int AddCharacter();
  void RemoveCharacter(int character);

  // Once a frame, before its queries. Time never runs back; where it does, it stands.
  void Update(double now_s);

  // The next load to run, or null: nothing is missing, there is no room, or all loads are under
  // way. It is the caller's to Run, on any thread, and to hand back to Done.
  ChunkLoad* Next();
  void Done(ChunkLoad* load);

  // How much of `out` to add, 0 to 1: frame `frame` of the clip, or while that is missing and the
  // factor falls, the last one that was shown. Of 0, `out` is left as it is. A character queries a
  // clip at most once a frame, for as long as the clip is shown; one that was not queried in the
  // frame before starts at once if its chunk is there. Frames past the end are the last one. `out`
  // has one entry for each of the clip's points; for other sizes and numbers that were not given:
  // 0.
  float At(int character, int clip, size_t frame, absl::Span<skel::Vec3> out);

  // Why the last load of a clip failed, or OK if it did not.
  const absl::Status& clip_status(int clip) const;
  // Whether its index and first chunk are there.
  bool clip_ready(int clip) const;
  const StreamCounts& counts() const { return counts_; }

 private:
  struct Clip {
    bool used = false;
    std::shared_ptr<files::ByteSource> source;
    ExpectedFile expected;
    std::shared_ptr<OpenedFile> file;
    ChunkState index;           // loading, failures, retry_s of the index
    int loading = 0, held = 0;  // loads under way, and slots
    absl::Status status;
  };
  struct Slot {
    std::unique_ptr<Chunk> chunk;
    int clip = -1;
    size_t place = 0;  // of the chunk in its clip
    size_t bytes = 0;
    double needed_s = 0;  // until it is
    uint64_t shown = 0;   // the last frame it was
  };
  // What a character shows of a clip.
  struct View {
    uint64_t cycle = 0;  // the last frame it was queried
    double now_s = 0;    // then
    size_t frame = 0;    // that was asked for
    bool forward = true;
    bool live = false;  // whether it was there
    int slot = -1;      // what is shown, if factor > 0
    size_t shown = 0;   // its frame, from the chunk's first
    float factor = 0;
  };
  struct ViewKey {
    int character, clip;
  };
  struct Wanted {
    double needed_s;
    int clip;
    size_t chunk;  // kIndex: the index
  };

  bool IsClip(int clip) const;
  void Need(int clip, size_t chunk, double seconds);
  void NeedOf(const ViewKey& key);
  // Whether a slot may be given up for what is needed in so many seconds.
  bool Evictable(const Slot& slot, double needed_s) const;
  bool MakeRoom(size_t bytes, double needed_s, bool slot, ChunkLoad& load);
  ChunkState& StateOf(const Wanted& wanted);
  void Failed(ChunkState& state);
  void Reserve();

  const StreamLimits limits_;
  std::vector<std::unique_ptr<ChunkLoad>> all_loads_;
  std::vector<ChunkLoad*> free_loads_;
  std::vector<Clip> clips_;
  std::vector<std::vector<View>> views_;  // of each character, one a clip
  std::vector<bool> characters_;          // which numbers are given
  std::vector<Slot> slots_;
  std::vector<int> free_slots_;
  std::vector<ViewKey> queried_;  // since the last Update
  std::vector<Wanted> wanted_;    // soonest first
  uint64_t cycle_ = 2;            // frames; a view's 0 is long ago
  double now_s_ = 0;
  StreamCounts counts_;
};

}  // namespace posewire::offsets

#endif  // POSEWIRE_LIBS_OFFSETS_STREAM_SCHEDULER_H_
