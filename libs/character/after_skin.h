// What moves the points of a character after its skin: lattices, then smoothing.
//
// They are part of the simple rig, so offsets are on top of them. Points of all visible meshes are
// one surface, so that the seams between meshes stay closed. Normals rotate with it.
#ifndef POSEWIRE_LIBS_CHARACTER_AFTER_SKIN_H_
#define POSEWIRE_LIBS_CHARACTER_AFTER_SKIN_H_

#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "libs/character/character.h"
#include "libs/character/point_skin.h"
#include "libs/character/surface_smoothing.h"
#include "libs/character/surface_turns.h"
#include "libs/skel/affine.h"
#include "libs/skel/math.h"

namespace posewire::character {

class Deformer;

// One thread at a time; allocates only when made.
class AfterSkin {
 public:
  // Uses the meshes that `deformer` shows. Errors: those of SurfaceTurns::Make.
  static absl::StatusOr<std::unique_ptr<AfterSkin>> Make(const Deformer& deformer);

  // Computes the surface from the deformer's points, which are those of the skin. `values` has one
  // entry for each move of each lattice, in order.
  absl::Status Run(const Deformer& deformer, absl::Span<const float> values);

  const PointSkin& skin() const { return skin_; }
  // After Run, in the order of skin(): what the skin made, and what became of it.
  absl::Span<const skel::Vec3> skinned() const { return skinned_; }
  absl::Span<const skel::Vec3> points() const { return points_; }
  absl::Span<const skel::Vec3> normals() const { return normals_; }

 private:
  AfterSkin(const Character& character, PointSkin skin, SurfaceTurns turns);

  PointSkin skin_;
  SurfaceTurns turns_;
  std::optional<SurfaceSmoothing> smoothing_;
  std::vector<skel::Affine> transforms_;
  std::vector<skel::Vec3> skinned_, points_, normals_, frames_before_, frames_after_;
};

}  // namespace posewire::character

#endif  // POSEWIRE_LIBS_CHARACTER_AFTER_SKIN_H_
