// Decides which chunks of which clips are in memory, for all characters together.
//
// A film's offsets are too large for memory, and a picture must never wait for a disk or a server.
// So every chunk has a time until it is needed: zero if it is shown, the remaining frames if it
// comes next, a minute for the first chunk of every clip, which may be needed at any moment, and
// infinity for the rest. The chunk needed soonest is loaded first, and the one needed last is
// evicted for it. If a chunk is not loaded in time, the simple rig is shown: each character and
// clip has a factor of its offsets, which changes at a limited rate. While a chunk is missing, the
// last frame shown is held, and fades out; when it is loaded, the new one fades in.
//
// The scheduler has no threads and no clock: time is an argument, and work is returned as
// ChunkLoads, which workers (OffsetsStream) or a test run.
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

// A factor goes from 0 to 1, and back, in kFade_s. One frame changes it by at most kLongestStep_s
// of that, however late the frame is.
inline constexpr double kFade_s = 0.2, kLongestStep_s = 0.05;

struct StreamLimits {
  // Memory for indexes, chunks and the workers' reading and decoding. A chunk that needs more than
  // this is never shown.
  size_t budget_bytes = size_t{256} << 20;
  size_t chunks = 4096;                        // decoded at once
  double retry_s = 0.5, longest_retry_s = 30;  // after a failure; doubled with each consecutive one
  FileLimits file = {2u << 20, 1u << 20, size_t{512} << 20};
};

struct StreamCounts {
  uint64_t loads = 0, failures = 0, evictions = 0;
  uint64_t starved = 0;    // queries for missing chunks
  size_t used_bytes = 0;   // of the budget
  size_t held_chunks = 0;  // decoded
};

// One thread. Call AddClip, AddCharacter and their opposites, which allocate, between frames;
// everything else does not allocate, free or lock.
class StreamScheduler {
 public:
  // `loads`: maximum number at once, at least 1.
  StreamScheduler(const StreamLimits& limits, size_t loads);
  StreamScheduler(const StreamScheduler&) = delete;
  StreamScheduler& operator=(const StreamScheduler&) = delete;

  // Returns a number for a clip whose offsets are in `source`. Its index and first chunk are loaded
  // next.
  int AddClip(std::shared_ptr<files::ByteSource> source, const ExpectedFile& expected);
  // The number may be reused. Loads in progress are dropped when they are done.
  void RemoveClip(int clip);
  int AddCharacter();
  void RemoveCharacter(int character);

  // Call once per frame, before its queries. Time must not decrease; if it does, it is ignored.
  void Update(double now_s);

  // Returns the next load to run, or null: nothing is missing, there is no room, or all loads are
  // in progress. The caller must Run it, on any thread, and pass it to Done.
  ChunkLoad* Next();
  void Done(ChunkLoad* load);

  // Returns how much of `out` to add, 0 to 1. Writes frame `frame` of the clip to it, or while that
  // is missing and the factor falls, the last one shown. If it returns 0, `out` is unchanged. A
  // character queries a clip at most once per frame, as long as the clip is shown; one that was not
  // queried in the previous frame starts at once if its chunk is loaded. Frames past the end are
  // the last one. `out` has one entry for each of the clip's points; for other sizes and invalid
  // numbers, returns 0.
  float At(int character, int clip, size_t frame, absl::Span<skel::Vec3> out);

  // The error of a clip's last load, or OK.
  const absl::Status& clip_status(int clip) const;
  // Returns true if its index and first chunk are loaded.
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
    size_t place = 0;  // index of the chunk in its clip
    size_t bytes = 0;
    double needed_s = 0;  // time until it is needed
    uint64_t shown = 0;   // the last frame in which it was shown
  };
  // The state of a clip on a character.
  struct View {
    uint64_t cycle = 0;  // the last frame it was queried
    double now_s = 0;    // at that time
    size_t frame = 0;    // requested frame
    bool forward = true;
    bool live = false;  // whether it was loaded
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
  // Returns true if a slot may be evicted for a chunk needed in this many seconds.
  bool Evictable(const Slot& slot, double needed_s) const;
  bool MakeRoom(size_t bytes, double needed_s, bool slot, ChunkLoad& load);
  ChunkState& StateOf(const Wanted& wanted);
  void Failed(ChunkState& state);
  void Reserve();

  const StreamLimits limits_;
  std::vector<std::unique_ptr<ChunkLoad>> all_loads_;
  std::vector<ChunkLoad*> free_loads_;
  std::vector<Clip> clips_;
  std::vector<std::vector<View>> views_;  // of each character, one per clip
  std::vector<bool> characters_;          // numbers in use
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
