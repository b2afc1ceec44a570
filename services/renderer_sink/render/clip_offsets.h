// The offsets of a character, loaded as whole files, with which `render` draws a clip or a take.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_RENDER_CLIP_OFFSETS_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_RENDER_CLIP_OFFSETS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "libs/mesh/offsets.h"
#include "libs/skel/pose.h"
#include "libs/wire/contributions.h"
#include "services/renderer_sink/draw/offset_files.h"
#include "services/renderer_sink/draw/offset_mixer.h"
#include "services/renderer_sink/render/film_offsets.h"

namespace posewire::renderer_sink {

// One thread.
class ClipOffsets {
 public:
  // Reads a character's files. They are identified by the clip's content hash, independent of file
  // names. Errors: those of FilmOffsets::Read.
  static absl::StatusOr<std::unique_ptr<ClipOffsets>> Open(const OffsetFiles& files);

  // FAILED_PRECONDITION if there are clips, and none is this one.
  absl::Status CheckHas(const std::string& clip, uint64_t clip_hash) const;

  // See OffsetMixer. DATA_LOSS for a damaged chunk.
  absl::StatusOr<absl::Span<const mesh::WeighedOffsets>> Of(const skel::PoseView& pose,
                                                            const wire::Contributions& seen);
  // Clips without offsets, and the number of frames that they were in. None for a shape set alone.
  std::map<std::string, int> missing() const {
    return files_.empty() ? std::map<std::string, int>() : mixer_.missing();
  }

 private:
  explicit ClipOffsets(const OffsetFiles& files) : mixer_(files.character, files.shapes) {}

  OffsetMixer mixer_;
  std::map<uint64_t, std::unique_ptr<FilmOffsets>> files_;  // by the clip's hash
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_RENDER_CLIP_OFFSETS_H_
