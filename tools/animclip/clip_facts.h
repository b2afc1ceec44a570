// Collects facts about a clip file in one pass.
#ifndef POSEWIRE_TOOLS_ANIMCLIP_CLIP_FACTS_H_
#define POSEWIRE_TOOLS_ANIMCLIP_CLIP_FACTS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/clipio/open_clip.h"
#include "libs/diagram/waveform.h"
#include "libs/recording/clip_reader.h"
#include "libs/skel/rig.h"
#include "libs/timecode/key_spacing.h"
#include "libs/wire/chunk.h"
#include "tools/animclip/console.h"

namespace posewire::animclip {

using TrackFacts = timecode::KeySpacing;

struct AudioFacts {
  int64_t buffers = 0;
  int64_t samples = 0;            // as sent
  int64_t first_sample = 0;       // relative to time code 0
  int64_t end_sample = 0;         // one past the last
  int64_t gaps = 0, silence = 0;  // gaps, and the samples that fill them
  int64_t repeated = 0;           // samples sent again and dropped
  int peak = 0;
};

struct ClipFacts {
  wire::StreamHeader header;
  bool has_header = false;
  // The file's own skeleton, if it is not that of a built-in rig.
  std::shared_ptr<const skel::Rig> own_skeleton;
  TrackFacts pose[wire::kPoseTracks];
  TrackFacts camera[wire::kCameraTracks];
  AudioFacts audio;
  std::map<std::string, int64_t> metadata;  // number of messages with each key
  std::vector<wire::StatusChunk> statuses;  // the first 20
  // The last message if it is a status, as it should be; readers do not require one.
  std::optional<wire::StatusChunk> last_status;
  int64_t messages = 0, status_count = 0;
  int64_t zero_rotations = 0, normalized_rotations = 0;
  int64_t largest_message_bytes = 0;
  // First and last instant of any data; both 0 in a clip without keys and audio.
  double start_s = 0, end_s = 0;
};

// If `wave` is not null, it is filled with the voice; it must be empty. Errors are those of
// recording::ClipReader.
absl::StatusOr<ClipFacts> GatherFacts(const std::string& path, const Console& console,
                                      std::unique_ptr<diagram::Waveform>* wave = nullptr,
                                      const clipio::OpenOptions& options = {});

// "SUCCESS done"
std::string StatusText(const wire::StatusChunk& status);

const char* PoseTrackName(int track);
const char* CameraTrackName(int track);

// "30 fps", "29.97 fps", "40 to 350 ms apart", "one key".
std::string RateText(const TrackFacts& track);

}  // namespace posewire::animclip

#endif  // POSEWIRE_TOOLS_ANIMCLIP_CLIP_FACTS_H_
