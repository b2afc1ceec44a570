// Streams the offsets of many clips for live drawing, which cannot wait.
//
// Files are not loaded. An OffsetsStream keeps the chunks that are shown, and those that come next,
// within a budget; its workers read and decode. If a chunk has not arrived, or the source fails,
// the character has its own shapes alone, and the offsets fade in once they are available.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_DRAW_LIVE_OFFSETS_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_DRAW_LIVE_OFFSETS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/character/character.h"
#include "libs/mesh/offsets.h"
#include "libs/offsets/offsets_stream.h"
#include "libs/service/logger.h"
#include "libs/wire/contributions.h"
#include "services/renderer_sink/draw/offset_files.h"
#include "services/renderer_sink/draw/offset_mixer.h"

namespace posewire::renderer_sink {

// One thread, except its workers.
class LiveOffsets {
 public:
  // RESOURCE_EXHAUSTED if a chunk does not fit in the budget.
  static absl::StatusOr<std::unique_ptr<LiveOffsets>> Make(const OffsetFiles& files,
                                                           size_t budget_bytes,
                                                           service::Logger log);

  const OffsetMixer& mixer() const { return mixer_; }

  // Returns what to draw on top of the pose at `now_s`, which must increase. Call once per frame;
  // valid until the next call. Never waits. Logs each clip without offsets, and each unreadable
  // file, once.
  absl::Span<const mesh::WeighedOffsets> Of(const skel::PoseView& pose,
                                            const wire::Contributions& seen, double now_s);

  const offsets::StreamCounts& counts() const { return stream_.counts(); }
  // Returns true if the beginnings of all clips are loaded.
  bool ready() const;

 private:
  struct Clip {
    std::string name;
    int number = -1;  // number in stream_
    double rate_hz = 0;
    int shown = 0;  // how often, in this frame
    bool failing = false;
  };

  LiveOffsets(const OffsetFiles& files, size_t budget_bytes, service::Logger log);
  float At(const wire::Contribution& seen, absl::Span<skel::Vec3> out);
  void TellFailures();
  void TellMissing();

  OffsetMixer mixer_;
  const service::Logger log_;
  offsets::OffsetsStream stream_;
  std::map<uint64_t, Clip> clips_;  // by the clip's hash
  // A clip may appear twice in a frame, when it restarts while it eases out. The stream keeps one
  // frame of it for each of its characters.
  std::vector<int> places_;
  std::set<std::string> told_;  // missing ones already logged
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_DRAW_LIVE_OFFSETS_H_
