// How a frame is drawn that several clips were mixed into: v" = (v + sum of x o) S, with the shares
// x that the graph tells of it (wire::Contributions).
//
// Each clip's offsets count where its joints do. What no offsets are there for, because no clip
// made it, its clip has none, or a chunk has not come yet, keeps the character's own shapes and
// correctives in that share; so the two never act twice, and one turns into the other without a
// jump.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_DRAW_OFFSET_MIXER_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_DRAW_OFFSET_MIXER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "libs/character/character.h"
#include "libs/character/deformer.h"
#include "libs/character/point_skin.h"
#include "libs/mesh/offsets.h"
#include "libs/render/painter.h"
#include "libs/wire/contributions.h"

namespace posewire::renderer_sink {

// One thread.
class OffsetMixer {
 public:
  // Clips without offsets that are remembered by name.
  static constexpr size_t kMostMissing = 256;

  explicit OffsetMixer(std::shared_ptr<const character::Character> character);

  const character::PointSkin& skin() const { return skin_; }
  uint64_t mesh_hash() const { return character_hash_; }

  // Writes a clip's offsets at a time, one a point, and says how much of them is there, from 0 to
  // 1; below 0: the clip has none.
  using Offsets = absl::FunctionRef<absl::StatusOr<float>(const wire::Contribution& clip,
                                                          absl::Span<skel::Vec3> out)>;

  // What is to be drawn; valid until the next call. Mirrored clips have no offsets of their own.
  // While a live source is seen, the head is its own as far as it is seen: faces are pushed as
  // shapes. Errors are those of `offsets`.
  absl::StatusOr<render::OffsetMix> Of(const wire::Contributions& seen, Offsets offsets);

  // In how many frames clips were seen that have no offsets, by name.
  const std::map<std::string, int>& missing() const { return missing_; }

 private:
  struct Shown {
    std::vector<skel::Vec3> offsets;
    std::vector<float> shares;
  };

  const std::shared_ptr<const character::Character> character_;
  const character::Deformer deformer_;
  const character::PointSkin skin_;
  const uint64_t character_hash_;
  std::vector<bool> of_head_;  // joints of the rig
  std::map<std::string, int> missing_;
  std::vector<float> joints_, own_;
  std::vector<Shown> shown_;
  std::vector<mesh::WeighedOffsets> weighed_;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_DRAW_OFFSET_MIXER_H_
