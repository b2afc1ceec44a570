// The offsets of many clips, by which what a graph has mixed of them is drawn as a film's
// character: v" = (v + sum of x o) S, with the shares x that the graph tells of each frame
// (wire::Contributions). What no clip made keeps the character's own shapes.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_RENDER_CLIP_OFFSETS_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_RENDER_CLIP_OFFSETS_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "libs/character/character.h"
#include "libs/character/deformer.h"
#include "libs/character/point_skin.h"
#include "libs/mesh/offsets.h"
#include "libs/render/painter.h"
#include "libs/wire/contributions.h"
#include "services/renderer_sink/render/film_offsets.h"

namespace posewire::renderer_sink {

// One thread.
class ClipOffsets {
 public:
  // Reads all *.offsets of a folder. They are found by the clip's content hash, whatever the files
  // are called. Errors: a folder that cannot be read or has none, those of FilmOffsets::Open, and
  // FAILED_PRECONDITION for one that was made of another character.
  static absl::StatusOr<std::unique_ptr<ClipOffsets>> Open(
      const std::string& folder, std::shared_ptr<const character::Character> character);

  // What is to be drawn of a frame; valid until the next call. Clips without offsets, and mirrored
  // ones, which have none of their own, keep the character's own shapes. While a live source is
  // seen, the head is its own as far as it is seen: faces are pushed as shapes. DATA_LOSS for a
  // damaged chunk.
  absl::StatusOr<render::OffsetMix> Of(const wire::Contributions& seen);

  // The names of clips that were seen and have no offsets.
  const std::map<std::string, int>& missing() const { return missing_; }

 private:
  explicit ClipOffsets(std::shared_ptr<const character::Character> character);
  struct Shown {
    std::vector<skel::Vec3> offsets;
    std::vector<float> shares;
  };

  std::shared_ptr<const character::Character> character_;
  character::Deformer deformer_;
  character::PointSkin skin_;
  std::vector<bool> of_head_;                               // joints of the rig
  std::map<uint64_t, std::unique_ptr<FilmOffsets>> files_;  // by the clip's hash
  std::map<std::string, int> missing_;                      // frames by clip
  std::vector<float> joints_, own_;
  std::vector<Shown> shown_;
  std::vector<mesh::WeighedOffsets> weighed_;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_RENDER_CLIP_OFFSETS_H_
