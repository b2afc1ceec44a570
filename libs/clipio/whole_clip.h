// A clip file in memory with everything that is written elsewhere: keys, voice and props.
#ifndef POSEWIRE_LIBS_CLIPIO_WHOLE_CLIP_H_
#define POSEWIRE_LIBS_CLIPIO_WHOLE_CLIP_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "libs/asset/motion.h"
#include "libs/clipio/open_clip.h"
#include "libs/wire/props.h"

namespace posewire::clipio {

struct Voice {
  int rate_hz = 0;
  double start_s = 0;            // time code of the first sample
  std::vector<int16_t> samples;  // empty: none

  double end_s() const;
};
// Returns all of them as one, at the rate of the first that is not empty.
Voice Mixed(absl::Span<const Voice> voices);
// Returns the bytes of a WAV.
absl::StatusOr<std::string> WavOf(const Voice& voice);

struct WholeClip {
  asset::Motion motion;
  Voice voice;
  // Each state of the scene's props, and the time code from which it applies.
  std::vector<std::pair<double, std::vector<wire::Prop>>> props;
  std::vector<std::string> warnings;

  // Adds to the time codes of voice, props and camera, for poses that begin at 0.
  void MoveScene(double by_s);
};

// Errors: those of OpenClip and ClipReader; INVALID_ARGUMENT for a file without a header.
absl::StatusOr<WholeClip> LoadWholeClip(const std::string& path, const OpenOptions& options = {});

}  // namespace posewire::clipio

#endif  // POSEWIRE_LIBS_CLIPIO_WHOLE_CLIP_H_
