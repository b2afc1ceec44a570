// A clip file in memory, ready to be drawn: its poses at the picture's rate, its voice, and the
// character that it requests.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_RENDER_CLIP_SOURCE_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_RENDER_CLIP_SOURCE_H_

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/clip/clip.h"
#include "libs/clipio/open_clip.h"
#include "libs/skel/rig.h"
#include "libs/timecode/frame_rate.h"
#include "libs/wire/appearance.h"
#include "libs/wire/contributions.h"
#include "services/renderer_sink/core/prop_track.h"
#include "services/renderer_sink/core/staging.h"
#include "services/renderer_sink/draw/stream_camera.h"

namespace posewire::renderer_sink {

struct ClipSource {
  std::shared_ptr<const clip::Clip> clip;          // of the avatar's rig; time 0 is its first key
  double first_s = 0;                              // time code of time 0
  double begins_s = 0;                             // Unix time of time 0, by the file's epoch
  int voice_rate_hz = 0;                           // 0: the clip has no voice
  std::vector<int16_t> voice;                      // sample 0 belongs to time 0
  std::map<double, wire::Appearance> appearances;  // by the time from which each applies
  std::map<double, Staging> stagings;              // likewise
  PropTrack props;                                 // likewise
  std::map<double, wire::Contributions> contributions;  // per frame, if present
  StreamCamera camera;                                  // empty if the clip has none
  std::vector<std::string> warnings;                    // see recording::ClipReader::warnings
};

// Adds the voice of another clip, which begins `later_s` after this one; below 0: before.
void MixVoice(const ClipSource& other, double later_s, ClipSource& out);

// Returns the last value by that time, to within half a frame; null: none yet.
template <typename T>
const T* LastBy(double t_s, const timecode::FrameRate& rate, const std::map<double, T>& said) {
  const auto next = said.upper_bound(t_s + rate.period_s() / 2);
  return next == said.begin() ? nullptr : &std::prev(next)->second;
}

// Reads the file, or open.character of its scene. Errors are those of clipio::LoadClip.
absl::StatusOr<ClipSource> ReadClipSource(const std::string& path,
                                          std::shared_ptr<const skel::Rig> rig,
                                          const skel::RigCatalog& catalog,
                                          const timecode::FrameRate& rate,
                                          const clipio::OpenOptions& open = {});

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_RENDER_CLIP_SOURCE_H_
