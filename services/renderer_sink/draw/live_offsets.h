// The offsets of many clips, streamed: what a live picture is drawn by, which cannot wait.
//
// Files stay where they are. An OffsetsStream has the chunks that are shown, and those that come
// next, within a budget; its workers read and decode. Where a chunk has not come, or the source
// fails, the character keeps its own shapes, and the offsets fade in when they are there.
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
#include "libs/offsets/offsets_stream.h"
#include "libs/render/painter.h"
#include "libs/service/logger.h"
#include "libs/wire/contributions.h"
#include "services/renderer_sink/draw/offset_files.h"
#include "services/renderer_sink/draw/offset_mixer.h"

namespace posewire::renderer_sink {

// One thread, but for its workers.
class LiveOffsets {
 public:
  // Of those of `files` that were made of the character, as it stands in its file. Errors: those of
  // OffsetsOf, and RESOURCE_EXHAUSTED for a budget in which a chunk has no room.
  static absl::StatusOr<std::unique_ptr<LiveOffsets>> Make(
      const std::vector<OffsetsAt>& files, std::shared_ptr<const character::Character> character,
      size_t budget_bytes, service::Logger log);

  const OffsetMixer& mixer() const { return mixer_; }

  // What is to be drawn at `now_s`, which rises; once a frame, valid until the next call. Never
  // waits. Of clips that have no offsets, and of files that cannot be read, the log tells once.
  render::OffsetMix Of(const wire::Contributions& seen, double now_s);

  const offsets::StreamCounts& counts() const { return stream_.counts(); }
  // Whether the beginnings of all clips are there.
  bool ready() const;

 private:
  struct Clip {
    std::string name;
    int number = -1;  // of stream_
    double rate_hz = 0;
    int shown = 0;  // how often, in this frame
    bool failing = false;
  };

  LiveOffsets(std::shared_ptr<const character::Character> character, size_t budget_bytes,
              service::Logger log);
  float At(const wire::Contribution& seen, absl::Span<skel::Vec3> out);
  void TellFailures();
  void TellMissing();

  OffsetMixer mixer_;
  const service::Logger log_;
  offsets::OffsetsStream stream_;
  std::map<uint64_t, Clip> clips_;  // by the clip's hash
  // A clip may be seen twice in a frame, where it begins anew while it eases out: the stream knows
  // one frame of it for each of its characters.
  std::vector<int> places_;
  std::set<std::string> told_;  // of those that are missing
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_DRAW_LIVE_OFFSETS_H_
