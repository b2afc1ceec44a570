// The offsets of many clips, loaded as whole files, with which `render` draws a take.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_RENDER_CLIP_OFFSETS_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_RENDER_CLIP_OFFSETS_H_

#include <map>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "libs/character/character.h"
#include "libs/render/painter.h"
#include "libs/wire/contributions.h"
#include "services/renderer_sink/draw/offset_mixer.h"
#include "services/renderer_sink/render/film_offsets.h"

namespace posewire::renderer_sink {

// One thread.
class ClipOffsets {
 public:
  // Reads all offsets at `where` (FindOffsets) of this character. They are identified by the clip's
  // content hash, independent of file names. Errors: those of FindOffsets, OffsetsOf and
  // FilmOffsets::Open.
  static absl::StatusOr<std::unique_ptr<ClipOffsets>> Open(
      const std::string& where, std::shared_ptr<const character::Character> character);

  // See OffsetMixer. DATA_LOSS for a damaged chunk.
  absl::StatusOr<render::OffsetMix> Of(const wire::Contributions& seen);
  const std::map<std::string, int>& missing() const { return mixer_.missing(); }

 private:
  explicit ClipOffsets(std::shared_ptr<const character::Character> character)
      : mixer_(std::move(character)) {}

  OffsetMixer mixer_;
  std::map<uint64_t, std::unique_ptr<FilmOffsets>> files_;  // by the clip's hash
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_RENDER_CLIP_OFFSETS_H_
