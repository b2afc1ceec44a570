// Computes the offsets of a frame that was mixed from several clips: v" = p + (sum of x o) S, with
// the shares x that the graph reports (wire::Contributions).
//
// Each clip's offsets apply to the joints that it moves, on top of the character's own shapes and
// correctives. So where a frame does not come from a clip, its clip has none, or a chunk has not
// arrived, the character is as it is without offsets, and one fades into the other without a jump.
//
// With a shape set (character::ShapeOffsets), the weights of the pose bring the film's face, and a
// clip has what is left. Without one, a clip's offsets contain its own face, which must not appear
// on top of another one: the head has none while a live source is visible.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_DRAW_OFFSET_MIXER_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_DRAW_OFFSET_MIXER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "libs/character/character.h"
#include "libs/character/deformer.h"
#include "libs/character/mirrored_points.h"
#include "libs/character/point_skin.h"
#include "libs/character/shape_offsets.h"
#include "libs/mesh/offsets.h"
#include "libs/skel/mask.h"
#include "libs/skel/pose.h"
#include "libs/wire/contributions.h"

namespace posewire::renderer_sink {

// One thread.
class OffsetMixer {
 public:
  // Maximum number of clips without offsets that are remembered by name.
  static constexpr size_t kMostMissing = 256;

  // `shapes` may be null.
  OffsetMixer(std::shared_ptr<const character::Character> character,
              std::shared_ptr<const character::ShapeOffsets> shapes);

  const character::PointSkin& skin() const { return skin_; }
  uint64_t mesh_hash() const { return character_hash_; }

  // Writes a clip's offsets at a time, one per point. Returns how much of them is available, from 0
  // to 1; below 0 if the clip has none.
  using Offsets = absl::FunctionRef<absl::StatusOr<float>(const wire::Contribution& clip,
                                                          absl::Span<skel::Vec3> out)>;

  // Returns the offsets of a frame with this pose and these contributions; valid until the next
  // call. Errors are those of `offsets`.
  absl::StatusOr<absl::Span<const mesh::WeighedOffsets>> Of(const skel::PoseView& pose,
                                                            const wire::Contributions& seen,
                                                            Offsets offsets);

  // Clips without offsets, by name, and the number of frames that they were in.
  const std::map<std::string, int>& missing() const { return missing_; }

 private:
  struct Shown {
    std::vector<skel::Vec3> offsets;
    std::vector<float> shares;
  };
  absl::Status Add(const wire::Contribution& clip, float there, float head, Shown& shown);

  const std::shared_ptr<const character::Character> character_;
  const std::shared_ptr<const character::ShapeOffsets> shapes_;
  const character::Deformer deformer_;
  const character::PointSkin skin_;
  const uint64_t character_hash_;
  std::optional<character::MirroredPoints> mirror_;  // made for the first mirrored clip
  skel::Mask head_;                                  // the head's joints
  std::map<std::string, int> missing_;
  std::vector<float> joints_;
  std::vector<skel::Vec3> face_;  // of the shape set
  std::vector<Shown> shown_;
  std::vector<mesh::WeighedOffsets> weighed_;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_DRAW_OFFSET_MIXER_H_
